"""Every operation on the same words; other tests try some operations on many more."""

from __future__ import annotations

import re
from ipaddress import ip_address
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from akdask.columns.arrow import offsets_of
from akdask.columns.dtypes import INT64, NULLABLE_STR, STR
from akdask.columns.strings import from_nulls, with_nulls
from akdask.columns.table import type_of
from akdask.engine.operations import OPERATIONS
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.operators.text.characters import PREDICATES, TRANSFORMS
from akdask.operators.text.matches import find_matches, replaced, replacement

WORDS = [
    *(
        "",
        "a",
        "A",
        "ab",
        "aB",
        "Ab",
        "AB",
        "Ab Cd",
        "Ab cd",
        "aa bb",
        "a1",
        "1",
        "12.5",
        "1a2b",
        " ",
        " a ",
        "\t\n",
        "_",
    ),
    *(
        "a_b",
        "__",
        "it's",
        "They're",
        "x-y",
        "Zz[{",
        "@`",
        "~",
        "\x00",
        "a\x00b",
        "\x1c",
        "\x7f",
        "ab" * 40,
        "Ab " * 30,
    ),
    *("Straße", "ÉCOLE", "Écôle", "ñandú", "日本", "٣", "½", "ŉ", "ǅ", "ΑΣ", "ß1", "é", " é ", "aéb", "😀", "a😀b" * 9),
]


def strings_of(words=WORDS):
    """The words as a slice of more, so that offsets do not begin with 0, and bytes beyond ASCII are around."""
    return pa.array(["ü", *words, "é"], pa.large_string()).slice(1, len(words))


def evaluated(name, *args, words=WORDS, **params):
    operation = OPERATIONS[name]
    found = operation.evaluate(strings_of(words), *args, **params)
    kind = operation.result_type(STR, *(STR for _ in args), **params)
    assert type_of(found) == kind or (kind == NULLABLE_STR and type_of(found) == STR)
    with pytest.raises(ArgumentTypeError):
        operation.result_type(INT64, *(STR for _ in args), **params)
    if isinstance(found, pa.Array):
        found.validate(full=True)
        return found.to_pylist()
    out = np.empty(len(words), found.dtype)
    # Matches have no use for memory that they are given.
    into = OPERATIONS[name].evaluate(strings_of(words), *args, out=out, **params)
    assert into is out or name.startswith("match")
    assert into.tolist() == found.tolist()
    return found.tolist()


def test_classes_and_cases_are_those_of_python():
    for name in (*PREDICATES, *TRANSFORMS):
        assert evaluated(name) == [getattr(word, name)() for word in WORDS], name
    ascii_words = [word for word in WORDS if word.isascii()]
    for name in (*PREDICATES, *TRANSFORMS):
        assert evaluated(name, words=ascii_words) == [getattr(word, name)() for word in ascii_words], name


def test_ends_are_stripped_on_both_sides_unless_one_is_named():
    for chars in ("", "a", "bA é", "😀a"):
        assert evaluated("strip", chars=chars) == [word.strip(chars or None) for word in WORDS]
        assert evaluated("strip", chars=chars, right=False) == [word.lstrip(chars or None) for word in WORDS]
        assert evaluated("strip", chars=chars, left=False) == [word.rstrip(chars or None) for word in WORDS]
    assert evaluated("strip") == [word.strip() for word in WORDS]


def test_slices_of_any_step_are_those_of_python():
    bounds = (None, 0, 1, 2, 5, 90, -1, -3, -90)
    for start, stop, step in product(bounds, bounds, (1, 2, 3, -1, -2)):
        found = OPERATIONS["text_slice"].evaluate(strings_of(), start=start, stop=stop, step=step)
        assert found.to_pylist() == [word[start:stop:step] for word in WORDS], (start, stop, step)
        found = OPERATIONS["text_slice"].evaluate(strings_of(WORDS[:20]), start=start, stop=stop, step=step)
        assert found.to_pylist() == [word[start:stop:step] for word in WORDS[:20]], (start, stop, step)


def test_comparisons_go_by_bytes():
    others = WORDS[1:] + WORDS[:1]
    for name, compare in (
        ("equal", bytes.__eq__), ("not_equal", bytes.__ne__), ("less", bytes.__lt__),
        ("less_equal", bytes.__le__), ("greater", bytes.__gt__), ("greater_equal", bytes.__ge__),
    ):  # fmt: skip
        pairs = zip(WORDS, others, strict=True)
        assert evaluated(name, strings_of(others)) == [compare(x.encode(), y.encode()) for x, y in pairs], name
        assert evaluated(name, "ab") == [compare(word.encode(), b"ab") for word in WORDS], name


