"""Rules of the optimiser: rewrites of nodes that use what readers need (`akdask.operators.needs`).

Sorts have rewrites of their own: columns of the same rows are sorted together, and positions are sorted in place of
text. Text in the rows of a sort is copied into slices, again when ranges are sorted, and again when partitions are
joined. If it is in this process's memory, or is looked up in a table there, positions take its place in 8 bytes. Text
that nobody reads is then never copied.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import is_
from typing import Any, NamedTuple

from akdask.cluster import memory, shares_memory
from akdask.columns.dtypes import INT64
from akdask.columns.table import Table, nbytes
from akdask.engine import tuning as engine_tuning
from akdask.engine.alignment import Compact, Gather, Limit, OverProject, Realign, Reverse, max_rows
from akdask.engine.memory import SpillableResult, result_in
from akdask.engine.node import ColumnIdentity, Frame, Node
from akdask.engine.optimizer import (
    Inlined,
    Need,
    Rewriting,
    Rule,
    Swapped,
    are_needs_sought,
    inputs_first,
    kinds_of,
    rewritten,
)
from akdask.engine.rowwise import (
    Chain,
    Computed,
    Concat,
    Filter,
    MatchRows,
    Project,
    Zip,
    column_identity,
    rebuild,
    renamed_columns,
)
from akdask.engine.sources import Literal, Persisted, RowNumbers
from akdask.engine.values import (
    Call,
    ColumnRef,
    Constant,
    Replica,
    Value,
    all_of,
    columns_of,
    conditions_of,
    substitute,
    substitute_all,
    token,
    walk,
)
from akdask.operators.group import tuning
from akdask.operators.group.plan import GroupAggregate, GroupIdentity, Groups, GroupStatistic
from akdask.operators.join.plan import INDEX, KEEPING_ROWS, BuildIndex, BuildKeySet, HashJoin
from akdask.operators.needs import below_filters, find_needs, groups_of, is_in_order, other_keys
from akdask.operators.reduce.plan import Aggregate, AggregateExpr, Element
from akdask.operators.rows import tuning as rows_tuning
from akdask.operators.rows.plan import BroadcastColumn, Take, broadcast_columns, fits_broadcast
from akdask.operators.sort.plan import Sort
from akdask.operators.sort.ranges import ROW
from akdask.operators.sort.top_k import Ranks, TopK
from akdask.records import record


def rewritten_by_rules(plans: list[Node], nodes: Sequence[Node], kinds: Mapping[str, int]) -> list[Node]:
    """Return plans rewritten by all rules; `nodes` are given inputs first, and counted in `kinds`."""
    if len(plans) > 1 or kinds.get("GroupAggregate", 0) > 1:
        plans = share_aggregates(share_groups(plans))
        nodes = inputs_first(plans)
    if not are_needs_sought(nodes, kinds):
        return plans
    if kinds.get("Sort", 0) > 1:
        plans = share_sorts(plans)
        nodes = inputs_first(plans)
    for _ in range(engine_tuning.MOST_PASSES):
        needs = find_needs(nodes, plans)
        found = rewritten(plans, nodes, needs, RULES)
        if all(map(is_, found, plans)):
            break
        # Once more: nodes that were apart may meet now, and columns of filters may be unused.
        plans, nodes = found, inputs_first(found)
    else:
        needs = find_needs(nodes, plans)
    kinds = kinds_of(nodes)
    if "MatchRows" in kinds and kinds["MatchRows"] + kinds.get("Filter", 0) > 1:
        from akdask.operators.join.order import arrange_joins

        found = arrange_joins(plans, nodes, needs)
        if not all(map(is_, found, plans)):
            plans, nodes = found, inputs_first(found)
            if any(isinstance(node, Filter) and isinstance(below_filters(node)[1], Groups) for node in nodes):
                # Keys of few rows filter groups now.
                plans = rewritten(plans, nodes, find_needs(nodes, plans), RULES)
                nodes = inputs_first(plans)
            kinds, needs = kinds_of(nodes), {}
    if "BuildIndex" in kinds and "Gather" in kinds:
        plans = compute_once(plans, nodes, needs)
    if any(isinstance(node, Filter | MatchRows) and _has_rows_to_share(node) for node in nodes):
        from akdask.operators.shared_rows import share_rows

        plans = share_rows(plans)
    return carry_positions(plans) if "Sort" in kinds else plans


def _has_rows_to_share(selected: Frame) -> bool:
    """Whether so many rows are selected from that a first query may load what shares them."""
    return (max_rows(selected) or 0) >= engine_tuning.SHARED_ROWS * selected.npartitions


_Merged = tuple[GroupAggregate, dict[str, ColumnRef]]
"""A node that merges several, and the position of each one's columns in it."""


