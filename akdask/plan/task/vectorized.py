"""Whole partitions reduced by compiled instructions, where there are such for all that a pipeline does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from akdask.kernels.aggregates.specification import State
from akdask.plan.task.blocks import Mask, Partition, Selection
from akdask.plan.task.program import Apply, BroadcastInput, ConstantRows, Load, Program, Recall
from akdask.plan.vector.program import NoInstructionError, Place, Register, VectorProgram


class VectorizedReduction:
    """Reductions of programs under the masks of a partition, as one routine.

    Parameters
    ----------
    selections : sequence of Mask
        Which rows are reduced.
    replicas : sequence
        What programs may look at besides.

    Raises
    ------
    NoInstructionError
        If something is asked for that routines do not do.
    """

    def __init__(self, selections: Sequence[Selection], replicas: Sequence[Any]) -> None:
        self._routine = VectorProgram()
        self._replicas = replicas
        self._columns: dict[Load, Register] = {}
        self._handed_on: dict[int, Register] = {}
        self._predicates = [selection.predicate for selection in selections if isinstance(selection, Mask)]
        if len(self._predicates) < len(selections):
            raise NoInstructionError
        self._masks: list[Register] = []
        for predicate in self._predicates:
            self._masks += self._evaluate(predicate)
        self._handed_on.clear()
        if self._masks:
            self._routine.mark(self._masks)

    def reduce(self, program: Program, names: Sequence[str]) -> None:
        """Reduce each result of a program by the reduction of that name."""
        self._compute_again({step.slot for step in program.steps if isinstance(step, Recall)})
        for name, value in zip(names, self._evaluate(program), strict=True):
            self._routine.reduce(name, value)

    def _compute_again(self, slots: set[int]) -> None:
        """Compute again what predicates hand on, of which nothing is left when all rows of a block are marked."""
        wanted: list[Program] = []
        for predicate in reversed(self._predicates):
            registers = {register for register, slot in predicate.hands_on if slot in slots - self._handed_on.keys()}
            if registers:
                wanted.append(predicate.only(registers))
                slots |= {step.slot for step in wanted[-1].steps if isinstance(step, Recall)}
        for program in reversed(wanted):
            self._evaluate(program)

    def run(self, partitions: Sequence[Partition]) -> list[State] | None:
        """Return the states of the rows of open partitions, None if they cannot be read so."""
        pieces: list[tuple[int, list[Place]]] = []
        for partition in partitions:
            columns = partition.stretches(self._columns)
            lengths = {tuple(stretch.nrows for stretch in column) for column in columns or ()}
            if columns is None or len(lengths) != 1:
                return None
            for stretches in zip(*columns, strict=True):
                places = [(stretch.descriptor, stretch.offset) for stretch in stretches]
                pieces.append((stretches[0].nrows, places))
        return self._routine.run(pieces)

    def _evaluate(self, program: Program) -> list[Register]:
        registers: list[Register] = []
        for step in program.steps:
            match step:
                case Load():
                    if step not in self._columns:
                        self._columns[step] = self._routine.column(step.dtype)
                    registers.append(self._columns[step])
                case ConstantRows():
                    registers.append(self._routine.constant(step.value))
                case BroadcastInput():
                    registers.append(self._routine.constant(self._replicas[step.position][step.field]))
                case Recall():
                    registers.append(self._handed_on[step.slot])
                case Apply():
                    args = [registers[arg] for arg in step.args]
                    registers.append(self._routine.apply(step.operation, args, step.dtype, step.params))
                    for arg in step.release:
                        self._routine.release(registers[arg])
        forgotten = [self._handed_on.pop(slot) for slot in program.forgets]
        for register in forgotten:
            if register not in self._masks:
                self._routine.release(register)
        self._handed_on.update((slot, registers[register]) for register, slot in program.hands_on)
        return [registers[register] for register in program.outputs]
