"""A rule: one sentence about files, how bad it is if they break it, and the function that looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from akdask.hdf5.validate.context import SetContext


class Severity(StrEnum):
    """How bad a violation is."""

    ERROR = "error"
    """Servers refuse the object, or give wrong values."""
    WARNING = "warning"
    """Some releases or some functions do."""
    NOTE = "note"
    """No server does, but servers write it otherwise."""


Finding: TypeAlias = tuple[str, str, str]
"""File, object (empty for the file as such) and what was found there."""

Check: TypeAlias = Callable[[SetContext], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule.

    Parameters
    ----------
    id : str
        Stable name: ``strings.terminated``.
    severity : Severity
        Of its violations.
    sentence : str
        What holds for files that keep it.
    check : callable
        Yields the violations of a set.
    """

    id: str
    severity: Severity
    sentence: str
    check: Check


def rule(identifier: str, severity: Severity) -> Callable[[Check], Rule]:
    """Make a rule of the function that checks it; the first line of its docstring is the sentence."""

    def made(check: Check) -> Rule:
        return Rule(identifier, severity, (check.__doc__ or "").partition("\n")[0], check)

    return made
