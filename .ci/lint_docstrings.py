"""Runs `numpydoc lint`, which asks Python for the source of each function, and so splits the whole file each time.

Split once, files take a fifth of the time.
"""

import ast
import sys
from functools import cache

from numpydoc.cli import main

if hasattr(ast, "_splitlines_no_ff"):
    ast._splitlines_no_ff = cache(ast._splitlines_no_ff)

sys.exit(main(["lint", *sys.argv[1:]]))
