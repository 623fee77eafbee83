"""Processes that are forked from one that has computed: they compute too, and wait for no thread of their parent."""

import subprocess
import sys

import pytest

SCRIPT = """
import os, signal, sys, threading
import numpy as np
import akdask as ak
import akdask.formats.hdf5.file_set, akdask.formats.hdf5.inspect, akdask.engine.cache, akdask.engine.node

path = sys.argv[1]
values = np.arange(3_000_000)


def compute():
    x = ak.array(values)
    stored = ak.read_hdf(path)["x"]
    found = [int((x * 2).sum()), int(ak.argsort(-x)[0]), int(stored.sum()), int(stored[stored > 5].size)]
    assert found == [int(values.sum()) * 2, len(values) - 1, 499500, 994], found


def forked():
    child = os.fork()
    if not child:
        signal.alarm(60)
        try:
            compute()
            second = threading.Thread(target=compute)
            second.start()
            second.join()
            os._exit(0)
        except BaseException as error:
            print(error, file=sys.stderr, flush=True)
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


ak.array(np.arange(1000)).to_hdf(path, "x", file_type="single")
compute()
print(forked())
thread = threading.Thread(target=compute)
thread.start()
thread.join()
print(forked())

# Another thread of the parent holds every lock at the moment of the fork.
locks = [akdask.formats.hdf5.file_set._OPENER._sets.lock, akdask.formats.hdf5.inspect._DESCRIPTIONS.lock]
locks += [akdask.engine.cache._cached.lock, akdask.engine.node._known.lock]
held, done = threading.Event(), threading.Event()


def hold():
    for lock in locks:
        lock.acquire()
    held.set()
    done.wait()
    for lock in locks:
        lock.release()


holder = threading.Thread(target=hold)
holder.start()
held.wait()
print(forked())
done.set()
holder.join()
compute()
"""


@pytest.mark.slow
def test_a_forked_process_computes_with_threads_of_its_own(tmp_path):
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, str(tmp_path / "x.h5")],
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    assert found.stdout.split() == ["0", "0", "0"], found.stderr
