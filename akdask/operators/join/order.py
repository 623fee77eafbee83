"""The order of chains of inner joins, and the filters that the joins of a chain have for each other.

A chain is a table with filters on its rows and matches in other tables, of which nobody reads the order. Sizes that
plans do not know are guessed from filters. Four things are done at once:

- What a disjunction demands of one table filters that table: of ``(a == 1) & (b == 2) | (a == 3) & (b == 4)``, with `a`
  and `b` in two tables, one is filtered by ``(a == 1) | (a == 3)``, before it is indexed or searched for.
- Keys of a filtered table that are looked up in another one filter that other table: customers in nations of a region
  filter orders, if these are matched with customers. Groups that are matched in a smaller table are those of its keys.
- Matches in filtered tables come first, so that fewer rows are looked for in the others. Conditions on text come after
  matches that leave fewer rows.
- The keys of rows of which few are left filter a larger table, and the rows of groups by these keys, before it is
  indexed for them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import inf, log2
from operator import is_, itemgetter
from typing import TypeAlias

from akdask.engine.alignment import Gather, max_rows, rows_at_most
from akdask.engine.node import ColumnIdentity, Frame, Node
from akdask.engine.optimizer import Need, Rewriting
from akdask.engine.rowwise import Chain, Filter, MatchRows, Project, Shared, column_identity, selected_by
from akdask.engine.values import (
    DISJUNCTIONS,
    Call,
    Value,
    all_of,
    columns_of,
    conditions_of,
    reads_text,
    stages_of,
    substitute,
    token,
    walk,
)
from akdask.operators.group.plan import Groups
from akdask.operators.join import tuning
from akdask.operators.join.plan import BuildIndex, BuildKeySet
from akdask.operators.rows.plan import BroadcastColumn

Link: TypeAlias = Filter | MatchRows
"""A selection of a chain."""

TABLE = ""
"""Stands for the table of a chain, beside the matches, each of which stands for the indexed rows."""


def arrange_joins(plans: Sequence[Node], nodes: Sequence[Node], needs: Mapping[str, Need]) -> list[Node]:
    """Return plans with their chains of joins arranged.

    Parameters
    ----------
    plans, nodes : sequence of Node
        The plans, and all their nodes, inputs first.
    needs : mapping of str to Need
        The needs of each node, by name.
    """
    rewriting = Rewriting(needs, {})
    for node in nodes:
        chain = _chain(node, needs)
        if chain is None:
            rewriting.add(node)
        else:
            _arrange(node, chain, rewriting)
    return [rewriting.node(plan) for plan in plans]


def _chain(top: Node, needs: Mapping[str, Need]) -> list[Link] | None:
    """Return the selections of a chain that ends in a node, the last one first; None if nothing can be gained."""
    need = needs[top._name]
    if not isinstance(top, Link) or need.rows is None or need.order or need.partitions or _goes_on(need):
        return None
    found: list[Link] = []
    matches = 0
    node: Frame = top
    while isinstance(node, Link) and (node is top or len(needs[node._name].readers) == 1):
        if isinstance(node, MatchRows):
            if node.keep_all or not needs[node._name].only_looks_up:
                break
            matches += 1
        found.append(node)
        node = node.frame
    return found if matches and (len(found) > 1 or isinstance(node, Groups)) else None


def _goes_on(need: Need) -> bool:
    """Whether a selection of the rows is the only reader of a node."""
    return len(need.readers) == 1 and isinstance(need.readers[0], Link)


def _arrange(top: Link, chain: Sequence[Link], rewriting: Rewriting) -> None:
    """Arrange a chain whose parts have been rewritten, and have readers take its rows instead."""
    rewriting.add(top)
    now: Frame = rewriting.node(top)
    links: list[Link] = []
    for _ in chain:
        assert isinstance(now, Link), "selections stay selections"
        links.append(now)
        now = now.frame
    arranged = _Arrangement(now, links[::-1])
    if arranged.is_new:
        frame, renamed = arranged.made
        rewriting.rearrange(top, frame, renamed)


class _Arrangement:
    """A chain of selections, in the order in which its rows should go through them.

    Parameters
    ----------
    table : Frame
        The rows below the selections.
    links : sequence of Filter or MatchRows
        The selections, from the rows outwards.
    """

    def __init__(self, table: Frame, links: Sequence[Link]) -> None:
        self._table = table
        self._links = [stage for link in links for stage in _stages(link)]
        self._matches = {link.match.token: link for link in links if isinstance(link, MatchRows)}
        self._rows: dict[str, Frame] = {name: _index(match).frame.frame for name, match in self._matches.items()}
        self._few: dict[str, list[Value]] = defaultdict(list)
        self._imply()
        self._filter_each_other()
        self._ordered = self._in_order()
        self._reduced = set(self._reducible())

    @property
    def is_new(self) -> bool:
        """Whether anything changes."""
        return bool(self._few or self._reduced) or not all(map(is_, self._ordered, self._links))

    # ---- filters

    def _imply(self) -> None:
        """Find what disjunctions of several tables demand of each."""
        for link in self._links:
            if isinstance(link, Filter):
                for condition in conditions_of(link.predicate):
                    for name, implied in self._implied(condition):
                        self._few[name].append(implied)

    def _implied(self, condition: Value) -> Iterator[tuple[str, Value]]:
        cases = conditions_of(condition, DISJUNCTIONS)
        if len(cases) < 2 or len(self._tables_of(condition)) < 2:
            return
        demands: list[dict[str, list[Value]]] = []
        for case in cases:
            demands.append(defaultdict(list))
            for part in conditions_of(case):
                of = self._tables_of(part)
                if len(of) == 1:
                    demands[-1][of.pop()].append(part)
        for name in demands[0]:
            if all(name in demand for demand in demands):
                found = self._below(all_of([all_of(demand[name]) for demand in demands], "bitwise_or"), name)
                if found is not None:
                    yield name, found

    def _tables_of(self, *values: Value) -> set[str]:
        return {column.source if column.source in self._matches else TABLE for column in columns_of(*values)}

    def _below(self, value: Value, name: str) -> Value | None:
        """Return a value of looked-up columns as a value of the indexed rows; None if it cannot be one."""
        if name == TABLE:
            return value
        row, replaced = self._matches[name].row, dict[str, Value]()
        for part in walk(value):
            if row in part.args:
                column = BroadcastColumn.of(part.args[0])
                if column is None or column.frame is not self._rows[name]:
                    return None
                replaced[part.token] = column.value
        return substitute(value, replaced)

    def _filter_each_other(self) -> None:
        """Filter tables by the keys of filtered ones, in which their columns are looked up, the last matches first."""
        for match in reversed(self._matches.values()):
            keys = match.found.args[1:]
            of = self._tables_of(*keys)
            if len(of) != 1:
                continue
            (name,) = of
            if not (self._is_smaller(match) if name == TABLE else self._share(match) < 1):
                continue
            most = max_rows(self._table if name == TABLE else self._rows[name])
            found = [self._below(key, name) for key in keys]
            if None not in found and (most is None or most >= tuning.FILTERED_ROWS):
                index = self._index(match.match.token)
                self._few[name].append(BuildKeySet(index.frame).has([key for key in found if key is not None]))

    def _is_smaller(self, match: MatchRows) -> bool:
        """Whether groups are matched in a table that has, or may have, far fewer rows than there are to group."""
        most, rows = rows_at_most(self._rows[match.match.token]), rows_at_most(self._table)
        if not isinstance(self._table, Groups) or most is None:
            return False
        return rows is None or tuning.FEW_LEFT * self._share(match) * most <= rows

    def _index(self, name: str) -> BuildIndex:
        """Return the index of a match, of the rows that filters leave."""
        index = _index(self._matches[name])
        if name not in self._few:
            return index
        project = index.frame
        return BuildIndex(Project(self._left(name), project.names, project.values), index.need)

    def _left(self, name: str) -> Frame:
        """Return the rows of a table that filters leave."""
        frame = self._table if name == TABLE else self._rows[name]
        if name not in self._few:
            return frame
        predicate = all_of(self._few[name])
        return Filter(frame, predicate, column_identity(frame, predicate))

    # ---- order

    def _share(self, match: MatchRows) -> float:
        conditions = self._few.get(match.match.token, ())
        share = share_left(self._rows[match.match.token])
        for condition in conditions:
            share *= share_where(condition)
        return share

    def _rank(self, link: Link) -> float:
        """Return the cost of a selection for each row that it drops."""
        if isinstance(link, Filter):
            cost = tuning.TEXT_COST if reads_text(link.predicate) else tuning.NUMBER_COST
            return cost / (1.001 - share_where(link.predicate))
        share, most = self._share(link), rows_at_most(self._rows[link.match.token])
        if share == 1:
            return inf
        return (1 + log2(max(1, (most or tuning.MANY_INDEXED) / tuning.MIN_SLOTS))) / (1.001 - share)

    def _reducible(self) -> Iterator[str]:
        """Yield the matches in tables of at least as many rows as this one, of which few are left by then."""
        rows, share = rows_at_most(self._table), share_left(self._left(TABLE))
        for link in self._ordered:
            if isinstance(link, MatchRows):
                name = link.match.token
                most = rows_at_most(self._rows[name])
                if rows and most and most >= max(rows, tuning.FILTERED_ROWS) and tuning.FEW_LEFT * share <= 1:
                    yield name
                share *= self._share(link)
            else:
                share *= share_where(link.predicate)

    def _in_order(self) -> list[Link]:
        """Return what drops rows at the least cost first, each as soon as it has its columns."""
        waiting, found, there = [(self._rank(link), link) for link in self._links], list[Link](), {TABLE}
        while waiting:
            ready = [item for item in waiting if self._tables_of(_asked(item[1])) <= there]
            first = min(ready, key=itemgetter(0))
            waiting = [item for item in waiting if item is not first]
            found.append(first[1])
            if isinstance(first[1], MatchRows):
                there.add(first[1].match.token)
        return found

    @property
    def made(self) -> tuple[Frame, dict[str, tuple[str, Frame | None]]]:
        """The arranged rows, and for each match its new name, and its indexed rows if they are fewer."""
        frame = self._left(TABLE)
        few = [self._left(name) for name in self._matches if name in self._few]
        name = token("arranged", *map(selected_by, self._ordered), frame, *few, *sorted(self._reduced))
        few_left: Frame | None = None
        renamed: dict[str, tuple[str, Frame | None]] = {}
        values = Rewriting({}, {})
        for link in self._ordered:
            if isinstance(link, Filter):
                frame = Filter(frame, values.value(link.predicate), ColumnIdentity(token(name, link.mask)))
                continue
            old = link.match.token
            keys = [values.value(key) for key in link.found.args[1:]]
            if old in self._reduced:
                # Rows are computed once for all keys of theirs.
                few_left = frame if few_left is None or self._tables_of(*link.found.args[1:]) != {TABLE} else few_left
                self._few[old].append(BuildKeySet.of(few_left, keys).has(_index(link).frame.values))
            index = self._index(old)
            renamed[old] = token(name, old), self._left(old) if old in self._few else None
            values.rename_matches({old: renamed[old]})
            frame = MatchRows(frame, index.find(keys), index.multiplicity, False, ColumnIdentity(renamed[old][0]))
        return frame, renamed


def _stages(link: Link) -> list[Link]:
    """Return a match, or the filters that a filter's conditions on numbers and on text are."""
    stages = stages_of(link.predicate) if isinstance(link, Filter) else []
    if len(stages) < 2 or not isinstance(link, Filter):
        return [link]
    return [Filter(link.frame, stage, ColumnIdentity(token("stage", stage, link.mask))) for stage in stages]


