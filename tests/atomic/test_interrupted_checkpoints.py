"""Saves of checkpoints that are killed, or whose disk is full: the old one or the new one can be loaded, always.

Random kills: as many as ``AKDASK_KILLS`` says, 20 unless given.  Where CI is set, both are killed at one of 31
calls.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.atomic.checkpoints import STATES

ROOT = Path(__file__).parents[2]
EVERY = 31 if "CI" in os.environ else 1
KILLS = int(os.environ.get("AKDASK_KILLS", "20"))

pytestmark = pytest.mark.slow


def interrupted(mode, count=0, what=tuple(STATES)):
    """Return how often the old and the new checkpoint were found, by what was done."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.atomic.checkpoints", mode, str(count), *what],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert {name: trial["problems"] for name, trial in found.items()} == {name: [] for name in what}
    return {name: trial["seen"] for name, trial in found.items()}


def test_a_saver_killed_before_any_call_leaves_the_old_checkpoint_or_the_new_one():
    for seen in interrupted("kill", EVERY).values():
        assert seen["before"] > 15 // EVERY
        assert seen["after"] > 5 // EVERY


def test_a_saver_killed_at_random_moments_leaves_the_old_checkpoint_or_the_new_one():
    (seen,) = interrupted("random", KILLS, ["preserve_previous"]).values()
    assert sum(seen.values()) == KILLS


def test_readers_that_are_killed_while_they_complete_a_checkpoint_are_followed_by_others():
    (seen,) = interrupted("again", EVERY, what=["preserve_previous"]).values()
    assert seen["after"] >= 51 // EVERY


def test_a_disk_that_fills_at_any_call_leaves_the_old_checkpoint():
    for seen in interrupted("fail", what=["overwrite", "preserve_previous"]).values():
        assert seen["before"] > 15
