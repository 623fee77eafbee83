"""What is known of a page of numbers before it is read: the columns of a table with a row for each page."""

from __future__ import annotations

from enum import IntEnum


class PageField(IntEnum):
    """The columns of a table of pages, of int64."""

    FIRST = 0
    """Its first row in the row group."""

    NROWS = 1
    OFFSET = 2
    """Where it begins in the file, behind its header."""

    PACKED = 3
    """Bytes in the file."""

    UNPACKED = 4
    LEVELS = 5
    """Bytes of definition levels before the values that are never packed; -1 where they are packed with them."""

    IS_PACKED = 6
    IS_PLAIN = 7
    """Whether it has values, not positions in a dictionary."""

    VALUES = 8
    """Where the values lie in the file as they are in memory, one after the other; -1 where they do not."""

    CHECKSUM = 9
    """That of its bytes in the file; -1 where there is none."""
