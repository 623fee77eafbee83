"""Frames and Series below or beside each other: pandas puts their labels together, the house their columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas

from akdask.deferred import loaded_module
from akdask.frames import functions
from akdask.frames.dataframe import DataFrame
from akdask.frames.series import Series
from akdask.pandas.labels import (
    FrameLabels,
    data_names,
    framed,
    labelled,
    labels_of_frame,
    probe,
    row_labels,
    series_of,
)
from akdask.pandas.lazy import LazyFrame
from akdask.pandas.refusals import NotLazyError
from akdask.pandas.selection import asked, with_labels_of


def concat(items: list[Any], is_beside: bool, ignore_index: bool, options: dict[str, Any]) -> Any:
    """Return frames or Series below or beside each other.

    Raises
    ------
    ArrangementError
        With the error that pandas raises for the labels.
    NotLazyError
        If frames and Series are mixed below each other, or columns repeat.
    """
    if not items or not all(isinstance(one, DataFrame | Series) for one in items):
        raise NotLazyError("there are other objects than frames and Series")
    frames = [one if isinstance(one, DataFrame) else framed(one, one.name) for one in items]
    if is_beside:
        return _beside(items, frames, ignore_index, options)
    if any(isinstance(one, Series) for one in items) and any(isinstance(one, DataFrame) for one in items):
        if ignore_index:
            raise NotLazyError("frames and Series are below each other")
        pairs = zip(items, frames, strict=True)
        frames = [
            framed(one, 0 if one.name is None else one.name) if isinstance(one, Series) else f for one, f in pairs
        ]
        items = frames
    return _below(items, frames, ignore_index, options)


def _probes(items: list[Any], frames: list[Any]) -> list[Any]:
    """Return a row of each object, with its labels."""
    rows = [probe(one) for one in frames]
    return [row if isinstance(one, DataFrame) else row.iloc[:, 0] for one, row in zip(items, rows, strict=True)]


def _below(items: list[Any], frames: list[Any], ignore_index: bool, options: dict[str, Any]) -> Any:
    given = {word: options[word] for word in ("join", "sort")}
    example = asked(lambda rows: pandas.concat(rows, **given), _probes(items, frames))
    of_rows = {word: one for word, one in options.items() if word not in given}
    probes = [pandas.Series(np.zeros(len(rows), np.int8), rows) for rows in map(row_labels, frames)]
    labels = asked(lambda rows: pandas.concat(rows, ignore_index=ignore_index, **of_rows), probes).index
    is_series = isinstance(example, pandas.Series)
    names = pandas.Index([example.name]) if is_series else example.columns
    if not names.is_unique or (names.dtype == object and all(isinstance(name, str) for name in names)):
        raise NotLazyError("columns repeat, or are text in objects of Python")
    inner = [f"column {number}" for number in range(len(names))]
    parts = []
    for frame, row in zip(frames, _probes(frames, frames), strict=True):
        positions = [0] if is_series else names.get_indexer(row.columns)
        if not row.columns.is_unique:
            raise NotLazyError("columns repeat")
        renamed = {old: inner[at] for old, at in zip(data_names(frame), positions, strict=True) if at >= 0}
        parts.append(LazyFrame._of(frame._columns.only(list(renamed)).renamed(renamed).labelled(None)))
    for name in inner:
        kinds = {part._columns.values[name].dtype.kind for part in parts if name in part._columns.values}
        if "bool" in kinds and len(kinds) > 1:
            raise NotLazyError("bools and numbers are objects in pandas")
    encoded = loaded_module("akdask.pandas.encoded")
    if encoded is not None and len({tuple(sorted(part._columns.values)) for part in parts}) > 1:
        encoded.check_gaps(*parts)
    found: Any = functions.concat(parts, axis=0, join="outer", ignore_index=True)
    made = with_labels_of(LazyFrame._of(found._columns.only(inner)), labels, names)
    return series_of(made, example.name) if is_series else made


def _beside(items: list[Any], frames: list[Any], ignore_index: bool, options: dict[str, Any]) -> Any:
    if any(labels is not None and labels.levels for labels in map(labels_of_frame, frames)):
        raise NotLazyError("labels of several levels are put together by pandas")
    given = {word: one for word, one in options.items() if word != "join"}
    labels = [row_labels(frame) for frame in frames]
    if any(getattr(one, "freq", None) is not None for one in labels):
        raise NotLazyError("labels have a frequency")
    if given["sort"] or any(one.dtype != labels[0].dtype for one in labels):
        raise NotLazyError("labels are sorted, or of different types")
    example = asked(
        lambda rows: pandas.concat(rows, axis=1, ignore_index=ignore_index, **given), _probes(items, frames)
    )
    parts = []
    for number, frame in enumerate(frames):
        renamed = {name: f"column {number} {at}" for at, name in enumerate(data_names(frame))}
        parts.append(LazyFrame._of(frame._columns.renamed(renamed)))
    found: Any = functions.concat(parts, axis=1, join=options["join"])
    own = found._columns
    if own.index_name != example.index.name:
        found = LazyFrame._of(own.labelled(None if own.index is None else own.index_array(), example.index.name))
    if len(found._columns.values) != len(example.columns):
        raise NotLazyError("columns differ")
    return labelled(LazyFrame.under(found), FrameLabels(example.columns))
