"""The text of an expression in pandas' grammar, as a syntax tree of Python that remembers where each part stood.

``&`` and ``|`` bind as ``and`` and ``or`` do, ``@name`` is a variable, and names in backticks may have any characters.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterable

from akdask.errors import AkdaskError, ArgumentError

_PARTS = re.compile(
    r"""(?P<text>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|`(?P<quoted>[^`]*)`|@(?P<local>[^\W\d]\w*)|(?P<operator>[&|])"""
)

_WORDS = {"&": " and ", "|": " or "}

LONGEST = 100_000
"""Characters of an expression; no one writes longer ones by hand."""


class ExpressionText:
    """An expression as it was written, and its syntax tree.

    Parameters
    ----------
    text : str
        The expression.

    Raises
    ------
    ArgumentError
        If it is none.
    """

    def __init__(self, text: str) -> None:
        if not text.strip() or len(text) > LONGEST:
            raise ArgumentError(f"an expression has from 1 to {LONGEST:,} characters, not {len(text):,}.")
        self.text = text
        self.names: dict[str, str] = {}
        """Names of columns by what stands for them in the tree."""
        self.locals: dict[str, str] = {}
        """Names of variables by what stands for them in the tree."""
        self._rewritten, self._starts = self._rewrite()
        try:
            self.tree = ast.parse(self._rewritten, mode="eval").body
        except SyntaxError as error:
            place = self._place(error.offset or 1)
            raise self.refusal(place, f"the expression is not well formed: {error.msg}.") from error
        except (RecursionError, MemoryError, ValueError) as error:
            raise ArgumentError("the expression is nested too deeply, or has characters that no text has.") from error

    def _rewrite(self) -> tuple[str, list[tuple[int, int]]]:
        """Return the expression in Python's grammar, and where its parts begin in it and in the text."""
        rewritten: list[str] = []
        starts = [(0, 0)]
        length = 0
        last = len(self.text) - len(self.text.lstrip())
        for found in _PARTS.finditer(self.text, last):
            between = self.text[last : found.start()].replace("\n", " ")
            if found["text"] is not None:
                piece = found["text"]
            elif found["operator"] is not None:
                piece = _WORDS[found["operator"]]
            elif found["local"] is not None:
                piece = f"_local{len(self.locals)}_{found.start()}"
                self.locals[piece] = found["local"]
            else:
                piece = f"_column{len(self.names)}_{found.start()}"
                self.names[piece] = found["quoted"]
            starts += [(length, last), (length + len(between), found.start())]
            rewritten += [between, piece]
            length += len(between) + len(piece)
            last = found.end()
        rewritten.append(self.text[last:].replace("\n", " ").rstrip())
        starts.append((length, last))
        return "".join(rewritten), starts

    def _place(self, column: int) -> int:
        """Return where a column of the rewritten expression, from 1, stood in the text."""
        number = bisect_right(self._starts, (column - 1, len(self.text))) - 1
        start, original = self._starts[max(number, 0)]
        return min(original + column - 1 - start, len(self.text))

    def refusal(
        self,
        where: ast.AST | int,
        message: str,
        *,
        details: Iterable[str] = (),
        hint: str | None = None,
        kind: type[AkdaskError] = ArgumentError,
    ) -> AkdaskError:
        """Return an error that shows the part of the expression which is meant."""
        place = where if isinstance(where, int) else self._place_of(where)
        line = self.text.replace("\n", " ")
        first = max(place - 60, 0)
        shown = [line[first : first + 100], " " * (place - first) + "^"]
        return kind(message, details=[*shown, *details], hint=hint)

    def _place_of(self, node: ast.AST) -> int:
        offset: int = getattr(node, "col_offset", 0)
        return self._place(len(self._rewritten.encode()[:offset].decode()) + 1)
