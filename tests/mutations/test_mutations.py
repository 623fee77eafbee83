"""A damaged file gives an error or a right answer: no crash, no hang, no wrong value in silence.

``AKDASK_MUTANTS=5000 pytest tests/mutations`` looks at as many files as one likes.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import akdask as ak
from tests.mutations.mutants import mutants

COUNT = int(os.environ.get("AKDASK_MUTANTS", "100"))
JUDGE = Path(__file__).with_name("judge.py")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300 + COUNT // 5)]  # seconds


def verdicts(pristine, folder, seed):
    """Return what is wrong with the answers to damaged copies of some files, by what was done to the file."""
    made = list(mutants(pristine, folder, COUNT, seed))
    listed = folder / "list.json"
    listed.write_text(json.dumps([[str(source), str(target)] for source, target, _ in made]))
    done = subprocess.run([sys.executable, str(JUDGE), str(listed)], stdout=subprocess.PIPE, check=True, text=True)
    return {
        f"{source} {target.name} {told}": verdict
        for (source, target, told), verdict in zip(made, json.loads(done.stdout), strict=True)
        if verdict
    }


def test_damaged_files_of_our_own_give_errors_or_right_answers(tmp_path):
    rng = np.random.default_rng(0)
    ak.to_hdf(
        {
            "i": ak.array(rng.integers(-(2**62), 2**62, 40)),
            "f": ak.array([0.5, float("nan"), -0.0, float("inf")]),
            "b": ak.array([True, False, True]),
            "s": ak.array(["", "one", "zwölf", "x" * 50]),
            "c": ak.Categorical(ak.array(["red", "blue", "red", "green"])),
        },
        tmp_path / "ours",
        file_type="single",
    )
    assert verdicts([tmp_path / "ours"], tmp_path, seed=1) == {}


def test_damaged_files_of_other_writers_give_errors_or_right_answers(tmp_path, golden_files):
    assert len(golden_files) > 40, "the fixtures are not as expected"
    assert verdicts(golden_files, tmp_path, seed=2) == {}


def killed(path):
    os.kill(os.getpid(), signal.SIGKILL)


def mistaken(path):
    return {"i": ("pdarray", [0, 1, 3])}


@pytest.mark.parametrize(("wrong", "told"), [(killed, "died of signal"), (mistaken, "by a plain reading")])
def test_the_judge_tells_of_crashes_and_of_wrong_values(tmp_path, wrong, told, monkeypatch):
    from tests.mutations import judge

    ak.to_hdf({"i": ak.arange(3)}, tmp_path / "ours", file_type="single")
    ours, pristine = str(tmp_path / "ours"), {"i": ("pdarray", [0, 1, 2])}
    monkeypatch.setattr(judge, "outcomes", lambda path: wrong(path) if path == ours else pristine)
    verdicts = judge.judge([("pristine", "the same"), ("pristine", ours), ("pristine", "the same")])
    assert told in verdicts.pop(1)
    assert verdicts == ["", ""]
