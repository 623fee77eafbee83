"""Where plans will run: a cluster or this process, its memory, and all that depends on how Dask runs tasks.

Nothing else knows of Dask's schedulers, workers, spilling and restrictions.

`distributed` takes half a second to load, so nothing here imports it before a cluster is used.  Each thing that is
taken for granted has a test in ``tests/engine/test_dask_contract.py``, which a release of Dask that changes it fails by
name.  Names of Dask's expressions and tasks are imported by `akdask._dask`.

Worth proposing upstream, as it would make code here unnecessary:

- restrictions of tasks that hold until their worker is gone, and not as long as it is short of memory
  (`relax_restrictions`);
- results that a worker spills by itself and reads slice by slice (`register_spilling`);
- results that workers keep, and hand out in part, until a task that does not depend on them is done (`keep_results`);
- a public name of the task that runs, and of the folder of its worker (`current_task`, `worker_folder`);
- workers that give freed memory back only when it runs short (`call_regularly`, `keeps_no_memory`);
- local threads that take the next task themselves, that restart after a fork, and whose results go to disk where
  memory is short (`threaded_get`, `forget_threads`, and `akdask.engine.scheduler`);
- `compute` that finds out that there is no client without loading `distributed` (`named_scheduler`).
"""

from __future__ import annotations

import math
import os
import resource
import sys
from collections.abc import Callable, Coroutine, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from inspect import isawaitable
from pathlib import Path, PurePosixPath
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar

import dask
import dask.local
import dask.threaded
from dask.base import named_schedulers
from dask.system import CPU_COUNT
from dask.utils import parse_timedelta

from akdask import config
from akdask.errors import ClosedSchedulerError, TransferError, VersionError

if TYPE_CHECKING:
    from distributed import Client, Worker
    from distributed.diagnostics.plugin import SchedulerPlugin, WorkerPlugin
    from distributed.scheduler import Scheduler, TaskState

__all__ = ["Client", "Scheduler", "SchedulerPlugin", "TaskState", "Worker", "WorkerPlugin"]

threaded_get = dask.threaded.get
"""Dask's scheduler for threads of this process; takes any executor as its `pool`, and as many tasks as that says.

Threads give a task with its inputs to `loads` before they run it, and its result with their number to `dumps`.
"""

get_here = dask.local.get_sync
"""Dask's scheduler that runs tasks one after the other, in this thread."""

Result = TypeVar("Result")

AT_ONCE = 16
"""Workers that one task asks at a time: answers of more would only wait for the network of its own worker."""

PATIENCE = 5.0
"""Seconds after which a worker that does not take a call is taken to be gone.  Choose more where workers stand still
for longer; the rows of one that is taken to be gone are made again."""

WORKER_TTL = 300.0
"""Seconds after which a scheduler gives up a worker that it has not heard of, unless its setting says otherwise: Dask's
own default."""

DASK_TRIM_THRESHOLD = "65536"
"""The value that Dask sets for its workers; another value is the choice of the user."""


