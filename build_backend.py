"""The backend of builds: that of setuptools, which asks for a compiler from the registry where there is none."""

from __future__ import annotations

import os
import shutil
import sysconfig
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (  # noqa: F401 - what frontends call
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Return what a wheel is built with."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_compiler()]


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    """Return what an installation in place is built with."""
    return [*build_meta.get_requires_for_build_editable(config_settings), *_compiler()]


def _compiler() -> list[str]:
    named = os.environ.get("CXX") or sysconfig.get_config_var("CXX") or "c++"
    return [] if shutil.which(named.split()[0]) else ["ziglang>=0.13"]
