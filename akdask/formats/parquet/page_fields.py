"""Names the columns of a table of pages of numbers, one row a page, read before the pages themselves."""

from __future__ import annotations

from enum import IntEnum


class PageField(IntEnum):
    """The columns of a table of pages, of int64."""

    FIRST = 0
    """First row of the page in the row group."""

    NROWS = 1
    OFFSET = 2
    """Position of the page in the file, after its header."""

    PACKED = 3
    """Bytes of the page in the file."""

    UNPACKED = 4
    LEVELS = 5
    """Bytes of unpacked definition levels before the values; -1 if they are packed with the values."""

    IS_PACKED = 6
    IS_PLAIN = 7
    """Whether the page has values, not positions in a dictionary."""

    VALUES = 8
    """Position of the values if the file has them as in memory, one after the other; otherwise -1."""

    CHECKSUM = 9
    """Checksum of the page's bytes in the file; -1 without one."""
