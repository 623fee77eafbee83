"""Rules of operations on integers, bools and text of which rows are missing, each by itself."""

from __future__ import annotations

import operator
from itertools import product

import cloudpickle
import numpy as np
import pyarrow as pa
import pytest

import akdask as ak
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, NULLABLE_BOOL, NULLABLE_INT64, NULLABLE_STR, STR, UINT64
from akdask.columns.table import Table
from akdask.engine import missing, times
from akdask.engine.sources import Literal
from akdask.engine.values import Call, Constant, apart, substitute, with_missing
from akdask.errors import AkdaskError, ArgumentError

PAIRS = list(product([None, -3, 0, 1, 5], repeat=2))
BOOLS = list(product([None, False, True], repeat=2))
TEXT = ["b", None, "", "Ab", "b", None]
OTHER = ["b", "x", None, "a", "c", None]


def column_of(items, kind):
    return np.array([kind(0) if item is None else item for item in items], kind)


def frame_of(pairs, kind):
    """Return two columns with missing rows, the second also as it is filled, and their frame."""
    columns = {}
    for number, items in enumerate(zip(*pairs, strict=True)):
        columns[number] = column_of(items, kind)
        columns[f"lacks {number}"] = np.array([item is None for item in items])
    frame = Literal.of([Table(columns, len(pairs))])
    return frame, *(with_missing(frame.column(number), frame.column(f"lacks {number}")) for number in (0, 1))


INTS, A, J = frame_of(PAIRS, np.int64)
FLAGS, B, C = frame_of(BOOLS, np.bool_)
NATURAL, U, V = frame_of([(item and abs(item), other and abs(other)) for item, other in PAIRS], np.uint64)
WORDS = Literal.of(
    [
        Table(
            {
                "s": pa.array(TEXT, pa.large_string()),
                "t": pa.array(OTHER, pa.large_string()),
                "p": pa.array(["a"] * 6, pa.large_string()),
            },
            6,
        )
    ]
)
S, T, P = (WORDS.column(name) for name in "stp")


def items_of(frame, value):
    """Return the rows of a value, None where they are missing."""
    if value.dtype.is_nullable_number:
        numbers, lacks = (ak.pdarray(frame, part).to_ndarray().tolist() for part in apart(value))
        return [None if lack else number for number, lack in zip(numbers, lacks, strict=True)]
    if value.dtype == NULLABLE_STR:
        lacks = ak.pdarray(frame, missing.is_missing_text(value)).to_ndarray().tolist()
        text = ak.Strings(frame, missing.without_missing(missing.filled_text(value, "?"))).to_ndarray().tolist()
        return [None if lack else item for item, lack in zip(text, lacks, strict=True)]
    if value.dtype == STR:
        return ak.Strings(frame, value).to_ndarray().tolist()
    return ak.pdarray(frame, value).to_ndarray().tolist()


def of_known(function, pairs):
    return [None if None in pair else function(*pair) for pair in pairs]


ARITHMETIC = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "bitwise_and": operator.and_,
    "bitwise_or": operator.or_, "bitwise_xor": operator.xor, "minimum": min, "maximum": max,
}  # fmt: skip
COMPARED = {
    "equal": operator.eq, "less": operator.lt, "less_equal": operator.le, "greater": operator.gt,
    "greater_equal": operator.ge,
}  # fmt: skip


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic_is_missing_where_a_side_is(name):
    found = missing.call(name, A, J)
    assert found.dtype == NULLABLE_INT64
    assert items_of(INTS, found) == of_known(ARITHMETIC[name], PAIRS)
    with_constant = missing.call(name, A, Constant(np.int64(2)))
    assert items_of(INTS, with_constant) == of_known(
        lambda item: ARITHMETIC[name](item, 2), [pair[:1] for pair in PAIRS]
    )


@pytest.mark.parametrize("name", COMPARED)
def test_comparisons_of_missing_rows_are_false(name):
    wanted = [bool(item) for item in of_known(COMPARED[name], PAIRS)]
    assert items_of(INTS, missing.call(name, A, J)) == wanted
    if name == "equal":
        assert items_of(INTS, missing.call("not_equal", A, J)) == [not item for item in wanted]
    plain = INTS.column(1)
    assert items_of(INTS, missing.call(name, A, plain)) == [
        item is not None and COMPARED[name](item, other or 0) for item, other in PAIRS
    ]
    assert items_of(FLAGS, missing.call(name, B, C)) == [bool(item) for item in of_known(COMPARED[name], BOOLS)]


