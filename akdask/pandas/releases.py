"""The releases of pandas that the face stands for."""

from __future__ import annotations

from akdask.errors import UnsupportedError


def demand_pandas(version: str) -> None:
    """Refuse pandas before 3.0, whose text, times and copies are others.

    Raises
    ------
    UnsupportedError
        If it is older.

    Examples
    --------
    >>> demand_pandas("3.1.0")
    """
    if int(version.partition(".")[0]) < 3:
        raise UnsupportedError(
            f"akdask.pandas follows pandas 3, and pandas {version} is installed.",
            hint='pip install "pandas>=3"; import akdask works with it as it is.',
        )
