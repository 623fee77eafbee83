"""From files in the page cache to one number."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.report import MILLISECONDS, Result
from benchmarks.setting import Setting
from benchmarks.timing import Run, interleave


def sum_of_a_column(setting: Setting) -> list[Result]:
    """Sum one column, from `read_hdf` to the number."""
    files = setting.numbers()
    floor = 0.9 if setting.rows >= 100_000_000 else 0.7
    runs = {peer.name: peer.sum_column(files) for peer in setting.peers()}
    return _compare(setting, "sum of a column", runs, {"NumPy, in memory": floor, "vaex": 8.0})


def filtered_sum(setting: Setting) -> list[Result]:
    """Filter on one column and sum another."""
    files = setting.numbers()
    runs = {peer.name: peer.filtered_sum(files) for peer in setting.peers()}
    rivals = ("polars + h5py", "vaex", "NumPy, mapped", "NumPy + h5py")
    return _compare(setting, "filter one, sum another", runs, dict.fromkeys(rivals, 4.0))


def expression_sum(setting: Setting) -> list[Result]:
    """Evaluate an expression of two columns and sum it."""
    files = setting.numbers()
    runs = {peer.name: peer.expression_sum(files) for peer in setting.peers()}
    return _compare(setting, "sqrt(a * 2.5 + b).sum()", runs, {"NumPy, mapped": 1.5})


def _compare(setting: Setting, task: str, runs: Mapping[str, Run | None], floors: Mapping[str, float]) -> list[Result]:
    able = {name: run for name, run in runs.items() if run is not None}
    seconds = interleave(able, setting.repeat)
    met_by = {name: floor for name, floor in floors.items() if name in seconds}
    return [Result(task, MILLISECONDS, seconds, met_by)]
