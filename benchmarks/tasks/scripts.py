"""Scripts as people write them, from Parquet files to a small answer, beside pandas and polars."""

from __future__ import annotations

from functools import partial

from benchmarks.data import make_once
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.scripts import components, logs, netflow, pagerank, taxi
from benchmarks.setting import Setting

SCRIPTS = {
    "flows near alerts": netflow,
    "connected components": components,
    "PageRank": pagerank,
    "taxi trips": taxi,
    "web log": logs,
}


def run_scripts(setting: Setting) -> list[Result]:
    """Run each script in turns with pandas and polars; the bar is the slower of the two."""
    results = []
    for name, script in SCRIPTS.items():
        target = setting.folder / f"script-{script.make.__module__.rpartition('.')[2]}-{setting.rows}-rows"
        folder = make_once(target, partial(script.make, rows=setting.rows)).folder
        runs = {OURS: script.by_akdask, "pandas": script.by_pandas, "polars": script.by_polars}
        seconds = setting.interleave({by: partial(run, folder) for by, run in runs.items()})
        slower = max((by for by in seconds if by != OURS), key=seconds.__getitem__)
        results.append(Result(f"script: {name}", MILLISECONDS, seconds, {slower: 1.0}))
    return results
