"""What a prototext file says of data readers: which list, which schemas, which role, which fractions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from akdask.errors import MissingFileError
from akdask.lbann.errors import LbannSchemaError
from akdask.lbann.lists.text_format import TextMessage, parse_text_format
from akdask.storage.paths.files import absolute

READER_NAMES = ("hdf5_data_reader", "hdf5", "cosmoflow_hdf5")
"""Readers of HDF5 files: of samples with schemas, and the older ones of a sample a file."""


@dataclass(frozen=True, slots=True)
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
        What the entry puts in front of its other paths.
    shuffle : bool
        Whether samples come in random order.
    validation_fraction, tournament_fraction : float
        Shares to hold back of what a reader of role ``train`` has.
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
        If it is no such text, has no entries, or one lacks what it needs or has a value of the wrong kind.
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
        As `read_prototext` does.

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
    # Protocol buffers do not tell 0 from nothing.
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
