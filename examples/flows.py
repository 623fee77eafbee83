"""A job in steps: totals of network flows by port, of a day's files.

    akdask run examples/flows.py flows.h5 results --cluster slurm --workers 2:8 --memory 16GB

Each step writes a set of files, which appears whole or not at all.  A job that was ended, by its batch system or by a
node that failed, is started again by the same command, and goes on after the last step that is there.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import akdask as ak


def step(path: Path, make: Callable[[], ak.DataFrame]) -> ak.DataFrame:
    """Return what is in a set of files, which is written first if it is not there."""
    name = path.with_suffix("").name
    if not any(path.parent.glob(f"{name}_LOCALE*{path.suffix}")):
        print(f"{name}: begins", flush=True)
        make().to_hdf(path)
    print(f"{name}: is there", flush=True)
    return ak.DataFrame(ak.read_hdf(str(path)))


def busy(flows: ak.DataFrame) -> ak.DataFrame:
    """Return the flows of ports below 1024 that are larger than usual."""
    known = flows[flows["port"] < 1024]
    # Two questions are asked of these rows, which are read once and stay in the memory of the workers.
    known = known[["port", "bytes"]].persist()
    return known[known["bytes"] > known["bytes"].mean()]


def totals(flows: ak.DataFrame) -> ak.DataFrame:
    """Return the bytes of each port, the largest first."""
    ports, sums = ak.GroupBy(flows["port"]).sum(flows["bytes"])
    return ak.DataFrame({"port": ports, "bytes": sums}).sort_values("bytes", ascending=False)


def main(source: str, folder: str) -> None:
    """Go through the steps."""
    results = Path(folder)
    results.mkdir(parents=True, exist_ok=True)
    flows = ak.DataFrame(ak.read_hdf(source))
    chosen = step(results / "busy.h5", lambda: busy(flows))
    found = step(results / "totals.h5", lambda: totals(chosen))
    print(found.head(10).to_pandas().to_string(index=False))
    print(ak.memory())


if __name__ == "__main__":
    main(*sys.argv[1:])
