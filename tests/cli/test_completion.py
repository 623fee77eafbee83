from __future__ import annotations

import shutil
import subprocess

import pytest

from akdask.cli import main


@pytest.fixture
def script(capsys):
    def script(shell):
        assert main(["completion", shell]) == 0
        return capsys.readouterr().out

    return script


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_scripts_have_every_command_and_its_options(shell, script):
    text = script(shell)
    for word in (
        "ls",
        "info",
        "head",
        "validate",
        "convert",
        "repack",
        "demo",
        "completion",
        "num-locales",
        "severity",
        "footer-only",
    ):
        assert word in text


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_shells_accept_their_scripts(shell, script, tmp_path):
    program = shutil.which(shell) or pytest.skip(f"no {shell} here")
    path = tmp_path / "script"
    path.write_text(script(shell))
    subprocess.run([program, "-n", path], check=True)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["va"], {"validate"}),
        (["convert", "--num"], {"--num-locales"}),
        (["convert", "--file-type", ""], {"distribute", "single"}),
        (["validate", "--severity", "w"], {"warning"}),
        (["completion", ""], {"bash", "fish", "zsh"}),
        (["evo", "v"], {"validate", "verify"}),
        (["evo", "put", "--trunc"], {"--truncate-times"}),
        (["evo", "verify", "fl"], {"flows.h5", "flows two.h5"}),
        (["ls", "fl"], {"flows.h5", "flows two.h5"}),
    ],
)
def test_bash_completes(words, found, script, tmp_path):
    if shutil.which("bash") is None:
        pytest.skip("no bash here")
    (tmp_path / "flows.h5").touch()
    (tmp_path / "flows two.h5").touch()
    quoted = " ".join(f"'{word}'" for word in words)
    call = f"COMP_WORDS=(akdask {quoted}); COMP_CWORD={len(words)}; _shtab_akdask akdask '{words[-1]}' 2>/dev/null"
    driver = f"{call}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    ran = subprocess.run(
        ["bash", "-c", f"{script('bash')}\n{driver}"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert set(ran.stdout.splitlines()) == found
