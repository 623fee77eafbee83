"""Freed memory of large arrays is used again, given back in the end, and never while anything looks at it."""

import mmap
import threading

import numpy as np
import pyarrow as pa
import pytest

from akdask import config
from akdask.columns import memory
from akdask.columns import tuning as columns_tuning
from akdask.columns.memory import GRAIN, LARGE, SpareMemory, full_array, new_array, release_unused
from akdask.deferred import module_named


@pytest.fixture
def spare(monkeypatch):
    module_named("akdask.engine.memory")  # tells what may be kept
    made = SpareMemory()
    monkeypatch.setattr(memory, "_spare", made)
    return made


def address(array):
    return array.__array_interface__["data"][0]


def kept_addresses(spare):
    """Return where the free blocks lie, that which has waited longest first."""
    waiting = sorted((item for queue in spare._blocks.values() for item in queue), key=lambda item: item[0])
    return [address(np.frombuffer(block, np.uint8)) for _, block in waiting]


def test_the_memory_of_an_array_is_used_again_by_others_of_about_its_size(spare):
    first = new_array(GRAIN, np.float64)
    place = address(first)
    del first
    assert spare.nbytes == 8 * GRAIN
    assert address(new_array(3 * GRAIN, np.uint8)) != place
    again = new_array(8 * GRAIN - 5, np.uint8)
    assert address(again) == place
    assert len(again) == 8 * GRAIN - 5
    assert place not in kept_addresses(spare)


def test_the_smallest_memory_that_is_enough_is_taken(spare):
    arrays = [new_array(count * GRAIN, np.uint8) for count in (4, 3, 5)]
    wanted = address(arrays[1])
    del arrays
    assert address(new_array(3 * GRAIN, np.uint8)) == wanted


@pytest.mark.parametrize(
    "look",
    [
        lambda array: array[5:],
        lambda array: array.view(np.float64)[::2],
        lambda array: array.reshape(2, -1)[1],
        memoryview,
        lambda array: pa.py_buffer(array[3:]),
        lambda array: pa.Array.from_buffers(pa.int64(), 10, [None, pa.py_buffer(array)]).slice(2),
    ],
    ids=["slice", "other type", "other shape", "memoryview", "Arrow's buffer", "Arrow's array"],
)
def test_memory_stays_while_anything_looks_at_it(spare, look):
    array = new_array(LARGE, np.int64)
    place = address(array)
    view = look(array)
    del array
    assert spare.nbytes == 0
    assert address(new_array(LARGE, np.int64)) != place
    del view
    assert spare.nbytes >= 8 * LARGE


def test_no_more_than_the_setting_is_kept_and_the_latest_at_that(spare):
    with config.set(spare_memory=3 * GRAIN):
        arrays = [new_array(GRAIN, np.uint8) for _ in range(5)]
        latest = [address(array) for array in arrays[2:]]
        while arrays:
            del arrays[0]
        assert kept_addresses(spare) == latest
    with config.set(spare_memory=0):
        assert new_array(4 * GRAIN, np.uint8).base is None
        assert spare.nbytes == 0


def test_blocks_of_all_sizes_make_room_in_the_order_in_which_they_came_back(spare):
    with config.set(spare_memory=9 * GRAIN):
        arrays = [new_array(count * GRAIN, np.uint8) for count in (2, 4, 1, 1, 3)]
        latest = [address(array) for array in arrays[1:]]
        while arrays:
            del arrays[0]
        assert kept_addresses(spare) == latest
        assert spare.nbytes == 9 * GRAIN
        # The latest of its size is in the caches.
        assert address(new_array(GRAIN, np.uint8)) == latest[2]
    new_array(LARGE, np.uint8)
    assert not spare.release(3600)
    assert spare.release()
    assert spare.nbytes == 0


def test_small_arrays_and_python_s_objects_are_numpy_s(spare):
    assert new_array(10, np.int64).base is None
    assert new_array(LARGE, object).tolist()[:2] == [None, None]
    assert spare.nbytes == 0


@pytest.mark.parametrize("value", [7, -1, 0.5, np.int64(3), True])
@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.bool_, object])
@pytest.mark.parametrize("nrows", [0, 3, LARGE])
def test_full_arrays_are_numpy_s(value, dtype, nrows):
    made, wanted = full_array(nrows, value, dtype), np.full(nrows, value, dtype)
    assert made.dtype == wanted.dtype
    np.testing.assert_array_equal(made, wanted)
    assert all(type(a) is type(b) for a, b in zip(made[:2], wanted[:2], strict=True))


def test_freed_memory_can_be_given_back(spare):
    new_array(LARGE, np.int64)
    assert spare.nbytes
    release_unused()
    assert spare.nbytes == 0


