"""The command ``akdask``: one module for each subcommand, each of which registers itself."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from akdask.cli import demo
from akdask.errors import AkdaskError, ArgumentError

COMMANDS = (demo,)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments, those of the process unless given.

    Returns
    -------
    int
        Exit code: 0 if all went well, 1 if something failed, 2 if the arguments make no sense.
    """
    parser = argparse.ArgumentParser(
        prog="akdask", description="Arkouda's arrays and files on plain Python and Dask.", allow_abbrev=False
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.register(commands)
    options = parser.parse_args(argv)
    try:
        return int(options.run(options))
    except ArgumentError as error:
        return _fail(f"akdask: {error}", 2)
    except AkdaskError as error:
        return _fail(f"akdask: {error}", 1)
    except KeyboardInterrupt:
        return _fail("akdask: interrupted", 130)
    except BrokenPipeError:
        # The reader of our output has gone; Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _fail(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code
