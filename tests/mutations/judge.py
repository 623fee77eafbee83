"""Reads damaged files, in other processes, and says what became of it: ``python judge.py LIST``.

LIST is a JSON file of [pristine path, damaged path] pairs; the verdicts are printed as one JSON list.  A verdict is
empty if every object gave an error of akdask's or a right answer, that is the one of the pristine file or the one
that the damaged file holds by a plain reading.
"""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import dask

sys.path.insert(0, str(Path(__file__).parents[2]))

import akdask as ak
from tests.mutations import oracle

SECONDS = 10
MEMORY = 8 * 2**30


def main() -> None:
    """Judge all the files of a list."""
    pairs = json.loads(Path(sys.argv[1]).read_text())
    dask.config.set(scheduler="synchronous")
    for pristine, _ in pairs[:1]:
        # What reading imports is then there for all children.
        outcomes(pristine)
    json.dump(judge(pairs), sys.stdout)


def judge(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Return what is wrong with the answers that akdask gives to damaged files, for each file, empty if nothing."""
    pristine = list(dict.fromkeys(source for source, _ in pairs))
    expected = dict(zip(pristine, apart(outcomes, pristine), strict=True))
    found = list(apart(outcomes, [damaged for _, damaged in pairs]))
    suspects = [
        _suspects(outcome, expected[source]) if isinstance(outcome, dict) else {}
        for (source, _), outcome in zip(pairs, found, strict=True)
    ]
    looked_at = {place: (pairs[place][1], kinds) for place, kinds in enumerate(suspects) if kinds}
    readings = dict(zip(looked_at, apart(plain_readings, list(looked_at.values())), strict=True))
    return [
        outcome if isinstance(outcome, str) else _difference(suspects[place], outcome, readings.get(place))
        for place, outcome in enumerate(found)
    ]


def _suspects(outcome: dict[str, Any], expected: Any) -> dict[str, str]:
    """Return the kinds of those objects whose answers are others than those of the pristine file."""
    assert isinstance(expected, dict), expected
    return {
        name: found[0]
        for name, found in outcome.items()
        if found is not None and not same(found, expected.get(name)) and found[0] in oracle.READINGS
    }


def _difference(suspects: dict[str, str], outcome: dict[str, Any], readings: Any) -> str:
    for name in suspects:
        value, plain = outcome[name][1], readings if isinstance(readings, str) else readings[name]
        if isinstance(plain, str) or not same_values(plain, value):
            return f"{name!r} is {shown(value)}, by a plain reading {shown(plain)}"
    return ""


def plain_readings(asked: tuple[str, dict[str, str]]) -> dict[str, Any]:
    """Return what objects of a file are by a plain reading, or in words why there is none."""
    path, kinds = asked
    found: dict[str, Any] = {}
    for name, kind in kinds.items():
        try:
            found[name] = oracle.plainly(path, name, kind)
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
    return found


def apart(work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
    """Yield the result of some work for each item, done in a child process, or in words why there is none.

    One child does as many as it lives through, since starting one takes longer than reading a file.
    """
    done = 0
    while done < len(items):
        reading, writing = Pipe(duplex=False)
        child = os.fork()
        if child == 0:
            _serve(work, items[done:], writing)
        writing.close()
        with reading:
            while done < len(items):
                done += 1
                try:
                    is_late = not reading.poll(SECONDS)
                    result = None if is_late else reading.recv()
                except EOFError:
                    yield f"the interpreter died of signal {-_ended(child)}"
                    break
                if is_late:
                    os.kill(child, signal.SIGKILL)
                    _ended(child)
                    yield f"no answer after {SECONDS} s"
                    break
                yield result
            else:
                _ended(child)


def _ended(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _serve(work: Callable[[Any], Any], items: Sequence[Any], writing: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    for item in items:
        try:
            result = work(item)
        except BaseException as error:
            result = f"{type(error).__name__}: {error}"
        writing.send(result)
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
