"""`Datetime` and `Timedelta`: lazy arrays of times and of spans of time, and ranges of them."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from akdask.arrays import calendar
from akdask.arrays.array import made_of
from akdask.arrays.calendar import frequency_of
from akdask.arrays.creation import array
from akdask.arrays.families import shown_as
from akdask.arrays.pdarray import pdarray
from akdask.arrays.scalar import value_of
from akdask.arrays.timearray import CLASSES, HOUR, MINUTE, SECOND, TimeArray
from akdask.columns.dtypes import SPAN, TIME
from akdask.deferred import pd
from akdask.engine import times
from akdask.engine.sources import refuses_foreign
from akdask.engine.values import Call, Constant
from akdask.errors import ArgumentError, errors_end_at_caller
from akdask.operators.values.times import DAY
from akdask.storage.objects import ObjType

_shown_by_times = shown_as('t = ak.Datetime(["2024-02-29 13:45:10", "2023-12-31 00:00:00"])', "t.{name}.tolist()")
_shown_by_spans = shown_as("t = ak.Timedelta(ak.array([90_061_000_000_001, -1_000_000_000]))", "t.{name}.tolist()")


@errors_end_at_caller
@made_of("M")
class Datetime(TimeArray):
    """A lazy array of times: int64 nanoseconds since 1970, in a zone or none.

    Differences are `Timedelta`, and times plus or minus a `Timedelta` are times.  Comparing takes pandas, NumPy and
    Python times, and ISO 8601 text.  Columns of pandas and files may count other units, see `unit`.  Fields such as
    `year` go by the clocks of the zone, and are missing where some times may be NaT.

    Parameters
    ----------
    pda : pdarray of int, Strings, or times at hand
        Numbers of `unit` since 1970, ISO 8601 text, pandas or NumPy times, whose zone is kept.
    unit : str, default "ns"
        The unit of the numbers: ``w``, ``d``, ``h``, ``m``, ``s``, ``ms``, ``us`` or ``ns``, or a longer name.

    Examples
    --------
    >>> t = Datetime(["2024-02-28T12:00", "2024-12-31T23:59"])
    >>> t.floor("d")[0], t.day_of_year.tolist()
    (Timestamp('2024-02-28 00:00:00'), [59, 366])
    >>> (t - t[0]).days.tolist()
    [0, 307]
    """

    special_objType = "Datetime"

    _is = TIME
    _dtype_kind = "M"

    _objtype = ObjType.DATETIME
    _refused = frozenset({"prod", "var", "sum"})

    def to_pandas(self) -> pd.DatetimeIndex:
        """Return the times as a pandas DatetimeIndex, with their unit and zone; computes.

        Examples
        --------
        >>> t = ak.Datetime(["2024-02-29 13:45:10", "2023-12-31 00:00:00"])
        >>> t.to_pandas()[0]
        Timestamp('2024-02-29 13:45:10')
        """
        index = pd.DatetimeIndex(self.to_ndarray())
        return index if self.tz is None else index.tz_localize("UTC").tz_convert(self.tz)

    # zones

    @property
    def tz(self) -> str | None:
        """The name of the zone, None without one.

        Examples
        --------
        >>> t = ak.Datetime(["2024-02-29 13:45:10", "2023-12-31 00:00:00"])
        >>> t.tz is None, t.tz_localize("Europe/Berlin").tz
        (True, 'Europe/Berlin')
        """
        return self._form.zone

    def tz_convert(self, tz: Any) -> Datetime:
        """Return the same times as the clocks of another zone show them; lazy.

        Parameters
        ----------
        tz : str, tzinfo or None
            A name of ``zoneinfo`` such as ``Europe/Berlin``, a fixed offset such as ``+02:00``, or None for times
            without zone in UTC.

        Raises
        ------
        ArgumentTypeError
            If the times have no zone.
        ArgumentError
            If the zone is unknown.

        Examples
        --------
        >>> ak.Datetime(["2024-07-01T12:00"]).tz_localize("UTC").tz_convert("Europe/Berlin").hour.tolist()
        [14]
        """
        return calendar.converted(self, tz)

    def tz_localize(self, tz: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Datetime:
        """Return the times at which the clocks of a zone show the array's clock times; lazy.

        Parameters
        ----------
        tz : str, tzinfo or None
            The zone, see `tz_convert`; None removes the zone and keeps the clock times.
        ambiguous : {"raise", "NaT", "infer"}, bool, or array of bool
            How to treat times that the clocks show twice: raise an error, give NaT, or take the first one (summer time)
            where it is True.  ``"infer"`` decides by the order of the times, all of which it computes.
        nonexistent : {"raise", "NaT", "shift_forward", "shift_backward"} or timedelta
            How to treat times that the clocks skip.

        Raises
        ------
        ArgumentTypeError
            If the times have a zone already.
        ArgumentError
            If the zone is unknown, or the order of the times decides nothing; at compute, if a time comes twice or
            not at all.

        Examples
        --------
        >>> ak.Datetime(["2024-07-01T12:00"]).tz_localize("Europe/Berlin")[0]
        Timestamp('2024-07-01 12:00:00+0200', tz='Europe/Berlin')
        """
        return calendar.localized(self, tz, ambiguous, nonexistent)

    # fields, names and text

    @property
    def date(self) -> Datetime:
        """The times at the start of their day; lazy.

        Examples
        --------
        >>> t = ak.Datetime(["2024-02-29 13:45:10", "2023-12-31 00:00:00"])
        >>> t.date[0]
        Timestamp('2024-02-29 00:00:00')
        """
        return self.floor("d")

    @property
    @_shown_by_times("[2024, 2023]")
    def year(self) -> pdarray:
        """The year; lazy int64."""
        return calendar.integers(self, "year")

    @property
    @_shown_by_times("[2, 12]")
    def month(self) -> pdarray:
        """The month, 1 to 12; lazy int64."""
        return calendar.integers(self, "month")

    @property
    @_shown_by_times("[29, 31]")
    def day(self) -> pdarray:
        """The day of the month, from 1; lazy int64."""
        return calendar.integers(self, "day")

    @property
    @_shown_by_times("[60, 365]")
    def day_of_year(self) -> pdarray:
        """The day of the year, from 1; lazy int64."""
        return calendar.integers(self, "day_of_year")

    @property
    @_shown_by_times("[3, 6]")
    def day_of_week(self) -> pdarray:
        """The day of the week, Monday 0 to Sunday 6; lazy int64."""
        return calendar.integers(self, "day_of_week")

    @property
    @_shown_by_times("[9, 52]")
    def week(self) -> pdarray:
        """The ISO week, 1 to 53; lazy int64."""
        return calendar.integers(self, "week")

    @property
    @_shown_by_times("[True, False]")
    def is_leap_year(self) -> pdarray:
        """Whether the year is a leap year; lazy bool array."""
        return calendar.integers(self, "is_leap_year")

    @property
    @_shown_by_times("[13, 0]")
    def hour(self) -> pdarray:
        """The hour, 0 to 23, as Arkouda counts it; lazy int64."""
        return self._part("hour", HOUR, 24)

    @property
    @_shown_by_times("[45, 0]")
    def minute(self) -> pdarray:
        """The minute, 0 to 59, as Arkouda counts it; lazy int64."""
        return self._part("minute", MINUTE, 60)

    @property
    @_shown_by_times("[10, 0]")
    def second(self) -> pdarray:
        """The second, 0 to 59, as Arkouda counts it; lazy int64."""
        return self._part("second", SECOND, 60)

    @property
    @_shown_by_times("[0, 0]")
    def millisecond(self) -> pdarray:
        """The millisecond, 0 to 999, as Arkouda counts it; lazy int64."""
        return self._part("millisecond", 10**6, 1000)

    @property
    @_shown_by_times("[0, 0]")
    def microsecond(self) -> pdarray:
        """The microsecond, 0 to 999, as Arkouda counts it; lazy int64."""
        return self._part("microsecond", 10**3, 1000)

    @property
    @_shown_by_times("[0, 0]")
    def nanosecond(self) -> pdarray:
        """The nanosecond, 0 to 999, as Arkouda counts it; lazy int64."""
        return self._part("nanosecond", 1, 1000)

    @property
    @_shown_by_times("[9, 52]")
    def weekofyear(self) -> pdarray:
        """See `week`."""
        return self.week

    @property
    @_shown_by_times("[3, 6]")
    def dayofweek(self) -> pdarray:
        """See `day_of_week`."""
        return self.day_of_week

    @property
    @_shown_by_times("[3, 6]")
    def weekday(self) -> pdarray:
        """See `day_of_week`."""
        return self.day_of_week

    @property
    @_shown_by_times("[60, 365]")
    def dayofyear(self) -> pdarray:
        """See `day_of_year`."""
        return self.day_of_year

    @property
    @_shown_by_times("[1, 4]")
    def quarter(self) -> pdarray:
        """The quarter of the year, 1 to 4; lazy int64."""
        return calendar.integers(self, "month", lambda month: (month - 1) // 3 + 1)

    @property
    @_shown_by_times("[29, 31]")
    def days_in_month(self) -> pdarray:
        """The number of days of the month; lazy int64."""
        return calendar.days_in_month(self)

    daysinmonth = days_in_month

    @property
    @_shown_by_times("[False, False]")
    def is_month_start(self) -> pdarray:
        """Whether the day is the first of its month; lazy bool array."""
        return self.day == 1

    @property
    @_shown_by_times("[True, True]")
    def is_month_end(self) -> pdarray:
        """Whether the day is the last of its month; lazy bool array."""
        return self.day == self.days_in_month

    @property
    @_shown_by_times("[False, False]")
    def is_quarter_start(self) -> pdarray:
        """Whether the day is the first of its quarter; lazy bool array."""
        return self.is_month_start & (self.month % 3 == 1)

    @property
    @_shown_by_times("[False, True]")
    def is_quarter_end(self) -> pdarray:
        """Whether the day is the last of its quarter; lazy bool array."""
        return self.is_month_end & (self.month % 3 == 0)

    @property
    @_shown_by_times("[False, False]")
    def is_year_start(self) -> pdarray:
        """Whether the day is the first of its year; lazy bool array."""
        return self.is_month_start & (self.month == 1)

    @property
    @_shown_by_times("[False, True]")
    def is_year_end(self) -> pdarray:
        """Whether the day is the last of its year; lazy bool array."""
        return self.is_month_end & (self.month == 12)

    def day_name(self) -> Any:
        """Return the English names of the days of the week; lazy Strings, missing for NaT.

        Examples
        --------
        >>> ak.Datetime(["2026-01-01"]).day_name().tolist()
        ['Thursday']
        """
        return calendar.named(self, calendar.DAYS, "day_of_week")

    def month_name(self) -> Any:
        """Return the English names of the months; lazy Strings, missing for NaT.

        Examples
        --------
        >>> t = ak.Datetime(["2024-02-29 13:45:10", "2023-12-31 00:00:00"])
        >>> t.month_name().tolist()
        ['February', 'December']
        """
        return calendar.named(self, calendar.MONTHS, "month", first=1)

    def normalize(self) -> Datetime:
        """Return the times at the start of their day; lazy.

        Examples
        --------
        >>> t = ak.Datetime(["2024-02-29 13:45:10", "2023-12-31 00:00:00"])
        >>> t.normalize()[0]
        Timestamp('2024-02-29 00:00:00')
        """
        return self.floor("d")

    def strftime(self, date_format: str) -> Any:
        """Return the times as text; lazy Strings, missing for NaT.  It calls Python for each time.

        Parameters
        ----------
        date_format : str
            In the directives of ``datetime.strftime``.

        Examples
        --------
        >>> ak.Datetime(["2026-01-02"]).strftime("%d.%m.%Y").tolist()
        ['02.01.2026']
        """
        return calendar.formatted(self, date_format)

    def isocalendar(self) -> Any:
        """Return ISO year, week and day of the week, from Monday 1, as a DataFrame; lazy.

        Examples
        --------
        >>> t = ak.Datetime(["2024-02-29 13:45:10", "2023-12-31 00:00:00"])
        >>> t.isocalendar()["week"].tolist()
        [9, 52]
        """
        from akdask.frames.dataframe import DataFrame

        day = calendar.integers(self, "day_of_week", lambda number: number + 1)
        return DataFrame({"year": calendar.integers(self, "iso_year"), "week": self.week, "day": day})


@errors_end_at_caller
@made_of("m")
class Timedelta(TimeArray):
    """A lazy array of spans of time: int64 nanoseconds.

    Parameters
    ----------
    pda : pdarray of int, Strings, or spans at hand
        Numbers of `unit`, text such as ``1 days 00:30:00``, pandas or NumPy spans.
    unit : str, default "ns"
        The unit of the numbers, as for `Datetime`.

    Examples
    --------
    >>> span = Timedelta(ak.array([90, -1]), unit="minutes")
    >>> span.total_seconds().tolist(), span.days.tolist(), span.seconds.tolist()
    ([5400.0, -60.0], [0, -1], [5400, 86340])
    """

    special_objType = "Timedelta"

    _is = SPAN
    _dtype_kind = "m"

    _objtype = ObjType.TIMEDELTA

    def to_pandas(self) -> pd.TimedeltaIndex:
        """Return the spans as a pandas TimedeltaIndex; computes.

        Examples
        --------
        >>> t = ak.Timedelta(ak.array([90_061_000_000_001, -1_000_000_000]))
        >>> t.to_pandas()[0]
        Timedelta('1 days 01:01:01.000000001')
        """
        return pd.TimedeltaIndex(self.to_ndarray())

    @property
    @_shown_by_spans("[1, -1]")
    def days(self) -> pdarray:
        """Whole days, rounded down; lazy int64."""
        return self._part("days", DAY, 0)

    @property
    @_shown_by_spans("[3661, 86399]")
    def seconds(self) -> pdarray:
        """Whole seconds beyond the days, 0 to 86399; lazy int64."""
        return self._part("seconds", SECOND, 86_400)

    @property
    @_shown_by_spans("[0, 0]")
    def microseconds(self) -> pdarray:
        """Whole microseconds beyond the seconds, 0 to 999999; lazy int64."""
        return self._part("microseconds", 10**3, 10**6)

    @property
    @_shown_by_spans("[1, 0]")
    def nanoseconds(self) -> pdarray:
        """Nanoseconds beyond the microseconds, 0 to 999; lazy int64."""
        return self._part("nanoseconds", 1, 10**3)

    @property
    def components(self) -> Any:
        """Days, hours and so on down to nanoseconds, as a DataFrame; lazy.

        Examples
        --------
        >>> t = ak.Timedelta(ak.array([90_061_000_000_001, -1_000_000_000]))
        >>> t.components["hours"].tolist()
        [1, 23]
        """
        parts = {
            "hours": (HOUR, 24),
            "minutes": (MINUTE, 60),
            "seconds": (SECOND, 60),
            "milliseconds": (10**6, 1000),
            "microseconds": (10**3, 1000),
            "nanoseconds": (1, 1000),
        }
        from akdask.frames.dataframe import DataFrame

        return DataFrame({"days": self.days, **{name: self._part(name, *part) for name, part in parts.items()}})

    def total_seconds(self) -> pdarray:
        """Return the spans in seconds, as float64, NaN for NaT; lazy.

        Examples
        --------
        >>> t = ak.Timedelta(ak.array([90_061_000_000_001, -1_000_000_000]))
        >>> t.total_seconds().tolist()
        [90061.000000001, -1.0]
        """
        seconds = Call("divide", self._value, Constant(float(self._form.per_second)))
        return pdarray(self._frame, Call("where", times.is_missing_time(self._value), Constant(np.nan), seconds))

    def abs(self) -> Timedelta:
        """Return the spans without their sign; lazy.

        Examples
        --------
        >>> t = ak.Timedelta(ak.array([90_061_000_000_001, -1_000_000_000]))
        >>> t.abs().seconds.tolist()
        [3661, 1]
        """
        return self._like(self._frame, Call("absolute", self._value))


CLASSES.update({TIME: Datetime, SPAN: Timedelta})


@refuses_foreign()
def date_range(  # noqa: PLR0917 - pandas' signature
    start: Any = None,
    end: Any = None,
    periods: int | None = None,
    freq: Any = None,
    tz: Any = None,
    normalize: bool = False,
    name: str | None = None,
    inclusive: str = "both",
    **kwargs: Any,
) -> Datetime:
    """Return evenly spaced times, as ``pandas.date_range`` does.

    Parameters
    ----------
    start, end : str or time, optional
        Bounds.
    periods : int, optional
        Number of times.
    freq : str or pandas offset, optional
        Distance, such as ``D`` or ``5min``.
    tz : str or tzinfo, optional
        Zone of the bounds and of the times.
    normalize : bool
        Take the bounds to the start of their day.
    name : str, optional
        Accepted for compatibility with pandas.
    inclusive : {"both", "neither", "left", "right"}
        Which bounds belong to the range.
    **kwargs
        Passed on to pandas, such as ``unit``, which is ``"ns"`` unless given.

    Raises
    ------
    ArgumentError
        If pandas refuses the arguments.

    Examples
    --------
    >>> date_range("2026-01-30", periods=3).day.tolist()
    [30, 31, 1]
    """
    params = {"tz": tz, "normalize": normalize, "name": name, "inclusive": inclusive, **kwargs}
    found = _range("date_range", pd.date_range, start, end, periods, freq, params)
    # Arkouda's are nanoseconds; a unit in the arguments stays.
    return cast("Datetime", array(found)) if "unit" in kwargs else Datetime(found)


def bdate_range(  # noqa: PLR0917 - pandas' signature
    start: Any = None,
    end: Any = None,
    periods: int | None = None,
    freq: Any = "B",
    tz: Any = None,
    normalize: bool = True,
    name: str | None = None,
    weekmask: str | None = None,
    holidays: Any = None,
    inclusive: str = "both",
    **kwargs: Any,
) -> Datetime:
    """Return business days, as ``pandas.bdate_range`` does.

    Parameters
    ----------
    start, end, periods
        As in `date_range`.
    freq : str or pandas offset, default "B"
        Distance; ``C`` with `weekmask` and `holidays`.
    tz, normalize, name
        As in `date_range`.
    weekmask : str, optional
        Which days of the week are business days, such as ``"Sun Mon Tue Wed Thu"``.
    holidays : list of dates, optional
        Days that are none.
    inclusive
        As in `date_range`.
    **kwargs
        Passed on to pandas.

    Raises
    ------
    ArgumentError
        If pandas refuses the arguments.

    Examples
    --------
    >>> bdate_range("2026-01-30", periods=3).day.tolist()
    [30, 2, 3]
    """
    params = {"tz": tz, "normalize": normalize, "name": name, "inclusive": inclusive, **kwargs}
    params |= {"weekmask": weekmask, "holidays": holidays}
    return Datetime(_range("bdate_range", pd.bdate_range, start, end, periods, freq, params))


@refuses_foreign()
def timedelta_range(  # noqa: PLR0917 - pandas' signature
    start: Any = None,
    end: Any = None,
    periods: int | None = None,
    freq: Any = None,
    name: str | None = None,
    closed: str | None = None,
    **kwargs: Any,
) -> Timedelta:
    """Return evenly spaced spans, as ``pandas.timedelta_range`` does.

    Parameters
    ----------
    start, end : str or span, optional
        Bounds.
    periods : int, optional
        Number of spans.
    freq : str or pandas offset, optional
        Distance, such as ``D`` or ``5min``.
    name : str, optional
        Accepted for compatibility with pandas.
    closed : {"left", "right"}, optional
        Which bound belongs to the range, both unless given.
    **kwargs
        Passed on to pandas.

    Examples
    --------
    >>> timedelta_range("1h", periods=3, freq="30min").total_seconds().tolist()
    [3600.0, 5400.0, 7200.0]
    """
    if freq is not None and (found := frequency_of(freq, asked="timedelta_range")).span is None:
        raise ArgumentError(
            f"timedelta_range: {found.offset} is a non-fixed frequency.", hint="spans have no calendar."
        )
    params = {"name": name, "closed": closed, **kwargs}
    return Timedelta(_range("timedelta_range", pd.timedelta_range, start, end, periods, freq, params))


def _range(  # noqa: PLR0917 - pandas' arguments
    asked: str, make: Any, start: Any, end: Any, periods: Any, freq: Any, params: dict[str, Any]
) -> Any:
    """Return a range that pandas makes, refused with its words."""
    offset = None if freq is None else frequency_of(freq, asked=asked).offset
    # Weekmasks and holidays ask pandas for the name of a frequency.
    given = freq if isinstance(freq, str) else offset
    try:
        return make(value_of(start), value_of(end), value_of(periods), freq=given, **params)
    except (ValueError, TypeError) as error:
        raise ArgumentError(f"{asked}: {error}", hint="see pandas' description of the arguments.") from error
