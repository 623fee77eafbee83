"""Objects: check their arrays by the rules of their schema; fetch, verify, copy and read all blobs of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import pyarrow as pa

from akdask.deferred import pc
from akdask.errors import AkdaskError, MissingColumnError, warn
from akdask.evo.description import ArrayDescription, is_count, is_identifier
from akdask.evo.errors import EvoError, KindError, ObjectError
from akdask.evo.families import (
    ATTRIBUTE_TYPES,
    LOOKUP,
    SCHEMAS,
    ArrayRule,
    AttributeRule,
    AttributesRule,
    Family,
    TableRule,
    family_name,
)
from akdask.evo.findings import Finding
from akdask.evo.kinds import ROLES, kind_of_types
from akdask.evo.references import (
    Document,
    Reference,
    find_references,
    load_object,
    matches,
    references_in,
    resolve,
    scoped,
)
from akdask.evo.store import Store
from akdask.evo.validation import validate
from akdask.frames.dataframe import DataFrame

_Scope = tuple[str, tuple[int, ...]]


def check_object(document: Document, store: Store | None = None, *, footer_only: bool = False) -> list[Finding]:
    """Return the errors and oddities of an object's arrays; computes.

    Parameters
    ----------
    document : mapping or path
        The object's JSON, of a schema family in `akdask.evo.families`.  Objects of other schemas are checked by the
        rules for all arrays.
    store : Store, optional
        The store of the blobs; without it only the document is checked.
    footer_only : bool, default False
        Check the footers of the blobs alone: neither values nor digests.

    Returns
    -------
    list of Finding
        Errors and warnings, each with the place in the document and the name of the blob as `Finding.blob`.

    Raises
    ------
    ObjectError
        If the document cannot be read, or is no map.
    """
    found = load_object(document)
    return list(dict.fromkeys(_ObjectCheck(found, store, footer_only=footer_only).findings()))


class _ObjectCheck:
    """One check of one object.

    Parameters
    ----------
    document : mapping
        The object's JSON.
    store : Store or None
        The store of the blobs.
    footer_only : bool
        Whether only footers are checked.
    """

    def __init__(self, document: Mapping[str, Any], store: Store | None, *, footer_only: bool) -> None:
        self._document = document
        self._store = store
        self._footer_only = footer_only
        self._name = family_name(document)
        self._family = SCHEMAS.get(self._name or "", Family(()))
        self._rules = self._family.rules_of(document)

    def findings(self) -> Iterator[Finding]:
        """Yield all findings."""
        if self._name is None:
            yield Finding(
                "warning", "schema", "the object does not say of which schema it is; only its arrays are checked."
            )
        elif self._name not in SCHEMAS:
            yield Finding(
                "warning", "schema", f"nothing is known of the schema {self._name!r}; only its arrays are checked."
            )
        yield from self._counts_problems()
        yield from self._no_maps()
        seen: set[str] = set()
        for rule in self._rules:
            for path, numbers, value in matches(self._document, rule.path):
                match rule:
                    case ArrayRule():
                        seen.add(path)
                        yield from self._array(path, numbers, value, rule)
                    case AttributesRule():
                        yield from self._attributes(path, numbers, value, rule, seen)
                    case AttributeRule():
                        yield from self._one_attribute(path, value, None, seen)
                    case TableRule():
                        seen.add(path)
                        yield from self._table(path, value, rule)
            if isinstance(rule, ArrayRule) and rule.is_required:
                yield from self._missing(rule)
        for reference in references_in(self._document):
            if reference.path not in seen:
                yield from self._described(reference.path, reference.json, None)

    @cached_property
    def _counts(self) -> dict[_Scope, int]:
        """Rows of all components: from the document, else from the first array of each."""
        found: dict[_Scope, int] = {}
        for name, count in dict(self._family.counts).items():
            try:
                found[name, ()] = count(self._document)
            except (KeyError, TypeError, ValueError):
                continue
        for rule in self._rules:
            if isinstance(rule, ArrayRule):
                for _, numbers, value in matches(self._document, rule.path):
                    described = _description(value.get(rule.instead[0]) if rule.is_split(value) else value)
                    if described is not None:
                        found.setdefault(scoped(rule.rows, numbers), described.length)
            elif isinstance(rule, TableRule):
                for _, numbers, value in matches(self._document, rule.path):
                    length: Any = value.get("length") if isinstance(value, Mapping) else None
                    if is_count(length):
                        found.setdefault(scoped(rule.path, numbers), length)
        return found

    def _counts_problems(self) -> Iterator[Finding]:
        for name, count in dict(self._family.counts).items():
            try:
                found = count(self._document)
            except (KeyError, TypeError, ValueError):
                yield Finding("error", "size", f"the object does not tell its number of {name}.")
                continue
            if found < 0:
                yield Finding("error", "size", f"the object has {found} {name}.")
        if str(self._name).startswith("tensor-"):
            yield from self._tensor_problems()

    def _tensor_problems(self) -> Iterator[Finding]:
        """Yield axes of a tensor grid whose numbers of cell sizes differ from its size."""
        size = self._document.get("size")
        sizes_of_axes = self._document.get(f"grid_cells_{len(size)}d" if isinstance(size, list) else "")
        if not isinstance(size, list) or not isinstance(sizes_of_axes, Mapping):
            yield Finding("error", "size", "a tensor grid tells its size, and the sizes of its cells.")
            return
        for axis, count in zip("xyz", size, strict=False):
            sizes = sizes_of_axes.get(f"cell_sizes_{axis}")
            found = len(sizes) if isinstance(sizes, list) else None
            if found != count:
                yield Finding("error", "size", f"there are {found} sizes of cells along {axis}, and {count} cells.")

    def _count(self, name: str | None, numbers: tuple[int, ...]) -> int | None:
        """Return the rows of the first component of a name that the object has."""
        for one in [] if name is None else name.split("|"):
            if (found := self._counts.get(scoped(one, numbers))) is not None:
                return found
        return None

    def _no_maps(self) -> Iterator[Finding]:
        """Yield the places around arrays at which there is something else than a map, or a list of maps."""
        outers = {outer for rule in self._rules for outer in _outers(rule.path)}
        for outer in sorted(outers):
            kind: type = list if f"{outer}[]" in outers else Mapping
            for path, _, value in matches(self._document, outer):
                if value is not None and not isinstance(value, kind):
                    wanted = "a list" if kind is list else "a map"
                    text = f"{wanted} belongs here, not {value!r:.40} of the type {type(value).__name__}."
                    yield Finding("error", "description", text, blob=path)

    def _missing(self, rule: ArrayRule) -> Iterator[Finding]:
        """Yield the places of missing arrays whose surrounding object exists."""
        outer, _, name = rule.path.rpartition(".")
        for path, _, value in matches(self._document, outer) if outer else [("", (), self._document)]:
            if isinstance(value, Mapping) and name not in value:
                yield Finding(
                    "error", "missing-array", f"an array {rule.kinds[0]} is missing.", blob=f"{path}.{name}".lstrip(".")
                )

    def _array(self, path: str, numbers: tuple[int, ...], value: Any, rule: ArrayRule) -> Iterator[Finding]:
        if value is None and not rule.is_required:
            return
        if rule.is_split(value):
            for name in rule.instead:
                if name not in value:
                    yield Finding("error", "missing-array", f"an array {name} is missing.", blob=f"{path}.{name}")
            return
        described = yield from self._described(path, value, rule.kinds)
        if described is None:
            return
        expected = self._count(rule.rows, numbers)
        if expected is not None and described.length != expected:
            text = f"it has {described.length:,} rows, its component {rule.rows} has {expected:,}."
            yield Finding("error", "rows", text, blob=path)
        is_mask = rule.path == self._family.active
        yield from self._values(
            path,
            described,
            role=rule.role,
            vertices=self._count(rule.below, numbers),
            active=self._count("active", ()) if is_mask else None,
            lookup=self._looked_up(path, rule),
        )
        limit = None if rule.chunks is None else self._count(rule.chunks[2], numbers)
        if rule.chunks is not None and limit is not None:
            yield from self._chunks(path, described, rule.chunks[0], rule.chunks[1], limit)

    def _looked_up(self, path: str, rule: ArrayRule) -> pa.Table | None:
        """Return the lookup table of the codes of an array, None if it has none."""
        if rule.keys is not None:
            return self._table_of(next((value for _, _, value in matches(self._document, rule.keys)), None))
        return self._table_of(_beside(self._document, path, "table")) if rule.role == "category" else None

    def _described(
        self, path: str, value: Any, kinds: tuple[str, ...] | None
    ) -> Generator[Finding, None, ArrayDescription | None]:
        """Yield the errors of a description; return it, None if it is invalid."""
        try:
            described = ArrayDescription.from_json(value)
        except KindError as error:
            # Unknown schemas may have arrays of no kind.
            yield Finding("warning" if kinds is None else "error", "kind", error.message, blob=path)
            return None
        except EvoError as error:
            yield Finding("error", "description", "; ".join([error.message, *error.details]), blob=path)
            return None
        if kinds is not None and not described.kind.startswith(kinds):
            instead = _tolerated(described, kinds)
            text = f"it is {described.kind}, not {' or '.join(kinds)}."
            if instead is None:
                yield Finding("error", "kind", text, blob=path)
            else:
                text += f"  {described.types[0]} is taken for {instead}; write {instead}."
                yield Finding("warning", f"{described.types[0]}-for-{instead}", text, blob=path)
        if kinds is None:
            yield from self._values(path, described)
        return described

    def _values(self, path: str, described: ArrayDescription, **expected: Any) -> Iterator[Finding]:
        """Yield the errors in the blob of an array."""
        if self._store is None or described.data is None:
            return
        place = f"{path} ({described.data})"
        try:
            where = self._store.path(described, verify=False)
        except AkdaskError as error:
            yield Finding("error", "missing", error.message, blob=place)
            return
        with self._store.access():
            for finding in validate(where, described, footer_only=self._footer_only, **expected):
                yield replace(finding, blob=place)

    def _table(self, path: str, value: Any, rule: TableRule) -> Iterator[Finding]:
        """Yield errors of a table whose columns are of no kind: in its description and its digest."""
        given = value if isinstance(value, Mapping) else {}
        width = rule.data_type.count("/") + 1
        if given.get("data_type") != rule.data_type or given.get("width") != width:
            text = f"it has {given.get('width')!r:.30} columns {given.get('data_type')!r:.100}, not {width}"
            yield Finding("error", "kind", f"{text} {rule.data_type}.", blob=path)
        name = given.get("data")
        if not is_count(given.get("length")) or not (name is None or is_identifier(name)):
            yield Finding("error", "description", "it needs its length, and a digest, a UUID or null.", blob=path)
        elif name is not None and self._store is not None and not (self._footer_only and self._store.has(name)):
            for finding in self._store.verify([name]):
                yield replace(finding, blob=f"{path} ({name})")

    def _rows_of(self, path: str, described: ArrayDescription) -> Generator[Finding, None, pa.Table | None]:
        """Return the rows of an array, None where they are unavailable."""
        if self._store is None or self._footer_only or described.data is None:
            return None
        try:
            return self._store.get_arrow(described)
        except AkdaskError as error:
            yield Finding("error", "unreadable", error.message, blob=f"{path} ({described.data})")
            return None

    def _chunks(self, path: str, described: ArrayDescription, offset: int, count: int, limit: int) -> Iterator[Finding]:
        """Yield runs of rows that end beyond their target."""
        table = yield from self._rows_of(path, described)
        if table is None or table.num_columns <= max(offset, count):
            return
        try:
            ends = pc.add_checked(table.column(offset).cast(pa.uint64()), table.column(count).cast(pa.uint64()))
        except pa.ArrowInvalid as error:
            yield Finding("error", "chunk-range", f"offsets and counts are no runs of rows: {error}", blob=path)
            return
        beyond = pc.greater(ends, pa.scalar(limit, pa.uint64()))
        if pc.any(beyond).as_py():
            first = pc.index(beyond, pa.scalar(value=True)).as_py()
            text = f"row {first:,} ends at {ends[first].as_py():,}, of {limit:,} rows."
            yield Finding("error", "chunk-range", text, table.column_names[offset], blob=f"{path} ({described.data})")

    def _attributes(
        self, path: str, numbers: tuple[int, ...], value: Any, rule: AttributesRule, seen: set[str]
    ) -> Iterator[Finding]:
        if value is None:
            return
        if not isinstance(value, list):
            yield Finding("error", "attributes", "attributes are a list.", blob=path)
            return
        # Tables of attributes alone take their rows from the first.
        for number, attribute in enumerate(value):
            scope = scoped(rule.rows, numbers)
            described = _description(attribute.get("values")) if isinstance(attribute, Mapping) else None
            if described is not None:
                self._counts.setdefault(scope, described.length)
            yield from self._one_attribute(f"{path}[{number}]", attribute, self._counts.get(scope), seen)

    def _one_attribute(self, path: str, value: Any, rows: int | None, seen: set[str]) -> Iterator[Finding]:
        if isinstance(value, Mapping):
            yield from self._attribute(path, value, rows, seen)
        else:
            yield Finding("error", "attributes", "an attribute is a map.", blob=path)

    def _attribute(
        self, path: str, attribute: Mapping[str, Any], rows: int | None, seen: set[str]
    ) -> Iterator[Finding]:
        kind = ATTRIBUTE_TYPES.get(str(attribute.get("attribute_type")))
        if kind is None:
            given = attribute.get("attribute_type")
            yield Finding("error", "attribute-type", f"no attribute is of type {given!r:.60}.", blob=path)
            return
        seen.add(f"{path}.values")
        described = yield from self._described(f"{path}.values", attribute.get("values"), kind.kinds)
        if kind.has_missing and not _names_missing(attribute.get("nan_description")):
            text = 'it lacks nan_description: {"values": […]}, the values that stand for missing.'
            yield Finding("error", "nan-description", text, blob=path)
        if kind.has_table:
            seen.add(f"{path}.table")
            table = yield from self._described(f"{path}.table", attribute.get("table"), LOOKUP)
            if table is not None:
                yield from self._values(f"{path}.table", table, role="lookup")
        if described is None:
            return
        if rows is not None and described.length != rows:
            yield Finding("error", "rows", f"it has {described.length:,} rows, its component has {rows:,}.", blob=path)
        if kind.has_steps and described.width != attribute.get("num_time_steps"):
            given = attribute.get("num_time_steps")
            yield Finding(
                "error", "time-steps", f"it has {described.width} columns for {given!r:.30} time steps.", blob=path
            )
        lookup = self._table_of(attribute.get("table")) if kind.has_table else None
        yield from self._values(f"{path}.values", described, role=kind.role, lookup=lookup)

    def _table_of(self, value: Any) -> pa.Table | None:
        """Return the lookup table of a description, None where it is unavailable or not a lookup table."""
        described = _description(value)
        if self._store is None or self._footer_only or described is None or described.data is None:
            return None
        if not described.kind.startswith(LOOKUP):
            return None
        try:
            table = self._store.get_arrow(described)
        except AkdaskError:
            return None
        keys = table.column(0)
        return None if keys.null_count or pc.count_distinct(keys).as_py() < len(keys) else table


def _description(value: Any) -> ArrayDescription | None:
    """Return the description in a JSON map, None if it is not one."""
    try:
        return ArrayDescription.from_json(value)
    except EvoError:
        return None


def _tolerated(described: ArrayDescription, kinds: tuple[str, ...]) -> str | None:
    """Return the type of all columns with which an array is of one of the kinds; None if there is none.

    Examples
    --------
    >>> _tolerated(ArrayDescription(None, 0, 3, "int64"), ("index-array-3",))
    'uint64'
    """
    for role in ROLES.values():
        instead = (role.tolerated or {}).get(described.types[0])
        if instead is None or len(set(described.types)) > 1:
            continue
        kind = kind_of_types([instead] * len(described.types))
        if kind is not None and kind.name.startswith(kinds):
            return instead
    return None


def _beside(document: Any, path: str, name: str) -> Any:
    """Return the value of another name beside a place in the document, None if there is none."""
    outer = path.rpartition(".")[0]
    return next((value for _, _, value in matches(document, f"{outer}.{name}")), None)


def _names_missing(value: Any) -> bool:
    """Whether an attribute names values for missing."""
    return isinstance(value, Mapping) and isinstance(value.get("values"), list)


def fetch_object(document: Document, store: Store, *, verify: bool = True) -> dict[str, Any]:
    """Return lazy DataFrames of all arrays of an object, by their paths.

    Values that attributes name as missing are missing.  Of the blobs only the footers are read, and with `verify` their
    digests are compared, many at a time.

    Parameters
    ----------
    document : mapping or path
        The object's JSON.
    store : Store
        Where the blobs are.
    verify : bool, default True
        Compare the digests of the blobs first.

    Raises
    ------
    DescriptionError
        If descriptions make no sense.
    EvoError
        If blobs are missing or damaged; all of them are listed.

    Warns
    -----
    UserWarning
        If arrays are left out, as their columns make no kind.
    """
    references = find_references(document)
    if verify:
        wrong = store.verify([reference.name for reference in references if reference.name is not None])
        if wrong:
            raise EvoError(
                "blobs of the object are missing or damaged.",
                details=[str(finding) for finding in wrong],
                hint="fetch or write them again.",
            )
    strange = [reference.path for reference in references if not reference.has_kind]
    if strange:
        warn(f"arrays of no kind are left out: {', '.join(strange)}.", UserWarning)
    return {
        reference.path: store.get(reference.json, nan_description=reference.nan_description, verify=False)
        for reference in references
        if reference.has_kind
    }


def verify_object(document: Document, store: Store) -> list[Finding]:
    """Return errors in the blobs of all arrays of an object: missing, damaged, or not as described.

    Digests and footers of many blobs are checked concurrently.  For the rules of the object's schema see
    `akdask.evo.check_object`.

    Parameters
    ----------
    document : mapping or path
        The object's JSON.
    store : Store
        Where the blobs are.
    """
    found = []
    described: dict[str, list[Reference]] = {}
    for reference in references_in(load_object(document)):
        try:
            has_kind, name = reference.has_kind, reference.name
        except EvoError as error:
            found.append(
                Finding("error", "description", "; ".join([error.message, *error.details]), blob=reference.path)
            )
            continue
        if not has_kind:
            found.append(Finding("warning", "kind", "its columns make no kind of array.", blob=reference.path))
        if name is not None:
            described.setdefault(name, []).append(reference)
    found += store.verify(list(described))
    gone = {finding.blob for finding in found if finding.is_error}
    for name, references in described.items():
        if name in gone:
            continue
        for reference in filter(lambda item: item.has_kind, references):
            try:
                store.check(reference.json)
            except AkdaskError as error:
                text = "; ".join([error.message, *error.details])
                found.append(Finding("error", "description", f"{reference.path}: {text}", blob=name))
    return found


def copy_object(document: Document, source: Store, target: Store) -> list[str]:
    """Copy the blobs of an object to another store, and return the names of the new ones.

    Parameters
    ----------
    document : mapping or path
        The object's JSON.
    source, target : Store
        Where the blobs are, and where they go.

    Raises
    ------
    DescriptionError
        If descriptions make no sense.
    EvoError
        If blobs are missing or damaged; all of them are listed, and the others are copied.
    """
    names = [reference.name for reference in find_references(document)]
    return source.copy([name for name in names if name is not None], target)


def frame_of(
    document: Document,
    store: Store,
    path: str,
    *,
    columns: Sequence[str] | None = None,
    rows: slice | None = None,
    categoricals: bool = False,
    verify: bool = True,
) -> DataFrame:
    """Return an array of an object, or a list of its attributes, as a lazy DataFrame.

    Parameters
    ----------
    document : mapping or path
        The object's JSON.
    store : Store
        Where its blobs are.
    path : str
        Where the array, the attribute or the list of attributes is, or the end of that path if no other ends so:
        ``"vertices"``, ``"vertices.attributes"``, ``"collections[0].from_to.attributes"``.
    columns : sequence of str, optional
        Names of attributes, or of columns of the array, to read; all by default.
    rows : slice, optional
        Rows to read.
    categoricals : bool, default False
        Whether codes become a Categorical rather than text.
    verify : bool, default True
        Compare the digests of the blobs with their names.

    Returns
    -------
    DataFrame
        The columns of an array; or a column for each attribute, by its name, or by its key where names repeat; or
        several named ``name[0]``, ``name[1]``, … if it has several.  Codes become text, and missing values of
        attributes are missing.

    Raises
    ------
    ObjectError
        If there is no such place, or several, or there are no arrays.
    MissingColumnError
        If there is no attribute of a name.
    EvoError
        As for `Store.get`.
    """
    found, value = resolve(load_object(document), path)
    if isinstance(value, list):
        attributes = _labelled(value)
        if not attributes:
            raise ObjectError(f"there are no attributes with arrays at {found!r}.")
        return DataFrame(_columns_of(_named(attributes, columns, found), store, rows, categoricals, verify))
    if isinstance(value, Mapping) and "data" in value:
        return store.get(value, columns=columns, rows=rows, verify=verify)
    if _has_values(value):
        frame = DataFrame(_columns_of({_label(value, 0): value}, store, rows, categoricals, verify))
        return frame if columns is None else frame[list(columns)]
    members = value.items() if isinstance(value, Mapping) else ()
    inner = [name for name, item in members if isinstance(item, Mapping | list)]
    raise ObjectError(
        f"there is no array at {found!r}.", details=[f"in it: {', '.join(inner) or 'nothing'}"], hint="name one in it."
    )


def _outers(path: str) -> Iterator[str]:
    """Yield the patterns of all that an array is in.

    Examples
    --------
    >>> list(_outers("collections[].from_to.start"))
    ['collections[].from_to', 'collections[]', 'collections']
    """
    while "." in path or path.endswith("[]"):
        path = path.removesuffix("[]") if path.endswith("[]") else path.rpartition(".")[0]
        yield path


def _has_values(value: Any) -> bool:
    """Whether something is an attribute, or text that is stored as codes."""
    return isinstance(value, Mapping) and isinstance(value.get("values"), Mapping) and "data" in value["values"]


def _label(attribute: Any, number: int) -> str:
    """Return the label of an attribute: its name, else its key."""
    known = attribute if isinstance(attribute, Mapping) else {}
    return str(known.get("name") or known.get("key") or (f"attribute {number}" if number else "values"))


def _labelled(values: Sequence[Any]) -> dict[str, Any]:
    """Return attributes by their names; those that share a name by their keys, which are unique, or with a number."""
    items = [(_label(item, number), item) for number, item in enumerate(values) if _has_values(item)]
    counts = Counter(label for label, _ in items)
    found: dict[str, Any] = {}
    for label, item in items:
        chosen = label if counts[label] == 1 else str(item.get("key") or label)
        number = 1
        unique = chosen
        while unique in found or (unique != label and unique in counts):
            number += 1
            unique = f"{chosen} {number}"
        found[unique] = item
    return found


def _named(attributes: Mapping[str, Any], names: Sequence[str] | None, path: str) -> Mapping[str, Any]:
    if names is None:
        return attributes
    chosen = [names] if isinstance(names, str) else list(names)
    missing = [name for name in chosen if name not in attributes]
    if missing:
        raise MissingColumnError(
            f"there is no attribute {missing[0]!r} at {path!r}.", details=[f"there are: {', '.join(attributes)}"]
        )
    return {name: attributes[name] for name in chosen}


def _columns_of(
    attributes: Mapping[str, Any], store: Store, rows: slice | None, categoricals: bool, verify: bool
) -> dict[str, Any]:
    """Return the lazy columns of attributes."""
    made: dict[str, Any] = {}
    for label, attribute in attributes.items():
        frame = store.get(
            attribute["values"],
            rows=rows,
            role="color" if attribute.get("attribute_type") == "color" else None,
            nan_description=attribute.get("nan_description"),
            lookup=attribute.get("table"),
            categoricals=categoricals,
            verify=verify,
        )
        names = list(frame.columns)
        for number, name in enumerate(names):
            made[label if len(names) == 1 else f"{label}[{number}]"] = frame[name]
    return made
