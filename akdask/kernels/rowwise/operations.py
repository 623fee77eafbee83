"""Every row-wise operation by name: what the plan layer knows of the kernels.  A new family registers itself here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from akdask.kernels.core.rules import Kernel, Operation, Rule
from akdask.kernels.index.strided import STRIDED_OPERATIONS
from akdask.kernels.keys.bits import BIT_OPERATIONS
from akdask.kernels.keys.digests import DIGEST_OPERATIONS
from akdask.kernels.keys.strings import STRING_OPERATIONS
from akdask.kernels.rowwise import elementwise, generic
from akdask.kernels.rowwise.bigint import BIGINT_OPERATIONS, LIMB_OPERATIONS, is_bigint
from akdask.kernels.rowwise.cast import CAST_OPERATIONS
from akdask.kernels.rowwise.elementwise import NUMBER_OPERATIONS
from akdask.kernels.rowwise.generic import GENERIC_OPERATIONS
from akdask.kernels.rowwise.ipv4 import IPV4_OPERATIONS
from akdask.kernels.rowwise.lookup import LOOKUP_OPERATIONS
from akdask.kernels.rowwise.missing_text import MISSING_TEXT_OPERATIONS
from akdask.kernels.rowwise.positional import POSITION_OPERATIONS
from akdask.kernels.rowwise.segarray import LIST_COMPARISONS, LIST_OPERATIONS, is_list
from akdask.kernels.rowwise.segarray_reduce import LIST_REDUCTIONS
from akdask.kernels.rowwise.times import TIME_OPERATIONS
from akdask.kernels.rowwise.user_functions import USER_OPERATIONS
from akdask.kernels.rowwise.variates import VARIATE_OPERATIONS
from akdask.kernels.text.characters import CHARACTER_OPERATIONS
from akdask.kernels.text.encodings import ENCODING_OPERATIONS
from akdask.kernels.text.fields import FIELD_OPERATIONS
from akdask.kernels.text.matches import MATCH_OPERATIONS
from akdask.schema import ColumnType
from akdask.schema.dtypes import Kind


def _with(operation: Operation, kind: Kind, holds: Callable[[Any], bool], rule: Rule, kernel: Kernel) -> Operation:
    """Return an operation on numbers and strings that takes columns of another kind as well, in a way of their own."""

    def either_rule(*types: ColumnType, **params: Any) -> ColumnType | None:
        chosen = rule if any(dtype.kind == kind for dtype in types) else operation.rule
        return chosen(*types, **params)

    def either_kernel(*args: Any, out: Any = None, **params: Any) -> Any:
        chosen = kernel if any(map(holds, args)) else operation.kernel
        return chosen(*args, out=out, **params)

    return replace(operation, rule=either_rule, kernel=either_kernel, modular=True)


OPERATIONS: dict[str, Operation] = {
    **NUMBER_OPERATIONS,
    **BIT_OPERATIONS,
    **GENERIC_OPERATIONS,
    **CAST_OPERATIONS,
    **STRING_OPERATIONS,
    **CHARACTER_OPERATIONS,
    **ENCODING_OPERATIONS,
    **FIELD_OPERATIONS,
    **MATCH_OPERATIONS,
    **MISSING_TEXT_OPERATIONS,
    **DIGEST_OPERATIONS,
    **POSITION_OPERATIONS,
    **VARIATE_OPERATIONS,
    **LOOKUP_OPERATIONS,
    **STRIDED_OPERATIONS,
    **LIMB_OPERATIONS,
    **LIST_OPERATIONS,
    **LIST_REDUCTIONS,
    **TIME_OPERATIONS,
    **IPV4_OPERATIONS,
    **USER_OPERATIONS,
}
OPERATIONS.update(
    {name: _with(OPERATIONS[name], "bigint", is_bigint, *more) for name, more in BIGINT_OPERATIONS.items()}
)
OPERATIONS.update({name: _with(OPERATIONS[name], "list", is_list, *more) for name, more in LIST_COMPARISONS.items()})

UFUNCS: dict[np.ufunc, str] = {ufunc: op.name for ufunc, op in {**elementwise.BY_UFUNC, **generic.BY_UFUNC}.items()}
"""NumPy's functions that have an operation of their own."""
