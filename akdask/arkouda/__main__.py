"""``python -m akdask.arkouda script.py args…``: run a script to which ``import arkouda`` means akdask."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from akdask.arkouda.modules import install_as_arkouda

USAGE = "usage: python -m akdask.arkouda script.py [arguments…]\n       python -m akdask.arkouda -m module [arguments…]"


def main(arguments: list[str]) -> int:
    """Run a script, or a module, with the arguments that follow it.

    Parameters
    ----------
    arguments : list of str
        The arguments after ``python -m akdask.arkouda``.

    Returns
    -------
    int
        The exit code: 2 if there is nothing to run.
    """
    is_module = arguments[:1] == ["-m"]
    given = arguments[1:] if is_module else arguments
    if not given or (given[0].startswith("-") and not is_module):
        is_help = bool(given) and given[0] in {"-h", "--help"}
        print(USAGE, file=sys.stdout if is_help else sys.stderr)
        return 0 if is_help else 2
    install_as_arkouda()
    sys.argv = given
    if is_module:
        sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(given[0], run_name="__main__", alter_sys=True)
        return 0
    if not Path(given[0]).exists():
        print(f"akdask.arkouda: there is no script {given[0]}", file=sys.stderr)
        return 2
    sys.path.insert(0, str(Path(given[0]).resolve().parent))
    runpy.run_path(given[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
