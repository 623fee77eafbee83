"""``pytest -p akdask.arkouda.pytest_plugin``: tests to which ``import arkouda`` means akdask."""

from __future__ import annotations

from typing import Any

import pytest

from akdask import __version__
from akdask.arkouda.modules import install_as_arkouda


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> None:
    """Have ``arkouda`` mean akdask before the first ``conftest.py`` is imported."""
    install_as_arkouda()


def pytest_report_header() -> str:
    """Name the tested package in the first lines."""
    return f"arkouda: akdask {__version__}"
