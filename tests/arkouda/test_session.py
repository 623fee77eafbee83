"""The log, the history and the names of the user."""

from __future__ import annotations

import json
import logging
import sys
from types import SimpleNamespace

import pytest

import akdask as ak
from akdask.arkouda import session


@pytest.fixture
def logger():
    logger = logging.getLogger("akdask")
    level = logger.level
    yield logger
    logger.setLevel(level)


def test_lines_go_to_pythons_log(logger, caplog):
    ak.enable_verbose()
    ak.write_log("hello", "mine", ak.LogLevel.DEBUG)
    ak.arkouda.core.client.note_for_server_log("noted")
    ak.disable_verbose(ak.LogLevel.ERROR)
    ak.write_log("nothing")
    assert [(record.levelname, record.message) for record in caplog.records] == [
        ("DEBUG", "mine: hello"),
        ("INFO", "ClientGeneratedLog: noted"),
    ]
    handler = logging.NullHandler()
    assert handler in session.get_arkouda_logger("akdask.x", [handler]).handlers
    assert session.get_arkouda_client_logger() is logger


def test_commands_of_the_shell_are_found(monkeypatch):
    lines = ["import akdask", "a = 1", "b = 2"]
    fake = SimpleNamespace(get_current_history_length=lambda: 3, get_history_item=lambda number: lines[number - 1])
    monkeypatch.setitem(sys.modules, "readline", fake)
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert ak.generate_history() == lines
    assert ak.generate_history(2) == lines[1:]
    assert ak.generate_history(0) == []
    assert ak.generate_history(command_filter="[ab] =") == lines[1:]
    monkeypatch.delitem(sys.modules, "readline")
    assert ak.generate_history() == []


def test_cells_of_a_notebook_are_found(monkeypatch):
    entries = [(1, 1, "a = 1"), (1, 2, "a + 1")]
    shell = type("ZMQInteractiveShell", (), {"history_manager": SimpleNamespace(get_range=lambda: iter(entries))})()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert ak.generate_history() == ["a = 1", "a + 1"]
    assert session.get_shell_mode() is session.ShellMode.IPYTHON_NOTEBOOK


def test_tokens_are_of_the_length_asked_for_and_never_the_same():
    assert len(session.generate_token(16)) == 16
    assert session.generate_token() != session.generate_token()
    facts = json.loads(session.generate_username_token_json("t"))
    assert facts == {"username": session.get_username(), "token": "t"}
    assert str(session.get_arkouda_client_directory()).startswith(session.get_home_directory())


def test_entries_show_their_attributes():
    entry = session.InfoEntry(name="a", dtype="int64", size=1, ndim=1, shape=[1], itemsize=8, registered=True)
    assert str(entry) == "InfoEntry(name=a, dtype=int64, size=1, ndim=1, shape=[1], itemsize=8, registered=True)"
    assert json.loads(json.dumps(entry, cls=session.EntryDecoder))["itemsize"] == 8
