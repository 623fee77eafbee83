"""Formats of files whose modules are imported when a set is opened or written, since they take long to import."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from akdask.deferred import without_collection
from akdask.storage.formats.objects import FileLayout, Mode, ObjectSpec, StoredSet, Writer
from akdask.storage.formats.registry import Format
from akdask.storage.paths.locales import Filenames


class FileFormat(Format, ABC):
    """A format that says by which functions its sets are opened and written; each imports what it returns."""

    @abstractmethod
    def opener(self) -> Callable[..., StoredSet]:
        """Return what opens a set, given file names and `read_options`."""

    @abstractmethod
    def writer_class(self) -> Callable[..., Writer]:
        """Return what makes a writer, given the arguments of `Format.writer`."""

    def open(self, filenames: Filenames, **options: Any) -> StoredSet:
        """Open files as one set; see `Format.open`."""
        return without_collection(self.opener)()(filenames, **options)

    def writer(
        self,
        path: str | os.PathLike[str],
        specs: Sequence[ObjectSpec],
        *,
        npartitions: int,
        mode: Mode = "truncate",
        file_type: FileLayout = "distribute",
        overwrite: bool = False,
        **options: Any,
    ) -> Writer:
        """Return a writer of objects, which has not begun; see `Format.writer`."""
        how = {"npartitions": npartitions, "mode": mode, "file_type": file_type, "overwrite": overwrite}
        return self.writer_class()(path, specs, **how, **options)
