"""Has loops of every noun called with wrong arguments: ``python -m tests.native.bad_calls SEED``.

What is given to loops is copied, and spoilt in one or two places before the real call: other lengths, types, layouts,
positions and numbers.  A loop refuses them, or does what it can; the process ends where one reads or writes elsewhere.
"""

from __future__ import annotations

import faulthandler
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import dask
import numpy as np
import numpy.typing as npt

import akdask as ak
from tests.native import both_levels
from tests.native.random_calls import ask, columns_of
from tests.thresholds import small_data_as_large

Array = npt.NDArray[Any]

MOST_CALLS = 60
"""Calls of a loop that are spoilt, of which each is several times."""

TRIALS = 6

SECONDS = 60
"""After which a call is taken for one that never ends."""

TRUSTING = {"akdask.engine.run"}
"""Loops that take addresses, which nobody can check."""

EXTREMES = [0, 1, 2, 7, 63, 64, 255, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1, -1, -2, -(2**31), -(2**63)]


def spoilt(argument: Any, rng: np.random.Generator) -> Any:
    """Return a copy of an argument that is wrong in some way."""
    if isinstance(argument, np.ndarray):
        return LAYOUTS[rng.integers(len(LAYOUTS))](argument.copy(), rng)
    if isinstance(argument, bool | np.bool_):
        return not argument
    if isinstance(argument, bytes):
        words = _odd_numbers(np.frombuffer(argument, np.uint8).copy(), rng)
        return words[: rng.integers(words.size + 1)].tobytes() if rng.random() < 0.5 else words.tobytes()
    if isinstance(argument, float):
        return float(rng.choice([np.nan, np.inf, -1.0, 1e300]))
    near = [int(argument) + 1, int(argument) - 1]
    return [*EXTREMES, *near][rng.integers(len(EXTREMES) + len(near))]


def _odd_numbers(array: Array, rng: np.random.Generator) -> Array:
    for _ in range(rng.integers(1, 4)):
        if array.size and array.dtype.kind in "iu":
            number = np.uint64(EXTREMES[rng.integers(len(EXTREMES))] % 2**64)
            array.flat[rng.integers(array.size)] = number.astype(array.dtype)
    return array


def _unaligned(array: Array, rng: np.random.Generator) -> Array:
    memory = np.zeros(array.nbytes + 1, np.uint8)
    moved = memory[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


def _read_only(array: Array, rng: np.random.Generator) -> Array:
    array.flags.writeable = False
    return array


LAYOUTS: list[Callable[[Array, np.random.Generator], Any]] = [
    _odd_numbers,
    _odd_numbers,
    _odd_numbers,
    _unaligned,
    _read_only,
    lambda array, rng: array[: rng.integers(len(array) + 1)],
    lambda array, rng: array[: len(array) - 1],
    lambda array, rng: array[:0],
    lambda array, rng: np.concatenate([array, array]),
    lambda array, rng: rng.permutation(array),
    lambda array, rng: array[::-1],
    lambda array, rng: array[::2],
    lambda array, rng: array.astype(rng.choice(["u1", "i2", "i4", "i8", "u8", "f4", "f8", "?"])),
    lambda array, rng: array.astype(array.dtype.newbyteorder()),
    lambda array, rng: array.reshape(1, -1) if array.ndim == 1 else array.ravel(),
    lambda array, rng: array.tolist(),
    lambda array, rng: None,
]

calls: Counter[str] = Counter()
refused: Counter[str] = Counter()


def loops_of(rng: np.random.Generator) -> Callable[[str], dict[str, Callable[..., Any]]]:
    """Return what gives the loops of a module, which are called with wrong arguments before each call."""
    original = both_levels.LOOPS_OF

    def found(module: str) -> dict[str, Callable[..., Any]]:
        package = module.rpartition(".")[0]
        return {name: spoiling(f"{package}.{name}", loop, rng) for name, loop in original(module).items()}

    return found


def spoiling(name: str, loop: Callable[..., Any], rng: np.random.Generator) -> Callable[..., Any]:
    """Return a loop that is called with wrong arguments, too."""
    calls[name] += 0

    def run(*arguments: Any) -> Any:
        if name not in TRUSTING and calls[name] < MOST_CALLS:
            calls[name] += 1
            for _ in range(TRIALS):
                call_with_wrong_ones(name, loop, arguments, rng)
        return loop(*arguments)

    return run


def call_with_wrong_ones(
    name: str, loop: Callable[..., Any], arguments: tuple[Any, ...], rng: np.random.Generator
) -> None:
    """Call a loop with one or two wrong arguments; others are copies, which it may write to."""
    given = both_levels._copied(arguments)
    for at in rng.permutation(len(given))[: rng.integers(1, 3)]:
        given[at] = spoilt(given[at], rng)
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    try:
        loop(*given)
    except (TypeError, ValueError, MemoryError) as error:
        if not str(error):
            raise AssertionError(f"{name} gives no reason") from error
        refused[name] += 1
    finally:
        faulthandler.cancel_dump_traceback_later()


def main() -> None:
    """Print how often each loop was called with wrong arguments, and how often it refused them."""
    rng = np.random.default_rng(int(sys.argv[1]))
    faulthandler.enable()
    np.seterr(all="ignore")
    both_levels.take_the_place_of_loops(loops_of(rng))
    dask.config.set(scheduler="synchronous")
    columns = columns_of(rng)
    for strategies in (nullcontext, small_data_as_large):
        with strategies(), TemporaryDirectory() as folder:
            ask(columns, Path(folder))
    ask_of_text(ak.Series(columns["texts"]))
    for name, count in sorted(calls.items()):
        print(name, count, refused[name])


def ask_of_text(texts: Any) -> None:
    """Ask questions of text that only a few methods know."""
    for asked in (
        texts.str.get(1), texts.str[::2], texts.str.rstrip("0"), texts.str.removeprefix("a"), texts.str.repeat(2),
        texts.str.isalpha(), texts.str.istitle(), texts.str.title(), texts.str.swapcase(), texts.str.lower(),
        texts.str.pad(9), texts.str.partition("e"), texts.str.endswith("1"), texts.str.rfind("e"),
    ):  # fmt: skip
        asked.to_pandas()
    texts.str.contains("^B.e", regex=True).to_pandas()
    texts.str.count("[a-z]+").to_pandas()


if __name__ == "__main__":
    main()