def test_missing_rows_are_those_that_are_not_finite():
    lacks = [item is None for item, _ in PAIRS]
    assert items_of(INTS, missing.call("isnan", A)) == items_of(INTS, missing.is_missing(A)) == lacks
    assert items_of(INTS, missing.call("isfinite", A)) == [not lack for lack in lacks]
    assert not any(items_of(INTS, missing.call("isinf", A)))
    assert items_of(INTS, missing.call("signbit", A)) == [item is not None and item < 0 for item, _ in PAIRS]
    assert missing.is_missing(INTS.column(0)).operation == "isnan"
    assert missing.parts(INTS.column(0)) is None
    assert missing.parts(A) == (INTS.column(0), INTS.column("lacks 0"))
    assert all(map(missing.lacks_numbers, (FLOAT64, NULLABLE_INT64, NULLABLE_BOOL)))
    assert not any(map(missing.lacks_numbers, (INT64, BOOL, NULLABLE_STR)))


def test_bools_are_joined_and_turned_in_three_valued_logic():
    def either(one, other):
        return True if True in (one, other) else None if None in (one, other) else False

    def both(one, other):
        return False if False in (one, other) else None if None in (one, other) else True

    for names, reference in ((("bitwise_or", "logical_or"), either), (("bitwise_and", "logical_and"), both)):
        for name in names:
            assert items_of(FLAGS, missing.call(name, B, C)) == [reference(*pair) for pair in BOOLS]
            for constant in (True, False):
                found = items_of(FLAGS, missing.call(name, B, Constant(np.bool_(constant))))
                assert found == [reference(item, constant) for item, _ in BOOLS]
    for name in ("invert", "logical_not"):
        assert items_of(FLAGS, missing.call(name, B)) == [None if item is None else not item for item, _ in BOOLS]
    assert items_of(INTS, missing.call("invert", A)) == of_known(operator.invert, [pair[:1] for pair in PAIRS])
    assert items_of(FLAGS, missing.call("logical_xor", B, C)) == of_known(operator.xor, BOOLS)
    assert items_of(FLAGS, missing.as_mask(B)) == [item is True for item, _ in BOOLS]
    assert missing.as_mask(A) is A
    # Bools alone are added as floats, as those without missing rows would be as numbers.
    assert missing.rule("add", [B, C], {}) is None
    assert missing.rule("bitwise_xor", [B, C], {}) is not None
    assert missing.rule("sqrt", [A], {}) is None


def test_powers_of_missing_rows_are_one_where_any_number_would_give_one():
    pairs = [(item, other) for item, other in PAIRS if other is None or other >= 0]
    frame, base, exponent = frame_of(pairs, np.int64)
    found = items_of(frame, missing.call("power", base, exponent))
    assert found == [
        1 if one == 1 or other == 0 else None if None in (one, other) else one**other for one, other in pairs
    ]
    assert missing.rule("power", [A, Constant(0.5)], {}) is None
    assert items_of(INTS, missing.call("power", A, Constant(np.int64(0)))) == [1] * len(PAIRS)


@pytest.mark.parametrize(
    ("frame", "one", "other", "items"),
    [
        (INTS, A, J, PAIRS), (INTS, A, INTS.column(1), [(item, other or 0) for item, other in PAIRS]),
        (INTS, A, Constant(np.int64(9)), [(item, 9) for item, _ in PAIRS]),
        (INTS, Constant(np.int64(9)), J, [(9, item) for _, item in PAIRS]),
        (INTS, A, Constant(np.nan), [(item, None) for item, _ in PAIRS]), (FLAGS, B, C, BOOLS),
        (FLAGS, B, Constant(np.bool_(True)), [(item, True) for item, _ in BOOLS]),
        (NATURAL, U, Constant(np.int64(7)), [(item and abs(item), 7) for item, _ in PAIRS]),
        (NATURAL, U, V, [(item and abs(item), other and abs(other)) for item, other in PAIRS]),
    ],
)  # fmt: skip
def test_integers_that_are_chosen_stay_integers(frame, one, other, items):
    chosen = np.arange(len(items)) % 3 == 0
    with_mask = Literal.of([Table(frame.tables[0].columns | {"chosen": chosen}, len(items))])
    moved = {frame.column(name).token: with_mask.column(name) for name in frame.tables[0].columns}
    sides = [substitute(side, moved) for side in (one, other)]
    found = missing.call("where", with_mask.column("chosen"), *sides)
    assert found.dtype.kind in ("int", "uint", "bool")
    assert items_of(with_mask, found) == [
        pair[0] if choice else pair[1] for choice, pair in zip(chosen, items, strict=True)
    ]


