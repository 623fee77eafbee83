"""Clusters for jobs: threads, local processes, a running scheduler, or a new cluster of a batch system.

The table `CLUSTERS` has a line for each way to start a cluster.  Batch systems are reached by dask-jobqueue, Kubernetes
by dask-kubernetes, gateways by dask-gateway, and MPI by dask-mpi; each is imported where it is used.
"""

from __future__ import annotations

import json
import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import field
from importlib import import_module
from pathlib import Path
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any

import dask
import yaml

from akdask.cli.console import counted, size
from akdask.cluster import check_address
from akdask.errors import AkdaskError, ArgumentError
from akdask.records import record

if TYPE_CHECKING:
    from akdask.cluster import Client

THREADS = "threads"
BATCH_SYSTEMS = {
    "htcondor": "HTCondorCluster",
    "lsf": "LSFCluster",
    "moab": "MoabCluster",
    "oar": "OARCluster",
    "pbs": "PBSCluster",
    "sge": "SGECluster",
    "slurm": "SLURMCluster",
}
"""Classes of dask-jobqueue, by the names of their batch systems."""


@record
class Request:
    """A requested cluster."""

    where: str = THREADS
    workers: tuple[int, int] | None = None
    """The minimum and maximum number; the load decides between them."""
    memory: int | None = None
    """Bytes of each worker."""
    threads: int | None = None
    """Threads of each worker."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments for the class of the cluster."""
    logs: Path | None = None
    """Where workers of batch systems write their logs."""

    @property
    def is_address(self) -> bool:
        """Whether the scheduler runs already."""
        return "://" in self.where or self.where.endswith(".json")

    @property
    def is_adaptive(self) -> bool:
        """Whether the number of workers follows the work."""
        return self.workers is not None and self.workers[0] < self.workers[1]

    @property
    def count(self) -> int | None:
        """The largest number of workers, None if that is not said."""
        return None if self.workers is None else self.workers[1]


def check(request: Request) -> None:
    """Refuse a request that makes no sense, before anything is started.

    Raises
    ------
    ArgumentError
        If there is no such cluster, or the request does not fit it.
    """
    if not (request.is_address or request.where in CLUSTERS or request.where == THREADS):
        raise ArgumentError(
            f"there is no cluster {request.where!r}.",
            details=[f"clusters: {', '.join([THREADS, *CLUSTERS])}"],
            hint="or name a scheduler that runs, tcp://host:port, or the file that `dask scheduler "
            "--scheduler-file` has written, which ends with .json.",
        )
    refused = {
        "--memory": request.memory and (request.is_address or request.where == THREADS),
        "--threads": request.threads and (request.is_address or request.where in BATCHED_BY_MPI),
        "--workers": request.workers and request.where in {THREADS, *BATCHED_BY_MPI},
        "--workers MIN:MAX": request.is_adaptive and request.is_address,
        "--option": request.options and (request.is_address or request.where == THREADS),
    }
    wrong = [option for option, is_refused in refused.items() if is_refused]
    if wrong:
        raise ArgumentError(
            f"--cluster {request.where} does not take {' or '.join(wrong)}.",
            hint="whoever starts its workers says how many there are, and how large; --cluster local starts some here."
            if request.where != THREADS
            else "--cluster local starts workers that take it.",
        )


@contextmanager
def opened(request: Request) -> Iterator[Client | None]:
    """Start or find a cluster; its client is current inside, None for threads, and it ends with the block."""
    if request.where == THREADS:
        with dask.config.set({} if request.threads is None else {"num_workers": request.threads}):
            yield None
        return
    from distributed import Client

    with ExitStack() as stack:
        if request.is_address:
            client = _joined(request)
        else:
            cluster = _started(request)
            if cluster is not None:
                stack.enter_context(cluster)
                _scale(cluster, request)
            client = Client(cluster)
        stack.enter_context(client)
        least = 1 if request.workers is None else max(request.workers[0], 1)
        if request.where not in BATCHED_BY_MPI:
            _wait(client, least)
        yield client


def _wait(client: Client, count: int) -> None:
    """Wait for some workers; a batch system may queue them for hours, which the user is told."""
    if len(client.scheduler_info(n_workers=-1)["workers"]) < count:
        print(f"akdask: waiting for {counted(count, 'worker')}", file=sys.stderr, flush=True)
        client.wait_for_workers(count)


