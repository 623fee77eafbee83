"""What a file holds by a plain reading with h5py, without anything of akdask."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import Any

import h5py
import numpy as np

KINDS = {
    0: "ArrayView",
    1: "pdarray",
    2: "Strings",
    3: "SegArray",
    4: "Categorical",
    5: "GroupBy",
    6: "DataFrame",
    7: "Datetime",
    8: "Timedelta",
    9: "IPv4",
    12: "Index",
    13: "MultiIndex",
}


def plainly(path: str, name: str, kind: str) -> Any:
    """Return an object of a file as Python values, read as the kind that somebody took it for."""
    with h5py.File(path) as file:
        return READINGS[kind](file[name.encode(errors="surrogateescape")])


def anything(node: Any) -> Any:
    """Return a member as what its ObjType says, or what it looks like."""
    number = node.attrs.get("ObjType")
    kind = KINDS.get(int(number)) if isinstance(number, np.integer) else None
    if kind is None:
        kind = "pdarray" if isinstance(node, h5py.Dataset) or "Limb_0" in node else "Strings"
        kind = "Categorical" if isinstance(node, h5py.Group) and "codes" in node else kind
    return READINGS[kind](node)


def numbers(node: Any) -> Any:
    if isinstance(node, h5py.Group):
        booleans = member(node, "booleans")
        return limbs(node) if booleans is None else (booleans[()] != 0).tolist()
    values = np.ravel(node[()])
    return (values != 0).tolist() if node.attrs.get("isBool") == 1 and values.itemsize < 8 else values.tolist()


def addresses(node: Any) -> list[int]:
    return [number % 2**64 for number in numbers(node)]


def limbs(node: h5py.Group) -> list[int]:
    found = sorted((int(name[5:]), node[name][()].tolist()) for name in node if name.startswith("Limb_"))
    numbers = [
        sum(limb << (64 * place) for (place, _), limb in zip(found, row, strict=True))
        for row in zip(*(column for _, column in found), strict=True)
    ]
    bits = int(node.attrs.get("MaxBits", -1))
    return numbers if bits < 0 else [number % 2**bits for number in numbers]


def strings(node: h5py.Group) -> list[str]:
    values = member(node, "values")[()].tobytes()
    segments = member(node, "segments")
    if segments is None:
        return [text.decode() for text in values.split(b"\0")[:-1]]
    texts = [values[start:stop] for start, stop in reaches(segments, len(values))]
    if any(text[-1:] != b"\0" or b"\0" in text[:-1] for text in texts):
        raise ValueError("these are no strings")
    return [text[:-1].decode() for text in texts]


def segarray(node: h5py.Group) -> list[list[Any]]:
    values = member(node, "values")
    if isinstance(values, h5py.Dataset):
        is_bool = 1 in (node.attrs.get("isBool"), values.attrs.get("isBool")) and values.dtype.itemsize < 8
        flat = (values[()] != 0).tolist() if is_bool else values[()].tolist()
    else:
        flat = limbs(values) if "Limb_0" in values else strings(values)
    return [flat[start:stop] for start, stop in reaches(member(node, "segments", "offsets"), len(flat))]


def reaches(segments: h5py.Dataset, length: int) -> list[tuple[int, int]]:
    """Return where each segment starts and stops."""
    starts = segments[()].tolist()
    if starts[:1] not in ([], [0]) or any(stop < start for start, stop in pairwise([*starts, length])):
        raise ValueError("these are no segments")
    return list(pairwise([*starts, length]))


def categorical(node: h5py.Group) -> list[str]:
    labels = strings(member(node, "categories"))
    codes = member(node, "codes")[()].tolist()
    na = member(node, "NA_Codes")
    is_old = na is None or len(na) == 0
    if any(code < (-1 if is_old else 0) for code in codes):
        raise ValueError("a code is negative")
    if is_old and "N/A" not in labels:
        labels = [*labels, "N/A"]
    return ["N/A" if code == -1 else labels[code] for code in codes]


def levels(node: h5py.Group, prefix: str = "idx_") -> list[Any]:
    names = [name for name in node if isinstance(name, str) and name.lower().startswith(prefix)]
    return [anything(node[name]) for name in sorted(names, key=lambda name: int(name[len(prefix) :]))]


def index(node: h5py.Group) -> Any:
    (only,) = levels(node)
    return only


def dataframe(node: h5py.Group) -> dict[str, Any]:
    columns = {"index" if name.lower() == "index" else name: anything(node[name]) for name in node}
    return {"index": list(range(max(map(len, columns.values()), default=0))), **columns}


def groupby(node: h5py.Group) -> list[Any]:
    return [levels(node, "key_"), *(member(node, name)[()].tolist() for name in ("permutation", "segments"))]


def member(group: h5py.Group, *names: str) -> Any:
    """Return a member of any of the spellings that documents and releases use, None without it."""
    leaf = os.fsdecode(group.name).rpartition("/")[2]
    folded = {key.lower(): key for key in group}
    for wanted in (spelling for name in names for spelling in (name, f"{leaf}_{name}")):
        spelled = wanted.encode(errors="surrogateescape")
        if spelled in group:
            return group[spelled]
        if wanted.lower() in folded:
            return group[folded[wanted.lower()]]
    return None


READINGS = {
    "ArrayView": numbers,
    "Categorical": categorical,
    "DataFrame": dataframe,
    "Datetime": numbers,
    "GroupBy": groupby,
    "IPv4": addresses,
    "Index": index,
    "MultiIndex": levels,
    "SegArray": segarray,
    "Strings": strings,
    "Timedelta": numbers,
    "pdarray": numbers,
}
