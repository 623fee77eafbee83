"""What is loaded when: ``import akdask`` and first queries wait for nothing that they do not use."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask import deferred, io
from akdask.arrays import array
from akdask.arrays import stored_arrays as stored
from akdask.columns import scalar_types
from akdask.columns import scalar_types as numpy_names
from akdask.engine import operations
from akdask.engine.optimizer import OCCASIONS
from akdask.engine.rowwise import Concat, Filter, MatchRows, Project, Zip
from akdask.io import registry, stored_objects
from akdask.operators.group.plan import GroupAggregate, GroupStatistic
from akdask.operators.rewrite_rules import RULES
from akdask.operators.values.segarray import LIST_COMPARISONS
from akdask.storage.manifest import manifest_path
from akdask.storage.objects import ObjType

ROOT = Path(ak.__file__).parent

SLOW = {
    "pandas",
    "pyarrow",
    "distributed",
    "dask.dataframe",
    "dask.array",
    "fsspec",
}
"""Modules that take long to load."""

OF_OTHER_QUERIES = {
    "akdask.arrays.creation",
    "akdask.arrays.display",
    "akdask.arrays.timearray",
    "akdask.arrays.writing",
    "akdask.arrays.groupby",
    "akdask.arrays.segarray",
    "akdask.arrays.strings",
    "akdask.formats.hdf5.new_file",
    "akdask.operators.group",
    "akdask.operators.values.cast",
    "akdask.operators.values.segarray",
    "akdask.frames",
    "akdask.operators.join",
    "akdask.operators.keys",
    "akdask.operators.rows",
    "akdask.operators.text",
    "akdask.operators.rewrite_rules",
    "akdask.engine.spill",
    "akdask.engine.slices",
    "akdask.operators.sort",
    "akdask.operators.windows",
    "akdask.storage.transaction",
}
"""Modules and packages of akdask that a sum of some rows does without."""

FILTERED_SUM = """
import sys
import akdask as ak

columns = ak.read_hdf(sys.argv[1])
assert columns["x"][columns["k"] > 2].sum() == 3 + 4 + 8 + 9
"""

OF_NUMBERS = """
import sys
import akdask as ak

path = sys.argv[1]
columns = ak.read_hdf(path)
assert columns["x"].sum() == 45
assert columns["x"][columns["k"] > 2].sum() == 3 + 4 + 8 + 9
assert ak.GroupBy(columns["k"]).sum(columns["x"])[1].to_ndarray().tolist() == [5, 7, 9, 11, 13]
assert columns["x"][ak.argsort(columns["k"])].to_ndarray().tolist() == [0, 5, 1, 6, 2, 7, 3, 8, 4, 9]
assert len(ak.unique(ak.hash(columns["k"], full=False)).to_ndarray()) == 5
joined = ak.merge(ak.DataFrame(columns), ak.DataFrame({"k": ak.arange(3)}), on="k", sort=False)
assert joined["x"].sum() == 0 + 5 + 1 + 6 + 2 + 7
frame = ak.DataFrame({"a": [1, 2], "one": 1})
frame["b"] = frame["a"] + frame["one"]
assert frame["b"].to_ndarray().tolist() == [2, 3]
assert frame["b"].compute().tolist() == [2, 3] and frame["b"].sum().compute() == 5
"""


def loaded_after(script: str, *arguments: str) -> set[str]:
    """Return the modules that a new process has loaded when a script has ended."""
    script += "\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("numbers") / "numbers.h5")
    ak.DataFrame({"x": ak.arange(10), "k": ak.arange(10) % 5}).to_hdf(path)
    # Manifests are tables of Arrow.
    Path(manifest_path(path)).unlink()
    return path


@pytest.mark.slow
def test_the_import_loads_little_of_akdask_and_nothing_that_is_slow():
    loaded = loaded_after("import akdask")
    assert not loaded & {*SLOW, "h5py", "jinja2", "dask.widgets"}
    assert len({name for name in loaded if name.startswith("akdask")}) < 15


@pytest.mark.slow
def test_sums_groups_orders_and_joins_of_numbers_load_nothing_that_is_slow(numbers):
    assert not loaded_after(OF_NUMBERS, numbers) & SLOW


@pytest.mark.slow
def test_what_is_shown_and_described_asks_for_no_cluster(numbers):
    script = "import sys, akdask as ak\nframe = ak.DataFrame(ak.read_hdf(sys.argv[1]))"
    script += "\nassert 'x' in repr(frame) and frame.describe()['x']['max'] == 9 and frame.compute()['x'].sum() == 45"
    assert not loaded_after(script, numbers) & {"distributed", "dask.dataframe", "dask.array"}


@pytest.mark.slow
def test_a_filtered_sum_loads_nothing_of_other_queries(numbers):
    loaded = loaded_after(FILTERED_SUM, numbers)
    assert {name for name in loaded if any(f"{name}.".startswith(f"{other}.") for other in OF_OTHER_QUERIES)} == set()
    assert len({name for name in loaded if name.startswith("akdask")}) < 120


OF_TEXT = """
import sys
import akdask as ak

