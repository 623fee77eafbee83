"""``pytest -p akdask.compat.pytest_plugin``: tests to which ``import arkouda`` means akdask.

pytest imports plugins that are named so before any ``conftest.py``.
"""

from akdask import __version__
from akdask.compat.modules import install_as_arkouda

install_as_arkouda()


def pytest_report_header() -> str:
    """Say in the first lines what is tested."""
    return f"arkouda: akdask {__version__}"
