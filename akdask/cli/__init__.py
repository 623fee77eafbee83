"""The command ``akdask``: each module registers a subcommand, or several that are alike."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

import akdask
from akdask.deferred import without_collection
from akdask.errors import AkdaskError

COMMANDS = {
    "ls": "show",
    "info": "show",
    "head": "show",
    "validate": "validate",
    "convert": "convert",
    "repack": "convert",
    "run": "run",
    "doctor": "doctor",
    "evo": "evo",
    "lbann": "lbann",
    "demo": "demo",
}
"""The modules that register commands, by the names of these; a command loads its own module alone."""

SHELLS = ("bash", "fish", "zsh")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; the arguments of the process by default.

    Returns
    -------
    int
        Exit code: 0 if all is well, 1 if something was found wrong, 2 if the arguments make no sense or files cannot
        be read or written, and as shells give it after a signal.
    """
    given = sys.argv[1:] if argv is None else argv
    form, warnings.formatwarning = warnings.formatwarning, _formatted
    try:
        return _run(_parser(*_modules_for(given)), given)
    except AkdaskError as error:
        return _fail(f"akdask: {error}", 2)
    except KeyboardInterrupt:
        return _fail("akdask: interrupted", 130)
    except BrokenPipeError:
        # The reader has closed the pipe; Python would report the same error when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    finally:
        warnings.formatwarning = form


def _formatted(message: Warning | str, category: Any, filename: str, lineno: int, line: str | None = None) -> str:
    """Return a warning as the commands print it, without the line of Python that gave it."""
    return f"akdask: warning: {message}\n"


@without_collection
def _modules_for(argv: Sequence[str]) -> list[Any]:
    """Return the modules that parse arguments: all, unless the first one tells the command."""
    first = argv[0] if argv else ""
    names = {COMMANDS[first]} if first in COMMANDS else set() if first == "--version" else COMMANDS.values()
    return [import_module(f"{__name__}.{name}") for name in dict.fromkeys(COMMANDS.values()) if name in names]


@cache
def _parser(*modules: Any) -> argparse.ArgumentParser:
    """Return the parser of some commands, built once, as that takes longer than most commands."""
    parser = argparse.ArgumentParser(
        prog="akdask", description="Arkouda's arrays and files on plain Python and Dask.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"akdask {akdask.__version__}")
    parser.set_defaults(parser=parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in modules:
        module.register(commands)
    _register_completion(commands)
    return parser


def _run(parser: argparse.ArgumentParser, argv: Sequence[str]) -> int:
    """Run a subcommand and flush its output, inside the handling of closed pipes."""
    try:
        options = parser.parse_args(argv)
        return int(options.run(options))
    finally:
        sys.stdout.flush()


def _fail(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code


def _register_completion(commands: Any) -> None:
    """Add ``akdask completion``, whose scripts contain all names: a shell need not start Python at each key press."""
    parser = commands.add_parser(
        "completion",
        help="print a script that completes commands in a shell",
        description="Print a script that completes the commands and options of akdask.  bash: "
        'eval "$(akdask completion bash)" in ~/.bashrc; zsh: the same with zsh in ~/.zshrc; fish: '
        "akdask completion fish > ~/.config/fish/completions/akdask.fish",
    )
    parser.add_argument("shell", choices=SHELLS, help="which shell")
    parser.set_defaults(run=_print_completion, commands=commands.choices)


def _print_completion(options: argparse.Namespace) -> int:
    import shtab

    for parser in options.commands.values():
        _complete_files(parser, shtab.FILE)
    script = shtab.complete(options.parser, options.shell)
    # Names of files may need quotes.
    print(script.replace("complete -o bashdefault", "complete -o bashdefault -o filenames"))
    return 0


def _complete_files(parser: argparse.ArgumentParser, file: Any) -> None:
    """Have positional arguments, of commands within commands too, completed by names of files."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                _complete_files(inner, file)
        elif not action.option_strings and not action.choices:
            action.complete = file  # type: ignore[attr-defined]  # what shtab reads
