import numpy as np
import pytest

from akdask.cli import console
from akdask.cli.console import Checks, Steps


def test_steps_are_numbered_announced_and_timed(capsys):
    step = Steps(2)
    with step("first"):
        console.say("one\ntwo")
    with step("second"):
        pass
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:4] == ["[1/2] first", "      one", "      two"]
    assert lines[4].endswith("ms)")
    assert lines[6] == "[2/2] second"


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (25_500_000, "25.5 MB"), (3e12, "3.0 TB"), (3e16, "30,000.0 TB")],
)
def test_sizes_have_a_fitting_unit(nbytes, text):
    assert console.size(nbytes) == text


def test_checks_count_and_name_what_is_wrong(capsys):
    checks = Checks()
    checks.number("same", np.uint64(2**63), np.uint64(2**63))
    checks.number("rounded", 0.1 + 0.2, 0.3)
    checks.number("off by one", 2**53 + 1, 2**53)
    checks.number("float", 1.0, 1.001)
    checks.arrays("equal", np.array([1, 2]), np.array([1, 2]))
    checks.arrays("swapped", np.array([2, 1]), np.array([1, 2]))
    assert checks.count == 6
    assert checks.failed == ["off by one", "float", "swapped"]
    assert "WRONG swapped: 2 of 2 elements differ" in capsys.readouterr().out