frame = ak.DataFrame(ak.read_parquet(sys.argv[1]) if ".parquet" in sys.argv[1] else ak.read_hdf(sys.argv[1]))
names = frame["name"]
assert frame.groupby("name")["x"].sum().tolist() == [0 + 2 + 4, 1 + 3]
assert frame.groupby(["name", "k"])["x"].sum().sum() == 10
assert ak.unique(names).tolist() == ["even", "odd"]
assert frame["x"][names == "odd"].sum() == 4
assert frame[names != "odd"].persist()["x"].sum() == 6
assert names.contains("dd").sum() == names.startswith("o").sum() == names.endswith("dd").sum() == 2
assert names.get_lengths().sum() == 3 * 4 + 2 * 3
assert ak.in1d(names, ak.array(["odd", "other"])).sum() == 2
assert ak.concatenate([names, names]).tolist() == ["even", "odd", "even", "odd", "even"] * 2
assert frame.sort_values("name")["x"].tolist() == [0, 2, 4, 1, 3]
assert frame.sort_values("x", ascending=False).head(2)["name"].tolist() == ["even", "odd"]
words = ak.DataFrame({"name": ak.array(["odd"]), "y": ak.array([7])})
assert ak.merge(frame, words, on="name")["y"].tolist() == [7, 7]
assert ak.merge(frame, frame[["x", "k"]], on="x")["name"].tolist() == names.tolist()
assert frame.drop_duplicates("name")["x"].tolist() == [0, 1]
assert frame[1:3].persist()["name"].upper().tolist() == ["ODD", "EVEN"]
assert frame.groupby("name")["x"].median().tolist() == [2, 2]
frame.to_hdf(sys.argv[2])
"""
"""Questions of text; each of them alone once loaded pandas, Arrow's functions or both."""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["x.parquet", "x.h5"])
def test_questions_of_text_load_neither_pandas_nor_the_functions_of_arrow(tmp_path, name):
    table = pa.table({"x": range(5), "k": [0, 0, 1, 1, 1], "name": ["even", "odd"] * 2 + ["even"]})
    path = tmp_path / name
    if name == "x.parquet":
        pq.write_table(table, path)
    else:
        ak.DataFrame({column: ak.array(table[column].to_pylist()) for column in table.column_names}).to_hdf(str(path))
        path = tmp_path / "x_LOCALE0000.h5"
    assert not loaded_after(OF_TEXT, str(path), str(tmp_path / "copy")) & {"pandas", "pyarrow.compute"}


OF_FRAMES = {
    "frame['x'][frame['k'] > 2].sum() == 3 + 4 + 8 + 9": (
        ("group", "join", "keys", "rows", "sort", "text", "windows"),
        131,
    ),
    "frame.groupby('k')['x'].sum().tolist() == [5, 7, 9, 11, 13]": (("join", "text", "windows"), 170),
    "ak.merge(frame, ak.DataFrame({'k': ak.arange(3)}), on='k')['x'].sum() == 21": (("text", "windows"), 188),
}
"""First questions of a frame in a Parquet file, the operators that these do without, and the most modules of akdask."""


@pytest.mark.slow
@pytest.mark.parametrize("question", OF_FRAMES)
def test_a_question_of_a_frame_loads_nothing_of_operators_that_it_does_without(question, tmp_path):
    pq.write_table(pa.table({"x": range(10), "k": [*range(5)] * 2}), tmp_path / "x.parquet")
    script = f"import sys, akdask as ak\nframe = ak.DataFrame(ak.read_parquet(sys.argv[1]))\nassert {question}"
    everything = loaded_after(script, str(tmp_path / "x.parquet"))
    assert not everything & {"pyarrow.parquet", "pyarrow.fs"}
    loaded = {name for name in everything if name.startswith("akdask")}
    others, most = OF_FRAMES[question]
    assert not loaded & {f"akdask.operators.{name}" for name in others}
    assert len(loaded) < most


