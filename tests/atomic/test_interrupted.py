"""Writers that are killed, or whose disk is full: what is left is the old set or the new one, whole.

Random kills: as many as ``AKDASK_KILLS`` says, 15 for each scenario unless given.  Where CI is set, each scenario is
interrupted at one of 31 calls, other ones than the next scenario, and by one random kill.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.atomic.scenarios import SCENARIOS

ROOT = Path(__file__).parents[2]
EVERY = 31 if "CI" in os.environ else 1
KILLS = int(os.environ.get("AKDASK_KILLS", 15 // EVERY * len(SCENARIOS))) // len(SCENARIOS)

pytestmark = pytest.mark.slow


def interrupted(mode, count=0, names=tuple(SCENARIOS)):
    """Try scenarios in two processes; return how often the old and the new set were found, by scenario."""
    runners = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.atomic.runner", mode, str(count), *half],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for half in (names[::2], names[1::2])
        if half
    ]
    answers = [runner.communicate()[0] for runner in runners]
    assert [runner.returncode for runner in runners] == [0] * len(runners)
    found = {name: trial for answer in answers for name, trial in json.loads(answer).items()}
    assert {name: trial["problems"] for name, trial in found.items()} == {name: [] for name in names}
    return {name: trial["seen"] for name, trial in found.items()}


@pytest.mark.parametrize("third", range(3))
def test_a_writer_killed_before_any_call_leaves_the_old_set_or_the_new_one(third):
    for seen in interrupted("kill", EVERY, names=tuple(SCENARIOS)[third::3]).values():
        # The journal is one call; many are before it, and renames and cleaning are behind it.
        assert seen["before"] >= 16 // EVERY
        assert seen["after"] >= 9 // EVERY


def test_a_writer_killed_at_random_moments_leaves_the_old_set_or_the_new_one():
    for seen in interrupted("random", KILLS).values():
        assert sum(seen.values()) == KILLS + 1


def test_readers_that_are_killed_while_they_complete_a_set_are_followed_by_others():
    names = ("truncate over a wider set", "truncate samples over more files")
    for seen in interrupted("again", EVERY, names).values():
        assert seen["after"] >= 51 // EVERY


def test_a_disk_that_fills_at_any_call_leaves_the_old_set():
    names = ("truncate over a wider set", "append to Parquet", "truncate samples over more files", "split a list again")
    for seen in interrupted("fail", EVERY, names).values():
        assert seen["before"] >= 16 // EVERY


def test_files_that_may_not_grow_leave_the_old_set():
    names = ("truncate over a narrower set", "update", "truncate samples over fewer files")
    for name, seen in interrupted("limit", 10, names=names).items():
        assert seen["before"] > 1
        assert seen["after"] > ("samples" not in name)  # whose files are larger than any of the limits


def test_parquet_files_that_may_not_grow_leave_the_old_set():
    # Of some hundred bytes each.
    (seen,) = interrupted("limit", 40, names=("append to Parquet",)).values()
    assert seen["before"] > 1
    assert seen["after"] > 1
