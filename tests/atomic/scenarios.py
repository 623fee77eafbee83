"""Writes to be interrupted: what is there before, what is done, and what must be found before and after."""

import glob
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import akdask as ak
from akdask import lbann
from akdask.errors import MissingFileError
from akdask.lbann import schema as lbann_schema
from akdask.lbann.schema import generate
from akdask.storage.transaction import write_files
from akdask.testing.strategies import partitioned

State = dict[str, list]


@dataclass(frozen=True)
class Scenario:
    """A write of the set `path` in a folder of its own; states are values by object, and names of files."""

    path: str
    prepare: Callable[[str], None]
    act: Callable[[str], None]
    before: tuple[State, list[str]]
    after: tuple[State, list[str]]
    read: Callable[[str, int], State] | None = None


def numbers(seed: int, count: int) -> np.ndarray:
    return np.arange(count) * 1000 + seed


def words(seed: int, count: int) -> np.ndarray:
    return np.array([f"{'é' * (row % 3)}{seed}-{row}" for row in range(count)])


def colours(seed: int, count: int) -> np.ndarray:
    return np.array([f"colour {seed} {row % 3}" for row in range(count)])


MAKERS = {"x": numbers, "y": numbers, "s": words, "c": colours}


def values(names: str, seed: int, count: int) -> State:
    return {name: MAKERS[name](seed, count).tolist() for name in names}


def arrays(names: str, seed: int, lengths: list[int]) -> dict:
    whole = {name: partitioned(MAKERS[name](seed, sum(lengths)), lengths) for name in names}
    return {name: ak.Categorical(found) if name == "c" else found for name, found in whole.items()}


def sample_files(count: int) -> list[str]:
    return ["set.samples", *(f"set_{number:04d}.h5" for number in range(count))]


def files(count: int, extension: str = "h5") -> list[str]:
    return [f"set_LOCALE{number:04d}.{extension}" for number in range(count)]


def writing(names: str, seed: int, lengths: list[int], **options) -> Callable[[str], None]:
    def write(path: str) -> None:
        ak.to_hdf(arrays(names, seed, lengths), path, **options)

    return write


def writing_parquet(names: str, seed: int, lengths: list[int], **options) -> Callable[[str], None]:
    def write(path: str) -> None:
        ak.save_all(arrays(names, seed, lengths), path, file_format="Parquet", **options)

    return write


def updating(names: str, seed: int, lengths: list[int]) -> Callable[[str], None]:
    def update(path: str) -> None:
        ak.update_hdf(arrays(names, seed, lengths), path)

    return update


NOTHING: tuple[State, list[str]] = ({}, [])
OLD, NEW = [4, 0, 5], [3, 6]
SINGLE = {"file_type": "single"}

