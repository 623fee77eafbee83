"""vaex, in an interpreter of its own, since it wants another Dask than akdask does.

The timing is done over there, so that the pipe between the processes does not count.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from benchmarks.data import FileSet
from benchmarks.peers.base import Peer
from benchmarks.timing import Run, Timed

WORKER = Path(__file__).with_name("vaex_worker.py")


@dataclass(frozen=True)
class Vaex(Peer):
    """Mapped files through vaex's expressions."""

    python: str
    name = "vaex"

    def sum_column(self, files: FileSet) -> Run:
        return self._ask(files, "sum_column")

    def filtered_sum(self, files: FileSet) -> Run:
        return self._ask(files, "filtered_sum")

    def expression_sum(self, files: FileSet) -> Run:
        return self._ask(files, "expression_sum")

    @cached_property
    def _process(self) -> subprocess.Popen[str]:
        # It ends by itself when this process, and with it the pipe, ends.
        command = [self.python, str(WORKER), str(self.threads)]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def _ask(self, files: FileSet, question: str) -> Run:
        request = json.dumps({"question": question, "paths": [str(path) for path in files.paths]})

        def run() -> Timed:
            process = self._process
            if process.stdin is None or process.stdout is None:
                raise RuntimeError("the vaex process has no pipes")
            print(request, file=process.stdin, flush=True)
            return Timed(**json.loads(process.stdout.readline()))

        return run
