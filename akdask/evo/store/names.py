"""What names a blob: its description, or its name alone; nothing else ever comes near a path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from akdask.errors import ArgumentTypeError
from akdask.evo.description import ArrayDescription
from akdask.evo.errors import DigestError
from akdask.evo.identity import is_digest, is_uuid, parse_identifier

Described: TypeAlias = ArrayDescription | Mapping[str, Any] | str
"""What names a blob: its description, or its name alone."""


def several(blobs: Any) -> list[Any]:
    """Return blobs as a list, be it one or several.

    Raises
    ------
    ArgumentTypeError
        If it is neither.
    """
    if isinstance(blobs, str | Mapping | ArrayDescription):
        return [blobs]
    if not isinstance(blobs, Iterable):
        raise ArgumentTypeError(
            f"a {type(blobs).__name__} names no blobs.", hint="pass descriptions, or names, or a list of them."
        )
    return list(blobs)


def described_by(blob: Described) -> ArrayDescription | None:
    """Return the description that names a blob, None if it is named by its name alone.

    Raises
    ------
    DescriptionError
        If the description makes no sense.
    """
    return None if isinstance(blob, str) else ArrayDescription.from_json(blob)


def name_of(blob: Described) -> str:
    """Return the name of a blob; only digests and UUIDs ever come near a path.

    Raises
    ------
    IdentifierError
        If it is named by anything else.
    """
    described = described_by(blob)
    return parse_identifier(blob if described is None else described.data)


def optional_name(blob: Described) -> str | None:
    """Return the name of a blob, None where there is no data."""
    described = described_by(blob)
    return None if described is not None and described.data is None else name_of(blob)


def is_reference(lookup: Any) -> bool:
    """Whether a lookup table is told by its description or name."""
    is_named = isinstance(lookup, str) and (is_digest(lookup) or is_uuid(lookup))
    return is_named or isinstance(lookup, ArrayDescription) or (isinstance(lookup, Mapping) and "data" in lookup)


def checked_name(name: str, digest: str, place: str) -> str:
    """Return the name of a blob whose bytes have a digest.

    Raises
    ------
    DigestError
        If they are not those that it is named for.
    """
    if is_digest(name) and digest != name:
        raise DigestError(
            f"blob {name!r} of {place!r} is damaged.",
            details=[f"the SHA-256 of its bytes is {digest}"],
            hint="remove it with Store.verify(remove=True), then fetch it or put its rows again.",
        )
    return name
