"""The command ``akdask``: one module for each subcommand, each of which registers itself."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import akdask
from akdask.cli import completion, convert, demo, doctor, evo, head, info, lbann, ls, repack, run, validate
from akdask.errors import AkdaskError

COMMANDS = (ls, info, head, validate, convert, repack, run, doctor, evo, lbann, demo, completion)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; those of the process by default.

    Returns
    -------
    int
        Exit code: 0 if all is well, 1 if something was found wrong, 2 if the arguments make no sense or files cannot
        be read or written, and as shells give it after a signal.
    """
    parser = argparse.ArgumentParser(
        prog="akdask", description="Arkouda's arrays and files on plain Python and Dask.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"akdask {akdask.__version__}")
    parser.set_defaults(parser=parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.register(commands)
    try:
        return _run(parser, argv)
    except AkdaskError as error:
        return _fail(f"akdask: {error}", 2)
    except KeyboardInterrupt:
        return _fail("akdask: interrupted", 130)
    except BrokenPipeError:
        # The reader of the output has closed it; Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _run(parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> int:
    """Run a subcommand and flush its output, inside the handling of closed pipes."""
    try:
        options = parser.parse_args(argv)
        return int(options.run(options))
    finally:
        sys.stdout.flush()


def _fail(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code
