"""What a scalar of a schema means: Conduit's typing, which differs from that of YAML libraries.

An integer is decimal, whatever its leading zeros; a number is what C's ``strtod`` takes to the last character; all else
is text, ``yes`` and ``null`` included.  Quotes make no difference, and keys are never typed.
"""

from __future__ import annotations

import math
import re
from typing import TypeAlias

Scalar: TypeAlias = int | float | str

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE)
_HEXADECIMAL = re.compile(r"[+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE)
_NAMED = re.compile(r"([+-]?)(?:(inf(?:inity)?)|nan(?:\([0-9a-z_]*\))?)", re.ASCII | re.IGNORECASE)
_BLANKS = " \t\n\v\f\r"
_MOST_DIGITS = 400
"""Digits of a number that are converted: Python takes quadratic time, and no number of a schema has more."""


def typed(text: str) -> Scalar:
    """Return the integer, the float or the text that Conduit takes a scalar for.

    Examples
    --------
    >>> [typed(text) for text in ("010", "1e5", "0x10", "yes", "-.5", "3 4")]
    [10, 100000.0, 16.0, 'yes', -0.5, '3 4']
    """
    number = text.lstrip(_BLANKS)
    if not number or len(number) > _MOST_DIGITS:
        return text
    if _INTEGER.fullmatch(number):
        return int(number)
    if _DECIMAL.fullmatch(number):
        return float(number)
    if _HEXADECIMAL.fullmatch(number):
        return _from_hexadecimal(number)
    if found := _NAMED.fullmatch(number):
        value = math.inf if found[2] else math.nan
        return -value if found[1] == "-" else value
    return text


def _from_hexadecimal(number: str) -> float:
    try:
        return float.fromhex(number)
    except OverflowError:  # strtod returns infinity
        return -math.inf if number.startswith("-") else math.inf
