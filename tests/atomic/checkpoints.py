"""Interrupt saves of checkpoints, each in a forked process, and look at what is left.

Used as ``python -m tests.atomic.checkpoints MODE COUNT WHAT…``, with the modes ``kill``, ``random``, ``again`` and
``fail`` of `tests.atomic.runner`.  Prints how often the old and the new checkpoint were found, and what else was.
"""

import gc
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from functools import partial

import dask

import akdask as ak
from akdask.errors import MissingFileError
from akdask.testing.strategies import partitioned
from tests.atomic import runner
from tests.atomic.runner import DONE, HALFWAY, child, failing_at, killing_at, outcome

STATES = {
    "overwrite": ({"c": 1}, {"c": 2}),
    "preserve_previous": ({"c": 1, "c.prev": 0}, {"c": 2, "c.prev": 1}),
    "preserve_previous at first": ({"c": 1}, {"c": 2, "c.prev": 1}),
    "overwrite nothing": ({}, {"c": 2}),
}
"""What is there before and after, by what is done: the number that each checkpoint is made of."""


def values(number):
    return [number * 10, number * 10 + 1, number * 10 + 2]


def save(folder, number, mode, name="c"):
    a = partitioned(values(number), [1, 2])
    b = ak.array([2**70 + number])
    assert (a.size, b.size) == (3, 1)
    ak.save_checkpoint(name, folder, mode)


def found(folder):
    """Return the number that each checkpoint is made of; fails if one is incomplete or anything else is there."""
    state = {}
    for name in ("c", "c.prev"):
        try:
            loaded = ak.load_checkpoint(name, folder)
        except MissingFileError:
            continue
        number = loaded["b"].tolist()[0] - 2**70
        assert loaded["a"].tolist() == values(number)
        state[name] = number
    assert sorted(os.listdir(folder)) == sorted(state)
    return state


class Trial:
    """One of `STATES`, set up again for each interruption."""

    def __init__(self, what):
        self.mode = what.partition(" ")[0]
        self.before, self.after = STATES[what]
        self.root = tempfile.mkdtemp(prefix="atomic-")
        self.template = os.path.join(self.root, "template")
        os.mkdir(self.template)
        for name, number in self.before.items():
            save(self.template, number, "overwrite", name)
        self.seen = Counter()
        self.problems = []
        self.count = 0
        self.act(self.folder())

    def folder(self, template=None):
        self.count += 1
        folder = os.path.join(self.root, str(self.count))
        shutil.copytree(template or self.template, folder)
        return folder

    def act(self, folder):
        save(folder, 2, self.mode)

    def check(self, folder, what, allowed=("before", "after")):
        try:
            state = found(folder)
        except BaseException:
            self.problems.append(f"{what}: {traceback.format_exc()}")
            return
        names = [name for name in allowed if state == getattr(self, name)]
        self.seen.update(names)
        if not names:
            self.problems.append(f"{what}: {state}")
        shutil.rmtree(folder)

    def kill(self, every):
        """Kill savers before one of so many of their calls, other ones for each kind of save."""
        for step in range(list(STATES).index(self.mode) % every, 10**6, every):
            folder = self.folder()
            if outcome(child(partial(self.act, folder), killing_at(step))) == DONE:
                self.check(folder, "not killed", ("after",))
                return
            self.check(folder, f"killed before step {step}")

    def random(self, count):
        start = time.perf_counter()
        outcome(child(partial(self.act, self.folder())))
        longest = 1.2 * (time.perf_counter() - start)
        for _ in range(count):
            folder, delay = self.folder(), random.uniform(0, longest)
            number = child(partial(self.act, folder))
            time.sleep(delay)
            os.kill(number, signal.SIGKILL)
            outcome(number)
            self.check(folder, f"killed after {delay:.4f} s")

    def again(self, every):
        """Kill savers once the save has happened, then those who complete it, before one of so many of their calls."""
        for step in range(10**6):
            left = self.folder()
            if outcome(child(partial(self.act, left), killing_at(step))) == DONE:
                return
            hidden = os.path.join(left, ".c.akdask-folder")
            inside = os.listdir(hidden) if os.path.isdir(hidden) else []
            if not {"replace", "preserve"}.intersection(inside):
                continue
            for second in range(step % every, 10**6, every):
                folder = self.folder(left)
                code = outcome(child(partial(found, folder), killing_at(second)))
                self.check(folder, f"killed before step {step}, then {second}", ("after",))
                if code == DONE:
                    break

    def fail(self, _):
        for once in (True, False):
            for step in range(10**6):
                folder = self.folder()
                code = outcome(child(partial(self.act, folder), failing_at(step, once=once)))
                if code == DONE:
                    self.check(folder, f"full at step {step}, {once=}", ("after",))
                    break
                allowed = ("before", "after") if code == HALFWAY else ("before",) if code == runner.RAISED else ()
                self.check(folder, f"full at step {step}, {once=} ({code})", allowed)


if __name__ == "__main__":
    mode, count, *what = sys.argv[1:]
    dask.config.set(scheduler="synchronous")
    gc.disable()
    sys.addaudithook(runner.audit)
    runner.audited("fsync")
    answer = {}
    for name in what or STATES:
        trial = Trial(name)
        try:
            getattr(trial, mode)(int(count))
        finally:
            shutil.rmtree(trial.root)
        answer[name] = {"seen": trial.seen, "problems": trial.problems}
    print(json.dumps(answer))
