"""The last rule, on data as such: what the rules before it have not read, it reads."""

from __future__ import annotations

from collections.abc import Iterator

from akdask.hdf5.validate.context import SetSurvey
from akdask.hdf5.validate.rule import Finding, Severity, rule


@rule("data.readable", Severity.ERROR)
def readable(survey: SetSurvey) -> Iterator[Finding]:
    """All data can be read: it is not cut short, and its filters can undo what they did."""
    for file, node in survey.datasets():
        if node.storage != "contiguous" and node.shape:
            survey.read_through(file, node)
    for (path, name), text in survey.damage.items():
        yield path, name, text
