"""DataFrame methods by the times of rows: resampling, time spans, and times of day."""

from __future__ import annotations

from typing import Any, Self

from akdask.arrays.time_of_day import within_day
from akdask.frames.rows import RowMethods


class ResampleMethods(RowMethods):
    """Grouping by spans of time."""

    def resample(  # noqa: PLR0917 - pandas' signature
        self,
        rule: Any,
        closed: str | None = None,
        label: str | None = None,
        on: str | None = None,
        level: Any = None,
        origin: Any = "start_day",
        offset: Any = None,
        group_keys: bool = False,
    ) -> Any:
        """Return the rows grouped by bins of time, to be reduced: ``df.resample("ME", on="t").mean()``.

        Parameters
        ----------
        rule : str, pandas offset or timedelta
            How far apart bins are: ``"15min"``, ``"h"``, ``"D"``, or by the calendar, such as ``"W"``, ``"MS"``,
            ``"QE-NOV"`` and ``pd.offsets.BMonthEnd()``.  Case matters.
        closed : {"left", "right"}, optional
            Which bound belongs to a bin: the left one, but the right one of ``"ME"``, ``"YE"``, ``"QE"``, ``"BME"``,
            ``"BYE"``, ``"BQE"`` and ``"W"``, as in pandas.
        label : {"left", "right"}, optional
            Which bound labels a bin, chosen like `closed`.
        on : str, optional
            The column of times, the labels of the rows unless given.
        level : int or str, optional
            The level of the labels, which have one.
        origin : {"epoch", "start", "start_day", "end", "end_day"} or time
            From where bins of fixed length are counted.
        offset : str or timedelta, optional
            Added to the origin.
        group_keys : bool
            Accepted for compatibility with pandas.

        Returns
        -------
        Resampler
            Its reductions have one row for each bin from the first to the last, also where there are no rows: 0 for
            sums and counts, otherwise missing.

        Raises
        ------
        ArgumentTypeError
            If the column has no times.
        ArgumentError
            If pandas refuses `rule` or another argument, or there would be too many bins.
        MissingColumnError
            If there is no column of that name.

        Notes
        -----
        Follows ``pandas.DataFrame.resample``; text and other columns that a reduction has no meaning for are left out.
        First and last time are computed.

        Examples
        --------
        >>> import akdask as ak
        >>> times = ak.Datetime(["2024-01-31", "2024-02-01", "2024-04-30"])
        >>> ak.DataFrame({"t": times, "x": [1, 2, 4]}).resample("ME", on="t").sum().to_pandas()["x"].tolist()
        [1, 2, 0, 4]
        """
        asked = {"closed": closed, "label": label, "origin": origin, "offset": offset}
        from akdask.frames.resampling import resampler

        return resampler(self, rule, on, level, asked)

    def asfreq(self, freq: Any, method: str | None = None, *, normalize: bool = False, fill_value: Any = None) -> Self:
        """Return the rows at regular times from the first to the last one, by their labels; computes these.

        Parameters
        ----------
        freq : str, pandas offset or timedelta
            How far the times are apart.
        method : {"ffill", "pad", "bfill", "backfill"}, optional
            Take the last row before a time, or the next one after it, where none is of that time.
        normalize : bool
            Label the rows by the start of their day.
        fill_value : scalar, optional
            Value of times without a row; missing unless given.

        Raises
        ------
        ArgumentTypeError
            If the labels are no times.
        ArgumentError
            If pandas refuses the frequency, or two rows have the same label.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1, 2]}, index=ak.Datetime(["2024-01-31", "2024-03-31"]))
        >>> df.asfreq("ME", fill_value=0).to_pandas()["x"].tolist()
        [1, 0, 2]
        """
        from akdask.frames.resampling import regular_rows

        found: Self = regular_rows(self, freq, method, normalize, fill_value)
        return found

    def between_time(self, start_time: Any, end_time: Any, inclusive: str = "both") -> Self:
        """Return the rows whose labels lie between two times of day; lazy.

        Parameters
        ----------
        start_time, end_time : datetime.time or str
            The bounds, such as ``"09:30"``, by the clocks of the labels; over midnight where the first is later.
        inclusive : {"both", "neither", "left", "right"}
            Which of them count as between.

        Raises
        ------
        ArgumentTypeError
            If the labels are no times, or a bound is none.
        ArgumentError
            If `inclusive` is something else.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1, 2]}, index=ak.Datetime(["2024-01-31T08:00", "2024-02-01T10:00"]))
        >>> df.between_time("09:30", "17:00")["x"].tolist()
        [2]
        """
        labels = self._columns.index_array()
        rows: Self = self._rows(within_day("between_time", labels, start_time, end_time, inclusive))
        return rows

    def at_time(self, time: Any) -> Self:
        """Return the rows whose labels have a time of day; lazy.  See `between_time`."""
        rows: Self = self._rows(within_day("at_time", self._columns.index_array(), time, time))
        return rows
