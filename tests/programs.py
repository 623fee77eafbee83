"""Random programs on lazy objects that stay alive together, compared with NumPy and pandas step by step.

Run as ``python -m tests.programs --count 10000 --seed 0`` for as many as wanted.  A failure names the seed of its
program and prints the steps.
"""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import dask
import numpy as np
import pandas as pd

import akdask as ak
from akdask.arrays.sorting import in_order
from akdask.operators.group import tuning
from akdask.testing.memory import MemorySource
from tests.thresholds import small_data_as_large

STEPS = 12
KEPT = 150
"""Objects of earlier programs that stay alive, and of which some are looked at again."""

NUMBERS, TEXTS, LABELS, LISTS, FRAME = "numbers", "texts", "labels", "lists", "frame"
WORDS = ["a", "b", "a b", "b,c", "a,b c", "", "c d e", "f"]


@dataclass(slots=True)
class Thing:
    """A lazy object, and what NumPy, pandas or a list has of it."""

    kind: str
    lazy: Any
    plain: Any


@dataclass
class Program:
    """One random program; all that it makes stays alive until it ends."""

    seed: int
    alive: list[Thing] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def run(self, others: deque[Thing]) -> None:
        """Make objects of others, look at each at once or later, and at all of them in the end."""
        try:
            self.sources()
            for _ in range(STEPS):
                self.step()
            for thing in self.some([*self.alive, *others], 12):
                self.check(thing)
        except Exception as error:
            shown = "\n  ".join(self.steps)
            raise AssertionError(f"program {self.seed} fails: {error}\n  {shown}") from error
        others.extend(self.alive)

    def sources(self) -> None:
        """Begin with little data: the fewer values there are, the more plans are alike."""
        rows = int(self.random.integers(1, 8))
        lengths = self.random.multinomial(rows, [1 / 3] * 3).tolist()
        numbers = self.random.integers(0, 4, rows)
        words = [WORDS[number] for number in self.random.integers(0, len(WORDS), rows)]
        in_parts = MemorySource({"x": numbers, "s": words}, lengths).arrays()
        self.keep(NUMBERS, "x in partitions", in_parts["x"], numbers)
        self.keep(TEXTS, "s in partitions", in_parts["s"], words)
        self.keep(NUMBERS, f"array({numbers.tolist()})", ak.array(numbers), numbers)
        self.keep(TEXTS, f"array({words})", ak.array(words), words)
        self.keep(NUMBERS, f"arange({rows})", ak.arange(rows), np.arange(rows))

    def step(self) -> None:
        """Make something of one of the objects."""
        thing = self.pick(*(NUMBERS, TEXTS, LABELS, LISTS, FRAME)[: 2 if self.chance(0.3) else 5])
        made = list(OPERATIONS[thing.kind])
        name = made[int(self.random.integers(len(made)))]
        self.steps.append(f"{name} of {shown(thing)}")
        OPERATIONS[thing.kind][name](self, thing)

    # chance

    def chance(self, odds: float) -> bool:
        return bool(self.random.random() < odds)

    def some(self, items: list[Any], count: int) -> list[Any]:
        return [items[number] for number in self.random.permutation(len(items))[:count]]

    def pick(self, *kinds: str) -> Thing:
        """Return one of the objects, mostly a recent one."""
        fitting = [thing for thing in self.alive if thing.kind in kinds]
        recent = fitting[-6:] if self.chance(0.7) else fitting
        return recent[int(self.random.integers(len(recent)))]

    def beside(self, thing: Thing, kind: str = NUMBERS) -> Thing | None:
        """Return another object with as many rows, if there is one."""
        size = len(thing.plain)
        fitting = [other for other in self.alive if other.kind == kind and len(other.plain) == size]
        return fitting[int(self.random.integers(len(fitting)))] if fitting else None

    def key(self, size: int) -> slice:
        """Return a slice, which may begin at the end or go backwards."""
        ends = [None, *range(-size - 1, size + 2)]
        start, stop = (ends[number] for number in self.random.integers(0, len(ends), 2))
        return slice(start, stop, (None, 1, 2, -1, -2)[int(self.random.integers(5))])

    def places(self, size: int) -> list[int]:
        return self.random.integers(-size, size, int(self.random.integers(1, 5))).tolist() if size else []

    # objects

    def keep(self, kind: str, name: str, lazy: Any, plain: Any) -> Thing:
        """Take an object in, and look at it now, or only when others have been made of it."""
        thing = Thing(kind, lazy, plain)
        self.alive.append(thing)
        self.steps.append(f"  -> {name}: {shown(thing)}")
        if self.chance(0.4):
            self.check(thing)
        return thing

    def check(self, thing: Thing) -> None:
        """Compare the number of rows and the values, in either order, and some rows from the end."""
        if self.chance(0.5):
            assert size_of(thing.lazy) == len(thing.plain), f"size {size_of(thing.lazy)} of {shown(thing)}"
        found = values_of(thing)
        assert equal(thing, found), f"found {found!r}, not {shown(thing)}"
        assert size_of(thing.lazy) == len(thing.plain), f"size {size_of(thing.lazy)} of {shown(thing)}"
        if thing.kind in {NUMBERS, TEXTS, LABELS} and len(thing.plain):
            place = -int(self.random.integers(1, len(thing.plain) + 1))
            assert thing.lazy[place] == thing.plain[place], f"[{place}] is {thing.lazy[place]!r} of {shown(thing)}"
            backwards = Thing(thing.kind, thing.lazy[::-1], thing.plain[::-1])
            assert equal(backwards, values_of(backwards)), f"backwards {values_of(backwards)!r} of {shown(thing)}"


