"""A set that breaks no rule, with every kind of object, made attribute by attribute with raw h5py."""

from __future__ import annotations

import h5py
import numpy as np
from h5py import h5a, h5s, h5t

VERSION = "v2026.07.15"


def put(node, **attributes):
    """Write attributes with the types that servers give them."""
    for name, value in attributes.items():
        if name in node.attrs:
            del node.attrs[name]
        if isinstance(value, str):
            kind = h5t.C_S1.copy()
            kind.set_size(len(value) + 1)
            kind.set_strpad(h5t.STR_NULLTERM)
            h5a.create(node.id, name.encode(), kind, h5s.create(h5s.SCALAR)).write(np.array(value.encode()))
        elif isinstance(value, float):
            node.attrs.create(name, value, dtype="<f4")
        else:
            node.attrs.create(name, value, dtype="<i8")
    return node


def common(node, kind, **attributes):
    return put(node, ObjType=kind, file_version=2.0, arkouda_version=VERSION, **attributes)


def group(parent, name, kind, **attributes):
    return common(parent.create_group(name), kind, **attributes)


def numbers(parent, name, values, dtype="<i8", kind=1, **attributes):
    return common(parent.create_dataset(name, data=np.array(values, dtype)), kind, **attributes)


def strings(parent, name, texts):
    made = group(parent, name, 2)
    encoded = [text.encode() + b"\0" for text in texts]
    numbers(made, "values", list(b"".join(encoded)), "u1")
    numbers(made, "segments", np.cumsum([0, *map(len, encoded)])[:-1])


def bigint(parent, name, limbs, max_bits=-1):
    made = group(parent, name, 1, isBigInt=1, MaxBits=max_bits, NumLimbs=len(limbs))
    for number, limb in enumerate(limbs):
        numbers(made, f"Limb_{number}", limb, "<u8")


def segarray(parent, name, segments):
    made = group(parent, name, 3)
    numbers(made, "segments", segments)
    return made


def make_file(path, share):
    """Write every kind of object: rows 0 to 3 of 5 as share 0, rows 3 to 5 as share 1."""
    first = share == 0
    rows = range(3) if first else range(3, 5)
    with h5py.File(path, "w", libver="earliest") as file:
        put(file, File_Format=1)
        numbers(file, "n", rows)
        numbers(file, "f", rows, "<f8")
        numbers(file, "flag", [row % 2 for row in rows], "u1", isBool=1)
        strings(file, "s", [f"é{row}" for row in rows])
        numbers(segarray(file, "sa", [0, 2, 2] if first else [0, 1]), "values", [7, 8, 9])
        made = segarray(file, "sb", [0, 1, 1] if first else [0, 2])
        put(made, isBool=1)
        numbers(made, "values", [1, 0, 1], "u1", isBool=1)
        strings(segarray(file, "ss", [0, 0, 1] if first else [0, 2]), "values", ["a", "b", "c"])
        bigint(segarray(file, "sg", [0, 1, 2] if first else [0, 1]), "values", [[1, 2, 3], [0, 0, 1]])
        bigint(file, "big", [list(rows), list(rows)])
        common(numbers(file, "view", [row * row for row in rows], kind=0, Rank=2, Shape=[5, 1]), 0)
        cat = group(file, "cat", 4)
        numbers(cat, "codes", [row % 2 for row in rows])
        strings(cat, "categories", ["even", "odd"] if first else ["N/A"])
        numbers(cat, "NA_Codes", [2] if first else [])
        numbers(cat, "permutation", [0, 2, 4] if first else [1, 3])
        numbers(cat, "segments", [0] if first else [3])
        by = group(file, "by", 5, NumKeys=1)
        numbers(by, "KEY_0", [row % 2 for row in rows])
        numbers(by, "permutation", [0, 2, 4] if first else [1, 3])
        numbers(by, "segments", [0] if first else [3])
        numbers(by, "unique_key_idx", [0] if first else [1])
        numbers(group(file, "idx", 12, NumIdx=1), "IDX_0", rows)
        multi = group(file, "multi", 13, NumIdx=2)
        numbers(multi, "IDX_0", rows)
        strings(multi, "IDX_1", map(str, rows))
        df = group(file, "df", 6, NumCols=2)
        numbers(df, "Index", rows)
        numbers(df, "a", rows, "<u8", kind=9)
        strings(df, "b", map(str, rows))
