import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.engine import values
from akdask.engine.alignment import concat_tables, row_slices
from akdask.engine.node import rows_decided_by
from akdask.engine.run import run
from akdask.engine.values import token
from akdask.operators.group.aggregation import AggregationStep
from akdask.operators.reduce.plan import CountRows
from akdask.testing.memory import MemorySource

SCRIPT = """
import numpy as np
import akdask as ak
from akdask.testing.memory import MemorySource

def queries():
    big = MemorySource({"x": np.arange(9), "s": [str(k) for k in range(9)]}, [4, 0, 5]).arrays()
    a, s = ak.array(np.arange(5)), ak.array(["ä", "", "b"])
    x = big["x"]
    put = x.copy()
    put[x > 3] = -1
    put[[1, 2]] = ak.array([7, 8])
    return [
        a + 1, s.upper(), x[x > x.mean()].sum(), x[2:6], ak.concatenate([x, x]), x + ak.arange(9), put,
        x[::-1][[1, 0]], big["s"].contains("1"), ak.uniform(4, seed=3) * 2, x[x > 2].head(3),
    ]

def names():
    return [query.expr._name for query in queries()] + [
        str(key) for query in queries() for key in query.expr.optimize().__dask_graph__()
    ]
"""


@pytest.mark.slow
def test_the_same_plan_has_the_same_names_in_another_process():
    space = {}
    exec(SCRIPT, space)
    ours = space["names"]()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT + "print('\\n'.join(names()))"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.split("\n")[:-1] == ours


def test_the_same_plan_written_again_is_the_same_object():
    source = MemorySource({"x": np.arange(9)}, [4, 5])
    one, other = (source.arrays()["x"][source.arrays()["x"] > 3] * 2 for _ in range(2))
    assert one._frame is other._frame
    assert one.expr._name == other.expr._name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.arange(3), np.arange(3) + 1),
        (np.arange(3), np.arange(3).astype(float)),
        (["a", "b"], ["ab", ""]),
        (["a"], ["b"]),
    ],
)
def test_other_data_give_other_names(one, other):
    assert ak.array(one).expr._name != ak.array(other).expr._name


def test_slices_of_one_arrow_array_are_told_apart():
    column = pa.array(["x", "a", "b", "a", "b"], pa.large_string())
    assert ak.array(column[0:2]).tolist() == ["x", "a"]
    assert ak.array(column[1:3]).tolist() == ["a", "b"]
    assert ak.array(column[1:3]).expr._name != ak.array(column[0:2]).expr._name


def test_equal_data_have_one_name_however_they_lie_in_memory():
    column = pa.array(["x", "a", "b"], pa.large_string())
    assert ak.array(column[1:]).expr._name == ak.array(["a", "b"]).expr._name
    assert ak.array(np.arange(6)[::2]).expr._name == ak.array([0, 2, 4]).expr._name
    assert ak.array(column[:0]).expr._name == ak.array(column[3:]).expr._name


def test_nothing_but_equal_parts_gives_equal_tokens():
    parts = ["a", ("a",), ("a", "b"), "a\x1eb", "'a'", 1, 1.0, True, "1", None, "None", (), ((),)]
    assert len({token(part) for part in parts}) == len(parts)
    assert token("a", "b") != token("a\x1f'b'")
    assert token("\ud800") != token("\ud801")


def limited(count):
    return lambda table: table.slice(0, count)


def test_functions_and_dataclasses_are_told_apart_by_what_they_are():
    one, other = (AggregationStep("sum", (0,), skipna=skipna) for skipna in (True, False))
    closures = [limited(count) for count in (1, 2)]
    parts = [concat_tables, row_slices, one, other, (one,), AggregationStep, *closures]
    assert len({token(part) for part in parts}) == len(parts)
    assert token(one) == token(AggregationStep("sum", (0,)))


def test_what_dask_hands_to_tasks_is_named_without_pickling_it(monkeypatch):
    monkeypatch.setattr(values, "tokenize", None)
    assert token(concat_tables, AggregationStep("sum", (0,), params=(("ddof", 1),)))


