"""Run one function in a fresh process, for what depends on a process's history: peaks of memory, empty caches.

``python -m benchmarks.process module:function '["arguments", 1]'`` prints the result as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from time import perf_counter
from typing import Any


@dataclass(frozen=True)
class Spent:
    """What a process took: seconds that passed, and seconds of processors."""

    answer: Any
    wall: float
    cpu: float


HERE = ContextVar("HERE", default=False)
"""Whether functions run in this process after all, for a look at whether they work."""


def environment() -> dict[str, str]:
    """Return variables for processes that keep what Python compiles, as whoever installs a package has it compiled."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def fresh(function: Callable[..., Any], *args: object) -> Any:
    """Return what a module-level function answers in a process of its own; arguments and result travel as JSON."""
    name = f"{function.__module__}:{function.__name__}"
    if HERE.get():
        return json.loads(json.dumps(_named(name)(*json.loads(json.dumps(args)))))
    command = [sys.executable, "-m", "benchmarks.process", name, json.dumps(args)]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment())
    return json.loads(result.stdout.splitlines()[-1])


def spend(command: Sequence[str], environment: Mapping[str, str]) -> Spent:
    """Run a command that prints JSON, and return that as a tuple with what its process took (Linux)."""
    start = perf_counter()
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None, "it is piped"
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command[0])
    answer = tuple(json.loads(printed.splitlines()[-1]))
    return Spent(answer, wall, usage.ru_utime + usage.ru_stime)


def _named(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


def main() -> None:
    print(json.dumps(_named(sys.argv[1])(*json.loads(sys.argv[2]))))


if __name__ == "__main__":
    main()
