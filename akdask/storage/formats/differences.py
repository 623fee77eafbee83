"""What a set of files has that cannot be read: it is listed, left out unless it is asked for, and then an error.

The files have it differently, or it is of a type that no column can be.
"""

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


def warn_of_left_out(
    label: str, differing: Mapping[str, Difference], unreadable: Mapping[str, str] | None = None
) -> None:
    """Tell in one warning what is left out, and why; nothing if all is read.

    Parameters
    ----------
    label : str
        How a user names the set.
    differing : mapping of str to Difference
        What the files have differently.
    unreadable : mapping of str to str
        What cannot be read, whichever files have it, and why.
    """
    told = {name: one.reason for name, one in differing.items()} | dict(unreadable or {})
    if not told:
        return
    whats = ["what its files have differently"] * bool(differing) + ["what cannot be read"] * bool(unreadable)
    lines = [f"{name!r}: {reason}" for name, reason in list(told.items())[:_MOST_NAMES]]
    more = [f"… and {len(told) - _MOST_NAMES} more"] if len(told) > _MOST_NAMES else []
    hints = ["Ask for one by its name to see which files differ"] * bool(differing)
    hints += ["widen=True reads numbers of several types in one"] * any(one.can_widen for one in differing.values())
    hints += ["Name the others to read them without this warning"] * (not differing)
    warn(
        f"{label} leaves out {' and '.join(whats)}:\n" + "\n".join([*lines, *more, f"{'; '.join(hints)}."]),
        RuntimeWarning,
    )
