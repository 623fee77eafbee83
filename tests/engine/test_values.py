import pickle

import numpy as np
import pytest

import akdask as ak
from akdask.columns.dtypes import FLOAT64, INT64, STR, UINT64
from akdask.engine.sources import Rows
from akdask.engine.values import (
    Apply,
    Call,
    ColumnRef,
    Compiler,
    Constant,
    Recall,
    columns_of,
    describe,
    substitute,
    walk,
)
from akdask.errors import ArgumentTypeError

A = ColumnRef("scan-1", "a", INT64)
B = ColumnRef("scan-1", "b", FLOAT64)

DEEP = 5_000


def test_equal_trees_are_equal_and_share_a_token():
    assert Call("add", A, B) == Call("add", A, B)
    assert hash(Call("add", A, B)) == hash(Call("add", A, B))
    assert Call("add", A, B) != Call("add", B, A)
    assert Call("round", B, decimals=1) != Call("round", B, decimals=2)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Constant(1), Constant(1.0)),
        (Constant(1), Constant(True)),
        (Constant(1), Constant("1")),
        (Constant(1), Constant(np.uint64(1))),
        (Constant(0.0), Constant(-0.0)),
        (ColumnRef("scan-1", 0, INT64), ColumnRef("scan-1", "0", INT64)),
        (ColumnRef("scan-1", "a", INT64), ColumnRef("scan-2", "a", INT64)),
    ],
)
def test_values_that_python_may_hold_for_equal_are_told_apart(one, other):
    assert one != other


def test_a_constant_takes_the_type_that_the_column_beside_it_suggests():
    assert Constant(1).dtype == INT64
    assert Constant(1, UINT64).dtype == UINT64
    assert Constant("x").dtype == STR


def test_types_that_do_not_fit_are_refused_when_the_tree_is_built():
    with pytest.raises(ArgumentTypeError, match="does not take arguments of type int64, str"):
        Call("add", A, Constant("x"))


def test_walking_yields_arguments_first_and_shared_parts_once():
    shared = Call("add", A, Constant(1))
    tree = Call("multiply", shared, shared)
    assert [describe(part) for part in walk(tree)] == ["a", "1", "(a + 1)", "((a + 1) * (a + 1))"]
    assert columns_of(tree) == [A]


def test_substitution_replaces_columns_and_leaves_the_rest_as_it_is():
    left = Call("add", A, Constant(1))
    tree = Call("multiply", left, Call("sqrt", B))
    changed = substitute(tree, {B.token: A})
    assert describe(changed) == "((a + 1) * sqrt(a))"
    assert changed.args[0] is left
    assert substitute(tree, {"other": A}) is tree


def test_buffers_are_given_back_after_their_last_use():
    total = Call("add", A, Constant(1))
    for _ in range(20):
        total = Call("add", total, Constant(1))
    program = Compiler([[total]], {"scan-1": 0}, {}).last([total])
    released = [step.release for step in program.steps if isinstance(step, Apply)]
    assert all(released[1:])


def test_a_tree_survives_pickling_with_its_type_and_token():
    tree = Call("where", Call("less", A, Constant(3)), Call("round", B, decimals=2), Constant(np.float64(0.1)))
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree
    assert again.dtype == tree.dtype
    assert describe(again) == "where((a < 3), round(b, decimals=2), 0.1)"


def test_shared_parts_stay_shared_when_pickled():
    tree = A
    for _ in range(100):
        tree = Call("add", tree, tree)
    data = pickle.dumps(tree)
    assert len(data) < 10_000
    assert pickle.loads(data) == tree


def deep_sum():
    total = ak.arange(3)
    for number in range(DEEP):
        total = total + number % 2
    return total


def test_long_expressions_are_built_computed_reduced_and_filtered():
    total = deep_sum()
    assert total.tolist() == [DEEP // 2, DEEP // 2 + 1, DEEP // 2 + 2]
    assert total.sum() == 3 * (DEEP // 2) + 3
    assert total[total > DEEP // 2].tolist() == [DEEP // 2 + 1, DEEP // 2 + 2]


def test_long_expressions_are_shown_pickled_and_persisted():
    total = deep_sum()
    wanted = [DEEP // 2, DEEP // 2 + 1, DEEP // 2 + 2]
    assert repr(total) == f"array([{' '.join(map(str, wanted))}])"
    assert pickle.loads(pickle.dumps(total)).tolist() == wanted
    assert total.persist().tolist() == wanted


def test_long_expressions_are_described_in_part():
    total = ak.arange(3)._value
    for number in range(DEEP):
        total = Call("add", total, Constant(number % 2))
    assert describe(total).count("(…)") == 1


def test_the_position_of_rows_goes_on_across_partitions():
    rows = Rows((2, 0, 3))
    assert rows.starts == (0, 2, 2)
    assert ak.pdarray(rows, rows.position).tolist() == [0, 1, 2, 3, 4]


def test_operations_on_nothing_but_constants_have_as_many_rows_as_the_array():
    with ak.config.set(small_array=2):
        text, zeros, large = ak.full(5, "ab"), ak.zeros(5, dtype="int64"), ak.full(5, 2**70)
        assert text.upper().tolist() == ["AB"] * 5
        assert text.get_lengths().tolist() == [2] * 5
        assert text.contains("b").tolist() == [True] * 5
        assert (ak.Categorical.from_codes(zeros, ["x", "y"]) == "x").tolist() == [True] * 5
        assert ak.lookup(ak.array([0]), ak.array([7]), zeros).tolist() == [7] * 5
        assert [limb.tolist() for limb in large.bigint_to_uint_arrays()] == [[64] * 5, [0] * 5]
        limbs = [ak.ones(5, dtype="uint64"), ak.arange(5, dtype="uint64")]
        assert ak.bigint_from_uint_arrays(limbs).tolist() == [2**64 + low for low in range(5)]
        assert ak.bigint_from_uint_arrays(limbs[::-1]).tolist() == [high * 2**64 + 1 for high in range(5)]


def test_operations_of_one_argument_are_written_before_it():
    assert describe(Call("negative", A)) == "-a"
    assert describe(Call("invert", Call("add", A, A))) == "~(a + a)"


def test_what_programs_share_is_handed_on_if_it_has_rows():
    root, two = Call("sqrt", ColumnRef("rows", "x", FLOAT64)), Call("sqrt", Constant(2.0))
    programs = [
        [Call("greater", root, Constant(1.0))],
        [Call("less", Call("add", root, two), Constant(9.0))],
        [Call("add", root, two), Call("multiply", root, root)],
    ]
    compiler = Compiler(programs, {"rows": 0}, {})
    first, second, last = map(compiler.next, programs)
    recalled = [[step.slot for step in program.steps if isinstance(step, Recall)] for program in (first, second, last)]
    (of_root,), (of_sum,) = ([slot for _, slot in program.hands_on] for program in (first, second))
    assert recalled == [[], [of_root], [of_sum, of_root]]
    assert [program.forgets for program in (first, second)] == [(), ()]
    assert sorted(last.forgets) == sorted([of_root, of_sum])
    assert not last.hands_on
