"""What is made of an array keeps the values that the array had, whatever is assigned to it afterwards."""

import operator

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.arrays.sorting import in_order

NUMBERS = np.array([3, 1, 3, 2, 1, 0])
TEXTS = np.array(["c", "a", "c", "b", "a", ""])
CODES = np.array([2, 1, 2, 0, 1, 0])
STARTS = np.array([0, 2, 2, 3, 4, 5])


def added(array):
    array += 5


def put_mask(array, item):
    array[array == array.copy()] = item  # a mask that holds everywhere


def put_items(array):
    array[[0, 3]] = array[[5, 4]].copy()


NUMBER_CHANGES = {
    "element": lambda array: operator.setitem(array, 0, 7),
    "last element": lambda array: operator.setitem(array, -1, 7),
    "mask": lambda array: put_mask(array, 7),
    "slice": lambda array: operator.setitem(array, slice(1, 4), 7),
    "positions": put_items,
    "addition": added,
    "fill": lambda array: array.fill(7),
}
TEXT_CHANGES = {
    "element": lambda array: operator.setitem(array, 0, "zz"),
    "mask": lambda array: put_mask(array, "zz"),
    "slice": lambda array: operator.setitem(array, slice(1, 4), "zz"),
    "positions": put_items,
}


def listed(*items):
    return [item.tolist() for item in items]


def group(x):
    return ak.GroupBy(x), lambda g: [
        listed(*g.sum(ak.arange(6))),
        listed(*g.size()),
        listed(*g.nunique(ak.arange(6) % 2)),
        g.permutation.tolist(),
        g.segments.tolist(),
        g.broadcast(ak.arange(g.ngroups)).tolist(),
        g.keys.tolist(),
        g.unique_keys.tolist(),
    ]


def group_of_two(x):
    return ak.GroupBy([x, ak.arange(6) % 2]), lambda g: [
        listed(*g.sum(ak.arange(6))[0]),
        listed(*g.keys),
        listed(*g.unique_keys),
    ]


def group_of_parts(x):
    whole = ak.GroupBy(x)
    made = ak.GroupBy.build_from_components(
        orig_keys=x, permutation=whole.permutation, segments=whole.segments, unique_keys=whole.unique_keys
    )
    return made, lambda g: [listed(*g.sum(ak.arange(6))), g.keys.tolist()]


def frame(x):
    return ak.DataFrame({"x": x, "y": ak.arange(6)}), lambda df: [df.to_pandas().to_dict("list"), df["x"].tolist()]


def frame_with_labels(x):
    made = ak.DataFrame({"y": ak.arange(6)}, index=x)
    return made, lambda df: [df.index.tolist(), df.to_pandas(retain_index=True).index.tolist()]


def frame_with_a_new_column(x):
    made = ak.DataFrame({"y": ak.arange(6)})
    made["x"] = x
    return made, lambda df: df.to_pandas().to_dict("list")


def index_of_a_frame(x):
    made = ak.DataFrame({"y": ak.arange(6)})
    made.index = x
    return made, lambda df: df.index.tolist()


def persisted(x):
    return x.persist(), lambda y: y.tolist()