def share_groups(plans: Sequence[Node]) -> list[Node]:
    """Return plans that compute groups of the same rows and keys together, such as keys, sums and means."""
    alike: defaultdict[tuple[str, ...], dict[str, GroupAggregate]] = defaultdict(dict)
    for plan in plans:
        for node in _grouped(plan):
            alike[node.pass_key][node._name] = node
    merged: dict[str, _Merged] = {}
    for first, *others in map(dict.values, alike.values()):
        found = first.in_one_pass(others) if others else None
        if found is not None:
            merged.update({node._name: found for node in (first, *others)})
    return [_moved_reduction(plan, merged) for plan in plans] if merged else list(plans)


def _computed(plan: Any) -> list[Computed]:
    """Return the plan that a result shows or takes a scalar from; None once it has been lowered."""
    return [operand for operand in getattr(plan, "operands", ()) if isinstance(operand, Computed)]


def _grouped(plan: Any) -> list[GroupAggregate]:
    return [base for item in _computed(plan) for base in Chain.of(item.frame).bases if isinstance(base, GroupAggregate)]


def _moved_reduction(plan: Any, merged: Mapping[str, _Merged]) -> Any:
    operands = [_moved_rows(item, merged) if isinstance(item, Computed) else item for item in plan.operands]
    if all(new is old for new, old in zip(operands, plan.operands, strict=True)):
        return plan
    return type(plan)(*operands)


def _moved_rows(computed: Computed, merged: Mapping[str, _Merged]) -> Computed:
    chain = Chain.of(computed.frame)
    replaced: dict[str, Value] = {}
    bases: dict[str, Frame] = {}
    for base in chain.bases:
        new, columns = merged.get(base._name, (base, {}))
        bases[new._name] = new
        replaced.update(columns)
    if not replaced:
        return computed
    base = next(iter(bases.values())) if len(bases) == 1 else Zip(tuple(bases.values()))
    predicates = [substitute(predicate, replaced) for predicate in chain.predicates]
    return computed.moved(rebuild(base, chain.selections, predicates), replaced)


def share_aggregates(plans: Sequence[Node]) -> list[Node]:
    """Return plans with one pass for all reductions of the same rows, such as a sum and the mean of another column."""
    groups: defaultdict[str, dict[str, Element]] = defaultdict(dict)
    for plan in plans:
        if _is_reduction(plan):
            groups[plan.aggregate.frame._name][plan.aggregate._name] = plan
    moved: dict[str, tuple[Aggregate, int]] = {}
    for elements in groups.values():
        if len(elements) > 1:
            moved.update(_merged_reductions([element.aggregate for element in elements.values()]))
    return [_moved_element(plan, moved) for plan in plans] if moved else list(plans)


def _is_reduction(plan: Any) -> bool:
    """Whether the plan is one result of reductions."""
    return isinstance(plan, Element) and isinstance(plan.operands[0], Aggregate)


def _merged_reductions(aggregates: list[Aggregate]) -> dict[str, tuple[Aggregate, int]]:
    """Return the merged place of each reduction, by its token within its rows."""
    reductions: dict[str, AggregateExpr] = {}
    for aggregate in aggregates:
        reductions.update((item.token, item) for item in aggregate.reductions)
    merged = Aggregate(aggregates[0].frame, tuple(reductions.values()))
    frame = merged.frame._name
    return {f"{frame} {token}": (merged, position) for position, token in enumerate(reductions)}


def _moved_element(plan: Any, moved: dict[str, tuple[Aggregate, int]]) -> Any:
    if not _is_reduction(plan):
        return plan
    wanted = plan.aggregate.reductions[plan.position]
    found = moved.get(f"{plan.aggregate.frame._name} {wanted.token}")
    return plan if found is None else Element(*found, plan.form)


def of_columns(node: OverProject, need: Need) -> Any:
    """Return a node with the columns of a projection that are read."""
    project = narrowed(node.frame, need.only(node.frame.names))
    return None if project is node.frame else type(node)(project, *node.operands[1:])


def narrow_sort(sort: Sort, need: Need) -> Sort:
    """Drop columns of sorted rows that nobody reads, except for the keys."""
    names = tuple(need.only(sort.names))
    numbers = [ROW] if sort.order.straddle else []
    return Sort(narrowed(sort.frame, [*sort.by, *names, *numbers]), sort.by, names, sort.order)


