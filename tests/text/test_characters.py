import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.engine.operations import OPERATIONS
from akdask.operators.text import loops
from akdask.operators.text.characters import PREDICATES, TRANSFORMS

pytestmark = pytest.mark.light

LETTERS = "aA1 '\0Σσςıİßŉǆǅǉﬁΐᾳᾼʰ\u0345\u00ad·ᲀ𐐀𐐨\U000e0020日½"
WORDS = ["ß", "ŉ", "ﬁn", "ª", "½", "一", "Ⅷ", "ǅ", "ΑΣ", "İ", "x\x1c", "\x85", "²", "they're ß", "a", ""]
TEXT = st.lists(st.sampled_from(WORDS) | st.text(max_size=5) | st.text(LETTERS, max_size=9), max_size=8)


@pytest.mark.parametrize("name", [*PREDICATES, *TRANSFORMS])
@given(words=TEXT)
def test_characters_are_those_of_python(name, words):
    strings = pa.array(["ü", *words, "é"], pa.large_string()).slice(1, len(words))
    found = OPERATIONS[name].evaluate(strings)
    assert (found.to_pylist() if name in TRANSFORMS else found.tolist()) == [getattr(word, name)() for word in words]


EVERY = [chr(number) for number in range(0x110000) if not 0xD800 <= number < 0xE000]


@pytest.mark.parametrize("name", [*PREDICATES, *TRANSFORMS])
def test_every_character_is_that_of_python(name):
    # Alone, within a word, and around a sigma, which changes at the end of a word.
    contexts = ["", "aΣ", "1"], ["", "a", "Σ"]
    for before, behind in zip(*contexts, strict=True):
        words = [before + character + behind for character in EVERY]
        found = OPERATIONS[name].evaluate(pa.array(words, pa.large_string()))
        wanted = [getattr(word, name)() for word in words]
        assert (found.to_pylist() if name in TRANSFORMS else found.tolist()) == wanted


def test_loops_refuse_tables_of_other_sizes_and_take_bytes_that_are_no_characters():
    offsets, text = np.array([0, 4]), np.frombuffer(b"\xffa\x80\xc3", np.uint8)
    found, into, ends = np.zeros(1, np.bool_), np.zeros(12, np.uint8), np.zeros(2, np.int64)
    table, marks = np.zeros(128, np.uint64), np.ones(128, np.bool_)
    loops.recase(offsets, text, text, table, table, False, False, True, ends, into)
    assert into[: ends[1]].tobytes() == text.tobytes()
    loops.consist_of(offsets, text, marks, marks, found)
    assert not found[0]
    with pytest.raises(ValueError, match="tables of other characters"):
        loops.consist_of(offsets, text, marks, marks[1:], found)
    with pytest.raises(ValueError, match="tables of other characters"):
        loops.are_titles(offsets, text, marks, marks[1:], found)
    with pytest.raises(ValueError, match="texts of other lengths"):
        loops.recase(offsets, text, text[1:], table, table, False, False, True, ends, into)
