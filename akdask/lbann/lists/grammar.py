"""The head of a sample list: six types, and what their first lines hold."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from akdask.lbann.errors import LbannListError


class ListType(Enum):
    """The types of sample lists, by the word that their first line begins with.

    Attributes
    ----------
    has_label_file : bool
        Whether line 4 names a label file.
    n_counts : int
        How many numbers follow the file on a line of the body.
    header_counts : tuple of str
        What the numbers of line 2 count.
    is_exclusion : bool
        Whether samples that are named are left out.
    """

    CONDUIT_HDF5_INCLUSION = "CONDUIT_HDF5_INCLUSION"
    CONDUIT_HDF5_EXCLUSION = "CONDUIT_HDF5_EXCLUSION"
    MULTI_SAMPLE_INCLUSION = "MULTI-SAMPLE_INCLUSION"
    MULTI_SAMPLE_EXCLUSION = "MULTI-SAMPLE_EXCLUSION"
    MULTI_SAMPLE_INCLUSION_V2 = "MULTI-SAMPLE_INCLUSION_V2"
    SINGLE_SAMPLE = "SINGLE-SAMPLE"

    @property
    def has_label_file(self) -> bool:
        """Whether line 4 names a label file."""
        return self.value in {"MULTI-SAMPLE_INCLUSION", "MULTI-SAMPLE_EXCLUSION", "SINGLE-SAMPLE"}

    @property
    def is_exclusion(self) -> bool:
        """Whether samples that are named are left out."""
        return self.value.endswith("_EXCLUSION")

    @property
    def header_counts(self) -> tuple[str, ...]:
        """What the numbers of line 2 count."""
        match self:
            case ListType.SINGLE_SAMPLE:
                return ("files",)
            case ListType.MULTI_SAMPLE_INCLUSION_V2:
                return ("included", "files")
        return ("included", "excluded", "files")

    @property
    def n_counts(self) -> int:
        """How many numbers follow the file on a line of the body."""
        return len(self.header_counts) - 1

    @property
    def inclusion(self) -> ListType:
        """The type as which a list of this one is written back."""
        return ListType(self.value.replace("_EXCLUSION", "_INCLUSION"))


@dataclass(frozen=True, slots=True)
class ListHeader:
    """The first lines of a sample list.

    Parameters
    ----------
    type : ListType
        Of line 1.
    counts : dict of str to int
        What line 2 says: samples ``included`` and ``excluded``, as far as the type has them, and ``files``.
    base_directory : str
        Of line 3, as it is written there.
    label_file : str, optional
        Of line 4 where the type has one.
    """

    type: ListType
    counts: dict[str, int]
    base_directory: str
    label_file: str | None = None

    @property
    def n_lines(self) -> int:
        """Lines that it takes."""
        return 4 if self.type.has_label_file else 3


def parse_header(lines: list[str], path: str) -> ListHeader:
    """Return what the first lines say.

    Parameters
    ----------
    lines : list of str
        At least the first four lines, or all if there are fewer.
    path : str
        The list, for errors.

    Raises
    ------
    LbannListError
        If a line is missing, empty or not what its place demands.
    """
    listed = _type_of(_first_word(lines, 0, "the type of the list", path), path)
    names = listed.header_counts
    _first_word(lines, 1, "counts", path)
    numbers = lines[1].split()[: len(names)]
    if len(numbers) < len(names) or not all(_is_count(number) for number in numbers):
        raise LbannListError(
            f"line 2 of the sample list {path!r} is not: {' '.join(names)}.",
            details=[f"line 2: {lines[1].strip()!r}"],
            hint=f"a list of type {listed.value} begins with {len(names)} numbers from 0 up.",
        )
    base = _first_word(lines, 2, "the base directory", path)
    label = _first_word(lines, 3, "the label file", path) if listed.has_label_file else None
    return ListHeader(listed, dict(zip(names, map(int, numbers), strict=True)), base, label)


def _is_count(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= 18


def _type_of(word: str, path: str) -> ListType:
    try:
        return ListType(word.upper())
    except ValueError:
        raise LbannListError(
            f"line 1 of {path!r} names no type of sample lists.",
            details=[f"found: {word[:80]!r}", *(f"known: {known.value}" for known in ListType)],
        ) from None


def _first_word(lines: list[str], number: int, what: str, path: str) -> str:
    words = lines[number].split(maxsplit=1) if number < len(lines) else []
    if not words:
        found = "empty" if number < len(lines) else "not there"
        raise LbannListError(
            f"line {number + 1} of the sample list {path!r} is {found}; it holds {what}.",
            hint="the lines of the header are the very first ones, without blank lines between them.",
        )
    return words[0]
