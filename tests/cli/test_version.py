"""The version, and the command as a module."""

from __future__ import annotations

import subprocess
import sys

import pytest

import akdask
from akdask.cli import main


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"akdask {akdask.__version__}\n"


@pytest.mark.slow
def test_the_package_runs_as_a_module():
    ran = subprocess.run([sys.executable, "-m", "akdask", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == f"akdask {akdask.__version__}\n"
    ran = subprocess.run(
        [sys.executable, "-m", "akdask", "ls", "/no/such"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith("akdask: ")
