"""Pages of the notebooks, which are stored without outputs: they are run when the site is built.

The environment variable ``AKDASK_NOTEBOOKS`` names those that are run where the tests run all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx

RUNNER = Path(__file__).with_name("run_notebook.py")


class NotebookParser(MystParser):
    """Reads a notebook as MyST's Markdown, with what its cells show."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Parse a notebook."""
        cells = json.loads(inputstring)["cells"]
        path = Path(document.current_source)
        shown = iter(run(path) if path.stem in os.environ.get("AKDASK_NOTEBOOKS", path.stem).split() else [])
        parts = []
        for cell in cells:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                parts.append(source)
            else:
                parts += [fenced("python", source), *map(markdown, next(shown, []))]
        super().parse("\n\n".join(parts), document)


def run(path: Path) -> list[list[tuple[str, str]]]:
    """Return what each code cell of a notebook shows, run by a process of its own in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="akdask-docs-") as folder:
        paths = os.pathsep.join(filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "MPLBACKEND": "Agg", "TMPDIR": folder, "PYTHONPATH": paths}
        command = [sys.executable, str(RUNNER), str(path)]
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{path} does not run:\n{done.stderr[-2000:]}")
    return list(map(json.loads, done.stdout.splitlines()))


def markdown(shown: tuple[str, str]) -> str:
    """Return something that a cell shows as MyST's Markdown."""
    kind, content = shown
    if kind == "png":
        content = f'<img alt="figure" src="data:image/png;base64,{content}">'
    return fenced("text", content) if kind == "text" else fenced("{raw} html", f'<div class="shown">{content}</div>')


def fenced(language: str, text: str) -> str:
    """Return a block of code."""
    return f"~~~~~{language}\n{text}\n~~~~~"


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx how notebooks are read."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
