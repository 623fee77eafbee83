"""Shared sorts: columns of the same rows sorted by the same keys are sorted together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

from akdask.engine.needs import Need, inputs_first
from akdask.engine.node import Frame, Node
from akdask.engine.rowwise import Project, Zip
from akdask.engine.values import Value
from akdask.operators.rewrite_rules import find_needs
from akdask.operators.rewriting import Inlined, Rule, rewritten
from akdask.operators.sort.runs import ROW
from akdask.operators.sort.sort import Sort


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
