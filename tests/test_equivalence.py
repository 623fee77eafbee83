"""One answer, whichever way it is computed: NumPy's, for any partitions, block sizes, optimisations and schedulers."""

import operator

import dask
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.engine import pipeline
from akdask.testing import assert_equal
from akdask.testing.memory import MemorySource
from akdask.testing.strategies import partition_lengths, partitioned

ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "/": operator.truediv}
COMPARISON = {"<": operator.lt, ">=": operator.ge, "!=": operator.ne}
LOGIC = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
CASTS = {"i": "float64", "f": "bool", "b": "int64"}

# A step is a name and plain arguments, so that Hypothesis shows failing chains legibly.  A pool is a list of arrays
# that share rows; steps that select rows select those of the whole pool.


def take_step(step, pool, lib):
    """Apply a step to a pool of NumPy arrays or of lazy ones."""
    match step:
        case "arithmetic", symbol, left, right:
            return [*pool, ARITHMETIC[symbol](pool[left], right if isinstance(right, float) else pool[right])]
        case "scale", factor, left:
            return [*pool, factor * pool[left] - 7]
        case "compare", symbol, left, right:
            return [*pool, COMPARISON[symbol](pool[left], pool[right])]
        case "logic", symbol, left, right:
            return [*pool, LOGIC[symbol](pool[left], pool[right])]
        case "invert", which:
            return [*pool, ~pool[which]]
        case "cast", which, dtype:
            return [*pool, pool[which].astype(dtype)]
        case "where", mask, left, right:
            return [*pool, lib.where(pool[mask], pool[left], pool[right])]
        case "filter", mask:
            return [array[pool[mask]] for array in pool]
        case "slice", start, stop, stride:
            return [array[start:stop:stride] for array in pool]
        case "take", positions:
            return [array[np.array(positions, np.int64)] for array in pool]
        case "difference", which:
            return [*(array[1:] for array in pool), pool[which][1:] - pool[which][:-1]]
        case "twice", _:
            return [lib.concatenate([array, array]) for array in pool]
        case "assign", which, key, item:
            changed = pool[which].copy()
            changed[as_key(key, pool)] = item
            return [*pool, changed]
        case "assign from", target, source, key:
            key = as_key(key, pool)
            changed = pool[target].copy()
            changed[key] = pool[source][key]
            return [*pool, changed]
    raise AssertionError(step)


def as_key(key, pool):
    match key:
        case "mask", which:
            return pool[which]
        case "slice", start, stop, step:
            return slice(start, stop, step)
        case "positions", positions:
            return np.array(positions, np.int64)
    return key


STEPS = [
    *("arithmetic", "scale", "compare", "logic", "invert", "cast", "where"),
    *("assign", "filter", "slice", "slice", "take", "twice", "assign from"),
]


@st.composite
def steps_for(draw, pool):
    """Return a step that NumPy can take with the pool."""
    rows = len(pool[0])

    def which(kinds):
        return draw(st.sampled_from([number for number, array in enumerate(pool) if array.dtype.kind in kinds]))

    ends = st.none() | st.integers(-rows - 2, rows + 2)
    positions = st.lists(st.integers(-rows, rows - 1), max_size=6) if rows else st.just([])
    keys = st.one_of(
        st.builds(lambda: ("mask", which("b"))),
        st.tuples(st.just("slice"), ends, ends, st.sampled_from([None, 1, 3])),
        st.tuples(st.just("positions"), positions),
        *([st.integers(-rows, rows - 1)] if rows else []),
    )
    kind = draw(st.sampled_from(STEPS))
    match kind:
        case "arithmetic":
            return kind, draw(st.sampled_from(list(ARITHMETIC))), which("if"), draw(st.just(0.5) | st.just(which("if")))
        case "difference":
            return kind, which("if")
        case "scale":
            return kind, draw(st.integers(-3, 3)), which("if")
        case "compare":
            numbers = draw(st.sampled_from(["if", "U"]))
            return kind, draw(st.sampled_from(list(COMPARISON))), which(numbers), which(numbers)
        case "logic":
            return kind, draw(st.sampled_from(list(LOGIC))), which("b"), which("b")
        case "invert" | "filter":
            return kind, which("b")
        case "cast":
            source = which("ifb")
            return kind, source, CASTS[pool[source].dtype.kind]
        case "where":
            types = draw(st.sampled_from(["if", "U"]))
            return kind, which("b"), which(types), which(types)
        case "slice":
            return kind, draw(ends), draw(ends), draw(st.sampled_from([None, 1, 2, 5, -1, -3]))
        case "take":
            return kind, draw(positions)
        case "twice":
            return kind, rows
        case "assign":
            target = which("ifU")
            return kind, target, draw(keys), "new" if pool[target].dtype.kind == "U" else 77
    types = draw(st.sampled_from("iU"))
    # Positions that repeat would make the answer depend on the order of assignments.
    key = draw(keys.filter(lambda key: not isinstance(key, int) and key[0] != "positions"))
    return kind, which(types), which(types), key