def test_choices_of_other_kinds_are_no_integers():
    mask = INTS.column("lacks 0")
    for sides in ([A, Constant(0.5)], [A, with_missing(INTS.column("lacks 1"), mask)], [A, Constant(np.bool_(True))]):
        assert missing.rule("where", [mask, *sides], {}) is None
    # Rows that take an integer take no missing one: the result has the plain type.
    filled = missing.call("where", mask, Constant(np.int64(-1)), A)
    assert filled.dtype == INT64
    assert items_of(INTS, filled) == [-1 if item is None else item for item, _ in PAIRS]
    turned = missing.call("where", missing.negated(mask), A, Constant(np.int64(-1)))
    assert turned.dtype == INT64
    assert items_of(INTS, turned) == items_of(INTS, filled)
    assert missing.call("where", missing.negated(mask), Constant(np.int64(-1)), A).dtype == NULLABLE_INT64
    assert missing.negated(missing.negated(mask)) is mask


def test_missing_rows_are_filled_with_numbers_of_any_kind():
    assert items_of(INTS, missing.filled(A, Constant(np.int64(4)))) == [
        4 if item is None else item for item, _ in PAIRS
    ]
    natural = missing.filled(U, Constant(np.int64(4)))
    assert natural.dtype == UINT64
    assert items_of(NATURAL, natural) == [4 if item is None else abs(item) for item, _ in PAIRS]
    assert missing.filled(U, Constant(np.int64(-4))).dtype != UINT64
    floats = missing.filled(A, Constant(0.5))
    assert floats.dtype == FLOAT64
    assert items_of(INTS, floats) == [0.5 if item is None else item for item, _ in PAIRS]
    decimal = Call("divide", INTS.column(0), Constant(np.int64(0)))
    assert items_of(INTS, missing.filled(decimal, Constant(7.0)))[:1] == [7.0]


def test_conversions_keep_missing_rows_in_text_alone():
    text = missing.call("cast", A, dtype="str")
    assert items_of(INTS, text) == [None if item is None else str(item) for item, _ in PAIRS]
    assert items_of(INTS, missing.call("cast", A, dtype="bool")) == [item is None or item != 0 for item, _ in PAIRS]
    for dtype in ("int64", "uint64"):
        with pytest.raises(AkdaskError, match="missing"):
            items_of(INTS, missing.call("cast", A, dtype=dtype))
    assert missing.rule("cast", [A], {"dtype": "float64"}) is None
    assert missing.rule("cast", [A], {"dtype": "int64", "errors": "ignore"}) is None
    with pytest.raises(AkdaskError, match="missing"):
        items_of(INTS, missing.present(A, "named"))
    assert missing.present(INTS.column(0), "named") == INTS.column(0)
    known = with_missing(INTS.column(0), Call("less", INTS.column(0), Constant(np.int64(-99))))
    assert items_of(INTS, missing.call("cast", known, dtype="int64")) == [item or 0 for item, _ in PAIRS]


# ---- text

TESTS = {
    "startswith": ({"substr": "A"}, lambda item: item.startswith("A")),
    "endswith": ({"substr": "b"}, lambda item: item.endswith("b")), "islower": ({}, str.islower),
    "isupper": ({}, str.isupper), "isalpha": ({}, str.isalpha), "isempty": ({}, lambda item: not item),
    "isspace": ({}, str.isspace), "isdigit": ({}, str.isdigit),
}  # fmt: skip


@pytest.mark.parametrize("name", TESTS)
def test_tests_of_missing_text_are_false(name):
    params, reference = TESTS[name]
    found = missing.call(name, S, **params)
    assert found.dtype == BOOL
    assert items_of(WORDS, found) == [item is not None and reference(item) for item in TEXT]


CHANGES = {
    "lower": str.lower,
    "upper": str.upper,
    "title": str.title,
    "capitalize": str.capitalize,
    "swapcase": str.swapcase,
}


@pytest.mark.parametrize("name", CHANGES)
def test_changed_text_stays_missing(name):
    assert items_of(WORDS, missing.call(name, S)) == [None if item is None else CHANGES[name](item) for item in TEXT]


@pytest.mark.parametrize("name", COMPARED)
def test_comparisons_of_missing_text_are_false(name):
    wanted = [None not in pair and COMPARED[name](*pair) for pair in zip(TEXT, OTHER, strict=True)]
    assert items_of(WORDS, missing.call(name, S, T)) == wanted
    for one, other, pairs in (
        (S, P, [(item, "a") for item in TEXT]),
        (P, S, [("a", item) for item in TEXT]),
        (S, Constant("b"), [(item, "b") for item in TEXT]),
    ):
        wanted = [None not in pair and COMPARED[name](*pair) for pair in pairs]
        assert items_of(WORDS, missing.call(name, one, other)) == wanted
        if name == "equal":
            assert items_of(WORDS, missing.call("not_equal", one, other)) == [not item for item in wanted]


