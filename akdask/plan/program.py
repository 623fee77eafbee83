"""Values compiled for the block interpreter: a flat list of steps in the order in which they run.

Each step writes one register.  Steps say which registers nobody reads after them, so that their buffers serve the
next step: a long chain of arithmetic needs two or three buffers that stay in the core's cache.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from akdask.kernels.operations import OPERATIONS
from akdask.plan.values import Call, ColumnRef, Constant, Replica, Value, walk
from akdask.schema import ColumnType


@dataclass(frozen=True, slots=True)
class Load:
    """Read a column of one of the inputs."""

    base: int
    column: Hashable
    dtype: ColumnType


@dataclass(frozen=True, slots=True)
class Fixed:
    """A constant, of the type `rows` on every row where its operation has no other argument with rows."""

    value: Any
    rows: ColumnType | None


@dataclass(frozen=True, slots=True)
class Whole:
    """A replicated result, given to the task as an argument."""

    position: int
    field: Hashable


@dataclass(frozen=True, slots=True)
class Apply:
    """Run an operation on earlier registers, then give back the buffers of those in `release`.

    The result may be written over register `reuse`, which nobody reads afterwards.
    """

    operation: str
    args: tuple[int, ...]
    params: Mapping[str, Any]
    dtype: ColumnType
    release: tuple[int, ...]
    reuse: int | None


Step = Load | Fixed | Whole | Apply


@dataclass(frozen=True, slots=True)
class Program:
    """Steps and the registers of the results.

    Parameters
    ----------
    steps : tuple of Step
        Step i writes register i.
    outputs : tuple of int
        Registers of the results, in the order asked for.
    dtypes : tuple of ColumnType
        Types of the results.
    """

    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    dtypes: tuple[ColumnType, ...]

    @property
    def loads(self) -> list[Load]:
        """The columns that running the program may read."""
        return [step for step in self.steps if isinstance(step, Load)]


def compile_values(values: Sequence[Value], bases: Mapping[str, int], replicas: Mapping[str, int]) -> Program:
    """Compile values that refer to the nodes named in `bases` and to the replicated nodes named in `replicas`."""
    ordered = list(walk(*values))
    register = {value.token: number for number, value in enumerate(ordered)}
    outputs = tuple(register[value.token] for value in values)
    uses = Counter(register[arg.token] for value in ordered for arg in value.args)
    uses.update(outputs)
    alone = {item.token: item for value in ordered if isinstance(value, Call) for item in _constants_alone(value)}
    steps = [
        Fixed(alone[value.token].value, value.dtype)
        if value.token in alone
        else _step(value, register, uses, bases, replicas)
        for value in ordered
    ]
    return Program(tuple(steps), outputs, tuple(value.dtype for value in values))


def _step(
    value: Value,
    register: Mapping[str, int],
    uses: Counter[int],
    bases: Mapping[str, int],
    replicas: Mapping[str, int],
) -> Step:
    match value:
        case ColumnRef():
            return Load(bases[value.source], value.name, value.dtype)
        case Constant():
            return Fixed(value.value, None)
        case Replica():
            return Whole(replicas[value.node._name], value.field)
        case Call():
            args = tuple(register[arg.token] for arg in value.args)
            uses.subtract(args)
            release = tuple(dict.fromkeys(arg for arg in args if uses[arg] == 0))
            return Apply(value.operation, args, _params(value), value.dtype, release, _reuse(value, args, release))
    raise AssertionError(f"no step for {type(value).__name__}")  # pragma: no cover - Value is a closed set


def _constants_alone(value: Call) -> list[Constant]:
    """Return the constants among the arguments where none has rows: not every kernel tells how many there are."""
    if any(isinstance(arg, ColumnRef | Call) for arg in value.args):
        return []
    return [arg for arg in value.args if isinstance(arg, Constant)]


def _params(value: Call) -> Mapping[str, Any]:
    """Return what the kernel is told: columns of integers of any size do not carry their limit of bits."""
    numbers = [dtype for arg in value.args if (dtype := arg.dtype.item or arg.dtype).kind == "bigint"]
    if not numbers or not OPERATIONS[value.operation].modular:
        return value.params
    return {**value.params, "max_bits": max(dtype.max_bits for dtype in numbers)}


def _reuse(value: Call, args: Sequence[int], release: Sequence[int]) -> int | None:
    """Return an argument that the result may be written over."""
    if not OPERATIONS[value.operation].in_place:
        return None
    same_type = (arg for arg, item in zip(args, value.args, strict=True) if item.dtype == value.dtype)
    return next((arg for arg in same_type if arg in release), None)
