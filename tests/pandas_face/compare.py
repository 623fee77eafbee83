"""Runs idioms with pandas and with `akdask.pandas` in its place, and compares what they give.

An idiom is a paragraph of a text file in ``idioms``; the first paragraph of a file makes its data.  Its value is that
of its last line if this is an expression, otherwise the frame ``df``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas

import akdask.pandas
from akdask import config
from akdask.errors import AkdaskError
from akdask.pandas import chunk_forms, group_chunks
from akdask.pandas.face import Face
from akdask.pandas.refusals import ArrangementError, NotLazyError

FOLDER = Path(__file__).parent / "idioms"

LISTS = {"through pandas": FOLDER / "through_pandas.lst", "in chunks": FOLDER / "in_chunks.lst"}
"""The idioms that run in pandas, at once or for chunks of rows, by their titles."""


def title(subject: str, idiom: str) -> str:
    """Return what the list calls an idiom: its subject and its lines, one behind the other."""
    return f"{subject}: {' | '.join(idiom.splitlines())}"


def listed() -> dict[str, str]:
    """Return the ways of idioms that run in pandas, by their titles."""
    return {line: way for way, path in LISTS.items() for line in path.read_text().splitlines()}


def subjects() -> dict[str, tuple[str, list[str]]]:
    """Return the data and the idioms of each subject."""
    found = {}
    for path in sorted(FOLDER.glob("*.txt")):
        data, *idioms = [part.strip("\n") for part in path.read_text().split("\n\n") if part.strip()]
        found[path.stem] = data, idioms
    return found


def value(idiom: str, pd: Any, data: str, through_file: Any = None) -> Any:
    """Run an idiom on data that pandas has made, and return its value as pandas has it.

    Both may use `folder`, the path of an empty folder.  Frames that the idiom names are written and read by
    ``through_file(pd, frame, path)`` if that is given, which returns None for a frame that stays as it is.
    """
    with TemporaryDirectory() as folder:
        return computed(_value(idiom, pd, data, folder, through_file))


def _value(idiom: str, pd: Any, data: str, folder: str, through_file: Any) -> Any:
    tree = ast.parse(idiom)
    names = _copied(data, folder)
    if through_file is not None:
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        for number, (name, item) in enumerate(list(names.items())):
            if type(item) is pandas.DataFrame and name in used:
                found = through_file(pd, item, f"{folder}/{number}")
                names[name] = item if found is None else found
    if pd is not pandas:
        kinds = {pandas.DataFrame: pd.DataFrame, pandas.Series: pd.Series}
        names |= {name: kinds[type(item)](item) for name, item in names.items() if type(item) in kinds}
    names["pd"] = pd
    *statements, last = tree.body
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "<idiom>", "exec"), names)
        return names["df"]
    exec(compile(ast.Module(statements, []), "<idiom>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<idiom>", "eval"), names)


def _copied(data: str, folder: str) -> dict[str, Any]:
    """Return the names that data defines, which is made once, and copy its files to a folder."""
    names, made = _made(data)
    copytree(made.name, folder, dirs_exist_ok=True)
    copies = deepcopy({name: item for name, item in names.items() if not isinstance(item, ModuleType)})
    # Paths of files are those of the copies.
    paths = {name: item.replace(made.name, folder) for name, item in copies.items() if isinstance(item, str)}
    return names | copies | paths


@cache
def _made(data: str) -> tuple[dict[str, Any], TemporaryDirectory[str]]:
    """Return the names that data defines, and the folder of its files, which lives as long."""
    folder = TemporaryDirectory()
    names: dict[str, Any] = {"pd": pandas, "np": np, "folder": folder.name}
    exec(data, names)
    return {name: item for name, item in names.items() if not name.startswith("__")}, folder


def computed(found: Any) -> Any:
    """Return a value as pandas has it."""
    if isinstance(found, Face):
        return found.to_pandas()
    if type(found) in (tuple, list):
        return type(found)(map(computed, found))
    if type(found) is dict:
        return {key: computed(item) for key, item in found.items()}
    return found


def difference(found: Any, wanted: Any) -> str | None:
    """Return how two values differ, None where they are the same."""
    found = computed(found)
    if type(found) is not type(wanted) and type(found).__name__ != type(wanted).__name__:
        return f"{type(found).__name__} is not {type(wanted).__name__}"
    try:
        if isinstance(wanted, pandas.DataFrame):
            pandas.testing.assert_frame_equal(found, wanted, check_freq=False)
        elif _holds_objects(wanted):
            pandas.testing.assert_index_equal(found.index, wanted.index)
            return _first_difference(list(found), list(wanted))
        elif isinstance(wanted, pandas.Series):
            pandas.testing.assert_series_equal(found, wanted, check_freq=False)
        elif isinstance(wanted, pandas.Index):
            pandas.testing.assert_index_equal(found, wanted)
        elif isinstance(wanted, np.ndarray):
            np.testing.assert_equal(found.dtype, wanted.dtype)
            if wanted.dtype.names is None:
                found, wanted = list(found), list(wanted)
            pandas.testing.assert_frame_equal(pandas.DataFrame(found), pandas.DataFrame(wanted))
        elif isinstance(wanted, float):
            np.testing.assert_allclose(found, wanted, rtol=1e-9)
        elif isinstance(wanted, tuple | list):
            return _first_difference(list(found), list(wanted))
        elif isinstance(wanted, dict):
            return _first_difference(list(found.items()), list(wanted.items()))
        elif repr(found) != repr(wanted) and not hasattr(wanted, "__dict__"):
            return f"{found!r:.200} is not {wanted!r:.200}"
    except AssertionError as error:
        return str(error)
    if isinstance(wanted, pandas.DataFrame | pandas.Series) and repr(found) != repr(wanted):
        return f"shown as\n{found!r}\nnot\n{wanted!r}"
    return None


def _holds_objects(wanted: Any) -> bool:
    """Whether values of a Series are frames or Series themselves."""
    return isinstance(wanted, pandas.Series) and any(
        isinstance(one, pandas.DataFrame | pandas.Series) for one in wanted
    )


def _first_difference(found: list[Any], wanted: list[Any]) -> str | None:
    if len(found) != len(wanted):
        return f"{len(found)} items are not {len(wanted)}"
    return next((text for one, other in zip(found, wanted, strict=True) if (text := difference(one, other))), None)


@contextmanager
def _failures_of_forms() -> Iterator[list[str]]:
    """Note errors of lazy forms that are no refusals.

    Whatever fails is asked of pandas for chunks of rows, so that results do not tell of it.
    """
    failures: list[str] = []
    lazily = Face._lazily_by_type

    def noted(face: Face, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            return lazily(face, name, args, kwargs)
        except Exception as error:
            if not isinstance(error, NotLazyError | ArrangementError | AkdaskError):
                failures.append(f"the lazy form of {name} raised {error!r}")
            raise

    with patch.object(Face, "_lazily_by_type", noted):
        yield failures


@contextmanager
def _chunks() -> Iterator[list[str]]:
    """Note the methods that pandas answers for chunks of rows."""
    noted: list[str] = []

    def noting(answer: Callable[..., Any]) -> Callable[..., Any]:
        def answered(asked: Any, name: str, *args: Any) -> Any:
            found = answer(asked, name, *args)
            if found is not NotImplemented:
                noted.append(name)
            return found

        return answered

    with (
        patch.object(chunk_forms, "answered", noting(chunk_forms.answered)),
        patch.object(chunk_forms, "of_function", noting(chunk_forms.of_function)),
        patch.object(group_chunks, "answered", noting(group_chunks.answered)),
    ):
        yield noted


@contextmanager
def ways_noted() -> Iterator[tuple[list[str], list[str]]]:
    """Note failures of lazy forms, and methods that pandas answers for chunks of rows."""
    with _failures_of_forms() as failures, _chunks() as in_chunks:
        yield failures, in_chunks


def outcome(idiom: str, data: str) -> tuple[str, str | None]:
    """Return which way an idiom took, and how its value differs from pandas'.

    The way is ``"lazily"``, ``"in chunks"`` where pandas answers for chunks of rows, or ``"through pandas"``.  An error
    in a lazy form is a difference, too, although chunks of rows give the same value.
    """
    wanted = value(idiom, pandas, data)
    try:
        with config.set(pandas_fallback="error"), ways_noted() as (failures, in_chunks):
            found = value(idiom, akdask.pandas, data)
            way = "in chunks" if in_chunks else "lazily"
            return way, failures[0] if failures else difference(found, wanted)
    except Exception:  # pandas answers it, or refuses as it did before
        with config.set(pandas_fallback="silent"):
            return "through pandas", difference(value(idiom, akdask.pandas, data), wanted)
