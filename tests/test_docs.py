"""The pages that people read are true: their code runs, and what they name or link to exists."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from akdask import cli, config

ROOT = Path(__file__).parents[1]
PAGES = (
    [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
    + sorted(ROOT.glob("docs/**/*.md"))
    + [ROOT / "examples" / "README.md"]
)
TEXTS = {page: page.read_text(encoding="utf-8") for page in PAGES}


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXTS[page], re.MULTILINE | re.DOTALL)


def _code(page: Path, language: str) -> str:
    return "\n".join(_blocks(page, language))


def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", TEXTS[page], flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _links(page: Path) -> list[str]:
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", TEXTS[page]) if "://" not in link]


WITH_PYTHON = [page for page in PAGES if _code(page, "python")]
LINKS = [(page, link) for page in PAGES for link in _links(page)]
LABELS = [(page, pair) for page in PAGES for pair in re.findall(r"\[`([\w./]+)`\]\(([^)\s]+)\)", TEXTS[page])]
PATHS = [(page, path) for page in PAGES for path in re.findall(r"(?<!\[)`((?:\.?\w[\w.]*/)+[\w.]*)`", TEXTS[page])]


def _ids(pairs: list[tuple[Path, str]]) -> list[str]:
    return [f"{_name(page)}:{target}" for page, target in pairs]


def test_what_is_read_first_has_examples():
    assert {"README.md", "docs/tour.md", "docs/cheat_sheets.md"} <= set(map(_name, WITH_PYTHON))


@pytest.mark.parametrize("page", WITH_PYTHON, ids=_name)
def test_examples_give_what_is_printed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("akdask.engine.pipeline.CORES", 4)
    example = doctest.DocTestParser().get_doctest(_code(page, "python"), {}, _name(page), _name(page), 0)
    report: list[str] = []
    doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(example, out=report.append)
    assert not report, "".join(report)


def test_python_blocks_are_examples():
    blocks = [block for page in PAGES for block in _blocks(page, "python")]
    assert all(block.startswith(">>> ") for block in blocks), "a block without a prompt would not run"


@pytest.mark.parametrize(("page", "link"), LINKS, ids=_ids(LINKS))
def test_every_link_leads_somewhere(page, link):
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    assert target.exists()
    assert not anchor or anchor in _anchors(target)


def test_links_that_show_a_file_lead_to_it():
    assert [pair for _, pair in LABELS if pair[0].endswith(".py") and not pair[1].endswith(f"/{pair[0]}")] == []


@pytest.mark.parametrize(("page", "path"), PATHS, ids=_ids(PATHS))
def test_every_path_that_is_named_exists(page, path):
    assert any((folder / path).exists() for folder in (ROOT, ROOT / "akdask")), f"{_name(page)} names {path}"


def test_every_make_target_that_is_named_exists():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    shell = "\n".join(_code(page, "sh") for page in PAGES)
    targets = {name for line in re.findall(r"^make ([a-z ]+)", shell, re.MULTILINE) for name in line.split()}
    assert {"demo", "test", "lint", "types", "check", "format", "bench"} <= targets
    assert {name for name in targets if not re.search(rf"^{name}:", makefile, re.MULTILINE)} == set()


def test_every_command_that_is_named_exists(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    usage = capsys.readouterr().out
    named = {name for page in PAGES for name in re.findall(r"\bakdask ([a-z]+)\b(?= |`)", _code(page, "sh"))}
    assert {"ls", "info", "head", "validate", "convert", "repack", "completion"} <= named
    assert {name for name in named if not re.search(rf"\b{name}\b", usage)} == set()


def test_every_setting_is_explained():
    explained = re.findall(r"^\| `(\w+)` \|", TEXTS[ROOT / "docs" / "howto" / "settings.md"], re.MULTILINE)
    assert sorted(explained) == sorted(config.SETTINGS)


def test_settings_that_trust_depends_on_exist():
    named = re.findall(r"ak\.config\.set\((\w+)=|^\| `(\w+)` \|", TEXTS[ROOT / "SECURITY.md"], re.MULTILINE)
    names = {name for pair in named for name in pair if name}
    assert {"external_files", "verify_checksums"} <= names <= set(config.SETTINGS)