def _joined(request: Request) -> Client:
    from distributed import Client

    try:
        if request.where.endswith(".json") and "://" not in request.where:
            return Client(scheduler_file=request.where)
        check_address(request.where)
        return Client(request.where)
    except (OSError, ValueError, AssertionError) as error:
        raise ArgumentError(
            f"no Dask scheduler answers at {request.where}.",
            details=[str(error) or "the host is not found"],
            hint="start one with `dask scheduler`.",
        ) from error


def _started(request: Request) -> Any:
    """Return a new cluster without workers, or with all of them; None where workers exist before."""
    try:
        return CLUSTERS[request.where](request)
    except AkdaskError:
        raise
    except (ValueError, TypeError, OSError, RuntimeError) as error:
        raise ArgumentError(
            f"a cluster of {request.where} cannot be started.",
            details=str(error).splitlines(),
            hint="--memory, --threads and --option NAME=VALUE say what a worker is given; --dry-run shows it.",
        ) from error


def _scale(cluster: Any, request: Request) -> None:
    """Ask for workers."""
    if request.is_adaptive and request.workers is not None:
        cluster.adapt(minimum=request.workers[0], maximum=request.workers[1])
    elif request.where != "local" and request.count is not None:
        cluster.scale(request.count)


def described(request: Request) -> str:
    """Return the job script or manifest of a request, without starting a cluster.

    Parameters
    ----------
    request : Request
        The requested cluster.

    Returns
    -------
    str
        A job script, a specification in YAML, or a sentence.
    """
    if request.where in BATCH_SYSTEMS:
        with _started(request) as cluster:
            return str(cluster.job_script())
    if request.where == "k8s":
        _, specification = _kubernetes_arguments(request)
        # Equal parts written out, rather than once with references to it.
        return str(yaml.safe_dump(json.loads(json.dumps(specification)), sort_keys=False))
    return summary(request)


def summary(request: Request) -> str:
    """Return the request in words.

    Examples
    --------
    >>> summary(Request("local", workers=(8, 8), memory=16 * 10**9))
    'local: 8 workers of 16.0 GB'
    >>> summary(Request("slurm", workers=(2, 8), threads=4))
    'slurm: 2 to 8 workers of 4 threads'
    >>> summary(Request())
    'threads'
    """
    if request.workers is None:
        count = "workers" if request.memory or request.threads else ""
    else:
        low, high = request.workers
        count = f"{low} to {high} workers" if low < high else counted(high, "worker")
    if request.where == THREADS:
        return counted(request.threads, "thread") if request.threads else THREADS
    parts = [counted(request.threads, "thread")] if request.threads else []
    parts += [size(request.memory)] if request.memory else []
    each = f" of {' and '.join(parts)}" if parts else ""
    return request.where if not (count or each) else f"{request.where}: {count}{each}"


def _imported(module: str, package: str, extra: str = "") -> Any:
    """Return a module of a package that is not demanded."""
    try:
        # dask-jobqueue has Ctrl-C end the process from its import on; here it interrupts a computation.
        with _interrupt_handler_restored():
            return import_module(module)
    except ImportError as error:
        raise ArgumentError(
            f"{package} is not installed, or cannot be loaded.",
            details=[str(error)],
            hint=f"pip install {extra or package}",
        ) from error


@contextmanager
def _interrupt_handler_restored() -> Iterator[None]:
    """Leave Ctrl-C to whom it belongs now, whatever the block installs."""
    # Python lets no other thread install a handler.
    is_main = current_thread() is main_thread()
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if is_main:
            signal.signal(signal.SIGINT, before)


# ------------------------------------------------------------------------------------------------- kinds of clusters


def _local(request: Request) -> Any:
    from distributed import LocalCluster

    arguments = {
        "dashboard_address": ":0",
        "n_workers": None if request.workers is None else request.workers[0],
        "threads_per_worker": request.threads,
        **({} if request.memory is None else {"memory_limit": request.memory}),
        **request.options,
    }
    with _interrupt_handler_restored():
        # A Ctrl-C of the terminal reaches all processes that it has started, but only this one must handle it.
        if current_thread() is main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        return LocalCluster(**arguments)


def _batch_system(request: Request) -> Any:
    module = _imported("dask_jobqueue", "dask-jobqueue", "'akdask[jobs]'")
    # One worker per job: every worker is a batch job of its own, which may end alone.
    arguments: dict[str, Any] = {"processes": 1, "scheduler_options": {"dashboard_address": ":0"}}
    if request.threads is not None:
        arguments["cores"] = request.threads
    if request.memory is not None:
        arguments["memory"] = f"{request.memory}B"
    if request.logs is not None:
        arguments["log_directory"] = str(request.logs)
    return getattr(module, BATCH_SYSTEMS[request.where])(**arguments, **_taken(request.options, arguments))


