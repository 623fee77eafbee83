"""Case and classes of characters, as in Python's `str`, and encodings, row by row.

Arrow's functions agree with Python on ASCII. They differ in letters that become two in the other case (``ß``), and in
which characters are digits (``½``). So rows with such characters, which are rare, are processed one by one.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from encodings.idna import nameprep
from functools import lru_cache
from typing import Any

import numpy as np

from akdask.columns.dtypes import BOOL, STR, ColumnType
from akdask.columns.strings import offsets_and_bytes
from akdask.deferred import pa, pc
from akdask.engine.operations import Kernel, Operation
from akdask.errors import ArgumentError, ConversionError
from akdask.operators.values.strings import unpack_bools
from akdask.typing import NumberArray, StringArray

PREDICATES = {
    "islower": "utf8_is_lower",
    "isupper": "utf8_is_upper",
    "istitle": "utf8_is_title",
    "isalnum": "utf8_is_alnum",
    "isalpha": "utf8_is_alpha",
    "isdigit": "utf8_is_digit",
    "isdecimal": "utf8_is_decimal",
    "isnumeric": "utf8_is_numeric",
    "isspace": "utf8_is_space",
}

TRANSFORMS = {
    "lower": "utf8_lower",
    "upper": "utf8_upper",
    "title": "utf8_title",
    "capitalize": "utf8_capitalize",
}

_ASCII = 0x80  # lower bytes are ASCII characters


def beyond_ascii(strings: StringArray) -> NumberArray:
    """Return the numbers of the rows that have characters beyond ASCII, ascending.

    Examples
    --------
    >>> beyond_ascii(pa.array(["a", "ä", "", "日本"], pa.large_string())).tolist()
    [1, 3]
    """
    offsets, data = offsets_and_bytes(strings)
    if not len(data) or data.max() < _ASCII:
        return np.empty(0, np.int64)
    at = np.flatnonzero(data >= _ASCII) + offsets[0]
    rows = np.searchsorted(offsets, at, side="right") - 1
    is_new = np.ones(len(rows), np.bool_)
    np.not_equal(rows[1:], rows[:-1], out=is_new[1:])
    found: NumberArray = rows[is_new]
    return found


def changed_rows(
    strings: StringArray, rows: NumberArray, change: Callable[[str], Any], into: StringArray
) -> StringArray:
    """Return `into` with a function's results for some strings, given by ascending rows, in place of them."""
    if not len(rows):
        return into
    changed = pa.array([change(text) for text in strings.take(pa.array(rows)).to_pylist()], into.type)
    is_changed = np.zeros(len(strings), np.bool_)
    is_changed[rows] = True
    return pc.replace_with_mask(into, pa.array(is_changed), changed)


def _predicate(name: str) -> Kernel:
    test = getattr(str, name)

    def kernel(strings: Any, out: Any = None) -> Any:
        found = unpack_bools(getattr(pc, PREDICATES[name])(strings), out)
        rows = beyond_ascii(strings)
        if len(rows):
            found[rows] = [test(text) for text in strings.take(pa.array(rows)).to_pylist()]
        return found

    return kernel


def _transform(name: str) -> Kernel:
    change = getattr(str, name)

    def kernel(strings: Any, out: Any = None) -> Any:
        return changed_rows(strings, beyond_ascii(strings), change, getattr(pc, TRANSFORMS[name])(strings))

    return kernel


def _text_to(result: ColumnType) -> Callable[[ColumnType], ColumnType | None]:
    return lambda strings: result if strings == STR else None


CHARACTER_OPERATIONS: dict[str, Operation] = {
    **{name: Operation(name, 1, _text_to(BOOL), _predicate(name)) for name in PREDICATES},
    **{name: Operation(name, 1, _text_to(STR), _transform(name)) for name in TRANSFORMS},
}


DOMAINS = "idna"
"""The name of the encoding of domain names."""

_PREFIX = "xn--"
_LONGEST = 63  # characters of a label
_DOTS = re.compile("[.\u3002\uff0e\uff61]")
_DEVIATIONS = re.compile("([ßς\u200c\u200d])")  # characters that the standard of 2003 replaces


