"""Links from pages to files of the repository, such as modules, lead to pages of the site that show these files."""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from sphinx.addnodes import download_reference
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

FOLDER = "source"
SHOWN = {".cfg", ".csv", ".pyi", ".py", ".sh", ".toml", ".yaml", ".yml"}


class LinkSource(SphinxTransform):
    """Makes of links to files, which Sphinx takes for downloads, links to the pages that show them."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        """Replace the links of a page."""
        page = self.env.docname
        shown = self.env.domaindata.setdefault("source_pages", {})
        shown[page] = set()
        for node in list(self.document.findall(download_reference)):
            target = os.path.normpath(Path(page).parent / node["reftarget"])
            if Path(target).suffix not in SHOWN and Path(target).name != "Makefile":
                continue
            shown[page].add(target)
            there = os.path.relpath(f"{FOLDER}/{target}.html", Path(page).parent)
            link = nodes.reference("", "", *node.children, internal=True, refuri=there, classes=["source"])
            node.replace_self(link)


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Return the pages of all files that are linked to."""
    for target in sorted(set().union(*app.env.domaindata.get("source_pages", {}).values())):
        text = (Path(app.srcdir) / target).read_text(encoding="utf-8")
        lexer = get_lexer_for_filename("x.mk" if target == "Makefile" else target)
        body = highlight(text, lexer, HtmlFormatter(cssclass="highlight"))
        title = f"<h1>{target}</h1>\n"
        yield f"{FOLDER}/{target}", {"title": target, "body": title + body}, "page.html"
    start = f"{app.config.root_doc}.html"
    redirect = f'<meta http-equiv="refresh" content="0; url={start}"><a href="{start}">{app.config.project}</a>'
    (Path(app.outdir) / "index.html").write_text(f"<!doctype html><title>akdask</title>{redirect}\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the transform and the pages."""
    app.add_transform(LinkSource)
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
