"""Interrupt writes, each in a forked process, and look at what is left.

Used as ``python -m tests.atomic.runner MODE COUNT SCENARIO…``, with these modes:

- ``kill`` kills before one of COUNT calls to the file system in turn;
- ``random`` kills COUNT times at random moments;
- ``again`` kills writers in the middle of a commit, then those that carry the journal out before one of COUNT of their
  calls;
- ``fail`` lets one of COUNT calls fail as on a full disk, once or from there on;
- ``limit`` bounds the size of files.

A process of its own, without threads, so that forking it is safe and costs little.  Prints, for each scenario, how
often what was left was the old set and the new one, and what else was found.
"""

import errno
import gc
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import product

import dask

from akdask.errors import AkdaskError, ExistsError
from tests.atomic.scenarios import SCENARIOS, Scenario, found, silently

DONE, RAISED, HALFWAY = 0, 3, 4
AGAIN = 3  # of so many trials one is followed by the write that was interrupted
CALLS = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "fcntl.flock"}
READING = {"open", "os.scandir", "os.listdir"}  # imports do that too
CHANGES = {"open", "os.rename", "os.mkdir", "os.link", "fsync", "pwrite"}

hooks: list[Callable[[str, bool], None]] = []


def audit(event: str, arguments: tuple) -> None:
    """Tell the hook of calls to the file system, not those of importing modules."""
    if hooks and (event in CALLS or (event in READING and is_ours(arguments[0]))):
        is_change = event in CHANGES and (event != "open" or bool(arguments[2] & (os.O_WRONLY | os.O_RDWR)))
        hooks[0](event, is_change)


def is_ours(path: object) -> bool:
    """Whether a file or folder is one of a trial: named by its path, or from an open folder."""
    name = str(path)
    return isinstance(path, int) or "/atomic-" in name or "/" not in name or name.startswith("/proc/self/fd/")


def audited(name: str) -> None:
    """Make a function of `os` tell the hook, which Python itself does not."""
    function = getattr(os, name)

    def call(*arguments: object) -> object:
        if hooks:
            hooks[0](name, True)
        return function(*arguments)

    setattr(os, name, call)


def child(act: Callable[[], object], hook: Callable[[str, bool], None] | None = None) -> int:
    """Do something in a forked process, and return its number."""
    number = os.fork()
    if number:
        return number
    code = 1
    try:
        if hook is not None:
            hooks.append(hook)
        act()
        code = DONE
    except AkdaskError as error:
        code = HALFWAY if "nor put back" in str(error) or "half replaced" in str(error) else RAISED
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def outcome(number: int) -> int:
    """Wait for a process; the negative number of the signal that killed it, or its own result."""
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


def killing_at(step: int) -> Callable[[str, bool], None]:
    """Return a hook that kills before a call; before writes of bytes, which are many and alike, random kills do."""
    count = iter(range(10**9))

    def hook(event: str, is_change: bool) -> None:
        if event != "pwrite" and next(count) == step:
            os.kill(os.getpid(), signal.SIGKILL)

    return hook


def failing_at(step: int, *, once: bool) -> Callable[[str, bool], None]:
    count = iter(range(10**9))

    def hook(event: str, is_change: bool) -> None:
        number = next(count) if is_change else -1
        if number == step or (number > step and not once):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return hook


