"""Whole scripts and notebooks with this face in place of pandas, without a changed line.

``python -m akdask.pandas script.py`` and ``%load_ext akdask.pandas`` change what ``import pandas`` gives in the script
itself, and in the modules beside it.  Libraries import pandas as before.
"""

from __future__ import annotations

import builtins
import os
import runpy
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import wraps
from importlib import import_module
from typing import Any, TextIO

import akdask.pandas
from akdask.pandas import face

INSTALLED = ("site-packages", "dist-packages")
"""Folders of libraries, which may be below that of a script."""

_import = builtins.__import__
_folders: list[str] = []


def install(folder: str) -> None:
    """Give this face to programs that import pandas: to ``__main__``, and to modules in a folder and below it."""
    _folders.append(os.path.join(os.path.realpath(folder), ""))
    builtins.__import__ = _imported
    measure()


def uninstall() -> None:
    """Let all programs import pandas itself; names that they have imported stay."""
    _folders.clear()
    builtins.__import__ = _import


def _imported(
    name: str,
    globals: Mapping[str, object] | None = None,
    locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> Any:
    """Import a module as Python does, with this face for pandas where a program of the user asks."""
    found = _import(name, globals, locals, fromlist or (), level)
    if level or name.partition(".")[0] != "pandas" or not is_own(globals or {}):
        return found
    _, _, inner = name.partition(".")
    if not fromlist or not inner:
        return akdask.pandas
    try:
        return import_module(f"akdask.pandas.{inner}") if inner in INNER else found
    except ImportError:
        return found


INNER = frozenset({"testing", "plotting"})
"""Modules of pandas that this face has, too; the others know no frames, or are pandas' own."""


def is_own(names: Mapping[str, object]) -> bool:
    """Return whether a module is a program of the user, by its global names."""
    if names.get("__name__") == "__main__":
        return True
    path = names.get("__file__")
    if not isinstance(path, str) or any(part in INSTALLED for part in path.split(os.sep)):
        return False
    return os.path.realpath(path).startswith(tuple(_folders))


# running


USAGE = """usage: python -m akdask.pandas script.py [argument …]
       python -m akdask.pandas -m module [argument …]
runs a program that imports pandas with akdask.pandas in its place"""


def main(arguments: list[str]) -> None:
    """Run a program, and report what its calls took, also if it fails."""
    if not arguments or arguments[0] in ("-h", "--help") or (arguments[0] == "-m" and len(arguments) < 2):
        print(USAGE, file=sys.stdout if arguments else sys.stderr)
        raise SystemExit(0 if arguments and arguments[0] != "-m" else 2)
    start = time.perf_counter()
    try:
        if arguments[0] == "-m":
            sys.argv = arguments[1:]
            sys.path[0] = os.getcwd()
            install(os.getcwd())
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = arguments
            folder = os.path.dirname(os.path.realpath(arguments[0]))
            sys.path[0] = folder
            install(folder)
            runpy.run_path(arguments[0], run_name="__main__")
    finally:
        uninstall()
        report(sys.stderr, time.perf_counter() - start)


# the report

REPORTED = {
    "lazily": "planned lazily",
    "computed": "computed",
    "through pandas": "through pandas",
    "at once": "small, by pandas",
}
"""The ways of calls, and what the report calls them."""

MOST_LISTED = 10

_counted: Counter[tuple[str, str]] = Counter()
_seconds: defaultdict[tuple[str, str], float] = defaultdict(float)
_depth = ContextVar("depth", default=0)


def _measured(method: Callable[..., Any], way: str | None = None) -> Callable[..., Any]:
    """Return a method that counts its calls and their time, without calls inside of others."""

    @wraps(method)
    def call(self: Any, *args: Any) -> Any:
        depth = _depth.get()
        name = args[0] if args else "to_pandas"
        named = self._named(name)
        before = {one: face.calls[named, one] for one in ("lazily", "through pandas")}
        token, start = _depth.set(depth + 1), time.perf_counter()
        try:
            return method(self, *args)
        finally:
            spent = time.perf_counter() - start
            _depth.reset(token)
            if not depth:
                found = way or next((one for one, count in before.items() if face.calls[named, one] > count), "at once")
                _counted[named, found] += 1
                _seconds[named, found] += spent

    return call


MEASURED: Sequence[tuple[type, str, str | None]] = (
    (face.Face, "_call", None),
    (akdask.pandas.DataFrame, "_computed", "computed"),
    (akdask.pandas.Series, "_computed", "computed"),
)
"""Methods that calls end in, and the way that they stand for."""


def measure() -> None:
    """Count calls, and measure their time, from now on."""
    for kind, name, way in MEASURED:
        method = getattr(kind, name)
        if not hasattr(method, "__wrapped__"):
            setattr(kind, name, _measured(method, way))


def report(file: TextIO | None = None, seconds: float | None = None) -> None:
    """Print how many calls took which way and how long, and which methods went through pandas."""
    ran = "" if seconds is None else f" of {seconds:.2f} s"
    print(f"akdask.pandas: {sum(_counted.values()):,} calls, {sum(_seconds.values()):.2f} s{ran}", file=file)
    for way, called in REPORTED.items():
        count = sum(number for (_, one), number in _counted.items() if one == way)
        spent = sum(number for (_, one), number in _seconds.items() if one == way)
        if count:
            print(f"  {called:<18}{count:>8,}{spent:>10.2f} s", file=file)
    through = sorted(((spent, name) for (name, way), spent in _seconds.items() if way == "through pandas"))
    for spent, name in through[: -MOST_LISTED - 1 : -1]:
        print(
            f"    {name:<30}{_counted[name, 'through pandas']:>6,}{spent:>8.2f} s  {face.reasons.get(name)}", file=file
        )
