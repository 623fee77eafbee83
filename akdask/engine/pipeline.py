"""Pipelines: the tasks of row-wise chains, from the files to the sink at the end of the chain.

A task runs a batch of partitions, so that tasks grow with the data and not with the number of files. Several small
partitions share a batch only if the results are merged anyway. The sink collects, reduces, counts or limits the rows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from functools import cache, cached_property, partial
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
from dask.system import CPU_COUNT as CORES

from akdask import config
from akdask._dask import DataNode, Expr, List, Task, TaskRef
from akdask.caches import cached_results
from akdask.cluster import partition_size
from akdask.columns.dtypes import INT64
from akdask.columns.summation import UNIT
from akdask.columns.table import Table
from akdask.deferred import without_collection
from akdask.engine import tuning
from akdask.engine.blocks import Partition, PartitionBatch, RowPositions, coalesce_partitions
from akdask.engine.memory import manage_freed_memory
from akdask.engine.node import Frame, Node
from akdask.engine.rowwise import (
    ROW,
    Chain,
    Filter,
    MatchRows,
    Project,
    Selecting,
    Shared,
    Union,
    Zip,
    rebuild,
    selected_by,
    through,
)
from akdask.engine.sinks import Collect, Reduce, Sink
from akdask.engine.sources import Literal, Persisted, Rows, Scan, decided, partitions_left
from akdask.engine.values import (
    Apply,
    BroadcastInput,
    ColumnRef,
    Compiler,
    Constant,
    ExpandMatches,
    Load,
    Mask,
    Program,
    Range,
    Replica,
    Selection,
    Value,
    assumed_width,
    columns_of,
    stages_of,
    substitute_all,
    token,
    walk,
)
from akdask.records import record
from akdask.storage.source import Part

ALWAYS = Constant(np.bool_(True))
"""The predicate that leaves all rows."""

Batches: TypeAlias = tuple[tuple[int, ...], ...]
"""For each task, the numbers of its partitions, in order."""

ITEMSIZE = 8


def partition_batches(frame: Frame, keys: Sequence[Value] = ()) -> Batches:
    """Return the batches of a frame, chosen by the known partition lengths and by the partition size of the cluster.

    If `keys` are given, only the lengths of the frames with their columns count. Groupings by the same keys are then
    partitioned alike, whatever is computed from them.
    """
    return _batches(
        frame, {column.source for column in columns_of(*keys)}, tuning.FEW_PARTITIONS, tuning.MOST_BATCH_ROWS
    )


def group_batches(frame: Frame, keys: Sequence[Value]) -> Batches:
    """Return the batches of rows that are grouped, chosen by partition lengths alone.

    The float sums of a group are added in row order within a batch, and batch by batch.  So results have the same bits
    for any number of threads and on any cluster whose memory holds such batches.
    """
    rows = rows_read(frame, {column.source for column in columns_of(*keys)})
    if rows is None:
        return single_partitions(frame)
    total = max(sum(rows), _rows_matched(frame))
    if total <= tuning.SMALL_ROWS:
        return batch_neighbours(rows, 1)
    # A power of two, as the number of threads mostly is.
    few = (
        1 << (max(tuning.FEW_GROUP_BATCHES, min(tuning.GROUP_BATCHES, total // tuning.FEW_GROUP_ROWS)) - 1).bit_length()
    )
    return batch_neighbours(rows, few, min(tuning.MOST_GROUP_ROWS, rows_grouped(keys)))


def rows_grouped(keys: Sequence[Value]) -> int:
    """Return the number of rows that a task's memory allows to group by some keys."""
    return tuning.GROUP_COLUMNS * partition_size() // (sum(map(assumed_width, keys)) + ITEMSIZE) + 1


def reduction_batches(frame: Frame) -> Batches:
    """Return the batches of a frame that is reduced to a few numbers; if partitions are small, one batch for each core.

    All threads then take equally long, and fewer tasks wait for each other.
    """
    return _batches(frame, frozenset(), CORES, 2 * tuning.MOST_BATCH_ROWS)


