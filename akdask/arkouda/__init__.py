"""The package ``arkouda`` for unchanged scripts: its module tree, and the functions of a Chapel server.

It has the public names of `akdask`, and Arkouda's modules at their paths: `akdask.arkouda.pandas.groupbyclass`.
``python -m akdask.arkouda script.py`` runs a script to which ``import arkouda`` means this package, ``pytest -p
akdask.arkouda.pytest_plugin`` tests, and `install_as_arkouda` does so in a process.
"""

from typing import Any

from akdask.arkouda.modules import attribute, attributes, load_below
from akdask.arkouda.modules import install_as_arkouda as install_as_arkouda


def __getattr__(name: str) -> Any:
    return attribute(name)


def __dir__() -> list[str]:
    return attributes()


load_below(__name__)
