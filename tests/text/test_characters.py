import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.engine.operations import OPERATIONS
from akdask.operators.text import character_tables as tables
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


@pytest.fixture(scope="module")
def every():
    """Return all characters, a million, made here and not where tests are collected, which every process does."""
    return [chr(number) for number in range(0x110000) if not 0xD800 <= number < 0xE000]


def _has_case(character):
    """Whether a character is of the planes that have letters with a case, or marks within words."""
    return character < "\U00020000" or "\U000e0000" <= character < "\U000e1000"


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("name", [*PREDICATES, *TRANSFORMS])
def test_every_character_is_that_of_python(name, every):
    cased = list(filter(_has_case, every))
    # Alone, within a word, and around a sigma, which changes at the end of a word.
    for before, behind, characters in (("", "", every), ("aΣ", "a", cased), ("1", "Σ", cased)):
        words = [before + character + behind for character in characters]
        found = OPERATIONS[name].evaluate(pa.array(words, pa.large_string()))
        wanted = [getattr(word, name)() for word in words]
        assert (found.to_pylist() if name in TRANSFORMS else found.tolist()) == wanted


@pytest.mark.parametrize("name", ["lower", "upper", "swapcase", "casefold"])
def test_text_that_stays_as_long_changes_in_its_place(name, every):
    change = getattr(str, name)
    alone = [character for character in every if len(change(character).encode()) == len(character.encode())]
    words = ["a" * (number % 9) + character + "B" for number, character in enumerate(alone) if character != "Σ"]
    text = np.frombuffer("".join(words).encode(), np.uint8).copy()
    assert loops.recase_in_place(text, tables.cases(change), True)
    found = OPERATIONS[name].evaluate(pa.array(words, pa.large_string()))
    assert found.to_pylist() == list(map(change, words))
    # It does not where one character becomes longer, nor where a sigma is.
    for other in ("ŉ", "ẞ" if name != "upper" else "ı", "Σ"):
        stays = len(change(other).encode()) == len(other.encode()) and (other != "Σ" or name in ("upper", "casefold"))
        found = OPERATIONS[name].evaluate(pa.array([*words[-9:], f"AB{other}", "ä"], pa.large_string()))
        assert found.to_pylist() == [*map(change, words[-9:]), change(f"AB{other}"), change("ä")], stays


def test_bytes_that_go_on_with_no_character_stay_as_they_are():
    for text in (b"\xc3a\xc3", b"\xffab", b"\xe9\x9f", b"1234567\xc3"):
        changed = np.frombuffer(text, np.uint8).copy()
        assert loops.recase_in_place(changed, tables.cases(str.upper), False)
        assert changed.tobytes() == text


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