SCENARIOS = {
    "a new set": Scenario(
        "set.h5",
        lambda path: None,
        writing("xsc", 1, OLD),
        NOTHING,
        (values("xsc", 1, 9), files(3)),
    ),
    "truncate over a wider set": Scenario(
        "set.h5",
        writing("xsc", 1, OLD),
        writing("xs", 2, NEW),
        (values("xsc", 1, 9), files(3)),
        (values("xs", 2, 9), files(2)),
    ),
    "truncate over a narrower set": Scenario(
        "set.h5",
        writing("x", 1, NEW),
        writing("yc", 2, OLD),
        (values("x", 1, 9), files(2)),
        (values("yc", 2, 9), files(3)),
    ),
    "append": Scenario(
        "set.h5",
        writing("xs", 1, NEW),
        writing("yc", 2, NEW, mode="append"),
        (values("xs", 1, 9), files(2)),
        (values("xs", 1, 9) | values("yc", 2, 9), files(2)),
    ),
    "update": Scenario(
        "set.h5",
        writing("xsc", 1, NEW),
        updating("sc", 2, NEW),
        (values("xsc", 1, 9), files(2)),
        (values("x", 1, 9) | values("sc", 2, 9), files(2)),
    ),
    "a single file": Scenario(
        "set.h5",
        writing("xs", 1, NEW, **SINGLE),
        writing("xc", 2, OLD, **SINGLE),
        (values("xs", 1, 9), ["set.h5"]),
        (values("xc", 2, 9), ["set.h5"]),
    ),
    "truncate Parquet over a wider set": Scenario(
        "set.parquet",
        writing_parquet("xsc", 1, OLD),
        writing_parquet("xs", 2, NEW, compression="zstd"),
        (values("xsc", 1, 9), files(3, "parquet")),
        (values("xs", 2, 9), files(2, "parquet")),
    ),
    "append to Parquet": Scenario(
        "set.parquet",
        writing_parquet("xs", 1, NEW),
        writing_parquet("yc", 2, NEW, mode="append"),
        (values("xs", 1, 9), files(2, "parquet")),
        (values("xs", 1, 9) | values("yc", 2, 9), files(2, "parquet")),
    ),
    "a single Parquet file": Scenario(
        "set.parquet",
        writing_parquet("xs", 1, NEW, **SINGLE),
        writing_parquet("xc", 2, OLD, **SINGLE),
        (values("xs", 1, 9), ["set.parquet"]),
        (values("xc", 2, 9), ["set.parquet"]),
    ),
    "append to a single file": Scenario(
        "set.h5",
        writing("x", 1, OLD, **SINGLE),
        writing("s", 2, OLD, mode="append", **SINGLE),
        (values("x", 1, 9), ["set.h5"]),
        (values("x", 1, 9) | values("s", 2, 9), ["set.h5"]),
    ),
}


