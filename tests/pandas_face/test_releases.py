"""The face says so where pandas is too old for it."""

import subprocess
import sys

import pytest

from akdask.errors import UnsupportedError
from akdask.pandas.refusals import demand_pandas


def test_pandas_before_3_is_refused_with_what_to_do():
    with pytest.raises(UnsupportedError, match=r"follows pandas 3, and pandas 2\.2\.2 is installed(.|\n)*pip install"):
        demand_pandas("2.2.2")


def test_the_import_asks_for_the_release():
    script = "import pandas; pandas.__version__ = '2.3.0'\nimport akdask.pandas"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "akdask.pandas follows pandas 3, and pandas 2.3.0 is installed" in ended.stderr
