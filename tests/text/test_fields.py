import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.strings import from_nulls, with_nulls
from akdask.engine.operations import OPERATIONS
from akdask.operators.text.chains import field


def cut(word, *, delimiter, times, include, partial, from_right):
    """What Python makes of `Strings.peel`: the left part and the right."""
    parts = word.rsplit(delimiter, times) if from_right else word.split(delimiter, times)
    if len(parts) <= times:
        return (word, "") if partial != from_right else ("", word)
    at = len(parts[0]) if from_right else len(word) - len(parts[-1]) - len(delimiter)
    left, right = word[:at], word[at + len(delimiter) :]
    if include:
        left, right = (left, delimiter + right) if from_right else (left + delimiter, right)
    return left, right


@given(
    words=st.lists(st.text("ab.ß", max_size=9), max_size=20),
    delimiter=st.sampled_from([".", "a", "aa", "aba", "ß", ".."]),
    times=st.integers(1, 3) | st.just(2**70),
    data=st.data(),
)
@pytest.mark.parametrize("from_right", [False, True])
def test_strings_are_cut_at_a_delimiter(words, delimiter, times, data, from_right):
    include, partial = data.draw(st.booleans()), data.draw(st.booleans())
    # In the middle of their buffers, as slices of partitions are.
    strings = pa.array(["a.b", *words, "a.b"], pa.large_string()).slice(1, len(words))
    how = {"delimiter": delimiter, "times": times, "include": include, "partial": partial, "from_right": from_right}
    expected = [cut(word, **how | {"times": min(times, 99)}) for word in words]
    for part in (0, 1):
        found = OPERATIONS["peel"].evaluate(strings, part=part, regex=False, **how)
        assert found.to_pylist() == [sides[part] for sides in expected]


@pytest.mark.parametrize("from_right", [False, True])
def test_delimiters_of_a_string_do_not_overlap(from_right):
    strings = pa.array(["aaaaa", "aaa", "aa"], pa.large_string())
    how = {"delimiter": "aa", "times": 2, "include": False, "partial": from_right, "from_right": from_right}
    found = OPERATIONS["peel"].evaluate(strings, part=0, regex=False, **how)
    assert found.to_pylist() == [cut(word, **how)[0] for word in strings.to_pylist()]


def test_fields_of_any_number_are_those_that_python_splits():
    texts = ["a-b-c", "d", "", "-", "x--y", "-e", "f-", "\u00e4-\u00f6", None]
    for delimiter in ("-", "--", "b-", "\u00f6"):
        strings = from_nulls(pa.array(texts, pa.large_string()))
        for number in range(-4, 4):
            wanted = []
            for text in texts:
                parts = [] if text is None else text.split(delimiter)
                wanted.append(parts[number] if -len(parts) <= number < len(parts) else None)
            assert with_nulls(field(strings, delimiter, number)).to_pylist() == wanted, (delimiter, number)
            some = strings.slice(2, 5)
            assert with_nulls(field(some, delimiter, number)).to_pylist() == wanted[2:7], (delimiter, number)
