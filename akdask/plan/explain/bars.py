"""Where progress is shown: a line of a terminal, an output of a notebook."""

from __future__ import annotations

import sys
from contextvars import Context
from html import escape
from shutil import get_terminal_size
from typing import Any, Protocol

_BAR = 30
"""Characters of a bar, at most."""


class Shown(Protocol):
    """Where progress is shown."""

    def show(self, done: int, total: int, said: str) -> None:
        """Show how much is done of all, and a few words about it."""

    def clear(self) -> None:
        """Show nothing any more."""


class Line:
    """A line of a terminal, which is wiped out at the end."""

    def __init__(self) -> None:
        self._width = 0

    def show(self, done: int, total: int, said: str) -> None:
        """Write the line over the last one."""
        self._write(progress_bar(done, total, said, get_terminal_size().columns))

    def clear(self) -> None:
        """Wipe the line out."""
        if self._width:
            self._write("")
            print("\r", end="", file=sys.stderr, flush=True)

    def _write(self, line: str) -> None:
        print(f"\r{line.ljust(self._width)}", end="", file=sys.stderr, flush=True)
        self._width = len(line)


class CellOutput:
    """An output below a notebook's cell, which is emptied at the end."""

    def __init__(self, context: Context) -> None:
        # Which cell has asked is a variable of its context.
        self._context = context
        self._handle: Any = None

    def show(self, done: int, total: int, said: str) -> None:
        """Show a bar with words."""
        self._context.run(self._display, f"<progress value='{done}' max='{max(total, 1)}'></progress> {escape(said)}")

    def clear(self) -> None:
        """Empty the output."""
        if self._handle is not None:
            self._context.run(self._display, "")

    def _display(self, html: str) -> None:
        from IPython.display import HTML, display

        if self._handle is None:
            self._handle = display(HTML(html), display_id=True)
        else:
            self._handle.update(HTML(html))


def progress_bar(done: int, total: int, said: str, columns: int) -> str:
    """Return a line that shows how much of something is done; as much of it as a terminal of some columns has room for.

    Examples
    --------
    >>> progress_bar(3, 4, "3 of 4 tasks", 60)
    '[██████████████████████        ]  75%  3 of 4 tasks'
    """
    share = done / max(total, 1)
    width = min(max(columns - len(said) - 10, 1), _BAR)
    return f"[{('█' * int(width * share)).ljust(width)}] {share:4.0%}  {said}"[: max(columns - 1, 1)]
