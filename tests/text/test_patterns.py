import re

import pytest

from akdask.errors import ArgumentError, UnsupportedError
from akdask.operators.text.matches import capturing, check_group, group_names, replacement

pytestmark = pytest.mark.light

PATTERNS = [
    r"a",
    r"(a)(?:b)(?P<n>c)",
    r"\((a)\)",
    r"[(](a)[)]",
    r"[]()](a)",
    r"[^](](a)",
    r"[\](](a)",
    r"((a)|(b))+",
    r"(?i)(a)(?i:b)",
    r"\\(a)",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_groups_are_those_that_python_counts(pattern):
    compiled = re.compile(pattern)
    assert len(group_names(pattern)) == compiled.groups
    assert {name: number for number, name in enumerate(group_names(pattern), 1) if name} == compiled.groupindex


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_that_captures_less_matches_the_same(pattern):
    text = "a abc (a) ](a \\a bab"
    for number in range(re.compile(pattern).groups + 1):
        changed = re.compile(capturing(pattern, [number] if number else []))
        assert changed.groups == (number > 0)
        wanted = [found[number] for found in re.finditer(pattern, text)]
        assert [found[1 if number else 0] for found in changed.finditer(text)] == wanted


def test_syntax_that_python_lacks_is_read_too():
    assert group_names(r"\Q(a\E(b)") == (None,)
    assert group_names(r"[[:alpha:](](b)") == (None,)
    assert group_names(r"\Q(a") == ()


@pytest.mark.parametrize(
    ("template", "rewrite"),
    [
        ("x", "x"),
        (r"\2-\1", r"\2-\1"),
        (r"\g<n>", r"\1"),
        (r"\g<0>\0", r"\0\0"),
        (r"\\1", r"\\1"),
        (r"\n\-", "\n\\\\-"),
    ],
)
def test_templates_become_those_of_re2(template, rewrite):
    assert replacement("(a)(?P<n>b)", template).rewrite == rewrite


def test_only_groups_that_are_used_capture():
    pattern = "".join(f"({letter})" for letter in "abcdefghijkl")
    how = replacement(pattern, r"\12\11")
    assert how.pattern.count("(?P<") == 2
    assert how.rewrite == r"\2\1"
    with pytest.raises(UnsupportedError, match="at most 9 different groups"):
        replacement(pattern, "".join(rf"\{number}" for number in range(1, 13)))


@pytest.mark.parametrize("template", ["\\", r"\q", r"\3", r"\g<m>", r"\g<3>"])
def test_templates_that_mean_nothing_are_refused(template):
    with pytest.raises(ArgumentError, match="the replacement"):
        replacement("(a)(?P<n>b)", template)


def test_groups_that_are_not_there_are_refused():
    check_group("(a)", 1)
    for number in (-1, 2):
        with pytest.raises(ArgumentError, match=f"no group {number}"):
            check_group("(a)", number)
