"""Manifests of HDF5 sets: positions and summaries of datasets; comparing files with their checksums.

See `ManifestRows` in `akdask.storage.manifest`.  Positions in a manifest must lie within the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask import config, errors
from akdask.columns.arrow import arrow_numbers, numpy_numbers
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR, UINT8, UINT64, ColumnType, bigint_of, list_of
from akdask.deferred import pa
from akdask.errors import AkdaskError, FileFormatError
from akdask.formats.hdf5.codecs import COLUMN_KINDS, OPTIONAL, PARTS
from akdask.formats.hdf5.description import (
    SUMMARY,
    ColumnSchema,
    DatasetSchema,
    DatasetSummary,
    FileDescription,
    ObjectSchema,
    Problem,
    datasets_of,
    ranges_beside,
)
from akdask.formats.hdf5.row_spaces import damages_of, summed_datasets
from akdask.records import record
from akdask.storage.files import FileIdentity, exists, identify
from akdask.storage.locales import Filenames
from akdask.storage.manifest import ManifestRows, from_struct, rows_batch, sum_of_ranges, to_struct
from akdask.storage.objects import CATEGORIES, CODES, NA_CODES, VALUES, ObjType
from akdask.storage.ranges import range_reader
from akdask.storage.recovery import settled

_CLASSES: dict[str, Any] = {c.__name__: c for c in (ObjectSchema, ColumnSchema, ColumnType, DatasetSchema, Problem)}


def encode(item: Any) -> Any:
    """Return the JSON form of a schema, or of tuples and plain values with schemas in them."""
    match item:
        case ObjType():
            return {"ObjType": int(item)}
        case tuple():
            return [encode(part) for part in item]
        case type():
            return {"error": item.__name__}
    if is_dataclass(item):
        return {type(item).__name__: [encode(getattr(item, field.name)) for field in fields(item)]}
    return item


def decode(item: Any) -> Any:
    """Return the schema or value of a JSON form.

    Raises
    ------
    AttributeError, KeyError, RecursionError, TypeError, ValueError
        If it is something else.
    """
    if isinstance(item, list):
        return tuple(decode(part) for part in item)
    if isinstance(item, str):
        item.encode(errors="surrogateescape")  # names in files are bytes
        return item
    if not isinstance(item, dict):
        return item
    ((name, content),) = item.items()
    match name:
        case "ObjType":
            return ObjType(content)
        case "error":
            return _error(content)
    made = _CLASSES[name](*decode(content))
    if not _is_sound(made):
        raise ValueError(f"no codec makes this {name}")
    return made


def _error(name: str) -> type[errors.AkdaskError]:
    found: type[errors.AkdaskError] = getattr(errors, name)
    if not issubclass(found, errors.AkdaskError):
        raise TypeError(name)
    return found


_STORED_TYPE = re.compile(r"[<>|][iufb][1248]")


def _is_sound(made: Any) -> bool:
    """Whether a codec could have made it, with valid parts."""
    match made:
        case ColumnType(name=str(), max_bits=int()):
            return _is_sound_type(made)
        case DatasetSchema(path=str(), dtype=str() as name):
            return _STORED_TYPE.fullmatch(name) is not None and np.dtype(name).str == name
        case ColumnSchema(name=str(), dtype=ColumnType() as dtype, datasets=tuple() as datasets):
            stored = [one.dtype for one in datasets if isinstance(one, DatasetSchema)]
            return len(stored) == len(datasets) > 0 and _may_hold(dtype, stored)
        case Problem(error=type(), text=str()):
            return True
        case ObjectSchema(name=str(), kind=ObjType(), members=tuple(), children=tuple(), params=tuple()):
            return _is_sound_object(made)
    return False


def _is_sound_type(dtype: ColumnType) -> bool:
    item: Any = dtype.item
    match dtype.kind:
        case "bigint":
            return dtype == bigint_of(dtype.max_bits)
        case "list":
            return (item is None or (isinstance(item, ColumnType) and item.kind != "list")) and dtype == list_of(item)
    return dtype in {INT64, UINT64, UINT8, FLOAT64, BOOL, STR}


def _may_hold(dtype: ColumnType, stored: list[str]) -> bool:
    """Whether a column can be of this type where its datasets are stored so."""
    kinds = "".join(one[1] for one in stored)
    match dtype.kind:
        case "int":
            return kinds in {"i", "u"}
        case "uint":
            return stored[0][1:] == ("u1" if dtype == UINT8 else "u8") and len(stored) == 1
        case "float":
            return kinds == "f"
        case "bool":
            return kinds in {"i", "u", "b"}
        case "str":
            return stored[0] in {"|u1", "|i1"} and kinds[1:] in {"", "i", "u"}
        case "bigint":
            return all(one[1:] in {"i8", "u8"} for one in stored)
    if kinds[-1] not in {"i", "u"} or len(stored) == 1:
        return False
    if dtype.item is None:
        return len(stored) == 2
    # Only the data gives the number of strings without segments.
    return _may_hold(dtype.item, stored[:-1]) and (dtype.item.kind != "str" or len(stored) == 3)


def _is_sound_object(schema: ObjectSchema) -> bool:
    problem: Any = schema.problem
    members, children = _pairs(schema.members, ColumnSchema), _pairs(schema.children, ObjectSchema)
    if members is None or children is None or not all(map(_is_param, schema.params)):
        return False
    if problem is not None:
        return isinstance(problem, Problem) and not members and not children
    if any(child.kind not in COLUMN_KINDS or child.problem is not None for child in children.values()):
        return False
    kinds = {member: column.dtype.kind for member, column in members.items()}
    match schema.kind:
        case ObjType.STRINGS:
            return kinds == {VALUES: "str"} and not children
        case ObjType.SEGARRAY:
            return kinds == {VALUES: "list"} and not children
        case ObjType.CATEGORICAL:
            grouping = [kinds.pop(member, None) for member in OPTIONAL]
            kinds.setdefault(NA_CODES, "int")
            expected = {CODES: "int", CATEGORIES: "str", NA_CODES: "int"}
            return kinds == expected and grouping in (["int", "int"], [None, None]) and not children
        case ObjType.GROUPBY:
            return kinds == dict.fromkeys(PARTS, "int") and bool(children)
        case ObjType.INDEX | ObjType.MULTIINDEX:
            return not members and bool(children)
        case ObjType.DATAFRAME:
            return not members
        case ObjType.ARRAYVIEW if not isinstance(dict(schema.params).get("shape"), tuple):
            return False
        case ObjType.ARRAYVIEW | ObjType.PDARRAY | ObjType.DATETIME | ObjType.TIMEDELTA | ObjType.IPV4:
            return list(kinds) == [VALUES] and kinds[VALUES] not in {"str", "list"} and not children
    return False


def _pairs(given: tuple[Any, ...], wanted: type) -> Mapping[str, Any] | None:
    """Return named parts, None if they are something else or two have one name."""
    for pair in given:
        match pair:
            case (str(), part) if isinstance(part, wanted):
                continue
        return None
    found = dict(given)
    return found if len(found) == len(given) else None


def _is_param(pair: Any) -> bool:
    match pair:
        case (str(), int()):
            return True
        case (str(), tuple() as numbers):
            return all(isinstance(number, int) for number in numbers)
    return False


# it writes, and few who read do that

Made: TypeAlias = tuple[tuple[ObjectSchema, ...], str | None]
"""The shared schema of several files: their objects, and their stored order of columns."""

_SLOT = np.dtype([("offset", "<i8"), ("length", "<i8")])
_MAX_COMPRESSION_RATIO = 1024
"""Most bytes of unpacked data per byte of a file; a manifest that claims more is not believed."""


def summarized(file: FileDescription, summaries: Mapping[str, DatasetSummary]) -> FileDescription:
    """Return the description of a file with summaries of its datasets, given by path."""
    found = np.zeros(len(file.slots), SUMMARY)
    for position, dataset in enumerate(datasets_of(file.objects)):
        if dataset.path in summaries:
            found[position] = summaries[dataset.path].record
    return replace(file, summaries=found)


def summed_up(file: FileDescription) -> FileDescription:
    """Return the description of a file with checksums of all its bytes, reading data without summaries.

    Raises
    ------
    FileFormatError
        If the file ends before its data.
    """
    summaries = _summaries(file).copy()
    with range_reader(file.file) as reader:
        for position, dataset in enumerate(datasets_of(file.objects)):
            offset, length = file.slots[position].tolist()
            if not summaries[position]["known"] and offset >= 0:
                stop = offset + length * np.dtype(dataset.dtype).itemsize
                summaries[position]["checksum"] = sum_of_ranges(reader, [(offset, stop)], dataset.path)
                summaries[position]["known"] = True
        beside = sum_of_ranges(reader, ranges_beside(file), "metadata")
    return replace(file, summaries=summaries, beside=beside)


def carry_summaries(file: FileDescription, old: FileDescription | None) -> FileDescription:
    """Return the description of a file with the summaries of datasets that were copied from another."""
    if old is None or old.summaries is None or file.summaries is None:
        return file
    old_summaries = dict(zip(datasets_of(old.objects), old.summaries, strict=True))
    summaries = file.summaries.copy()
    for position, dataset in enumerate(datasets_of(file.objects)):
        known = old_summaries.get(dataset)
        # Only a checksum was taken of copied data; equal checksums mean equal data.
        if known is not None and known["known"] and known["checksum"] == summaries[position]["checksum"]:
            summaries[position] = known
    return replace(file, summaries=summaries)


@record
class Damage:
    """The damage of a file, or of one dataset in it."""

    path: str
    dataset: str | None
    text: str


@record
class Verification:
    """Result of comparing files with their manifests.

    Parameters
    ----------
    checked : int
        Number of datasets that were read and compared.
    damages : tuple of Damage
        All that was found, files that are gone from a set included.
    unknown : tuple of str
        Files that cannot be verified: written by others, or changed since akdask wrote them.
    """

    checked: int
    damages: tuple[Damage, ...]
    unknown: tuple[str, ...]


def verify(filenames: Filenames) -> Verification:
    """Read all data of files whose checksums are known, and compare.

    If a manifest was copied with its files, and all of them match, it is adopted for the copies: the next open need not
    inspect them, and uses its bounds of values.

    Parameters
    ----------
    filenames : str, path or sequence of them
        Files or glob patterns.

    Raises
    ------
    MissingFileError, InconsistentFilesError
        If files are missing, or missing from within the numbering of a set.
    """
    files = settled(filenames, lambda paths: list(map(identify, paths)))
    told = HdfManifest.told(files, [re.compile(".*", re.DOTALL)])
    checked, unknown = (
        0,
        [path for path in (file.path for file in files) if path not in told.in_place and path not in told.unproven],
    )
    damages = [Damage(path, None, "the file is missing from the set.") for path in told.lost if not exists(path)]
    for path, description in [*told.in_place.items(), *told.unproven.items()]:
        try:
            found = damages_of(replace(description, is_proven=path in told.in_place))
        except AkdaskError as error:
            found = [(None, " ".join([error.message, *error.details]))]
        if found is None:
            unknown.append(path)
            continue
        checked += sum(1 for _ in summed_datasets(description))
        damages += [Damage(path, dataset, text) for dataset, text in found]
    if told.unproven and not damages and not unknown:
        from akdask.storage.manifest import adopt

        adopt(HdfManifest, told)
    return Verification(checked, tuple(damages), tuple(unknown))


class HdfManifest(ManifestRows[FileDescription]):
    """The rows of a manifest: a list of datasets for each file."""

    key = b"made"

    def __init__(self, batch: pa.RecordBatch, *, original: bool = False) -> None:
        super().__init__(batch, original=original)
        sums = zip(batch["beside"].to_pylist(), batch["summed"].to_pylist(), strict=True)
        self._beside = [found if is_summed else None for found, is_summed in sums]
        self._made = [_made(decode(item)) for item in self._schemas_read]
        self._ends = batch["datasets"].offsets.to_pylist()
        datasets = batch["datasets"].values[self._ends[0] : self._ends[-1]]
        self._ends = [end - self._ends[0] for end in self._ends]
        self._slots = from_struct(datasets, _SLOT).view("<i8").reshape(-1, 2)
        self._summaries = from_struct(datasets, SUMMARY)
        self._check(batch)
        self._doubtful = self._rows_of_doubt(numpy_numbers(batch["size"]))

    def _check(self, batch: pa.RecordBatch) -> None:
        """Refuse inconsistent numbers; a checksum only proves that they were written so."""
        made_of = numpy_numbers(batch["made"])
        counts = np.array([len(self._itemsizes(number)) for number in range(len(self._made))], np.int64)
        if (
            (np.diff(self._ends) != counts[made_of]).any()
            or (self._slots < (-1, 0)).any()
            or (self._summaries["nans"] < 0).any()
            or (self._summaries["nans"] > self._slots[:, 1]).any()
        ):
            raise ValueError("no manifest")

    def _itemsizes(self, number: int) -> list[int]:
        """Return the bytes of an element of each dataset, for files of one schema."""
        return [np.dtype(dataset.dtype).itemsize for dataset in datasets_of(self._made[number][0])]

    def _rows_of_doubt(self, sizes: npt.NDArray[np.int64]) -> set[int]:
        """Return the files with datasets that reach beyond their end, or are far larger than the stored bytes."""
        itemsizes = [np.array(self._itemsizes(number), np.int64) for number in range(len(self._made))]
        each = np.concatenate([np.empty(0, np.int64), *[itemsizes[number] for number in self._schema_of]])
        rows = np.repeat(np.arange(len(sizes)), np.diff(self._ends))
        offsets, lengths = self._slots.T
        # Divided, not multiplied: no number here is too large for that.
        largest = np.where(offsets >= 0, (sizes[rows] - offsets) // each, sizes[rows] // each * _MAX_COMPRESSION_RATIO)
        return set(rows[(lengths > largest) & (lengths > 0)].tolist())

    def describe(self, file: FileIdentity, row: int) -> FileDescription | None:
        """Return the description that a row gives of a file, None if its datasets cannot all be in it."""
        if row in self._doubtful:
            return None
        objects, column_order = self._made[self._schema_of[row]]
        part = slice(self._ends[row], self._ends[row + 1])
        return FileDescription(file, objects, self._slots[part], column_order, self._summaries[part], self._beside[row])

    @classmethod
    def compared(cls, found: FileDescription, claimed: FileDescription) -> FileDescription:
        """Return an unproven file with its summaries in a manifest, if its layout is the same."""
        if (found.objects, found.column_order) == (claimed.objects, claimed.column_order) and np.array_equal(
            found.slots, claimed.slots
        ):
            return replace(found, summaries=claimed.summaries, beside=claimed.beside, is_proven=False)
        # All data is where it was written, but the file describes it otherwise: no writer does that.
        if config.get("verify_checksums") and claimed.beside is not None and _holds_all(claimed):
            raise FileFormatError(
                f"what describes the data of {found.file.path!r} is not what was written.",
                hint="the disk or a copy has changed bytes: restore the file, or write the set again.",
            )
        return found

    @classmethod
    def to_batch(cls, files: Sequence[FileDescription]) -> pa.RecordBatch:
        """Return the table that describes some files."""
        numbers: dict[Made, int] = {}
        made = [numbers.setdefault((file.objects, file.column_order), len(numbers)) for file in files]
        slots = np.concatenate([np.empty((0, 2), np.int64), *[file.slots for file in files]])
        summaries = np.concatenate([np.empty(0, SUMMARY), *[_summaries(file) for file in files]])
        ends = np.cumsum([0, *[len(file.slots) for file in files]])
        datasets = to_struct(slots.view(_SLOT).reshape(-1), summaries)
        columns = {
            "datasets": pa.ListArray.from_arrays(arrow_numbers(ends, np.int32), datasets),
            "summed": arrow_numbers([file.beside is not None for file in files], np.uint8),
            "beside": arrow_numbers([file.beside or 0 for file in files], np.uint64),
        }
        return rows_batch(cls.key, [file.file for file in files], list(map(encode, numbers)), made, columns)


def _holds_all(claimed: FileDescription) -> bool:
    """Whether a file has all data of a description at these positions."""
    try:
        found = damages_of(replace(claimed, is_proven=True))
    except AkdaskError:
        return False
    return found is not None and all(dataset is None for dataset, _ in found)


def _made(item: Any) -> Made:
    """Return decoded JSON as the schema of a file; raises if it is malformed."""
    match item:
        case (tuple() as objects, None | str() as order) if all(isinstance(one, ObjectSchema) for one in objects):
            names = [column.name for one in objects for column in one.columns]
            if len({one.name for one in objects}) == len(objects) and len(set(names)) == len(names):
                return objects, order
    raise ValueError("no schema of a file")


def _summaries(file: FileDescription) -> npt.NDArray[np.void]:
    return np.zeros(len(file.slots), SUMMARY) if file.summaries is None else file.summaries
