import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.engine.operations import OPERATIONS
from akdask.operators.text.characters import PREDICATES, TRANSFORMS

pytestmark = pytest.mark.light

WORDS = ["ß", "ŉ", "ﬁn", "ª", "½", "一", "Ⅷ", "ǅ", "ΑΣ", "İ", "x\x1c", "\x85", "²", "they're ß", "a", ""]
TEXT = st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=8)


@pytest.mark.parametrize("name", [*PREDICATES, *TRANSFORMS])
@given(words=TEXT)
def test_characters_are_those_of_python(name, words):
    strings = pa.array(["ü", *words, "é"], pa.large_string()).slice(1, len(words))
    assert list(map(str, OPERATIONS[name].evaluate(strings))) == [str(getattr(word, name)()) for word in words]
