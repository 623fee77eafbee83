"""Objects that are made of others, in written files: every group, dataset, attribute and byte, told by plain h5py."""

import warnings

import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.errors import ConversionError

SHARES = {
    "nothing": [[]],
    "one row": [[7]],
    "many rows": [list(range(100))],
    "two partitions": [[3, 1, 2], [4]],
    "second empty": [[3, 1], []],
    "first empty": [[], [5]],
    "two empty": [[], []],
    "five partitions": [[1], [], [2, 3], [], [4, 5, 6]],
    "five empty": [[], [], [], [], []],
}
LABELS = ["even", "odd", "N/A"]


@pytest.fixture(params=SHARES, ids=lambda name: name.replace(" ", "-"))
def shares(request):
    return [np.array(share, np.int64) for share in SHARES[request.param]]


@pytest.fixture(params=["distribute", "single"])
def file_type(request):
    return request.param


def joined(parts):
    return ak.concatenate([ak.array(part) for part in parts])


def numbers(shares):
    return joined(shares)


def texts(shares):
    return joined([np.array([f"t{item}" for item in share], str) for share in shares])


def kinds(shares):
    return ak.Categorical.from_codes(numbers(shares) % 2, ak.array(LABELS))


def written(prefix, objects, file_type):
    """Write objects, and return what each file holds, as nested dicts."""
    ak.to_hdf(objects, prefix, file_type=file_type)
    paths = sorted(prefix.parent.glob("set*"))
    found = []
    for path in paths:
        with h5py.File(path) as file:
            assert file.attrs["File_Format"] == (file_type == "distribute")
            found.append({name: tree(file[name]) for name in file})
    return found


def tree(node):
    """Return a group as a dict, a dataset as its array; attributes under a key of their own."""
    attributes = dict(node.attrs)
    assert attributes.pop("file_version") == np.float32(2)
    assert attributes.pop("arkouda_version").startswith(b"v20")
    for name, value in attributes.items():
        stored = node.attrs.get_id(name)
        if name != "akdask_columns":
            assert stored.get_type().equal(h5py.h5t.STD_I64LE)
            assert stored.shape == np.shape(value)
            attributes[name] = value.tolist()
    if isinstance(node, h5py.Group):
        return {"attributes": attributes, **{name: tree(node[name]) for name in node if not is_alias(node, name)}}
    assert node.chunks is None
    return {"attributes": attributes, "dtype": node.dtype.str, "data": node[:].tolist()}


def is_alias(group, name):
    leaf = group.name.rpartition("/")[2]
    return name in {f"{leaf}_values", f"{leaf}_segments"}


def plain(values, dtype="<i8", kind=1, **attributes):
    is_bool = int(dtype == "|u1" and not attributes.pop("is_bytes", False))
    return {
        "attributes": {"ObjType": kind, "isBool": is_bool, **attributes},
        "dtype": dtype,
        "data": np.asarray(values, np.dtype(dtype)).tolist(),
    }


def strings(values):
    encoded = [text.encode() + b"\0" for text in values]
    starts = np.cumsum([0, *map(len, encoded)])[:-1]
    return {
        "attributes": {"ObjType": 2},
        "values": plain(list(b"".join(encoded)), "|u1", is_bytes=True),
        "segments": plain(starts),
    }