ANY = {
    "GroupBy": group,
    "GroupBy of two keys": group_of_two,
    "GroupBy of its parts": group_of_parts,
    "Index": lambda x: (ak.Index(x), lambda i: [i.tolist(), i.values.tolist(), i.to_pandas().tolist()]),
    "Index of an Index": lambda x: (ak.Index(ak.Index(x)), lambda i: i.tolist()),
    "MultiIndex": lambda x: (ak.MultiIndex([x, ak.arange(6)]), lambda i: [i.tolist(), listed(*i.levels)]),
    "level": lambda x: (ak.MultiIndex([x, ak.arange(6)]).get_level_values(0), lambda i: i.tolist()),
    "DataFrame": frame,
    "labels of a DataFrame": frame_with_labels,
    "new column": frame_with_a_new_column,
    "new labels": index_of_a_frame,
    "slice": lambda x: (x[1:4], lambda y: y.tolist()),
    "reversed": lambda x: (x[::-1], lambda y: y.tolist()),
    "filter": lambda x: (x[x == x.copy()], lambda y: [y.tolist(), y.size]),  # a mask that holds everywhere
    "positions": lambda x: (x[[1, -1]], lambda y: y.tolist()),
    "lookup": lambda x: (x[ak.array([2, 0])], lambda y: y.tolist()),
    "copy": lambda x: (x.copy(), lambda y: y.tolist()),
    "persisted": persisted,
    "concatenation": lambda x: (ak.concatenate([x, x]), lambda y: y.tolist()),
    "unique": lambda x: (ak.unique(x), lambda y: y.tolist()),
    "sorted": lambda x: (in_order(x), lambda y: y.tolist()),
    "in1d": lambda x: (ak.in1d(x, x[:1]), lambda y: y.tolist()),
    "lists": lambda x: (ak.SegArray(ak.array(STARTS), x), lambda s: [s.tolist(), s.values.tolist(), s[0].tolist()]),
    "permutation": lambda x: (x.argsort() if hasattr(x, "argsort") else ak.argsort(x), lambda y: y.tolist()),
}
OF_NUMBERS = {
    "starts of lists": lambda x: (
        ak.SegArray(starts_of(x), ak.arange(10)),
        lambda s: [s.tolist(), s.lengths.tolist(), s.segments.tolist()],
    ),
    "codes": lambda x: (
        ak.Categorical.from_codes(x, ak.array(["a", "b", "c", "d", "e", "f", "g", "h", "i"])),
        lambda c: [c.tolist(), c.codes.tolist(), c.categories.tolist()],
    ),
    "permutation of a Categorical": lambda x: (
        ak.Categorical.from_codes(ak.array(CODES), ak.array(["a", "b", "c"]), x, ak.array([0, 2, 4])),
        lambda c: [c.tolist(), c.permutation.tolist()],
    ),
    "Datetime": lambda x: (ak.Datetime(x), lambda t: t.to_ndarray().astype(int).tolist()),
    "Timedelta": lambda x: (ak.Timedelta(x), lambda t: t.to_ndarray().astype(int).tolist()),
    "IPv4": lambda x: (ak.IPv4(x), lambda t: [t.values.tolist(), t.tolist()]),
    "of several dimensions": lambda x: (
        x.reshape(2, 3),
        lambda a: [a.tolist(), a.base.tolist(), a[1].tolist(), a.flatten().tolist(), a.sum(axis=0).tolist()],
    ),
    "ArrayView": lambda x: (ak.ArrayView(x, (3, 2)), lambda a: a.tolist()),
    "sum": lambda x: (x.sum(), int),
    "maximum": lambda x: (x.max(), int),
    "expression of a sum": lambda x: (x.mean() * 2 + 1, float),
    "array and sum": lambda x: (x - x.sum(), lambda y: y.tolist()),
    "running sums": lambda x: (ak.cumsum(x), lambda y: y.tolist()),
    "histogram": lambda x: (ak.histogram(x, 3)[0], lambda y: y.tolist()),
    "counts": lambda x: (x.value_counts()[1], lambda y: y.tolist()),
    "DataFrame of groups": lambda x: (
        ak.DataFrame({"x": x, "y": ak.arange(6)}).groupby("x").sum(),
        lambda df: df.compute().to_dict("list"),
    ),
    "groups of a DataFrame": lambda x: (
        ak.DataFrame({"k": ak.array([1, 1, 2, 2, 3, 3]), "x": x}).groupby("k"),
        lambda g: g.sum().compute().to_dict("list"),
    ),
}
OF_TEXTS = {
    "Categorical": lambda x: (ak.Categorical(x), lambda c: [c.tolist(), c.codes.tolist(), c.categories.tolist()]),
    "categories": lambda x: (
        ak.Categorical.from_codes(ak.array(CODES), ak.unique(x)),
        lambda c: [c.tolist(), c.categories.tolist()],
    ),
    "split": lambda x: (x.split("a"), lambda y: y.tolist()),
    "lengths": lambda x: (x.get_lengths(), lambda y: y.tolist()),
}
CASES = [
    *[(f"{name}, of numbers", make, NUMBERS, NUMBER_CHANGES) for name, make in {**ANY, **OF_NUMBERS}.items()],
    *[(f"{name}, of text", make, TEXTS, TEXT_CHANGES) for name, make in {**ANY, **OF_TEXTS}.items()],
]


def starts_of(x):
    return ak.cumsum(x) - x


@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize(
    ("make", "data", "change"),
    [
        pytest.param(make, data, change, id=f"{name}-{how}")
        for name, make, data, changes in CASES
        for how, change in changes.items()
    ],
)
def test_an_assignment_to_the_source_does_not_change_what_was_made_of_it(make, data, change):
    source = ak.array(data)
    wanted, _ = make(ak.array(data))
    seen, look = make(source)
    unseen, _ = make(source)
    values = look(wanted)
    assert look(seen) == values
    change(source)
    assert source.tolist() != data.tolist()
    assert look(seen) == values
    assert look(unseen) == values


def test_keys_of_groups_are_handed_out_as_copies():
    g = ak.GroupBy(ak.array([3, 3, 1]))
    g.keys[0] = 1
    assert g.keys.tolist() == [3, 3, 1]
    assert g.sum(ak.array([1, 2, 4]))[1].tolist() == [4, 3]


def test_groups_of_a_frame_stay_those_of_its_columns_when_it_changes():
    df = ak.DataFrame({"k": ak.array([1, 1, 2]), "x": ak.array([1, 2, 4])})
    groups = df.groupby("k")
    total = groups.sum()
    df["x"][0] = 100
    df["k"][0] = 2
    df["x"] = df["x"] * 2
    wanted = pd.DataFrame({"k": [1, 1, 2], "x": [1, 2, 4]}).groupby("k").sum()
    for found in (total, groups.sum()):
        assert found["x"].tolist() == wanted["x"].tolist()
        assert found.index.tolist() == wanted.index.tolist()


def test_levels_and_labels_in_a_dict_are_copies():
    index, several = ak.Index(ak.array([1, 2]), "i"), ak.MultiIndex([ak.array([1, 2]), ak.array(["a", "b"])])
    index.to_dict()["idx"][0] = 9
    several.to_dict()["idx_0"][0] = 9
    assert index.tolist() == [1, 2]
    assert several.tolist() == [(1, "a"), (2, "b")]


def test_a_changed_frame_leaves_its_copies_and_parts_as_they_were():
    df = ak.DataFrame({"x": ak.array([1, 2, 3]), "y": ak.array(["a", "b", "c"])})
    parts = [df.copy(), df[["x"]], df[df["x"] > 0], df.head(3), df.sort_values("x"), df.assign(z=1)]
    df["x"][0] = 100
    df["x"] += 1
    df[1] = {"x": 50}
    assert df["x"].tolist() == [101, 50, 4]
    assert [part["x"].tolist() for part in parts] == [[1, 2, 3]] * len(parts)
