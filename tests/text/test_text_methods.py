import re
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.strings import from_nulls, with_nulls
from akdask.engine.operations import OPERATIONS
from akdask.operators.text import loops
from akdask.operators.text.characters import WHITE_SPACE

pytestmark = pytest.mark.light

CHARACTERS = "ab-+ \t é日😀\x85\u3000"
TEXT = st.lists(st.text(CHARACTERS, max_size=9), max_size=8)
PART = st.text("ab- é日", max_size=2)
NUMBERS = st.none() | st.integers(-7, 7) | st.sampled_from([sys.maxsize, -sys.maxsize - 1, 2**70])


def strings_of(words):
    """The words as a slice of more, so that offsets do not begin with 0, and bytes beyond ASCII are around."""
    return pa.array(["ü", *words, "é"], pa.large_string()).slice(1, len(words))


def evaluated(name, words, **params):
    found = OPERATIONS[name].evaluate(strings_of(words), **params)
    if isinstance(found, pa.Array):
        found.validate(full=True)
        return found.to_pylist()
    return found.tolist()


def test_white_space_is_that_of_python():
    assert set(WHITE_SPACE) == {chr(number) for number in range(sys.maxunicode + 1) if chr(number).isspace()}


@given(TEXT)
def test_length_counts_characters(words):
    assert evaluated("text_length", words) == list(map(len, words))


@given(TEXT, NUMBERS, NUMBERS, NUMBERS.filter(lambda step: step != 0))
def test_slices_are_those_of_python(words, start, stop, step):
    expected = [word[start:stop:step] for word in words]
    assert evaluated("text_slice", words, start=start, stop=stop, step=step) == expected


@pytest.mark.parametrize("from_right", [False, True])
@given(TEXT, PART, NUMBERS.filter(lambda start: start is not None))
def test_parts_are_found_where_python_finds_them(from_right, words, part, start):
    expected = [word.rfind(part, start) if from_right else word.find(part, start) for word in words]
    assert evaluated("text_find", words, part=part, start=start, from_right=from_right) == expected


@given(TEXT, PART)
def test_parts_are_counted_without_overlaps(words, part):
    assert evaluated("text_count", words, part=part) == [word.count(part) for word in words]


@given(TEXT, PART, PART | st.just("longer"), st.integers(-2, 3))
def test_parts_are_replaced_from_the_left(words, part, other, most):
    expected = [word.replace(part, other, most) for word in words]
    assert evaluated("replace_text", words, part=part, other=other, most=most) == expected


@given(TEXT, st.text(CHARACTERS, max_size=3))
def test_ends_are_stripped_of_characters(words, chars):
    for left, right, name in ((True, True, "strip"), (True, False, "lstrip"), (False, True, "rstrip")):
        expected = [getattr(word, name)(chars or None) for word in words]
        assert evaluated("strip", words, chars=chars, left=left, right=right) == expected


@given(TEXT, PART)
def test_affixes_are_removed_where_text_has_them(words, affix):
    assert evaluated("without_affix", words, affix=affix, at_end=False) == [word.removeprefix(affix) for word in words]
    assert evaluated("without_affix", words, affix=affix, at_end=True) == [word.removesuffix(affix) for word in words]


@given(TEXT, PART.filter(bool), st.booleans(), st.integers(0, 2))
def test_text_is_parted_in_three(words, delimiter, from_right, number):
    expected = [(word.rpartition if from_right else word.partition)(delimiter)[number] for word in words]
    found = evaluated("partition", words, delimiter=delimiter, from_right=from_right, number=number)
    assert found == expected


@given(TEXT, st.integers(-1, 12), st.sampled_from(["*", "é", "😀"]))
def test_text_is_padded_to_a_width(words, width, fill):
    for side, method in (("left", str.rjust), ("right", str.ljust), ("both", str.center)):
        expected = [method(word, width, fill) for word in words]
        assert evaluated("pad", words, width=width, side=side, fill=fill) == expected
    assert evaluated("pad", words, width=width, side="sign", fill="0") == [word.zfill(width) for word in words]


@given(TEXT, st.integers(-1, 3))
def test_text_is_repeated(words, times):
    assert evaluated("repeat", words, times=times) == [word * times for word in words]


def test_characters_beyond_ascii_are_found_wherever_they_are():
    for before in range(0, 140, 3):
        for words in (["a" * before + "é", "bc"], ["ab" * 40, "x" * before, "y日z"]):
            strings = pa.array(words, pa.large_string())
            evaluate = {name: operation.evaluate for name, operation in OPERATIONS.items()}
            assert evaluate["text_length"](strings).tolist() == list(map(len, words))
            for part in ("é", "日z", "c"):
                assert evaluate["text_find"](strings, part=part).tolist() == [word.find(part) for word in words]
            for start, stop, step in ((1, None, None), (-2, None, None), (0, before + 1, 2), (None, -1, None)):
                expected = [word[start:stop:step] for word in words]
                found = evaluate["text_slice"](strings, start=start, stop=stop, step=step)
                assert found.to_pylist() == expected
            padded = evaluate["pad"](strings, width=before + 3, side="left", fill="*")
            assert padded.to_pylist() == [word.rjust(before + 3, "*") for word in words]
            assert evaluate["upper"](strings).to_pylist() == [word.upper() for word in words]


