"""Scripts of a few lines, each a process of its own: interpreter, imports, one question, its answer in memory."""

from __future__ import annotations

import sys
from statistics import median
from textwrap import dedent

from benchmarks.data import FileSet
from benchmarks.process import Spent, environment, spend
from benchmarks.report import MEBIBYTES, MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.tasks.group import few_files, many_files
from benchmarks.tasks.join import join_files
from benchmarks.tasks.sorting import sort_files
from benchmarks.timing import compare

POLARS, DUCKDB, H5PY, MAPPED = "polars + h5py", "duckdb + h5py", "NumPy + h5py", "NumPy, mapped"

FLOOR = 1.0
FACE = "akdask.pandas"
IMPORTED = (OURS, FACE, "pandas", "polars", "duckdb")
IMPORT, MEMORY, FIRST = 0.25, 70 * 2**20, 0.15
"""What `import akdask` may take, and what a first query may take more than its repetition."""

AKDASK = """
    import sys
    import akdask as ak

    def read(at, *names):
        return ak.read_hdf(sys.argv[at] + "/set_LOCALE*", list(names))
"""
NUMPY = """
    import sys
    from glob import glob
    import h5py
    import numpy as np

    def read(at, *names):
        parts = []
        for path in sorted(glob(sys.argv[at] + "/set_LOCALE*")):
            with h5py.File(path, "r") as file:
                parts.append([file[name][:] for name in names])
        return parts
"""
MEMMAP = """
    import sys
    from glob import glob
    import h5py
    import numpy as np

    def read(at, *names):
        parts = []
        for path in sorted(glob(sys.argv[at] + "/set_LOCALE*")):
            with h5py.File(path, "r") as file:
                found = [(file[name].id.get_offset(), file[name].dtype, file[name].shape) for name in names]
            parts.append([np.memmap(path, dtype, "r", offset, shape) for offset, dtype, shape in found])
        return parts
"""
PREAMBLES = {
    OURS: AKDASK,
    H5PY: NUMPY,
    MAPPED: MEMMAP,
    POLARS: NUMPY
    + """
    import polars as pl

    def frame(at, *names):
        parts = [pl.DataFrame(dict(zip(names, part))) for part in read(at, *names)]
        return pl.concat(parts, rechunk=False).lazy()
""",
    DUCKDB: NUMPY
    + """
    import duckdb
    import pyarrow as pa

    def frame(at, *names):
        return pa.concat_tables([pa.table(part, names=list(names)) for part in read(at, *names)])
""",
}
"""What a script of each engine begins with; folders of files are its arguments."""

SUM = {
    OURS: "found = [float(read(1, 'a')['a'].sum())]",
    H5PY: "found = [sum(float(a.sum()) for a, in read(1, 'a'))]",
    MAPPED: "found = [sum(float(a.sum()) for a, in read(1, 'a'))]",
    POLARS: "found = [frame(1, 'a').select(pl.col('a').sum()).collect().item()]",
    DUCKDB: "data = frame(1, 'a')\nfound = duckdb.sql('select sum(a) from data').fetchall()[0]",
}
FILTERED = {
    OURS: "data = read(1, 'a', 'b')\nfound = [float(data['b'][data['a'] > 0.5].sum())]",
    H5PY: "found = [sum(float(b[a > 0.5].sum()) for a, b in read(1, 'a', 'b'))]",
    MAPPED: "found = [sum(float(b[a > 0.5].sum()) for a, b in read(1, 'a', 'b'))]",
    POLARS: "found = [frame(1, 'a', 'b').select(pl.col('b').filter(pl.col('a') > 0.5).sum()).collect().item()]",
    DUCKDB: "data = frame(1, 'a', 'b')\nfound = duckdb.sql('select sum(b) from data where a > 0.5').fetchall()[0]",
}
GROUPS = {
    OURS: """
        data = read(1, "k", "v")
        keys, sums = ak.GroupBy(data["k"]).sum(data["v"])
        keys, sums = keys.to_ndarray(), sums.to_ndarray()
        found = [len(keys), float(keys.sum()), float(sums.sum())]
    """,
    POLARS: """
        grouped = frame(1, "k", "v").group_by("k").agg(pl.col("v").sum()).collect()
        keys, sums = grouped["k"].to_numpy(), grouped["v"].to_numpy()
        found = [len(keys), float(keys.sum()), float(sums.sum())]
    """,
    DUCKDB: """
        data = frame(1, "k", "v")
        grouped = duckdb.sql("select k, sum(v) as v from data group by k").fetchnumpy()
        keys, sums = grouped["k"], grouped["v"]
        found = [len(keys), float(keys.sum()), float(sums.sum())]
    """,
}
ARGSORT = {
    OURS: "order = ak.argsort(read(1, 'narrow')['narrow']).to_ndarray()\nfound = order[::100_000].tolist()",
    H5PY: """
        order = np.argsort(np.concatenate([part[0] for part in read(1, "narrow")]), kind="stable")
        found = order[::100_000].tolist()
    """,
    POLARS: """
        column = frame(1, "narrow").collect()["narrow"]
        found = column.arg_sort().to_numpy()[::100_000].tolist()
    """,
}
JOIN = {
    OURS: """
        joined = ak.merge(ak.DataFrame(read(1, "k", "v")), ak.DataFrame(read(2, "k", "w")), on="k", sort=False)
        found = [float(joined["v"].sum() + joined["w"].sum())]
    """,
    POLARS: """
        joined = frame(1, "k", "v").join(frame(2, "k", "w"), on="k")
        found = [sum(joined.select(pl.col("v").sum(), pl.col("w").sum()).collect().row(0))]
    """,
    DUCKDB: """
        many, few = frame(1, "k", "v"), frame(2, "k", "w")
        found = [sum(duckdb.sql("select sum(v), sum(w) from many join few using (k)").fetchall()[0])]
    """,
}

