"""Array descriptions: small JSON maps in an object that refer to a blob by name, shape and types.

A blob is named by the SHA-256 of its bytes, or by a UUID.  Since no other name is accepted, no name is a path.
"""

from __future__ import annotations

import hashlib
import os
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeAlias
from uuid import uuid4

from akdask.errors import ArgumentTypeError
from akdask.evo import tuning
from akdask.evo.errors import DescriptionError, EvoError, IdentifierError, KindError
from akdask.evo.kinds import BY_NAME, TYPES, ArrayKind, data_type_of, kind_of_schema, kind_of_types
from akdask.records import record

_DIGEST = re.compile(r"[0-9a-fA-F]{64}", re.ASCII)
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)

_MOST_WIDTH = 2**20
_KEYS = ("data", "length", "width", "data_type", "keys_data_type", "values_data_type")


@record
class ArrayDescription:
    """The description of one array.

    Parameters
    ----------
    data : str or None
        Name of the blob: 64 hexadecimal digits, or a UUID; None without data.
    length : int
        Number of rows; 0 without data.
    width : int, default 1
        Number of columns; 2 for lookup tables.
    data_type : str, optional
        The type of all columns, or one for each joined by slashes; None for lookup tables.
    keys_data_type, values_data_type : str, optional
        Of a lookup table, the types of its keys and values.

    Raises
    ------
    DescriptionError
        If a value is missing, not a number, not a known type, or contradicts the rest.
    IdentifierError
        If `data` names no blob.
    KindError
        If no kind of array has such columns.

    Examples
    --------
    >>> found = ArrayDescription.from_json({"data": "AB" * 32, "length": 240, "width": 3, "data_type": "float64"})
    >>> found.kind, found.data == "ab" * 32, found.to_json()["width"]
    ('float-array-3', True, 3)
    """

    data: str | None
    length: int
    width: int = 1
    data_type: str | None = None
    keys_data_type: str | None = None
    values_data_type: str | None = None

    def __post_init__(self) -> None:
        problems = [*_problems_of_numbers(self), *_problems_of_types(self)]
        if problems:
            raise DescriptionError(
                "the description of an array makes no sense.", details=problems, hint="correct the object's JSON."
            )
        if self.data is not None:
            object.__setattr__(self, "data", parse_identifier(self.data))
        kind = kind_of_types(self.types)
        if kind is None:
            raise KindError(
                f"no kind of array has the columns {'/'.join(self.types)}.", hint="see akdask.evo.kinds.KINDS."
            )
        if kind.form != "lookup" and self.data_type is not None:
            object.__setattr__(self, "data_type", data_type_of(self.types))
        if kind.form == "lookup" and self.data_type is not None:
            raise DescriptionError(
                "a lookup table is described by keys_data_type and values_data_type, not by data_type.",
                details=[f"data_type: {self.data_type!r}"],
            )
        if kind.form != "lookup" and self.data_type is None:
            raise DescriptionError(
                f"keys of {self.keys_data_type} and values of {self.values_data_type} make no lookup table.",
                hint="keys are int32 or int64, values are string.",
            )

    @classmethod
    def from_json(cls, given: Mapping[str, Any] | ArrayDescription) -> Self:
        """Return the description in a JSON map, ignoring unknown keys.

        `width` defaults to 1, or to 2 for lookup tables.  `length` is 0 without data.  For errors see the class.
        """
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise DescriptionError(f"an array is described by a map, not by a {type(given).__name__}.")
        if "data" not in given:
            raise DescriptionError(
                "the description of an array lacks the name of its blob.",
                details=[f"keys: {', '.join(map(str, given)) or 'none'}"],
                hint="`data` is a digest, a UUID or null.",
            )
        values = {key: _integer(given[key]) for key in _KEYS if key in given}
        if values["data"] is None:
            values.setdefault("length", 0)
        if "length" not in values:
            raise DescriptionError("the description of an array lacks `length`, its number of rows.")
        if "keys_data_type" in values or "values_data_type" in values:
            values.setdefault("width", 2)
        return cls(**values)

    @classmethod
    def of_schema(cls, schema: Any, length: int, data: str | None = None) -> Self:
        """Return the description of columns with an Arrow schema.

        Parameters
        ----------
        schema : pyarrow.Schema
            The columns.
        length : int
            Rows.
        data : str, optional
            Name of the blob.

        Raises
        ------
        KindError
            If no kind of array has such columns.
        """
        kind = kind_of_schema(schema)
        names = [name for field in schema for name, arrow in TYPES.items() if arrow == field.type]
        if kind.form == "lookup":
            return cls(data, length, 2, keys_data_type=names[0], values_data_type=names[1])
        return cls(data, length, len(names), data_type_of(names))

    @cached_property
    def types(self) -> tuple[str, ...]:
        """Names of the types of all columns."""
        if self.data_type is None:
            return (str(self.keys_data_type), str(self.values_data_type))
        parts = tuple(self.data_type.split("/"))
        return parts if len(parts) > 1 else parts * self.width

    @property
    def arrow_types(self) -> tuple[Any, ...]:
        """Arrow types of all columns."""
        return tuple(TYPES[name] for name in self.types)

    @property
    def kind(self) -> str:
        """Name of the kind of array."""
        return self.array_kind.name

    @property
    def array_kind(self) -> ArrayKind:
        """The kind of array, of `akdask.evo.kinds`."""
        kind = kind_of_types(self.types)
        assert kind is not None, "descriptions without a kind are refused"
        return kind

    @property
    def is_hashed(self) -> bool:
        """Whether the name of the blob is the digest of its bytes."""
        return is_digest(self.data)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON map: the keys that the kind of array has, in their usual order."""
        found: dict[str, Any] = {"data": self.data, "length": self.length}
        match self.array_kind.form:
            case "array":
                found |= {"width": self.width, "data_type": self.data_type}
            case "plain":
                found |= {"data_type": self.data_type}
            case "lookup":
                found |= {"keys_data_type": self.keys_data_type, "values_data_type": self.values_data_type}
        return found


def _integer(value: Any) -> Any:
    """Return a float without fraction as an integer, which JSON does not tell apart."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def surplus_keys(given: Mapping[str, Any]) -> list[str]:
    """Return keys of a JSON map that its kind of array does not have; ``width`` of bools is tolerated.

    Examples
    --------
    >>> surplus_keys({"data": None, "length": 0, "width": 1, "data_type": "uint32"})
    ['width']
    """
    try:
        described = ArrayDescription.from_json(given)
    except EvoError:
        return []
    allowed = {*described.to_json(), *(["width"] if described.kind == BY_NAME["bool-array-1"].name else [])}
    return [key for key in _KEYS if key in given and key not in allowed]


