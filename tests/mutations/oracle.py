"""What a file holds by a plain reading with h5py, without anything of akdask."""

from __future__ import annotations

from typing import Any

import h5py


def plainly(path: str, name: str, kind: str) -> Any:
    """Return an object of a file as Python values, read as the kind that somebody took it for."""
    with h5py.File(path) as file:
        node = file[name]
        return READINGS[kind](node)


def numbers(node: Any) -> Any:
    if isinstance(node, h5py.Group):
        node = member(node, "booleans")
        return (node[()] != 0).tolist()
    values = node[()]
    return (values != 0).tolist() if node.attrs.get("isBool") == 1 else values.tolist()


def strings(node: h5py.Group) -> list[str]:
    values = member(node, "values")[()].tobytes()
    segments = member(node, "segments")
    if segments is None:
        return [text.decode() for text in values.split(b"\0")[:-1]]
    starts = segments[()].tolist()
    texts = [values[start:stop] for start, stop in zip(starts, [*starts[1:], len(values)], strict=True)]
    if starts[:1] not in ([], [0]) or any(text[-1:] != b"\0" or b"\0" in text[:-1] for text in texts):
        raise ValueError("these are no strings")
    return [text[:-1].decode() for text in texts]


def categorical(node: h5py.Group) -> list[str]:
    labels = strings(member(node, "categories"))
    codes = member(node, "codes")[()].tolist()
    if any(code < 0 for code in codes):
        raise ValueError("a code is negative")
    na = member(node, "NA_Codes")
    if na is None or len(na) == 0:
        labels = [*labels, "N/A"]
    return [labels[code] for code in codes]


def member(group: h5py.Group, name: str) -> Any:
    """Return a member of any of the spellings that documents and releases use, None without it."""
    leaf = group.name.rpartition("/")[2]
    folded = {key.lower(): key for key in group}
    for wanted in (name, f"{leaf}_{name}"):
        if wanted in group:
            return group[wanted]
        if wanted.lower() in folded:
            return group[folded[wanted.lower()]]
    return None


READINGS = {"pdarray": numbers, "Strings": strings, "Categorical": categorical}
