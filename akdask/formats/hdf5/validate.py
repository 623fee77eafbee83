"""Validate files from anyone: all violations of a set, and the releases of Arkouda that can read it.

Validation does not rely on the reader: it reads the metadata of files as stored, damaged or not, and data block by
block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from akdask.formats.hdf5 import rules_of_metadata, rules_of_objects
from akdask.formats.hdf5.validation import Reach, Rule, SetContext, Severity, reach_of
from akdask.records import record

__all__ = ["RULES", "Reach", "Report", "Rule", "Severity", "Violation", "validate"]


RULES = {
    found.id: found
    for module in (rules_of_metadata, rules_of_objects)
    for found in vars(module).values()
    if isinstance(found, Rule)
}
"""All rules by id."""


@record
class Violation:
    """One place where a rule is broken.

    Parameters
    ----------
    rule : str
        Id of the rule.
    severity : Severity
        How bad that is.
    file, object : str
        Path of the file; `object` is a path in it, empty for the file as such.
    text : str
        Description of the finding.
    """

    rule: str
    severity: Severity
    file: str
    object: str
    text: str


@record
class Report:
    """The findings for one set.

    Parameters
    ----------
    files : tuple of str
        The files, in order.
    violations : tuple of Violation
        All of them, in the order of the rules.
    reach : Reach, optional
        Releases that can read all objects of the set; None if it is not of Arkouda's layout.
    """

    files: tuple[str, ...]
    violations: tuple[Violation, ...]
    reach: Reach | None

    @property
    def counts(self) -> Counter[Severity]:
        """Number of violations by severity."""
        return Counter(violation.severity for violation in self.violations)

    @property
    def is_readable(self) -> bool:
        """Whether some release reads all of the set right."""
        return not self.counts[Severity.ERROR] and (self.reach is None or not self.reach.is_empty)


def validate(paths: Sequence[str], *, read_data: bool = True) -> Report:
    """Check the files of one set against all rules, reading data unless told otherwise.

    Parameters
    ----------
    paths : sequence of str
        The files, in order.
    read_data : bool, default True
        False to check metadata only.

    Returns
    -------
    Report
        Also for files that are damaged, or none at all: that is a violation, never an error.
    """
    context = SetContext(paths, read_data=read_data)
    violations = tuple(
        Violation(rule.id, rule.severity, *finding) for rule in RULES.values() for finding in rule.check(context)
    )
    return Report(tuple(paths), violations, reach_of(context))
