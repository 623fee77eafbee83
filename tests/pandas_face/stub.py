"""Writes ``akdask/pandas/__init__.pyi``, which tells editors and type checkers the names of pandas' face.

``python -m tests.pandas_face.stub`` writes the file from the signatures of pandas and of what the face adds.  A test
compares the file with them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas

from akdask import pandas as face
from akdask.pandas.files import NAMES
from akdask.pandas.frame import DataFrame
from akdask.pandas.series import Series

STUB = Path(__file__).parents[2] / "akdask" / "pandas" / "__init__.pyi"

HEAD = """\
# Written by `python -m tests.pandas_face.stub` from signatures of pandas, which checks the arguments itself.

from collections.abc import Iterator
from typing import Any, Self, overload

"""

# What is asked here of pandas, its stubs do not tell.
PANDAS: Any = pandas

UNTYPED = frozenset({"Flags", "NamedFunc"})
"""Names that the stubs of pandas lack."""

CLASSES: dict[str, tuple[type, type | None]] = {
    "DataFrame": (pandas.DataFrame, DataFrame),
    "Series": (pandas.Series, Series),
    "DataFrameGroupBy": (pandas.api.typing.DataFrameGroupBy, None),
    "SeriesGroupBy": (pandas.api.typing.SeriesGroupBy, None),
    "Resampler": (pandas.api.typing.Resampler, None),
    "Rolling": (pandas.api.typing.Rolling, None),
    "Expanding": (pandas.api.typing.Expanding, None),
    "ExponentialMovingWindow": (pandas.api.typing.ExponentialMovingWindow, None),
    "StringMethods": (PANDAS.Series.str, None),
    "DatetimeProperties": (PANDAS.Series.dt, None),
    "CategoricalAccessor": (PANDAS.Series.cat, None),
}
"""Classes of the stub, those of pandas that they follow, and those of the face that have more names."""

ACCESSORS = {"str": "StringMethods", "dt": "DatetimeProperties", "cat": "CategoricalAccessor"}

STEPS = {
    "groupby": "GroupBy",
    "resample": "Resampler",
    "rolling": "Rolling",
    "expanding": "Expanding",
    "ewm": "ExponentialMovingWindow",
}

CHOSEN = """\
    @overload
    def __getitem__(self, key: str) -> {}: ...
    @overload
    def __getitem__(self, key: Any) -> Any: ...
"""

OF_ROWS = """\
    def __setitem__(self, key: Any, value: Any) -> None: ...
    def __delitem__(self, key: Any) -> None: ...
    def __contains__(self, key: Any) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __array__(self, dtype: Any = ..., copy: Any = ...) -> Any: ...
    def __eq__(self, other: object) -> Self: ...  # type: ignore[override]
    def __ne__(self, other: object) -> Self: ...  # type: ignore[override]
"""

OF_STEPS = """\
    def __getattr__(self, name: str) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
