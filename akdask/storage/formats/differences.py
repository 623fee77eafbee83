"""What the files of a set do not have alike: it is listed, left out unless it is asked for, and then an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from akdask.errors import InconsistentFilesError, warn

_MOST_NAMES = 10


@dataclass(frozen=True, slots=True)
class Difference:
    """How files differ in a column or an object.

    Parameters
    ----------
    reason : str
        In a few words.
    files : sequence of str
        Which files do, and what they have.
    can_widen : bool, default False
        Whether ``widen=True`` reads it.
    """

    reason: str
    files: Sequence[str]
    can_widen: bool = False

    def error(self, name: str, hint: str = "") -> InconsistentFilesError:
        """Return the error that a reader of it raises; `hint` says what else can be done."""
        return differing_error({name: self}, hint)


@runtime_checkable
class DifferingSet(Protocol):
    """A set of files that says what they do not have alike."""

    @property
    def differences(self) -> Mapping[str, Difference]:
        """Names of what the files have differently, and how."""
        ...


def differing_error(found: Mapping[str, Difference], hint: str = "") -> InconsistentFilesError:
    """Return the error that tells of all that was asked for and that files have differently."""
    names = [repr(name) for name in list(found)[:_MOST_NAMES]] + ["…"] * (len(found) > _MOST_NAMES)
    told = "; ".join(dict.fromkeys(one.reason for one in found.values()))
    hints = ["widen=True reads numbers in a type that has all of them"] * any(one.can_widen for one in found.values())
    hints += [hint or "allow_errors=True leaves out files that are unlike the first"]
    return InconsistentFilesError(
        f"the files of the set differ in {', '.join(names)}: {told}.",
        details=[f"{name!r}: {text}" for name, one in found.items() for text in one.files],
        hint="; ".join(hints) + ".",
    )


def warn_of_differing(label: str, found: Mapping[str, Difference]) -> None:
    """Tell in one warning what is left out, and why."""
    told = [f"{name!r}: {one.reason}" for name, one in list(found.items())[:_MOST_NAMES]]
    more = [f"… and {len(found) - _MOST_NAMES} more"] if len(found) > _MOST_NAMES else []
    warn(
        f"{label} leaves out what its files have differently:\n"
        + "\n".join(told + more)
        + "\nAsk for one by its name to see which files differ; widen=True reads numbers of several types in one.",
        RuntimeWarning,
    )
