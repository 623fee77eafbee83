"""Faults of a sample set, and the reports that collect them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

FaultKind: TypeAlias = Literal["list", "schema", "file", "count", "sample", "field", "type", "size", "value"]
"""What is at fault: the list, a schema, an unreadable file, a count in the list, a missing sample or field, the type or
number of its elements, or a value that is not finite.
"""


@dataclass(frozen=True, slots=True)
class SampleFault:
    """One fault.

    Parameters
    ----------
    kind : str
        Kind of the fault; see `FaultKind`.
    text : str
        Description of the fault.
    file, sample, field : str, optional
        Where.
    is_warning : bool
        Whether samples can be read in spite of it.
    """

    kind: FaultKind
    text: str
    file: str | None = None
    sample: str | None = None
    field: str | None = None
    is_warning: bool = False


@dataclass(frozen=True, slots=True)
class FileCheck:
    """The result of checking one file.

    Parameters
    ----------
    path : str
        The file.
    state : str
        Its size and time of modification, by which a later run recognizes it.
    n_samples : int
        Samples of the list that were looked for.
    faults : tuple of SampleFault
        Faults of the file.
    sizes : dict of str to (int, str)
        Number and type of the elements of each field, in the first sample that can be read.
    """

    path: str
    state: str
    n_samples: int
    faults: tuple[SampleFault, ...]
    sizes: dict[str, tuple[int, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SampleSetReport:
    """The outcome of a check.

    Parameters
    ----------
    faults : tuple of SampleFault
        In the order of the list.
    n_files, n_samples : int
        Number of samples checked.
    n_known : int
        Files checked by an earlier run.
    """

    faults: tuple[SampleFault, ...]
    n_files: int = 0
    n_samples: int = 0
    n_known: int = 0

    @property
    def is_good(self) -> bool:
        """Whether all samples can be read."""
        return all(fault.is_warning for fault in self.faults)

    def as_json(self) -> dict[str, Any]:
        """Return the report in JSON types."""
        return {
            "good": self.is_good,
            "files": self.n_files,
            "samples": self.n_samples,
            "known_from_before": self.n_known,
            "faults": [as_dict(fault) for fault in self.faults],
        }


def as_dict(fault: SampleFault) -> dict[str, Any]:
    """Return a fault as JSON holds it."""
    return {name: getattr(fault, name) for name in ("kind", "text", "file", "sample", "field", "is_warning")}


def from_dicts(found: Sequence[dict[str, Any]]) -> tuple[SampleFault, ...]:
    """Return faults of JSON."""
    return tuple(SampleFault(**one) for one in found)
