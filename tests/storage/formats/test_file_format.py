from __future__ import annotations

import sys
from subprocess import run

import pytest

from akdask.storage.registry import FileFormat, formats


class Noted(FileFormat):
    """A format whose sets and writers are what they were asked for with."""

    name = "noted"

    def opener(self):
        return lambda filenames, **options: (filenames, options)

    def writer_class(self):
        return lambda path, specs, **options: (path, specs, options)


def test_options_reach_what_opens_and_what_writes():
    assert Noted().open("x", strict=True) == ("x", {"strict": True})
    defaults = {"npartitions": 2, "mode": "truncate", "file_type": "distribute", "overwrite": False}
    assert Noted().writer("x", [1], npartitions=2) == ("x", [1], defaults)
    given = {"npartitions": 3, "mode": "append", "file_type": "single", "overwrite": True, "level": 9}
    assert Noted().writer("x", [1], **given) == ("x", [1], given)


def test_a_format_that_says_how_sets_are_opened_is_supported():
    assert Noted().is_supported
    with pytest.raises(TypeError, match="abstract"):
        type("Half", (FileFormat,), {"name": "half", "opener": Noted.opener})()


def test_every_built_in_format_makes_what_it_names():
    for known in formats().values():
        if isinstance(known, FileFormat):
            assert callable(known.opener())
            assert callable(known.writer_class())


@pytest.mark.slow
def test_registering_formats_imports_no_library_that_reads_them():
    formats = ", ".join(f"akdask.formats.{name}.format" for name in ("hdf5", "parquet", "csv"))
    script = f"import sys, {formats}; print('h5py' in sys.modules)"
    assert run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout == "False\n"