def cut(items, index, count):
    """Return a share as Arkouda cuts blocks."""
    return items[-(-index * len(items) // count) : -(-(index + 1) * len(items) // count)]


def categorical(codes, index, count, **parts):
    return {
        "attributes": {"ObjType": 4},
        "codes": plain(codes),
        "categories": strings(cut(LABELS, index, count)),
        "NA_Codes": plain(cut([2], index, count)),
        **parts,
    }


def expected_shares(shares, file_type):
    """Return the rows of each file, and its number and that of all."""
    if file_type == "single":
        return [(np.concatenate(shares), 0, 1)]
    return [(share, index, len(shares)) for index, share in enumerate(shares)]


def text_of(share):
    return [f"t{item}" for item in share]


def test_indexes_are_groups_of_levels(prefix, shares, file_type):
    objects = {
        "i": ak.Index(numbers(shares)),
        "s": ak.Index(texts(shares)),
        "c": ak.Index(kinds(shares)),
        "b": ak.Index(numbers(shares) > 2),
        "t": ak.Index(ak.Datetime(numbers(shares))),
        "m": ak.MultiIndex([numbers(shares) * 0.5, texts(shares), ak.IPv4(numbers(shares))]),
    }
    found = written(prefix, objects, file_type)
    for made, (share, index, count) in zip(found, expected_shares(shares, file_type), strict=True):
        one = {"ObjType": 12, "NumIdx": 1}
        assert made == {
            "i": {"attributes": one, "IDX_0": plain(share)},
            "s": {"attributes": one, "IDX_0": strings(text_of(share))},
            "c": {"attributes": one, "IDX_0": categorical(share % 2, index, count)},
            "b": {"attributes": one, "IDX_0": plain(share > 2, "|u1")},
            "t": {"attributes": one, "IDX_0": plain(share, akdask_ObjType=7)},
            "m": {
                "attributes": {"ObjType": 13, "NumIdx": 3},
                "IDX_0": plain(share * 0.5, "<f8"),
                "IDX_1": strings(text_of(share)),
                "IDX_2": plain(share, "<u8", akdask_ObjType=9),
            },
        }
    again = ak.read_hdf(sorted(prefix.parent.glob("set*")))
    for name, index in objects.items():
        assert type(again[name]) is type(index)
        assert again[name].tolist() == index.tolist()
        assert [type(level) for level in again[name]._levels] == [type(level) for level in index._levels]


def test_frames_are_groups_of_columns_with_an_index(prefix, shares, file_type):
    base = numbers(shares)
    columns = {
        "z last": base,
        "a first": base * 0.5,
        'q"b': base > 2,
        "größe,x": texts(shares),
        "k.d": kinds(shares),
        "when": ak.Datetime(base),
        "span": ak.Timedelta(base),
        "ip": ak.IPv4(base),
    }
    df = ak.DataFrame(columns)
    found = written(prefix, {"df": df, "labelled": ak.DataFrame({"x": base}, index=texts(shares))}, file_type)
    first = 0
    for made, (share, index, count) in zip(found, expected_shares(shares, file_type), strict=True):
        order = made["df"]["attributes"].pop("akdask_columns")
        assert order.decode() == '["z last", "a first", "q\\"b", "gr\\u00f6\\u00dfe,x", "k.d", "when", "span", "ip"]'
        assert made["df"] == {
            "attributes": {"ObjType": 6, "NumCols": 8},
            "Index": plain(np.arange(first, first + len(share))),
            "z last": plain(share),
            "a first": plain(share * 0.5, "<f8"),
            'q"b': plain(share > 2, "|u1"),
            "größe,x": strings(text_of(share)),
            "k.d": categorical(share % 2, index, count),
            "when": plain(share, kind=7),
            "span": plain(share, kind=8),
            "ip": plain(share, "<u8", kind=9),
        }
        assert made["labelled"]["Index"] == strings(text_of(share))
        first += len(share)
    again = ak.read_hdf(sorted(prefix.parent.glob("set*")))
    assert again["df"].columns == list(columns)
    assert again["df"].dtypes == df.dtypes
    for name, column in columns.items():
        assert again["df"][name].tolist() == column.tolist()
    assert again["labelled"].index.tolist() == texts(shares).tolist()


@pytest.mark.parametrize("nd", ["view", "flat"])
def test_arrays_of_several_dimensions_are_flat_with_a_shape(prefix, shares, file_type, nd):
    size = sum(map(len, shares))
    grid = numbers(shares).reshape(size, 1, 1)
    grid.to_hdf(prefix, "g", file_type=file_type, nd=nd)
    for path, (share, _, _) in zip(sorted(prefix.parent.glob("set*")), expected_shares(shares, file_type), strict=True):
        with h5py.File(path) as file:
            kind = 1 if nd == "flat" else 0
            assert tree(file["g"]) == plain(share, kind=kind, Rank=3, Shape=[size, 1, 1])
    again = ak.read_hdf(sorted(prefix.parent.glob("set*")))["g"]
    np.testing.assert_array_equal(again.to_ndarray(), np.concatenate(shares).reshape(size, 1, 1))


def test_permutation_and_segments_of_categoricals_are_kept(prefix, shares, file_type):
    codes = np.concatenate(shares) % 2
    order = np.argsort(codes, kind="stable")
    starts = np.array([0, np.count_nonzero(codes == 0)])
    made = ak.Categorical.from_codes(numbers(shares) % 2, ak.array(LABELS), order, starts)
    alone = ak.Categorical.from_codes(numbers(shares) % 2, ak.array(LABELS), order)
    found = written(prefix, {"c": made, "alone": alone, "chosen": made[:1]}, file_type)
    for one, (share, index, count) in zip(found, expected_shares(shares, file_type), strict=True):
        parts = {"permutation": plain(cut(order, index, count)), "segments": plain(cut(starts, index, count))}
        assert one["c"] == categorical(share % 2, index, count, **parts)
        assert "permutation" not in one["alone"]
        assert len(codes) < 2 or "segments" not in one["chosen"]
    again = ak.read_hdf(sorted(prefix.parent.glob("set*")))["c"]
    assert again.permutation.tolist() == order.tolist()
    assert again.segments.tolist() == starts.tolist()


def test_groupings_are_groups_of_parts_and_keys(prefix, shares, file_type):
    rows = np.concatenate(shares)
    _, first, inverse = np.unique(rows % 2, return_index=True, return_inverse=True)
    order = np.argsort(inverse, kind="stable")
    starts = np.searchsorted(inverse[order], np.arange(len(first)))
    keys = [numbers(shares) % 2, texts(shares), kinds(shares), ak.Datetime(numbers(shares))]
    grouping = ak.GroupBy.build_from_components(
        orig_keys=keys, permutation=order, segments=starts, unique_key_idx=first
    )
    found = written(prefix, {"g": grouping}, file_type)
    for made, (share, index, count) in zip(found, expected_shares(shares, file_type), strict=True):
        assert made["g"] == {
            "attributes": {"ObjType": 5, "NumKeys": 4},
            "segments": plain(cut(starts, index, count)),
            "permutation": plain(cut(order, index, count)),
            "unique_key_idx": plain(cut(first, index, count)),
            "KEY_0": plain(share % 2),
            "KEY_1": strings(text_of(share)),
            "KEY_2": categorical(share % 2, index, count),
            "KEY_3": plain(share, akdask_ObjType=7),
        }
    again = ak.read_hdf(sorted(prefix.parent.glob("set*")))["g"]
    assert [type(key) for key in again.keys] == [ak.pdarray, ak.Strings, ak.Categorical, ak.Datetime]
    assert again.permutation.tolist() == order.tolist()
    assert again.segments.tolist() == starts.tolist()
    assert again.unique_keys[1].tolist() == [f"t{row}" for row in rows[first]]


def test_many_keys_come_in_the_order_of_their_numbers(prefix):
    keys = [ak.arange(2) + number for number in range(11)]
    ak.GroupBy(keys).to_hdf(prefix)
    found = ak.load_all(prefix)["groupby"]
    assert [key[0] for key in found.keys] == list(range(11))


def test_many_levels_come_in_the_order_of_their_numbers(prefix):
    levels = [ak.arange(3) + number for number in range(12)]
    ak.to_hdf({"m": ak.MultiIndex(levels)}, prefix)
    with h5py.File(f"{prefix}_LOCALE0000") as file:
        assert file["m"].attrs["NumIdx"] == 12
    found = ak.load_all(prefix)["m"]
    assert [level[0] for level in found.levels] == list(range(12))


def test_objects_inside_others_are_replaced_and_added(prefix):
    ak.to_hdf({"i": ak.Index(ak.arange(3)), "x": ak.arange(2)}, prefix)
    ak.Index(ak.array(["a", "b"])).update_hdf(prefix, "i")
    ak.MultiIndex([ak.arange(2), ak.arange(2)]).to_hdf(prefix, "m", mode="append")
    found = ak.load_all(prefix)
    assert (found["i"].tolist(), found["x"].tolist()) == (["a", "b"], [0, 1])
    assert found["m"].tolist() == [(0, 0), (1, 1)]


@pytest.mark.parametrize("name", ["a/b", "", ".", "nul\0"])
def test_columns_that_hdf5_cannot_name_are_refused(prefix, name):
    df = ak.DataFrame({name: ak.arange(2)})
    with pytest.raises(ValueError, match="HDF5 cannot"):
        ak.to_hdf({"df": df}, prefix)
    with pytest.raises(ValueError, match="'INDEX'"):
        ak.to_hdf({"df": ak.DataFrame.of({"INDEX": ak.arange(2)})}, prefix)
    assert not list(prefix.parent.iterdir())


def test_nothing_is_said_of_files_that_are_new(prefix):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ak.Index(ak.arange(3)).to_hdf(prefix)
    assert ak.load(prefix, dataset="index")["index"].tolist() == [0, 1, 2]


def test_missing_integers_and_bools_are_refused_and_nothing_is_written(tmp_path):
    frame = ak.DataFrame({"i": ak.array([1, 2, 3]), "b": ak.array([True, False, True])}).shift(1)
    for name in frame.columns:
        with pytest.raises(ConversionError, match=f"'{name}' has missing integers or bools.*\n.*at row 0(.|\n)*fillna"):
            frame[[name]].to_hdf(str(tmp_path / "x"))
    assert not list(tmp_path.glob("x*"))
    frame[1:].to_hdf(str(tmp_path / "x"))
    with h5py.File(tmp_path / "x_LOCALE0000") as file:
        assert file["i"][:].tolist() == [1, 2]
        assert file["i"].dtype == np.int64
    frame.fillna(0).to_hdf(str(tmp_path / "y"))
    assert ak.DataFrame.load(str(tmp_path / "y"))["i"].tolist() == [0, 1, 2]
