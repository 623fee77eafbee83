"""``akdask completion``: scripts that complete commands, options and file names in a shell."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

Parsers = Mapping[str, argparse.ArgumentParser]


def register(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "completion",
        help="print a script that completes commands in a shell",
        description="Print a script that completes the commands and options of akdask.  bash: "
        'eval "$(akdask completion bash)" in ~/.bashrc; zsh: the same with zsh in ~/.zshrc; fish: '
        "akdask completion fish > ~/.config/fish/completions/akdask.fish",
    )
    parser.add_argument("shell", choices=sorted(_SCRIPTS), help="which shell")
    parser.set_defaults(run=partial(run, commands))


def run(commands: Any, options: argparse.Namespace) -> int:
    """Print the script; returns the exit code."""
    helps = {action.dest: action.help or "" for action in commands._choices_actions}
    print(_SCRIPTS[options.shell](commands.choices, helps))
    return 0


def _bash(parsers: Parsers, helps: Mapping[str, str]) -> str:
    cases = [f"    {name}) words={shlex.quote(' '.join(_words(parser)))} ;;" for name, parser in parsers.items()]
    return "\n".join(
        [
            "_akdask() {",
            "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=",
            "  if [ $COMP_CWORD -eq 1 ]; then",
            f'    COMPREPLY=($(compgen -W "{" ".join(parsers)}" -- "$current")); return',
            "  fi",
            "  case ${COMP_WORDS[1]}:$previous in",
            *(
                f'    {key}) COMPREPLY=($(compgen -W "{" ".join(values)}" -- "$current")); return ;;'
                for key, values in _choices(parsers)
            ),
            "  esac",
            "  case ${COMP_WORDS[1]} in",
            *cases,
            "  esac",
            "  case $current in",
            '    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;',
            r"    *) local IFS=$'\n'; compopt -o filenames",
            '      COMPREPLY=($(compgen -f -- "$current")) ;;',
            "  esac",
            "}",
            "complete -F _akdask akdask",
        ]
    )


def _zsh(parsers: Parsers, helps: Mapping[str, str]) -> str:
    listed = ["    " + shlex.quote(f"{name}:{helps.get(name, '')}") for name in parsers]
    cases = []
    for name, parser in parsers.items():
        specs = [shlex.quote(_zsh_option(action)) for action in _options(parser)]
        cases.append(f"    {name}) _arguments {' '.join(specs)} '*:file:{_zsh_operand(parser)}' ;;")
    return "\n".join(
        [
            "#compdef akdask",
            "_akdask() {",
            "  local -a commands=(",
            *listed,
            "  )",
            "  if (( CURRENT == 2 )); then _describe command commands; return; fi",
            "  local command=${words[2]}",
            "  shift words; (( CURRENT-- ))",
            "  case $command in",
            *cases,
            "  esac",
            "}",
            "compdef _akdask akdask",
        ]
    )


def _zsh_option(action: argparse.Action) -> str:
    name = action.option_strings[-1]
    told = (action.help or "").replace("[", "(").replace("]", ")").replace(":", " -")
    value = (
        "" if action.nargs == 0 else f":{action.metavar or action.dest}:({' '.join(map(str, action.choices or ()))})"
    )
    return f"{name}[{told}]{value}"


def _zsh_operand(parser: argparse.ArgumentParser) -> str:
    choices = _operand_choices(parser)
    return f"({' '.join(choices)})" if choices else "_files"


def _fish(parsers: Parsers, helps: Mapping[str, str]) -> str:
    lines = ["complete -c akdask -n __fish_use_subcommand -f"]
    for name, parser in parsers.items():
        lines.append(f"complete -c akdask -n __fish_use_subcommand -a {name} -d {shlex.quote(helps.get(name, ''))}")
        within = f"complete -c akdask -n '__fish_seen_subcommand_from {name}'"
        lines += [f"{within} {_fish_option(action)}" for action in _options(parser)]
        if choices := _operand_choices(parser):
            lines.append(f"{within} -f -a {shlex.quote(' '.join(choices))}")
    return "\n".join(lines)


def _fish_option(action: argparse.Action) -> str:
    names = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in action.option_strings]
    value = [] if action.nargs == 0 else ["-r"]
    choices = [f"-f -a {shlex.quote(' '.join(map(str, action.choices)))}"] if action.choices else []
    return " ".join([*names, *value, *choices, f"-d {shlex.quote(action.help or '')}"])


def _options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.option_strings]


def _words(parser: argparse.ArgumentParser) -> list[str]:
    return [name for action in _options(parser) for name in action.option_strings]


def _operand_choices(parser: argparse.ArgumentParser) -> list[str]:
    return [str(c) for action in parser._actions if not action.option_strings for c in action.choices or ()]


def _choices(parsers: Parsers) -> Iterable[tuple[str, list[str]]]:
    """Yield ``command:word before`` with what may follow: values of options, and operands that are no files."""
    for name, parser in parsers.items():
        for action in _options(parser):
            if action.choices:
                yield "|".join(f"{name}:{option}" for option in action.option_strings), list(map(str, action.choices))
        if choices := _operand_choices(parser):
            yield f"{name}:{name}", choices


_SCRIPTS: dict[str, Callable[[Parsers, Mapping[str, str]], str]] = {"bash": _bash, "fish": _fish, "zsh": _zsh}