def is_count(value: Any) -> bool:
    """Whether a value is a non-negative integer."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _problems_of_numbers(given: ArrayDescription) -> list[str]:
    problems = []
    if not is_count(given.length) or given.length >= 2**63:
        problems.append(f"`length` is a whole number from 0 on, not {given.length!r:.100}")
    elif given.data is None and given.length:
        problems.append(f"`data` is null, so `length` is 0, not {given.length}")
    if not is_count(given.width) or not 0 < given.width <= _MOST_WIDTH:
        problems.append(f"`width` is a whole number from 1 to {_MOST_WIDTH}, not {given.width!r:.100}")
    return problems


def _problems_of_types(given: ArrayDescription) -> list[str]:
    # The JSON may have any type.
    data_type: Any = given.data_type
    named: dict[str, Any] = {"keys_data_type": given.keys_data_type, "values_data_type": given.values_data_type}
    width = given.width if is_count(given.width) else 0
    if data_type is not None:
        if any(value is not None for value in named.values()):
            return ["there are both `data_type` and types of keys and values"]
        if not isinstance(data_type, str):
            return [f"`data_type` is text, not {data_type!r:.100}"]
        parts = data_type.split("/")
        if len(parts) > 1 and len(parts) != width:
            return [f"`data_type` {data_type!r:.100} names {len(parts)} types, `width` is {given.width!r:.100}"]
        return [f"{name!r:.100} is none of the types {', '.join(TYPES)}" for name in parts if name not in TYPES]
    if all(value is None for value in named.values()):
        return ["`data_type` is missing"]
    problems = [f"`{key}` is missing" for key, value in named.items() if value is None]
    problems += [
        f"`{key}` {value!r:.100} is none of the types {', '.join(TYPES)}"
        for key, value in named.items()
        if value is not None and (not isinstance(value, str) or value not in TYPES)
    ]
    if width != 2:
        problems.append(f"a lookup table has 2 columns, `width` is {given.width!r:.100}")
    return problems


def is_digest(name: Any) -> bool:
    """Whether a name is 64 hexadecimal digits, in either case.

    Examples
    --------
    >>> is_digest("AB" * 32), is_digest("../" + "a" * 61), is_digest("ab" * 32 + chr(10))
    (True, False, False)
    """
    return isinstance(name, str) and _DIGEST.fullmatch(name) is not None


def is_uuid(name: Any) -> bool:
    """Whether a name is a UUID in its form of 36 characters.

    Examples
    --------
    >>> is_uuid("01234567-89ab-cdef-0123-456789abcdef"), is_uuid("{01234567-89ab-cdef-0123-456789abcdef}")
    (True, False)
    """
    return isinstance(name, str) and _UUID.fullmatch(name) is not None


def is_identifier(name: Any) -> bool:
    """Whether a blob may have that name."""
    return is_digest(name) or is_uuid(name)


def parse_identifier(name: Any) -> str:
    """Return the name of a blob in lower case.

    Raises
    ------
    IdentifierError
        If it is neither 64 hexadecimal digits nor a UUID.

    Examples
    --------
    >>> parse_identifier("AB" * 32) == "ab" * 32
    True
    """
    if is_identifier(name):
        return str(name).lower()
    raise IdentifierError(
        "a blob is named by 64 hexadecimal digits or by a UUID.",
        details=[f"found {name!r:.100}"],
        hint="take the name from the `data` of an array description, as it is.",
    )


def new_uuid() -> str:
    """Return a name for a blob whose digest is not to be its name."""
    return str(uuid4())


def digest_of_file(path: str | os.PathLike[str]) -> str:
    """Return the lower-case SHA-256 of the bytes of a file on this machine, which is read in steps of 4 MiB.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    with open(path, "rb", buffering=0) as file:
        return digest_of_stream(file)