OF_PANDAS_FACE = """
import sys
import akdask.pandas as pd

after_import = set(sys.modules)
{opened}
assert frame[frame["k"] > 2]["x"].sum() == 3 + 4 + 8 + 9
assert frame.groupby("k")["x"].sum().tolist() == [5, 7, 9, 11, 13]
assert frame.merge(frame.rename(columns={{"x": "y"}}), on="k")["y"].sum() == 2 * 45
assert frame.sort_values(["k", "x"])["x"].tolist() == [0, 5, 1, 6, 2, 7, 3, 8, 4, 9]
print(*sorted(set(sys.modules) - after_import), file=open(sys.argv[2], "w"))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "opened",
    [
        "frame = pd.read_arkouda(sys.argv[1].replace('.h5', '_LOCALE0000.h5'))",
        "pd.DataFrame({'x': range(10), 'k': [*range(5)] * 2}).to_parquet(sys.argv[2])\nframe = pd.scan(sys.argv[2])",
    ],
    ids=["arkouda", "parquet"],
)
def test_first_queries_of_pandas_face_find_their_modules_loaded_by_its_import(numbers, opened, tmp_path):
    path = tmp_path / "late.parquet"
    loaded_after(OF_PANDAS_FACE.format(opened=opened), numbers, str(path))
    late = [name for name in path.read_text(encoding="utf-8").split() if name.startswith("akdask")]
    assert len(late) < 25, late


@pytest.mark.slow
def test_the_import_of_pandas_face_loads_nothing_slow_that_pandas_does_not():
    late = loaded_after("import akdask.pandas") - loaded_after("import pandas")
    assert not late & {*SLOW, "h5py", "pyarrow.compute", "pyarrow.dataset", "pyarrow.fs", "pyarrow.parquet"}
    assert len({name for name in late if name.startswith("akdask")}) < 290


@pytest.mark.slow
def test_a_set_that_its_manifest_describes_is_read_without_the_library_of_hdf5(tmp_path):
    ak.DataFrame({"x": ak.arange(10), "text": ak.array(["a", "b"] * 5)}).to_hdf(str(tmp_path / "x.h5"))
    script = "import sys, akdask.pandas as pd\nframe = pd.read_arkouda(sys.argv[1])"
    script += "\nassert frame[frame['x'] > 7]['text'].tolist() == ['a', 'b']"
    assert not loaded_after(script, str(tmp_path / "x.h5")) & {"h5py", "h5py._hl"}


@pytest.mark.slow
def test_graphs_are_shown_though_dask_was_loaded_without_what_draws_them():
    script = """
