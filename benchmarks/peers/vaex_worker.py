"""Answer questions with vaex: a request in JSON on each line of the input, an answer and its time on each of output.

Run by file name with the interpreter that has vaex; imports nothing of akdask or of the rest of the benchmarks.
"""

from __future__ import annotations

import json
import os
import sys
from time import perf_counter
from typing import Any

THREADS = sys.argv[1]
os.environ.update(VAEX_NUM_THREADS=THREADS, VAEX_NUM_THREADS_IO=THREADS)

import vaex  # noqa: E402 - reads its settings when it is imported
from vaex.hdf5.dataset import Hdf5MemoryMapped  # noqa: E402


def sum_column(frame: Any) -> float:
    return float(frame.sum(frame.a))


def filtered_sum(frame: Any) -> float:
    kept = frame[frame.a > 0.5]
    return float(kept.sum(kept.b))


def expression_sum(frame: Any) -> float:
    return float(frame.sum((frame.a * 2.5 + frame.b).sqrt()))


QUESTIONS = {function.__name__: function for function in (sum_column, filtered_sum, expression_sum)}


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        start = perf_counter()
        # vaex.open knows HDF5 by the extension, which Arkouda's files need not have.
        frame = vaex.concat([vaex.from_dataset(Hdf5MemoryMapped(path)) for path in request["paths"]])
        answer = QUESTIONS[request["question"]](frame)
        print(json.dumps({"answer": answer, "seconds": perf_counter() - start}), flush=True)


if __name__ == "__main__":
    main()
