"""Bytes that are fetched before they are asked for, beside the bytes themselves; what is held, and given back."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.storage import remote, tuning
from akdask.storage.remote import ReadAhead, can_read_ahead

CONTENT = np.random.default_rng(1).integers(0, 256, 5000).astype(np.uint8)


@pytest.fixture(autouse=True)
def small_requests(monkeypatch):
    monkeypatch.setattr(tuning, "REQUEST", 64)
    monkeypatch.setattr(tuning, "NEAR_BYTES", 8)


class Server:
    def __init__(self):
        self.asked = []
        self.done = threading.Event()
        self.lock = threading.Lock()

    def get(self, start, stop):
        with self.lock:
            self.asked.append((start, stop))
        return CONTENT[start:stop].tobytes()

    def ahead(self):
        return ReadAhead(self.get, self.done.set)

    def wait(self):
        assert self.done.wait(10)


def read(ahead, start, stop):
    found = np.zeros(stop - start, np.uint8)
    ahead.read_into(found, start)
    return found.tobytes()


def settle():
    """Wait until the threads have done what they were given."""
    [future.result() for future in [remote.threads().submit(int) for _ in range(64)]]


def held():
    settle()
    return remote._BUFFERS.nbytes


spans = st.tuples(st.integers(0, 5000), st.integers(0, 5000)).map(lambda ends: tuple(sorted(ends)))


@given(
    st.lists(st.lists(spans, max_size=4), max_size=5),
    st.lists(spans, max_size=12),
    st.sampled_from([0, 64, 200, 10**6]),
    st.booleans(),
)
def test_reads_are_the_bytes_whatever_was_expected(streams, reads, room, kept):
    server = Server()
    with ak.config.set(read_ahead=room):
        ahead = server.ahead()
        for half in (streams[::2], streams[1::2]):
            ahead.expect([[(a, b) for a, b in stream if a < b] for stream in half], int(kept))
        for start, stop in reads:
            assert read(ahead, start, stop) == CONTENT[start:stop].tobytes()
        ahead.close()
    assert held() == 0


@given(st.lists(st.integers(1, 700), min_size=1, max_size=4), st.integers(1, 90))
def test_streams_side_by_side_are_fetched_once(sizes, step):
    starts = np.cumsum([0, *(size + 20 for size in sizes[:-1])]).tolist()
    server = Server()
    ahead = server.ahead()
    ahead.expect([[(start, start + size)] for start, size in zip(starts, sizes, strict=True)])
    for row in range(0, max(sizes), step):
        for start, size in zip(starts, sizes, strict=True):
            begin, end = min(row, size), min(row + step, size)
            assert read(ahead, start + begin, start + end) == CONTENT[start + begin : start + end].tobytes()
    ahead.close()
    covered = np.zeros(5000, int)
    for start, stop in server.asked:
        covered[start:stop] += 1
        assert stop - start < 64 + 8
    assert covered.max() == 1
    wanted = np.concatenate([np.arange(start, start + size) for start, size in zip(starts, sizes, strict=True)])
    assert covered[wanted].all()
    assert covered.sum() <= len(wanted) + 8 * len(sizes)
    assert held() == 0


def test_close_ranges_are_one_request_and_distant_ones_are_not():
    server = Server()
    ahead = server.ahead()
    ahead.expect([[(0, 10)], [(18, 30)], [(39, 45)], [(45, 60)], [(100, 110)]])
    server.wait()
    ahead.close()
    assert sorted(server.asked) == [(0, 30), (39, 60), (100, 110)]


@pytest.mark.parametrize(("size", "nrequests"), [(64, 1), (71, 1), (72, 2), (135, 2), (192, 3)])
def test_a_short_rest_is_no_request_of_its_own(size, nrequests):
    server = Server()
    ahead = server.ahead()
    ahead.expect([[(0, size)]])
    server.wait()
    assert len(server.asked) == nrequests
    assert read(ahead, 0, size) == CONTENT[:size].tobytes()
    ahead.close()
    assert held() == 0


def test_streams_that_share_requests_need_not_be_read_side_by_side():
    server = Server()
    ahead = server.ahead()
    streams = [[(start + at, start + at + 20) for start in range(0, 1000, 100)] for at in (0, 20, 40)]
    ahead.expect(streams)
    for stream in streams:
        for start, stop in stream:
            assert read(ahead, start, stop) == CONTENT[start:stop].tobytes()
    settle()
    assert sorted(server.asked) == [(start, start + 60) for start in range(0, 1000, 100)]
    assert held() <= 60
    ahead.close()
    assert held() == 0
    # Of ranges without gaps, requests have ranges of each stream twice.
    server, streams = Server(), [[(start + at, start + at + 20) for start in range(0, 960, 40)] for at in (0, 20)]
    ahead = server.ahead()
    ahead.expect(streams)
    for stream in streams:
        for start, stop in stream:
            assert read(ahead, start, stop) == CONTENT[start:stop].tobytes()
    settle()
    assert sum(stop - start for start, stop in server.asked) == 960
    ahead.close()


def test_a_stream_that_is_not_read_stays_behind():
    server = Server()
    ahead = server.ahead()
    ahead.expect([[(0, 2000)], [(2000, 4000)]])
    for start in range(0, 2000, 50):
        read(ahead, start, start + 50)
    settle()
    ahead.close()
    assert sum(stop - start for start, stop in server.asked if start < 2000) == 2000
    assert sum(stop - start for start, stop in server.asked if start >= 2000) == 16 * 64


def test_what_is_held_stays_within_the_setting():
    server = Server()
    with ak.config.set(read_ahead=300):
        ahead = server.ahead()
        ahead.expect([[(0, 5000)]])
        settle()
        assert sorted(server.asked) == [(0, 64), (64, 128)]  # half of it before anything is read
        assert not can_read_ahead()
        read(ahead, 0, 10)
        settle()
        assert sorted(server.asked) == [(start, start + 64) for start in range(0, 256, 64)]
        assert remote._BUFFERS.nbytes == 256
        other = Server()
        late = other.ahead()
        late.expect([[(0, 5000)]])
        assert other.asked == []
        assert read(late, 0, 100) == CONTENT[:100].tobytes()  # what is asked for is fetched all the same
        late.close()
        ahead.close()
        assert held() == 0
        assert can_read_ahead()


def test_what_was_opened_early_goes_on_when_there_is_room():
    first, second = Server(), Server()
    with ak.config.set(read_ahead=256):
        one, two = first.ahead(), second.ahead()
        one.expect([[(0, 128)]])
        two.expect([[(0, 128)]])
        settle()
        assert second.asked == []
        read(one, 0, 100)
        read(one, 100, 128)
        settle()
        assert second.asked == [(0, 64)]
        one.close()
        assert read(two, 0, 128) == CONTENT[:128].tobytes()
        two.close()
    assert not remote._waiting()
    assert held() == 0


def test_what_is_read_waits_no_more_for_room():
    with ak.config.set(read_ahead=0):
        ahead = Server().ahead()
        ahead.expect([[(0, 256)]])
        assert list(remote._waiting()) == [ahead]
        assert read(ahead, 0, 50) == CONTENT[:50].tobytes()
        assert not remote._waiting()
        ahead.close()


def test_requests_of_very_many_streams_are_smaller(monkeypatch):
    monkeypatch.setattr(tuning, "NEAR_BYTES", 16)
    server = Server()
    with ak.config.set(read_ahead=1000):
        ahead = server.ahead()
        ahead.expect([[(start, start + 400)] for start in range(0, 4000, 400)])
        settle()
        assert {stop - start for start, stop in server.asked} == {25}
        for row in range(0, 400, 40):
            for start in range(row, 4000, 400):
                assert read(ahead, start, start + 40) == CONTENT[start : start + 40].tobytes()
        assert remote._BUFFERS.nbytes <= 1000 + 10 * 2 * 25
        ahead.close()
    assert held() == 0


def test_several_requests_of_one_read_are_under_way_at_a_time():
    together = threading.Barrier(4)

    class Slow(Server):
        def get(self, start, stop):
            together.wait(10)
            return super().get(start, stop)

    with ak.config.set(read_ahead=0):
        assert read(Slow().ahead(), 0, 256) == CONTENT[:256].tobytes()


def test_columns_are_fetched_together_where_there_is_no_room():
    class Slow(Server):
        together = None

        def get(self, start, stop):
            if self.together is not None and start % 1000 >= 64:
                self.together.wait(10)
            return super().get(start, stop)

    server = Slow()
    with ak.config.set(read_ahead=0):
        ahead = server.ahead()
        ahead.expect([[(0, 128)], [(1000, 1128)], [(2000, 2128)]])
        for start in (0, 1000, 2000):
            read(ahead, start, start + 10)
        server.together = threading.Barrier(3)
        for start in (64, 1064, 2064):
            assert read(ahead, start, start + 10) == CONTENT[start : start + 10].tobytes()
        ahead.close()
    assert held() == 0


def test_errors_come_where_the_bytes_are_asked_for_and_nothing_stays_held():
    class Broken(Server):
        def get(self, start, stop):
            if start == 64:
                raise OSError("gone")
            return super().get(start, stop)

    ahead = Broken().ahead()
    ahead.expect([[(0, 500)]])
    assert read(ahead, 0, 64) == CONTENT[:64].tobytes()
    with pytest.raises(OSError, match="gone"):
        read(ahead, 0, 200)
    assert read(ahead, 128, 300) == CONTENT[128:300].tobytes()
    ahead.close()
    assert held() == 0


def test_it_is_told_when_everything_has_come():
    server = Server()
    ahead = server.ahead()
    ahead.expect([[(0, 64)], [(64 * 30, 64 * 31)]])
    server.wait()
    ahead.close()