# Python and RE2 agree on these, but for the letters of `\w`, which are those of ASCII to RE2.
PATTERNS = [
    "a", "b", "ab", "a+", "[ab]+", r"\d", r"\w\w", r"\d[a-z]", "^a", "(a)(b)?", "(?i:AB)", r"\s", ".", "é", "日|_",
    "a|b", "[A-Z][a-z]", r"\.", "[ _x]", "b1|a_", "(_)|(a)",
]  # fmt: skip


def test_matches_and_replacements_are_those_of_python():
    words = [word for word in WORDS if not re.search(r"[\n\v\x1c-\x1f]", word)]
    for pattern in PATTERNS:
        python = re.compile(pattern, re.ASCII)
        rows = [list(python.finditer(word)) for word in words]
        assert evaluated("match_count", words=words, pattern=pattern) == list(map(len, rows))
        assert evaluated("contains", words=words, substr=pattern, regex=True) == list(map(bool, rows))
        assert evaluated("match_texts", words=words, pattern=pattern) == [[match[0] for match in row] for row in rows]
        of_bytes = [[len(m.string[: m.start()].encode()) for m in row] for row in rows]
        sizes = [[len(match[0].encode()) for match in row] for row in rows]
        first = [row[0] if row else -1 for row in of_bytes]
        assert evaluated("match_start", words=words, pattern=pattern) == first
        spans = OPERATIONS["match_spans"].evaluate(strings_of(words), pattern=pattern)
        for part, wanted in enumerate((of_bytes, sizes)):
            assert OPERATIONS["part_of_spans"].evaluate(spans, part=part).to_pylist() == wanted
        for group in range(python.groups + 1):
            texts = [(row[0][group] or "") if row else "" for row in rows]
            assert evaluated("match_text", words=words, pattern=pattern, group=group) == texts
        template = r"<\1>" if python.groups else r"<\g<0>\\>"
        for most in range(4):
            wanted = [python.sub(template, word, most) for word in words]
            assert replaced(strings_of(words), replacement(pattern, template), most).to_pylist() == wanted
            parameters = {"pattern": pattern, "template": template, "most": most}
            assert evaluated("replace_matches", words=words, **parameters) == wanted
            limited = find_matches(strings_of(words), pattern).up_to(most)
            assert limited.counts.tolist() == [min(len(row), most or len(row)) for row in rows]
        ends = [bool(re.search(rf"(?:{pattern})\Z", word, re.ASCII)) for word in words]
        assert evaluated("endswith", words=words, substr=pattern, regex=True) == ends
        begin = [bool(python.match(word)) for word in words]
        assert evaluated("startswith", words=words, substr=pattern, regex=True) == begin


def test_patterns_and_groups_are_checked_when_they_are_written():
    for name in ("match_start", "match_count", "match_texts", "match_spans", "match_text"):
        with pytest.raises(ArgumentError, match="no regular expression"):
            OPERATIONS[name].result_type(STR, pattern="(")
        for group in (-1, 2):
            with pytest.raises(ArgumentError, match=f"no group {group}"):
                OPERATIONS[name].result_type(STR, pattern="(a)b", group=group)
        assert OPERATIONS[name].result_type(STR, pattern="(a)b", group=1) == OPERATIONS[name].result_type(
            STR, pattern="(a)b"
        )
    with pytest.raises(ArgumentError, match="stands for nothing"):
        OPERATIONS["replace_matches"].result_type(STR, pattern="a", template="\\q", most=0)


def test_expressions_of_python_are_counted_and_extracted():
    for pattern in [*PATTERNS, "a*", "", "a$", r"\bb", r"(?=a)a", r"(\S)\1", r"\w+", r"[\s_]", r"\\s", r"a\s"]:
        python = re.compile(pattern)
        counts = [sum(1 for _ in python.finditer(word)) for word in WORDS]
        assert evaluated("count_matches", pattern=pattern) == counts, pattern
        for group in range(python.groups + 1):
            found = OPERATIONS["extract"].evaluate(strings_of(), pattern=pattern, group=group)
            matches = map(python.search, WORDS)
            assert with_nulls(found).to_pylist() == [None if match is None else match[group] for match in matches]
    with pytest.raises(ArgumentError, match="no regular expression"):
        evaluated("count_matches", pattern="(")


DELIMITERS = ["a", "b", "ab", "aa", " ", "_", "é", "😀", "'"]


def test_fields_are_those_of_python():
    for delimiter, most in product(DELIMITERS, range(4)):
        wanted = [word.split(delimiter, most or -1) for word in WORDS]
        assert evaluated("split", delimiter=delimiter, regex=False, maxsplit=most) == wanted
        assert evaluated("split", delimiter=re.escape(delimiter), regex=True, maxsplit=most) == wanted
    assert evaluated("split", delimiter="[ab]+", regex=True) == [re.split("[ab]+", word) for word in WORDS]
    for regex, delimiter in ((False, ""), (True, "a*")):
        with pytest.raises(ArgumentError, match="found in the empty string"):
            OPERATIONS["split"].result_type(STR, delimiter=delimiter, regex=regex)


