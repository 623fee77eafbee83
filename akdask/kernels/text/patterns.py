"""Regular expressions as RE2 reads them: their groups, and what matches are replaced by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from akdask.errors import ArgumentError, UnsupportedError
from akdask.kernels.keys.strings import check_pattern

REWRITTEN = 9
"""The most groups that RE2's replacements can name."""

_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}

_SYNTAX = re.compile(
    r"""
    \\Q .*? (?: \\E | \Z )                                  # literal text
    | \\ .                                                  # an escape
    | \[ \^? \]? (?: \[:\^?\w+:\] | \\. | [^\]\\] )* \]     # a class of characters
    | (?P<opening> \( (?: \?P?<(?P<name>\w+)> | (?!\?) ) )  # a group that captures
    """,
    re.DOTALL | re.VERBOSE,
)

_REFERENCE = re.compile(
    r"\\(?: g<(?P<name>[^>]*)> | (?P<number>0|[1-9]\d?) | (?P<escaped>.)? )", re.DOTALL | re.VERBOSE
)


def group_names(pattern: str) -> tuple[str | None, ...]:
    r"""Return the names of the groups that capture, in their order; None for those without.

    Examples
    --------
    >>> group_names(r"(\d+)[(](?P<unit>m|(?:km))\(")
    (None, 'unit')
    """
    return tuple(found["name"] for found in _openings(pattern))


def check_group(pattern: str, group: int) -> None:
    """Refuse a group that a regular expression does not have; all have group 0, which is all of the match.

    Raises
    ------
    ArgumentError
        If there is no such group.
    """
    count = len(group_names(pattern))
    if not 0 <= group <= count:
        raise ArgumentError(f"{pattern!r} has no group {group}.", details=[f"it has {count} besides group 0"])


def capturing(pattern: str, groups: Iterable[int]) -> str:
    """Return a regular expression that captures some of its groups only, each under a name made of its number.

    Examples
    --------
    >>> capturing("(a)(?P<name>b)(c)", [2])
    '(?:a)(?P<g2>b)(?:c)'
    """
    wanted = frozenset(groups)
    openings = [f"(?P<g{number}>" if number in wanted else "(?:" for number in range(len(group_names(pattern)) + 1)]
    parts, end = [], 0
    for number, found in enumerate(_openings(pattern), 1):
        parts += [pattern[end : found.start()], openings[number]]
        end = found.end()
    return "".join([*parts, pattern[end:]])


def _openings(pattern: str) -> Iterator[re.Match[str]]:
    return (found for found in _SYNTAX.finditer(pattern) if found["opening"])


@dataclass(frozen=True, slots=True)
class Replacement:
    """What a regular expression finds, and what that is replaced by, both in the syntax of RE2.

    Parameters
    ----------
    pattern : str
        The expression, which captures those groups that the replacement has.
    rewrite : str
        The replacement.
    """

    pattern: str
    rewrite: str


@lru_cache(256)
def replacement(pattern: str, template: str) -> Replacement:
    r"""Return a replacement as Python's `re.sub` reads it: ``\1`` and ``\g<name>`` stand for groups, ``\n`` for itself.

    As in RE2, ``\0`` is all of the match, where Python has a NUL.

    Raises
    ------
    ArgumentError
        If the pattern is no regular expression, or the template refers to groups that it does not have.
    UnsupportedError
        If the template has more than nine different groups.

    Examples
    --------
    >>> replacement("(a)|(b)", r"<\2>")
    Replacement(pattern='(?:a)|(?P<g2>b)', rewrite='<\\1>')
    """
    check_pattern(pattern)
    parts = list(_parts(template, group_names(pattern)))
    groups = sorted({part for part in parts if isinstance(part, int) and part})
    if len(groups) > REWRITTEN:
        raise UnsupportedError(f"a replacement has at most {REWRITTEN} different groups, not {len(groups)}.")
    numbers = {0: 0} | {group: number for number, group in enumerate(groups, 1)}
    rewrite = "".join(f"\\{numbers[part]}" if isinstance(part, int) else part.replace("\\", r"\\") for part in parts)
    return Replacement(capturing(pattern, groups), rewrite)


def _parts(template: str, names: tuple[str | None, ...]) -> Iterator[str | int]:
    """Yield the text of a template, and the numbers of the groups between."""
    end = 0
    for found in _REFERENCE.finditer(template):
        yield template[end : found.start()]
        yield _referred(template, found, names)
        end = found.end()
    yield template[end:]


def _referred(template: str, found: re.Match[str], names: tuple[str | None, ...]) -> str | int:
    """Return the group, or the character, that an escape of a template stands for."""
    escaped, name = found["escaped"], found["name"] or found["number"]
    if name is None:
        if escaped is None or (escaped.isalnum() and escaped not in _ESCAPES):
            raise ArgumentError(
                f"the replacement {template!r} has {found[0]!r}, which stands for nothing.",
                hint=r"write \\ for a backslash, \1 or \g<name> for a group.",
            )
        return _ESCAPES.get(escaped, found[0])
    number = int(name) if name.isdecimal() else names.index(name) + 1 if name in names else -1
    if not 0 <= number <= len(names):
        raise ArgumentError(
            f"the replacement {template!r} has {found[0]!r}, but there is no such group.",
            details=[f"groups: {len(names)}, with the names {', '.join(filter(None, names)) or 'of none'}"],
        )
    return number
