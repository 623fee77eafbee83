"""Writes ``docs/pandas_methods.md``, which lists the ways of the functions and methods of `akdask.pandas`.

``python -m tests.pandas_face.methods_page`` writes the page from the tables of lazy forms and the signatures of these
forms and of pandas.  A test compares the page with them.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas

from akdask import config
from akdask import pandas as face
from akdask.pandas import chunk_forms, group_chunks
from akdask.pandas.face import EXITS, WRITERS, Face, NDFrame
from akdask.pandas.frame import MOVE_LABELS, DataFrame
from akdask.pandas.function_forms import FORMS
from akdask.pandas.functions import LAZY
from akdask.pandas.steps import FrameGroups, MovingWindows, Resampled, SeriesGroups

PAGE = Path(__file__).parents[2] / "docs" / "pandas_methods.md"

HEAD = """\
# Methods of pandas' face

Which functions, methods and arguments of `akdask.pandas` are lazy.

`python -m tests.pandas_face.methods_page` writes this page from the tables of lazy forms. Every public name of pandas 3
exists, and does what pandas documents. It takes one of these ways:

- **lazily**: the call makes a plan. Arguments in the last column have a lazy form only with pandas' default value; with
  another one the call runs in pandas. Some values of other arguments do, too, such as functions of Python.
- **in chunks**: pandas is called on chunks of the rows, whole groups or bins, or windows with the rows that they reach,
  and the results are put together; so it is for arguments without a lazy form. Windows that grow, `expanding` and
  `ewm`, have one chunk of up to 262,144 rows. Functions of rows and columns (`apply`, `map`, `agg`, `transform` of
  frames) are called in the same way.
- **labels**: the call gives columns and labels of rows other places or names, and computes nothing.
- **computes**: the call asks for all values, so it computes them.
- **in pandas**: the frame is computed and pandas is called. `pandas_fallback` silences or forbids this, and what
  exceeds the memory limit is refused; nothing else is.

Operators (`+`, `==`, `&`, `-x`, …) are lazy. Rows in memory, up to 2,097,152 values, are left to pandas in any case.
"""

NO_LAZY_MEANING = frozenset({"self", "inplace", "copy", "kind", "engine", "engine_kwargs", "args", "kwargs"})
"""Arguments that change nothing about the answer, or are passed on."""


def objects() -> dict[str, Any]:
    """Return a lazy object of each kind that has methods."""
    rows = pandas.DataFrame(
        {
            "key": ["a", "b", "a"],
            "number": [1.0, 2.0, 3.0],
            "time": pandas.date_range("2020-01-01", periods=3).to_numpy(),
            "category": pandas.Categorical(["x", "y", "x"]),
        }
    )
    frame = DataFrame._of(face.DataFrame(rows).lazy(), None)
    return {
        "DataFrame": frame,
        "Series": frame["number"],
        "DataFrame.groupby": frame.groupby("key"),
        "Series.groupby": frame.groupby("key")["number"],
        "rolling, expanding, ewm": frame[["number"]].rolling(2),
        "resample": frame.set_index("time")[["number"]].resample("D"),
        "Series.str": frame["key"].str,
        "Series.dt": frame["time"].dt,
        "Series.cat": frame["category"].cat,
    }


def parameters(function: Any) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function, none where it tells none."""
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


def form_of(owner: Face, name: str) -> Any:
    """Return the function that does lazily what a method does, None if there is none."""
    form = owner._form(name)
    if form is not None:
        return form
    if name not in owner.lazy_methods:
        return None
    return getattr(type(owner.lazy()), name, None)


def unsupported(own: Any, form: Any) -> str:
    """Return the arguments of pandas that a lazy form does not take."""
    taken = parameters(form)
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()):
        return ""
    wanted = [
        name
        for name, parameter in parameters(own).items()
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        and name not in taken
        and name not in NO_LAZY_MEANING
    ]
    return ", ".join(f"`{name}`" for name in wanted)