@given(TEXT, st.lists(st.booleans(), min_size=8, max_size=8), NUMBERS.filter(lambda number: number is not None))
def test_one_character_is_that_of_python_and_missing_where_there_is_none(words, missing, number):
    given_words = [None if lacks else word for word, lacks in zip(words, missing, strict=False)]
    strings = from_nulls(strings_of(given_words))
    for at in (number, 0, -1):
        found = with_nulls(OPERATIONS["text_get"].evaluate(strings, number=at)).to_pylist()
        assert found == [None if word is None or not -len(word) <= at < len(word) else word[at] for word in given_words]


# Long enough to go on beyond what loops look at together: 8, 32, 56 and 4,096 bytes.
STRETCHES = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "é", "b"]),
    st.integers(0, 200).map("a".__mul__),
    st.sampled_from(["", "é", "b1"]),
)
LONG = st.lists(STRETCHES | st.just("ab" * 2100), max_size=30)


@given(LONG, st.sampled_from(["a", "ab", "aab", "b1", "é", "aé", "a" * 33]))
def test_parts_of_long_text_are_those_of_python(words, part):
    assert evaluated("text_count", words, part=part) == [word.count(part) for word in words]
    assert evaluated("text_find", words, part=part) == [word.find(part) for word in words]
    for other in ("", "-", "longer"):
        expected = [word.replace(part, other, 99) for word in words]
        assert evaluated("replace_text", words, part=part, other=other, most=99) == expected
    assert evaluated("startswith", words, substr=part) == [word.startswith(part) for word in words]
    assert evaluated("endswith", words, substr=part) == [word.endswith(part) for word in words]


@given(LONG)
def test_long_text_is_counted_and_told_by_its_characters(words):
    assert evaluated("text_length", words) == list(map(len, words))
    for name in ("isalpha", "isalnum", "islower", "istitle", "isdigit", "title", "upper"):
        assert evaluated(name, words) == [getattr(word, name)() for word in words]


@given(LONG, st.sampled_from(["a", "b", "ab1"]))
def test_characters_of_a_class_are_counted_in_long_text(words, characters):
    for pattern in (f"[{characters}]", f"[{characters}]+"):
        assert evaluated("count_matches", words, pattern=pattern) == [len(re.findall(pattern, word)) for word in words]


@given(TEXT, st.integers(0, 3))
def test_words_are_those_of_python(words, most):
    assert evaluated("split_words", words, most=most) == [word.split(None, most or -1) for word in words]


TEXT_OF_TWO = np.frombuffer(b"abc", np.uint8)
PART_OF_ONE = TEXT_OF_TWO[:1]


@pytest.mark.parametrize("offsets", [[0, 4, 3], [0, 2, 1], [0, 1, 4], [0, -1, 3]])
@pytest.mark.parametrize(
    "call",
    [
        lambda offsets: loops.count_part(offsets, TEXT_OF_TWO, PART_OF_ONE, np.empty(2, np.int64)),
        lambda offsets: loops.find_character(offsets, TEXT_OF_TWO, PART_OF_ONE, 0, False, np.empty(2, np.int64)),
        lambda offsets: loops.begin_with(offsets, TEXT_OF_TWO, PART_OF_ONE, True, np.empty(2, np.bool_)),
        lambda offsets: loops.equal(offsets, TEXT_OF_TWO, PART_OF_ONE, np.empty(2, np.bool_)),
        lambda offsets: loops.equal_rows(
            np.zeros(3, np.int64), TEXT_OF_TWO, offsets, TEXT_OF_TWO, np.empty(2, np.bool_)
        ),
        lambda offsets: loops.capitalize(offsets, TEXT_OF_TWO, True, np.empty(3, np.uint8)),
        lambda offsets: loops.copy_slices(offsets, TEXT_OF_TWO, 1, 2, np.empty(3, np.int64), np.empty(3, np.uint8)),
        lambda offsets: loops.copy_without(
            offsets, TEXT_OF_TWO, PART_OF_ONE, False, np.empty(3, np.int64), np.empty(3, np.uint8)
        ),
    ],
)
def test_offsets_beyond_the_text_are_errors(call, offsets):
    with pytest.raises(ValueError, match="strings beyond their text"):
        call(np.array(offsets, np.int64))


PATTERNS = [
    "a",
    "a|b",
    "[ab]+",
    r"\d",
    r"\w+",
    r"\s",
    r"\d+",
    "[a-b1 -]+",
    r"[\w-]",
    "a*",
    "",
    "^a",
    "a$",
    r"\bb",
    "(a)(b)?",
    r"(é)|(\S)",
    "(?i)A",
    "(?=a)a",
    "(?P<one>b)-?",
    "([ab])(é)",
    "(a+)([1b])",
    r"(\w)(\d)",
]


@pytest.mark.parametrize("pattern", PATTERNS)
@given(st.lists(st.text("abé٣ -1\n", max_size=6), max_size=6))
def test_regular_expressions_are_those_of_python(pattern, words):
    compiled = re.compile(pattern)
    expected = [len(list(compiled.finditer(word))) for word in words]
    assert evaluated("count_matches", words, pattern=pattern) == expected
    for group in range(1, compiled.groups + 1):
        found = OPERATIONS["extract"].evaluate(strings_of(words), pattern=pattern, group=group)
        matches = map(compiled.search, words)
        assert with_nulls(found).to_pylist() == [None if match is None else match.group(group) for match in matches]
