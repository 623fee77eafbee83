"""`memory`: what is held, by which object, where."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import akdask as ak
from akdask.testing.strategies import partitioned


def lines(report, kind=None):
    return {(line.object, line.nbytes) for line in report.objects if kind in (None, line.what)}


@pytest.mark.lazy_only
def test_what_is_computed_and_made_is_told_with_the_names_of_its_objects():
    made = ak.array(np.arange(1000))
    kept = (made * 2).persist()
    frame = ak.DataFrame({"a": made + 1, "b": made % 3}).persist()
    report = ak.memory()
    assert {("kept", 8000), ("frame", 16000)} <= lines(report, "persisted")
    assert ("made", 8000) in lines(report, "made of values")
    assert report.nbytes >= 32000
    assert (kept.size, frame.size) == (1000, 2000)
    assert {line.process for line in report.objects} == {"this process"}


@pytest.mark.lazy_only
def test_objects_that_share_what_they_are_made_from_are_named_together():
    kept = partitioned(np.arange(1000), [500, 500]).persist()
    half = kept[kept > 10] // 2
    names = {line.object for line in ak.memory().objects if line.what == "persisted" and line.nbytes == 8000}
    assert "kept, half" in names
    assert half.size == 989


def test_what_is_dropped_is_held_no_more():
    kept = (ak.arange(1234) * 1).persist()
    assert ("kept", 1234 * 8) in lines(ak.memory())
    del kept
    gc.collect()
    assert not [line for line in ak.memory().objects if line.nbytes == 1234 * 8]


def test_groups_that_were_found_are_told():
    keys = ak.array(np.random.default_rng(1).integers(0, 2**60, 5000))
    groups = ak.GroupBy(keys)
    assert groups.ngroups == 5000
    found = [line for line in ak.memory().objects if line.what == "groups found before"]
    assert [line.object for line in found] == ["groups"]
    assert found[0].nbytes > 5000 * 8


@pytest.mark.lazy_only
def test_columns_of_loops_are_told():
    rank = ak.arange(1000) * 1.0
    for _ in range(40):
        rank = rank * 1.01 - rank.mean()
        assert float(rank.max()) > 0
    assert "rank" in {line.object for line in ak.memory().objects if line.what == "kept for later steps"}


def test_registered_names_are_told(monkeypatch):
    from akdask.arrays import writable

    monkeypatch.setattr(writable, "_objects", {})
    (ak.arange(777) * 1).persist().register("sevens")
    assert ("'sevens'", 777 * 8) in lines(ak.memory())


def test_the_report_is_text_html_and_a_table():
    kept = (ak.arange(50) * 3).persist()
    report = ak.memory()
    text = repr(report)
    assert text.splitlines()[0].split() == ["object", "what", "where", "bytes"]
    assert "memory of" in text
    assert "this process" in text
    assert report._repr_html_().count("<table>") == 2 + bool(report.caches)
    frame = report.to_pandas()
    assert list(frame.columns) == ["object", "what", "process", "nbytes"]
    assert frame.loc[frame["object"] == "kept", "nbytes"].tolist() == [kept.nbytes] == [400]


def test_many_lines_are_elided():
    from akdask.arrays.memory_report import MemoryReport, ObjectMemory, ProcessMemory

    held = [ObjectMemory(f"x{number}", "persisted", "this process", 10) for number in range(50)]
    report = MemoryReport(held, [ProcessMemory(f"tcp://{number}", "h", 1, 2, 3) for number in range(50)])
    text = repr(report)
    assert text.count("10 more") == 2
    assert len(report.to_pandas()) == 50
    assert report.nbytes == 500


@pytest.mark.lazy_only
def test_it_computes_nothing(monkeypatch):
    lazy = ak.arange(10) + 1
    monkeypatch.setattr("akdask.engine.run.run", None)
    assert "lazy" not in {line.object for line in ak.memory().objects}
    assert lazy.npartitions == 1


@pytest.mark.cluster
def test_workers_are_named_that_hold_what_was_persisted(cluster_client):
    from distributed import wait

    kept = (partitioned(np.arange(1000), [500, 500]) * 2).persist()
    other = cluster_client.submit(np.ones, 1000)
    wait([*kept._frame.graph.values(), other])
    report = ak.memory()
    found = {line.process: line.nbytes for line in report.objects if line.object == "kept"}
    assert set(found) <= set(cluster_client.nthreads())
    assert 8000 <= sum(found.values()) < 9000
    others = [line.nbytes for line in report.objects if line.what == "other results"]
    assert sum(others) >= 8000
    assert {line.process for line in report.processes} == {"this process", *cluster_client.nthreads()}
    assert all(line.used > 10**6 for line in report.processes)