def ranked_later(top: TopK, need: Need) -> Inlined | None:
    """Count the groups before a few first or last ones for the numbers of these, so that not all need be sorted."""
    zipped, project = top.frame.frame, top.frame
    if not isinstance(zipped, Zip) or len(zipped.frames) != 2 or abs(top.count) > tuning.MOST_RANKED:
        return None
    groups, numbers = zipped.frames
    if not isinstance(groups, Groups) or not isinstance(numbers, RowNumbers) or numbers.frame is not groups:
        return None
    ranked = {
        name for name, value in zip(project.names, project.values, strict=True) if value.token == numbers.position.token
    }
    others = {name: value for name, value in zip(project.names, project.values, strict=True) if name not in ranked}
    is_numbered = any(column.source == numbers._name for column in columns_of(*others.values()))
    if not _are_free(groups) or is_numbered or not ranked.isdisjoint(top.by):
        return None
    keys = {("key", number): groups.key(number) for number in range(len(groups.keys))}
    given = Project(groups, (*others, *keys), (*others.values(), *keys.values()))
    names = tuple(name for name in top.names if name not in ranked)
    few = TopK(given, top.by, top.ascending, (*names, *keys), top.count)
    ranks = Ranks(Project(groups, (*keys,), (*keys.values(),)), Project(few, (*keys,), (*map(few.column, keys),)))
    return Inlined(Zip((few, ranks)), {name: few.column(name) if name in others else ranks.rank for name in top.names})


def by_keys_too(top: TopK, need: Need) -> TopK | None:
    """Order first or last groups by their keys as well, as they are anyway: then groups need not be sorted before."""
    groups = groups_of(top)
    keys = other_keys(top, groups) if groups is not None and _are_free(groups) else []
    if not keys:
        return None
    by, project = tuple(("key", number) for number in range(len(keys))), top.frame
    keyed = Project(project.frame, (*project.names, *by), (*project.values, *keys))
    return TopK(keyed, (*top.by, *by), (*top.ascending, *(True for _ in keys)), top.names, top.count)


def narrow_top_k(top: TopK, need: Need) -> TopK:
    """Drop columns of first or last rows that nobody reads, since the input may be narrower now."""
    names = tuple(need.only(top.names))
    return TopK(narrowed(top.frame, [*top.by, *names]), top.by, top.ascending, names, top.count)


def narrow_join(join: HashJoin, need: Need) -> HashJoin:
    """Drop columns of joined rows that nobody reads."""
    names = tuple(need.only(join.names))
    left, right = narrowed(join.left, [*join.left_by, *names]), narrowed(join.right, [*join.right_by, *names])
    return HashJoin(left, join.left_by, right, join.right_by, names, *join.operands[5:])


def in_place(project: Project, need: Need) -> Inlined | None:
    """Return the rows of a projection for readers that compute the columns that they read themselves."""
    if not need.is_computed_in_place:
        return None
    return Inlined(project.frame, dict(zip(project.names, project.values, strict=True)), keeps_rows=True)


def narrow_project(project: Project, need: Need) -> Project | None:
    """Drop columns of a projection that nobody reads, since the input may lack theirs now."""
    return None if need.every_column else narrowed(project, need.only(project.names))


def narrow_concat(concat: Concat, need: Need) -> Concat:
    """Drop columns of concatenated rows that nobody reads."""
    names = need.only(concat.frames[0].names)
    return Concat(tuple([narrowed(frame, names) for frame in concat.frames]))


def narrow_zip(zipped: Zip, need: Need) -> Frame | None:
    """Return the frames side by side whose columns are read, each once."""
    frames = tuple({frame._name: frame for frame in need.only_frames(zipped)}.values())
    if len(frames) == len(zipped.frames):
        return None
    return frames[0] if len(frames) == 1 else Zip(frames)


def narrowed(project: Project, names: Iterable[Hashable]) -> Project:
    """Return a projection with fewer columns, in its order."""
    wanted = set(names)
    if len(wanted.intersection(project.names)) == len(project.names):
        return project
    wanted_columns = [
        (name, value) for name, value in zip(project.names, project.values, strict=True) if name in wanted
    ]
    return Project(
        project.frame, tuple(name for name, _ in wanted_columns), tuple(value for _, value in wanted_columns)
    )


LEFT, RIGHT, NEITHER = range(3)
"""The sides of a join to which a filter moves, the side that is computed first leading."""


def split_filter(node: Filter, need: Need) -> Filter | None:
    """Split a filter whose conditions belong to different sides of a join below, into filters in sequence."""
    if not need.owns_input or not isinstance(node.frame, HashJoin | MatchRows | Groups):
        return None
    parts: defaultdict[int, list[Value]] = defaultdict(list)
    for condition in conditions_of(node.predicate):
        parts[_side(condition, node.frame, need)].append(condition)
    if len(parts) == 1:
        return None
    *first, last = [all_of(parts[side]) for side in sorted(parts)]
    frame = node.frame
    for condition in first:
        frame = Filter(frame, condition, ColumnIdentity(token("condition", condition, node.mask)))
    return Filter(frame, last, node.mask)


