"""``akdask completion``: scripts that complete commands, options and file names in a shell.

The scripts contain all names, so that a shell need not start Python: importing akdask at each key press would take a
second.
"""

from __future__ import annotations

import argparse
from typing import Any

SHELLS = ("bash", "fish", "zsh")


def register(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "completion",
        help="print a script that completes commands in a shell",
        description="Print a script that completes the commands and options of akdask.  bash: "
        'eval "$(akdask completion bash)" in ~/.bashrc; zsh: the same with zsh in ~/.zshrc; fish: '
        "akdask completion fish > ~/.config/fish/completions/akdask.fish",
    )
    parser.add_argument("shell", choices=SHELLS, help="which shell")
    parser.set_defaults(run=run, commands=commands.choices)


def run(options: argparse.Namespace) -> int:
    """Print the script; return the exit code."""
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
