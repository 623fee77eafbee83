"""The backend of builds: that of setuptools, which asks for a compiler from the registry where there is none."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import tarfile
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

from setuptools import build_meta

from compile_loops import BUILD, alone, requirements

Found = TypeVar("Found")


def _alone(hook: Callable[..., Found]) -> Callable[..., Found]:
    """Have a hook wait for those of other processes: all write the same description of the package to the tree."""

    @wraps(hook)
    def run(*args: Any, **kwargs: Any) -> Found:
        with alone("backend"):
            return hook(*args, **kwargs)

    return run


get_requires_for_build_sdist = _alone(build_meta.get_requires_for_build_sdist)
prepare_metadata_for_build_wheel = _alone(build_meta.prepare_metadata_for_build_wheel)
prepare_metadata_for_build_editable = _alone(build_meta.prepare_metadata_for_build_editable)
build_editable = _alone(build_meta.build_editable)


@_alone
def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Build a source archive, of the same bits from the same files where SOURCE_DATE_EPOCH says what time it is."""
    found: str = build_meta.build_sdist(sdist_directory, config_settings)
    if "SOURCE_DATE_EPOCH" in os.environ:
        _set_time(Path(sdist_directory, found), int(os.environ["SOURCE_DATE_EPOCH"]))
    return found


def _set_time(archive: Path, time: int) -> None:
    """Write an archive anew, in the order of names and with nothing in it of this time and this user."""
    with tarfile.open(archive) as old:
        members = sorted(old.getmembers(), key=lambda member: member.name)
        contents = [old.extractfile(member) if member.isfile() else None for member in members]
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new:
            for member, content in zip(members, contents, strict=True):
                member.mtime, member.uid, member.gid, member.uname, member.gname = time, 0, 0, "", ""
                member.mode, member.pax_headers = 0o755 if member.isdir() or member.mode & 0o100 else 0o644, {}
                new.addfile(member, content)
    archive.write_bytes(gzip.compress(packed.getvalue(), mtime=time))


@_alone
def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Return what a wheel is built with."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *requirements()]


@_alone
def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    """Return what an installation in place is built with."""
    return [*build_meta.get_requires_for_build_editable(config_settings), *requirements()]


@_alone
def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Build a wheel of the tree alone, without modules of an earlier build that are no longer there."""
    for folder in BUILD.glob("lib*"):
        shutil.rmtree(folder)
    found: str = build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    return found
