"""Manifests of copies become those of the files that they lie beside, once all bytes were compared."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from typing import Any

from akdask.errors import FileError
from akdask.storage.atomic.manifest import manifest_path
from akdask.storage.atomic.manifest_rows import ManifestRows, Told, by_set
from akdask.storage.atomic.staged_files import staged_files


def adopt(manifest: type[ManifestRows[Any]], told: Told[Any]) -> None:
    """Have manifests say that their files are in place; those of which a file is missing stay as they are.

    So they do where this user may not write, and while another process writes the set.

    Parameters
    ----------
    manifest : subclass of ManifestRows
        The manifests of the format.
    told : Told
        What they tell of files, all of which were found to be what was written.
    """
    known = told.in_place | told.unproven
    for (path, owner), members in by_set([found.file for found in told.unproven.values()]).items():
        rows = manifest.of_set(path, owner)
        files = [] if rows is None else [known.get(os.path.join(os.path.dirname(path), name)) for name in rows.names]
        if members and files and all(file is not None for file in files):
            with suppress(FileError), staged_files(path, [manifest_path(path)]) as add:
                add(manifest_path(path), partial(manifest.write, files=files))
