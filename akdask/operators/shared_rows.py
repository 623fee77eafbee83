"""Rows that several passes of one plan read are found once: `share_rows`, a rewrite of the optimiser.

A pass evaluates filters and matches on the rows of files, block by block, so that passes over the same selected rows
read and match them again. If few rows are left, by guess, their columns are kept in memory for all passes: they are
results of tasks, which go to spill files where memory is short.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence

from akdask.engine import tuning
from akdask.engine.alignment import max_rows
from akdask.engine.node import Frame, Node
from akdask.engine.optimizer import Rewriting, inputs_first, parts_of
from akdask.engine.rowwise import Chain, Concat, Filter, MatchRows, Project, SelectedRows, Shared, Zip
from akdask.engine.sources import RowNumbers, partitions_left
from akdask.engine.values import ColumnRef, Value, columns_of
from akdask.operators.group.plan import GroupAggregate, GroupStatistic
from akdask.operators.join.order import share_left
from akdask.operators.reduce.plan import Aggregate, CountRows

SELECTING = (Filter, MatchRows)
READING = (Project, Aggregate, GroupAggregate, GroupStatistic, CountRows, RowNumbers)
"""Kinds of nodes that evaluate values on selected rows, or count these."""


def share_rows(plans: Sequence[Node]) -> list[Node]:
    """Return plans in which few selected rows with several readers are computed once."""
    while True:
        nodes = inputs_first(plans)
        chosen = next(_worth_sharing(nodes), None)
        if chosen is None:
            return list(plans)
        plans = _shared(plans, nodes, *chosen)


def _shared(plans: Sequence[Node], nodes: Sequence[Node], rows: Frame, readers: Sequence[Node]) -> list[Node]:
    """Return plans whose readers of some rows take them from a table that is computed once."""
    columns = _columns(rows, readers)
    table = Shared(Project(rows, tuple(range(len(columns))), tuple(columns)))
    of_columns: defaultdict[str, dict[Hashable, Value]] = defaultdict(dict)
    for number, column in enumerate(columns):
        of_columns[column.source][column.name] = table.column(number)
    rewriting = Rewriting({}, {})
    of_table = rewriting.with_columns(of_columns)
    above = {reader._name for reader in readers}
    for node in nodes:
        if node is rows:
            rewriting.replace(node, table)
        elif node._name not in above:
            rewriting.add(node)
        elif (found := of_table.with_new_parts(node)) is not node:
            rewriting.replace(node, found)
    return [rewriting.node(plan) for plan in plans]


def _columns(rows: Frame, readers: Sequence[Node]) -> list[ColumnRef]:
    """Return the columns of rows that readers refer to."""
    values = [part for reader in readers for part in parts_of(reader) if isinstance(part, Value)]
    return [column for column in columns_of(*values) if column.source in rows.sources]


def _worth_sharing(nodes: Sequence[Node]) -> Iterator[tuple[Frame, Sequence[Node]]]:
    """Yield selected rows that several passes would find again, and the nodes that refer to their columns."""
    passes = _passes(nodes)
    if not any(passes[node._name] > 1 for node in nodes if isinstance(node, SELECTING)):
        return
    readers = defaultdict[str, list[Node]](list)
    for node in nodes:
        for name in {part._name for part in parts_of(node) if isinstance(part, Frame)}:
            readers[name].append(node)
    for node in nodes:
        if isinstance(node, SELECTING) and passes[node._name] > 1 and _part(node, readers[node._name]):
            above = list(_above(node, readers))
            if all(isinstance(reader, SELECTING + READING) for reader in above) and _are_few(node, above):
                yield node, above


def _passes(nodes: Sequence[Node]) -> Counter[str]:
    """Count the passes that would find the rows of each node."""
    passes = Counter[str]()
    for node in reversed(nodes):
        count = passes[node._name] if isinstance(node, SelectedRows | Project | Zip | Concat) else 1
        once = {}
        for part in parts_of(node):
            if isinstance(part, Frame):
                # Projections of the same rows are computed together.
                key = part.pass_key if isinstance(part, Project) and isinstance(node, Zip) else part._name
                once[key] = part
        for part in once.values():
            passes[part._name] += max(count, 1)
    return passes


def _part(node: Frame, readers: Sequence[Node]) -> bool:
    """Whether passes part after a selection, none of which leaves out partitions that others read."""
    if len(readers) == 1:
        return not isinstance(readers[0], SELECTING)
    return sum(not _excludes(node, reader) for reader in readers) > 1


def _excludes(node: Frame, reader: Node) -> bool:
    """Whether a filter on selected rows leaves partitions out that the selection reads."""
    chain = Chain.of(node)
    return isinstance(reader, Filter) and partitions_left(chain.bases, [reader.predicate]) is not None


def _above(rows: Frame, readers: dict[str, list[Node]]) -> Iterator[Node]:
    """Yield the nodes that refer to columns of selected rows, or of what is selected of these."""
    stack: list[Node] = [rows]
    while stack:
        for reader in readers[stack.pop()._name]:
            yield reader
            if isinstance(reader, SELECTING):
                stack.append(reader)


def _are_few(rows: Frame, readers: Sequence[Node]) -> bool:
    """Whether rows are few, and not read faster than they would be kept."""
    chain, most = Chain.of(rows), max_rows(rows)
    if not all(isinstance(node, SELECTING) for node in chain.selections) or not _columns(rows, readers):
        return False
    if most is None or most < tuning.SHARED_ROWS * rows.npartitions:
        return False
    if any(isinstance(node, MatchRows) for node in chain.selections):
        return share_left(rows) <= tuning.SHARED_MATCHES
    # Sums of floats are the same for all partitions of the files, if their rows are.
    is_summed = any(isinstance(reader, Aggregate) for reader in readers)
    return not is_summed and share_left(rows) <= tuning.SHARED_FILTERED
