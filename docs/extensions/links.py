"""Fails the build where a link within the site leads nowhere: to a page, a file or an anchor that is not there."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError


class Page(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take what a tag links to, and how it can be linked to."""
        for name, value in attrs:
            if name in {"href", "src"} and value:
                self.links.add(value)
            elif name == "id" and value:
                self.anchors.add(value)


def broken(folder: Path) -> Iterator[str]:
    """Return what links lead nowhere, and from which page."""
    pages = {path.resolve(): Page(path) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            there = pages[target].anchors if target in pages else {""}
            if not target.is_file() or (target.suffix == ".html" and unquote(parts.fragment) not in there):
                yield f"{path.relative_to(folder.resolve())}: {link}"


def check(app: Sphinx, exception: Exception | None) -> None:
    """Fail if a link of the built site leads nowhere."""
    if exception is None and app.builder.name == "html" and (found := list(broken(Path(app.outdir)))):
        raise ExtensionError("links that lead nowhere:\n  " + "\n  ".join(found))


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx to check links last."""
    app.connect("build-finished", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
