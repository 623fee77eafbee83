"""DataFrame methods by the times of rows: resampling, time spans, and times of day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from akdask.arrays.time_bins import Binning
from akdask.errors import ArgumentError
from akdask.frames.dataframe import DataFrame

if TYPE_CHECKING:
    from akdask.frames.series import Series


def resample(
    frame: DataFrame,
    rule: Any,
    closed: str | None,
    label: str | None,
    on: str | None,
    level: Any,
    origin: Any,
    offset: Any,
    group_keys: bool,
) -> Any:
    asked = {"closed": closed, "label": label, "origin": origin, "offset": offset}
    from akdask.frames.resampling import resampler

    return resampler(frame, rule, on, level, asked)


def asfreq(frame: DataFrame, freq: Any, method: str | None, *, normalize: bool, fill_value: Any) -> DataFrame:
    from akdask.frames.resampling import regular_rows

    found: DataFrame = regular_rows(frame, freq, method, normalize, fill_value)
    return found


def resample_series(
    series: Series,
    rule: Any,
    closed: str | None,
    label: str | None,
    on: None,
    level: Any,
    origin: Any,
    offset: Any,
    group_keys: bool,
) -> Any:
    if on is not None:
        raise ArgumentError(f"a Series has no column {on!r}.", hint="its labels are the times, or level= of them.")
    asked = {"closed": closed, "label": label, "origin": origin, "offset": offset}
    from akdask.frames.resampling import values_in_bins

    return values_in_bins(series, Binning.of("resample", rule, **asked), level)


def series_at_times(series: Series, freq: Any, method: str | None, *, normalize: bool, fill_value: Any) -> Series:
    if series._level_names:
        raise ArgumentError("asfreq takes labels of one level.")
    from akdask.frames.resampling import regular_rows

    return series._moved(regular_rows(series._labelled, freq, method, normalize, fill_value))