def test_missing_text_has_no_length_and_no_matches():
    assert items_of(WORDS, missing.call("byte_length", S)) == [len(item or "") for item in TEXT]
    assert items_of(WORDS, missing.call("text_length", S)) == [len(item or "") for item in TEXT]
    for name, params in (
        ("text_count", {"part": ""}),
        ("match_count", {"pattern": "b*"}),
        ("count_matches", {"pattern": ""}),
    ):
        counts = items_of(WORDS, missing.call(name, S, **params))
        assert [count == 0 for count in counts] == [item is None for item in TEXT]
    joined = items_of(WORDS, missing.call("stick", S, T, delimiter="-"))
    assert joined == [None if None in pair else "-".join(pair) for pair in zip(TEXT, OTHER, strict=True)]
    assert items_of(WORDS, missing.filled_text(S, "z")) == ["z" if item is None else item for item in TEXT]
    assert missing.filled_text(P, "z") is P
    assert missing.demanded(P) is P
    assert missing.without_missing(P) is P
    assert items_of(WORDS, missing.is_present(S)) == [item is not None for item in TEXT]
    with pytest.raises(AkdaskError, match="missing"):
        items_of(WORDS, missing.demanded(S))


def test_missing_text_is_cast_to_nan_and_to_itself():
    numbers = Literal.of([Table({"s": pa.array(["1.5", None, "-2"], pa.large_string())}, 3)])
    column = numbers.column("s")
    assert missing.call("cast", column, dtype="str") is column
    np.testing.assert_array_equal(items_of(numbers, missing.call("cast", column, dtype="float64")), [1.5, np.nan, -2.0])
    with pytest.raises(AkdaskError):
        items_of(numbers, missing.call("cast", column, dtype="int64"))
    for params in ({"pattern": "\ud800"}, {"a": 1, "b": "\udfff"}):
        with pytest.raises(ArgumentError, match="UTF-8"):
            missing.call("contains", S, **params)
    assert missing.call("lower", P).dtype == STR


def test_missing_text_beside_functions_hashes_and_times():
    assert items_of(WORDS, missing.missing_text()) == [None] * len(TEXT)

    def pickled(function):
        return cloudpickle.dumps(function)

    found = missing.call("apply_function", S, pickled=pickled(lambda item: item + "!"), dtype="str")
    assert items_of(WORDS, found) == [None if item is None else item + "!" for item in TEXT]
    with pytest.raises(AkdaskError, match="missing"):
        items_of(WORDS, missing.call("apply_function", S, pickled=pickled(len), dtype="int64"))
    assert items_of(WORDS, missing.call("apply_function", P, pickled=pickled(len), dtype="int64")) == [1] * len(TEXT)
    # A missing row has a hash that no text has: rows are equal where their hashes are.
    hashes = items_of(WORDS, missing.call("text_hash", S, part=0))
    assert [[one == other for other in hashes] for one in hashes] == [[one == other for other in TEXT] for one in TEXT]
    days = Literal.of([Table({"s": pa.array(["1970-01-02", None, "1969-12-31"], pa.large_string())}, 3)])
    assert items_of(days, missing.call("parse_time", days.column("s"), kind="M")) == [DAY, NAT, -DAY]


# ---- times

DAY = 86_400 * 10**9
NAT, LATEST = -(2**63), 2**63 - 1
MOMENTS = [NAT, NAT + 1, -5, 0, 7, 8, LATEST]
CLOCK = Literal.of([Table({"t": np.array(MOMENTS), "u": np.array([NAT, 3, NAT, 0, 8, -1, LATEST])}, len(MOMENTS))])
T1, T2 = CLOCK.column("t"), CLOCK.column("u")


