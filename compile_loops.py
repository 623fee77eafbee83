"""Compiles the loops of the package: each ``loops.cpp`` becomes a module for each level of instructions.

The modules stand beside their sources, where Python and the build of wheels find them.  Each holds a digest of what it
was made of, and is left as it is while that is the same: ``python compile_loops.py`` compiles what has changed, for
which it needs a compiler of C++, and nothing else.  ``python compile_loops.py --requires`` prints the packages that
have to be installed first: a compiler, where there is none.

Environment variables: ``CXX`` names the compiler (``ziglang`` for the one in the package of that name), ``CXXFLAGS``
and ``LDFLAGS`` are passed to it, and ``AKDASK_TOP_LEVEL`` names the highest level to compile for.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

if os.name == "posix":
    import fcntl

TREE = Path(__file__).resolve().parent
NATIVE = TREE / "akdask" / "native"
BUILD = TREE / "build"
ZIG = "ziglang"
REQUIRED_ZIG = f"{ZIG}>=0.13"

# Every processor of the last ten years has the second of these levels, and servers have the third.  Each takes the
# highest that it has.
WIDE = "-mprefer-vector-width=512"
LEVELS = {"v2": "-march=x86-64-v2", "v3": "-march=x86-64-v3", "v4": f"-march=x86-64-v4 {WIDE}"}
ZIG_LEVELS = {"v2": "-march=x86_64_v2", "v3": "-march=x86_64_v3", "v4": f"-march=x86_64_v4 {WIDE}"}
ZIG_FLAGS = ["-Wno-bitwise-instead-of-logical"]
# Loops that read one stream would read two, which caches do not foresee: sums of 160 MB took 15.3 ms, 5.8 without.
GCC_FLAGS = ["-fno-loop-unroll-and-jam"]
if platform.machine().lower() not in {"x86_64", "amd64"}:
    LEVELS = {"base": ""}
    ZIG_LEVELS = {"base": "-mcpu=baseline"}

# The same bits on all levels: no fused multiplications, and integers that wrap around.  Nothing reads `errno`, or asks
# whether a division by zero has been.
FLAGS = ["-std=c++17", "-O3", "-ffp-contract=off", "-fwrapv", "-fno-math-errno", "-fno-trapping-math"]
FLAGS += ["-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra"]
LINK_FLAGS = ["-shared", "-s"]
if sys.platform == "darwin":
    LINK_FLAGS = ["-bundle", "-undefined", "dynamic_lookup"]

# One file for all versions of Python, but for those without a global lock, which have no stable interface yet.
IS_FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
SUFFIX = str(sysconfig.get_config_var("EXT_SUFFIX")) if IS_FREE_THREADED else ".abi3.so"


class BuildError(Exception):
    """Loops that cannot be compiled: what is missing, and where to get it."""


class Module(NamedTuple):
    """An extension module: its name within its package, its source, and the level of instructions."""

    name: str
    source: Path
    level: str

    @property
    def path(self) -> Path:
        """Where it stands: beside its source."""
        return self.source.with_name(self.name + SUFFIX)

    @property
    def full_name(self) -> str:
        """The name by which it is imported."""
        return ".".join([*self.source.relative_to(TREE).parent.parts, self.name])


def compiler() -> list[str]:
    """Return the command of a compiler of C++, empty where there is none but the registry's."""
    named = os.environ.get("CXX")
    if named == ZIG:
        return []
    if named:
        return shlex.split(named)
    usual = shlex.split(sysconfig.get_config_var("CXX") or "")[:1]
    return next(([name] for name in [*usual, "c++", "g++", "clang++"] if shutil.which(name)), [])


def requirements() -> list[str]:
    """Return the packages without which loops cannot be compiled, none if they are already."""
    return [] if compiler() or all(map(_is_current, modules())) else [REQUIRED_ZIG]


def levels() -> list[str]:
    """Return the levels that are compiled, the lowest first."""
    known = list(LEVELS)
    top = os.environ.get("AKDASK_TOP_LEVEL") or known[-1]
    if top not in known:
        raise BuildError(
            f"AKDASK_TOP_LEVEL is {top!r}, and names none of the levels of this processor: {', '.join(known)}."
        )
    return known[: known.index(top) + 1]


def modules() -> list[Module]:
    """Return all modules, the largest sources first, which take longest."""
    sources = sorted((TREE / "akdask").rglob("loops.cpp"), key=lambda path: path.stat().st_size, reverse=True)
    lowest, *_ = LEVELS
    loops = [Module(f"_loops_{level}", source, level) for source in sources for level in levels()]
    return [*loops, Module("_level", NATIVE / "level.cpp", lowest)]


