"""Names of blobs: the SHA-256 of their bytes, or a UUID.  Since no other name is accepted, no name is a path."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from akdask.evo.errors import IdentifierError

STEP = 4 * 2**20
"""Bytes that are hashed at a time."""

_DIGEST = re.compile(r"[0-9a-fA-F]{64}", re.ASCII)
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)


def is_digest(name: Any) -> bool:
    """Whether a name is 64 hexadecimal digits, in either case.

    Examples
    --------
    >>> is_digest("AB" * 32), is_digest("../" + "a" * 61), is_digest("ab" * 32 + chr(10))
    (True, False, False)
    """
    return isinstance(name, str) and _DIGEST.fullmatch(name) is not None


def is_uuid(name: Any) -> bool:
    """Whether a name is a UUID in its form of 36 characters.

    Examples
    --------
    >>> is_uuid("01234567-89ab-cdef-0123-456789abcdef"), is_uuid("{01234567-89ab-cdef-0123-456789abcdef}")
    (True, False)
    """
    return isinstance(name, str) and _UUID.fullmatch(name) is not None


def parse_identifier(name: Any) -> str:
    """Return the name of a blob in lower case.

    Raises
    ------
    IdentifierError
        If it is neither 64 hexadecimal digits nor a UUID.

    Examples
    --------
    >>> parse_identifier("AB" * 32) == "ab" * 32
    True
    """
    if is_digest(name) or is_uuid(name):
        return str(name).lower()
    raise IdentifierError(
        "a blob is named by 64 hexadecimal digits or by a UUID.",
        details=[f"found {name!r:.100}"],
        hint="take the name from the `data` of an array description, as it is.",
    )


def new_uuid() -> str:
    """Return a name for a blob whose digest is not to be its name."""
    return str(uuid4())


def digest_of(parts: Iterable[bytes]) -> str:
    """Return the lower-case SHA-256 of bytes that come in parts."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def digest_of_file(path: str | os.PathLike[str]) -> str:
    """Return the lower-case SHA-256 of the bytes of a file on this machine, which is read in steps of 4 MiB.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    with open(path, "rb", buffering=0) as file:
        return digest_of_stream(file)


def digest_of_stream(file: Any) -> str:
    """Return the lower-case SHA-256 of the rest of an open file, read in steps of 4 MiB."""
    digest = hashlib.sha256()
    memory = bytearray(STEP)
    view = memoryview(memory)
    while count := file.readinto(memory):
        digest.update(view[:count])
    return digest.hexdigest()