import sys, akdask as ak
columns = ak.arange(3)
assert "jinja2" not in sys.modules
from dask.highlevelgraph import HighLevelGraph
assert "<div" in HighLevelGraph.from_collections("a", {("a", 0): 1})._repr_html_()
import dask.widgets
assert "key_split" in dask.widgets.FILTERS
"""
    assert "jinja2" in loaded_after(script)


@pytest.mark.slow
def test_a_column_of_parquet_loads_nothing_of_frames_and_writes(tmp_path):
    pq.write_table(pa.table({"x": [0, 1, 2], "text": ["a", "", "bc"]}), tmp_path / "x.parquet")
    script = "import sys, akdask as ak\ncolumns = ak.read_parquet(sys.argv[1])"
    script += "\nassert columns['x'].tolist() == [0, 1, 2] and columns['text'].tolist() == ['a', '', 'bc']"
    loaded = loaded_after(script, str(tmp_path / "x.parquet"))
    assert not loaded & {
        "pandas",
        "pyarrow.compute",
        "pyarrow.dataset",
        "h5py",
        "akdask.arrays.writing",
        "akdask.frames",
    }
    assert len({name for name in loaded if name.startswith("akdask")}) < 149


def test_a_module_that_another_thread_is_loading_is_waited_for(monkeypatch):
    half = ModuleType("akdask_half_loaded")
    half.__spec__ = ModuleSpec(half.__name__, None)
    half.__spec__._initializing = True
    monkeypatch.setitem(sys.modules, half.__name__, half)
    asked_for = []
    monkeypatch.setattr(deferred, "_load", asked_for.append)
    deferred.module_named(half.__name__)
    half.__spec__._initializing = False
    assert deferred.module_named(half.__name__) is half
    assert asked_for == [half.__name__]


def test_every_operation_is_found_in_its_family():
    tables: dict[str, str] = {}
    for path in sorted((ROOT / "operators").rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "dict[str, Operation]":
                tables[ast.unparse(node.target)] = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    assert tables == operations._MODULES
    names = list(operations.OPERATIONS)
    assert len(names) == len(set(names)) == len(operations.OPERATIONS) > 150
    assert all(operations.OPERATIONS[name].name == name for name in names)
    assert "no such" not in operations.OPERATIONS
    assert set(operations._LIST_COMPARISONS) == set(LIST_COMPARISONS)


def test_kinds_of_nodes_that_the_optimiser_looks_for_are_those_that_it_has_rules_for():
    by_any_plan = {Zip, Filter, Project, Concat, GroupAggregate, GroupStatistic}
    assert set(RULES) >= by_any_plan
    assert {kind.__name__ for kind in (*(set(RULES) - by_any_plan), MatchRows)} == OCCASIONS


def test_what_pandas_has_is_known_when_pandas_is_there():
    import pandas as pd

    assert ak.array(pd.Series(["a", "b"], dtype="category")).tolist() == ["a", "b"]
    assert (ak.date_range("2026-01-01", periods=2) == pd.Timestamp("2026-01-01")).tolist() == [True, False]


def test_every_public_name_is_there_and_no_other():
    assert [name for name in ak.__all__ if getattr(ak, name) is None] == ["newaxis"]
    assert set(ak.__all__) <= set(dir(ak))
    for module in (io, registry, numpy_names, scalar_types, ak.testing):
        # Functions are wrapped once pandas' face is loaded.
        assert [
            name
            for name in module.__all__
            if inspect.unwrap(getattr(ak, name)) is not inspect.unwrap(getattr(module, name))
        ] == []
    with pytest.raises(AttributeError, match="no attribute 'arrange'"):
        ak.arrange  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'read_hdf5'"):
        io.read_hdf5  # noqa: B018


def test_no_public_name_is_hidden_by_a_module_of_its_package():
    # An import of such a module would put it in the place of what has its name.
    for package in (ak, io, ak.arkouda):
        folder = Path(package.__file__).parent
        modules = {path.stem for path in folder.glob("*.py")}
        modules |= {path.parent.name for path in folder.glob("*/__init__.py")}
        both = {name: getattr(package, name) for name in modules & set(package.__all__)}
        assert {name for name, item in both.items() if not hasattr(item, "__file__")} == set()


def test_names_of_a_stub_are_loaded_from_their_modules(tmp_path, monkeypatch):
    package = tmp_path / "somewhere"
    package.mkdir()
    (package / "__init__.pyi").write_text(
        "from somewhere import inner\nfrom somewhere.inner import one as two\n__all__ = ['inner', 'two']\n"
    )
    (package / "__init__.py").write_text(
        "from akdask.deferred import names_of_stub\n__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)\n"
    )
    (package / "inner.py").write_text("one = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = import_module("somewhere")
    assert "somewhere.inner" not in sys.modules
    assert (found.two, found.inner.one, found.__all__) == (1, 1, ["inner", "two"])
    assert {"inner", "two"} <= set(dir(found))
    assert "two" in vars(found)
    load, names, public = deferred.names_of_stub("somewhere", str(package / "__init__.py"))
    assert public == ["inner", "two"]
    assert "inner" in names()
    with pytest.raises(AttributeError, match=r"no attribute 'iner'.\nHint: did you mean somewhere.inner"):
        load("iner")
    for name in ("somewhere", "somewhere.inner"):
        monkeypatch.delitem(sys.modules, name)


def test_tables_name_the_modules_that_register():
    found: dict[str, dict[str, str]] = {"shows": {}, "made_of": {}}
    folders = ("arrays", "frames", "io", "plotting")
    for path in (path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in found:
                names = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
                found[node.func.id].update(dict.fromkeys(names, module))
    assert found == {"shows": array.SHOWN_BY, "made_of": array.MADE_OF}
    for name, module in array.ASKED_FOR.items():
        assert hasattr(import_module(f"akdask.{module}"), name)
        assert array.class_asked_for(name) is getattr(ak, name)


def test_every_kind_of_stored_object_that_has_a_maker_finds_it():
    assert stored_objects.__name__.endswith(stored.MAKERS[ObjType.DATAFRAME])
    assert stored._makers.keys() <= stored.MAKERS.keys()


def test_numpy_functions_on_lazy_arrays_are_found_when_they_are_called():
    assert np.concatenate([ak.arange(2), ak.arange(2)]).tolist() == [0, 1, 0, 1]


@pytest.mark.slow
@pytest.mark.parametrize("imports", ["import akdask as ak, pandas as pd", "import pandas as pd, akdask as ak"])
def test_pandas_learns_names_whichever_is_imported_first_and_loads_what_they_stand_for_when_they_are_used(imports):
    script = f"""