@lru_cache(64)
def encoding_name(encoding: str) -> str:
    """Return the name that Python has for an encoding.

    Raises
    ------
    ArgumentError
        If Python has no encoding of that name.

    Examples
    --------
    >>> encoding_name("UTF8"), encoding_name("IDNA"), encoding_name("ISO-8859-1")
    ('utf-8', 'idna', 'iso8859-1')
    """
    try:
        "".encode(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise ArgumentError(
            f"{encoding!r} is no encoding of text.", hint="examples: 'utf-8', 'ascii', 'latin-1', 'utf-16-le', 'idna'."
        ) from None


def domain_to_ascii(name: str) -> str:
    """Return the name of a domain in ASCII, empty text if it has none.

    Examples
    --------
    >>> domain_to_ascii("Bücher.example"), domain_to_ascii("straße"), domain_to_ascii("a..b")
    ('xn--bcher-kva.example', 'xn--strae-oqa', '')
    """
    try:
        labels = [_label_to_ascii(label) for label in _DOTS.split(name)]
    except UnicodeError:
        return ""
    # The last label may be empty, the root of all domains.
    return (
        ".".join(labels)
        if all(0 < len(label) <= _LONGEST for label in labels[: len(labels) - (not labels[-1])])
        else ""
    )


def _label_to_ascii(label: str) -> str:
    if label.isascii():
        return label.lower()
    prepared = "".join(part if number % 2 else nameprep(part) for number, part in enumerate(_DEVIATIONS.split(label)))
    return prepared if prepared.isascii() else _PREFIX + prepared.encode("punycode").decode("ascii")


def domain_to_unicode(name: str) -> str:
    """Return the readable name of a domain in ASCII, empty text for an invalid one.

    Examples
    --------
    >>> domain_to_unicode("xn--bcher-kva.example"), domain_to_unicode("a.example"), domain_to_unicode("xn--ü")
    ('bücher.example', 'a.example', '')
    """
    try:
        return ".".join(
            label[len(_PREFIX) :].encode("ascii").decode("punycode") if label.lower().startswith(_PREFIX) else label
            for label in name.split(".")
        )
    except UnicodeError:
        return ""


def _transcode(strings: Any, out: Any = None, *, source: str, target: str) -> StringArray:
    """Transcode text from one encoding to another."""
    if source == target or (_is_like_ascii(source) and _is_like_ascii(target) and not len(beyond_ascii(strings))):
        return strings
    encoded = strings.view(pa.large_binary()).dictionary_encode()
    distinct = [_converted(text, _decoder(source), _encoder(target)) for text in encoded.dictionary.to_pylist()]
    return pa.array(distinct, pa.large_binary()).take(encoded.indices).view(pa.large_string())


def _converted(text: bytes, decode: Callable[[bytes], str], encode: Callable[[str], bytes]) -> bytes:
    try:
        return encode(decode(text))
    except UnicodeError as error:
        raise ConversionError(f"{text!r:.100} cannot be converted.", details=[str(error)]) from None


def _decoder(encoding: str) -> Callable[[bytes], str]:
    if encoding == DOMAINS:
        return lambda text: domain_to_unicode(text.decode())
    return lambda text: text.decode(encoding)


def _encoder(encoding: str) -> Callable[[str], bytes]:
    if encoding == DOMAINS:
        return lambda text: domain_to_ascii(text).encode()
    return lambda text: text.encode(encoding)


@lru_cache(64)
def _is_like_ascii(encoding: str) -> bool:
    """Whether ASCII text has the same bytes in an encoding, for any characters around it."""
    if encoding == DOMAINS:
        return False
    ascii_bytes = bytes(range(128))
    try:
        text = ascii_bytes.decode(encoding)
        return text == ascii_bytes.decode("ascii") and text.encode(encoding) == ascii_bytes
    except UnicodeError:
        return False


def _transcoded(strings: ColumnType, *, source: str, target: str) -> ColumnType | None:
    return STR if strings == STR and encoding_name(source) and encoding_name(target) else None


ENCODING_OPERATIONS: dict[str, Operation] = {"transcode": Operation("transcode", 1, _transcoded, _transcode)}