REPEATED = """
    import json, resource, time

    def spent():
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime

    def timed(code):
        start = spent()
        exec(code, globals())
        return spent() - start

    code = compile(sys.argv.pop(), "question", "exec")
    first, *again = [timed(code) for _ in range(4)]
    found = [first - min(again)]
"""
"""Asks one question several times, and finds by how much the first one takes longer; the code is the last argument."""


def start(setting: Setting) -> list[Result]:
    """Run each script in turns with its peers; tell what the import takes, and a first query above its repetition."""
    many = f"sum of {setting.rows // 2:,} groups"
    scripts: dict[str, tuple[dict[str, str], list[FileSet]]] = {
        "sum": (SUM, [setting.numbers()]),
        "filtered sum": (FILTERED, [setting.numbers()]),
        "sum of 1,000 groups": (GROUPS, [few_files(setting)]),
        many: (GROUPS, [many_files(setting)]),
        "argsort": (ARGSORT, [sort_files(setting)]),
        "join": (JOIN, list(join_files(setting))),
    }
    results = _importing(setting)
    for name, (codes, files) in scripts.items():
        folders = [str(each.folder) for each in files]
        results += _compare(setting, f"process: {name}", codes, folders)
        results.append(_first(setting, name, codes[OURS], folders))
    return results


def _importing(setting: Setting) -> list[Result]:
    # What the system tells of a process that has ended includes the memory of its parent before the program began.
    peak = "found = [1024 * int(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])]"
    runs = {
        name: [_run(setting, f"{code}; {peak}", []) for _ in range(max(setting.repeat, 1))]
        for name, code in {"nothing": "pass", **{name: f"import {name}" for name in IMPORTED}}.items()
    }
    cpu = {name: median(run.cpu for run in turns) for name, turns in runs.items()}
    seconds = {name: cpu[name] - cpu["nothing"] for name in IMPORTED}
    memory = median(run.answer[0] for run in runs[OURS])
    face = {OURS: seconds.pop(FACE)} | {name: spent for name, spent in seconds.items() if name != OURS}
    return [
        Result("import akdask: CPU", MILLISECONDS, {OURS: seconds[OURS]}, limit=IMPORT),
        Result("import akdask: memory", MEBIBYTES, {OURS: memory}, limit=MEMORY),
        Result("import akdask.pandas, beside imports of others: CPU", MILLISECONDS, face),
    ]


def _compare(setting: Setting, task: str, codes: dict[str, str], folders: list[str]) -> list[Result]:
    """Return the seconds that pass, and those of processors, of the whole process of each engine."""
    programs = {name: dedent(PREAMBLES[name]) + dedent(code) for name, code in codes.items()}
    runs: dict[str, list[Spent]] = {name: [_run(setting, code, folders)] for name, code in programs.items()}
    compare({name: first.answer for name, (first,) in runs.items()})
    for _ in range(setting.repeat):
        for name, code in programs.items():
            if runs[name][0].wall <= setting.patience:
                runs[name].append(_run(setting, code, folders))
    floors = {name: FLOOR for name in codes if name != OURS}
    # The first turn warms the caches of files.
    counted = {name: turns[1:] or turns for name, turns in runs.items()}
    wall = {name: median(run.wall for run in turns) for name, turns in counted.items()}
    cpu = {name: median(run.cpu for run in turns) for name, turns in counted.items()}
    return [Result(task, MILLISECONDS, wall, floors), Result(f"{task}: CPU", MILLISECONDS, cpu, floors)]


def _first(setting: Setting, name: str, code: str, folders: list[str]) -> Result:
    turns = [
        _run(setting, dedent(AKDASK) + dedent(REPEATED), [*folders, dedent(code)]).answer[0]
        for _ in range(max(setting.repeat, 1))
    ]
    return Result(f"first {name} above its repetition: CPU", MILLISECONDS, {OURS: max(median(turns), 0)}, limit=FIRST)


def _run(setting: Setting, code: str, arguments: list[str]) -> Spent:
    """Run a program that finds an answer, with the threads of the setting."""
    threads = {"DASK_NUM_WORKERS": str(setting.threads), "POLARS_MAX_THREADS": str(setting.threads)}
    command = [sys.executable, "-c", f"{code}\nimport json; print(json.dumps(found))", *arguments]
    return spend(command, environment() | threads)
