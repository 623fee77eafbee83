"""A data set gives the samples that the list names, as the schemas say, one by one and in batches."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import tracemalloc

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from akdask.errors import ArgumentError, PositionError
from akdask.lbann import Dataset, LbannWarning, SampleList, write_samples
from akdask.lbann.errors import MissingSampleError, SampleError, SampleSizeError, SampleTypeError, UnknownNameError
from akdask.lbann.schema import load
from tests.lbann.sample_sets import expected, make_samples


@pytest.fixture
def made(tmp_path):
    return expected(*make_samples(tmp_path))


@pytest.fixture
def ds(made, tmp_path):
    return Dataset(tmp_path / "train.samples", data_schema=tmp_path / "data.yaml")


def assert_rows(batch, made, indices):
    assert batch.keys() == made.keys()
    for name, values in batch.items():
        np.testing.assert_array_equal(values, made[name][indices])


def test_samples_are_read_by_position(ds, made):
    assert len(ds) == 15
    for index in (0, 7, -1):
        assert_rows({name: values[None] for name, values in ds[index].items()}, made, [index])
    with pytest.raises(PositionError, match="no sample 15"):
        ds[15]


def test_no_file_of_samples_is_opened_before_a_sample_is_wanted(made, tmp_path):
    for path in tmp_path.glob("*.h5"):
        path.unlink()
    ds = Dataset(tmp_path / "train.samples", tmp_path / "data.yaml")
    assert (len(ds), ds.names) == (15, ("samples", "responses"))
    with pytest.raises(MissingSampleError, match=r"no such file"):
        ds[0]


def test_the_first_sample_opens_one_file(ds, tmp_path):
    for number in (0, 2):
        (tmp_path / f"a_{number}.h5").unlink()
    assert ds[7]["samples"].shape == (6,)


def test_fields_tell_where_their_metadata_was_written(ds):
    assert "scale: 0.5" in ds.explain("image")
    assert list(ds.fields) == ["image", "in/count", "in/energy"]


def test_older_names_of_groups_are_understood(ds, made):
    assert (ds.size_of("datum"), ds.dims_of("response")) == (6, (2,))
    np.testing.assert_array_equal(ds.to_numpy(["datum"])["samples"], made["samples"])
    with pytest.raises(UnknownNameError, match="labels"):
        ds.to_numpy(["labels"])


@pytest.mark.parametrize("shuffle", [False, True, "files"])
@pytest.mark.parametrize(("prefetch", "threads"), [(0, None), (1, 1), (3, 2), (8, 3)])
def test_batches_are_the_same_however_many_threads_read(ds, made, shuffle, prefetch, threads):
    alone = list(ds.batches(4, shuffle=shuffle, seed=3, prefetch=0))
    found = list(ds.batches(4, shuffle=shuffle, seed=3, prefetch=prefetch, threads=threads))
    assert [len(batch["samples"]) for batch in found] == [4, 4, 4, 3]
    for batch, other in zip(found, alone, strict=True):
        assert_rows(batch, other, slice(None))
    energies = np.concatenate([batch["responses"][:, 0] for batch in found]).astype(int)
    assert sorted(energies.tolist()) == list(range(15))
    assert_rows({n: np.concatenate([b[n] for b in found]) for n in made}, made, energies)


@pytest.mark.parametrize("shuffle", [False, True, "files"])
def test_packed_fields_of_shuffled_batches_are_those_of_their_samples(made, tmp_path, shuffle):
    kept = Dataset(tmp_path / "train.samples", tmp_path / "data.yaml", keep_packed_fields=True)
    for batch in kept.batches(4, shuffle=shuffle, seed=3):
        indices = batch["responses"][:, 0].astype(int)
        np.testing.assert_array_equal(batch["image"], made["samples"][indices])
        np.testing.assert_array_equal(batch["in/count"], indices[:, None])
        np.testing.assert_array_equal(batch["in/energy"], made["responses"][indices, 1:])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(indices=st.lists(st.integers(0, 14), max_size=20), size=st.integers(1, 6), prefetch=st.integers(0, 5))
def test_batches_equal_samples_read_one_by_one(ds, indices, size, prefetch):
    some = ds.subset(indices)
    rows = [some[index] for index in range(len(some))]
    found = list(some.batches(size, prefetch=prefetch))
    assert len(found) == -(-len(indices) // size)
    for number, batch in enumerate(found):
        assert_rows(
            batch, {n: np.stack([row[n] for row in rows]) for n in batch}, slice(number * size, (number + 1) * size)
        )


def test_files_keep_together_when_they_are_shuffled(ds):
    counts = np.concatenate([batch["responses"][:, 0] for batch in ds.batches(4, shuffle="files", seed=5)])
    assert sorted(set((counts // 5)[::5].tolist())) == [0, 1, 2]
    assert np.diff(counts // 5).astype(bool).sum() == 2
    assert counts.tolist() != sorted(counts.tolist())


def test_each_epoch_has_an_order_of_its_own_and_the_seed_decides_it(ds):
    first, second = ds.batches(15, shuffle=True, seed=1), ds.batches(15, shuffle=True, seed=1)
    epochs = [[next(iter(one))["responses"][:, 0].tolist() for _ in range(3)] for one in (first, second)]
    assert epochs[0] == epochs[1]
    assert epochs[0][0] != epochs[0][1]


def test_a_last_batch_of_fewer_samples_may_be_left_out(ds):
    batches = ds.batches(4, drop_last=True)
    assert len(batches) == len(list(batches)) == 3


def test_values_may_be_of_one_type(ds):
    assert {values.dtype for values in next(iter(ds.batches(2, dtype="f4"))).values()} == {np.dtype("f4")}


def test_progress_is_told(ds):
    told = []
    list(ds.batches(4, progress=lambda *given: told.append(given)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.fixture
def damaged(ds, tmp_path):
    with h5py.File(tmp_path / "a_1.h5", "a") as file:
        del file["RUN/000000006/in/energy"]
    (tmp_path / "a_2.h5").unlink()
    return ds


def test_a_damaged_sample_ends_an_epoch_after_the_batches_before_it(damaged, tmp_path):
    taken = []
    with pytest.raises(SampleError) as caught:
        taken.extend(damaged.batches(3, prefetch=1))
    assert len(taken) == 0 or len(taken) == 2
    for part in ("a_1.h5", "RUN/000000006", "in/energy"):
        assert part in str(caught.value)


@pytest.mark.parametrize("prefetch", [0, 1, 4])
def test_samples_that_cannot_be_read_are_skipped_and_reported(damaged, made, prefetch):
    batches = damaged.batches(4, on_error="skip", prefetch=prefetch)
    with pytest.warns(LbannWarning, match="6 samples were skipped"):
        found = list(batches)
    rows = np.concatenate([batch["responses"][:, 0] for batch in found]).astype(int).tolist()
    assert rows == [0, 1, 2, 3, 4, 5, 7, 8, 9]
    assert [one.index for one in batches.skipped] == [6, 10, 11, 12, 13, 14]
    assert batches.skipped[0].sample == "RUN/000000006"


@pytest.mark.parametrize(
    "options",
    [
        {"batch_size": 0},
        {"prefetch": -1},
        {"on_error": "ignore"},
        {"shuffle": "rows"},
        {"threads": 0},
        {"batch_size": 1.5},
    ],
)
def test_options_that_make_no_sense_are_refused(ds, options):
    with pytest.raises(ArgumentError):
        ds.batches(**{"batch_size": 2, **options})


def test_threads_end_when_an_epoch_is_left(ds):
    before = threading.active_count()
    for _ in ds.batches(1, prefetch=4):
        break
    iterator = iter(ds.batches(1, prefetch=4))
    next(iterator)
    del iterator
    assert threading.active_count() == before


@pytest.mark.slow
def test_an_interrupt_stops_an_epoch(tmp_path, made):
    code = f"""
