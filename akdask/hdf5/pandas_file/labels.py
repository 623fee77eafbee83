"""How pandas stores text, times and labels as arrays of numbers and bytes."""

from __future__ import annotations

import codecs
import datetime
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.deferred import pd
from akdask.errors import FileFormatError, UnsupportedError
from akdask.hdf5.pandas_file.nodes import GroupNode

_TIMES = re.compile(r"(datetime64|timedelta64)(?:\[(s|ms|us|ns)\])?")
_ENCODINGS = {"ascii", "cp1252", "iso8859-1", "latin-1", "utf-16", "utf-32", "utf-8"}
_ERRORS = {"ignore", "replace", "strict", "surrogateescape", "surrogatepass"}
_OLD_MISSING = "nan"
"""What missing text is in files whose writer does not say."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """How text is stored in an object of pandas."""

    name: str
    errors: str

    @classmethod
    def of(cls, node: GroupNode) -> Encoding:
        """Return what a group says.

        Raises
        ------
        UnsupportedError
            If it says what is no common encoding of text.
        """
        name, errors = node.plain("encoding") or "utf-8", node.plain("errors") or "strict"
        try:
            known = codecs.lookup(name).name in _ENCODINGS and errors in _ERRORS
        except (LookupError, TypeError, ValueError):
            known = False
        if not known:
            raise UnsupportedError(f"{node.place} holds text in the encoding {name!r}, {errors!r}, which is not known.")
        return cls(name, errors)

    def decode(self, values: npt.NDArray[Any], missing: str | None) -> npt.NDArray[np.object_]:
        """Return stored text as str, and NaN for what stands for missing text."""
        if values.dtype.kind != "S":
            raise ValueError("text is not stored as bytes")
        strings = [text.decode(self.name, self.errors) for text in values.ravel().tolist()]
        found = np.empty(values.shape, object)
        found.ravel()[:] = [np.nan if text == missing else text for text in strings]
        return found


def is_timed(values: npt.NDArray[Any], kind: Any) -> bool:
    """Whether a kind says that numbers are times."""
    return isinstance(kind, str) and _TIMES.fullmatch(kind) is not None and values.dtype == np.int64


def timed(values: npt.NDArray[Any], kind: Any) -> npt.NDArray[Any]:
    """Return numbers as the times that they are, if a kind says so, else as they are."""
    if not is_timed(values, kind):
        return values
    name, _, unit = kind.removesuffix("]").partition("[")
    return values.astype(np.int64, copy=False).view(f"{name}[{unit or 'ns'}]")


def label_missing(written: Any) -> str | None:
    """Return what missing text is among labels, from the attribute that says so."""
    return _OLD_MISSING if written is None else written or None


def labels(
    node: GroupNode, values: npt.NDArray[Any], *, kind: Any, encoding: Encoding, missing: str | None, name: Any
) -> pd.Index:
    """Return the labels of rows or columns.

    Parameters
    ----------
    node : GroupNode
        Where they are stored, for messages.
    values : ndarray
        As they are stored.
    kind : str
        What pandas says that they are.
    encoding : Encoding
        Of text.
    missing : str or None
        What stands for missing text.
    name : str or None
        Of the labels.

    Raises
    ------
    UnsupportedError
        If they are of another kind than numbers, text and times.
    """
    if values.ndim != 1:
        raise FileFormatError(f"the labels in {node.place} are not in one dimension.")
    if not isinstance(name, str | int | float | None):
        raise UnsupportedError(f"the labels in {node.place} have a name that is no text.")
    if kind == "string":
        return pd.Index(encoding.decode(values, missing), name=name)
    if kind == "date":
        return pd.Index([datetime.date.fromordinal(day) for day in values.tolist()], dtype=object, name=name)
    if kind in {"integer", "float", "bool"} or is_timed(values, kind):
        found: pd.Index = pd.Index(timed(values, kind), name=name)
        return found
    raise UnsupportedError(f"the labels in {node.place} are of the kind {kind!r}, which is not read.")
