"""Programs: values compiled to flat lists of steps, which the block interpreter executes in order.

Each step writes one register. Steps name the registers that are not read afterwards, so that the next step reuses their
buffers. A long chain of arithmetic thus needs two or three buffers, which stay in the cache of the core.

The programs of a chain of filters run one after the other, each on the rows left by the programs before. A result that
a later program needs is handed on, so that nothing is computed twice in a chain of any length.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from akdask.columns.dtypes import ColumnType
from akdask.engine.operations import OPERATIONS
from akdask.engine.values import Call, ColumnRef, Constant, Replica, Value, walk


@dataclass(frozen=True, slots=True)
class Load:
    """Read a column of one of the inputs."""

    base: int
    column: Hashable
    dtype: ColumnType


ColumnKey: TypeAlias = tuple[int, Hashable]
"""Key of a step's column: its input and name; hashed without a Python call, unlike the step."""


@dataclass(frozen=True, slots=True)
class ConstantRows:
    """A constant; repeated on every row with the type `rows` if its operation has no other argument with rows."""

    value: Any
    rows: ColumnType | None


@dataclass(frozen=True, slots=True)
class BroadcastInput:
    """A replicated result, given to the task as an argument."""

    position: int
    field: Hashable


@dataclass(frozen=True, slots=True)
class Apply:
    """Run an operation on earlier registers, then release the buffers of the registers in `release`.

    The result may overwrite register `reuse`, which is not read afterwards.
    """

    operation: str
    args: tuple[int, ...]
    params: Mapping[str, Any]
    dtype: ColumnType
    release: tuple[int, ...]
    reuse: int | None


@dataclass(frozen=True, slots=True)
class Recall:
    """Take a result handed on by an earlier program of the chain, for the rows that are left."""

    slot: int


Step = Load | ConstantRows | BroadcastInput | Apply | Recall


@dataclass(frozen=True, slots=True)
class Program:
    """Steps and the registers of the results.

    Parameters
    ----------
    steps : tuple of Step
        Step i writes register i.
    outputs : tuple of int
        Registers of the results, in order.
    dtypes : tuple of ColumnType
        Types of the results.
    hands_on : tuple of (int, int)
        Registers that later programs recall, and the slots by which they do.
    forgets : tuple of int
        Slots that no later program recalls.
    encoded : set of int
        Registers in which text may be `akdask.columns.table`.
    """

    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    dtypes: tuple[ColumnType, ...]
    hands_on: tuple[tuple[int, int], ...] = ()
    forgets: tuple[int, ...] = ()
    encoded: Set[int] = frozenset()

    @property
    def loads(self) -> list[Load]:
        """The columns that the program may read."""
        return [step for step in self.steps if isinstance(step, Load)]

    def with_encoded(self, count: int) -> Program:
        """Return the program that leaves text encoded if it only appears among the first results."""
        used = {arg for step in self.steps if isinstance(step, Apply) for arg in step.args}
        used.update(self.outputs[count:], (register for register, _ in self.hands_on))
        loaded = {register for register, step in enumerate(self.steps) if isinstance(step, Load)}
        return replace(self, encoded=loaded.intersection(self.outputs[:count]) - used)

    def only(self, registers: Set[int]) -> Program:
        """Return the program that computes some registers and hands them on, without other results."""
        needed = set(registers)
        for register in range(len(self.steps) - 1, -1, -1):
            step = self.steps[register]
            if register in needed and isinstance(step, Apply):
                needed.update(step.args)
        position = {register: number for number, register in enumerate(sorted(needed))}
        steps: list[Step] = []
        for register in position:
            step = self.steps[register]
            if isinstance(step, Apply):
                args, release = tuple(position[arg] for arg in step.args), tuple(position[arg] for arg in step.release)
                step = replace(
                    step, args=args, release=release, reuse=None if step.reuse is None else position[step.reuse]
                )
            steps.append(step)
        hands_on = tuple((position[register], slot) for register, slot in self.hands_on if register in registers)
        return Program(tuple(steps), (), (), hands_on)


@dataclass(frozen=True, slots=True)
class Mask:
    """Keep the rows where a predicate holds."""

    predicate: Program


@dataclass(frozen=True, slots=True)
class ExpandMatches:
    """Repeat the rows for every match; `column` has the matching row of the other table."""

    predicate: Program
    multiplicity: BroadcastInput
    keep_all: bool
    column: Load


@dataclass(frozen=True, slots=True)
class Range:
    """Keep every `step`-th row from `start` to `stop`, counted after the earlier selections."""

    start: int
    stop: int
    step: int


Selection = Mask | ExpandMatches | Range


