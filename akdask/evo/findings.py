"""Findings: errors and oddities of a blob, each with its place and severity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeAlias

Severity: TypeAlias = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a blob, or odd about it.

    Parameters
    ----------
    severity : {"error", "warning"}
        Whether the blob breaks a rule, or only a recommendation.
    code : str
        Code of the finding, for programs: ``codec``, ``length``, ``null``, …
    message : str
        Description of the finding, with advice.
    column : str, optional
        Name of the column in the file.
    row_group : int, optional
        Number of the row group.
    blob : str, optional
        Path or name of the blob.
    """

    severity: Severity
    code: str
    message: str
    column: str | None = None
    row_group: int | None = None
    blob: str | None = None

    @property
    def is_error(self) -> bool:
        """Whether a rule is broken."""
        return self.severity == "error"

    def within(self, blob: str) -> Self:
        """Return the finding as one of a blob."""
        return replace(self, blob=blob)

    def to_json(self) -> dict[str, Any]:
        """Return the finding as a JSON map; unknown fields are null."""
        return {
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "blob": self.blob,
            "column": self.column,
            "row_group": self.row_group,
        }

    def __str__(self) -> str:
        where = [
            self.blob or "",
            f"column {self.column!r}" if self.column is not None else "",
            f"row group {self.row_group}" if self.row_group is not None else "",
        ]
        shown = ", ".join(filter(None, where))
        return f"{self.severity} {self.code}{f' ({shown})' if shown else ''}: {self.message}"


def errors_among(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that are errors."""
    return [finding for finding in findings if finding.is_error]


def exit_code(findings: Sequence[Finding]) -> int:
    """Return the exit code of a command with these findings: 1 if there are errors, else 0.

    Examples
    --------
    >>> exit_code([]), exit_code([Finding("error", "null", "a null")])
    (0, 1)
    """
    return int(any(finding.is_error for finding in findings))