def _batches(frame: Frame, names: Set[str], few: int, most: int) -> Batches:
    rows = None if frame.npartitions <= few else rows_read(frame, names)
    return (
        single_partitions(frame)
        if rows is None
        else batch_neighbours(rows, few, min(most, partition_size() // ITEMSIZE))
    )


def _rows_matched(frame: Frame) -> int:
    """Return the rows read for a table in which rows of a frame find all their matches, the most of any; maybe 0."""
    indexed = (node.multiplicity.node.operands[0] for node in Chain.of(frame).selections if isinstance(node, MatchRows))
    return max((sum(_rows_read_by(table) or ()) for table in indexed if isinstance(table, Project)), default=0)


def single_partitions(frame: Frame) -> Batches:
    """Return one batch for each partition of a frame."""
    return tuple((number,) for number in range(frame.npartitions))


@cached_results("batches of partitions", 64, lambda batches: 8 * sum(map(len, batches)))
def batch_neighbours(
    rows: tuple[int, ...], few: int = tuning.FEW_PARTITIONS, most: int = tuning.MOST_BATCH_ROWS
) -> Batches:
    """Return about `few` batches of adjacent partitions, of about equal rows; a batch of several has up to `most` rows.

    Examples
    --------
    >>> [len(batch) for batch in batch_neighbours((1000,) * 256, 64)][:3]
    [4, 4, 4]
    >>> batch_neighbours((1050, 1050, 1050, 1050, 1050, 750), 2)
    ((0, 1, 2), (3, 4, 5))
    """
    total = max(sum(rows), 1)
    count = max(few, -(-total // most))
    batches: list[list[int]] = []
    before = remaining = 0
    place = -1
    for number, nrows in enumerate(rows):
        # The batch with the middle of its rows.
        wanted = (2 * before + nrows) * count // (2 * total)
        if wanted != place or nrows > remaining or len(batches[-1]) == tuning.MOST_BATCH_FILES:
            batches.append([])
            place, remaining = wanted, most
        batches[-1].append(number)
        before, remaining = before + nrows, remaining - nrows
    return tuple(map(tuple, batches))


def rows_read(frame: Frame, names: Set[str] = frozenset()) -> tuple[int, ...] | None:
    """Return the number of rows read for each partition of a frame, None if unknown.

    If some bases have the given names, the others do not count.
    """
    return _rows_of_chain(Chain.of(frame), frame.npartitions, names)


def _rows_of_chain(chain: Chain, npartitions: int, names: Set[str] = frozenset()) -> tuple[int, ...] | None:
    for base in [base for base in chain.bases if base._name in names] or chain.bases:
        found = _lengths(base)
        if found is not None:
            sources = chain.sources(npartitions)
            return tuple(found) if sources == range(len(found)) else tuple(found[source] for source in sources)
    return None


def _lengths(base: Frame) -> Sequence[int] | None:
    match base:
        case Project():
            return _rows_read_by(base)
        case Shared():
            return _rows_read_by(base.frame)
        case Scan() | Rows() | Literal() | Persisted():
            return base.rows.lengths
    return None


_READ = "_rows_read"


def _rows_read_by(project: Project) -> tuple[int, ...] | None:
    """Return the number of rows read for each partition of a projection, None if unknown.

    The projection caches it.  Projections below come first, without recursion: chains may be very long.
    """
    stack = [project]
    while stack:
        node = stack[-1]
        chain = Chain.of(node.frame)
        below = [base for base in chain.bases if isinstance(base, Project) and _READ not in base.__dict__]
        if below and _READ not in node.__dict__:
            stack.extend(below)
            continue
        stack.pop()
        if _READ not in node.__dict__:
            node.__dict__[_READ] = _rows_of_chain(chain, node.frame.npartitions)
    found: tuple[int, ...] | None = project.__dict__[_READ]
    return found


MOST_NAMED, LONGEST_NAME = 2, 20
"""Columns that the name of a task shows, and letters of each."""

Compile = Callable[[Sequence[Value]], Program]
MakeSink = Callable[[Compile, Sequence[Value]], Sink]

Member: TypeAlias = tuple[tuple[Selection, ...], tuple[Part | RowPositions | None, ...]]
"""Inputs of a task for a partition: its selections, and its sources; None for sources made by other tasks."""


@record
class PipelineLayout:
    """The shared part of a pipeline's tasks, and the way in which each finds its own inputs.

    `npartitions` is that of the chain.  `batches` has the partitions of each task, none for a task without rows.
    """

    token: str
    purpose: str
    chain: Chain
    masks: tuple[Mask | ExpandMatches, ...]
    sink: Sink
    npartitions: int
    batches: Batches
    block_rows: int

    @property
    def ntasks(self) -> int:
        """Number of tasks that read anything."""
        return sum(1 for batch in self.batches if batch)

    @property
    def nread(self) -> int:
        """Number of partitions that are read."""
        return sum(map(len, self.batches))

    @cached_property
    def step(self) -> str:
        """Description of the tasks, such as ``read+filter+sum bytes``, in words that Dask shows in full."""
        scans = [number for number, base in enumerate(self.chain.bases) if isinstance(base, Scan)]
        words = ["read"] if scans else []
        words += ["filter" if isinstance(mask, Mask) else "match" for mask in self.masks]
        columns = [_in_words(column) for number in scans for column in self.scanned(number)]
        named = ", ".join(columns[:MOST_NAMED]) + (", …" if len(columns) > MOST_NAMED else "")
        return f"{'+'.join([*words, _what(self.sink)])} {named}".strip().replace("-", "_")

    @property
    def table_bases(self) -> list[int]:
        """Positions of the inputs that are tables made by other tasks."""
        return [number for number, base in enumerate(self.chain.bases) if not isinstance(base, Scan | Rows)]

    def scanned(self, number: int) -> list[str]:
        """Columns that the pipeline reads from one input."""
        programs = (*(mask.predicate for mask in self.masks), *self.sink.programs)
        return sorted({str(load.column) for program in programs for load in program.loads if load.base == number})

    def selections(self, ranges: Sequence[tuple[int, int, int] | None]) -> tuple[Selection, ...]:
        """Return the selections of a partition, given the row ranges of its slices."""
        masks = iter(self.masks)
        return tuple(next(masks) if item is None else Range(*item) for item in ranges)


class Pipeline(Node):
    """The tasks of a row-wise chain, one for each batch of partitions.

    Operands after `layout` are the inputs made by other tasks, then the replicated nodes.
    """

    is_fusible = True

    layout: PipelineLayout

    @classmethod
    def step(cls, *operands: Any) -> str:
        return operands[0].step

    @property
    def npartitions(self) -> int:
        return len(self.layout.batches)

    @without_collection
    def _layer(self) -> dict[Any, Any]:
        layout = self.layout
        bases = layout.chain.bases
        tables = [node.__dask_keys__() for _, node in zip(layout.table_bases, self.operands[1:], strict=False)]
        replicas = List(*[TaskRef(key) for node in self.operands[1 + len(tables) :] for key in node.__dask_keys__()])
        scanned = [layout.scanned(number) for number in range(len(bases))]
        shared = (layout.sink, layout.block_rows)
        selected = token(tuple(map(selected_by, layout.chain.selections)))
        graph: dict[Any, Any] = {}
        for index, batch in enumerate(layout.batches):
            key = (self._name, index)
            if not batch:
                graph[key] = self._without_rows(key, replicas)
                continue
            members: list[Member] = []
            made: list[TaskRef] = []
            for number in batch:
                source, ranges = layout.chain.partition(number)
                fixed = tuple(_fixed_input(base, source, columns) for base, columns in zip(bases, scanned, strict=True))
                members.append((layout.selections(ranges), fixed))
                made += [TaskRef(keys[source]) for keys in tables]
            graph[key] = Task(key, run_batch, shared, tuple(members), List(*made), replicas, (selected, batch))
        return graph

    def _without_rows(self, key: Any, replicas: List) -> DataNode | Task:
        """Return the sink's result for no rows; only a sink that uses replicated results needs a task for it."""
        if replicas.args:
            return Task(key, run_batch, *self._no_rows, replicas)
        return DataNode(key, self._nothing)

    @property
    def _no_rows(self) -> tuple[tuple[Sink, int], tuple[Member], tuple[()]]:
        """Arguments of a task without rows, except for the replicated results."""
        inputs = (RowPositions(0, 0),) * len(self.layout.chain.bases)
        return (self.layout.sink, self.layout.block_rows), (((), inputs),), ()

    @cached_property
    def _nothing(self) -> Any:
        return run_batch(*self._no_rows, ())


def _fixed_input(base: Frame, partition: int, columns: Sequence[str]) -> Part | RowPositions | None:
    if isinstance(base, Scan):
        return base.source.part(partition, columns)
    if isinstance(base, Rows):
        return RowPositions(base.starts[partition], base.lengths[partition])
    return None


def run_batch(
    shared: tuple[Sink, int],
    members: tuple[Member, ...],
    made: Sequence[Table],
    replicas: Sequence[Any],
    identity: tuple[Hashable, ...] = (),
) -> Any:
    """Run a pipeline on the partitions of a batch.  This is the function of its tasks.

    `shared` has the sink, and the rows of a block. `members` are the partitions. `made` are
    the inputs from other tasks, in the order of the partitions.  Returns the result of the sink.
    """
    manage_freed_memory()
    sink, block_rows = shared
    remaining = iter(made)
    broadcast = [item.columns if isinstance(item, Table) else item for item in replicas]
    given = [(chosen, [next(remaining) if item is None else item for item in fixed]) for chosen, fixed in members]
    # Floats of repeated rows are summed in units that start at the first row of their partition.
    stays_apart = _adds_floats(sink) and any(isinstance(item, ExpandMatches) for item in given[0][0])
    partitions = [
        Partition(
            inputs,
            broadcast,
            selections,
            block_rows,
            sink.leave_last_mask,
            ends_early=getattr(sink, "limit", None) is not None,
            identity=identity,
        )
        for selections, inputs in (given if stays_apart else coalesce_partitions(given, block_rows))
    ]
    if len(partitions) > 1:
        with PartitionBatch(partitions, identity) as batch:
            return sink.run(batch)
    with partitions[0] as partition:
        return sink.run(partition)


def rows_of_task(task: Task, tables: Mapping[Hashable, int]) -> int | None:
    """Return the number of rows that a pipeline's task goes over, as far as the plan tells; None if it reads files.

    Parameters
    ----------
    task : task of Dask
        Its function is `run_batch`.
    tables : mapping of key to int
        Rows of the tables in memory, by the keys of the tasks that made them.
    """
    (sink, *_), members, made, *_ = task.args
    if getattr(sink, "picks_rows", False):
        return 0
    remaining = iter(made.args if isinstance(made, List) else made)
    total = 0
    for selections, fixed in members:
        rows = 0
        for item in fixed:
            if item is None:
                found = tables.get(next(remaining).key, 0)
            elif isinstance(item, RowPositions):
                found = item.nrows
            else:
                return None
            rows = max(rows, found)
        if isinstance(sink, Collect) and sink.limit is not None and sink.limit >= 0 and not selections:
            rows = min(rows, sink.limit)
        elif selections and isinstance(selections[0], Range):
            rows = min(rows, max(selections[0].stop - selections[0].start, 0))
        total += rows
    return total


def _what(sink: Sink) -> str:
    """Describe a sink: by the names of its reductions, or in its own words."""
    if isinstance(sink, Reduce):
        calls = (*sink.plain_calls, *sink.computed_calls)
        return ", ".join(dict.fromkeys(reduction.name for _, reduction in calls)) or "reduce"
    return _class_in_words(type(sink))


@cache
def _class_in_words(kind: type) -> str:
    return re.sub("(?<!^)(?=[A-Z])", " ", kind.__name__).lower()


def _in_words(column: str) -> str:
    """Return a column's name for the keys of tasks: short, and without characters that UTF-8 lacks."""
    return column[:LONGEST_NAME].encode(errors="replace").decode()


def _adds_floats(sink: Sink) -> bool:
    return isinstance(sink, Reduce) and sink.adds_floats


def pipeline(
    frame: Frame, values: Sequence[Value], make_sink: MakeSink, purpose: str, *, batches: Batches | None = None
) -> Expr:
    """Return the physical node that evaluates values on the rows of a frame.

    Parameters
    ----------
    frame : Frame
        The source of the rows.
    values : sequence of Value
        The values that the sink evaluates.
    make_sink : callable
        Returns the sink, given a function that compiles values, and the values.
    purpose : str
        Purpose of the values, shown by `explain`; distinguishes pipelines of the same values.
    batches : tuple of tuples of int, optional
        Partitions that may share a task, as `partition_batches` returns them, if it does not matter which partitions a
        result covers.  There is at least one result.  Without batches, each partition has its own, with rows or not.
    """
    inner = [_pipeline(*chain, make_sink, purpose) for chain in _seen_through(frame, values, batches)]
    return inner[0] if len(inner) == 1 else Union(*inner)


def pipeline_into(
    frame: Frame, names: tuple[Hashable, ...], values: Sequence[Value], lengths: Sequence[int], arrays: Node
) -> Expr:
    """Return the physical node that computes values of rows of known numbers into arrays, which a node allocates."""

    def into(compile_these: Compile, given: Sequence[Value], starts: tuple[int, ...]) -> Sink:
        return Collect(names, compile_these(given), starts=starts)

    return pipeline_with_starts(frame, values, lengths, into, "collect", arrays)


def pipeline_with_starts(
    frame: Frame,
    values: Sequence[Value],
    lengths: Sequence[int],
    make_sink: Callable[[Compile, Sequence[Value], tuple[int, ...]], Sink],
    purpose: str,
    *shared: Node,
) -> Expr:
    """Return the physical node like `pipeline`, for sinks that know the first row of each partition.

    Partitions have the given lengths. All partitions of `shared` nodes are the last replicas of each task.
    """
    inner = []
    first_rows, first = tuple(accumulate(lengths, initial=0)), 0
    for rows, wanted, batches in _seen_through(frame, values, None):
        starts = first_rows[first : first + rows.npartitions]
        first += rows.npartitions
        # Equal parts of a concatenation have rows of their own.
        named = f"{purpose} from row {starts[0] if starts else 0}"
        inner.append(_pipeline(rows, wanted, batches, partial(_placed, make_sink, starts), named, *shared))
    return inner[0] if len(inner) == 1 else Union(*inner)


def _placed(
    make_sink: Callable[[Compile, Sequence[Value], tuple[int, ...]], Sink],
    starts: tuple[int, ...],
    compile_these: Compile,
    values: Sequence[Value],
) -> Sink:
    return make_sink(compile_these, values, starts)


def _seen_through(
    frame: Frame, values: Sequence[Value], batches: Batches | None
) -> Iterator[tuple[Frame, Sequence[Value], Batches | None]]:
    """Yield the chains below projections and concatenations, iteratively: there may be very many."""
    stack: list[tuple[Frame, Sequence[Value], Batches | None]] = [(frame, values, batches)]
    while stack:
        frame, values, batches = stack.pop()
        if len(frame.bases) > 1:
            frame = narrowed(frame, values)
        frame, values = _of_used_columns(frame, values)
        if len(frame.bases) > 1:
            frame, values = _in_one_pass(frame, values)
        parts = through(frame, values)
        if parts is None:
            yield frame, values, batches
            continue
        # The parts of a concatenation have single partitions as batches, as they have beside other bases.
        joined = batches is not None and len(parts) > 1
        stack += [(part, item, single_partitions(part) if joined else batches) for part, item in reversed(parts)]


def _pipeline(
    frame: Frame, values: Sequence[Value], batches: Batches | None, make_sink: MakeSink, purpose: str, *shared: Node
) -> Pipeline:
    """Return the tasks of a chain whose bases are neither projections nor concatenations; each gets `shared`, too."""
    chain, values = decided_by_bounds(Chain.of(frame), values)
    chain = _in_stages(chain)
    positions = {base._name: number for number, base in enumerate(chain.bases)}
    everything = [*chain.predicates, *chain.replicas, *values]
    awaiting = [value for value in everything if value.awaits]
    nodes = {value.node._name: value.node for value in walk(*awaiting) if isinstance(value, Replica)}
    replicas = {name: number for number, name in enumerate(nodes)}

    compiler = Compiler([*([predicate] for predicate in chain.predicates), values], positions, replicas)
    masks = _masks(chain, positions, compiler)
    sink = make_sink(compiler.last, values)
    batches = _batches_left(chain, frame, batches)
    layout = PipelineLayout(
        # The files' state, which names the frame, is not all that decides which partitions are left.
        token("pipeline", purpose, frame, tuple(values), batches),
        purpose,
        chain,
        masks,
        sink,
        frame.npartitions,
        batches,
        _block_rows([mask.predicate for mask in masks], sink.programs, UNIT if _adds_floats(sink) else 1),
    )
    made = [chain.bases[number] for number in layout.table_bases]
    return Pipeline(layout, *made, *nodes.values(), *shared)


def decided_by_bounds(chain: Chain, values: Sequence[Value]) -> tuple[Chain, list[Value]]:
    """Return a chain and values without comparisons that bounds decide, and filters that leave all rows."""
    if not any(isinstance(base, Scan) for base in chain.bases):
        return chain, list(values)
    found = decided(chain.bases, [*chain.predicates, *values])
    predicates, selections = iter(found), list[Selecting]()
    for node in chain.selections:
        if isinstance(node, Filter):
            predicate = next(predicates)
            if predicate.token != ALWAYS.token:
                is_same = predicate is node.predicate
                selections.append(node if is_same else Filter(node.frame, predicate, node.mask))
            continue
        if isinstance(node, MatchRows):
            next(predicates)
        selections.append(node)
    return Chain(chain.bases, tuple(selections)), found[len(chain.predicates) :]


def _in_stages(chain: Chain) -> Chain:
    """Return a chain whose filters ask conditions on text last, of the rows that all other conditions leave."""
    selections: list[Selecting] = []
    for node in chain.selections:
        stages = stages_of(node.predicate) if isinstance(node, Filter) else ()
        selections += [node] if len(stages) < 2 else [Filter(node.frame, stage, node.mask) for stage in stages]
    return Chain(chain.bases, tuple(selections))


def _batches_left(chain: Chain, frame: Frame, batches: Batches | None) -> Batches:
    """Return the batches without the partitions that the filters exclude; by default each partition is a batch."""
    left = partitions_left(chain.bases, chain.predicates)
    wanted = single_partitions(frame) if batches is None else batches
    if left is None:
        return wanted
    sources = chain.sources(frame.npartitions)
    left_batches = tuple(tuple(number for number in batch if left[sources[number]]) for batch in wanted)
    return left_batches if batches is None else tuple(filter(None, left_batches)) or ((),)


def _masks(chain: Chain, positions: dict[str, int], compiler: Compiler) -> tuple[Mask | ExpandMatches, ...]:
    """Compile filters and matches; the row numbers added by a match count as one more input."""
    masks: list[Mask | ExpandMatches] = []
    for node in chain.selections:
        match node:
            case Filter():
                masks.append(Mask(compiler.next([node.predicate])))
            case MatchRows():
                found = compiler.next([node.found])
                (multiplicity,) = compiler.last([node.multiplicity]).steps
                assert isinstance(multiplicity, BroadcastInput), "a replica is whole"
                base = positions[node.match.token] = len(positions)
                masks.append(ExpandMatches(found, multiplicity, node.keep_all, Load(base, ROW, INT64)))
    return tuple(masks)


def narrowed(frame: Frame, values: Sequence[Value]) -> Frame:
    """Return the frame without bases whose columns are unused, so that these are not computed."""
    chain = Chain.of(frame)
    if len(chain.bases) == 1:
        return frame
    used = {column.source for column in columns_of(*chain.predicates, *values)}
    bases = tuple(base for base in chain.bases if base._name in used) or chain.bases[:1]
    if len(bases) == len(chain.bases):
        return frame
    return rebuild(bases[0] if len(bases) == 1 else Zip(bases), chain.selections, chain.predicates)


def _of_used_columns(frame: Frame, values: Sequence[Value]) -> tuple[Frame, Sequence[Value]]:
    """Return the rows and the values on bases that compute only the columns that are used."""
    if all(type(base).of_columns is Frame.of_columns for base in frame.bases):
        return frame, values
    chain = Chain.of(frame)
    used: dict[str, dict[Hashable, ColumnRef]] = {base._name: {} for base in chain.bases}
    for column in columns_of(*chain.predicates, *values):
        used.get(column.source, {})[column.name] = column
    bases = tuple([base.of_columns(used[base._name]) for base in chain.bases])
    if bases == chain.bases:
        return frame, values
    replaced: dict[str, Value] = {}
    for old, new in zip(chain.bases, bases, strict=True):
        for column in used[old._name].values():
            replaced[column.token] = ColumnRef(new._name, column.name, column.dtype)
    return _on_bases(chain, bases, replaced, values)


def _in_one_pass(frame: Frame, values: Sequence[Value]) -> tuple[Frame, Sequence[Value]]:
    """Return the rows and the values on merged bases: columns that one pass can compute are computed together."""
    chain = Chain.of(frame)
    alike: defaultdict[Hashable, list[Frame]] = defaultdict(list)
    for base in chain.bases:
        key = base.pass_key
        alike[base._name if key is None else (type(base), key)].append(base)
    if len(alike) == len(chain.bases):
        return frame, values
    bases: dict[str, Frame] = {}
    replaced: dict[str, Value] = {}
    for first, *others in alike.values():
        joined = first.in_one_pass(others) if others else None
        for base in (first, *others) if joined is None else joined[:1]:
            bases[base._name] = base
        replaced.update({} if joined is None else joined[1])
    return _on_bases(chain, tuple(bases.values()), replaced, values) if replaced else (frame, values)


def _on_bases(
    chain: Chain, bases: tuple[Frame, ...], replaced: Mapping[str, Value], values: Sequence[Value]
) -> tuple[Frame, Sequence[Value]]:
    """Return the rows of a chain on other bases, and values on them."""
    predicates = chain.predicates
    found = substitute_all([*predicates, *values], replaced)
    rows = rebuild(bases[0] if len(bases) == 1 else Zip(bases), chain.selections, found[: len(predicates)])
    return rows, found[len(predicates) :]


def _block_rows(masks: Sequence[Program], programs: Sequence[Program], unit: int) -> int:
    """Return the number of rows to evaluate at a time, a multiple of `unit`.

    A single column fills a block; several columns share the cache, so that blocks have fewer rows.  Columns that only
    the rows need that the first of some masks leaves take less of it.  With very many columns, a lower bound keeps the
    cost of a step small compared to its work.
    """
    seen: set[tuple[int, Hashable]] = set()
    columns = temporaries = 0.0
    for number, program in enumerate((*masks, *programs)):
        share = tuning.SHARE_LEFT if masks and number else 1
        for step in program.steps:
            if isinstance(step, Load):
                if (step.base, step.column) not in seen:
                    seen.add((step.base, step.column))
                    columns += share if step.dtype.is_number else share * tuning.STRING_WIDTH
            elif isinstance(step, Apply):
                temporaries = 2
    rows = max(1, int(config.get("block_size")) // ITEMSIZE)
    wanted = min(rows, max(int(2 * rows / max(1, columns + temporaries)), tuning.FEWEST_BLOCK_ROWS))
    return max(wanted - wanted % unit, unit)