class Compiler:
    """Compiles the programs of a chain, in execution order.

    Parameters
    ----------
    programs : sequence of sequences of Value
        The values of each program; the last one may be compiled in parts, all of which run on the same rows.
    bases, replicas : mapping of str to int
        The nodes that values refer to, and the replicated ones; bases may be added between programs.
    """

    def __init__(
        self, programs: Sequence[Sequence[Value]], bases: Mapping[str, int], replicas: Mapping[str, int]
    ) -> None:
        self._bases = bases
        self._replicas = replicas
        self._slots: dict[str, int] = {}
        self._forgets: defaultdict[int, list[int]] = defaultdict(list)
        self._available: set[str] = set()
        self._count = 0
        if len(programs) > 1:
            self._share(programs)

    def _share(self, programs: Sequence[Sequence[Value]]) -> None:
        """Find the values that one program computes and later ones need, and the last program that needs each."""
        first: dict[str, int] = {}
        needed: dict[str, int] = {}
        have_rows: set[str] = set()
        for number, values in enumerate(programs):
            for value in walk(*values, leaves=first):
                if value.token in first:
                    continue
                first[value.token] = number
                if isinstance(value, ColumnRef) or not have_rows.isdisjoint(arg.token for arg in value.args):
                    have_rows.add(value.token)
                needed.update((arg.token, number) for arg in value.args if isinstance(arg, Call))
            needed.update((value.token, number) for value in values if isinstance(value, Call))
        for name, number in needed.items():
            if number > first[name] and name in have_rows:
                self._slots[name] = len(self._slots)
                self._forgets[number].append(self._slots[name])

    def next(self, values: Sequence[Value]) -> Program:
        """Compile the next program."""
        forgets = self._forgets[self._count]
        self._count += 1
        return self._compile(values, self._slots.keys() - self._available, forgets)

    def last(self, values: Sequence[Value]) -> Program:
        """Compile another part of the last program."""
        return self._compile(values, (), ())

    def _compile(self, values: Sequence[Value], new: Container[str], forgets: Sequence[int]) -> Program:
        # Loops rather than comprehensions, and no Counter: this takes a good part of the time of a small plan.
        ordered = walk(*values, leaves=self._available)
        register: dict[str, int] = {}
        for value in ordered:
            register[value.token] = len(register)
        outputs = tuple([register[value.token] for value in values])
        # Count the uses of each register: one without further uses may be overwritten.  Results of earlier programs are
        # recalled, so their arguments are not used here.
        uses = [0] * len(ordered)
        for number in outputs:
            uses[number] += 1
        handed_on: list[str] = []
        alone: dict[str, Constant] = {}
        for value in ordered:
            if value.token in self._available:
                continue
            for arg in value.args:
                uses[register[arg.token]] += 1
            if value.token in new:
                handed_on.append(value.token)
                uses[register[value.token]] += 1
            if isinstance(value, Call):
                for constant in _constants_alone(value):
                    alone[constant.token] = constant
        hands_on = tuple([(register[name], self._slots[name]) for name in handed_on])
        # Write the steps in the order of the values, arguments first; each takes its uses off the counts.
        steps: list[Step] = []
        for value in ordered:
            if value.token in self._available:
                steps.append(Recall(self._slots[value.token]))
            elif value.token in alone:
                steps.append(ConstantRows(alone[value.token].value, value.dtype))
            else:
                steps.append(_step(value, register, uses, self._bases, self._replicas))
        self._available.update(handed_on)
        return Program(tuple(steps), outputs, tuple([value.dtype for value in values]), hands_on, tuple(forgets))


def compile_values(values: Sequence[Value], bases: Mapping[str, int], replicas: Mapping[str, int]) -> Program:
    """Compile values that refer to the nodes named in `bases` and to the replicated nodes named in `replicas`."""
    return Compiler([values], bases, replicas).last(values)


def _step(
    value: Value,
    register: Mapping[str, int],
    uses: list[int],
    bases: Mapping[str, int],
    replicas: Mapping[str, int],
) -> Step:
    match value:
        case ColumnRef():
            return Load(bases[value.source], value.name, value.dtype)
        case Constant():
            return ConstantRows(value.value, None)
        case Replica():
            return BroadcastInput(replicas[value.node._name], value.field)
        case Call():
            args = tuple([register[arg.token] for arg in value.args])
            for arg in args:
                uses[arg] -= 1
            release = tuple(dict.fromkeys([arg for arg in args if uses[arg] == 0]))
            return Apply(value.operation, args, _params(value), value.dtype, release, _reuse(value, args, release))
    raise AssertionError(f"no step for {type(value).__name__}")  # pragma: no cover - Value is a closed set


def _constants_alone(value: Call) -> list[Constant]:
    """Return the constants of a call that has no other arguments, since some kernels do not know the number of rows."""
    found: list[Constant] = []
    for arg in value.args:
        if isinstance(arg, ColumnRef | Call):
            return []
        if isinstance(arg, Constant):
            found.append(arg)
    return found


def _params(value: Call) -> Mapping[str, Any]:
    """Return the parameters of the kernel, with ``max_bits`` for integers of any size, since their columns lack it."""
    numbers = [dtype for arg in value.args if (dtype := arg.dtype.item or arg.dtype).kind == "bigint"]
    if not numbers or not OPERATIONS[value.operation].modular:
        return value.params
    return {**value.params, "max_bits": max(dtype.max_bits for dtype in numbers)}


def _reuse(value: Call, args: Sequence[int], release: Sequence[int]) -> int | None:
    """Return the argument that the result may overwrite, None if there is none."""
    if not OPERATIONS[value.operation].in_place:
        return None
    same_type = (arg for arg, item in zip(args, value.args, strict=True) if item.dtype == value.dtype)
    return next((arg for arg in same_type if arg in release), None)