def size_of(lazy: Any) -> int:
    return len(lazy) if isinstance(lazy, ak.DataFrame) else lazy.size


def values_of(thing: Thing) -> Any:
    return thing.lazy.to_pandas() if thing.kind == FRAME else thing.lazy.tolist()


def equal(thing: Thing, found: Any) -> bool:
    if thing.kind == FRAME:
        return bool(
            found.index.tolist() == thing.plain.index.tolist()
            and found.to_dict("list") == {name: thing.plain[name].tolist() for name in thing.plain}
        )
    return bool(found == (thing.plain.tolist() if isinstance(thing.plain, np.ndarray) else list(thing.plain)))


def shown(thing: Thing) -> str:
    if thing.kind == FRAME:
        return f"{thing.plain.to_dict('list')} labelled {thing.plain.index.tolist()}"
    return f"{thing.kind} {thing.plain.tolist() if isinstance(thing.plain, np.ndarray) else thing.plain}"


def taken(plain: Any, places: list[int]) -> Any:
    return plain[places] if isinstance(plain, np.ndarray) else [plain[place] for place in places]


def filtered(plain: Any, mask: Any) -> Any:
    if isinstance(plain, np.ndarray | pd.DataFrame):
        return plain[np.asarray(mask, bool)]
    return [item for item, holds in zip(plain, mask, strict=True) if holds]


# operations on any rows


def do_slice(program: Program, thing: Thing) -> None:
    key = program.key(len(thing.plain))
    program.keep(thing.kind, f"[{key}]", thing.lazy[key], thing.plain[key])


def do_take(program: Program, thing: Thing) -> None:
    places = program.places(len(thing.plain))
    if not places:
        return
    lazy = thing.lazy[ak.array(places) if program.chance(0.5) else places]
    plain = thing.plain.iloc[places] if thing.kind == FRAME else taken(thing.plain, places)
    program.keep(thing.kind, f"[{places}]", lazy, plain)


def do_filter(program: Program, thing: Thing) -> None:
    by = program.beside(thing)
    if by is None:
        return
    limit = int(program.random.integers(0, 4))
    lazy = thing.lazy[by.lazy % 4 > limit]
    made = program.keep(
        thing.kind, f"[{list(by.plain)} % 4 > {limit}]", lazy, filtered(thing.plain, by.plain % 4 > limit)
    )
    other = program.beside(thing)
    if other is None or made.kind != NUMBERS:
        return
    mask = by.lazy % 4 > limit
    chosen = other.lazy[mask]
    others = program.keep(NUMBERS, f"others {shown(other)}", chosen, filtered(other.plain, by.plain % 4 > limit))
    both = made.lazy + others.lazy
    program.keep(NUMBERS, "plus others", both, made.plain + others.plain)