# Rows whose number depends on values are named by those values and by how their rows were selected.


def parts_of(array):
    """Return the parts of an array by slices of one length."""
    return [array[start : start + 2] for start in range(4)]


NUMBERS = [1, 2, 3, 3, 3]
TEXTS = ["a", "b,c", "d,e,f", "", "g,h"]


def lists():
    return ak.SegArray(ak.array([0, 1, 3, 6, 6]), ak.array([1, 2, 2, 3, 4, 5, 7]))


COUNTED = {
    "unique": (lambda: ak.array(NUMBERS), ak.unique),
    "value_counts": (lambda: ak.array(NUMBERS), lambda part: part.value_counts()[1]),
    "keys counted": (lambda: ak.array(NUMBERS), lambda part: part.value_counts()[0]),
    "filter": (lambda: ak.array(NUMBERS), lambda part: part[part < 3]),
    "sums of groups": (lambda: ak.array(NUMBERS), lambda part: ak.GroupBy(part).sum(part)[1]),
    "medians of groups": (lambda: ak.array(NUMBERS), lambda part: ak.GroupBy(part).median(part)[1]),
    "first rows of groups": (lambda: ak.array(NUMBERS), lambda part: ak.GroupBy(part).head(part, 1)[1]),
    "intersection": (lambda: ak.array(NUMBERS), lambda part: ak.intersect1d(part, ak.array([1, 3]))),
    "union": (lambda: ak.array(NUMBERS), lambda part: ak.union1d(part, ak.array([3]))),
    "split": (lambda: ak.array(TEXTS), lambda part: part.split(",")),
    "regex_split": (lambda: ak.array(TEXTS), lambda part: part.regex_split(",")),
    "categories": (lambda: ak.array(TEXTS), lambda part: ak.Categorical(part[part != "a"]).unique()),
    "unique of a Categorical": (lambda: ak.Categorical(ak.array(["a", "b", "c", "c", "c"])), lambda c: c.unique()),
    "values of lists": (lists, lambda part: part.values),
    "values of unique lists": (lists, lambda part: part.unique().values),
    "values of intersections": (lists, lambda part: part.intersect(part[::-1]).values),
    "values of filtered lists": (lists, lambda part: part.filter(2).values),
    "values of appended lists": (lists, lambda part: part.append(part).values),
    "n-grams": (lists, lambda part: part.get_ngrams(2)[0][0]),
    "join": (lambda: ak.array(NUMBERS), lambda part: ak.inner_join(part, ak.array([3, 3, 1]))[0]),
}


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("kind", COUNTED)
@pytest.mark.parametrize("partitioned", [False, True])
def test_what_depends_on_values_is_counted_for_each_part_of_a_column(kind, partitioned):
    make, derive = COUNTED[kind]
    column = make()
    if partitioned:
        column = ak.concatenate([column[:2], column[2:]])
    sizes = [derive(part).size for part in parts_of(column)]
    # A part written as an array of its own has nothing in common with the others.
    alone = [derive(type(part)(part) if isinstance(part, ak.Categorical) else part) for part in parts_of(make())]
    for found, array in zip(sizes, alone, strict=True):
        values = array.tolist()
        assert found == len(values)
        backwards = [derive(part)[::-1].tolist() for part in parts_of(column)]
    assert backwards == [array.tolist()[::-1] for array in alone]
    ends = [derive(part)[-1:].tolist() for part in parts_of(column)]
    assert ends == [array.tolist()[-1:] for array in alone]


def test_lists_that_are_taken_out_have_their_own_lengths():
    lists = ak.SegArray(ak.array([0, 1]), ak.array([1, 2, 3]))
    assert [lists[0].size, lists[1].size] == [1, 2]
    assert lists[1][-1] == 3


