"""Exclusion lists: which samples of a file remain when some are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from akdask.lbann.errors import LbannError, LbannListError
from akdask.lbann.samples.enumeration import sample_ids

SampleFinder = Callable[[str, int], list[str]]
"""Returns the paths of the groups of a file that lie at a depth, 1 for the children of the root."""

_DEEPEST = 32


def remaining_samples(
    path: str, named: Sequence[str], counts: tuple[int, int], where: str, find_samples: SampleFinder | None = None
) -> list[str]:
    """Return the samples of a file that an exclusion list leaves, in the order of the file.

    Parameters
    ----------
    path : str
        The file.
    named : sequence of str
        IDs that are left out.
    counts : (int, int)
        What the line of the list says is included and excluded.
    where : str
        The line, for errors.
    find_samples : callable, optional
        Finds the groups at a depth.

    Raises
    ------
    LbannListError
        If counts disagree with the file, or an ID comes twice or is not in it.
    """
    find = find_samples or _found
    included, excluded = counts
    left_out = ["/".join(parts(sample)) for sample in named]
    _refuse_repeated(left_out, excluded, path, where)
    try:
        there = _at_level(path, left_out, included + excluded, find)
    except LbannError as error:
        raise LbannListError(
            f"{where} cannot be followed: {error.message}", file=path, details=error.findings
        ) from None
    unknown = [sample for sample in left_out if sample not in set(there)]
    if unknown:
        raise LbannListError(
            f"{where} leaves out samples that the file does not have.",
            file=path,
            details=[f"unknown: {sample!r}" for sample in unknown] + [f"it has, among others: {there[:3]}"],
        )
    if len(there) != included + excluded:
        raise LbannListError(
            f"{where} says {included:,} included and {excluded:,} excluded samples; the file has {len(there):,}.",
            file=path,
        )
    leaving = set(left_out)
    return [sample for sample in there if sample not in leaving]


def _found(path: str, depth: int) -> list[str]:
    return sample_ids(path, depth=depth)


def parts(sample: str) -> list[str]:
    """Return the names of the groups on the way to a sample.

    Examples
    --------
    >>> parts("/RUN_ID/000000334")
    ['RUN_ID', '000000334']
    """
    return [part for part in sample.split("/") if part]


def _refuse_repeated(left_out: Sequence[str], excluded: int, path: str, where: str) -> None:
    repeated = [sample for sample, count in Counter(left_out).items() if count > 1]
    if repeated:
        details = [f"repeated: {sample!r}" for sample in repeated]
        raise LbannListError(f"{where} leaves out the same samples several times.", file=path, details=details)
    if len(left_out) != excluded:
        raise LbannListError(f"{where} says {excluded:,} excluded samples and names {len(left_out):,}.", file=path)


def _at_level(path: str, left_out: Sequence[str], count: int, find: SampleFinder) -> list[str]:
    """Return the samples at the depth of those left out, else at the first depth of so many groups."""
    depths = {len(parts(sample)) for sample in left_out}
    if len(depths) > 1:
        shown = [next(sample for sample in left_out if len(parts(sample)) == depth) for depth in sorted(depths)]
        raise LbannListError("the samples left out lie at different depths.", file=path, details=map(repr, shown))
    if depths:
        return find(path, depths.pop())
    seen = []
    for depth in range(1, _DEEPEST):
        there = find(path, depth)
        if len(there) == count:
            return there
        if not there:
            break
        seen.append(f"depth {depth}: {len(there):,} groups")
    raise LbannListError(
        f"the file has {count:,} groups at no depth.", file=path, details=seen, hint="name the samples to leave out."
    )
