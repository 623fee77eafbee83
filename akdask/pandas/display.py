"""Frames and Series as pandas shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from akdask.pandas.frame import DataFrame
    from akdask.pandas.series import Series


def frame_text(frame: DataFrame) -> str:
    return repr(_looked_at(frame))


def frame_html(frame: DataFrame) -> str | None:
    html: str | None = _looked_at(frame)._repr_html_()
    return html


def series_text(series: Series) -> str:
    return repr(_looked_at(series))


def _looked_at(found: Any) -> Any:
    return found.to_pandas()