def test_fields_of_texts_of_equal_number_are_counted_apart():
    texts = ak.array(["a b", "c d e", "f"])
    assert [texts[start : start + 1].regex_split(" ").size for start in range(3)] == [2, 3, 1]
    texts = ak.array(["a", "b,c"])
    assert texts[:1].split(",").size == 1
    assert texts[1:].split(",")[::-1].tolist() == ["c", "b"]


def test_groups_of_slices_are_counted_apart():
    categories = ak.Categorical(ak.array(["a", "b", "c", "c"]))
    assert [categories[:2].unique().size, categories[2:].unique().size] == [2, 1]
    x = ak.array([1, 2, 3, 3])
    assert x[:2].value_counts()[0].size == 2
    assert x[2:].value_counts()[1][-1:].tolist() == [2]


def test_a_value_without_its_rows_names_none():
    x = ak.array([1, 2])
    with pytest.raises(AssertionError, match="a value alone names no rows"):
        rows_decided_by("filter", [(x > 1)._value], 1)


def test_a_name_of_rows_does_not_depend_on_what_has_been_counted():
    def derived(x):
        kept = x[x > 1]
        masked = kept[::-1][(kept[::-1] % 2) == 0]
        return [kept, kept[::-1] if kept.rows.lengths else kept, masked, ak.concatenate([kept, kept]), kept.tail(2)]

    source = MemorySource({"x": np.arange(9)}, [4, 0, 5])
    first = derived(source.arrays()["x"])
    for array in first:
        array.resolve_lengths()
    again = derived(source.arrays()["x"])
    assert [array.rows.token for array in again[2:]] == [array.rows.token for array in first[2:]]
    concatenated = ak.concatenate([first[0], first[0]])
    mask = concatenated > 3
    assert (concatenated[mask] + first[3][mask]).tolist() == [2 * x for x in [*range(4, 9), *range(4, 9)]]


@pytest.mark.parametrize("values", [[1, 2, 3], [1.0, 2.0, np.nan]])
def test_results_of_groups_share_rows_whatever_their_values_are_aligned_with(values):
    column = ak.array([0, *values])
    g = ak.GroupBy(column[1:])
    plain = ak.array([1, 2, 3])
    total = g.sum(plain)[1] + g.sum(column[1:])[1] + g.sum(ak.concatenate([plain[:2], plain[2:]]))[1]
    table = pd.DataFrame({"k": values, "v": [1, 2, 3]}).groupby("k")
    assert total.tolist() == (2 * table["v"].sum() + table["k"].sum()).tolist()


@given(data=st.data())
def test_equal_tokens_imply_equal_rows(data):
    """Whatever two plans select, rows of one name are as many in each partition, wherever they come from."""
    source = MemorySource({"x": data.draw(st.lists(st.integers(0, 2), min_size=6, max_size=6))}, [4, 0, 2])
    by_token: dict[str, list[int]] = {}
    for _ in range(data.draw(st.integers(2, 6))):
        array = source.arrays()["x"]
        for _ in range(data.draw(st.integers(1, 3))):
            array = SELECTED[data.draw(st.sampled_from(list(SELECTED)))](array)
        counts = count_each(array)
        assert by_token.setdefault(array.rows.token, counts) == counts


SELECTED = {
    "first": lambda x: x.head(2),
    "last": lambda x: x.tail(2),
    "middle": lambda x: x[1:3],
    "next": lambda x: x[2:4],
    "backwards": lambda x: x[::-1],
    "ones": lambda x: x[x == 1],
    "small": lambda x: x[x < 2],
    "distinct": ak.unique,
    "counts": lambda x: x.value_counts()[1],
    "sorted": ak.sort,
    "twice": lambda x: ak.concatenate([x, x]),
    "positions": lambda x: x[x[x < 1]],
    # Lists of at most 2 of twice as many values.
    "repeated": lambda x: ak.SegArray(ak.cumsum(x % 3) - x % 3, ak.concatenate([x, x]))[1:2].values if x.size else x,
    "kept": lambda x: x.persist(),
}


def count_each(array):
    """Count the rows of the partitions anew."""
    (counts,) = run(CountRows(array._frame))
    return list(counts)
