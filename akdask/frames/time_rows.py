"""DataFrame methods by the times of rows: resampling, time spans, and times of day."""

from __future__ import annotations

from typing import Any

from akdask.frames.dataframe import DataFrame


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
