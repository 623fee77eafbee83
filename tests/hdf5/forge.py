"""Forge manifests, their checksums right, and read the set by each.

Used as ``python -m tests.hdf5.forge FOLDER COUNT SEED``, in a process of its own, since what is tested is whether it
lives.  Prints how many manifests were believed and refused, and what else was raised or took long.
"""

import json
import os
import random
import shutil
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pyarrow as pa

import akdask as ak
from akdask.errors import AkdaskError
from akdask.formats.hdf5.file_set import open_set
from akdask.formats.hdf5.manifest import HdfManifest
from akdask.storage.files import identify
from akdask.storage.locales import expand
from akdask.storage.manifest import checksum

LONGEST = 10.0  # seconds
END = 16
NUMBERS = [0, 1, -1, 2, 7, 255, 2**16, 2**31 - 1, 2**31, 2**32, -(2**31), 2**40, 2**53, 2**60, 2**63 - 1, -(2**63)]
ODD = [
    *[None, True, -1, 2**40, 2**70, 1e300, "", "x", "values", "\ud800", "a\0b", "|O8", "<i8", ">f8", "|S1", "<i3"],
    *[[], {}, [[]], [1, 2], {"ObjType": 3}, {"ObjType": 0}, {"error": "FileError"}, {"ColumnType": []}],
    {"ColumnType": ["int64", "int", 8, None, -1]},
    {"ColumnType": ["str", "str", 8, None, -1]},
    {"ColumnType": ["bigint", "bigint", 16, None, 2**40]},
    {"ColumnType": ["list[int64]", "list", 8, {"ColumnType": ["int64", "int", 8, None, -1]}, -1]},
]


def make(folder: str) -> str:
    """Write a set of many kinds of objects, and return its pattern."""
    columns = {
        "x": ak.array([5, 3, 9, -2, 7, 7, 8]),
        "y": ak.array([0.5, float("nan"), 2.0, -1.0, 4.0, 4.0, 4.5]),
        "s": ak.array(["b", "", "a string of many letters", "é", "k", "l", "l"]),
        "c": ak.Categorical(ak.array(["b", "a", "b", "c", "b", "a", "c"])),
        "l": ak.SegArray(ak.array([0, 2, 2, 3, 5, 6, 6]), ak.array([1, 2, 3, 4, 5, 6, 7])),
        "t": ak.Datetime(ak.array([1, 2, 3, 4, 5, 6, 7])),
        "g": ak.array([2**100, 1, 2, 3, 4, 5, 6]),
    }
    ak.to_hdf(columns, f"{folder}/set.h5")
    return f"{folder}/set_LOCALE*.h5"


def sealed(stream: bytes) -> bytes:
    """Return a manifest with what looks as if akdask had written it."""
    total = checksum(np.frombuffer(stream, np.uint8)).to_bytes(8, "little")
    return stream + b"akdask\0\4" + total


def flipped(stream: bytes, draw: random.Random) -> bytes:
    """Change some bytes, anywhere, to anything or to an extreme."""
    changed = bytearray(stream)
    for _ in range(draw.randint(1, 3)):
        position = draw.randrange(len(changed) - 8)
        if draw.random() < 0.5:
            changed[position] = draw.randrange(256)
        else:
            position -= position % 4
            changed[position : position + 4] = draw.choice(NUMBERS).to_bytes(12, "little", signed=True)[:4]
    return bytes(changed[: draw.randrange(len(changed))] if draw.random() < 0.05 else changed)


def rewritten(batch: pa.RecordBatch, draw: random.Random) -> bytes:
    """Change what the metadata say of the objects, or numbers of the table, or what the table is made of."""
    columns = {name: batch[name] for name in batch.schema.names}
    made = json.loads(batch.schema.metadata[b"made"])
    options = None
    match draw.randrange(4):
        case 0:
            made = mutated(made, draw)
        case 1:
            columns["datasets"] = with_number(columns["datasets"], draw)
        case 2:
            name = draw.choice(["size", "made", "version", "name", "datasets", "beside", "summed"])
            columns[name] = replaced(columns[name], draw)
        case 3:
            options = pa.ipc.IpcWriteOptions(compression=draw.choice(["lz4", "zstd", None]))
            name = draw.choice(["size", "version", "name"])
            if draw.random() < 0.5:
                columns[name] = columns[name].dictionary_encode()
    fields = [pa.field(name, column.type) for name, column in columns.items()]
    table = pa.RecordBatch.from_arrays(list(columns.values()), schema=pa.schema(fields, {b"made": json.dumps(made)}))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
        stream.write_batch(table)
    return bytes(sink.getvalue())


