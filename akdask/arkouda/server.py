"""Functions that need a Chapel server: they raise errors with an alternative, or do nothing if nothing is needed.

Scripts that import such names run until they use one that is refused.
"""

from __future__ import annotations

import time
from enum import Enum
from typing import Any, NoReturn

from akdask import config
from akdask.arkouda.modules import MODULES
from akdask.arkouda.session import (
    ShellMode,
    disable_verbose,
    enable_verbose,
    generate_history,
    get_shell_mode,
    write_log,
)
from akdask.arrays.connection import disconnect, get_config
from akdask.arrays.memory_report import get_array_ranks, get_max_array_rank, get_mem_avail, get_mem_status, get_mem_used
from akdask.cluster import transfer_limit
from akdask.errors import UnsupportedError

__all__ = [
    "ShellMode",
    "disable_verbose",
    "enable_verbose",
    "generate_history",
    "get_array_ranks",
    "get_config",
    "get_max_array_rank",
    "get_mem_avail",
    "get_mem_status",
    "get_mem_used",
    "get_shell_mode",
    "write_log",
]

_NO_SERVER = "needs a Chapel server, which akdask does not have"

_PROTOCOL = "call the functions and methods of akdask; they make no messages."
_FILES = "write files with to_hdf, or register() the object on a cluster for its other clients to attach()."
_TRAFFIC = "the dashboard of Dask shows what workers send: client.dashboard_link."

REFUSED: dict[str, str] = {
    **dict.fromkeys(MODULES["comm_diagnostics"].split(), _TRAFFIC),
    **dict.fromkeys(MODULES["core.message"].split(), _PROTOCOL),
    **dict.fromkeys(
        [
            "Channel",
            "ZmqChannel",
            "create_pdarray",
            "create_pdarrays",
            "create_sparray",
            "generic_msg",
            "get_channel",
            "parse_single_value",
        ],
        _PROTOCOL,
    ),
    **dict.fromkeys(("receive", "receive_dataframe"), _FILES),
}
"""Alternatives to functions that need a server, by name."""


class Refused:
    """Placeholder of a name that makes no sense without a server: it can be imported, and raises an error in use.

    Parameters
    ----------
    name : str
        The name.
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name
        self.hint = REFUSED[name]
        self.__doc__ = f"Refuse: it {_NO_SERVER}."

    def __call__(self, *args: Any, **params: Any) -> NoReturn:
        """Refuse.

        Raises
        ------
        UnsupportedError
            In any case.
        """
        raise UnsupportedError(f"{self.__name__} {_NO_SERVER}.", hint=self.hint)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{self.__name__} has no attribute {name!r}")
        return self()

    def __repr__(self) -> str:
        return f"<{self.__name__}: {_NO_SERVER}>"


def __getattr__(name: str) -> Any:
    """Return the placeholder of a refused name."""
    if name == "maxTransferBytes":
        return transfer_limit()
    if name not in REFUSED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return Refused(name)


receive = Refused("receive")
receive_dataframe = Refused("receive_dataframe")


class ClientMode(Enum):
    """Whether an Arkouda client greets."""

    UI = "UI"
    API = "API"


class RequestMode(Enum):
    """Whether a message of Arkouda waits for its reply."""

    SYNCHRONOUS = "SYNCHRONOUS"
    ASYNCHRONOUS = "ASYNCHRONOUS"


class ChannelType(Enum):
    """The channel for messages of Arkouda."""

    ZMQ = "ZMQ"
    GRPC = "GRPC"
    STUB = "STUB"


def shutdown() -> None:
    """Close the clients and local clusters that `connect` opened; there is no server to stop.

    Examples
    --------
    >>> ak.shutdown()
    """
    disconnect()


def _no_op() -> str:
    """Return ``noop``, as a server answers to a request for nothing."""
    return "noop"


def ruok() -> str:
    """Return ``imok``: there is no server that could be in trouble.

    Examples
    --------
    >>> ak.ruok()
    'imok'
    """
    return "imok"


def get_server_commands() -> dict[str, str]:
    """Return the commands of the server: none.

    Examples
    --------
    >>> ak.get_server_commands()
    {}
    """
    return {}


def print_server_commands() -> None:
    """Print the commands of the server: none.

    Examples
    --------
    >>> ak.print_server_commands()
    Total available server commands: 0
    """
    print("Total available server commands: 0")


def get_registration_config() -> dict[str, Any]:
    """Return the supported types and numbers of dimensions, in the form of a server's build options."""
    types = ["int", "uint", "uint(8)", "real", "bool", "bigint"]
    return {"parameter_classes": {"array": {"nd": get_array_ranks(), "dtype": types}}}


connected = True
"""Whether there is a server to talk to; akdask never needs one."""

pdarrayIterThresh = 100
"""Up to how many elements Arkouda shows all of an array."""

SETTINGS = {"maxTransferBytes": "max_transfer_bytes"}
"""The variables of Arkouda's client that scripts assign to, and the settings of akdask that they stand for."""


def set_defaults() -> None:
    """Reset the settings that correspond to variables of Arkouda's client."""
    config.set(**{name: config.SETTINGS[name].default for name in SETTINGS.values()})


def wait_for_async_activity() -> None:
    """Do nothing, as nothing runs in the background."""


def server_sleep(seconds: float) -> None:
    """Wait.

    Parameters
    ----------
    seconds : float
        How long.
    """
    time.sleep(seconds)


def note_for_server_log(message: str) -> None:
    """Write a line into the log, see `akdask.write_log`.

    Parameters
    ----------
    message : str
        The line.
    """
    write_log(message)