def do_ends(program: Program, thing: Thing) -> None:
    count = int(program.random.integers(-2, 4))
    plain = list(thing.plain) if thing.kind != FRAME and not isinstance(thing.plain, np.ndarray) else thing.plain
    if program.chance(0.5):
        program.keep(thing.kind, f"head({count})", thing.lazy.head(count), plain[:count])
    else:
        rest = plain[-count:] if count else plain[:0]
        program.keep(thing.kind, f"tail({count})", thing.lazy.tail(count), rest)


def do_concatenate(program: Program, thing: Thing) -> None:
    other = program.pick(thing.kind)
    if getattr(thing.plain, "dtype", None) != getattr(other.plain, "dtype", None):
        return
    lazy = ak.concatenate([thing.lazy, other.lazy])
    both = [thing.plain, other.plain]
    plain = np.concatenate(both) if isinstance(thing.plain, np.ndarray) else [*thing.plain, *other.plain]
    program.keep(thing.kind, f"and {shown(other)}", lazy, plain)


def do_persist(program: Program, thing: Thing) -> None:
    program.keep(thing.kind, "persist()", thing.lazy.persist(), thing.plain)


def do_twins(program: Program, thing: Thing) -> None:
    """Do the same with several parts that have as many rows: their plans differ in nothing but which rows those are."""
    size = len(thing.plain)
    length = int(program.random.integers(1, 3))
    if size <= length:
        return
    starts = program.random.permutation(size - length + 1)[:3].tolist()
    keys = [slice(start, start + length) for start in starts]
    parts = [program.keep(thing.kind, f"[{key}]", thing.lazy[key], thing.plain[key]) for key in keys]
    names = [name for name in OPERATIONS[thing.kind] if not name.endswith("twins")]
    names = [name for name in names if name in DECIDING] if program.chance(0.6) else names
    name = names[int(program.random.integers(len(names)))]
    state = program.random.bit_generator.state
    for part in parts:
        program.random.bit_generator.state = state
        program.steps.append(f"{name} of {shown(part)}")
        before = len(program.alive)
        OPERATIONS[thing.kind][name](program, part)
        for made in program.alive[before:]:
            assert size_of(made.lazy) == len(made.plain), f"size {size_of(made.lazy)} of {shown(made)}"


# operations on columns


def do_unique(program: Program, thing: Thing) -> None:
    lazy = thing.lazy.unique() if thing.kind == LABELS else ak.unique(thing.lazy)
    program.keep(thing.kind, "unique", lazy, distinct(thing))


def distinct(thing: Thing) -> Any:
    return np.unique(thing.plain) if isinstance(thing.plain, np.ndarray) else sorted(set(thing.plain))


def do_count(program: Program, thing: Thing) -> None:
    keys, counts = thing.lazy.value_counts() if thing.kind == NUMBERS else ak.value_counts(thing.lazy)
    wanted = distinct(thing)
    plain = [list(thing.plain).count(item) for item in wanted]
    program.keep(thing.kind, "counted", keys, wanted)
    program.keep(NUMBERS, "counts", counts, np.array(plain, np.int64))