import os, signal
from akdask.lbann import Dataset
ds = Dataset({str(tmp_path / "train.samples")!r}, {str(tmp_path / "data.yaml")!r})
for number, batch in enumerate(ds.batches(1, prefetch=4)):
    if number == 3:
        os.kill(os.getpid(), signal.SIGINT)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert "KeyboardInterrupt" in done.stderr


def test_data_sets_are_pickled_as_paths(ds, made):
    next(iter(ds.batches(4)))
    other = pickle.loads(pickle.dumps(ds.subset([3, 1])))
    assert_rows(other.to_numpy(), made, [3, 1])


def test_splits_share_no_sample(ds):
    parts = ds.split(validation=0.2, tournament=0.2, seed=1)
    assert [len(part) for part in parts] == [9, 3, 3]
    together = np.concatenate([part.to_numpy()["responses"][:, 0] for part in parts])
    assert sorted(together.tolist()) == list(range(15))
    assert len(parts.train.sample_list()) == 9


def test_subsets_are_chosen_by_position_mask_and_slice(ds):
    assert ds.subset([-1, 0]).indices.tolist() == [14, 0]
    assert ds.subset(np.arange(15) % 7 == 0).indices.tolist() == [0, 7, 14]
    assert ds[3:9:2].indices.tolist() == [3, 5, 7]
    assert ds.use(fraction=0.5).indices.tolist() == list(range(7))
    with pytest.raises(PositionError):
        ds.subset([15])


