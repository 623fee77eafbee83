"""Rewriting: a pass over plans, inputs first, in which rules replace nodes, and values follow their columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from akdask._dask import Expr
from akdask.engine.combine import Gather
from akdask.engine.needs import Need, parts_of
from akdask.engine.node import ColumnIdentity, Frame, Node
from akdask.engine.rowwise import Filter, MatchRows, Project, Zip
from akdask.engine.tokens import token
from akdask.engine.values import Call, ColumnRef, Replica, Value, walk
from akdask.operators.group.aggregate import GroupAggregate, GroupIdentity, GroupStatistic
from akdask.operators.join.hash_join import HashJoin

_REWRITTEN = "_rewritten"
"""The cached field of a node with its replacement."""


@dataclass(frozen=True, slots=True)
class Inlined:
    """Replacement of a node: values on another frame."""

    frame: Frame
    columns: Mapping[Hashable, Value]
    keeps_rows: bool = False


@dataclass(frozen=True, slots=True)
class Swapped:
    """Replacement of a selection and the node below it: a frame with the columns of that node.

    If that node matches rows, they may now be matched with the rows of `matched`.
    """

    frame: Frame
    below: Frame
    matched: Frame | None = None


Outcome: TypeAlias = Expr | Inlined | Swapped
"""Replacements by rules; a plain node has columns of the same names."""

Rule = Callable[[Any, Need], Outcome | None]
"""Returns the replacement of a node with such needs, None to leave it."""


class Rewriting:
    """The replacements of the nodes and values of plans so far.

    Parameters
    ----------
    needs : mapping of str to Need
        The needs of each node, by name.
    rules : mapping of type to sequence of Rule
        The rules for each kind of node, in order.
    """

    def __init__(self, needs: Mapping[str, Need], rules: Mapping[type, Sequence[Rule]]) -> None:
        self.needs = needs
        self.rules = rules
        self._nodes: dict[str, Expr] = {}
        self._moved: set[str] = set()
        self._sources: dict[str, str | Mapping[Hashable, Value]] = {}
        self._origins: dict[str, str] = {}
        self._matched: dict[str, Frame] = {}
        self._values: dict[str, Value] = {}

    def add(self, node: Node) -> None:
        """Rewrite a node, after all its inputs; a node without a reader stays."""
        need = self.needs[node._name]
        if need.rows is None:
            return
        found: Outcome = self._with_new_parts(node) if self._nodes else node
        if isinstance(node, Filter) and isinstance(self._sources.get(node.frame._name), Mapping):
            # The replacement's input may have other readers now.
            need.owns_input = False
        for rule in self.rules.get(type(found), ()):
            outcome = rule(found, need)
            if outcome is not None:
                found = outcome
                if type(found) is not type(node):
                    break
        if found is not node:
            self._replace(node, found)

    def _replace(self, node: Node, found: Outcome) -> None:
        if self._has_moved(node) or (isinstance(node, Frame) and not _keeps_rows(node, found)):
            self._moved.add(node._name)
        if isinstance(node, GroupAggregate | GroupStatistic):
            # Groups are cached as long as the computing node lives, which only the plan holds.
            node.__dict__[_REWRITTEN] = found.frame if isinstance(found, Inlined) else found
        if isinstance(found, Inlined):
            self._nodes[node._name], self._sources[node._name] = found.frame, found.columns
            return
        if isinstance(found, Swapped):
            self._swap(node, found)
            return
        self._nodes[node._name] = found
        if not (isinstance(node, Frame) and node.shows_inputs):
            self._rename(node._name, found._name)

    def _swap(self, node: Any, found: Swapped) -> None:
        """Redirect values on a selection to the replacement of the node below it."""
        self._nodes[node._name] = found.frame
        if isinstance(found.below, MatchRows) and isinstance(found.frame, MatchRows):
            match = self._origin(found.below.match.token)
            self._rename(match, found.frame.match.token)
            if found.matched is not None:
                self._matched[match] = found.matched
        else:
            self._rename(self._origin(found.below._name), found.frame._name)
        # Only the predicate has been rewritten before.
        for part in walk(node.predicate):
            self._values.pop(part.token, None)

    def _rename(self, old: str, new: str) -> None:
        self._sources[old], self._origins[new] = new, old

    def _origin(self, name: str) -> str:
        return self._origins.get(name, name)

    def node(self, node: Any) -> Any:
        """Return the replacement of a node."""
        return self._nodes.get(node._name, node)

    def value(self, value: Value) -> Value:
        """Return a value with its columns and results replaced."""
        done = self._values
        if value.token not in done:
            for part in walk(value, leaves=done):
                if part.token not in done:
                    done[part.token] = self._rewritten(part)
        return done[value.token]

    def _rewritten(self, value: Value) -> Value:
        if isinstance(value, Call):
            args = [self._values[arg.token] for arg in value.args]
            if value.operation == "lookup" and isinstance(row := value.args[1], ColumnRef):
                args[0] = self._among_matched(args[0], row.source)
            if all(new is old for new, old in zip(args, value.args, strict=True)):
                return value
            return Call(value.operation, *args, **value.params)
        if isinstance(value, ColumnRef):
            source = self._sources.get(value.source)
            if source is None:
                return value
            if isinstance(source, str):
                return ColumnRef(source, value.name, value.dtype)
            # Unneeded columns have no replacement, and neither have values made from them.
            return source.get(value.name, value)
        if isinstance(value, Replica):
            node = self.node(value.node)
            return value if node is value.node else Replica(node, value.field, value.dtype)
        return value

    def _among_matched(self, column: Any, match: str) -> Value:
        """Return a looked-up column among the rows that a match has now."""
        matched = self._matched.get(match)
        if matched is None:
            return column
        project = column.node.frame
        return Replica(Gather(Project(matched, project.names, project.values)), column.field, column.dtype)

    def _with_new_parts(self, node: Node) -> Any:
        """Return a node with its parts replaced; the node itself if none was."""
        if isinstance(node, Frame) and node.is_materialized:
            return node
        operands = [self._operand(operand) for operand in node.operands]
        if all(new is old for new, old in zip(operands, node.operands, strict=True)):
            return node
        return self._on_new_rows(node, type(node)(*operands))

    def _operand(self, operand: Any) -> Any:
        if isinstance(operand, Expr):
            return self.node(operand)
        if isinstance(operand, Value):
            return self.value(operand)
        if type(operand) is tuple:
            items = tuple([self._operand(item) for item in operand])
            return operand if all(new is old for new, old in zip(items, operand, strict=True)) else items
        if hasattr(operand, "made_of"):
            function, given = operand.made_of()
            args = [self._operand(item) for item in given]
            return operand if all(new is old for new, old in zip(args, given, strict=True)) else function(*args)
        return operand

    def _has_moved(self, node: Node) -> bool:
        """Whether a node's inputs have other rows, or other partitions or orders of them, than before."""
        return bool(self._moved) and any(
            isinstance(part, Frame) and part._name in self._moved for part in parts_of(node)
        )

    def _on_new_rows(self, old: Node, new: Any) -> Any:
        """Return a node with a new identity of its rows if its inputs' rows have changed.

        Counts and cached results of the old identity do not apply to them.
        """
        if not self._has_moved(old):
            return new
        match new:
            case Filter():
                return Filter(new.frame, new.predicate, _moved(new.mask))
            case HashJoin():
                return HashJoin(*new.operands[:-1], _moved(new.match))
            case GroupAggregate() | GroupStatistic():
                keys = tuple(map(_moved, new.identity.keys))
                identity = GroupIdentity(keys, new.identity.npartitions)
                return type(new)(*[identity if item is new.identity else item for item in new.operands])
        return new


def _moved(identity: ColumnIdentity) -> ColumnIdentity:
    return ColumnIdentity(token("moved", identity))


def _keeps_rows(node: Frame, found: Outcome) -> bool:
    if isinstance(found, Inlined | Swapped):
        return isinstance(found, Inlined) and found.keeps_rows
    return isinstance(node, Zip) or (isinstance(found, type(node)) and found.rows.token == node.rows.token)


def rewritten(
    roots: Sequence[Node], nodes: Sequence[Node], needs: Mapping[str, Need], rules: Mapping[type, Sequence[Rule]]
) -> list[Node]:
    """Return the rewritten roots of plans; nodes are given inputs first."""
    rewriting = Rewriting(needs, rules)
    for node in nodes:
        rewriting.add(node)
    return [rewriting.node(root) for root in roots]
