"""Names under which arrays of a sample are retrieved: groups, and fields that were not packed."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from akdask.lbann.errors import UnknownNameError

_SYNONYMS = {
    "datum": "samples",
    "label": "labels",
    "response": "responses",
    "samples": "datum",
    "labels": "label",
    "responses": "response",
}
"""Names of groups before and after they were renamed upstream."""


def resolve(name: str, names: Collection[str]) -> str:
    """Return which of the names is meant.

    Parameters
    ----------
    name : str
        A group or a field; ``datum``, ``label`` and ``response`` also find ``samples``, ``labels`` and ``responses``,
        and these those.
    names : collection of str
        What there is.

    Raises
    ------
    UnknownNameError
        If there is no such name.

    Examples
    --------
    >>> resolve("datum", ["samples", "responses"])
    'samples'
    """
    if name in names:
        return name
    if (other := _SYNONYMS.get(name)) is not None and other in names:
        return other
    close = get_close_matches(name, names, 1)
    raise UnknownNameError(
        f"nothing can be retrieved as {name!r}.",
        details=[f"there are: {', '.join(names)}"],
        hint=f"did you mean {close[0]!r}?" if close else "packed fields are there with keep_packed_fields=True only.",
    )