def _side(condition: Value, join: HashJoin | MatchRows | Groups, need: Need) -> int:
    """Return the side of a join whose columns a condition uses, if that side may be filtered before the join.

    A join that keeps rows without a match cannot be filtered on the other side first. Groups have one side, their rows.
    """
    if isinstance(join, Groups):
        return LEFT if _is_of_keys(condition, _keys_of(join)) else NEITHER
    columns = columns_of(condition)
    if isinstance(join, MatchRows):
        if all(column.source != join.match.token for column in columns):
            return LEFT
        is_of_right = need.only_looks_up and all(column.source == join.match.token for column in columns)
        return RIGHT if is_of_right and not join.keep_all else NEITHER
    if join.kind in KEEPING_ROWS or any(column.source != join._name for column in columns):
        return NEITHER
    if all(column.name in join.left.names for column in columns):
        return LEFT
    is_of_right = join.kind == "inner" and all(column.name in join.right.names for column in columns)
    return RIGHT if is_of_right else NEITHER


def filter_first(node: Filter, need: Need) -> Swapped | None:
    """Swap a filter and the node below it, if nobody else reads that node."""
    if not need.owns_input:
        return None
    below = node.frame
    if type(below) is Sort and not need.partitions:
        return Swapped(_sorted_later(node, below), below)
    filters, base = below_filters(node)
    if isinstance(base, GroupAggregate | GroupStatistic):
        return None if need.partitions and base.npartitions > 1 else _grouped_later(node, filters, base)
    if not isinstance(below, HashJoin | MatchRows):
        return None
    side = _side(node.predicate, below, need)
    if side == NEITHER:
        return None
    if isinstance(below, HashJoin):
        return Swapped(_joined_later(node, below, side), below)
    return _matched_later(node, below) if side == LEFT else _found_later(node, below)


def _sorted_later(node: Filter, sort: Sort) -> Sort:
    project = _with_filter(node, sort, sort.frame)
    # Partitions, and so their lengths, differ from those of all rows.  The numbers of the remaining rows are not
    # consecutive.
    name = _filtered(ColumnIdentity(sort.order.token), node).token
    order = replace(sort.order, token=name, straddle=False, numbered=False)
    return Sort(project, sort.by, sort.names, order)


def _grouped_later(node: Filter, filters: Sequence[Filter], groups: GroupAggregate | GroupStatistic) -> Swapped | None:
    """Return the groups of the rows that a filter by keys keeps, below other filters of these groups.

    None if it reads results, or if the groups are cached.
    """
    keys = _keys_of(groups)
    if not _is_of_keys(node.predicate, keys) or groups.cached_columns.find(groups.npartitions) is not None:
        return None
    few = Filter(groups.frame, substitute(node.predicate, keys), _filtered(node.mask, node))
    identity = GroupIdentity(tuple([_filtered(key, node) for key in groups.identity.keys]), groups.identity.npartitions)
    found: Frame = type(groups)(few, groups.keys, identity, *groups.operands[3:])
    name = found._name
    for above in reversed(filters):
        moved = {
            column.token: ColumnRef(name, column.name, column.dtype)
            for column in columns_of(above.predicate)
            if column.source == groups._name
        }
        found = Filter(found, substitute(above.predicate, moved), _filtered(above.mask, node))
    return Swapped(found, groups)


def _keys_of(groups: Groups) -> Mapping[str, Value]:
    """Return the keys of rows by the tokens of the keys of their groups.

    Zeros of both signs are one group, so that conditions on floats might tell its rows apart.
    """
    return {groups.key(number).token: key for number, key in enumerate(groups.keys) if key.dtype.numpy.kind != "f"}


def _is_of_keys(condition: Value, keys: Mapping[str, Value]) -> bool:
    return all(column.token in keys for column in columns_of(condition))


def _joined_later(node: Filter, join: HashJoin, side: int) -> HashJoin:
    sides: list[Project] = [join.left, join.right]
    sides[side] = _with_filter(node, join, sides[side])
    left, right = sides
    return HashJoin(left, join.left_by, right, *join.operands[3:-1], _filtered(join.match, node))


def _matched_later(node: Filter, match: MatchRows) -> Swapped:
    # A new identity, since the filter's rows may have been counted.
    filtered = Filter(match.frame, node.predicate, _filtered(node.mask, node))
    return Swapped(MatchRows(filtered, *match.operands[1:-1], _filtered(match.match, node)), match)


def _found_later(node: Filter, match: MatchRows) -> Swapped | None:
    """Return matches with the rows of the other side that a filter keeps; None if it is a join of its own.

    Row numbers then count the remaining rows, so columns are looked up among these too.
    """
    index, found = match.multiplicity.node, match.found
    if not isinstance(index, BuildIndex) or not isinstance(found, Call) or isinstance(index.frame.frame, MatchRows):
        return None
    given, columns = index.frame, dict[str, Value]()
    for part in walk(node.predicate):
        if match.row in part.args:
            column = BroadcastColumn.of(part.args[0])
            if column is None or column.frame is not given.frame:
                return None
            columns[part.token] = column.value
    predicate = substitute(node.predicate, columns)
    few = Filter(given.frame, predicate, column_identity(given.frame, predicate))
    indexed = BuildIndex(Project(few, given.names, given.values), index.need)
    pairs = MatchRows(
        match.frame, indexed.find(found.args[1:]), indexed.multiplicity, False, _filtered(match.match, node)
    )
    return Swapped(pairs, match, few)


