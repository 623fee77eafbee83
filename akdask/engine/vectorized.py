"""Vectorized pipelines: run on whole partitions as one vector program, if every operation has an opcode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from akdask import compiled
from akdask.engine.blocks import Block, Partition, PartitionBatch
from akdask.engine.inputs import Mask, Selection
from akdask.engine.opcodes import StoredForm
from akdask.engine.program import Apply, BroadcastInput, ConstantRows, Load, Program, Recall
from akdask.engine.reduction import State
from akdask.engine.vector_program import Address, Extent, GrowingRows, NoInstructionError, Register, VectorProgram
from akdask.storage.source import IN_MEMORY
from akdask.typing import Column

_BLOCKS = 2
"""Blocks that are read to memory at a time; programs need no room beside them, and fewer calls are made."""


FORMS = {
    **dict.fromkeys(("int64", "uint64", "float64"), StoredForm.NUMBERS),
    "bool": StoredForm.BOOLS,
    **{form.name.lower(): form for form in StoredForm if form > StoredForm.BOOLS},
}
"""Storage formats of numbers, by the names of their NumPy types."""


def selection(partition: Partition | PartitionBatch, program: Program) -> VectorizedPipeline | None:
    """Return the pipeline that stores the results of a program under masks, None if only blocks work."""
    # Columns without dropped rows are read to their final place.
    if not partition.selections or not compiled.is_loaded():
        return None
    try:
        found = VectorizedPipeline(partition.selections, partition.replicas)
        found.store(program)
    except NoInstructionError:
        return None
    return found


def blocks_in_turn(partitions: Sequence[Partition]) -> Iterator[Block]:
    """Yield the blocks of open partitions, which pass on their buffers."""
    for before, partition in zip([None, *partitions], partitions, strict=False):
        if before is not None:
            partition.take_over(before)
        yield from partition.blocks()


class VectorizedPipeline:
    """Masks and programs of a pipeline as one vector program, which reduces or stores the results.

    Parameters
    ----------
    selections : sequence of Mask
        The masks that select rows.
    replicas : sequence
        The broadcast inputs of the programs.

    Raises
    ------
    NoInstructionError
        If something has no opcode.
    """

    def __init__(self, selections: Sequence[Selection], replicas: Sequence[Any]) -> None:
        self._program = VectorProgram()
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
            self._program.select(self._masks)

    def reduce(self, program: Program, names: Sequence[str]) -> None:
        """Reduce each result of a program by the reduction with the name at the same position."""
        self._compute_again({step.slot for step in program.steps if isinstance(step, Recall)})
        for name, value in zip(names, self._evaluate(program), strict=True):
            self._program.reduce(name, value)

    def store(self, program: Program) -> None:
        """Store the results of a program; rows are appended to the target of `run_into`."""
        self._compute_again({step.slot for step in program.steps if isinstance(step, Recall)})
        for value, dtype in zip(self._evaluate(program), program.dtypes, strict=True):
            if value.dtype != dtype:
                raise NoInstructionError
            self._program.store(value)

    def _compute_again(self, slots: set[int]) -> None:
        """Recompute the results that predicates hand on; their registers are lost once all rows are selected."""
        wanted: list[Program] = []
        for predicate in reversed(self._predicates):
            registers = {register for register, slot in predicate.hands_on if slot in slots - self._handed_on.keys()}
            if registers:
                wanted.append(predicate.only(registers))
                slots |= {step.slot for step in wanted[-1].steps if isinstance(step, Recall)}
        for program in reversed(wanted):
            self._evaluate(program)

    def run(self, partitions: Sequence[Partition]) -> list[State] | None:
        """Return the states of the rows of open partitions, None if their columns cannot be read directly."""
        extents = self._extents(partitions)
        return None if extents is None else self._program.run(extents)

    def run_into(self, rows: GrowingRows, partitions: Sequence[Partition]) -> bool:
        """Append the rows of open partitions, and return whether their columns could be read directly."""
        extents = self._extents(partitions)
        return extents is not None and self._program.run_into(rows, extents)

    def _extents(self, partitions: Sequence[Partition]) -> list[Extent] | None:
        """Return the places of the rows of open partitions, None if they must be decoded to memory first."""
        extents: list[Extent] = []
        for partition in partitions:
            columns = partition.stretches(self._columns)
            lengths = {tuple(stretch.nrows for stretch in column) for column in columns or ()}
            if columns is None or len(lengths) != 1:
                return None
            if any(stretch.stored and stretch.stored not in FORMS for column in columns for stretch in column):
                return None
            for stretches in zip(*columns, strict=True):
                addresses = [
                    (stretch.descriptor, stretch.offset, FORMS[stretch.stored or load.dtype.name])
                    for load, stretch in zip(self._columns, stretches, strict=True)
                ]
                extents.append((stretches[0].nrows, addresses))
        return extents

    def run_in_memory(self, partition: Partition) -> Iterator[list[State]]:
        """Yield the states of each block of an open partition, whose columns are read to memory first."""
        loads = list(self._columns)
        nmarking = self._program.nmarking
        is_sparse = True
        for start, stop in partition.extents(_BLOCKS):
            addresses = [_address(partition.read(load, start, stop, None)) for load in loads[:nmarking]]
            # A block with selected rows is mostly followed by another.
            if is_sparse and not self._program.selects_any(stop - start, addresses):
                continue
            addresses += [_address(partition.read(load, start, stop, None)) for load in loads[nmarking:]]
            states = self._program.run([(stop - start, addresses)])
            assert states is not None, "memory can be read"
            is_sparse = all(state is None for state in states)
            if not is_sparse:
                yield states

    def _evaluate(self, program: Program) -> list[Register]:
        registers: list[Register] = []
        for step in program.steps:
            match step:
                case Load():
                    if step not in self._columns:
                        self._columns[step] = self._program.column(step.dtype)
                    registers.append(self._columns[step])
                case ConstantRows():
                    registers.append(self._program.constant(step.value))
                case BroadcastInput():
                    registers.append(self._program.constant(self._replicas[step.position][step.field]))
                case Recall():
                    registers.append(self._handed_on[step.slot])
                case Apply():
                    args = [registers[arg] for arg in step.args]
                    registers.append(self._program.apply(step.operation, args, step.dtype, step.params))
                    for arg in step.release:
                        # Results handed on by another program are released when they are forgotten.
                        if isinstance(program.steps[arg], Apply):
                            self._program.release(registers[arg])
        results = [registers[register] for register in program.outputs]
        forgotten = [self._handed_on.pop(slot) for slot in program.forgets]
        for register in forgotten:
            # A forgotten result may be a mask, of an earlier program or of this one.
            if register not in self._masks and register not in results:
                self._program.release(register)
        self._handed_on.update((slot, registers[register]) for register, slot in program.hands_on)
        return results


def _address(column: Column) -> Address:
    """Return the addresses of rows that stay in memory until the next block is read."""
    assert isinstance(column, np.ndarray), "columns of programs have numbers"
    assert column.flags.c_contiguous, "they are read to a buffer"
    address: int = column.__array_interface__["data"][0]
    return IN_MEMORY, address, FORMS[column.dtype.name]
