"""Type checkers, completion and help see every public method, with its name, its parameters and what it does."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

import akdask as ak

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "tests" / "user_script.py"

MISTAKES = """
import akdask as ak

def wrong(a: ak.pdarray, s: ak.Strings, t: ak.Datetime, df: ak.DataFrame) -> None:
    s.uppper()  # type: ignore[attr-defined]
    s.isalpha(1)  # type: ignore[call-arg]
    s.upper().total_seconds()  # type: ignore[attr-defined]
    t.yaer  # type: ignore[attr-defined]
    t.hour.isalpha()  # type: ignore[attr-defined]
    a[1:].lower()  # type: ignore[attr-defined]
    ak.sqrt(a, a, a)  # type: ignore[call-arg]
    ak.std(a, dof=1)  # type: ignore[call-arg]
    df.groupby("k").sum(columns="x")  # type: ignore[call-arg]
    df.groupby("k").diff("x").maximum()  # type: ignore[attr-defined]
    df.groupby("k").mean().to_pandas().to_hdf5("x")  # type: ignore[operator]
    ak.ArrayView(a, (2, 3)).sum(0, True, 4)  # type: ignore[call-arg]
"""

CLASSES = [
    item
    for name in ak.__all__
    if inspect.isclass(item := getattr(ak, name)) and item.__module__.startswith("akdask") and not issubclass(item, int)
]
METHODS = {
    f"{cls.__name__}.{name}": (name, inspect.getattr_static(cls, name))
    for cls in CLASSES
    for name in dir(cls)
    if not name.startswith("_")
}
FUNCTIONS = {name: (name, item) for name in ak.__all__ if isinstance(item := getattr(ak, name), types.FunctionType)}

ALIASES = {
    "DataFrame.aggregate": "agg",
    "DataFrame.truediv": "div",
    "DataFrameGroupBy.aggregate": "agg",
    "Datetime.daysinmonth": "days_in_month",
    "Series.aggregate": "agg",
    "Series.kurtosis": "kurt",
    "Series.truediv": "div",
    "isnull": "isna",
    "notnull": "notna",
}
"""Methods that pandas has under two names."""


def _function(member: object) -> types.FunctionType | None:
    found = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
    if not isinstance(found, types.FunctionType) or not found.__module__.startswith("akdask"):
        return None
    # Extension arrays of pandas have names that only say that they are not there.
    return None if hasattr(found, "only_refuses") else found


def _written() -> dict[str, tuple[str, types.FunctionType]]:
    """Return all public functions and methods that akdask defines."""
    found = {where: (name, _function(member)) for where, (name, member) in (METHODS | FUNCTIONS).items()}
    return {where: (name, function) for where, (name, function) in found.items() if function is not None}


def _mypy(folder: Path, *names: str) -> str:
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--config-file="]
    environment = os.environ | {"MYPYPATH": str(ROOT)}
    done = subprocess.run(
        [*command, "--cache-dir", folder / "cache", *names],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


@pytest.mark.slow
def test_mypy_accepts_what_users_write_and_finds_their_mistakes(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "script.py").write_text(SCRIPT.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "mistakes.py").write_text(MISTAKES, encoding="utf-8")
    # A mistake that mypy does not see would be reported as an unused comment.
    assert _mypy(tmp_path, "script.py", "mistakes.py") == "Success: no issues found in 2 source files\n"


@pytest.mark.slow
def test_the_script_runs(tmp_path):
    done = subprocess.run(
        [sys.executable, SCRIPT],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("['port', 'proto', 'bytes', 'time', 'service'] [443] True\n")


def test_enough_is_looked_at():
    assert len(_written()) > 700
    assert {"Strings.upper", "ArrayView.sum", "Datetime.year", "DataFrameGroupBy.max", "sqrt"} <= _written().keys()


def test_every_method_and_function_has_its_own_name():
    wrong = {
        where: function.__name__
        for where, (name, function) in _written().items()
        if function.__name__ not in (name, ALIASES.get(where))
    }
    assert wrong == {}


def test_every_method_and_function_says_what_it_does():
    assert [where for where, (_, function) in _written().items() if not inspect.getdoc(function)] == []
    assert [
        where
        for where, (_, member) in METHODS.items()
        if isinstance(member, property) and not member.__doc__ and member.fget.__module__.startswith("akdask")
    ] == []


def test_every_method_and_function_has_an_example():
    # Parts of plans, what the contract of pandas' extension arrays asks for, and differences of groups aside.
    inner = {
        "at_hand",
        "as_value",
        "deferred",
        "edge_rows",
        "expr",
        "flat_storable",
        "of",
        "reduce_at_once",
        "reduce_column",
        "rows",
    }
    of_pandas = ("ArkoudaArray.", "ArkoudaBase", "ArkoudaBigint", "ArkoudaBool", "ArkoudaCategorical", "ArkoudaDtype")
    of_pandas += ("ArkoudaExtension", "ArkoudaFloat", "ArkoudaInt64", "ArkoudaString", "ArkoudaUint", "DiffAggregate.")
    assert [
        where
        for where, (name, function) in _written().items()
        if ">>>" not in (inspect.getdoc(function) or "") and name not in inner and not where.startswith(of_pandas)
    ] == []


def test_every_method_and_function_shows_its_parameters():
    def shown(function: types.FunctionType) -> set[str]:
        parameters = inspect.signature(function).parameters.values()
        return {one.name for one in parameters if one.kind is one.VAR_POSITIONAL}

    # What takes any number of arguments says of what.
    assert {where for where, (_, function) in _written().items() if "args" in shown(function)} <= {
        "align",
        "arange",
        "ArkoudaArray.round",
        "DataFrame.map_partitions",
        "DataFrame.pipe",
        "DataFrameGroupBy.apply",
        "Series.pipe",
        "result_type",
    }


def test_every_method_and_function_is_written_where_it_is_found():
    # What a factory has made shows neither its parameters nor its lines to editors.  What `functools.wraps` wraps does:
    # editors look at the function inside.
    inside = {where: inspect.unwrap(function) for where, (_, function) in _written().items()}
    assert [where for where, function in inside.items() if "<locals>" in function.__code__.co_qualname] == []


def test_completion_offers_every_public_method():
    a = ak.arange(3)
    s = ak.array(["a", "b", "c"])
    objects = [a, s, ak.Categorical(s), ak.Datetime(a), ak.Timedelta(a), ak.IPv4(a), a.sum(), a.reshape(1, 3)]
    objects += [ak.Index(a), ak.DataFrame({"a": a}), ak.DataFrame({"a": a}).groupby("a"), ak.GroupBy(a)]
    objects += [ak.SegArray(ak.array([0, 2]), a)]
    missing = {
        type(item).__name__: sorted(public - set(dir(item)))
        for item in objects
        if not (public := {name for name in dir(type(item)) if not name.startswith("_")}) <= set(dir(item))
    }
    assert missing == {}
