"""The backend of builds: that of setuptools, which asks for a compiler from the registry where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import wraps
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
build_sdist = _alone(build_meta.build_sdist)


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
