"""Memory in use by results: lists what `persist`, created arrays and caches hold in memory, and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from akdask._distributed import default_client
from akdask.columns.table import Table
from akdask.engine import cache
from akdask.engine.materialized import Materialized
from akdask.engine.node import Node, values_of_round
from akdask.engine.sources import Literal, Persisted
from akdask.engine.spillable import SpillableResult, result_in
from akdask.engine.values import Replica, walk

HERE = "this process"


class ResultMemory(NamedTuple):
    """Bytes that one node of plans, or one grouping, keeps in memory."""

    name: str
    """Name of the node, or of the lease of the grouping."""
    kind: str
    """The reason why it is kept, in words."""
    nbytes: Mapping[str, int]
    """Bytes at each place, in memory or spilled: the address of a worker, or `HERE`."""


def results_in_memory() -> list[ResultMemory]:
    """Return all that plans of this process keep in memory, here or on the workers of the current client."""
    persisted, columns = Persisted.living(), Materialized.living()
    graphs = {node._name: ("persisted", node.graph) for node in persisted}
    graphs |= {node._name: ("kept for later steps", node.on_workers.graph) for node in columns if node.on_workers}
    locations = _locations({key for _, graph in graphs.values() for key in _future_keys(graph)})
    found = [ResultMemory(name, kind, _bytes_of(graph, locations)) for name, (kind, graph) in graphs.items()]
    found += [
        ResultMemory(node._name, "made of values", {HERE: sum(table.nbytes for table in node.tables)})
        for node in Literal.living()
    ]
    names = {node._name for node in columns}
    found += [
        ResultMemory(str(name), "kept for later steps" if name in names else "groups found before", {HERE: nbytes})
        for name, nbytes in cache.sizes().items()
    ]
    return [result for result in found if any(result.nbytes.values())]


def spilled_bytes() -> int:
    """Return the bytes of persisted results of this process that are on disk, for want of memory."""
    results = (result_in(item) for node in Persisted.living() for item in node.graph.values())
    return sum(item.nbytes for item in results if isinstance(item, SpillableResult) and item.in_memory is None)


def other_bytes(results: Iterable[ResultMemory]) -> dict[str, int]:
    """Return the bytes of workers' results that belong to others than the given plans, by worker."""
    client = default_client()
    if client is None:
        return {}
    sizes = client.nbytes(summary=False)
    found = Counter({address: sum(sizes.get(key, 0) for key in keys) for address, keys in client.has_what().items()})
    for result in results:
        found.subtract(result.nbytes)
    return {address: nbytes for address, nbytes in found.items() if nbytes > 0 and address != HERE}


def names_below(plans: Iterable[Node]) -> set[str]:
    """Return the names of all nodes that plans are made from."""
    stack: list[Any] = list(plans)
    seen: set[str] = set()
    while stack:
        node = stack.pop()
        if node._name not in seen:
            seen.add(node._name)
            stack += node.dependencies()
            stack += [value.node for value in walk(*values_of_round(node)) if isinstance(value, Replica)]
    return seen


def _future_keys(graph: Mapping[Any, Any]) -> Iterator[Hashable]:
    return (item.key for item in graph.values() if _is_future(item))


def _is_future(item: Any) -> bool:
    return type(item).__name__ == "Future" and hasattr(item, "key")


def _locations(keys: set[Hashable]) -> dict[Hashable, dict[str, int]]:
    """Return the workers that hold the results of some keys, with their bytes."""
    client = default_client()
    if client is None or not keys:
        return {}
    sizes = client.nbytes(summary=False)
    found: dict[Hashable, dict[str, int]] = {key: {} for key in keys}
    for address, results in client.has_what().items():
        for key in results:
            if key in found:
                found[key][address] = sizes.get(key, 0)
    return found


def _bytes_of(graph: Mapping[Any, Any], locations: Mapping[Hashable, Mapping[str, int]]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for item in graph.values():
        if _is_future(item):
            found.update(locations.get(item.key, {}))
            continue
        result = result_in(item)
        if isinstance(result, Table | SpillableResult):
            found[HERE] += result.nbytes
    return dict(found)
