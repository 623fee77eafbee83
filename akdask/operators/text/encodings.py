"""Encodings of strings, row by row: those that Python knows, and names of domains."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from encodings.idna import nameprep
from functools import lru_cache
from typing import Any

from akdask.columns.dtypes import STR, ColumnType
from akdask.deferred import pa
from akdask.engine.operations import Operation
from akdask.errors import ArgumentError, ConversionError
from akdask.operators.text.characters import beyond_ascii
from akdask.typing import StringArray

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