def silently(act: Callable[[str], None], path: str) -> None:
    """Do something without the warning that files are replaced."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        act(path)


def writing_samples(seed: int, count: int, per_file: int) -> Callable[[str], None]:
    def write(path: str) -> None:
        lbann.write_samples({"x": numbers(seed, count), "in/y": numbers(seed + 7, count)}, path, per_file=per_file)

    return write


def samples(path: str, way: int) -> State:
    """Read samples through their list, or files and lists that tell of them."""
    listed = os.path.splitext(path)[0] + ".samples"
    if way % 3 == 1:
        generate(path.replace(".h5", "_0000.h5"), "000000000")
    ids: dict[str, list[str]] = {}
    for file, sample in lbann.read_list(listed):  # its folder was copied since
        ids.setdefault(os.path.basename(file), []).append(sample)
    here = lbann.SampleList.of(ids, base_directory=os.path.dirname(path))
    assert set(here.paths) == set(glob.glob(path.replace(".h5", "_*.h5")))
    dataset = lbann.Dataset(here, lbann_schema.load("x:\nin:\n  y:\n"))
    return {name: column[:, 0].tolist() for name, column in dataset.to_numpy().items()}


def lists(path: str, way: int) -> State:
    """Read lists of a split, in any order."""
    names = [f"{path}_{name}" for name in ("train", "validation")]
    found = {name: lbann.read_list(name).ids.to_pylist() for name in (names if way % 2 else names[::-1])}
    return {os.path.basename(name): found[name] for name in names}


def splitting(shares: dict[str, list[str]]) -> Callable[[str], None]:
    def write(path: str) -> None:
        contents: dict[str | os.PathLike[str], list[bytes]] = {
            f"{path}_{name}": [lbann.SampleList.of({"a.h5": ids}, base_directory=".").to_text()]
            for name, ids in shares.items()
        }
        write_files(contents)

    return write


def split(shares: dict[str, list[str]]) -> tuple[State, list[str]]:
    return {f"set_{name}": ids for name, ids in shares.items()}, sorted(f"set_{name}" for name in shares)


def writing_csv(names: str, seed: int, lengths: list[int]) -> Callable[[str], None]:
    def write(path: str) -> None:
        ak.to_csv(arrays(names, seed, lengths), path, overwrite=True)

    return write


def csv(path: str, way: int) -> State:
    """Read CSV files in one of several ways."""
    found = ak.read_csv(path if way % 2 else path.replace(".csv", "_LOCALE*"))
    return {name: column.to_ndarray().tolist() for name, column in found.items()}


def writing_zarr(names: str, seed: int, lengths: list[int]) -> Callable[[str], None]:
    def write(path: str) -> None:
        ak.save_all(arrays(names, seed, lengths), path, file_format="zarr")

    return write


def zarr(path: str, way: int) -> State:
    """Read the arrays of a store, whose format is looked for first."""
    return {name: column.to_ndarray().tolist() for name, column in ak.read(path).items()}


OLD_SPLIT = {"train": ["1", "2", "3"], "validation": ["4"]}
NEW_SPLIT = {"train": ["2", "4"], "validation": ["1", "3"]}

SCENARIOS |= {
    "truncate samples over more files": Scenario(
        "set.h5",
        writing_samples(1, 9, 2),
        writing_samples(2, 9, 5),
        ({"x": numbers(1, 9).tolist(), "in/y": numbers(8, 9).tolist()}, sample_files(5)),
        ({"x": numbers(2, 9).tolist(), "in/y": numbers(9, 9).tolist()}, sample_files(2)),
        samples,
    ),
    "truncate samples over fewer files": Scenario(
        "set.h5",
        writing_samples(1, 8, 4),
        writing_samples(2, 9, 4),
        ({"x": numbers(1, 8).tolist(), "in/y": numbers(8, 8).tolist()}, sample_files(2)),
        ({"x": numbers(2, 9).tolist(), "in/y": numbers(9, 9).tolist()}, sample_files(3)),
        samples,
    ),
    "truncate CSV over a wider set": Scenario(
        "set.csv",
        writing_csv("xs", 1, OLD),
        writing_csv("ys", 2, NEW),
        (values("xs", 1, 9), files(3, "csv")),
        (values("ys", 2, 9), files(2, "csv")),
        csv,
    ),
    "replace a Zarr store": Scenario(
        "set",
        writing_zarr("xs", 1, OLD),
        writing_zarr("xy", 2, NEW),
        (values("xs", 1, 9), ["set"]),
        (values("xy", 2, 9), ["set"]),
        zarr,
    ),
    "split a list again": Scenario(
        "set", splitting(OLD_SPLIT), splitting(NEW_SPLIT), split(OLD_SPLIT), split(NEW_SPLIT), lists
    ),
}


def found(folder: str, scenario: Scenario, way: int = 0) -> tuple[State, list[str]]:
    """Open the set in one of several ways and return what is in it, and the names of all files, hidden ones too."""
    prefix, extension = os.path.splitext(os.path.join(folder, scenario.path))
    if scenario.read is not None:
        return scenario.read(os.path.join(folder, scenario.path), way), visible(folder)
    single = os.path.exists(f"{prefix}{extension}")
    read_one = ak.read_hdf if extension == ".h5" else ak.read_parquet
    try:
        match way % 3:
            case 0:
                opened = ak.load_all(f"{prefix}{extension}")
            case 1:
                opened = read_one(f"{prefix}{extension}" if single else f"{prefix}*")
            case _:
                pattern = f"{prefix}{extension}" if single else f"{prefix}_LOCALE*{extension}"
                opened = {name: ak.read(pattern, name)[name] for name in ak.get_datasets(pattern)}
    except MissingFileError:
        return {}, visible(folder)
    state = {name: array.to_ndarray().tolist() for name, array in opened.items()}
    if extension == ".parquet":
        paths = [os.path.join(folder, name) for name in visible(folder)]
        table = pa.concat_tables([pq.read_table(path, use_threads=False) for path in paths])
        assert table.to_pydict() == state, "pyarrow reads other rows"
    return state, visible(folder)


def visible(folder: str) -> list[str]:
    """Return the names of all files of a folder but the manifest, which belongs to a set."""
    return sorted(
        name for name in os.listdir(folder) if not name.endswith((".h5.akdask", ".parquet.akdask", ".csv.akdask"))
    )