def _index(match: MatchRows) -> BuildIndex:
    index = match.multiplicity.node
    assert isinstance(index, BuildIndex), "its rows are indexed"
    return index


def _asked(link: Link) -> Value:
    return link.predicate if isinstance(link, Filter) else link.found


def share_left(frame: Frame) -> float:
    """Guess the share of a table's rows that its filters and matches leave."""
    share = 1.0
    while True:
        chain = Chain.of(frame)
        for node in chain.selections:
            if isinstance(node, Filter):
                share *= share_where(node.predicate)
            elif isinstance(node, MatchRows) and not node.keep_all and isinstance(node.multiplicity.node, BuildIndex):
                share *= share_left(node.multiplicity.node.frame)
        if len(chain.bases) != 1 or not isinstance(chain.bases[0], Project | Gather | Shared):
            return share
        frame = chain.bases[0].frame


SHARES = {"equal": 0.1, "less": 0.3, "less_equal": 0.3, "greater": 0.3, "greater_equal": 0.3, "contains": 0.1}
SHARES |= {"startswith": 0.1, "endswith": 0.1, "not_equal": 0.9, "is_among": 0.2, "isnan": 0.01}
"""Guesses of the share of rows where an operation gives True."""


def share_where(predicate: Value) -> float:
    """Guess the share of rows where a predicate holds."""
    share = 1.0
    for condition in conditions_of(predicate):
        cases = conditions_of(condition, DISJUNCTIONS)
        share *= min(sum(map(share_where, cases)), 1.0) if len(cases) > 1 else _share_of_one(condition)
    return share


def _share_of_one(condition: Value) -> float:
    if not isinstance(condition, Call):
        return 0.5
    if condition.operation in ("invert", "logical_not"):
        return 1 - share_where(condition.args[0])
    members = getattr(condition.args[0], "node", None) if condition.operation == "is_among" else None
    if isinstance(members, BuildKeySet):
        share = share_left(members.frame)
        return share if share < 1 else SHARES["is_among"]
    return SHARES.get(condition.operation, 0.5)