def do_assign(program: Program, thing: Thing) -> None:
    item: Any = int(program.random.integers(0, 4)) if thing.kind == NUMBERS else "b,c"
    lazy, plain = thing.lazy.copy(), thing.plain.copy() if thing.kind == NUMBERS else list(thing.plain)
    size = len(plain)
    way = int(program.random.integers(4))
    if not size or plain_type(plain) not in ("i", "list"):
        return
    if way == 0:
        place = int(program.random.integers(-size, size))
        lazy[place], plain[place] = item, item
    elif way == 1:
        key = program.key(size)
        key = slice(key.start, key.stop)
        lazy[key] = item
        for place in range(*key.indices(size)):
            plain[place] = item
    elif way == 2:
        places = program.places(size)
        lazy[places] = item
        for place in places:
            plain[place] = item
    else:
        by = program.beside(thing)
        if by is None:
            return
        lazy[by.lazy % 2 == 0] = item
        for place in np.flatnonzero(by.plain % 2 == 0).tolist():
            plain[place] = item
    program.keep(thing.kind, f"assigned {item!r} in way {way}", lazy, plain)
    program.check(thing)


def plain_type(plain: Any) -> str:
    return plain.dtype.kind if isinstance(plain, np.ndarray) else "list"


def do_group(program: Program, thing: Thing) -> None:
    by = program.beside(thing)
    if by is None:
        return
    key, values = (thing, by) if program.chance(0.5) and thing.kind != LISTS else (by, by)
    g = ak.GroupBy(key.lazy)
    table = pd.DataFrame({"k": list(key.plain), "v": values.plain}).groupby("k")["v"]
    keys, sums = g.sum(values.lazy)
    program.keep(key.kind, "grouped", keys, listed(key, table.sum().index))
    total = program.keep(NUMBERS, "sums", sums, table.sum().to_numpy(np.int64) if len(by.plain) else by.plain[:0] * 1)
    assert g.ngroups == len(table.sum())
    _, counts = g.nunique(values.lazy)
    program.keep(NUMBERS, "distinct", counts, table.nunique().to_numpy(np.int64))
    program.keep(
        NUMBERS,
        "spread",
        g.broadcast(sums),
        table.transform("sum").to_numpy(np.int64) if len(by.plain) else total.plain[:0],
    )
    program.keep(NUMBERS, "permutation", g.permutation, np.argsort(codes(key.plain), kind="stable"))
    _, sizes = g.size()
    # Results of one grouping share rows, whatever their values were aligned with.
    program.keep(NUMBERS, "sums and sizes", sums + sizes, total.plain + table.size().to_numpy(np.int64))


def codes(plain: Any) -> Any:
    return np.unique(np.array(plain, object if not isinstance(plain, np.ndarray) else None), return_inverse=True)[1]


def listed(thing: Thing, index: pd.Index) -> Any:
    return index.to_numpy(thing.plain.dtype) if isinstance(thing.plain, np.ndarray) else list(index)


def do_in1d(program: Program, thing: Thing) -> None:
    other = program.pick(thing.kind)
    wanted = np.array([item in set(other.plain) for item in thing.plain], bool)
    mask = ak.in1d(thing.lazy, other.lazy)
    program.keep(thing.kind, f"among {shown(other)}", thing.lazy[mask], filtered(thing.plain, wanted))


def do_sort(program: Program, thing: Thing) -> None:
    program.keep(thing.kind, "sorted", in_order(thing.lazy), sorted_like(thing.plain))


def sorted_like(plain: Any) -> Any:
    return np.sort(plain, kind="stable") if isinstance(plain, np.ndarray) else sorted(plain)


def do_arithmetic(program: Program, thing: Thing) -> None:
    other = program.beside(thing)
    if other is None or program.chance(0.4):
        program.keep(NUMBERS, "times 2, plus 1, modulo 5", (thing.lazy * 2 + 1) % 5, (thing.plain * 2 + 1) % 5)
        return
    lazy = (thing.lazy + other.lazy) % 7
    program.keep(NUMBERS, f"plus {shown(other)}, modulo 7", lazy, (thing.plain + other.plain) % 7)


def do_accumulate(program: Program, thing: Thing) -> None:
    program.keep(NUMBERS, "running sums", ak.cumsum(thing.lazy) % 9, np.cumsum(thing.plain) % 9)


def do_reduce(program: Program, thing: Thing) -> None:
    assert int(thing.lazy.sum()) == int(thing.plain.sum())
    if len(thing.plain):
        less = thing.lazy - thing.lazy.min()
        program.keep(NUMBERS, "less the smallest", less, thing.plain - thing.plain.min())