def lacks_needed(own: Any, form: Any) -> bool:
    """Return whether a form does not take an argument that every call gives."""
    taken = parameters(form)
    if isinstance(own, type) or any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()):
        return False
    return any(
        name not in taken and name != "self" and parameter.default is parameter.empty
        for name, parameter in parameters(own).items()
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    )


def chunks_of(owner: Face) -> frozenset[str]:
    """Return the methods that pandas is asked for chunk by chunk."""
    if isinstance(owner, SeriesGroups | FrameGroups):
        return group_chunks.METHODS
    if isinstance(owner, MovingWindows):
        return chunk_forms.WINDOW_METHODS
    return chunk_forms.BIN_METHODS if isinstance(owner, Resampled) else frozenset()


def way(owner: Face, name: str) -> tuple[str, str]:
    """Return the way of a method, and the arguments that it has no lazy form for."""
    own = getattr(owner.pandas_class, name)
    if name in WRITERS or name in EXITS:
        return "computes", ""
    if isinstance(owner, NDFrame) and name in OWN and name in dir(type(owner)):
        return "lazily", ""
    form = form_of(owner, name)
    if form is not None and not (callable(own) and lacks_needed(own, form)):
        by_default = name in chunks_of(owner) or not callable(own) or isinstance(own, type)
        return "lazily", "" if by_default else unsupported(own, form)
    if name in chunks_of(owner):
        return "in chunks", ""
    if isinstance(owner, Resampled) and name in chunk_forms.UPSAMPLING:
        return "labels", ""
    if name in getattr(owner, "steps", ()):
        return "in pandas", ""
    if owner.pandas_class is pandas.DataFrame and name in MOVE_LABELS:
        return "labels", ""
    return "in pandas", ""


OWN = frozenset({"columns", "index", "shape", "size", "empty", "ndim", "dtypes", "dtype", "name", "keys", "items"}) | {
    "insert",
    "pop",
    "pipe",
    "assign",
    "copy",
    "loc",
    "iloc",
    "at",
    "iat",
    "plot",
}
"""What the classes define themselves without a form."""


def rows_of(owner: Face) -> Iterator[tuple[str, str, str]]:
    """Yield name, way and exceptions of each public name of a class of pandas."""
    for name in sorted(dir(owner.pandas_class)):
        if not name.startswith("_"):
            yield name, *way(owner, name)


def functions() -> Iterator[tuple[str, str, str]]:
    """Yield name, way and exceptions of each function of pandas."""
    for name in sorted(dir(pandas)):
        own = getattr(pandas, name)
        if name.startswith("_") or not inspect.isfunction(own):
            continue
        if name in ("read_csv", "read_parquet", "read_table"):
            yield name, "lazily", ""
        elif name in LAZY and name in FORMS:
            yield name, "lazily", unsupported(own, FORMS[name])
        elif name.startswith("read_") or not _takes_columns(own):
            yield name, "computes", ""
        else:
            yield name, "in pandas", ""


def _takes_columns(function: Any) -> bool:
    """Return whether a function is one of columns, and not of files, options or scalars."""
    first = next(iter(parameters(function).values()), None)
    return first is not None and first.name not in ("pat", "start", "start_date", "path", "filepath_or_buffer", "ns")


def table(title: str, rows: Iterator[tuple[str, str, str]]) -> str:
    """Return a section with a table."""
    lines = [f"| `{name}` | {how} | {without} |" for name, how, without in rows]
    return "\n".join([f"## {title}", "", "| name | way | in pandas if given |", "| --- | --- | --- |", *lines, ""])


def page() -> str:
    """Return the text of the page."""
    with warnings.catch_warnings(), config.set(pandas_fallback="error"):
        warnings.simplefilter("ignore")
        parts = [HEAD, table("Functions", functions())]
        parts += [table(title, rows_of(owner)) for title, owner in objects().items()]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