def test_a_data_set_without_samples_has_no_batches(ds):
    assert list(ds.subset([]).batches(3)) == []


def test_prototext_entries_make_data_sets(tmp_path, made):
    (tmp_path / "reader.prototext").write_text(
        f'reader {{ name: "hdf5_data_reader" role: "train" data_filedir: "{tmp_path}" sample_list: "train.samples" '
        'data_schema_filename: "data.yaml" validation_fraction: 0.2 absolute_sample_count: 10 }'
    )
    path = tmp_path / "reader.prototext"
    assert Dataset.from_prototext(path).indices.tolist() == list(range(8))
    assert Dataset.from_prototext(path, "validate").indices.tolist() == [8, 9]
    with pytest.raises(ArgumentError, match="no complete entry"):
        Dataset.from_prototext(path, "test")


def test_memory_of_an_epoch_is_that_of_the_batches_ahead(tmp_path):
    rows = np.random.default_rng(0).random((64, 32768)).astype("f4")
    with h5py.File(tmp_path / "big.h5", "w") as file:
        for row, values in enumerate(rows):
            file[f"{row}/x"] = values
    ids = " ".join(map(str, range(64)))
    (tmp_path / "big.samples").write_text(f"CONDUIT_HDF5_INCLUSION\n64 0 1\n{tmp_path}\nbig.h5 64 0 {ids}\n")
    (tmp_path / "big.yaml").write_text("x:\n")
    ds = Dataset(tmp_path / "big.samples", tmp_path / "big.yaml")
    tracemalloc.start()
    try:
        total = sum(len(batch["x"]) for batch in ds.batches(2, prefetch=4))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert total == 64
    assert peak < (4 + 2) * 2 * rows[0].nbytes + 2_000_000 < rows.nbytes


@pytest.mark.slow
def test_import_of_akdask_loads_none_of_it():
    code = "import sys, akdask; assert not any(name.startswith('akdask.lbann') for name in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ})