@pytest.mark.parametrize("from_right", [False, True])
def test_text_is_peeled_alike_by_text_and_by_patterns(from_right):
    for delimiter, times, include, partial in product(DELIMITERS, (1, 2, 5), (False, True), (False, True)):
        parts = [word.rsplit(delimiter, times) if from_right else word.split(delimiter, times) for word in WORDS]
        how = {"delimiter": delimiter, "times": times, "include": include, "partial": partial, "from_right": from_right}
        left, right = (evaluated("peel", part=part, regex=False, **how) for part in (0, 1))
        for word, fields, one, other in zip(WORDS, parts, left, right, strict=True):
            if len(fields) <= times:
                assert (one, other) == ((word, "") if partial != from_right else ("", word))
                continue
            rest = len(fields[0]) if from_right else len(word) - len(fields[-1])
            sides = [word[:rest], word[rest:]] if from_right else [word[: rest - len(delimiter)], word[rest:]]
            if from_right:
                sides[1] = sides[1].removeprefix(delimiter)
            if include:
                sides = [sides[0], delimiter + sides[1]] if from_right else [sides[0] + delimiter, sides[1]]
            assert [one, other] == sides
        # Where all words have the delimiter, none is left as it is.
        enough = [number for number, fields in enumerate(parts) if len(fields) > times]
        for part, sides in enumerate((left, right)):
            found = evaluated("peel", words=[WORDS[number] for number in enough], part=part, regex=False, **how)
            assert found == [sides[number] for number in enough]
        if delimiter != "aa":
            by_pattern = how | {"delimiter": re.escape(delimiter)}
            assert [evaluated("peel", part=part, regex=True, **by_pattern) for part in (0, 1)] == [left, right]


def test_bytes_of_text_end_in_nul_and_become_text_again():
    found = OPERATIONS["text_bytes"].evaluate(strings_of())
    assert [bytes(row) for row in found.to_pylist()] == [word.encode() + b"\0" for word in WORDS]
    assert OPERATIONS["text_of_bytes"].evaluate(found).to_pylist() == WORDS
    assert offsets_of(OPERATIONS["text_bytes"].evaluate(strings_of([]))).tolist() == [0]
    lists = pa.large_list(pa.uint8())
    for wrong, message in (([[97]], "end in NUL"), ([[]], "end in NUL"), ([[0xFF, 0]], "no text in UTF-8")):
        with pytest.raises(ArgumentError, match=message):
            OPERATIONS["text_of_bytes"].evaluate(pa.array(wrong, lists))


def test_missing_text_is_told_filled_and_made():
    strings = from_nulls(pa.array(["ü", "a", None, "", None], pa.large_string())).slice(1)
    evaluate = {name: operation.evaluate for name, operation in OPERATIONS.items()}
    out = np.empty(4, np.bool_)
    assert evaluate["is_missing"](strings, out=out) is out
    assert out.tolist() == evaluate["is_missing"](strings).tolist() == [False, True, False, True]
    assert evaluate["fill_missing"](strings, "?").to_pylist() == ["a", "?", "", "?"]
    assert evaluate["fill_missing"](strings, strings_of(["1", "2", "3", "4"])).to_pylist() == ["a", "2", "", "4"]
    made = evaluate["make_missing"](strings_of(["a", "b"]), np.array([True, False]))
    assert with_nulls(made).to_pylist() == [None, "b"]
    assert with_nulls(evaluate["make_missing"]("a", np.array([False, True]))).to_pylist() == ["a", None]


def test_addresses_are_written_and_read_as_by_python():
    numbers = np.array([0, 1, 255, 256, 2**24 + 7, 167772161, 2**32 - 1], np.uint64)
    text = [str(ip_address(int(number))) for number in numbers]
    assert OPERATIONS["ipv4_text"].evaluate(numbers).to_pylist() == text
    assert OPERATIONS["ipv4_number"].evaluate(strings_of(text)).tolist() == numbers.tolist()
    out = np.full(len(text), 77, np.uint64)
    assert OPERATIONS["ipv4_number"].evaluate(strings_of(text), out=out) is out
    assert out.tolist() == numbers.tolist()
    assert (OPERATIONS["ipv4_text"].evaluate(np.uint64(1)), OPERATIONS["ipv4_number"].evaluate("0.0.1.0")) == (
        "0.0.0.1",
        256,
    )
    long = np.array([5, 2**32, 2**40 + 1], np.uint64)
    assert OPERATIONS["ipv4_text"].evaluate(long).to_pylist() == [str(ip_address(int(number))) for number in long]
    for wrong in ("256.0.0.1", "1.2.3", "1.2.3.4.5", "", "01.2.3.4", "a.b.c.d"):
        with pytest.raises(ArgumentError, match="no IPv4 address"):
            OPERATIONS["ipv4_number"].evaluate(strings_of(["1.2.3.4", wrong]))
