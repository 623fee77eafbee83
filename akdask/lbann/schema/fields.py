"""The fields that are read of each sample, with their merged metadata and where each value of it was written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from akdask.lbann.errors import UnknownNameError
from akdask.lbann.schema.directives import Directives, directives_of
from akdask.lbann.schema.nodes import MetadataEntry


class FieldMetadata(Mapping[str, Any]):
    """Merged metadata of one field: a mapping of keys to values.

    Parameters
    ----------
    path : str
        The field, as a path in the sample.
    entries : mapping of str to MetadataEntry
        Values by key, with where they were written.

    Attributes
    ----------
    directives : Directives
        What they demand, checked.

    Raises
    ------
    LbannSchemaError
        If they demand nothing that can be done.
    """

    def __init__(self, path: str, entries: Mapping[str, MetadataEntry]) -> None:
        self.path = path
        self.entries = dict(entries)
        self.directives: Directives = directives_of(path, self.entries)

    def __getitem__(self, key: str) -> Any:
        return self.entries[key].value

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        return f"FieldMetadata({self.path!r}, {dict(self)})"

    def without(self, key: str) -> FieldMetadata:
        """Return metadata that lacks a key."""
        return FieldMetadata(self.path, {name: entry for name, entry in self.entries.items() if name != key})

    def explain(self) -> str:
        """Return the values, a line each, with the file, line and node that each one comes from."""
        lines = [self.path, *(f"  {key}: {_explained(entry)}" for key, entry in self.entries.items())]
        return "\n".join(lines if self.entries else [*lines, "  no metadata"])


class SampleFields(Mapping[str, FieldMetadata]):
    """Fields that are read of each sample: an ordered mapping of paths to metadata.

    Parameters
    ----------
    fields : mapping of str to FieldMetadata
        In the order in which packing breaks ties.
    """

    def __init__(self, fields: Mapping[str, FieldMetadata]) -> None:
        self._fields = dict(fields)

    def __getitem__(self, path: str) -> FieldMetadata:
        if path not in self._fields:
            close = get_close_matches(path, self._fields, 1)
            raise UnknownNameError(
                f"no field {path!r} is selected.",
                details=[f"fields: {', '.join(self._fields)}"],
                hint=f"did you mean {close[0]!r}?" if close else None,
            )
        return self._fields[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __contains__(self, path: object) -> bool:
        return path in self._fields

    def __repr__(self) -> str:
        return f"SampleFields({', '.join(self._fields)})"

    def explain(self, path: str | None = None) -> str:
        r"""Return the final metadata of a field, or of all, and where each value of it was written.

        Parameters
        ----------
        path : str, optional
            One field.

        Raises
        ------
        UnknownNameError
            If the field is not selected.

        Examples
        --------
        >>> from akdask.lbann import schema
        >>> data = schema.load("a:\n  metadata: {scale: 2.0}\n", name="data")
        >>> experiment = schema.load("metadata: {scale: 3.0}\na:\n", name="experiment")
        >>> print(schema.merge(data, experiment).explain("a"))
        a
          scale: 3.0  from experiment, line 1 (root); overrides 2.0 from data, line 2 (a)
        """
        found = self._fields.values() if path is None else [self[path]]
        return "\n".join(metadata.explain() for metadata in found)


def _explained(entry: MetadataEntry) -> str:
    shown = "nothing" if entry.value is None else entry.value
    text = f"{shown}  from {entry.place}"
    return text if entry.overrides is None else f"{text}; overrides {_explained(entry.overrides)}"