def _taken(options: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return options; refuse one that another argument sets."""
    twice = [name for name in options if name in arguments and name not in {"processes", "scheduler_options"}]
    if twice:
        raise ArgumentError(
            f"--option {twice[0]} says what another option says already.", hint="leave out one of them."
        )
    return dict(options)


def _kubernetes(request: Request) -> Any:
    module, specification = _kubernetes_arguments(request)
    return module.KubeCluster(custom_cluster_spec=specification)


def _kubernetes_arguments(request: Request) -> tuple[Any, dict[str, Any]]:
    """Return the module of dask-kubernetes, and the specification of a cluster."""
    module = _imported("dask_kubernetes.operator", "dask-kubernetes")
    limits = {
        **({} if request.memory is None else {"memory": str(request.memory)}),
        **({} if request.threads is None else {"cpu": str(request.threads)}),
    }
    arguments = {
        "name": "akdask",
        "n_workers": 1 if request.workers is None else request.workers[0],
        **({"resources": {"requests": limits, "limits": limits}} if limits else {}),
        **request.options,
    }
    return module, module.make_cluster_spec(**arguments)


def _gateway(request: Request) -> Any:
    module = _imported("dask_gateway", "dask-gateway")
    arguments = {
        # Servers of Dask Gateway offer these options unless their administrators have chosen others.
        **({} if request.memory is None else {"worker_memory": request.memory / 2**30}),
        **({} if request.threads is None else {"worker_cores": request.threads}),
        **request.options,
    }
    return module.Gateway().new_cluster(**arguments, shutdown_on_close=True)


def _mpi(request: Request) -> None:
    """Start the scheduler on the first rank and workers on others; only the second rank returns, and runs the job."""
    module = _imported("dask_mpi", "dask-mpi")
    limit = {} if request.memory is None else {"memory_limit": request.memory}
    module.initialize(dashboard=False, **limit, **request.options)


BATCHED_BY_MPI = ("mpi",)
"""Clusters whose workers exist when the job begins."""

CLUSTERS: dict[str, Callable[[Request], Any]] = {
    "local": _local,
    **dict.fromkeys(BATCH_SYSTEMS, _batch_system),
    "k8s": _kubernetes,
    "gateway": _gateway,
    "mpi": _mpi,
}


def worker_range(text: str) -> tuple[int, int]:
    """Return the least and the largest number of workers.

    Examples
    --------
    >>> worker_range("8"), worker_range("2:8")
    ((8, 8), (2, 8))
    """
    low, _, high = text.partition(":")
    try:
        found = int(low), int(high or low)
    except ValueError:
        found = 0, 0
    if not 0 <= found[0] <= found[1] or not found[1]:
        raise ValueError
    return found


def options_of(pairs: Sequence[str]) -> dict[str, Any]:
    """Return options from their text, ``name=value``; lists and maps are written as in YAML.

    YAML's base-60 numbers stay text: 12:00:00 is a time, and not 43200.

    Examples
    --------
    >>> options_of(["queue=short", "job_extra_directives=[--exclusive]", "cores=3", "walltime=12:00:00"])
    {'queue': 'short', 'job_extra_directives': ['--exclusive'], 'cores': 3, 'walltime': '12:00:00'}
    """
    found = {}
    for pair in pairs:
        name, is_pair, value = pair.partition("=")
        if not is_pair or not name.isidentifier():
            raise ArgumentError(f"--option takes NAME=VALUE, not {pair!r}.")
        try:
            found[name] = _understood(yaml.load(value, yaml.BaseLoader) or "")
        except yaml.YAMLError as error:
            raise ArgumentError(f"the value of --option {name} is no YAML.", details=str(error).splitlines()) from error
    return found


def _understood(value: Any) -> Any:
    """Return a value of YAML's basic kinds with numbers and truth values in place of their text."""
    match value:
        case dict():
            return {name: _understood(item) for name, item in value.items()}
        case list():
            return [_understood(item) for item in value]
    if re.fullmatch(r"[-+]?\d+", value):
        return int(value)
    if re.fullmatch(r"[-+]?\d+\.\d*(e[-+]?\d+)?", value):
        return float(value)
    return {"true": True, "false": False, "null": None}.get(value, value)
