"""How the loops of this package are compiled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])
Item = TypeVar("Item", bound=np.generic)


def compiled(function: Function) -> Function:
    """Return the function, compiled when it is called with other types of arguments than before.

    It lets other threads run meanwhile, and its machine code is kept on disk where there is a place for it.  Integers
    wrap around as NumPy's do.  An index outside an array is not noticed: callers have checked indices from files.  A
    loop is one function, since to hand arrays to another counts references for each row, longer than the work takes.
    """
    compile_it = partial(njit, nogil=True, error_model="numpy")
    try:
        found: Function = compile_it(cache=True)(function)
    except RuntimeError:
        # Neither the package's folder nor the user's can be written to.
        found = compile_it()(function)
    return found


def read_only(array: npt.NDArray[Item]) -> npt.NDArray[Item]:
    """Return a read-only view, so that arguments of one type are compiled for once.

    Arrays from Arrow or a file are read-only already, arrays from NumPy are not.
    """
    view = array.view()
    view.flags.writeable = False
    return view
