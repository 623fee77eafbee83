"""Links from pages to files of the repository, such as modules, lead to pages of the site that show these files."""

from __future__ import annotations

import os.path
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, guess_lexer_for_filename
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


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{path} — akdask</title>
<style>body {{margin: 1rem; font: 90% sans-serif}} pre {{overflow-x: auto; line-height: 1.4}}
{style} @media (prefers-color-scheme: dark) {{body {{background: #131416; color: #cfd0d0}} a {{color: #6ab0f3}} {dark}}}
</style></head><body><p><a href="{start}">akdask</a> / <code>{path}</code></p>
{code}</body></html>
"""


def write_pages(app: Sphinx, exception: Exception | None) -> None:
    """Write the pages of all files that are linked to, without the theme, which takes long; and the first page."""
    if exception is not None or app.builder.name != "html":
        return
    light, dark = HtmlFormatter(), HtmlFormatter(style="native")
    styles = {"style": light.get_style_defs(), "dark": dark.get_style_defs()}
    start = f"{app.config.root_doc}.html"
    for path in sorted(set().union(*app.env.domaindata.get("source_pages", {}).values())):
        text = (Path(app.srcdir) / path).read_text(encoding="utf-8")
        lexer = guess_lexer_for_filename(path, text) if Path(path).suffix != ".csv" else TextLexer()
        page = Path(app.outdir) / FOLDER / f"{path}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        there = os.path.relpath(Path(app.outdir) / start, page.parent)
        page.write_text(
            PAGE.format(path=path, start=there, code=highlight(text, lexer, light), **styles), encoding="utf-8"
        )
    link = f'<meta http-equiv="refresh" content="0; url={start}"><a href="{start}">akdask</a>'
    (Path(app.outdir) / "index.html").write_text(f"<!doctype html><title>akdask</title>{link}\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the transform and the pages of files."""
    app.add_transform(LinkSource)
    app.connect("build-finished", write_pages)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
