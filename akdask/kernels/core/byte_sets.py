"""Regular expressions whose matches all have as many bytes, each one of a few: what most searches in logs are."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import numpy.typing as npt

ByteSets = npt.NDArray[np.uint8]
"""For each byte of a match, 1 for each of the 256 bytes that it may be."""

_LONGEST = 2**10

_ITEM = re.compile(
    r"""
    (?P<literal> [^\\.^$*+?{}\[\]|()] )
    | \\ (?P<escaped> [^\w\s] )
    | \\ (?P<named> [dws] )
    | \[ (?P<members> (?: [0-9]-[0-9] | [a-z]-[a-z] | [A-Z]-[A-Z] | [^\W_] | [ _,;:/=@!%&"'<>~\#] )+ ) \]
    """,
    re.ASCII | re.DOTALL | re.VERBOSE,
)
# RE2's: ASCII, whatever the text.
_NAMED = {"d": "0-9", "w": "0-9A-Za-z_", "s": "\t\n\f\r "}


@lru_cache(256)
def byte_sets(pattern: str) -> ByteSets | None:
    r"""Return which bytes the matches of a regular expression have at each place, None if it is not as simple as that.

    Examples
    --------
    >>> found = byte_sets(r"5\d[x-z]")
    >>> ["".join(map(chr, np.flatnonzero(places))) for places in found]
    ['5', '0123456789', 'xyz']
    >>> byte_sets("5+") is None
    True
    """
    sets: list[set[int]] = []
    at = 0
    while at < len(pattern):
        found = _ITEM.match(pattern, at)
        if found is None:
            # What repeats an item is no item either.
            return None
        at = found.end()
        text = found["literal"] or found["escaped"]
        if text is not None:
            sets += [{byte} for byte in text.encode()]
        else:
            sets.append(_members(found["members"] or _NAMED[found["named"]]))
    return _table(sets) if 0 < len(sets) <= _LONGEST else None


@lru_cache(256)
def literal_sets(text: bytes) -> ByteSets:
    """Return the sets that only some bytes are of, each at its place."""
    return _table([{byte} for byte in text])


def _members(members: str) -> set[int]:
    found: set[int] = set()
    at = 0
    while at < len(members):
        last = at + 2 if members[at + 1 : at + 2] == "-" else at
        found.update(range(ord(members[at]), ord(members[last]) + 1))
        at = last + 1
    return found


def _table(sets: list[set[int]]) -> ByteSets:
    table = np.zeros((len(sets), 256), np.uint8)
    for place, members in enumerate(sets):
        table[place, list(members)] = 1
    table.flags.writeable = False
    return table
