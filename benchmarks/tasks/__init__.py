"""What is measured, by the name that the command line takes."""

from __future__ import annotations

from importlib import import_module

from benchmarks.report import Result
from benchmarks.setting import Setting

__all__ = ["SETS", "TASKS", "run_task"]

TASKS: dict[str, str] = {
    "sum": "reading:sum_of_a_column",
    "filter": "reading:filtered_sum",
    "expression": "reading:expression_sum",
    "few-groups": "group:few_groups",
    "many-groups": "group:many_groups",
    "two-keys": "group:two_keys",
    "distinct": "group:distinct_values",
    "string-groups": "group:string_groups",
    "join": "join:join",
    "membership": "join:membership",
    "write": "writing:write_three_columns",
    "database-groups": "database:database_groups",
    "database-joins": "database:database_joins",
    "database-large": "database_large:database_large",
    "parquet": "parquet_files:filter_two_of_ten",
    "parquet-write": "parquet_files:write_with_strings",
    "parquet-manifest": "parquet_files:open_parquet_by_manifest",
    "remote": "remote:read_remote_columns",
    "sort": "sorting:sort_rows",
    "sort-numbers": "sorting_in_memory:sort_numbers",
    "sort-strings": "sorting_in_memory:sort_strings",
    "arrays": "arrays:functions_of_arrays",
    "steps": "steps:steps",
    "text": "text:ask_strings",
    "stations": "stations:stations",
    "stations-billion": "challenge:billion_stations",
    "start": "start:start",
    "scripts": "scripts:run_scripts",
    "first-runs": "first_runs:first_runs",
    "tpch": "tpch:tpch",
    "tpch-large": "tpch:tpch_large",
    "tpch-workers": "tpch:tpch_workers",
    "scaling": "scaling:scaling",
    "strings": "strings:read_write_ask_strings",
    "arriving": "arriving:text_and_numbers_to_pandas",
    "csv": "csv_files:read_write_csv",
    "open": "opening:open_many_files",
    "manifest": "opening:open_with_a_manifest",
    "web-log": "web_log:web_log",
    "plan": "planning:plan_wide_frame",
    "partitions": "planning:plan_many_partitions",
    "scale": "scale:plan_a_trillion_rows",
    "lost-workers": "lost_workers:lost_workers",
    "sparse": "sparse:sparse_files",
    "lbann-epoch": "lbann:epoch_of_small_samples",
    "lbann-volumes": "lbann:epoch_of_volumes",
    "lbann-list": "lbann:open_a_list_of_many_samples",
    "overhead": "overhead:small_operations",
    "memory": "memory:memory_of_a_filtered_sum",
    "cluster": "memory:memory_of_workers",
    "outgrown": "outgrown:outgrown",
    "limited": "limited:limited",
    "limited-texts": "limited:limited_texts",
    "evo-put": "evo_blobs:put_vertices",
    "evo-get": "evo_blobs:get_two_of_three",
    "evo-memory": "evo_blobs:memory_of_a_put",
    "evo-footers": "evo_blobs:validate_many_footers",
    "curves": "curves:curves_in_memory",
    "curves-parquet": "curves:curves_of_files",
    "held-back": "held_back:held_back",
    "held-back-database": "held_back:held_back_database",
}
"""The module and function of each task.  Only those that run are imported: modules of other engines take seconds."""

SETS: dict[str, tuple[str, ...]] = {
    "engine": (
        "few-groups",
        "many-groups",
        "two-keys",
        "distinct",
        "sort",
        "sort-numbers",
        "sort-strings",
        "arrays",
        "join",
        "membership",
        "text",
        "stations",
        "scaling",
        "partitions",
        "sparse",
    ),
    "database": ("database-groups", "database-joins"),
    "variants": ("held-back", "held-back-database"),
    "plots": ("curves", "curves-parquet"),
}
"""Names that stand for several tasks."""


def run_task(name: str, setting: Setting) -> list[Result]:
    """Return what a task has measured."""
    module, _, function = TASKS[name].partition(":")
    found: list[Result] = getattr(import_module(f"{__name__}.{module}"), function)(setting)
    return found
