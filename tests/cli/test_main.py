import argparse
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module

import pytest

from akdask import cli
from akdask.errors import ArgumentError, MissingFileError


class Command:
    """A subcommand `do` that does what it is told."""

    def __init__(self, act: Callable[[], int]) -> None:
        self.act = act

    def register(self, commands: argparse._SubParsersAction) -> None:
        commands.add_parser("do").set_defaults(run=lambda _: self.act())


def raises(error):
    def act():
        raise error

    return act


@pytest.fixture
def run(monkeypatch):
    def run(act):
        monkeypatch.setitem(cli.COMMANDS, "do", "doing")
        monkeypatch.setitem(sys.modules, "akdask.cli.doing", Command(act))
        return cli.main(["do"])

    return run


def test_exit_code_is_that_of_the_command(run):
    assert run(lambda: 0) == 0
    assert run(lambda: 1) == 1


def test_arguments_that_make_no_sense_give_a_message_and_code_2(run, capsys):
    assert run(raises(ArgumentError("rows must be positive.", hint="ask for some."))) == 2
    assert capsys.readouterr().err == "akdask: rows must be positive.\nHint: ask for some.\n"


def test_failures_give_a_message_and_code_2(run, capsys):
    assert run(raises(MissingFileError("no such file."))) == 2
    assert capsys.readouterr().err == "akdask: no such file.\n"


def test_an_interruption_gives_no_traceback(run, capsys):
    assert run(raises(KeyboardInterrupt())) == 130
    assert capsys.readouterr().err == "akdask: interrupted\n"


def test_faults_of_the_program_are_not_hidden(run):
    with pytest.raises(ZeroDivisionError):
        run(raises(ZeroDivisionError()))


@pytest.mark.parametrize("argv", [[], ["unknown"], ["demo", "--unknown"]])
def test_unknown_arguments_give_usage_and_code_2(argv, capsys):
    with pytest.raises(SystemExit) as exit_:
        cli.main(argv)
    assert exit_.value.code == 2
    assert "usage: akdask" in capsys.readouterr().err


def test_commands_are_found_in_the_modules_that_register_them():
    registered = {name: module for module in set(cli.COMMANDS.values()) for name in names_of(module)}
    assert registered == cli.COMMANDS


def names_of(module: str) -> list[str]:
    commands = argparse.ArgumentParser().add_subparsers()
    import_module(f"akdask.cli.{module}").register(commands)
    return list(commands.choices)


@pytest.mark.slow
def test_a_command_loads_what_it_needs_alone():
    script = "import sys; from akdask.cli import main\ntry: main(sys.argv[1:])\nfinally: print(*sys.modules)"

    def loaded_by(*argv: str) -> set[str]:
        ran = subprocess.run([sys.executable, "-c", script, *argv], capture_output=True, text=True, check=False)
        return set(ran.stdout.split())

    assert not loaded_by("--version") & {"numpy", "pyarrow", "h5py", "akdask.cli.show"}
    assert not loaded_by("doctor", "--help") & {"akdask.lbann.schema", "akdask.evo.store", "akdask.cli.show", "h5py"}
