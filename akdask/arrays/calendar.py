"""Calendar properties of times beyond Arkouda's fields: names, quarters, first and last days, and formatted text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.arrays.creation import array
from akdask.arrays.operators import where
from akdask.arrays.pdarray import pdarray
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import NOT_A_TIME, TimeForm
from akdask.engine.values import Call

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
"""Days of the months of a year that is no leap year."""


class CalendarMethods(TimeArray):
    """Fields and text of times, as pandas has them."""

    month: Any
    day: Any

    @property
    def quarter(self) -> pdarray:
        """The quarter of the year, 1 to 4; lazy int64."""
        return self._calendar("month", lambda month: (month - 1) // 3 + 1)

    @property
    def days_in_month(self) -> pdarray:
        """The number of days of the month; lazy int64."""
        days: Any = array(np.array(LENGTHS))[self._field("month") - 1]
        return self._present_numbers(where((self._field("month") == 2) & self._field("is_leap_year"), 29, days))

    daysinmonth = days_in_month

    @property
    def is_month_start(self) -> pdarray:
        """Whether the day is the first of its month; lazy bool array."""
        found: pdarray = self.day == 1
        return found

    @property
    def is_month_end(self) -> pdarray:
        """Whether the day is the last of its month; lazy bool array."""
        found: pdarray = self.day == self.days_in_month
        return found

    @property
    def is_quarter_start(self) -> pdarray:
        """Whether the day is the first of its quarter; lazy bool array."""
        return self.is_month_start & (self.month % 3 == 1)

    @property
    def is_quarter_end(self) -> pdarray:
        """Whether the day is the last of its quarter; lazy bool array."""
        return self.is_month_end & (self.month % 3 == 0)

    @property
    def is_year_start(self) -> pdarray:
        """Whether the day is the first of its year; lazy bool array."""
        return self.is_month_start & (self.month == 1)

    @property
    def is_year_end(self) -> pdarray:
        """Whether the day is the last of its year; lazy bool array."""
        return self.is_month_end & (self.month == 12)

    def day_name(self) -> Any:
        """Return the English names of the days of the week; lazy Strings, missing for NaT.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Datetime(["2026-01-01"]).day_name().tolist()
        ['Thursday']
        """
        return self._text(array(list(DAYS))[self._field("day_of_week")])

    def month_name(self) -> Any:
        """Return the English names of the months; lazy Strings, missing for NaT."""
        return self._text(array(list(MONTHS))[self._field("month") - 1])

    def normalize(self) -> Any:
        """Return the times at the start of their day; lazy."""
        return self.floor("d")

    def strftime(self, date_format: str) -> Any:
        """Return the times as text; lazy Strings, missing for NaT.  It calls Python for each time.

        Parameters
        ----------
        date_format : str
            In the directives of ``datetime.strftime``.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Datetime(["2026-01-02"]).strftime("%d.%m.%Y").tolist()
        ['02.01.2026']
        """
        from akdask.arrays.functions import apply

        numbers = pdarray(self._frame, self._value)
        return self._text(apply(numbers, Formatted(self._form, date_format), str))

    def _calendar(self, field: str, of_field: Callable[[Any], Any] = lambda number: number) -> pdarray:
        """Return a field of the calendar, or integers computed from it, with NaN for NaT."""
        return self._present_numbers(of_field(self._field(field, missing=bool(self._form.may_lack))))

    def _field(self, field: str, *, missing: bool = True) -> Any:
        """Return a field of the calendar; NaT gives an arbitrary number with `missing`, otherwise an error."""
        value = Call("calendar", self._clock, field=field, unit=self._form.unit, missing=missing)
        return pdarray(self._frame, value)

    def _text(self, found: Any) -> Any:
        """Return text that is missing where the time is."""
        frame, (value, lacks) = self._beside(found)
        return found._like(frame, Call("make_missing", value, lacks))


@dataclass(frozen=True, slots=True)
class Formatted:
    """Makes text of a number of a time.

    Parameters
    ----------
    form : TimeForm
        Unit and zone of the numbers.
    date_format : str
        How it is written.
    """

    form: TimeForm
    date_format: str

    def __call__(self, number: int) -> str:
        """Return the text, none for NaT."""
        return "" if number == NOT_A_TIME else str(self.form(number).strftime(self.date_format))