def mutated(item: Any, draw: random.Random) -> Any:
    """Return JSON with something odd at a random place."""
    if not isinstance(item, (list, dict)) or not item or draw.random() < 0.08:
        return draw.choice(ODD)
    if isinstance(item, dict):
        ((name, content),) = item.items()
        return {name: mutated(content, draw)} if draw.random() < 0.95 else {draw.choice(["Problem", "x"]): content}
    changed = list(item)
    index = draw.randrange(len(changed))
    match draw.random():
        case low if low < 0.05:
            del changed[index]
        case low if low < 0.1:
            changed.append(changed[index])
        case _:
            changed[index] = mutated(changed[index], draw)
    return changed


def with_number(datasets: pa.ListArray, draw: random.Random) -> pa.ListArray:
    """Change a number of one dataset to an extreme."""
    struct = datasets.values
    columns = {field.name: struct.field(field.name) for field in struct.type}
    name = draw.choice(["offset", "length", "nans", "minimum", "maximum"])
    numbers = columns[name].to_pylist()
    number = draw.choice(NUMBERS)
    numbers[draw.randrange(len(numbers))] = number % 2**64 if name in {"minimum", "maximum"} else number
    columns[name] = pa.array(numbers, columns[name].type)
    return pa.ListArray.from_arrays(datasets.offsets, pa.StructArray.from_arrays(list(columns.values()), list(columns)))


def replaced(column: pa.Array, draw: random.Random) -> pa.Array:
    """Return other rows of another type, or of the same one, or none."""
    count = len(column)
    match draw.randrange(4):
        case 0:
            return pa.nulls(count, column.type)
        case 1:
            return pa.array([draw.choice(NUMBERS) for _ in range(count)])
        case 2 if pa.types.is_integer(column.type):
            bits = column.type.bit_width - 1
            return pa.array([draw.choice(NUMBERS) % 2**bits for _ in range(count)], column.type)
        case 2 if not pa.types.is_list(column.type):
            return pa.array([draw.choice(["..", "a/b", "", "x\0"]) for _ in range(count)]).cast(column.type)
    return pa.array([[draw.choice(NUMBERS)] * draw.randrange(3) for _ in range(count)])


def use(pattern: str) -> None:
    """Open the set as if for the first time, and read all of it, also by filters."""
    with ak.config.set(partition_size=2**20 + int(time.time_ns() % 2**18)):
        opened = open_set(pattern)
        found = ak.read_hdf(pattern) if opened.kinds else {}
    for item in found.values():
        with suppress(AkdaskError):
            item.tolist()
            str(item)
    if isinstance(found.get("x"), ak.pdarray):
        found["x"][found["x"] > 4].tolist()


if __name__ == "__main__":
    folder, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    dask.config.set(scheduler="synchronous")
    draw = random.Random(seed)
    pattern = make(folder)
    path = f"{folder}/.set.h5.akdask"
    stream = Path(path).read_bytes()[:-END]
    with pa.ipc.open_stream(stream) as reader:
        batch = reader.read_next_batch()
    seen: Counter[str] = Counter()
    problems = []
    for turn in range(count):
        forged = flipped(stream, draw) if turn % 2 else rewritten(batch, draw)
        Path(path).write_bytes(sealed(forged))
        print(turn, file=sys.stderr)
        start = time.perf_counter()
        try:
            believed = HdfManifest.described([identify(name) for name in expand(pattern)])
            seen["believed" if believed else "refused"] += 1
            with ak.config.set(verify_checksums=turn % 3 == 0):
                use(pattern)
        except AkdaskError:
            seen["error"] += 1
        except Exception as error:
            shutil.copy(path, f"{folder}/problem-{turn}")
            problems.append(f"{turn}: {type(error).__name__}: {error}")
        if time.perf_counter() - start > LONGEST:
            problems.append(f"{turn}: took {time.perf_counter() - start:.1f} s")
    os.remove(path)
    print(json.dumps({"seen": seen, "problems": problems}))