@pytest.mark.parametrize(("stored", "fits"), [("u1", False), ("i2", False), ("i4", True), ("u8", True), ("f8", True)])
def test_batches_of_a_dtype_take_no_integers_of_less_than_32_bits(tmp_path, stored, fits):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["1/x"] = np.arange(4, dtype=stored)
    (tmp_path / "l.samples").write_text(f"CONDUIT_HDF5_INCLUSION\n1 0 1\n{tmp_path}\na.h5 1 0 1\n")
    (tmp_path / "s.yaml").write_text("x:\n  metadata:\n")
    ds = Dataset(tmp_path / "l.samples", tmp_path / "s.yaml")
    assert ds.to_numpy()["x"].dtype == stored
    if fits:
        assert ds.to_numpy(dtype="f4")["x"].tolist() == [[0, 1, 2, 3]]
    else:
        with pytest.raises(SampleTypeError, match="does not take"):
            list(ds.batches(1, dtype="f4"))


def test_names_hold_whatever_hdf5_and_lists_let_them(tmp_path):
    """JAG's IDs and fields have dots, colons, commas, blanks and brackets; dots alone are an ID like any other."""
    fields = ("in/shape_model_initial_modes:(4,3)", "out/(90.0, 0.0)/0.0/emi")
    names = ["0.0.96.7.0:1", "...", "[x,y]", "ü"]
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for position, name in enumerate(names):
            for number, field in enumerate(fields):
                file[f"{name}/{field}"] = position + number / 2
    (tmp_path / "l").write_text(f"CONDUIT_HDF5_INCLUSION\n4 0 1\n{tmp_path}\n/a.h5 4 0 {'  '.join(names)}\n")
    (tmp_path / "s").write_text(
        "in:\n  shape_model_initial_modes:(4,3):\nout:\n  (90.0, 0.0):\n    0.0:\n      emi:\n", encoding="utf-8"
    )
    ds = Dataset(tmp_path / "l", tmp_path / "s")
    assert ds.names == fields
    assert ds.to_numpy()[fields[1]].ravel().tolist() == [0.5, 1.5, 2.5, 3.5]
    assert ds[1][fields[0]].tolist() == [1.0]


def test_a_group_that_has_the_name_of_a_field_is_there_in_every_batch(tmp_path):
    made = write_samples({"volume": np.arange(12.0).reshape(6, 2)}, tmp_path / "v.h5", per_file=2)
    ds = Dataset(made.sample_list, load("volume: {metadata: {pack: volume, ordering: 1, coerce: float}}\n"))
    found = [batch["volume"].tolist() for batch in ds.batches(2)]
    assert found == np.arange(12.0).reshape(3, 2, 2).tolist()


@pytest.mark.parametrize(("value", "error"), [(np.zeros(3), SampleSizeError), (np.zeros(2, "f4"), SampleTypeError)])
def test_packed_fields_of_later_samples_are_as_those_of_the_first(tmp_path, value, error):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for position in range(8):
            file[f"{position}/x"] = np.zeros(2) if position < 5 else value
    ds = Dataset(
        SampleList.of({"a.h5": list(map(str, range(8)))}, base_directory=tmp_path),
        load("x: {metadata: {pack: samples, ordering: 1}}\n"),
    )
    batches = iter(ds.batches(2))
    assert [len(next(batches)["samples"]) for _ in range(2)] == [2, 2]
    with pytest.raises(error) as caught:
        next(batches)
    assert (caught.value.file, caught.value.sample, caught.value.field) == (str(tmp_path / "a.h5"), "5", "x")


def test_values_of_a_sample_are_found_by_the_names_that_size_of_knows(tmp_path):
    written = write_samples({"x": np.arange(6.0).reshape(3, 2)}, tmp_path / "s.h5")
    ds = Dataset(written.samples, load("x: {metadata: {pack: samples, ordering: 1}}\n"))
    assert ds[1]["datum"].tolist() == ds[1]["samples"].tolist() == [2.0, 3.0]
    assert ds.size_of("datum") == 2
    with pytest.raises(UnknownNameError, match="there are: samples"):
        ds[0]["labels"]
    assert pickle.loads(pickle.dumps(ds[0])).keys() == {"samples"}