def do_split(program: Program, thing: Thing) -> None:
    mark = (",", " ")[int(program.random.integers(2))]
    lazy = thing.lazy.regex_split(mark) if program.chance(0.5) else thing.lazy.split(mark)
    program.keep(TEXTS, f"split at {mark!r}", lazy, [part for text in thing.plain for part in text.split(mark)])


def do_measure(program: Program, thing: Thing) -> None:
    program.keep(NUMBERS, "lengths", thing.lazy.get_lengths(), np.array([len(text) for text in thing.plain], np.int64))


def do_match(program: Program, thing: Thing) -> None:
    lazy = thing.lazy[thing.lazy.contains("b")]
    program.keep(thing.kind, "with b", lazy, [text for text in thing.plain if "b" in text])


def do_label(program: Program, thing: Thing) -> None:
    program.keep(LABELS, "as Categorical", ak.Categorical(thing.lazy), thing.plain)


def do_unlabel(program: Program, thing: Thing) -> None:
    program.keep(TEXTS, "as Strings", thing.lazy.to_strings(), thing.plain)


# operations on lists and frames


def do_nest(program: Program, thing: Thing) -> None:
    size = len(thing.plain)
    starts = [0, *sorted(program.random.integers(0, size + 1, 3).tolist())]
    ends = [*starts[1:], size]
    lists = [list(thing.plain[start:end]) for start, end in zip(starts, ends, strict=True)]
    program.keep(LISTS, f"lists from {starts}", ak.SegArray(ak.array(starts), thing.lazy), lists)


def do_flatten(program: Program, thing: Thing) -> None:
    program.keep(NUMBERS, "values", thing.lazy.values, flat(thing.plain))


def flat(lists: list[list[int]]) -> Any:
    return np.array([item for one in lists for item in one], np.int64)


def do_list(program: Program, thing: Thing) -> None:
    if thing.plain:
        place = int(program.random.integers(-len(thing.plain), len(thing.plain)))
        program.keep(NUMBERS, f"list [{place}]", thing.lazy[place], flat([thing.plain[place]]))


def do_list_lengths(program: Program, thing: Thing) -> None:
    lengths = np.array([len(one) for one in thing.plain], np.int64)
    program.keep(NUMBERS, "lengths of lists", thing.lazy.lengths, lengths)


def do_list_filter(program: Program, thing: Thing) -> None:
    item = int(program.random.integers(0, 4))
    kept = [[one for one in items if one != item] for items in thing.plain]
    is_short = program.chance(0.5)
    lazy = thing.lazy.filter(item, discard_empty=is_short)
    program.keep(LISTS, f"without {item}", lazy, [items for items in kept if items] if is_short else kept)


def do_list_sets(program: Program, thing: Thing) -> None:
    other = program.beside(thing, LISTS)
    if other is None:
        return
    way = ("intersect", "union", "setdiff")[int(program.random.integers(3))]
    lazy = getattr(thing.lazy, way)(other.lazy)
    operation: Any = {"intersect": set.intersection, "union": set.union, "setdiff": set.difference}[way]
    pairs = zip(thing.plain, other.plain, strict=True)
    program.keep(LISTS, f"{way} {shown(other)}", lazy, [sorted(operation(set(a), set(b))) for a, b in pairs])


def do_frame(program: Program, thing: Thing) -> None:
    other = program.beside(thing)
    if other is None or not len(thing.plain):
        return
    lazy = ak.DataFrame({"a": thing.lazy, "b": other.lazy})
    program.keep(FRAME, "as DataFrame", lazy, pd.DataFrame({"a": list(thing.plain), "b": other.plain}))


def do_column(program: Program, thing: Thing) -> None:
    program.keep(NUMBERS, "column b", thing.lazy["b"].copy(), thing.plain["b"].to_numpy())