@pytest.mark.parametrize("name", [*COMPARED, "not_equal"])
def test_comparisons_of_times_are_false_where_one_is_nat(name):
    compare = COMPARED.get(name, operator.ne)

    def reference(one, other):
        return name == "not_equal" if NAT in (one, other) else compare(one, other)

    def seconds(value):
        return Constant(np.int64(value))

    second = CLOCK.tables[0].columns["u"].tolist()
    same = ("ns", "ns")
    assert items_of(CLOCK, times.compared(name, T1, T2, same)) == [
        reference(*pair) for pair in zip(MOMENTS, second, strict=True)
    ]
    for constant in (NAT, -5, 7):
        assert items_of(CLOCK, times.compared(name, T1, seconds(constant), same)) == [
            reference(item, constant) for item in MOMENTS
        ]
        assert items_of(CLOCK, times.compared(name, seconds(constant), T1, same)) == [
            reference(constant, item) for item in MOMENTS
        ]
        assert items_of(CLOCK, times.compared(times.swapped(name), seconds(constant), T1, same)) == [
            reference(item, constant) for item in MOMENTS
        ]
    for number in (-(2**63), -6, -5, 0, 7, 2**63 - 1, 2**63, 10**30, -(10**30)):
        for units, of_item, of_number in ((("ns", "ns"), 1, 1), (("s", "ms"), 1, 1000), (("ms", "s"), 1000, 1)):
            wanted = [
                name == "not_equal" if item == NAT else compare(item * of_item, number * of_number) for item in MOMENTS
            ]
            assert items_of(CLOCK, times.compared_with(name, T1, number, units)) == wanted, (number, units)


def test_orders_of_times_have_nat_last_and_are_undone():
    order = ak.pdarray(CLOCK, times.ordered(T1)).to_ndarray()
    assert [MOMENTS[row] for row in np.argsort(order)] == [*MOMENTS[1:], NAT]
    assert times.of_order(times.ordered(T1)) is T1
    assert times.ordered(times.of_order(T1)) is T1
    assert items_of(CLOCK, times.of_order(times.ordered(Call("add", T1, Constant(np.int64(0)))))) == MOMENTS
    other = Call("subtract", T1, Constant(np.int64(2)))
    assert times.of_order(other) != T1
    assert times.ordered(Call("add", T1, Constant(np.int64(2)))) != T1
    second = CLOCK.tables[0].columns["u"].tolist()
    assert items_of(CLOCK, times.largest(T1, T2)) == [
        NAT if NAT in pair else max(pair) for pair in zip(MOMENTS, second, strict=True)
    ]


def test_times_are_floats_and_back_clipped_and_added_up():
    floats = ak.pdarray(CLOCK, times.as_floats(T1)).to_ndarray()
    np.testing.assert_array_equal(floats, [np.nan, *map(float, MOMENTS[1:])])
    decimals = Literal.of([Table({"f": np.array([1.9, -1.9, np.nan, 0.0])}, 4)])
    assert items_of(decimals, times.of_floats(decimals.column("f"))) == [1, -1, NAT, 0]
    for low, high in ((-5, 7), (NAT, 3), (2, NAT), (NAT, NAT)):
        limits = [Constant(np.int64(limit)) for limit in (low, high)]
        wanted = [item if item == NAT else min(max(item, low), LATEST if high == NAT else high) for item in MOMENTS]
        assert items_of(CLOCK, times.clipped(T1, *limits)) == wanted
    high, low = times.halves(T1)
    assert [(a << 32) + b for a, b in zip(items_of(CLOCK, high), items_of(CLOCK, low), strict=True)] == [
        0 if item == NAT else item for item in MOMENTS
    ]
    small = Literal.of([Table({"t": np.array([NAT, -(2**40) - 1, -5, 0, 2**35, LATEST])}, 6)])
    added = times.of_halves(*times.halves(small.column("t")))
    assert items_of(small, added) == [0, -(2**40) - 1, -5, 0, 2**35, LATEST]
    assert items_of(CLOCK, times.is_missing_time(T1)) == [item == NAT for item in MOMENTS]
    assert items_of(CLOCK, times.is_present_time(T1)) == [item != NAT for item in MOMENTS]
    assert items_of(CLOCK, times.with_missing_times(T1, times.is_present_time(T2)))[:3] == [NAT, NAT, -5]
    assert times.in_unit(T1, "s", "s") is T1
    assert times.in_unit(times.not_a_time(), "s", "ms") is times.not_a_time()
    assert times.in_unit(T1, "ms", "s", "named").params == {"given": "ms", "wanted": "s", "column": "named"}
    assert times.in_unit(T1, "ms", "s").params == {"given": "ms", "wanted": "s"}
    assert times.local(T1, None, "s") is T1
    assert times.utc(T1, None, "s") is T1
    assert times.local(T1, "UTC", "s").operation == "local_time"
    assert times.utc(T1, "UTC", "s").operation == "utc_time"
    assert (times.ALWAYS.value, times.NEVER.value, times.swapped("equal")) == (True, False, "equal")
