from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from akdask.operators.keys import tuning
from akdask.operators.keys.string_codes import LONGEST, codes_of, layout_of
from akdask.operators.keys.string_codes import strings_of as decoded
from akdask.operators.sort.ranges import TextCodes, TextRanges, ordered_rows, ordered_strings

MISSING = b"\xff"
"""What stands for text that is not there."""

ENDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=9) | st.text("ab\0", max_size=30)
TEXT = st.one_of(
    ENDS.map(str.encode),
    ENDS.map(lambda end: f"host-{end}.example.org".encode()),
    st.integers(0, 10**7).map(lambda number: f"host-{number}.example.org".encode()),
    st.just(MISSING),
)


def strings_of(plain):
    return pa.array(plain, pa.large_binary()).view(pa.large_string())


def bytes_of(strings):
    return strings.view(pa.large_binary()).to_pylist()


@given(st.lists(TEXT, min_size=1), st.booleans(), st.lists(st.integers(0, 99), max_size=5), st.integers(1, 7))
@example([b"", b"\0", b"", b"\0\0"], True, [0, 1, 2], 2)
@example([b"same"] * 9, False, [3, 3, 5], 4)
def test_text_is_split_and_put_in_order_as_its_bytes_and_row_numbers_say(plain, ascending, chosen, size):
    strings = strings_of([b"before", *plain])[1:]
    layout = layout_of(strings)
    # Both directions leave rows of equal text as they were.
    expected = sorted(range(len(plain)), key=plain.__getitem__, reverse=not ascending)
    rows = sorted((row % len(plain) for row in chosen), key=expected.index)
    ranges = TextRanges(layout, strings.take(pa.array(rows, pa.int64())), np.array(rows, np.int64), ascending)
    blocks = [ranges.split(strings[start : start + size], start) for start in range(0, len(plain), size)]
    cuts = [0, *map(expected.index, rows), len(plain)]
    for number, (start, stop) in enumerate(pairwise(cuts)):
        slices = [slice(bounds[number], bounds[number + 1]) for _, _, bounds in blocks]
        parts = [[code[some] for code in codes] for (codes, _, _), some in zip(blocks, slices, strict=True)]
        numbers = [rows[some] for (_, rows, _), some in zip(blocks, slices, strict=True)]
        assert ordered_rows(parts, numbers).tolist() == expected[start:stop]
        found = ordered_strings(parts, layout, ascending)
        assert bytes_of(found) == [plain[row] for row in expected[start:stop]]
        by_row = [TextCodes(codes, rows, layout, ascending) for codes, rows in zip(parts, numbers, strict=True)]
        by_text = [TextCodes(codes, None, layout, ascending) for codes in parts]
        together = TextCodes.joined(by_row)
        assert TextCodes.ordered([together]).tolist() == TextCodes.ordered(by_row).tolist() == expected[start:stop]
        assert TextCodes.ordered([TextCodes.joined(by_text)]).equals(found)
        assert sys.getsizeof(together) - sys.getsizeof(TextCodes.joined(by_text)) == 8 * (stop - start)


@given(st.lists(TEXT, min_size=1), st.lists(TEXT, min_size=1), st.integers(1, 4))
def test_the_layout_of_several_blocks_or_arrays_is_that_of_all_their_strings(some, others, block_rows):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "BLOCK_ROWS", block_rows)
        both, everything = (strings_of(plain) for plain in (others, some + others))
        layout = layout_of(both, layout_of(strings_of(some)))
        assert layout == layout_of(everything)
        joined = layout_of(strings_of(some)).joined(layout_of(both))
        assert joined == layout
        codes = codes_of(everything, joined)
    plain, rows = some + others, list(zip(*codes.tolist(), strict=True))
    assert bytes_of(decoded(joined, list(codes))) == plain
    assert [plain[row] for row in sorted(range(len(rows)), key=rows.__getitem__)] == sorted(plain)


def test_text_that_is_too_long_has_no_layout():
    assert layout_of(strings_of([b"a", b"b" * (LONGEST + 1)])) is None
    assert layout_of(strings_of([b"b" * LONGEST, b"a"])).longest == LONGEST
