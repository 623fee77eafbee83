"""Table of every row-wise operation by name, with its kernel.  A new family registers itself here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from akdask.columns.dtypes import ColumnType, Kind
from akdask.deferred import is_arrow
from akdask.engine.operation import Kernel, Operation, Rule
from akdask.operators.values import elementwise, generic
from akdask.operators.values.bigint import BIGINT_OPERATIONS, is_bigint

_MODULES = {
    "NUMBER_OPERATIONS": "operators.values.elementwise",
    "GENERIC_OPERATIONS": "operators.values.generic",
    "CAST_OPERATIONS": "operators.values.cast",
    "POSITION_OPERATIONS": "operators.values.positional",
    "BIT_OPERATIONS": "operators.keys.words",
    "STRIDED_OPERATIONS": "operators.values.strided",
    "LOOKUP_OPERATIONS": "operators.values.lookup",
    "TIME_OPERATIONS": "operators.values.times",
    "OFFSET_OPERATIONS": "operators.values.times",
    "LIMB_OPERATIONS": "operators.values.bigint",
    "VARIATE_OPERATIONS": "operators.values.random",
    "USER_OPERATIONS": "operators.values.user_functions",
    "IPV4_OPERATIONS": "operators.values.ipv4",
    "DIGEST_OPERATIONS": "operators.keys.hashing",
    "STRING_OPERATIONS": "operators.values.strings",
    "MISSING_TEXT_OPERATIONS": "operators.values.missing_text",
    "CHARACTER_OPERATIONS": "operators.values.text",
    "ENCODING_OPERATIONS": "operators.values.text",
    "FIELD_OPERATIONS": "operators.values.fields",
    "MATCH_OPERATIONS": "operators.values.matches",
    "LIST_OPERATIONS": "operators.values.segarray",
    "LIST_REDUCTIONS": "operators.values.segarray",
}
"""Modules of `akdask.operators` by the operations that they have.  Modules of numbers come first; they load no
others."""

_LIST_COMPARISONS = ("equal", "not_equal")
"""Comparisons that `segarray.LIST_COMPARISONS` has for lists as well."""


def _with(operation: Operation, kind: Kind, holds: Callable[[Any], bool], rule: Rule, kernel: Kernel) -> Operation:
    """Return an operation on numbers and strings, extended by another kernel for columns of another kind."""

    def either_rule(*types: ColumnType, **params: Any) -> ColumnType | None:
        chosen = rule if any(dtype.kind == kind for dtype in types) else operation.rule
        return chosen(*types, **params)

    def either_kernel(*args: Any, out: Any = None, **params: Any) -> Any:
        chosen = kernel if any(map(holds, args)) else operation.kernel
        return chosen(*args, out=out, **params)

    return replace(operation, rule=either_rule, kernel=either_kernel, modular=True)


def _table(name: str) -> dict[str, Any]:
    found: dict[str, Any] = getattr(import_module(f"akdask.{_MODULES[name]}"), name)
    return found


def _is_list(item: Any) -> bool:
    """Whether an argument of a kernel is a column of lists."""
    return is_arrow(item, "LargeListArray")


def _of_lists(name: str) -> tuple[Rule, Kernel]:
    """Return a comparison of lists; its module is loaded when lists are first compared."""

    def rule(*types: ColumnType, **params: Any) -> ColumnType | None:
        from akdask.operators.values.segarray import LIST_COMPARISONS

        return LIST_COMPARISONS[name][0](*types, **params)

    def kernel(*args: Any, out: Any = None, **params: Any) -> Any:
        from akdask.operators.values.segarray import LIST_COMPARISONS

        return LIST_COMPARISONS[name][1](*args, out=out, **params)

    return rule, kernel


class _Operations(Mapping[str, Operation]):
    """The operations of all families; modules are loaded in their order until one has the operation."""

    def __init__(self) -> None:
        # Threads that look for the same operation at once find equal ones.
        self._found: dict[str, Operation] = {}

    def __getitem__(self, name: str) -> Operation:
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._find(name)
        return found

    @staticmethod
    def _find(name: str) -> Operation:
        found = next((table[name] for table in map(_table, _MODULES) if name in table), None)
        if found is None:
            raise KeyError(name)
        if name in BIGINT_OPERATIONS:
            found = _with(found, "bigint", is_bigint, *BIGINT_OPERATIONS[name])
        return _with(found, "list", _is_list, *_of_lists(name)) if name in _LIST_COMPARISONS else found

    def __iter__(self) -> Iterator[str]:
        return (name for table in map(_table, _MODULES) for name in table)

    def __len__(self) -> int:
        return sum(map(len, map(_table, _MODULES)))


OPERATIONS = _Operations()

UFUNCS: dict[np.ufunc, str] = {ufunc: op.name for ufunc, op in {**elementwise.BY_UFUNC, **generic.BY_UFUNC}.items()}
"""NumPy's functions that have their own operation."""