def compile_changed() -> str:
    """Compile what has changed, on all cores, remove what has no source any more, and return what was done by what."""
    with alone("loops"):
        for path in (TREE / "akdask").rglob("_loops_*.so"):
            if not path.with_name("loops.cpp").exists():
                path.unlink()
        changed = [module for module in modules() if not _is_current(module)]
        if changed:
            if IS_FREE_THREADED:
                _check_headers()
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(_compile, changed))
    done = f"{len(changed)} of {len(modules())} modules of loops compiled"
    return f"{done}, for {', '.join(levels())}{f', by {_version()}' if changed else ''}"


@contextmanager
def alone(work: str) -> Iterator[None]:
    """Wait for other processes that do the same work, as environments may be installed from one tree side by side."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / f"{work}.lock").open("w") as lock:
        if os.name == "posix":
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _is_current(module: Module) -> bool:
    """Whether a module is there, and made of what is in the tree."""
    return module.path.exists() and _digest(module).encode() in module.path.read_bytes()


def _digest(module: Module) -> str:
    """Return a digest of all that a module is made of."""
    found = sha256(" ".join([*(compiler() or [ZIG]), *_flags(module), *_link_flags(), SUFFIX]).encode())
    beside = sorted(module.source.parent.glob("*.hpp")) if module.source.parent != NATIVE else []
    for path in [module.source, *beside, *_headers()]:
        found.update(path.read_bytes())
    return found.hexdigest()


@cache
def _headers() -> list[Path]:
    return sorted(NATIVE.glob("*.hpp"))


def _flags(module: Module) -> list[str]:
    """Return the arguments that say how a module is compiled."""
    level = LEVELS[module.level].split() if compiler() else [*ZIG_LEVELS[module.level].split(), *ZIG_FLAGS]
    if compiler() and "Free Software Foundation" in _introduction():
        level += GCC_FLAGS
    macros = [f"-DMODULE_NAME={module.name}"]
    if module.source.stem == "level":
        macros.append(f'-DBUILT_LEVELS="{" ".join(levels())}"')
    return [*shlex.split(os.environ.get("CXXFLAGS", "")), *FLAGS, *level, *macros]


def _link_flags() -> list[str]:
    # What Zig links with is compiled for a level, when it is first needed: for the lowest, which will do for all.
    level = [] if compiler() else next(iter(ZIG_LEVELS.values())).split()
    return [*LINK_FLAGS, *level, *shlex.split(os.environ.get("LDFLAGS", ""))]


def _compile(module: Module) -> None:
    """Compile a module to another place, and put it at its own: processes that have loaded the old one keep that."""
    with TemporaryDirectory(dir=BUILD) as folder:
        compiled, linked = f"{folder}/{module.name}.o", f"{folder}/{module.name}{SUFFIX}"
        include = [f"-I{sysconfig.get_paths()['include']}", f"-I{NATIVE}"]
        digest = f'-DMODULE_DIGEST="{_digest(module)}"'
        _run(module, [*_flags(module), digest, *include, "-c", str(module.source), "-o", compiled])
        _run(module, [compiled, *_link_flags(), "-o", linked])
        os.replace(linked, module.path)


def _command() -> list[str]:
    if found := compiler():
        return found
    if find_spec(ZIG) is None:
        raise BuildError(
            f"There is no compiler of C++, neither on PATH nor in a package.  Install one (Debian: apt install g++), "
            f"or the package: pip install '{REQUIRED_ZIG}'"
        )
    return [sys.executable, "-m", ZIG, "c++"]


def _run(module: Module, arguments: list[str]) -> None:
    command = [*_command(), *arguments]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise BuildError(f"{command[0]} cannot be run: {error}.  CXX names another compiler.") from error
    if found.returncode:
        raise BuildError(
            f"{module.full_name} cannot be compiled:\n{shlex.join(command)}\n{found.stdout}{found.stderr}\n"
            "It takes C++17, as GCC 9 and Clang 10 know it.  CXX=ziglang takes the compiler from the package of that "
            "name, and CXX=… one of yours."
        )
    print(found.stderr, end="", file=sys.stderr)


def _check_headers() -> None:
    include = Path(sysconfig.get_paths()["include"])
    if not (include / "Python.h").exists():
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        raise BuildError(
            f"For a Python without a global lock, loops are compiled with its headers, and {include}/Python.h is "
            f"missing.  Install them (Debian: apt install python{version}-dev; Fedora: dnf install "
            f"python{version}-devel), or take another Python."
        )


@cache
def _introduction() -> str:
    """Return what the compiler says of itself."""
    try:
        return subprocess.run([*_command(), "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""


def _version() -> str:
    """Return the first line of that."""
    return _introduction().split("\n")[0]


def main() -> None:
    """Compile the loops, or print the packages that it takes."""
    try:
        print(*(requirements() if "--requires" in sys.argv[1:] else [compile_changed()]))
    except BuildError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
