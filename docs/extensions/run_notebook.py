"""Runs the cells of a notebook as plain Python, so that no Jupyter is needed: ``python run_notebook.py NOTEBOOK``.

Prints a line of JSON for each code cell as soon as it has run: pairs of kind (text, html or png) and content.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

Shown = list[tuple[str, str]]


def cells_of(path: Path, kind: str = "code") -> list[str]:
    """Return the sources of a notebook's cells of a kind."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]


def run_cell(source: str, names: dict[str, Any]) -> Any:
    """Execute a cell; returns the value of its last expression, None if it is a statement or ends with a semicolon."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
    if last is None:
        return None
    value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    return None if source.rstrip().endswith(";") else value


def shown_by(source: str, names: dict[str, Any]) -> Shown:
    """Execute a cell; returns what it prints and draws, and its value.  Errors tell what it had printed."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            value = run_cell(source, names)
    except Exception as error:
        error.add_note(f"Before, the cell had printed {printed.getvalue()!r}.")
        raise
    shown = [("text", printed.getvalue())] if printed.getvalue() else []
    figures = _figures()
    if not figures and value is not None:
        html = getattr(value, "_repr_html_", lambda: None)()
        shown.append(("text", repr(value)) if html is None else ("html", html))
    return shown + figures


def _figures() -> Shown:
    """Return the figures that were drawn, as PNG, and close them."""
    if "matplotlib.pyplot" not in sys.modules:
        return []
    plt = sys.modules["matplotlib.pyplot"]
    found = []
    for number in plt.get_fignums():
        file = io.BytesIO()
        plt.figure(number).savefig(file, dpi=80)
        found.append(("png", base64.b64encode(file.getvalue()).decode()))
    plt.close("all")
    return found


if __name__ == "__main__":
    names: dict[str, Any] = {"__name__": "__main__"}
    for source in cells_of(Path(sys.argv[1])):
        print(json.dumps(shown_by(source, names)), flush=True)