def _with_filter(node: Filter, above: Frame, project: Project) -> Project:
    """Return a projection of the rows that a filter on the node's columns keeps."""
    values = {
        ColumnRef(above._name, name, value.dtype).token: value
        for name, value in zip(project.names, project.values, strict=True)
    }
    predicate = substitute(node.predicate, values)
    return Project(Filter(project.frame, predicate, _filtered(node.mask, node)), project.names, project.values)


def _filtered(identity: ColumnIdentity, node: Filter) -> ColumnIdentity:
    return ColumnIdentity(token("filtered", identity, node.mask))


def top_rows(sort: Sort, need: Need) -> TopK | None:
    """Return only the first or last rows of a sort, if nobody reads others."""
    if not need.rows or abs(need.rows) > engine_tuning.MOST_FOUND_ROWS:
        return None
    names = tuple(need.only(sort.names))
    return TopK(sort.frame, sort.by, sort.order.ascending, names, need.rows)


LOOKUPS = ("lookup", "lookup_found")
"""Operations that take values of the other side by row numbers."""

Keep = Callable[[Project], OverProject]
"""Returns the few needed rows of the left side, with the same columns."""


def first_of_join(project: Project, need: Need) -> Project | None:
    """If only the first rows of a join are read, join only the first rows of the left side."""
    if need.partitions or not _are_few_first(need) or not _is_left_join(project.frame):
        return None
    found = _Few(project.frame, project.values, lambda left: Limit(left, need.rows or 0)).joined
    return None if found is None else Project(found[0], project.names, found[1])


def first_of_sorted_join(sort: Sort, need: Need) -> Sort | None:
    """If only the first rows of a join sorted by left columns are read, join only the first left rows in that order."""
    project, count = sort.frame, need.rows or 0
    if not _are_few_first(need) or not _is_left_join(project.frame):
        return None
    numbered = project.frame.match.token
    if any(column.source == numbered for column in columns_of(*sort.keys)):
        return None

    def first(left: Project) -> TopK:
        by = tuple(("by", number) for number in range(len(sort.keys)))
        keyed = Project(left.frame, (*left.names, *by), (*left.values, *sort.keys))
        return TopK(keyed, by, sort.order.ascending, left.names, count)

    found = _Few(project.frame, project.values, first).joined
    return None if found is None else Sort(Project(found[0], project.names, found[1]), *sort.operands[1:])


def first_of_hash_join(join: HashJoin, need: Need) -> HashJoin | None:
    """If only the first rows of a hash join are read, join only the first rows of the left side."""
    left, right, count = join.left, join.right, need.rows or 0
    if join.kind != "left" or need.partitions or not _are_few_first(need) or isinstance(left.frame, Limit | TopK):
        return None
    few = Limit(left, count)
    by = [few.column(name) for name in join.left_by]
    identity = ColumnIdentity(token("first", join.match, count))
    keys = [right.values[right.names.index(name)] for name in join.right_by]
    matched = Filter(right.frame, BuildKeySet.of(few, by).has(keys), identity)
    return HashJoin(
        Project(few, left.names, tuple(map(few.column, left.names))),
        join.left_by,
        Project(matched, right.names, right.values),
        *join.operands[3:6],
        1,
        identity,
    )


def _are_few_first(need: Need) -> bool:
    return need.rows is not None and 0 < need.rows <= engine_tuning.MOST_FOUND_ROWS


def _is_left_join(frame: Frame) -> bool:
    return isinstance(frame, MatchRows) and frame.keep_all and not isinstance(frame.frame, Limit | TopK)