def digest_of_stream(file: Any) -> str:
    """Return the lower-case SHA-256 of the rest of an open file."""
    digest = hashlib.sha256()
    memory = bytearray(tuning.READ_BYTES)
    view = memoryview(memory)
    while count := file.readinto(memory):
        digest.update(view[:count])
    return digest.hexdigest()


class UploadBlock(NamedTuple):
    """A block of a blob, as the service takes it.

    Parameters
    ----------
    name : str
        Its name: the position of its first byte in 32 decimal digits, in base64.
    start, stop : int
        The range of its bytes in the blob.
    """

    name: str
    start: int
    stop: int


def upload_blocks(size: int) -> list[UploadBlock]:
    """Return the blocks of 4 MiB of a blob of some bytes, in the order in which a last call lists their names.

    Examples
    --------
    >>> upload_blocks(2**22 + 5)[1]
    UploadBlock(name='MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDQxOTQzMDQ=', start=4194304, stop=4194309)
    """
    starts = range(0, size, tuning.BLOCK_BYTES)
    return [
        UploadBlock(b64encode(f"{start:032}".encode()).decode(), start, min(start + tuning.BLOCK_BYTES, size))
        for start in starts
    ]


Described: TypeAlias = ArrayDescription | Mapping[str, Any] | str
"""A reference to a blob: its description, or its name alone."""


def several(blobs: Any) -> list[Any]:
    """Return blobs as a list, be it one or several.

    Raises
    ------
    ArgumentTypeError
        If it is neither.
    """
    if isinstance(blobs, str | Mapping | ArrayDescription):
        return [blobs]
    if not isinstance(blobs, Iterable):
        raise ArgumentTypeError(
            f"a {type(blobs).__name__} names no blobs.", hint="pass descriptions, or names, or a list of them."
        )
    return list(blobs)


def described_by(blob: Described) -> ArrayDescription | None:
    """Return the description that names a blob, None if it is named by its name alone.

    Raises
    ------
    DescriptionError
        If the description makes no sense.
    """
    return None if isinstance(blob, str) else ArrayDescription.from_json(blob)


def name_of(blob: Described) -> str:
    """Return the name of a blob.  Only digests and UUIDs are accepted, so that no other text reaches a path.

    Raises
    ------
    IdentifierError
        If it is named by anything else.
    """
    described = described_by(blob)
    return parse_identifier(blob if described is None else described.data)


def optional_name(blob: Described) -> str | None:
    """Return the name of a blob, None where there is no data."""
    described = described_by(blob)
    return None if described is not None and described.data is None else name_of(blob)


def is_reference(lookup: Any) -> bool:
    """Whether a lookup table is given by its description or name."""
    return (
        is_identifier(lookup)
        or isinstance(lookup, ArrayDescription)
        or (isinstance(lookup, Mapping) and "data" in lookup)
    )
