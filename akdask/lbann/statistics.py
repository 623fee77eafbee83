"""Statistics of fields: mean, deviation and extremes in one pass, and the schema that normalizes by them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import yaml

from akdask.errors import ArgumentError
from akdask.lbann.lazy import RunReader, runs_of
from akdask.lbann.reader import SampleReader
from akdask.lbann.sample_list import parts
from akdask.lbann.schema import FieldMetadata, SampleFields
from akdask.records import record

if TYPE_CHECKING:
    from akdask.lbann.dataset import Dataset

_RAW = ("coerce", "dims", "channels", "layout", "transpose", "hwc")
"""Directives that are followed when a field is read for statistics: not scale, bias and packing."""


@record
class FieldStatistics:
    """Statistics of the values of a field; per channel, if requested.

    Parameters
    ----------
    count : int
        Values of each channel that are finite.
    mean, std, min, max : ndarray, shape (channels,)
        Number of values and their statistics; NaN without values.  The deviation is that of the population.
    n_not_finite : int
        Values that are NaN or infinite.
    dtype : numpy.dtype
        Of the field, coerced.
    """

    count: int
    mean: np.ndarray
    std: np.ndarray
    min: np.ndarray
    max: np.ndarray
    n_not_finite: int
    dtype: np.dtype[Any]


@record
class _Moments:
    """Count, mean, sum of squared deviations and extremes, per channel, in a form that can be merged."""

    count: np.ndarray
    mean: np.ndarray
    squares: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n_not_finite: int


def statistics_of(
    dataset: Dataset, fields: Sequence[str] | None = None, *, by_channel: bool = False
) -> dict[str, FieldStatistics]:
    """Return statistics of fields over all samples, in one pass that Dask runs in parallel.

    Values are coerced as in reading, but not scaled.

    Parameters
    ----------
    dataset : Dataset
        The samples.
    fields : sequence of str, optional
        Names of fields; all numeric ones by default.
    by_channel : bool, default False
        Give statistics per channel for fields with several channels.

    Raises
    ------
    ArgumentError
        If there are no samples.
    LbannError
        If a sample cannot be read.
    """
    import dask

    if not len(dataset):
        raise ArgumentError("no samples to find statistics of.")
    chosen = list(dataset.fields if fields is None else fields)
    raw = SampleFields({path: _raw(dataset.fields[path]) for path in chosen})
    reader = SampleReader(raw)
    first = reader.read(*dataset.location(0))
    numbers = [path for path in chosen if first[path].dtype.kind in "iuf"]
    if not numbers:
        raise ArgumentError("none of the fields has numbers.")
    channels = {path: (raw[path].directives.channels or 1) if by_channel else 1 for path in numbers}
    grouped = dataset.grouped().with_reader(reader)
    rows = runs_of(dataset.samples.file_of(dataset.indices), sum(values.nbytes for values in first.values()))
    one_pass = dask.delayed(_moments)
    partial = [one_pass(RunReader(grouped, dataset.indices[start:stop]), channels) for start, stop in rows]
    found = dask.compute(*partial)
    merged = {path: reduce(_merged, (moments[path] for moments in found)) for path in numbers}
    return {path: _finished(moments, first[path].dtype) for path, moments in merged.items()}


def _raw(field: FieldMetadata) -> FieldMetadata:
    return FieldMetadata(field.path, {key: entry for key, entry in field.entries.items() if key in _RAW})


def _moments(run: RunReader, channels: Mapping[str, int]) -> dict[str, _Moments]:
    batch = run()
    return {path: _moments_of(batch[path], n) for path, n in channels.items()}


def _moments_of(values: np.ndarray, channels: int) -> _Moments:
    # Values are read with channels first, so that the elements of a channel are contiguous.
    # Means and deviations for networks, which compute in floats of fewer bits.
    by_channel = values.reshape(len(values), channels, -1).astype(np.float64).swapaxes(0, 1).reshape(channels, -1)
    is_finite = np.isfinite(by_channel)
    count = is_finite.sum(axis=1)
    numbers = np.where(is_finite, by_channel, 0.0)
    mean = numbers.sum(axis=1) / np.maximum(count, 1)
    squares = (np.where(is_finite, by_channel - mean[:, None], 0.0) ** 2).sum(axis=1)
    low = np.where(is_finite, by_channel, np.inf).min(axis=1, initial=np.inf)
    high = np.where(is_finite, by_channel, -np.inf).max(axis=1, initial=-np.inf)
    return _Moments(count, mean, squares, low, high, int(is_finite.size - is_finite.sum()))


def _merged(left: _Moments, right: _Moments) -> _Moments:
    count = left.count + right.count
    shift = right.mean - left.mean
    share = right.count / np.maximum(count, 1)
    return _Moments(
        count,
        left.mean + shift * share,
        left.squares + right.squares + shift**2 * left.count * share,
        np.minimum(left.low, right.low),
        np.maximum(left.high, right.high),
        left.n_not_finite + right.n_not_finite,
    )


def _finished(moments: _Moments, dtype: np.dtype[Any]) -> FieldStatistics:
    has_none = moments.count == 0
    shown = [np.where(has_none, math.nan, one) for one in (moments.mean, moments.low, moments.high)]
    std = np.where(has_none, math.nan, np.sqrt(moments.squares / np.maximum(moments.count, 1)))
    return FieldStatistics(int(moments.count.max()), shown[0], std, shown[1], shown[2], moments.n_not_finite, dtype)


def normalized_schema(
    dataset: Dataset,
    statistics: Mapping[str, FieldStatistics],
    *,
    to: Literal["standard", "unit"] = "standard",
) -> str:
    """Return an experiment schema of the same fields whose scale and bias are filled from statistics.

    Fields of integers are coerced to ``double``, since only floats can be scaled.

    Parameters
    ----------
    dataset : Dataset
        Whose fields are selected, with all of their metadata.
    statistics : mapping of str to FieldStatistics
        Results of `statistics_of`; other fields stay unchanged.
    to : {"standard", "unit"}, default "standard"
        Mean 0 and deviation 1, or values from 0 to 1.  Constant values are shifted only.

    Returns
    -------
    str
        YAML.

    Raises
    ------
    ArgumentError
        If `to` is something else.
    """
    if to not in {"standard", "unit"}:
        raise ArgumentError(f"to is {to!r}.", hint="it is 'standard' or 'unit'.")
    tree: dict[str, Any] = {}
    for path, field in dataset.fields.items():
        metadata = dict(field)
        if path in statistics:
            scale, bias = _scale_and_bias(statistics[path], to)
            repeat = (field.directives.channels or 1) if len(scale) == 1 else 1
            metadata |= {"scale": scale * repeat, "bias": bias * repeat}
            if statistics[path].dtype.kind != "f":
                metadata["coerce"] = "double"
        node = tree
        for name in parts(path):
            node = node.setdefault(name, {})
        node["metadata"] = metadata
    text: str = yaml.safe_dump(tree, sort_keys=False, allow_unicode=True)
    return text


def _scale_and_bias(found: FieldStatistics, to: str) -> tuple[list[float], list[float]]:
    shift, width = (found.mean, found.std) if to == "standard" else (found.min, found.max - found.min)
    scale = np.where((width > 0) & np.isfinite(width), 1.0 / np.where(width > 0, width, 1.0), 1.0)
    bias = np.where(np.isfinite(shift), -shift * scale, 0.0)
    return scale.tolist(), bias.tolist()