class Trial:
    """One scenario, set up again for each interruption."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.root = tempfile.mkdtemp(prefix="atomic-")
        self.template = os.path.join(self.root, "template")
        os.mkdir(self.template)
        self.number = 0
        self.seen: Counter[str] = Counter()
        self.problems: list[str] = []
        silently(scenario.prepare, os.path.join(self.template, scenario.path))
        self._import_all()

    def _import_all(self) -> None:
        """Do all once here, so that every process that is forked takes the same steps."""
        folder = self.folder()
        self.act(folder)
        self.check(folder, "not interrupted", ("after",))

    def folder(self, template: str | None = None) -> str:
        self.number += 1
        folder = os.path.join(self.root, str(self.number))
        shutil.copytree(template or self.template, folder)
        return folder

    def act(self, folder: str) -> None:
        silently(self.scenario.act, os.path.join(folder, self.scenario.path))

    def check(self, folder: str, what: str, allowed: tuple[str, ...] = ("before", "after")) -> None:
        """Look at what is left, and note what it is, or a problem."""
        try:
            state = found(folder, self.scenario, self.number)
            for name in allowed:
                if state == getattr(self.scenario, name):
                    self.seen[name] += 1
                    if self.number % AGAIN == 0:
                        with suppress(ExistsError):  # where objects were added already
                            self.act(folder)  # nothing that is left stands in the way of the next write
                        assert found(folder, self.scenario, self.number) == self.scenario.after
                    shutil.rmtree(folder)
                    return
            self.problems.append(f"{what}: {state}")
        except BaseException:
            self.problems.append(f"{what}: {traceback.format_exc()}")

    def first(self, every: int) -> int:
        """Return the first of the steps of which one of so many is taken; scenarios differ in it."""
        return list(SCENARIOS.values()).index(self.scenario) % every

    def kill_at_steps(self, every: int) -> None:
        for step in range(self.first(every), 10**6, every):
            folder = self.folder()
            code = outcome(child(partial(self.act, folder), killing_at(step)))
            if code == DONE:
                self.check(folder, "not killed", ("after",))
                return
            self.check(folder, f"killed before step {step} ({code})")

    def kill_at_random(self, count: int) -> None:
        folder, start = self.folder(), time.perf_counter()
        outcome(child(partial(self.act, folder)))
        longest = 1.2 * (time.perf_counter() - start)
        for _ in range(count):
            folder, delay = self.folder(), random.uniform(0, longest)
            number = child(partial(self.act, folder))
            time.sleep(delay)
            os.kill(number, signal.SIGKILL)
            outcome(number)
            self.check(folder, f"killed after {delay:.4f} s")

    def kill_those_who_recover(self, every: int) -> None:
        # A third of the steps leave enough to complete, and one in eight where few calls are interrupted.
        for step in range(0, 10**6, 3 if every == 1 else 8):
            left = self.folder()
            if outcome(child(partial(self.act, left), killing_at(step))) == DONE:
                return
            hidden = [name for name in os.listdir(left) if name.endswith(".akdask-write")]
            if not hidden or "journal" not in os.listdir(os.path.join(left, hidden[0])):
                continue
            for second in range(self.first(every), 10**6, every):
                folder = self.folder(left)
                code = outcome(child(partial(found, folder, self.scenario), killing_at(second)))
                self.check(folder, f"killed before step {step}, then {second} ({code})", ("after",))
                if code == DONE:
                    break
            folder = self.folder(left)
            both = [child(partial(found, folder, self.scenario, way)) for way in range(2)]
            if {outcome(number) for number in both} != {DONE}:
                self.problems.append(f"killed before step {step}: one of two readers failed")
            self.check(folder, f"killed before step {step}, then two readers", ("after",))

    def fail_at_steps(self, every: int) -> None:
        allowed = {DONE: ("after",), RAISED: ("before",), HALFWAY: ("before", "after")}
        for step, once in product(range(self.first(every), self.changes(), every), (True, False)):
            folder = self.folder()
            code = outcome(child(partial(self.act, folder), failing_at(step, once=once)))
            self.check(folder, f"full at step {step}, {once=} ({code})", allowed.get(code, ()))

    def changes(self) -> int:
        """Count the calls that a full disk would let fail."""
        read, write = os.pipe()
        system_write = os.write

        def hook(event: str, is_change: bool) -> None:
            if is_change:
                system_write(write, b".")

        folder = self.folder()
        outcome(child(partial(self.act, folder), hook))
        os.close(write)
        with os.fdopen(read, "rb") as file:
            return len(file.read())

    def limit_sizes(self, count: int) -> None:
        for limit in range(0, 12_000, 12_000 // count):
            folder = self.folder()

            def act(folder=folder, limit=limit) -> None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
                self.act(folder)

            code = outcome(child(act))
            allowed = {DONE: "after", RAISED: "before"}
            self.check(folder, f"files of {limit} bytes: {code}", (allowed.get(code, "none"),))


def interrupted(scenario: Scenario, mode: str, count: int) -> Trial:
    """Try one scenario in one mode."""
    trial = Trial(scenario)
    try:
        match mode:
            case "kill":
                trial.kill_at_steps(count)
            case "random":
                trial.kill_at_random(count)
            case "again":
                trial.kill_those_who_recover(count)
            case "fail":
                trial.fail_at_steps(count)
            case "limit":
                trial.limit_sizes(count)
    finally:
        shutil.rmtree(trial.root)
    return trial


if __name__ == "__main__":
    mode, count, *names = sys.argv[1:]
    dask.config.set(scheduler="synchronous")
    gc.disable()  # a collection would copy the memory that forked processes share
    sys.addaudithook(audit)
    for function in ("fsync", "pwrite"):
        audited(function)
    trials = {name: interrupted(SCENARIOS[name], mode, int(count)) for name in names}
    print(json.dumps({name: {"seen": trial.seen, "problems": trial.problems} for name, trial in trials.items()}))