def test_memory_that_nobody_wants_is_given_back(spare, monkeypatch):
    monkeypatch.setattr("akdask.columns.tuning.IDLE_SECONDS", 0.05)
    of_arrow = threading.Event()
    monkeypatch.setattr(memory, "_release_arrow", of_arrow.set)
    new_array(LARGE, np.int64)
    assert of_arrow.wait(20)
    assert spare.nbytes == 0


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="the system knows no large pages")
@pytest.mark.parametrize(
    ("blocks", "slow", "tried"),
    [
        ([4, 1], set(), [4, 1]),
        ([4, 4, 4, 1], {0}, [1, 0, 3, 1]),
        ([4, 4, 4, 1], {2}, [3, 0, 1, 1]),
        # The rest of a large block is tried again.
        ([16], {0}, [8]),
        ([32], {0, 1}, [8]),
        # Twice as much memory does without after the second slow one, and no more than that after the third.
        ([1, 8, 1, 8, 8, 1, 16, 1], {0, 1, 2}, [1, 0, 1, 0, 0, 1, 0, 1]),
        # A fast one ends the row.
        ([1, 8, 1, 8, 8, 1, 1, 8, 1], {0, 1, 3}, [1, 0, 1, 0, 0, 1, 1, 0, 1]),
    ],
)
def test_large_pages_are_tried_again_some_memory_after_one_was_slow(monkeypatch, blocks, slow, tried):
    begun = []

    def clock():
        begun.append(0.0)
        turn, is_end = divmod(len(begun) - 1, 2)
        return 2 * columns_tuning.PAGE_TIME if is_end and turn in slow else 0.0

    tried_bytes = columns_tuning.TRIED_BYTES
    monkeypatch.setattr(columns_tuning, "PAUSED_BYTES", 8 * tried_bytes)
    monkeypatch.setattr(columns_tuning, "MOST_PAUSED_BYTES", 16 * tried_bytes)
    monkeypatch.setattr(memory, "_large_pages", memory.LargePages())
    monkeypatch.setattr(memory, "thread_time", clock)
    found = []
    for size in blocks:
        before = len(begun)
        block = memory._new_block(size * tried_bytes)
        assert not block[:: mmap.PAGESIZE].strip(b"\0")
        found.append((len(begun) - before) // 2)
        del block
    assert found == tried


class GivenPages(bytearray):
    """New memory that records what is asked for each grain of it."""

    def __init__(self, size):
        super().__init__(size)
        self.advice = [None] * (size // GRAIN)

    def madvise(self, advice, start, length):
        grains = slice(start // GRAIN, (start + length) // GRAIN)
        self.advice[grains] = [advice] * len(self.advice[grains])


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="the system knows no large pages")
def test_a_slow_page_turns_large_pages_off_for_some_memory_around_and_behind_it(monkeypatch):
    times = iter([0, 0, 0, 1, 1, 1, 1, 1])
    monkeypatch.setattr(memory, "thread_time", lambda: next(times))
    monkeypatch.setattr(columns_tuning, "TRIED_BYTES", 2 * GRAIN)
    monkeypatch.setattr(columns_tuning, "PAUSED_BYTES", 3 * GRAIN)
    pages = GivenPages(10 * GRAIN)
    memory.LargePages().advise(pages)
    large, small = mmap.MADV_HUGEPAGE, mmap.MADV_NOHUGEPAGE
    assert pages.advice == [large, large, small, small, None, None, None, large, large, large]


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="the system knows no large pages")
@pytest.mark.parametrize(("ngrains", "tried"), [(4, 4), (5, 3), (9, 3)])
def test_of_very_large_memory_few_pages_are_tried(monkeypatch, ngrains, tried):
    monkeypatch.setattr(columns_tuning, "MOST_TRIED", 4)
    monkeypatch.setattr(memory, "thread_time", lambda: times.append(0) or 0)
    times = []
    pages = GivenPages(ngrains * GRAIN)
    memory.LargePages().advise(pages)
    assert pages.advice == [mmap.MADV_HUGEPAGE] * ngrains
    assert len(times) == 2 * tried


def test_a_forked_process_does_not_wait_for_threads_of_its_parent(spare):
    array = new_array(LARGE, np.int64)
    with spare._lock:
        memory._reset_in_child()
        assert len(new_array(LARGE, np.int64)) == LARGE
        del array
    assert memory._spare is not spare


def test_threads_never_share_memory(spare):
    def fill(number):
        for turn in range(200):
            array = full_array(LARGE // 8 + number, 100 * turn + number, np.int64)
            if array.min() != array.max() or array[0] != 100 * turn + number:
                mixed.append(number)

    mixed = []
    threads = [threading.Thread(target=fill, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not mixed
    # Each thread has held two arrays at a time, of a grain each.
    assert 0 < spare.nbytes <= 8 * GRAIN


def test_freed_memory_is_given_back_before_more_is_refused(spare, monkeypatch):
    array = new_array(GRAIN, np.uint8)
    del array
    assert spare.nbytes == GRAIN
    new_pages = memory._new_pages

    def refused(size):
        if spare.nbytes or size > 8 * GRAIN:
            raise OSError(12, "Cannot allocate memory")
        return new_pages(size)

    monkeypatch.setattr(memory, "_new_pages", refused)
    assert len(new_array(4 * GRAIN, np.uint8)) == 4 * GRAIN
    with pytest.raises(MemoryError, match="no 20,971,520 bytes of memory left"):
        new_array(10 * GRAIN, np.uint8)
