"""Tells setuptools of the modules that `compile_loops` compiles."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

# Some frontends do not put the folder of a build on the path.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from compile_loops import IS_FREE_THREADED, BuildError, compile_changed, modules


class BuildLoops(build_ext):  # type: ignore[misc]
    """Compile modules beside their sources, where an installation in place has them, and copy them to wheels."""

    def run(self) -> None:
        """Compile what has changed."""
        try:
            print(compile_changed())
        except BuildError as error:
            raise CompileError(str(error)) from None
        if not self.inplace:
            for module in modules():
                target = Path(self.get_ext_fullpath(module.full_name))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(module.path, target)


setup(
    ext_modules=[
        Extension(module.full_name, [str(module.source)], py_limited_api=not IS_FREE_THREADED) for module in modules()
    ],
    cmdclass={"build_ext": BuildLoops},
    options={} if IS_FREE_THREADED else {"bdist_wheel": {"py_limited_api": "cp311"}},
)