@record
class _Few:
    """A join of a few left rows, made from a join of many.

    Parameters
    ----------
    match : MatchRows
        The pairs of rows.
    values : sequence of Value
        The values on the pairs.
    keep : Keep
        Chooses rows of the left side.
    """

    match: MatchRows
    values: Sequence[Value]
    keep: Keep

    @property
    def joined(self) -> tuple[Frame, tuple[Value, ...]] | None:
        """The pairs of the rows that are kept, and their values; None if row numbers have another use."""
        match, index, found = self.match, self.match.multiplicity.node, self.match.found
        if not isinstance(index, BuildIndex) or not isinstance(found, Call) or not self._only_looks_up(index):
            return None
        used = [column for column in columns_of(found, *self.values) if column.source != match.match.token]
        left = self.keep(Project(match.frame, tuple(range(len(used))), tuple(used)))
        replaced: dict[str, Value] = {column.token: left.column(number) for number, column in enumerate(used)}
        keys = substitute_all(found.args[1:], replaced)
        looked_up = self._looked_up(index)
        right, values = self._matched(index, left, keys, list(looked_up.values()))
        indexed = BuildIndex(Project(right, index.frame.names, tuple(values[: len(keys)])), index.need)
        identity = ColumnIdentity(token("first", match.match, left._name))
        pairs = MatchRows(left, indexed.find(keys), indexed.multiplicity, True, identity)
        replaced[match.row.token] = pairs.row
        replaced[Replica(index, INDEX, INT64).token] = Replica(indexed, INDEX, INT64)
        replaced.update(zip(looked_up, broadcast_columns(right, values[len(keys) :]), strict=True))
        return pairs, tuple(substitute_all(self.values, replaced))

    def _matched(
        self, index: BuildIndex, left: OverProject, keys: Sequence[Value], columns: Sequence[Value]
    ) -> tuple[Frame, Sequence[Value]]:
        """Return the needed rows of the other side, with their keys and other columns, found in one pass."""
        right, given = index.frame.frame, [*index.frame.values, *columns]
        most = max_rows(right)
        if most is not None and most <= engine_tuning.SMALL_ROWS:
            return right, given
        is_needed = BuildKeySet.of(left, keys).has(index.frame.values)
        few = Filter(right, is_needed, ColumnIdentity(token("matched", index, left._name)))
        looked_up = Gather(Project(few, tuple(range(len(given))), tuple(given)))
        return looked_up, [looked_up.column(number) for number in range(len(given))]

    def _looked_up(self, index: BuildIndex) -> dict[str, Value]:
        """Return the looked-up columns of the other side, by the tokens of the values that replace them."""
        columns = {part.token: BroadcastColumn.of(part) for part in walk(*self.values)}
        right = index.frame.frame
        return {name: found.value for name, found in columns.items() if found is not None and found.frame is right}

    def _only_looks_up(self, index: BuildIndex) -> bool:
        """Whether row numbers only serve to look up columns of the other side, and to mark rows without a match."""
        row = self.match.row.token
        looked_up = self._looked_up(index)
        if any(value.token == row for value in self.values):
            return False
        for part in walk(*self.values):
            if isinstance(part, Call) and any(arg.token == row for arg in part.args):
                looks_up = part.operation in LOOKUPS and part.args[0].token in looked_up
                if not looks_up and part.operation != "less":
                    return False
        return True


def unsorted(sort: Sort, need: Need) -> Inlined | None:
    """Return the rows before a sort, if no reader minds their partitions, nor their order unless it is the same."""
    if not need.is_of_any_order and (need.partitions or not is_in_order(sort)):
        return None
    project = sort.frame
    values = dict(zip(project.names, project.values, strict=True))
    return Inlined(project.frame, {name: values[name] for name in sort.names if name in values})


def groups_in_any_order(groups: GroupAggregate | GroupStatistic, need: Need) -> Frame | None:
    """Return groups by text that are not sorted, if no reader minds their order."""
    return groups.in_any_order if need.is_of_any_order and _are_free(groups) else None


def _are_free(groups: Groups) -> bool:
    """Whether groups by text may have any order; sorted ones that are cached stay."""
    return groups.follows_needs and groups.cached_columns.find(groups.npartitions) is None


def share_sorts(plans: Sequence[Node]) -> list[Node]:
    """Return plans with one sort for all columns of the same rows and keys."""
    nodes = inputs_first(plans)
    alike: defaultdict[str, dict[str, Sort]] = defaultdict(dict)
    for node in nodes:
        # Nodes with inputs of their own may depend on another sort.
        if type(node) is Sort and not any(value.awaits for value in node.frame.values):
            alike[f"{node.order.token} {node.frame.frame._name}"][node._name] = node
    merged: dict[str, Inlined] = {}
    for sorts in alike.values():
        if len(sorts) > 1:
            merged.update(_merged_sorts(list(sorts.values())))
    if not merged:
        return list(plans)
    rules: dict[type, Sequence[Rule]] = {Sort: (lambda sort, need: merged.get(sort._name),), Zip: (_each_once,)}
    return rewritten(plans, nodes, find_needs(nodes, plans), rules)


def _merged_sorts(sorts: list[Sort]) -> dict[str, Inlined]:
    """Return the merged place of each sort's columns; all sorts have the same keys and rows."""
    first = sorts[0]
    keys = [first.frame.values[first.frame.names.index(name)] for name in first.by]
    numbers = dict.fromkeys(value for sort in sorts for value in sort.frame.values)
    names: dict[Value, Hashable] = {value: number for number, value in enumerate(numbers)}
    if first.order.straddle:
        names[first.frame.values[first.frame.names.index(ROW)]] = ROW
    carried = {
        sort._name: {name: names[sort.frame.values[sort.frame.names.index(name)]] for name in sort.names}
        for sort in sorts
    }
    wanted = dict.fromkeys(name for moved_names in carried.values() for name in moved_names.values())
    project = Project(first.frame.frame, tuple(names.values()), tuple(names))
    sort = Sort(project, tuple(names[key] for key in keys), tuple(wanted), first.order)
    return {
        name: Inlined(sort, {old: sort.column(new) for old, new in moved_names.items()}, keeps_rows=True)
        for name, moved_names in carried.items()
    }