def do_frame_sort(program: Program, thing: Thing) -> None:
    lazy = thing.lazy.sort_values(["b"])
    program.keep(FRAME, "sorted by b", lazy, thing.plain.sort_values("b", kind="stable"))


def do_frame_group(program: Program, thing: Thing) -> None:
    found = thing.lazy.groupby("b").size()
    wanted = thing.plain.groupby("b").size()
    assert found.tolist() == wanted.tolist()
    assert found.index.tolist() == wanted.index.tolist()
    assert len(found) == len(wanted)
    program.keep(NUMBERS, "sizes of groups", found.values.copy(), wanted.to_numpy(np.int64))


def do_frame_distinct(program: Program, thing: Thing) -> None:
    program.keep(FRAME, "without duplicates", thing.lazy.drop_duplicates("b"), thing.plain.drop_duplicates("b"))


def do_frame_assign(program: Program, thing: Thing) -> None:
    lazy, plain = thing.lazy.copy(), thing.plain.copy()
    lazy["b"] = lazy["b"] % 2
    plain["b"] %= 2
    program.keep(FRAME, "b modulo 2", lazy, plain)


DECIDING = {"unique", "count", "group", "split", "filter", "in1d", "match", "flatten", "list filter", "distinct"}
"""Operations whose number of rows is decided by values."""

ROWS = {
    "twins": do_twins,
    "more twins": do_twins,
    "slice": do_slice,
    "positions": do_take,
    "filter": do_filter,
    "ends": do_ends,
    "persist": do_persist,
}
COLUMNS = {**ROWS, "concatenate": do_concatenate, "unique": do_unique, "count": do_count, "group": do_group}
COLUMNS |= {"in1d": do_in1d, "frame": do_frame}
OPERATIONS: dict[str, dict[str, Callable[[Program, Thing], None]]] = {
    NUMBERS: {
        **COLUMNS,
        "assign": do_assign,
        "sort": do_sort,
        "arithmetic": do_arithmetic,
        "accumulate": do_accumulate,
        "reduce": do_reduce,
        "nest": do_nest,
        "nest again": do_nest,
    },
    TEXTS: {
        **COLUMNS,
        "assign": do_assign,
        "sort": do_sort,
        "split": do_split,
        "split again": do_split,
        "measure": do_measure,
        "match": do_match,
        "label": do_label,
    },
    LABELS: {**COLUMNS, "unlabel": do_unlabel},
    LISTS: {
        **ROWS,
        "concatenate": do_concatenate,
        "flatten": do_flatten,
        "list": do_list,
        "lengths": do_list_lengths,
        "list filter": do_list_filter,
        "sets": do_list_sets,
    },
    FRAME: {
        **ROWS,
        "column": do_column,
        "sort": do_frame_sort,
        "group": do_frame_group,
        "distinct": do_frame_distinct,
        "assign": do_frame_assign,
    },
}


@contextmanager
def small_ranges() -> Iterator[None]:
    """Let groups of few rows come in several partitions, as those of very many do."""
    rows, tuning.RANGE_ROWS = tuning.RANGE_ROWS, 3
    try:
        yield
    finally:
        tuning.RANGE_ROWS = rows


SIZES: tuple[Callable[[], AbstractContextManager[None]], ...] = (
    small_ranges,
    small_data_as_large,
    lambda: small_data_as_large(materialized=True),
)
"""What programs take for large data, in turn."""


def run_programs(seeds: range) -> int:
    """Run a program for each seed, all in this process, and return how many have run."""
    others: deque[Thing] = deque(maxlen=KEPT)
    # The same for all of them, as the objects of earlier ones are looked at again.
    with SIZES[seeds.start // len(seeds) % len(SIZES)]():
        for seed in seeds:
            Program(seed).run(others)
    return len(seeds)


def main() -> None:
    """Run as many programs as the command line asks for, and say how many have run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    dask.config.set(scheduler="synchronous")
    run_programs(range(given.seed, given.seed + given.count))
    sys.stdout.write(f"{given.count} programs from seed {given.seed} give what NumPy and pandas give\n")


if __name__ == "__main__":
    main()
