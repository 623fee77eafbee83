"""Data readers in prototext files: their entries, the samples that these select, and how they are read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from glob import glob
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.errors import MissingFileError
from akdask.lbann.errors import LbannListError, LbannSchemaError
from akdask.lbann.file_reader import FileSampleReader
from akdask.lbann.read_lists import read_list
from akdask.lbann.sample_list import ListType, SampleList, checked_words
from akdask.records import record
from akdask.storage.files import absolute
from akdask.storage.recovery import recover_naming

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f\v]+|\#[^\n]*)
      | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      | (?P<number>-?\s*(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fF]?)(?![\w.]))
      | (?P<word>-?\s*[A-Za-z_]\w*)
      | (?P<name>\[[\w./\s-]+\](?=\s*[:{<]))
      | (?P<mark>[:{}<>\[\],;])""",
    re.VERBOSE,
)
_ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34, "?": 63}
_ESCAPE = re.compile(rb"\\(?:([xX][0-9a-fA-F]{1,2})|([0-7]{1,3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_WORDS = {"true": True, "True": True, "t": True, "false": False, "False": False, "f": False}
_FLOATS = re.compile(r"-?\s*(?:inf|infinity|nan)", re.IGNORECASE)
_CLOSING = {"{": "}", "<": ">"}
_DEEPEST = 100


@dataclass(slots=True)
class TextMessage:
    """A message: its fields in order, each with all of its values.

    Parameters
    ----------
    fields : dict of str to list
        Values: bool, int, float, str, or messages.
    line : int
        Where it begins.
    """

    fields: dict[str, list[Any]] = field(default_factory=dict)
    line: int = 1

    def messages(self, name: str) -> list[TextMessage]:
        """Return the messages of a field."""
        return [value for value in self.fields.get(name, []) if isinstance(value, TextMessage)]

    def last(self, name: str, default: Any = None) -> Any:
        """Return the last value of a field, which counts where a field is given several times."""
        return self.fields.get(name, [default])[-1]


class _Tokens:
    """The tokens of a text, one after the other."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self._tokens = self._scan(text)
        self.kind, self.text, self.line = next(self._tokens)

    def _scan(self, text: str) -> Iterator[tuple[str, str, int]]:
        position, line = 0, 1
        while position < len(text):
            found = _TOKEN.match(text, position)
            if not found:
                raise self.error(f"cannot read {text[position : position + 20]!r}", line)
            if found.lastgroup != "space":
                yield str(found.lastgroup), found[0], line
            line += found[0].count("\n")
            position = found.end()
        while True:
            yield "end", "", line

    def error(self, message: str, line: int | None = None) -> LbannSchemaError:
        """Return an error that names the line."""
        return LbannSchemaError(
            f"{message}, on line {line or self.line:,} of the protocol buffer text.", file=self.source
        )

    def take(self) -> tuple[str, str]:
        """Return kind and text of the next token, and advance."""
        found = self.kind, self.text
        self.kind, self.text, self.line = next(self._tokens)
        return found

    def skip(self, *tokens: str) -> bool:
        """Go past the next token, if it is one of these."""
        if self.kind == "mark" and self.text in tokens:
            self.take()
            return True
        return False


def parse_text_format(text: str, source: str = "<text>") -> TextMessage:
    """Parse the text form of a protocol buffer.

    Parameters
    ----------
    text : str
        Protobuf's text format.
    source : str
        Name of the source, for errors.

    Raises
    ------
    LbannSchemaError
        If it is malformed; the message names the line.

    Examples
    --------
    >>> found = parse_text_format('data_reader { reader { name: "hdf5" shuffle: true } }  # comment')
    >>> found.messages("data_reader")[0].messages("reader")[0].fields
    {'name': ['hdf5'], 'shuffle': [True]}
    """
    return _message(_Tokens(text, source), None, 0)


def _message(tokens: _Tokens, closing: str | None, depth: int) -> TextMessage:
    if depth > _DEEPEST:
        raise tokens.error(f"messages lie more than {_DEEPEST} deep")
    message = TextMessage(line=tokens.line)
    while not (tokens.kind == "end" if closing is None else tokens.text == closing and tokens.kind == "mark"):
        if tokens.kind not in {"word", "name"}:
            raise tokens.error(
                f"expected the name of a field{f' or {closing}' if closing else ''}, not {_shown(tokens)}"
            )
        name = tokens.take()[1]
        has_colon = tokens.skip(":")
        values = message.fields.setdefault(name, [])
        values.extend(_values(tokens, name, has_colon, depth))
        tokens.skip(",", ";")
    tokens.take()
    return message


def _values(tokens: _Tokens, name: str, has_colon: bool, depth: int) -> list[Any]:
    if tokens.skip("["):
        found = []
        while not tokens.skip("]"):
            found.append(_value(tokens, name, True, depth))
            if not tokens.skip(",") and tokens.text != "]":
                raise tokens.error(f"expected , or ] in the list of {name!r}, not {_shown(tokens)}")
        return found
    return [_value(tokens, name, has_colon, depth)]


def _value(tokens: _Tokens, name: str, has_colon: bool, depth: int) -> Any:
    if tokens.kind == "mark" and tokens.text in _CLOSING:
        return _message(tokens, _CLOSING[tokens.take()[1]], depth + 1)
    if not has_colon or tokens.kind not in {"string", "number", "word"}:
        raise tokens.error(f"expected a value of {name!r}, not {_shown(tokens)}")
    kind, text = tokens.take()
    if kind == "string":
        data = _unescaped(text, tokens)
        while tokens.kind == "string":  # strings that follow one another are one
            data += _unescaped(tokens.take()[1], tokens)
        return data.decode(errors="surrogateescape")
    if kind == "number":
        return _number(text.replace(" ", ""))
    if _FLOATS.fullmatch(text):
        return float(text.replace(" ", ""))
    return _WORDS.get(text, text)


def _number(text: str) -> int | float:
    digits = text.lstrip("-")
    if digits[:2].lower() == "0x":
        return int(text, 16)
    if digits.isdigit():
        is_octal = digits[0] == "0" and len(digits) > 1 and not set(digits) & set("89")
        return int(text, 8 if is_octal else 10)
    return float(text.rstrip("fF"))


def _unescaped(text: str, tokens: _Tokens) -> bytes:
    def byte(found: re.Match[bytes]) -> bytes:
        hexadecimal, octal, short, long, letter = found.groups()
        if hexadecimal:
            return bytes([int(hexadecimal[1:], 16)])
        if octal:
            return bytes([int(octal, 8) & 255])
        if short or long:
            number = int(short or long, 16)
            if number > 0x10FFFF:
                raise tokens.error(f"no character has the number {number:#x}")
            return chr(number).encode(errors="surrogatepass")
        if (code := _ESCAPES.get(letter.decode("latin-1"))) is None:
            raise tokens.error(f"unknown escape \\{letter.decode('latin-1')}")
        return bytes([code])

    return _ESCAPE.sub(byte, text[1:-1].encode(errors="surrogateescape"))


def _shown(tokens: _Tokens) -> str:
    return "the end" if tokens.kind == "end" else repr(tokens.text[:40])


@record
class ReaderEntry:
    """A data reader, as a prototext file describes it.

    Parameters
    ----------
    name : str
        Kind of the reader.
    role : str
        ``train``, ``validate``, ``tournament`` or ``test``.
    sample_list : str, optional
        Path of the list.
    data_schema, experiment_schema : str, optional
        Paths of the schemas.
    data_directory : str
        Prefix of the entry's other paths.
    shuffle : bool
        Whether samples come in random order.
    validation_fraction, tournament_fraction : float
        Shares to hold back from a reader of role ``train``.
    fraction_of_data_to_use : float, optional
        Share of the list to use.
    absolute_sample_count : int, optional
        Samples of the list to use.
    others : dict of str to list
        All further fields, with their values.
    """

    name: str
    role: str = ""
    sample_list: str | None = None
    data_schema: str | None = None
    experiment_schema: str | None = None
    data_directory: str = ""
    shuffle: bool = False
    validation_fraction: float = 0.0
    tournament_fraction: float = 0.0
    fraction_of_data_to_use: float | None = None
    absolute_sample_count: int | None = None
    others: dict[str, list[Any]] = field(default_factory=dict)


# The fields of an entry, by the names that releases of LBANN gave them.
_NAMES = {
    "name": ("name",),
    "role": ("role",),
    "sample_list": ("sample_list", "index_list", "data_filename"),
    "data_schema": ("data_schema_filename",),
    "experiment_schema": ("experiment_schema_filename",),
    "data_directory": ("data_filedir",),
    "shuffle": ("shuffle",),
    "validation_fraction": ("validation_fraction", "validation_percent"),
    "tournament_fraction": ("tournament_fraction", "tournament_percent"),
    "fraction_of_data_to_use": ("fraction_of_data_to_use", "percent_of_data_to_use"),
    "absolute_sample_count": ("absolute_sample_count",),
}
_KINDS: dict[str, tuple[type, ...]] = {
    "shuffle": (bool,),
    "validation_fraction": (int, float),
    "tournament_fraction": (int, float),
    "fraction_of_data_to_use": (int, float),
    "absolute_sample_count": (int,),
}


def read_prototext(path: str | os.PathLike[str]) -> list[ReaderEntry]:
    """Read the entries of data readers in a prototext file.

    Parameters
    ----------
    path : str or path-like
        An experiment, a data reader message, or a file of entries alone.

    Raises
    ------
    MissingFileError
        If there is no such file.
    LbannSchemaError
        If it is not of that format, has no entries, or an entry lacks a value or has one of the wrong kind.
    """
    source = absolute(path)
    try:
        with open(source, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        raise MissingFileError(f"no prototext file {source!r}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise LbannSchemaError(f"cannot read it as text: {error}.", file=source) from error
    return parse_prototext(text, source)


def parse_prototext(text: str, source: str = "<text>") -> list[ReaderEntry]:
    """Return the entries of data readers in a text; see `read_prototext`.

    Raises
    ------
    LbannSchemaError
        As for `read_prototext`.

    Examples
    --------
    >>> entry, = parse_prototext('reader { name: "hdf5_data_reader" role: "train" validation_fraction: 0.1 }')
    >>> entry.role, entry.validation_fraction
    ('train', 0.1)
    """
    entries = [_entry(message, source) for message in _readers(parse_text_format(text, source))]
    if not entries:
        raise LbannSchemaError(
            "no entry of a data reader.", file=source, hint="entries look like: data_reader { reader { name: … } }"
        )
    return entries


def _readers(message: TextMessage) -> Iterator[TextMessage]:
    for name, values in message.fields.items():
        for value in values:
            if isinstance(value, TextMessage):
                yield from [value] if name == "reader" else _readers(value)


def _entry(message: TextMessage, source: str) -> ReaderEntry:
    known = {name for names in _NAMES.values() for name in names}
    given: dict[str, Any] = {}
    for name, spellings in _NAMES.items():
        found = next((spelling for spelling in spellings if spelling in message.fields), None)
        if found is not None:
            given[name] = _converted(name, found, message.last(found), message.line, source)
    if "name" not in given:
        raise LbannSchemaError(f"the reader on line {message.line:,} has no name.", file=source)
    # Protocol buffers do not distinguish 0 from a missing value.
    for name in ("fraction_of_data_to_use", "absolute_sample_count"):
        given[name] = given.get(name) or None
    if given["fraction_of_data_to_use"] and given["absolute_sample_count"]:
        raise LbannSchemaError(
            f"the reader on line {message.line:,} sets fraction_of_data_to_use and absolute_sample_count.",
            file=source,
            hint="set one of the two.",
        )
    return ReaderEntry(**given, others={name: list(v) for name, v in message.fields.items() if name not in known})


def _converted(name: str, spelling: str, value: Any, line: int, source: str) -> Any:
    kinds = _KINDS.get(name, (str,))
    if name == "shuffle" and value in (0, 1):
        return bool(value)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise LbannSchemaError(
            f"{spelling} of the reader on line {line:,} is {value!r}, which is no {kinds[-1].__name__}.", file=source
        )
    is_float: bool = float in kinds
    number: Any = value
    return float(number) if is_float else value


_OLDER_READERS = ("hdf5", "cosmoflow_hdf5")
"""Readers of files that are one sample each."""


def is_of_files(entry: ReaderEntry) -> bool:
    """Whether the entry is one of a reader of files that are one sample each, without schemas."""
    return entry.name in _OLDER_READERS and not entry.data_schema


def located(entry: ReaderEntry, path: str) -> str:
    """Return a path of an entry, below its data directory if it has one."""
    return path if not entry.data_directory or os.path.isabs(path) else os.path.join(entry.data_directory, path)


def list_of_files(paths: list[str]) -> SampleList:
    """Return the list of files that are one sample each.

    Raises
    ------
    LbannListError
        If a list cannot hold a path.
    """
    recover_naming(paths)
    files = checked_words("files", [absolute(path).removeprefix("/") for path in paths])
    ids = pa.array([""] * len(paths), pa.large_string())
    return SampleList(ListType.SINGLE_SAMPLE, "/", files, ids, np.arange(len(paths) + 1, dtype=np.int64))


def samples_of_entry(entry: ReaderEntry) -> SampleList:
    """Return the samples of an entry of an older reader: its list, or the files that its pattern finds, sorted.

    Raises
    ------
    LbannListError
        If it names neither, or the pattern matches no file.
    """
    if entry.sample_list:
        return read_list(located(entry, entry.sample_list))
    pattern = _last(entry, "data_file_pattern")
    if not isinstance(pattern, str) or not pattern:
        raise LbannListError(
            f"the entry of reader {entry.name!r} names no samples.", hint="give it a sample_list or data_file_pattern."
        )
    found = sorted(glob(located(entry, pattern)))
    if not found:
        raise LbannListError(f"no file is like {located(entry, pattern)!r}.", hint="check data_file_pattern.")
    return list_of_files(found)


def reader_of_entry(entry: ReaderEntry) -> FileSampleReader:
    """Return the sample reader for an older reader's entry, which reads float32 as the older reader does.

    Raises
    ------
    LbannSchemaError
        If the entry wants integers scaled.
    """
    if _last(entry, "scaling_factor_int16") not in (None, 0, 1):
        raise LbannSchemaError(
            f"scaling_factor_int16 of reader {entry.name!r} is not followed.",
            hint="describe the files by a data schema with coerce and scale.",
        )
    responses = _last(entry, "hdf5_key_responses") or ("unitPar" if entry.name == "cosmoflow_hdf5" else None)
    return FileSampleReader(
        _last(entry, "hdf5_key_data") or "full",
        labels=None if _last(entry, "disable_labels") else _last(entry, "hdf5_key_labels") or None,
        responses=None if _last(entry, "disable_responses") else responses,
        dtype="float",
    )


def _last(entry: ReaderEntry, name: str) -> Any:
    values = entry.others.get(name)
    return values[-1] if values else None
