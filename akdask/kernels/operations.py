"""Every row-wise operation by name: what the plan layer knows of the kernels.  A new family registers itself here."""

from __future__ import annotations

import numpy as np

from akdask.kernels import elementwise, generic
from akdask.kernels.bits import BIT_OPERATIONS
from akdask.kernels.cast import CAST_OPERATIONS
from akdask.kernels.elementwise import NUMBER_OPERATIONS
from akdask.kernels.generic import GENERIC_OPERATIONS
from akdask.kernels.lookup import LOOKUP_OPERATIONS
from akdask.kernels.positional import POSITION_OPERATIONS
from akdask.kernels.rules import Operation
from akdask.kernels.strings import STRING_OPERATIONS

OPERATIONS: dict[str, Operation] = {
    **NUMBER_OPERATIONS,
    **BIT_OPERATIONS,
    **GENERIC_OPERATIONS,
    **CAST_OPERATIONS,
    **STRING_OPERATIONS,
    **POSITION_OPERATIONS,
    **LOOKUP_OPERATIONS,
}

UFUNCS: dict[np.ufunc, str] = {ufunc: op.name for ufunc, op in {**elementwise.BY_UFUNC, **generic.BY_UFUNC}.items()}
"""NumPy's functions that have an operation of their own."""