def _each_once(zipped: Zip, need: Need) -> Frame:
    frames = tuple({frame._name: frame for frame in zipped.frames}.values())
    return frames[0] if len(frames) == 1 else Zip(frames)


def compute_once(plans: Sequence[Node], nodes: Sequence[Node], needs: Mapping[str, Need]) -> list[Node]:
    """Return plans in which indexed rows are computed once, for their keys and for the columns that are looked up.

    `needs` are those of the nodes, found here if there are none.
    """
    if all(renamed_columns(node.frame) is not None for node in nodes if isinstance(node, Gather | BuildIndex)):
        return [*plans]  # Columns that are only taken cost nothing twice, but finding needs would.
    # Looked-up columns come before keys, which need fewer inputs.
    nodes = inputs_first([*(node for node in nodes if isinstance(node, Gather)), *plans])
    needs = needs or find_needs(nodes, plans)
    groups = _computed_alike(node for node in nodes if needs[node._name].rows is not None)
    rewriting = Rewriting(needs, {})
    tables: dict[str, Gather] = {}
    for node in nodes:
        group = groups.get(node._name, ())
        if not isinstance(node, Gather | BuildIndex) or len(group) < 2:
            rewriting.add(node)
            continue
        given = node.frame
        values = list(dict.fromkeys(value for one in group for value in one.frame.values))
        if given.frame._name not in tables:
            project = Project(
                rewriting.node(given.frame), tuple(range(len(values))), tuple(map(rewriting.value, values))
            )
            tables[given.frame._name] = Gather(project)
        table = tables[given.frame._name]
        columns = [table.column(values.index(value)) for value in given.values]
        if isinstance(node, BuildIndex):
            rewriting.replace(node, BuildIndex(Project(table, given.names, tuple(columns)), node.need))
        else:
            rewriting.replace(node, Inlined(table, dict(zip(given.names, columns, strict=True)), keeps_rows=True))
    return [rewriting.node(plan) for plan in plans]


def _computed_alike(nodes: Iterable[Node]) -> Mapping[str, Sequence[Gather | BuildIndex]]:
    """Return for each node of whole tables those that compute columns of the same rows, of which one is an index.

    Columns in memory are taken as they are.
    """
    alike: defaultdict[str, list[Gather | BuildIndex]] = defaultdict(list)
    positions: dict[str, int] = {}
    firsts: dict[str, int] = {}
    for position, node in enumerate(nodes):
        positions[node._name] = position
        if isinstance(node, Gather | BuildIndex):
            name = node.frame.frame._name
            first = firsts.setdefault(name, position)
            # A column that depends on others of these rows has to be computed after them.
            if all(
                positions.get(part.node._name, first) < first
                for part in walk(*node.frame.values)
                if isinstance(part, Replica)
            ):
                alike[name].append(node)
    return {
        node._name: group
        for group in alike.values()
        for node in group
        if any(isinstance(one, BuildIndex) for one in group)
        and any(renamed_columns(one.frame) is None for one in group)
    }


LOOKS_UP = frozenset({"lookup", "lookup_found", "take"})
"""Operations that take rows of a whole table, their first argument, at positions."""

POSITIONS = "positions"


class FoundText(NamedTuple):
    """A column of a whole table at positions, which are values of the rows."""

    operation: str
    table: Value
    positions: Value
    params: Mapping[str, Any]

    @classmethod
    def of(cls, value: Value) -> FoundText | None:
        """Return the table and positions of a value, None if it is not text taken from a table."""
        if value.dtype.kind != "str" or not isinstance(value, Call) or value.operation not in LOOKS_UP:
            return None
        table, positions = value.args
        is_found = isinstance(table, Replica) and not isinstance(positions, Replica | Constant)
        return cls(value.operation, table, positions, value.params) if is_found else None

    def at(self, positions: Value) -> Value:
        """Return the column at other positions."""
        return Call(self.operation, self.table, positions, **self.params)


def carry_positions(plans: Sequence[Node]) -> list[Node]:
    """Return plans in which sorted rows carry positions of text where possible.

    This rewrite comes last, since other rules would not recognise the columns afterwards.
    """
    nodes = inputs_first(plans)
    if not any(isinstance(node, Sort) and _has_text(node) for node in nodes) or not shares_memory():
        return list(plans)
    return rewritten(plans, nodes, find_needs(nodes, plans), {Project: (_with_positions,), Sort: (_carrying,)})