def table(rows, seed=0):
    """Columns of values that all differ, so that misplaced rows show; the last is a mask."""
    order = np.random.default_rng(seed).permutation(rows)
    return {
        "i": order * 3 - rows,
        "f": (order - 5.25) / 7,
        "s": np.array([f"né{number}" for number in order], dtype="U8"),
        "b": order % 3 > 0,
    }


@st.composite
def chains(draw, max_steps=7):
    """Return a number of rows, steps, and the pool that NumPy ends with."""
    rows = draw(st.sampled_from([0, 1, 9, 30]))
    pool = list(table(rows).values())
    steps = []
    with np.errstate(all="ignore"):
        for _ in range(draw(st.integers(1, max_steps))):
            step = draw(steps_for(pool))
            if step[0] != "twice" or len(pool[0]) < 100:
                pool = take_step(step, pool, np)
                steps.append(step)
    return rows, steps, pool


def lazy_pool(rows, steps, lengths, kind):
    columns = table(rows)
    if kind == "scan":
        pool = list(MemorySource(columns, lengths).arrays().values())
    elif kind == "literal":
        pool = [partitioned(column, lengths) for column in columns.values()]
    else:
        # Columns of different origin, and one of them in other partitions: they meet row by row.
        scanned = MemorySource(columns, lengths).arrays()
        pool = [ak.array(columns["i"]), scanned["f"], partitioned(columns["s"], lengths), scanned["b"]]
    for step in steps:
        pool = take_step(step, pool, ak)
        if kind == "mixed":
            # Selections from other partitions meet by position, for which they must be counted.
            pool = [array.resolve_lengths() for array in pool]
    return pool


def assert_pools_equal(lazy, expected):
    for found, wanted in zip(dask.compute(*lazy), expected, strict=True):
        assert_equal(found, wanted)


@given(chains(), st.data(), st.sampled_from(["scan", "literal", "mixed"]), st.sampled_from([8, 24, 8000]))
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_any_chain_gives_what_numpy_gives_in_any_partitions_and_blocks(chain, data, kind, block_size):
    rows, steps, expected = chain
    for partitions in (1, 2, 7):
        lengths = data.draw(partition_lengths(rows, partitions))
        with ak.config.set(block_size=block_size):
            pool = lazy_pool(rows, steps, lengths, kind)
            assert {array.size for array in pool} == {len(expected[0])}
            assert_pools_equal(pool, expected)


@given(chains(), partition_lengths(30, 4))
def test_optimized_plans_give_what_plain_ones_give(chain, lengths):
    rows, steps, expected = chain
    lengths = lengths if sum(lengths) == rows else [rows]
    with pytest.MonkeyPatch.context() as patch, ak.config.set(optimize=False):
        patch.setattr(pipeline, "through", lambda frame, values: None)
        patch.setattr(pipeline, "narrowed", lambda frame, values: frame)
        plain = lazy_pool(rows, steps, lengths, "scan")
        assert_pools_equal(plain, expected)
        sums = dask.compute([array.sum() for array in plain if array.dtype.kind in "ib"])
    again = dask.compute([array.sum() for array in lazy_pool(rows, steps, lengths, "scan") if array.dtype.kind in "ib"])
    assert sums == again


@given(chains(), partition_lengths(30, 4))
@settings(max_examples=settings().max_examples // 2)
def test_threads_give_what_one_thread_gives(chain, lengths):
    rows, steps, expected = chain
    lengths = lengths if sum(lengths) == rows else [rows]
    with dask.config.set(scheduler="threads"), ak.config.set(block_size=24):
        assert_pools_equal(lazy_pool(rows, steps, lengths, "scan"), expected)


REDUCTIONS = ["sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "argmin", "argmax"]


@given(st.data(), st.sampled_from([1, 9, 30]), st.sampled_from([8, 24, 8000]))
def test_reductions_of_selected_rows_are_those_of_numpy(data, rows, block_size):
    lengths = data.draw(partition_lengths(rows, 7))
    columns = table(rows)
    lazy = MemorySource(columns, lengths).arrays()
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=rows, max_size=rows).filter(any)))
    picked = {name: (lazy[name][ak.array(mask)], columns[name][mask]) for name in "ifb"}
    with ak.config.set(block_size=block_size):
        for lazily, expected in [*picked.values(), (picked["i"][0] * 2 + 1, picked["i"][1] * 2 + 1)]:
            names = [name for name in REDUCTIONS if expected.dtype != bool or name not in ("var", "std")]
            found = dask.compute(*[getattr(lazily, name)() for name in names])
            for name, result in zip(names, found, strict=True):
                wanted = getattr(expected, name)()
                assert result == pytest.approx(wanted, rel=1e-12, abs=1e-12), name
                assert result.dtype == wanted.dtype, name