"""

BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"]

NO_SERIES = frozenset({"split", "rsplit", "partition", "rpartition", "extract", "extractall", "get_dummies", "cat"})
"""Methods of text that may give a DataFrame, or one string."""


def stub() -> str:
    """Return the text of the file."""
    names = {name for name in dir(pandas) if not name.startswith("_")}
    functions = sorted(name for name in {*names, *NAMES, "scan", "read_arkouda"} if inspect.isfunction(_found(name)))
    classes = [name for name in CLASSES if name in names]
    plain = sorted(
        names & {*PANDAS.__all__} - {*functions} - {*classes, "plotting", "testing", "ExcelFile", "HDFStore"}
    )
    lines = [
        *(f"{name}: Any" if name in UNTYPED else f"from pandas import {name} as {name}" for name in plain),
        "",
        "from akdask.pandas import plotting as plotting, testing as testing",
        "from akdask.pandas.refusals import FallbackError as FallbackError",
        "from akdask.pandas.refusals import PandasFallbackWarning as PandasFallbackWarning",
        "from akdask.pandas.files import ExcelFile as ExcelFile, HDFStore as HDFStore",
        "",
        "__version__: str",
        *(function(name, _found(name), "") for name in functions),
        *(line for name, (kind, own) in CLASSES.items() for line in _class(name, kind, own)),
    ]
    return HEAD + "\n".join(lines) + "\n"


def _found(name: str) -> Any:
    """Return the function of pandas, whose signature that of the face is, or what the face adds."""
    return getattr(pandas if hasattr(pandas, name) else face, name)


def _class(name: str, kind: type, own: type | None) -> Iterator[str]:
    yield f"\nclass {name}:"
    if own is not None:
        yield "    " + function("__init__", vars(kind)["__init__"], "self").lstrip().replace("-> Any", "-> None")
    yield _chosen(name)
    yield (OF_STEPS if own is None else OF_ROWS).rstrip()
    if name == "DataFrame":
        yield "    def __getattr__(self, name: str) -> Series: ..."
    if own is not None:
        for word in BINARY:
            yield f"    def __{word}__(self, other: Any) -> Self: ..."
            yield f"    def __r{word}__(self, other: Any) -> Self: ..."
        yield from (f"    def __{word}__(self, other: Any) -> Self: ..." for word in ("lt", "le", "gt", "ge"))
        yield from (f"    def __{word}__(self) -> Self: ..." for word in ("neg", "invert", "abs"))
    for member in sorted({*dir(kind), *(dir(own) if own is not None else ())}):
        if not member.startswith("_"):
            yield from _member(name, member, kind, own)


def _chosen(name: str) -> str:
    kind = {"DataFrame": "Series", "DataFrameGroupBy": "SeriesGroupBy"}.get(name)
    return CHOSEN.format(kind).rstrip() if kind else "    def __getitem__(self, key: Any) -> Any: ..."


def _member(owner: str, name: str, kind: type, own: type | None) -> Iterator[str]:
    if owner == "Series" and name in ACCESSORS:
        yield f"    @property\n    def {name}(self) -> {ACCESSORS[name]}: ..."
        return
    # What the face adds has a signature of its own; what it takes from pandas has pandas'.
    source = kind if hasattr(kind, name) else own
    member = inspect.getattr_static(source, name)
    if isinstance(member, classmethod):
        yield f"    @classmethod\n    {function(name, member.__func__, 'cls')}"
    elif inspect.isfunction(member):
        yield "    " + function(name, member, "self", owner)
    elif not inspect.isdatadescriptor(member) and not isinstance(member, cached_property | property):
        if callable(member) and not inspect.isclass(member):
            yield f"    def {name}(self, *args: Any, **kwargs: Any) -> Any: ..."
        elif source is kind:
            yield f"    {name}: Any"
    else:
        getter = getattr(member, "fget", None) or getattr(member, "func", None)
        yield f"    @property\n    def {name}(self) -> {'Any' if getter is None else returned(getter, owner)}: ..."
        if getattr(member, "fset", None) or name in ("columns", "index"):
            yield f"    @{name}.setter\n    def {name}(self, value: Any) -> None: ..."


def function(name: str, own: Any, first: str, owner: str = "") -> str:
    """Return a line that declares a function with its parameters, of any type, and the type of its result."""
    try:
        given = [*inspect.signature(own).parameters.values()]
    except (TypeError, ValueError):
        given = []
    shown = [first] if first else []
    kinds = [one.kind for one in given]
    for one in given[1:] if first else given:
        if one.kind is one.KEYWORD_ONLY and one.VAR_POSITIONAL not in kinds and "*" not in shown:
            shown.append("*")
        star = "*" * ((one.kind is one.VAR_POSITIONAL) + 2 * (one.kind is one.VAR_KEYWORD))
        shown.append(f"{star}{one.name}: Any" + ("" if star or one.default is one.empty else " = ..."))
    result = f"{'DataFrame' if owner == 'DataFrame' else 'Series'}GroupBy" if name == "groupby" else STEPS.get(name)
    return f"def {name}({', '.join(shown)}) -> {(owner and result) or returned(own, owner)}: ..."


def returned(own: Any, owner: str) -> str:
    """Return the type of a result, by the annotation of pandas; Any where it may be of several."""
    text = str(getattr(own, "__annotations__", {}).get("return", ""))
    words = {*re.findall(r"\w+", text)} - {"None"}
    if words == {"Self"} and owner in ("DataFrame", "Series"):
        return "Self"
    if owner.endswith("GroupBy") and (not words or "NDFrameT" in words):
        return owner.removesuffix("GroupBy")
    if owner == "StringMethods" and own.__name__ not in NO_SERIES:
        return "Series"
    if not owner and "DataFrame" in words:
        # Of functions, such as `read_csv` and `concat`: what they give unless asked for something else.
        return "DataFrame"
    if len(words) == 1 and (word := words.pop()) in {*CLASSES, "bool", "int", "str", "float"}:
        # In the class of columns `str` is their accessor.
        return "Any" if (owner, word) == ("Series", "str") else str(word)
    return "None" if text == "None" else "Any"


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
