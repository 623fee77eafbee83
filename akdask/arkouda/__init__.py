"""Scripts written for Arkouda, as they are: its import paths, ``import arkouda``, and what only a Chapel server can do.

``python -m akdask.arkouda script.py`` runs a script to which ``import arkouda`` means akdask, ``pytest -p
akdask.arkouda.pytest_plugin`` tests, and `install_as_arkouda` does so in a process.
"""

from akdask.arkouda.modules import attribute, install_as_arkouda

__all__ = ["attribute", "install_as_arkouda"]
