"""What is compiled when the package is built: each ``loops.cpp`` becomes a module for each level of instructions."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

if os.name == "posix":
    import fcntl

NATIVE = "akdask/native"
HEADERS = sorted(map(str, Path(NATIVE).glob("*.hpp")))
IS_FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))

# Every processor of the last ten years has the second level, which is loaded where it can be.
LEVELS = {"v2": ["-march=x86-64-v2"], "v3": ["-march=x86-64-v3"]}
if platform.machine().lower() not in {"x86_64", "amd64"}:
    LEVELS = {"base": []}

# The same bits on all levels: no fused multiplications, and integers that wrap around.  Nothing reads `errno`, or asks
# whether a division by zero has been.
FLAGS = ["-std=c++17", "-O3", "-g0", "-ffp-contract=off", "-fwrapv", "-fno-math-errno", "-fno-trapping-math"]
FLAGS += ["-fvisibility=hidden", "-Wall", "-Wextra"]


class BuildLoops(build_ext):  # type: ignore[misc]
    """Compile each source once for each level, those that have changed."""

    def finalize_options(self) -> None:
        """Compile on all cores."""
        super().finalize_options()
        self.parallel: int | None = self.parallel or os.cpu_count()

    def run(self) -> None:
        """Wait for builds of the same tree, as several environments may be installed from it at a time."""
        Path(self.build_temp).mkdir(parents=True, exist_ok=True)
        with (Path(self.build_temp) / "lock").open("w") as lock:
            if os.name == "posix":
                fcntl.flock(lock, fcntl.LOCK_EX)
            super().run()

    def build_extension(self, ext: Extension) -> None:
        """Compile to a folder of the level, as several modules have the same source."""
        target = Path(self.get_ext_fullpath(ext.name))
        newest = max(Path(path).stat().st_mtime for path in [*ext.sources, *ext.depends])
        if not self.force and target.exists() and target.stat().st_mtime >= newest:
            return
        folder = str(Path(self.build_temp) / ext.name)
        macros = [("MODULE_NAME", ext.name.rpartition(".")[2])]
        arguments = {"macros": macros, "include_dirs": ext.include_dirs, "extra_postargs": ext.extra_compile_args}
        objects = self.compiler.compile(ext.sources, folder, **arguments)
        target.parent.mkdir(parents=True, exist_ok=True)
        # Processes that have the old module loaded keep it.
        linked = Path(folder) / target.name
        self.compiler.link_shared_object(objects, str(linked), extra_postargs=["-s"], target_lang="c++")
        os.replace(linked, target)


def extension(name: str, source: str, flags: list[str]) -> Extension:
    """Return an extension module of one source."""
    return Extension(
        name,
        [source],
        depends=[*HEADERS, "setup.py"],
        include_dirs=[NATIVE],
        extra_compile_args=[*FLAGS, *flags],
        py_limited_api=not IS_FREE_THREADED,
    )


def has_compiler() -> bool:
    """Whether there is a compiler of C++."""
    named = os.environ.get("CXX") or sysconfig.get_config_var("CXX") or "c++"
    return shutil.which(named.split()[0]) is not None


if not has_compiler():
    # The backend of the build has asked for it.
    zig = f"{sys.executable} -m ziglang"
    os.environ |= {"CC": f"{zig} cc", "CXX": f"{zig} c++"}
    os.environ |= {"LDSHARED": f"{zig} c++ -shared", "LDCXXSHARED": f"{zig} c++ -shared"}

sources = [path.as_posix() for path in sorted(Path("akdask").rglob("loops.cpp"))]
lowest = next(iter(LEVELS.values()))
modules = [
    extension(f"{Path(source).parent.as_posix().replace('/', '.')}._loops_{level}", source, flags)
    for source in sources
    for level, flags in LEVELS.items()
]
setup(
    ext_modules=[extension("akdask.native._level", f"{NATIVE}/level.cpp", lowest), *modules],
    cmdclass={"build_ext": BuildLoops},
    options={} if IS_FREE_THREADED else {"bdist_wheel": {"py_limited_api": "cp311"}},
)