def __getattr__(name: str) -> Any:
    """Return a base class of plugins, which is loaded where there is a cluster to tell of one."""
    if name in {"SchedulerPlugin", "WorkerPlugin"}:
        from distributed.diagnostics import plugin

        return getattr(plugin, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# -------------------------------------------------------------------------------------------- threads of this process


def named_scheduler() -> Callable[..., Any] | str | None:
    """Return the scheduler that Dask's setting names, "threads" if it names none or that.

    Returns
    -------
    callable, "threads" or None
        None where only Dask can tell: if it names none, and there is a client, or this is a task of a worker's.
    """
    named = dask.config.get("scheduler", None)
    if named is None:
        return "threads" if shares_memory() else None
    found = named_schedulers.get(named) if isinstance(named, str) else None
    return "threads" if found is dask.threaded.get else found


def shares_memory() -> bool:
    """Whether the next computation runs in threads of this process, whose tasks see each other's arrays."""
    named = dask.config.get("scheduler", None)
    if named is None:
        # A computation within a task of a worker runs on the cluster of the worker.
        return default_client() is None and current_worker() is None
    return isinstance(named, str) and named_schedulers.get(named) in {dask.threaded.get, dask.local.get_sync}


def forget_threads() -> None:
    """Have Dask start threads of its own in a forked process, which has none of its parent's."""
    dask.threaded.default_pool = None
    dask.threaded.pools.clear()
    dask.threaded.pools_lock = Lock()


# ----------------------------------------------------------------------------------------------- clients and workers


def default_client() -> Client | None:
    """Return the client of a cluster that is current; without the import, which is slow, there is none.

    Raises
    ------
    ClosedSchedulerError
        If the cluster that was chosen last has closed: threads of this process may have too little memory for its work.
    """
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        client: Client | None = distributed.default_client()
    except ValueError:
        client = None
    # A client whose scheduler has gone tries to connect again for a while, and then closes itself.
    if _chosen and (client is None or client.status == "connecting"):
        raise ClosedSchedulerError(
            f"the Dask scheduler at {_chosen[-1]} has closed, or does not answer any more.",
            hint="connect to another one, or call disconnect() to compute on threads of this process.",
        )
    return client


_chosen: list[str] = []
"""Addresses of schedulers whose clients nobody has closed in this process."""


def chosen_client(server: Any, **options: Any) -> Client:
    """Return a client of a scheduler or cluster; if its scheduler closes, computing is an error until it is closed."""
    from distributed import Client

    class ChosenClient(Client):  # type: ignore[misc]  # Dask is not typed
        def close(self, *args: Any, **kwargs: Any) -> Any:
            forget()
            return super().close(*args, **kwargs)

        def shutdown(self) -> Any:
            forget()
            return super().shutdown()

    def forget() -> None:
        if address in _chosen:
            _chosen.remove(address)

    address = ""
    client = ChosenClient(server, **options)
    address = client.scheduler.address
    _chosen.append(address)
    return client


def check_versions(client: Client) -> None:
    """Raise VersionError if workers have no akdask, or another version, before they are sent tasks that need it."""
    from akdask import __version__

    if client.asynchronous:
        return
    workers = client.get_versions(packages=["akdask"])["workers"]
    others = {
        address: facts["packages"]["akdask"]
        for address, facts in workers.items()
        if facts["packages"]["akdask"] != __version__
    }
    if others:
        raise VersionError(
            f"{len(others)} of {len(workers)} workers cannot compute for akdask {__version__}, which runs here.",
            details=[
                f"{address}: {f'akdask {version}' if version else 'no akdask'}" for address, version in others.items()
            ],
            hint="install the same version for the workers, such as from one environment or image, and restart them.",
        )


def expect_arrow() -> None:
    """Register the serializers of Arrow tables: some releases of `distributed` do not load them by themselves."""
    if "distributed" in sys.modules:
        import_module("pyarrow.fs")


def workers_of(client: Client) -> dict[str, tuple[int, int]]:
    """Return the limit of memory in bytes, 0 for none, and the number of threads of each worker, by its address."""
    facts = client.scheduler_info(n_workers=-1)["workers"]
    return {address: (worker["memory_limit"], worker["nthreads"]) for address, worker in facts.items()}


def tasks_by_step(client: Client) -> Mapping[str, Mapping[str, int]]:
    """Count the tasks of a cluster in each state, by the prefix that Dask shows of their keys."""
    found: Mapping[str, Mapping[str, int]] = client.sync(client.scheduler.get_task_prefix_states)
    return found


@contextmanager
def recorded_by_cluster(client: Client) -> Iterator[Mapping[Hashable, float]]:
    """Have a cluster record how long each task takes; yields a mapping that holds seconds by keys when it ends."""
    from distributed import get_task_stream

    seconds: dict[Hashable, float] = {}
    with get_task_stream(client) as stream:
        yield seconds
    for task in stream.data:
        spans = [span["stop"] - span["start"] for span in task["startstops"] if span["action"] == "compute"]
        seconds[task["key"]] = seconds.get(task["key"], 0.0) + sum(spans)


def check_address(address: str) -> None:
    """Raise ValueError for a malformed address, as its client would fail once more when it is closed."""
    from distributed.comm import get_address_host_port

    # Schedulers of this process have no ports.
    if not address.startswith("inproc://"):
        get_address_host_port(address)


def current_worker() -> Worker | None:
    """Return the worker whose task runs now, None outside of tasks of workers."""
    if "distributed" not in sys.modules:
        return None
    from distributed import get_worker

    try:
        return get_worker()
    except ValueError:
        return None


def current_task() -> tuple[str, Hashable] | None:
    """Return the address of the worker and the key of its task that runs now."""
    worker = current_worker()
    try:
        return None if worker is None else (worker.address, worker.get_current_task())
    except (ValueError, AttributeError):  # A thread of a task's, or a client within a task.
        return None


def worker_folder() -> str | None:
    """Return the folder on disk of the worker whose task runs now."""
    worker = current_worker()
    return None if worker is None else str(worker.local_directory)


def holds_result(worker: Worker, key: Hashable) -> bool:
    """Whether a worker holds the result of a task, in memory or on disk."""
    return key in worker.data


def is_cancelled(future: Any) -> bool:
    """Whether a future of a client will have no result, as after a restart of its cluster, which cancels all."""
    return bool(future.cancelled())


def keeps_no_memory() -> bool:
    """Whether Dask has told this process to give freed memory back at once."""
    return os.environ.get("MALLOC_TRIM_THRESHOLD_") == DASK_TRIM_THRESHOLD


def memory_limit(worker: Worker) -> int | None:
    """Return the bytes that a worker may take, None for no limit."""
    limit = worker.memory_manager.memory_limit
    return int(limit) if limit else None


def call_regularly(worker: Worker, function: Callable[[], None], milliseconds: int) -> None:
    """Have the event loop of a worker call a function, also while it takes no tasks."""
    from tornado.ioloop import PeriodicCallback

    worker.periodic_callbacks["akdask"] = callback = PeriodicCallback(function, milliseconds)
    worker.loop.add_callback(callback.start)


# ----------------------------------------------------------------------------------------------------------- spilling


def register_spilling(kind: type, name_of: Callable[[Any], Any | None], find: Callable[[Any], Any]) -> None:
    """Have workers spill objects of a class as a name, under which they are found again.

    Parameters
    ----------
    kind : type
        The class.
    name_of : callable
        Returns the name of an object, as msgpack packs it; None if it is to be spilled whole.
    find : callable
        Returns the object of a name.
    """
    from distributed.protocol import dask_deserialize, dask_serialize

    def spill(result: Any, context: Any = None) -> tuple[dict[str, Any], list[bytes]]:
        # A context means that the object is pickled for another worker.
        name = name_of(result) if context is None else None
        if name is None:
            raise NotImplementedError
        return {"name": name}, []

    dask_serialize.register(kind, spill)
    dask_deserialize.register(kind, lambda header, frames: find(header["name"]))


# ------------------------------------------------------------------------------------ results that are fetched in part


def keep_results(scheduler: Scheduler, keys: Sequence[Hashable], owner: str) -> None:
    """Have a scheduler keep results of tasks, and recompute lost ones, until `owner` releases them."""
    scheduler.client_desires_keys(list(keys), owner)


def let_results_go(scheduler: Scheduler, owner: str) -> None:
    """Have a scheduler forget the results that it has kept for an owner, unless others want them."""
    state = scheduler.clients.get(owner)
    if state is not None:
        scheduler.client_releases_keys([task.key for task in state.wants_what], owner)
        scheduler.clients.pop(owner, None)


def release_results(scheduler: Scheduler, tasks: Iterable[TaskState], stimulus_id: str) -> None:
    """Have a scheduler release finished results of tasks; tasks that need them wait for them again."""
    scheduler.transitions({task.key: "released" for task in tasks if task.state == "memory"}, stimulus_id)


def answers_of(worker: Worker, question: str, arguments: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the answers of other workers, given the arguments of each by its address; None for a lost worker."""
    from asyncio import Semaphore, gather

    from distributed.core import send_recv

    async def ask(address: str, enough: Any) -> Any:
        async with enough:
            try:
                comm = await worker.rpc.connect(address, timeout=PATIENCE)
            except OSError:
                return None
            try:
                return await send_recv(comm, op=question, **arguments[address])
            except OSError:
                return None
            finally:
                worker.rpc.reuse(address, comm)

    async def ask_all() -> list[Any]:
        enough = Semaphore(AT_ONCE)
        return await gather(*(ask(address, enough) for address in arguments))

    return dict(zip(arguments, _in_event_loop(worker, ask_all()), strict=True)) if arguments else {}


def own_results(worker: Worker, keys: Sequence[Hashable]) -> dict[Hashable, Any]:
    """Return the results of some tasks that a worker holds itself, by key; called within its tasks."""

    async def find() -> dict[Hashable, Any]:
        return {key: worker.data[key] for key in keys if key in worker.data}

    return _in_event_loop(worker, find())


def holders_of(worker: Worker, keys: Sequence[Hashable]) -> dict[Hashable, Sequence[str]]:
    """Return the addresses of the workers that hold results, as the scheduler knows them; empty if it is gone."""

    async def ask() -> Any:
        try:
            return await worker.scheduler.who_has(keys=list(keys))
        except OSError:
            return {}

    return dict(_in_event_loop(worker, ask()))


def worker_ttl() -> float:
    """Return the seconds after which a scheduler gives up a silent worker, as far as this process knows."""
    ttl = dask.config.get("distributed.scheduler.worker-ttl", None)
    return float(parse_timedelta(ttl)) if ttl else WORKER_TTL


def as_message(content: bytes) -> Any:
    """Return bytes as they travel between workers, without another copy."""
    from distributed.protocol import to_serialize

    return to_serialize(content)


def run_again() -> NoReturn:
    """Hand the task that runs now back to the scheduler, to run it again."""
    from distributed import Reschedule

    raise Reschedule


def _in_event_loop(worker: Worker, coroutine: Coroutine[Any, Any, Result]) -> Result:
    from asyncio import run_coroutine_threadsafe

    return run_coroutine_threadsafe(coroutine, worker.loop.asyncio_loop).result()


# -------------------------------------------------------------------------------------------------------- restrictions


def restrict(workers: Mapping[Any, str], *, strict: bool) -> dict[str, dict[Any, Any]]:
    """Return the annotations that have tasks run at workers, by their keys: only there if `strict`."""
    return {
        "workers": {key: [place] for key, place in workers.items()},
        "allow_other_workers": dict.fromkeys(workers, not strict),
    }


def relax_restrictions(scheduler: Scheduler, tasks: Iterable[TaskState], mark: str) -> list[TaskState]:
    """Let tasks with an annotation run anywhere if all their workers are gone, and return these tasks."""
    placed = [task for task in tasks if mark in (task.annotations or {}) and not task.loose_restrictions]
    gone = [task for task in placed if scheduler.workers.keys().isdisjoint(task.worker_restrictions or ())]
    for task in gone:
        task.loose_restrictions = True
    return gone


def tasks_of(scheduler: Scheduler, keys: Iterable[Any] | None = None) -> list[TaskState]:
    """Return the tasks of some keys that a scheduler knows, all of them unless keys are given."""
    return list(scheduler.tasks.values()) if keys is None else [scheduler.tasks[key] for key in keys]


def run_waiting(scheduler: Scheduler, tasks: Iterable[TaskState], stimulus_id: str) -> None:
    """Have a scheduler run tasks that have waited for a worker on which they may run."""
    waiting = {task.key: "processing" for task in tasks if task.state == "no-worker"}
    scheduler.transitions(waiting, stimulus_id)


def send_promptly(streams: Iterable[Any]) -> None:
    """Have streams of messages collect them for a millisecond at most."""
    for stream in streams:
        stream.interval = min(stream.interval, MESSAGE_INTERVAL)


def register_plugin(client: Client, plugin: SchedulerPlugin | WorkerPlugin) -> None:
    """Give a scheduler or all workers a plugin; an asynchronous client does so while its event loop runs."""
    registration = client.register_plugin(plugin)
    if isawaitable(registration):
        from asyncio import ensure_future

        task = ensure_future(registration)
        _registrations.add(task)
        task.add_done_callback(_registrations.discard)


_registrations: set[Any] = set()
"""Registrations of plugins that have begun; a loop alone would not keep them."""


# -------------------------------------------------------------------------------------------- memory that plans may use


SHARE = 64
"""The part of a worker's memory that a column of a partition may take: there may be several columns, and they are in
memory as they are read, in order, and on their way to the next task."""

SHARE_HERE = 32
"""The same without a cluster: tasks run one by one where memory is nearly exhausted.  Of partitions half as large, an
exchange has four times as many slices: a join of 94 million rows took twice the processor time."""

PROGRAM = 2**28
"""Bytes of memory that the program of a worker, or of this process, takes itself, about: modules, threads' stacks and
what the allocator keeps."""

MEMORY_SHARE = 4
"""The divisor of the memory of all workers that bounds split partitions in memory: as much again is on its way, and
half is left to tasks."""

MESSAGE_INTERVAL = 0.001
"""Seconds between messages of one process to another.  Dask collects messages for 2 to 10 ms, which each step of a
chain of small tasks waits for: TPC-H on two workers took 1.2 times as long."""

NEWS = 0.1
"""Seconds for which an answer of the scheduler holds: planning asks many times, and each takes a millisecond."""

Workers: TypeAlias = dict[str, tuple[int, int]]
"""The bytes of memory for data and the number of threads of each worker, by its address."""

_heard: dict[str, tuple[float, Workers]] = {}


def on_cluster() -> bool:
    """Whether a client of a cluster is current in this process."""
    return default_client() is not None


def memory() -> int:
    """Return the bytes of memory for data that the smallest worker has for each of its threads.

    Without a cluster, the bytes of the whole process: its threads share the arrays that each of them needs in full.
    """
    return _least(data_memory(process_memory()))


def all_memory() -> int:
    """Return the memory for data of all workers, or of this process, in bytes."""
    return sum(nbytes for nbytes, _ in _workers().values()) or data_memory(process_memory())


def partition_size() -> int:
    """Return the bytes that a column of a partition may take: the setting, or less if memory is short."""
    per_thread = _least(data_memory(process_memory()) // CPU_COUNT)
    share = SHARE if on_cluster() else SHARE_HERE
    return max(min(int(config.get("partition_size")), per_thread // share), 1)


def buffer_bytes(count: int) -> int | None:
    """Return the memory budget of each of `count` split partitions; None if they share that of this process."""
    return memory_share() // count if on_cluster() else None


def memory_share() -> int:
    """Return the bytes of memory, of all workers or of this process, that split partitions may have together."""
    return all_memory() // MEMORY_SHARE


def transfer_limit() -> float:
    """Return the bytes that one conversion may bring into this process: the setting, or half of its memory.

    Half, since the results of tasks and the array that joins them are in memory at the same time.
    """
    limit = config.get("max_transfer_bytes")
    if limit == config.BY_MEMORY:
        return process_memory() // 2
    return math.inf if limit is None else float(limit)


def check_memory(nbytes: int, what: str, hint: str) -> None:
    """Refuse to hold bytes at once that are more than one conversion may bring into this process.

    Parameters
    ----------
    nbytes : int
        How many.
    what : str
        Begins the message: "a chunk takes".
    hint : str
        A remedy besides raising the limit.

    Raises
    ------
    TransferError
        If they are more.
    """
    limit = transfer_limit()
    if nbytes > limit:
        raise TransferError(
            f"{what} {nbytes:,} bytes in memory, more than the limit of {limit:,.0f}.",
            hint=f"raise it with ak.config.set(max_transfer_bytes=…), or {hint}.",
        )


def addresses() -> tuple[str, ...]:
    """Return the addresses of all workers."""
    return tuple(sorted(_workers()))


def worker_threads() -> tuple[str, ...]:
    """Return the address of the worker of each thread of the current cluster, () without one."""
    return tuple(address for address, (_, threads) in sorted(_workers().items()) for _ in range(threads))


def _least(here: int) -> int:
    """Return the memory for each thread of the smallest worker, or `here` without a cluster."""
    return min((nbytes // threads for nbytes, threads in _workers().values()), default=here)


def data_memory(limit: int) -> int:
    """Return the memory for data of a process with a limit; without one, the memory of the machine."""
    return max(limit - PROGRAM, limit // 4) if limit else process_memory()


def _workers() -> Workers:
    """Return the workers of the current cluster, as the scheduler has known them a moment ago."""
    client = default_client()
    if client is None:
        return {}
    until, workers = _heard.get(client.id, (0.0, {}))
    if monotonic() > until:
        workers = {address: (data_memory(limit), threads) for address, (limit, threads) in workers_of(client).items()}
        _heard.clear()
        _heard[client.id] = monotonic() + NEWS, workers
    return workers


# ----------------------------------------------------------------------------------------------- memory of this process

MEMBERSHIP = Path("/proc/self/cgroup")
"""Which groups of processes (cgroups) this process is in, one line for each hierarchy."""

HIERARCHIES = Path("/sys/fs/cgroup")
"""Where the system shows them."""

RESIDENT = 1
COUNTED = {resource.RLIMIT_AS: 0, resource.RLIMIT_DATA: 5}
"""Where the system tells how many pages are in memory, and how many pages a ulimit counts."""

ULIMITS = (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_RSS)


def process_memory() -> int:
    """Return the bytes of memory that this process may use: the setting, or the least of machine, cgroup and ulimit.

    Examples
    --------
    >>> process_memory() > 2**20
    True
    """
    limit: int | None = config.get("memory_limit")
    if limit is not None:
        return limit
    # Loops instead of comprehensions: planning calls this often, and each comprehension is one more call.
    least = _machine_memory()
    for kind in ULIMITS:
        ulimit = resource.getrlimit(kind)[0]
        if ulimit not in (resource.RLIM_INFINITY, 0) and ulimit < least:
            least = ulimit
    return least


@cache
def _machine_memory() -> int:
    """Return the limits that do not change while the process runs; cached, as planning reads them often."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([physical, *cgroup_limits()])


def memory_in_use() -> int:
    """Return the bytes of memory that this process has now, or its peak where the system tells no more.

    If a ulimit counts reserved pages, these count as well: the system may refuse more of them while much less memory is
    touched.
    """
    try:
        pages = list(map(int, Path("/proc/self/statm").read_text(encoding="ascii").split()))
        counted = [at for kind, at in COUNTED.items() if resource.getrlimit(kind)[0] != resource.RLIM_INFINITY]
        return max(pages[at] for at in (RESIDENT, *counted)) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def cgroup_limits() -> Iterator[int]:
    """Yield the limits in bytes of the cgroups of this process and of their ancestors.

    A container may show its own group as the root of the hierarchy while the line that names it has the path of the
    host, so that the root is looked at in any case.
    """
    try:
        lines = MEMBERSHIP.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if not controllers:
            yield from _limits(HIERARCHIES, group, ("memory.max", "memory.high"))
        elif "memory" in controllers.split(","):
            yield from _limits(HIERARCHIES / "memory", group, ("memory.limit_in_bytes",))


def _limits(root: Path, group: str, names: tuple[str, ...]) -> Iterator[int]:
    path = PurePosixPath(group.lstrip("/"))
    for folder in (path, *path.parents):
        for name in names:
            try:
                text = (root / folder / name).read_text().strip()
            except OSError:
                continue
            # "max" stands for no limit, and so does, in the older hierarchy, a number near 2**63.
            if text.isdecimal() and int(text):
                yield int(text)