def _has_text(sort: Sort) -> bool:
    """Whether text is carried by a sort; a sort of text alone uses codes, from which the text is made again."""
    return sort.names != sort.by and any(sort.dtype_of(name).kind == "str" for name in sort.names)


def _carrying(sort: Sort, need: Need) -> Inlined | None:
    """Return a sort that carries positions of text, and the columns taken at these; None without such columns.

    Numbers that are sorted by text are taken so too, since sorting row numbers alone is faster.
    """
    if not _has_text(sort):
        return None
    project = sort.frame
    values = dict(zip(project.names, project.values, strict=True))
    is_by_text = [sort.dtype_of(name).kind for name in sort.by] == ["str"]
    sought = {name: values[name] for name in sort.names if is_by_text or values[name].dtype.kind == "str"}
    found = dict(_found(project.frame, sought, values.get(ROW)))
    if not found:
        return None
    carried: dict[Value, Hashable] = {values[name]: name for name in sort.by}
    if ROW in values:
        carried[values[ROW]] = ROW
    for number, value in enumerate(found[name].positions if name in found else values[name] for name in sort.names):
        carried.setdefault(value, (POSITIONS, number))
    names = {name: carried[found[name].positions if name in found else values[name]] for name in sort.names}
    wanted = tuple(dict.fromkeys(names.values()))
    by = tuple([carried[values[name]] for name in sort.by])
    result = Sort(Project(project.frame, tuple(carried.values()), tuple(carried)), by, wanted, sort.order)
    columns = {name: result.column(names[name]) for name in sort.names}
    return Inlined(
        result,
        {name: found[name].at(column) if name in found else column for name, column in columns.items()},
        keeps_rows=True,
    )


def _with_positions(project: Project, need: Need) -> Inlined | None:
    """Return columns beside others, with positions of text in place of text; readers take the text."""
    if not all(isinstance(reader, Zip) for reader in need.readers):
        return None
    columns = dict(zip(project.names, project.values, strict=True))
    found = {name: text for name in project.names if (text := FoundText.of(columns[name])) is not None}
    if not found:
        return None
    others = {name: value for name, value in columns.items() if name not in found}
    at = {text.positions: (POSITIONS, number) for number, text in enumerate(found.values())}
    result = Project(project.frame, (*others, *at.values()), (*others.values(), *at))
    looked_up = {name: text.at(result.column(at[text.positions])) for name, text in found.items()}
    return Inlined(result, {name: result.column(name) for name in others} | looked_up, keeps_rows=True)


def _found(frame: Frame, columns: Mapping[Hashable, Value], row: Value | None) -> Iterator[tuple[Hashable, FoundText]]:
    """Yield the columns of a frame that can be taken at positions: at `row`, the row number, or at others."""
    stored = {}
    for name, value in columns.items():
        looked_up = FoundText.of(value)
        if looked_up is not None:
            yield name, looked_up
        elif isinstance(value, ColumnRef) and value != row:
            stored[name] = value
    if row is not None and stored and _are_here(frame, list(stored.values())):
        distinct = list(dict.fromkeys(stored.values()))
        tables = dict(zip(distinct, broadcast_columns(frame, distinct), strict=True))
        for name, value in stored.items():
            yield name, FoundText("lookup", tables[value], row, {})


def _are_here(frame: Frame, columns: Sequence[ColumnRef]) -> bool:
    """Whether columns are in this process's memory, with room to join the partitions of each."""
    chain = Chain.of(frame)
    bases = {base._name: base for base in chain.bases}
    if chain.selections or not fits_broadcast(frame, columns):
        return False
    size = 0
    for column in columns:
        tables = _tables(bases[column.source])
        if tables is None:
            return False
        size += sum(nbytes(table.columns[column.name]) for table in tables)
    return size <= memory() // rows_tuning.BROADCAST_SHARE_HERE


def _tables(base: Frame) -> list[Table] | None:
    """Return the partitions of a node in this process's memory, None for others."""
    if isinstance(base, Literal):
        return list(base.tables)
    if not isinstance(base, Persisted):
        return None
    results = [result_in(base.graph[key]) for key in base.keys]
    tables = [result.in_memory if isinstance(result, SpillableResult) else result for result in results]
    return tables if all(isinstance(table, Table) for table in tables) else None


RULES: Mapping[type, Sequence[Rule]] = {
    Sort: (unsorted, first_of_sorted_join, top_rows, narrow_sort),
    TopK: (ranked_later, by_keys_too, narrow_top_k),
    HashJoin: (first_of_hash_join, narrow_join),
    Zip: (narrow_zip,),
    Filter: (split_filter, filter_first),
    Project: (narrow_project, first_of_join, in_place),
    Concat: (narrow_concat,),
    **dict.fromkeys((GroupAggregate, GroupStatistic), (groups_in_any_order,)),
    **dict.fromkeys((Compact, Gather, Limit, Realign, Reverse, Take), (of_columns,)),
}
