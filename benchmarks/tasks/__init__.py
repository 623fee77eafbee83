"""What is measured, by the name that the command line takes."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.report import Result
from benchmarks.setting import Setting
from benchmarks.tasks.arriving import text_and_numbers_to_pandas
from benchmarks.tasks.challenge import billion_stations
from benchmarks.tasks.csv_files import read_write_csv
from benchmarks.tasks.curves import curves_in_memory, curves_of_files
from benchmarks.tasks.database import database_groups, database_joins
from benchmarks.tasks.evo_blobs import get_two_of_three, memory_of_a_put, put_vertices, validate_many_footers
from benchmarks.tasks.group import distinct_values, few_groups, many_groups, string_groups, two_keys
from benchmarks.tasks.held_back import held_back, held_back_database
from benchmarks.tasks.join import join, membership
from benchmarks.tasks.lbann import epoch_of_small_samples, epoch_of_volumes, open_a_list_of_many_samples
from benchmarks.tasks.limited import limited, limited_texts
from benchmarks.tasks.lost_workers import lost_workers
from benchmarks.tasks.memory import memory_of_a_filtered_sum, memory_of_workers
from benchmarks.tasks.opening import open_many_files, open_with_a_manifest
from benchmarks.tasks.outgrown import outgrown
from benchmarks.tasks.overhead import small_operations
from benchmarks.tasks.parquet_files import filter_two_of_ten, open_parquet_by_manifest, write_with_strings
from benchmarks.tasks.planning import plan_many_partitions, plan_wide_frame
from benchmarks.tasks.reading import expression_sum, filtered_sum, sum_of_a_column
from benchmarks.tasks.remote import read_remote_columns
from benchmarks.tasks.scale import plan_a_trillion_rows
from benchmarks.tasks.scaling import scaling
from benchmarks.tasks.scripts import run_scripts
from benchmarks.tasks.sorting import sort_rows
from benchmarks.tasks.sorting_in_memory import sort_numbers, sort_strings
from benchmarks.tasks.sparse import sparse_files
from benchmarks.tasks.start import start
from benchmarks.tasks.stations import stations
from benchmarks.tasks.steps import steps
from benchmarks.tasks.strings import read_write_ask_strings
from benchmarks.tasks.text import ask_strings
from benchmarks.tasks.writing import write_three_columns

__all__ = ["SETS", "TASKS"]

TASKS: dict[str, Callable[[Setting], list[Result]]] = {
    "sum": sum_of_a_column,
    "filter": filtered_sum,
    "expression": expression_sum,
    "few-groups": few_groups,
    "many-groups": many_groups,
    "two-keys": two_keys,
    "distinct": distinct_values,
    "string-groups": string_groups,
    "join": join,
    "membership": membership,
    "write": write_three_columns,
    "database-groups": database_groups,
    "database-joins": database_joins,
    "parquet": filter_two_of_ten,
    "parquet-write": write_with_strings,
    "parquet-manifest": open_parquet_by_manifest,
    "remote": read_remote_columns,
    "sort": sort_rows,
    "sort-numbers": sort_numbers,
    "sort-strings": sort_strings,
    "steps": steps,
    "text": ask_strings,
    "stations": stations,
    "stations-billion": billion_stations,
    "start": start,
    "scripts": run_scripts,
    "scaling": scaling,
    "strings": read_write_ask_strings,
    "arriving": text_and_numbers_to_pandas,
    "csv": read_write_csv,
    "open": open_many_files,
    "manifest": open_with_a_manifest,
    "plan": plan_wide_frame,
    "partitions": plan_many_partitions,
    "scale": plan_a_trillion_rows,
    "lost-workers": lost_workers,
    "sparse": sparse_files,
    "lbann-epoch": epoch_of_small_samples,
    "lbann-volumes": epoch_of_volumes,
    "lbann-list": open_a_list_of_many_samples,
    "overhead": small_operations,
    "memory": memory_of_a_filtered_sum,
    "cluster": memory_of_workers,
    "outgrown": outgrown,
    "limited": limited,
    "limited-texts": limited_texts,
    "evo-put": put_vertices,
    "evo-get": get_two_of_three,
    "evo-memory": memory_of_a_put,
    "evo-footers": validate_many_footers,
    "curves": curves_in_memory,
    "curves-parquet": curves_of_files,
    "held-back": held_back,
    "held-back-database": held_back_database,
}

SETS: dict[str, tuple[str, ...]] = {
    "engine": (
        "few-groups",
        "many-groups",
        "two-keys",
        "distinct",
        "sort",
        "sort-numbers",
        "sort-strings",
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
