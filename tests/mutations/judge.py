"""Reads damaged files, each in a process of its own, and says what became of it: ``python judge.py LIST``.

LIST is a JSON file of [pristine path, damaged path] pairs; the verdicts are printed as one JSON list.  A verdict is
empty if every object gave an error of akdask's or a right answer, that is the one of the pristine file or the one
that the damaged file holds by a plain reading.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import resource
import select
import signal
import sys
import warnings
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import dask

sys.path.insert(0, str(Path(__file__).parents[2]))

import akdask as ak
from tests.mutations import oracle

SECONDS = 20
MEMORY = 8 * 2**30


def main() -> None:
    """Judge all the files of a list."""
    pairs = json.loads(Path(sys.argv[1]).read_text())
    dask.config.set(scheduler="synchronous")
    for pristine, _ in pairs[:1]:
        # What reading imports is then there for all children.
        outcomes(pristine)
    json.dump([judge(*pair) for pair in pairs], sys.stdout)


def judge(pristine: str, damaged: str) -> str:
    """Return what is wrong with the answers that akdask gives to a damaged file, empty if nothing."""
    outcome = apart(partial(outcomes, damaged))
    if isinstance(outcome, str):
        return outcome
    expected = answers_to(pristine)
    suspects = {
        name: found
        for name, found in outcome.items()
        if found is not None and not same(found, expected.get(name)) and found[0] in oracle.READINGS
    }
    if not suspects:
        return ""
    readings = apart(partial(plain_readings, damaged, {name: kind for name, (kind, _) in suspects.items()}))
    for name, (_, value) in suspects.items():
        plain = readings if isinstance(readings, str) else readings[name]
        if isinstance(plain, str) or not same_values(plain, value):
            return f"{name!r} is {shown(value)}, by a plain reading {shown(plain)}"
    return ""


def plain_readings(path: str, kinds: dict[str, str]) -> dict[str, Any]:
    """Return what objects are by a plain reading, or in words why there is none."""
    found: dict[str, Any] = {}
    for name, kind in kinds.items():
        try:
            found[name] = oracle.plainly(path, name, kind)
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
    return found


@lru_cache(maxsize=64)
def answers_to(pristine: str) -> dict[str, Any]:
    """Return the answers to a file that is whole."""
    found = apart(partial(outcomes, pristine))
    assert isinstance(found, dict), found
    return found


def apart(work: Callable[[], Any]) -> Any:
    """Return the result of some work done in a child process, or in words why there is none."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _serve(work, writing)
    os.close(writing)
    received, ended = b"", False
    while not ended and select.select([reading], [], [], SECONDS)[0]:
        chunk = os.read(reading, 2**20)
        received, ended = received + chunk, not chunk
    os.close(reading)
    if not ended:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not ended:
        return f"no answer after {SECONDS} s"
    if os.WIFSIGNALED(status):
        return f"the interpreter died of signal {os.WTERMSIG(status)}"
    return pickle.loads(received)


def _serve(work: Callable[[], Any], writing: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    try:
        result = work()
    except BaseException as error:
        result = f"{type(error).__name__}: {error}"
    with os.fdopen(writing, "wb") as pipe:
        pickle.dump(result, pipe)
    os._exit(0)


def outcomes(path: str) -> dict[str, Any]:
    """Return for each object of a file its kind and values, None where akdask raised an error of its own."""
    try:
        names = ak.get_datasets(path)
    except ak.AkdaskError:
        return {}
    return {name: outcome(path, name) for name in names}


def outcome(path: str, name: str) -> tuple[str, Any] | None:
    try:
        found = ak.read_hdf(path, name)[name]
        return type(found).__name__, plain(found)
    except ak.AkdaskError:
        return None


def plain(found: Any) -> Any:
    """Return an object as Python values, arranged as the plain reading arranges them."""
    match found:
        case ak.DataFrame():
            return {"index": plain(found.index)} | {name: plain(found[name]) for name in found.columns}
        case ak.GroupBy():
            keys = found.keys if isinstance(found.keys, list) else [found.keys]
            return [list(map(plain, keys)), found.permutation.tolist(), found.segments.tolist()]
        case ak.MultiIndex():
            return list(map(plain, found.values))
        case ak.Datetime() | ak.Timedelta():
            return ak.cast(found, "int64").tolist()
        case ak.IPv4():
            return ak.cast(found, "uint64").tolist()
        case ak.ArrayView():
            return found.flatten().tolist()
    return found.tolist()


def same(found: tuple[str, Any], expected: tuple[str, Any] | None) -> bool:
    return expected is not None and found[0] == expected[0] and same_values(found[1], expected[1])


def same_values(left: Any, right: Any) -> bool:
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(same_values, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_values(left[name], right[name]) for name in left)
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left) and math.isnan(right):
        return True
    return bool(left == right)


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 200 else f"{text[:200]}…"


if __name__ == "__main__":
    main()
