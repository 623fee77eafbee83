"""Plans as text, compared with files in the folder snapshots: read those to see how akdask plans."""

from pathlib import Path

import numpy as np
import pytest

import akdask as ak
from akdask.testing.memory import MemorySource

SNAPSHOTS = Path(__file__).parent / "snapshots"


def flows():
    rows = np.arange(9)
    columns = {"bytes": rows * 10, "port": rows, "rate": rows / 2, "proto": rows.astype(str)}
    return MemorySource(columns, [4, 0, 5], label="read_hdf('flows')").arrays()


def filtered_sum():
    big = flows()
    return big["bytes"][big["port"] < 1024].sum()


def chained_arithmetic():
    big = flows()
    return (big["bytes"] * 8 + 1)[(big["rate"] > 0.5) & (big["proto"] != "tcp")]


def lazy_scalar_in_a_filter():
    big = flows()
    return big["port"][big["rate"] > big["rate"].mean()]


def slice_across_partitions():
    return flows()["bytes"][2:6] + 1


def concatenation_of_two_columns():
    big = flows()
    both = ak.concatenate([big["bytes"], big["port"]])
    return both[both > 3]


def other_partitions():
    return flows()["bytes"] + ak.array(list(range(9)))


def assignment_by_mask():
    big = flows()
    port = big["port"]
    port[port > 4] = 0
    return port.max()


def rows_by_position():
    return flows()["bytes"][[3, 1, -1]]


def text_of_strings():
    return flows()["proto"].upper().contains("T")


def sum_of_sorted_rows():
    return _frame().sort_values("port")["bytes"].sum()


def first_rows_in_order():
    return _frame().sort_values(["proto", "rate"], ascending=[True, False]).head(3)["bytes"]


def one_column_of_sorted_rows():
    return _frame().sort_values("port")["bytes"]


def filtered_after_a_sort():
    ordered = _frame().sort_values("port")
    return ordered[ordered["rate"] > 1]["bytes"]


def filtered_after_a_join():
    joined = _frame().merge(_ports(), on="port", sort=False)
    return joined[joined["rate"] > 1]["name"]


def filtered_by_both_sides_of_a_join():
    joined = _frame().merge(_ports(), on="port", sort=False)
    return joined[(joined["rate"] > 1) & (joined["name"] != "ssh") & (joined["proto"] != joined["name"])]["name"]


def filtered_by_both_sides_of_an_exchanged_join():
    with ak.config.set(replicate_size=0):
        return filtered_by_both_sides_of_a_join()


def first_rows_of_a_join():
    return _frame().merge(_ports(), on="port", how="left", sort=False).head(2)["name"]


def first_rows_of_a_sorted_join():
    return _frame().merge(_ports(), on="port", how="left").head(2)["name"]


def one_column_of_an_exchanged_join():
    with ak.config.set(replicate_size=0):
        return _frame().merge(_ports(), on="port", sort=False)["bytes"]


def two_columns_sorted_by_one_permutation():
    big = flows()
    order = ak.argsort(big["port"])
    return big["bytes"][order] + big["rate"][order]


def groups_of_sorted_rows():
    ordered = _frame().sort_values("rate")
    return ak.GroupBy(ordered["port"]).sum(ordered["bytes"])[1]


def few_rows_by_position():
    rows = np.arange(900)
    big = MemorySource({"bytes": rows * 10, "port": rows}, [400, 0, 500], label="read_hdf('flows')").arrays()
    with ak.config.set(replicate_size=0):
        return big["bytes"][[3, 1, -1]]


def number_of_distinct_elements():
    return flows()["proto"].nunique()


def _frame():
    return ak.DataFrame(flows())


def _ports():
    return ak.DataFrame({"port": [1, 3], "name": ["one", "three"]})


def rows_beside_means_of_their_groups():
    ports = _ports()
    found = _frame().merge(ports[ports["name"] == "one"], on="port", sort=False)
    keys, means = ak.GroupBy(found["port"]).mean(found["rate"])
    found = found.merge(ak.DataFrame({"port": keys, "mean": means}), on="port", sort=False)
    return found["bytes"][found["rate"] < found["mean"]].sum()


QUERIES = [
    filtered_sum,
    chained_arithmetic,
    lazy_scalar_in_a_filter,
    slice_across_partitions,
    concatenation_of_two_columns,
    other_partitions,
    assignment_by_mask,
    rows_by_position,
    text_of_strings,
    sum_of_sorted_rows,
    first_rows_in_order,
    one_column_of_sorted_rows,
    filtered_after_a_sort,
    filtered_after_a_join,
    filtered_by_both_sides_of_a_join,
    filtered_by_both_sides_of_an_exchanged_join,
    first_rows_of_a_join,
    first_rows_of_a_sorted_join,
    one_column_of_an_exchanged_join,
    two_columns_sorted_by_one_permutation,
    groups_of_sorted_rows,
    few_rows_by_position,
    number_of_distinct_elements,
    rows_beside_means_of_their_groups,
]


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.__name__)
def test_the_plan_reads_as_in_the_snapshot(query, monkeypatch):
    monkeypatch.setattr("akdask.engine.pipeline.CORES", 4)
    monkeypatch.setattr("akdask.engine.tuning.SHARED_ROWS", 0)
    assert query().explain() + "\n" == (SNAPSHOTS / f"{query.__name__}.txt").read_text(encoding="utf-8")


def test_every_snapshot_belongs_to_a_query():
    assert {path.stem for path in SNAPSHOTS.iterdir()} == {query.__name__ for query in QUERIES}


def test_a_long_expression_is_shortened():
    big = flows()
    total = big["bytes"]
    lines = []
    for number in range(1, 3001):
        total = total + big["port"]
        if number % 1000 == 0:
            lines.append(total.explain().splitlines())
    assert "(…)" in total.explain()
    assert len(lines[0]) == len(lines[1]) == len(lines[2]) < 100
    assert max(map(len, lines[2])) < 250


def test_an_expression_that_doubles_with_every_step_is_explained_and_computed():
    total = ak.array([1, 2])
    for _ in range(60):
        total = total + total
    assert len(total.explain()) < 2000
    assert total.tolist() == [2**60, 2**61]


def test_explaining_computes_nothing(monkeypatch):
    big = flows()
    plan = big["bytes"][big["rate"] > big["rate"].mean()].sum()
    monkeypatch.setattr("dask.compute", None)
    assert "filter (rate > <Aggregate mean(rate)>)" in plan.explain()


def test_pipelines_of_columns_under_other_names_are_told_apart():
    values = ak.arange(4)
    one, other = (ak.DataFrame({name: values, "b": values}) for name in ("a", "c"))
    assert list(one.compute().columns) == ["a", "b"]
    assert list(other.compute().columns) == ["c", "b"]


def test_columns_are_named_as_they_were_written_and_steps_in_words():
    frame = ak.DataFrame({"k": ak.arange(4) % 2, "v": ak.arange(4)})
    told = frame.merge(frame, on="k").sort_values("v_x").explain()
    assert "_tables" not in told
    assert "('index',)" not in told
    assert "of match" in told


def test_long_chains_of_numbered_columns_are_explained():
    values = ak.arange(10)
    for _ in range(300):
        values = values[::-1] + 1
    assert "As it will run" in values.explain()