import sys, warnings
warnings.simplefilter("error")
{imports}
assert "akdask.extension" not in sys.modules
assert pd.Series([1, 2], dtype="ak_int64").dtype == "ak_int64"
assert "akdask.extension" in sys.modules
assert pd.Series([1]).ak.to_ak().dtype == "ak_int64" and pd.Series.ak is ak.ArkoudaSeriesAccessor
assert str(pd.Series([1, 2]).dtype) == "int64" and pd.array([True], dtype="boolean")[0]
assert type(pd.__loader__).__name__ == type(pd.__spec__.loader).__name__ == "SourceFileLoader"
"""
    loaded_after(script)
    loaded_after(f"{imports}\nassert pd.DataFrame({{'a': [1]}}).ak.to_ak().dtypes['a'].name == 'int64'")


@pytest.mark.slow
@pytest.mark.parametrize("order", [("akdask", "akdask", "pandas"), ("pandas", "akdask", "akdask")])
def test_pandas_is_found_and_learns_names_where_akdask_is_loaded_twice(order):
    script = f"""
import sys, warnings
warnings.simplefilter("error")
for name in {order}:
    for module in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[module]
    __import__(name)
import pandas as pd
assert pd.Series([1]).ak.to_ak().dtype == "ak_int64"
assert type(pd.__loader__).__name__ == type(pd.__spec__.loader).__name__ == "SourceFileLoader"
"""
    loaded_after(script)


@pytest.mark.slow
def test_what_is_loaded_is_not_looked_through_for_garbage(numbers):
    script = f"""
import gc
counted = []
gc.callbacks.append(lambda phase, facts: counted.append(facts["generation"]))
{FILTERED_SUM}
assert len(counted) < 2 * 40 and 2 not in counted and counted.count(1) <= 2 * 2, counted
assert gc.isenabled()
"""
    loaded_after(script, numbers)


@pytest.mark.sampled(one_of=2)
@pytest.mark.slow
@pytest.mark.parametrize("face", ["akdask", "akdask.pandas"])
@pytest.mark.parametrize(
    ("before", "set_aside"),
    [
        ("import numpy as np", True),
        ("from __future__ import annotations; from math import sin; size = 3; name = 'x'", True),
        ("made = [[]]; made[0].append(made)", False),
        ("import of_the_user", False),
        ("import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()", False),
        ("import gc; gc.disable()", False),
    ],
)
def test_modules_are_set_aside_from_the_search_for_garbage_where_nothing_else_is_there(
    tmp_path, face, before, set_aside
):
    (tmp_path / "of_the_user.py").write_text("data = [1]")
    script = f"""
{before}
import {face}
import gc, weakref
assert (gc.get_freeze_count() > 10_000) is {set_aside}, gc.get_freeze_count()
gc.enable()

class Made: pass

made = Made()
made.itself = made
seen = weakref.ref(made)
del made
gc.collect()
assert seen() is None
"""
    subprocess.run([sys.executable, "-c", script], check=True, cwd=tmp_path)


@pytest.mark.slow
def test_objects_of_a_running_function_are_not_set_aside():
    script = """
import gc

def main():
    made = []
    import akdask.pandas as pd
    assert gc.get_freeze_count() == 0

main()
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.slow
def test_pandas_face_is_loaded_with_few_searches_for_garbage():
    script = """
import gc
counted = []
gc.callbacks.append(lambda phase, facts: counted.append(facts["generation"]))
import akdask.pandas
assert len(counted) < 2 * 40 and 2 not in counted, counted
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_objects_that_somebody_has_frozen_stay_frozen_when_modules_are_loaded():
    # In a process of its own: threads that other tests have left load modules and freeze objects, too.
    script = """
import gc, sys
from akdask import deferred

@deferred.without_collection
def load(name):
    assert not gc.isenabled()
    sys.modules[name] = None

# Where a script has made something, modules are not set aside.
made = [[]]
gc.freeze()
frozen = gc.get_freeze_count()
load("akdask.not_there")
# Some go meanwhile, as their last use ends.
assert gc.get_freeze_count() > frozen / 2 > 0
gc.unfreeze()
load("akdask.not_there_either")
assert gc.get_freeze_count() == 0
assert gc.isenabled()
"""
    subprocess.run([sys.executable, "-c", script], check=True)
