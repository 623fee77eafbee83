"""The surroundings of a session in Arkouda's client: its log, the history of the shell, folders and user names."""

from __future__ import annotations

import getpass
import json
import logging
import re
import secrets
import sys
from enum import Enum
from json import JSONEncoder
from pathlib import Path
from typing import Any, TypeVar

from akdask.io.registry import (
    AllSymbols,
    RegisteredSymbols,
    information,
    list_registry,
    list_symbol_table,
    pretty_print_information,
)

__all__ = [
    "AllSymbols",
    "RegisteredSymbols",
    "information",
    "list_registry",
    "list_symbol_table",
    "pretty_print_information",
]

Cls = TypeVar("Cls", bound=type)

LOGGER = "akdask"

# ------------------------------------------------------------------------------------------------------------ the log


class LogLevel(Enum):
    """The level of a line of the log."""

    INFO = "INFO"
    DEBUG = "DEBUG"
    WARN = "WARN"
    ERROR = "ERROR"
    CRITICAL = "CRITICAL"


class ArkoudaLogger(logging.Logger):
    """A logger of Python's own."""


def get_arkouda_logger(name: str = LOGGER, handlers: list[logging.Handler] | None = None) -> logging.Logger:
    """Return Python's logger of a name.

    Parameters
    ----------
    name : str
        The name.
    handlers : list of logging.Handler, optional
        Where its lines go besides.
    """
    logger = logging.getLogger(name)
    for handler in handlers or []:
        logger.addHandler(handler)
    return logger


def get_arkouda_client_logger(name: str = LOGGER) -> logging.Logger:
    """Return Python's logger of a name.

    Parameters
    ----------
    name : str
        The name.
    """
    return get_arkouda_logger(name)


# Their names before Arkouda 2026.
getArkoudaLogger = get_arkouda_logger
getArkoudaClientLogger = get_arkouda_client_logger


def enable_verbose() -> None:
    """Log all that is logged, debugging included.

    Examples
    --------
    >>> ak.enable_verbose()
    >>> ak.disable_verbose()
    """
    logging.getLogger(LOGGER).setLevel(logging.DEBUG)


def disable_verbose(logLevel: LogLevel = LogLevel.INFO) -> None:
    """Log messages of a level and above, INFO unless given.

    Parameters
    ----------
    logLevel : LogLevel
        The least level.

    Examples
    --------
    >>> ak.disable_verbose()
    """
    logging.getLogger(LOGGER).setLevel(_number(logLevel))


def write_log(log_msg: str, tag: str = "ClientGeneratedLog", log_lvl: LogLevel = LogLevel.INFO) -> None:
    """Write a line into the log of akdask, by Python's `logging`.

    Parameters
    ----------
    log_msg : str
        The line.
    tag : str
        Text before it.
    log_lvl : LogLevel
        The level.

    Examples
    --------
    >>> ak.write_log("rows are read")
    """
    logging.getLogger(LOGGER).log(_number(log_lvl), "%s: %s", tag, log_msg)


def _number(level: LogLevel) -> int:
    return logging.getLevelNamesMapping()[level.value]


# -------------------------------------------------------------------------------------------------------- the history


class ShellMode(Enum):
    """Where commands are typed."""

    IPYTHON_NOTEBOOK = "ZMQInteractiveShell"
    REPL_SHELL = "TerminalInteractiveShell"


def get_shell_mode() -> ShellMode:
    """Return whether this is a notebook."""
    shell = _ipython()
    is_notebook = shell is not None and type(shell).__name__ == ShellMode.IPYTHON_NOTEBOOK.value
    return ShellMode.IPYTHON_NOTEBOOK if is_notebook else ShellMode.REPL_SHELL


def _ipython() -> Any:
    """Return IPython's shell, where there is one."""
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()


class HistoryRetriever:
    """Finds commands that were typed."""

    def retrieve(self, command_filter: str | None = None, num_commands: int | None = None) -> list[str]:
        """Return commands, the last one last.

        Parameters
        ----------
        command_filter : str, optional
            A regular expression that they begin with.
        num_commands : int, optional
            Number of lines, the last ones.
        """
        found = [line for line in self._typed() if command_filter is None or re.match(command_filter, line)]
        return found if num_commands is None else found[len(found) - min(num_commands, len(found)) :]

    def _typed(self) -> list[str]:
        return []


class ShellHistoryRetriever(HistoryRetriever):
    """Finds commands that were typed at Python's prompt."""

    def _typed(self) -> list[str]:
        readline: Any = sys.modules.get("readline")
        if readline is None:
            return []
        return [readline.get_history_item(number + 1) for number in range(readline.get_current_history_length())]


class NotebookHistoryRetriever(HistoryRetriever):
    """Finds cells that were run in IPython or a notebook."""

    def _typed(self) -> list[str]:
        shell = _ipython()
        return [] if shell is None else [entry[2] for entry in shell.history_manager.get_range()]


def generate_history(num_commands: int | None = None, command_filter: str | None = None) -> list[str]:
    """Return commands that were typed in this session, the last one last.

    Parameters
    ----------
    num_commands : int, optional
        Number of lines, the last ones; all unless given.
    command_filter : str, optional
        A regular expression that they begin with.

    Examples
    --------
    >>> ak.generate_history(0)
    []
    """
    retriever = ShellHistoryRetriever() if _ipython() is None else NotebookHistoryRetriever()
    return retriever.retrieve(command_filter, num_commands)


# ----------------------------------------------------------------------------------------------------------- the user


def generate_token(length: int = 32) -> str:
    """Return a random word of hexadecimal digits.

    Parameters
    ----------
    length : int, default 32
        Its length.
    """
    return secrets.token_hex(length // 2)


def get_username() -> str:
    """Return the name of the user of this process."""
    return getpass.getuser()


def get_home_directory() -> str:
    """Return the home folder of the user of this process."""
    return str(Path.home())


def get_arkouda_client_directory() -> Path:
    """Return the folder in which Arkouda's client keeps its files; does not create it."""
    return Path.home() / ".arkouda"


def generate_username_token_json(token: str) -> str:
    """Return the name of the user and a token as JSON.

    Parameters
    ----------
    token : str
        The token.
    """
    return json.dumps({"username": get_username(), "token": token})


# -------------------------------------------------------------------------------------------------------------- facts


def auto_str(cls: Cls) -> Cls:
    """Have a class show its attributes as text."""

    def shown(self: Any) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={item}' for name, item in vars(self).items())})"

    setattr(cls, "__str__", shown)  # noqa: B010 - to type checkers, classes keep their methods
    return cls


class EntryDecoder(JSONEncoder):
    """Writes objects as JSON by their attributes."""

    def default(self, o: Any) -> Any:
        """Return the attributes of an object."""
        return vars(o)


@auto_str
class InfoEntry:
    """Facts about an object, as attributes.

    Parameters
    ----------
    **kwargs
        The items of `information` for the object.
    """

    def __init__(self, **kwargs: Any) -> None:
        for name in ("name", "dtype", "size", "ndim", "shape", "itemsize", "registered"):
            setattr(self, name, kwargs[name])
