"""Runs the cells of notebooks with pandas and with `akdask.pandas` in its place, side by side, and compares them."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from akdask import config
from akdask.pandas import face
from akdask.records import record
from tests.pandas_face.compare import computed, difference

FOLDER = Path(__file__).parent / "notebooks"

SUBJECTS = ("flows", "retail", "sensors", "survey", "weblog")

PASSING = re.compile(r"0x[0-9a-f]+|T_[0-9a-f]{5}|(?<=memory usage: )[0-9.]+")
"""Addresses of objects, names of tables, and sizes of buffers, which differ from run to run."""


@record
class Ran:
    """What a cell gave on this face, beside what it gives in pandas.

    Parameters
    ----------
    number : int
        Place of the cell in its notebook, from 0.
    source : str
        Its text.
    different : str or None
        How its value, its variables or its display differ; the error if it failed.
    through_pandas : tuple of str
        Methods that computed their object for pandas.
    seconds, pandas_seconds : float
        CPU time on this face and in pandas.
    """

    number: int
    source: str
    different: str | None
    through_pandas: tuple[str, ...]
    seconds: float
    pandas_seconds: float


def cells(subject: str) -> list[str]:
    """Return the cells of a notebook."""
    text = (FOLDER / f"{subject}.py").read_text()
    return [part.strip() for part in text.split("# %%") if part.strip()]


class Session:
    """Variables of a notebook that runs in a folder of its own.

    Parameters
    ----------
    folder : Path
        Where its files lie.
    module : str
        What stands for ``pandas`` in its imports.
    """

    def __init__(self, folder: Path, module: str) -> None:
        self.folder, self.module = folder, module
        self.names: dict[str, Any] = {}

    def run(self, source: str) -> tuple[Any, dict[str, Any], str, float]:
        """Run a cell; return its value, the variables that it made or changed, what it shows, and its CPU time."""
        source = source.replace("import pandas as pd", f"import {self.module} as pd")
        body = ast.parse(source).body
        last = body[-1] if body and isinstance(body[-1], ast.Expr) else None
        made = [name.id for part in body for name in ast.walk(part) if isinstance(name, ast.Name) and _is_stored(name)]
        before, printed, value = time.process_time(), io.StringIO(), None
        with _inside(self.folder), contextlib.redirect_stdout(printed):
            exec(compile(ast.Module(body[:-1] if last else body, []), "<cell>", "exec"), self.names)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), self.names)
            shown = PASSING.sub("…", printed.getvalue() + _shown(value)) + _pictures()
        spent = time.process_time() - before
        return value, {name: self.names[name] for name in made if name in self.names}, shown, spent


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store) or name.id in ("df", "log", "raw", "full")


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _shown(value: Any) -> str:
    """Return text and HTML of a value; of a picture, what is drawn."""
    if value is None or _is_drawn(value):
        return ""
    html = getattr(value, "_repr_html_", None)
    return repr(value) + "\n" + ((html() or "") if callable(html) else "")


def _is_drawn(value: Any) -> bool:
    return hasattr(value, "get_figure") or (isinstance(value, np.ndarray) and value.dtype == object)


def _pictures() -> str:
    """Return titles, labels and coordinates of the axes of all open pictures, and close them."""
    import matplotlib.pyplot as plt

    parts = []
    for axes in [axes for number in plt.get_fignums() for axes in plt.figure(number).axes]:
        lines = [np.asarray(line.get_xydata(), dtype=float).round(6).tolist() for line in axes.get_lines()]
        boxes = [tuple(np.round(box.get_extents().bounds, 2)) for box in axes.patches]
        points = [np.asarray(one.get_offsets(), dtype=float).round(6).tolist() for one in axes.collections]
        ticks = [label.get_text() for label in axes.get_xticklabels()]
        named = (axes.get_title(), axes.get_xlabel(), axes.get_ylabel(), *axes.get_legend_handles_labels()[1])
        parts.append(repr((named, ticks, lines, boxes, points)))
    plt.close("all")
    return "\n".join(parts)


def run(subject: str, theirs: Path, ours: Path) -> Iterator[Ran]:
    """Run the cells of a notebook in two folders that hold its files, first in pandas."""
    _pictures()  # Close those that others left open.
    known, own = Session(theirs, "pandas"), Session(ours, "akdask.pandas")
    with config.set(pandas_fallback="silent"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, source in enumerate(cells(subject)):
            wanted, variables, display, pandas_seconds = known.run(source)
            before, seconds = face.calls.copy(), 0.0
            through: tuple[str, ...] = ()
            try:
                found, own_variables, own_display, seconds = own.run(source)
                through = tuple(sorted(name for (name, way), _ in (face.calls - before).items() if way != "lazily"))
                different = _difference(found, wanted, own_display, display)
                if different is None:
                    different = next(
                        (
                            f"{name}: {text}"
                            for name, value in variables.items()
                            if (text := difference(own_variables.get(name), value)) is not None
                        ),
                        None,
                    )
            except Exception as error:
                different = f"{type(error).__name__}: {error}"
            yield Ran(number, source, different, through, seconds, pandas_seconds)


def _difference(found: Any, wanted: Any, shown: str, wanted_shown: str) -> str | None:
    if not (_is_drawn(wanted) or hasattr(wanted, "highlight_max")) and (
        different := difference(computed(found), wanted)
    ):
        return different
    return None if shown == wanted_shown else f"shown as\n{shown[:1500]}\nnot\n{wanted_shown[:1500]}"
