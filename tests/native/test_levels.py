"""Levels of instructions: which is taken, what a wrong cap says, and that results do not depend on it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from akdask import native
from akdask.errors import ArgumentError, NotCompiledError

TREE = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("built", "highest", "cap", "level"),
    [
        ("v2 v3 v4", 4, None, "v4"),
        ("v2 v3 v4", 4, "", "v4"),
        ("v2 v3 v4", 4, "v3", "v3"),
        ("v2 v3 v4", 3, None, "v3"),
        ("v2 v3 v4", 3, "v4", "v3"),
        ("v2 v3 v4", 4, "v2", "v2"),
        ("v2 v3 v4", 2, None, "v2"),
        ("v2 v3 v4", 2, "v3", "v2"),
        ("v2", 4, None, "v2"),
        ("base", 0, None, "base"),
    ],
)
def test_the_highest_level_is_taken_that_is_built_and_allowed_and_that_the_processor_has(
    built, highest, cap, level, monkeypatch
):
    monkeypatch.setattr(native, "BUILT", built.split())
    monkeypatch.setattr(native, "_level", type("Level", (), {"highest": staticmethod(lambda: highest)}))
    if cap is None:
        monkeypatch.delenv("AKDASK_CPU_LEVEL", raising=False)
    else:
        monkeypatch.setenv("AKDASK_CPU_LEVEL", cap)
    assert native._level_in_use() == level


def test_a_cap_that_is_no_level_says_what_levels_there_are(monkeypatch):
    monkeypatch.setattr(native, "BUILT", ["v2", "v3"])
    monkeypatch.setenv("AKDASK_CPU_LEVEL", "avx512")
    with pytest.raises(ArgumentError, match=r"AKDASK_CPU_LEVEL is 'avx512'(?s:.*)set it to one of v2, v3,"):
        native._level_in_use()


def test_the_compiler_is_told():
    assert native.COMPILER.startswith(("GCC ", "Clang "))


@pytest.mark.slow
@pytest.mark.parametrize("_round", range(1 if "CI" in os.environ else 3))
def test_loops_of_every_noun_give_the_same_bits_at_all_levels(_round, request):
    if native.BUILT[0] == native.LEVEL:
        pytest.skip("loops run at one level only, by this processor or AKDASK_CPU_LEVEL")
    seed = int(request.config.getoption("--hypothesis-seed") or 0) + _round
    done = subprocess.run(
        [sys.executable, "-m", "tests.native.random_calls", str(seed)],
        cwd=TREE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"seed {seed}: {done.stderr}"
    called = {line.split()[0]: int(line.split()[1]) for line in done.stdout.splitlines()}
    packages = Path(native.__file__).parents[1]
    nouns = {path.parent.relative_to(packages.parent) for path in packages.rglob(f"_loops_{native.LEVEL}.*.so")}
    # Those of storage map files, and compute nothing.
    assert set(called) == {".".join(noun.parts) for noun in nouns} - {"akdask.storage"}
    assert all(called.values()), called


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"CXX": "no-such-compiler"}, "no-such-compiler cannot be run"),
        ({"CXX": "false"}, "cannot be compiled:\nfalse "),
        ({"AKDASK_TOP_LEVEL": "v9"}, "AKDASK_TOP_LEVEL is 'v9'"),
    ],
)
def test_what_keeps_loops_from_being_compiled_is_told(environment, said):
    done = subprocess.run(
        [sys.executable, "compile_loops.py"],
        cwd=TREE,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_package_without_compiled_loops_says_how_to_get_them():
    code = (
        "import sys, types; sys.modules['akdask'] = package = types.ModuleType('akdask'); "
        f"package.__path__ = {[str(Path(native.__file__).parents[1])]!r}; "
        "sys.modules['akdask.native._level'] = None; "
        "import akdask.native"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert NotCompiledError.__name__ in done.stderr
    assert "`pip install .`" in done.stderr
