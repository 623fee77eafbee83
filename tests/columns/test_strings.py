from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.strings import StringsBuilder, offsets_and_bytes

TEXTS = st.lists(st.text(max_size=4), max_size=8)


def arrow(texts):
    return pa.array(texts, pa.large_string())


@given(before=TEXTS, texts=TEXTS, behind=TEXTS)
def test_bytes_of_a_slice_are_those_of_its_rows_alone(before, texts, behind):
    part = arrow(before + texts + behind).slice(len(before), len(texts))
    offsets, data = offsets_and_bytes(part)
    assert data.tobytes() == "".join(texts).encode()
    assert (offsets[1:] - offsets[:-1]).tolist() == [len(text.encode()) for text in texts]


def test_an_array_without_an_offset_buffer_has_one_offset():
    offsets, data = offsets_and_bytes(pa.Array.from_buffers(pa.large_string(), 0, [None, None, pa.py_buffer(b"")]))
    assert offsets.tolist() == [0]
    assert data.tolist() == []


@given(
    pieces=st.lists(st.lists(st.none() | st.text(max_size=9), max_size=8), max_size=5),
    sized=st.booleans(),
    more=st.integers(0, 3),
)
def test_built_of_pieces_is_what_arrow_makes_of_all_texts(pieces, sized, more):
    texts = [text or "" for piece in pieces for text in piece]
    nbytes = len("".join(texts).encode())
    builder = StringsBuilder(len(texts) + more, nbytes if sized else 0)
    for piece in pieces:
        builder.append(arrow(["skipped", *piece, "behind"]).slice(1, len(piece)))
    built = builder.finish()
    built.validate(full=True)
    assert built.equals(arrow(texts))
