"""Running a user's script in this process, and telling how it ended."""

from __future__ import annotations

import builtins
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from io import open_code
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType, ModuleType, TracebackType
from typing import Any, NamedTuple

import akdask
from akdask.errors import AkdaskError

PACKAGE = Path(akdask.__file__).parent


class Outcome(NamedTuple):
    """How a script ended."""

    code: int
    """Its exit code: what it gave to `sys.exit`, 1 for an error, 130 for Ctrl-C, 143 for SIGTERM."""
    message: str = ""
    """What to tell the user; empty if the script has said it all."""
    trace: str = ""
    """All of the traceback."""


class Terminated(SystemExit):
    """The job is to end at once: a batch system takes back its node."""


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """Have SIGTERM end what is done inside as an exception, so that there is a report all the same."""
    if current_thread() is not main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise Terminated(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def run_script(path: Path, arguments: Sequence[str]) -> Outcome:
    """Run a script as if by ``python path arguments…``.

    Parameters
    ----------
    path : Path
        The script.
    arguments : sequence of str
        What it finds in `sys.argv`.
    """
    try:
        with _as_main(path, arguments) as module, open_code(str(path)) as file:
            code = compile(file.read(), str(path), "exec")
            exec(code, vars(module))
    except KeyboardInterrupt:
        return Outcome(130, "akdask: interrupted", traceback.format_exc())
    except Terminated as ended:
        return Outcome(_exit_code(ended), "akdask: terminated", traceback.format_exc())
    except SystemExit as ended:
        said = ended.code if ended.code is not None and not isinstance(ended.code, int) else ""
        return Outcome(_exit_code(ended), str(said))
    except AkdaskError as error:
        return Outcome(1, _told(error, path), traceback.format_exc())
    except BaseException as error:
        # As Python shows it, but without what is between Python and the script.
        own = _from_script(error.__traceback__, path)
        return Outcome(1, "".join(traceback.format_exception(type(error), error, own)), traceback.format_exc())
    finally:
        _flush()
    return Outcome(0)


@contextmanager
def _as_main(path: Path, arguments: Sequence[str]) -> Iterator[ModuleType]:
    """Give a script what it has when Python runs it: its arguments, its folder to import from, and ``__main__``.

    Workers that Dask starts again, while the script runs, import the main module of their parent.  They are told that
    it is akdask's, which they leave alone: a script without ``if __name__ == "__main__"`` would run once more in each.
    """
    module = ModuleType("__main__")
    module.__file__, module.__spec__ = str(path), ModuleSpec("akdask.__main__", None)
    vars(module)["__builtins__"] = builtins
    argv, main, folder = sys.argv, sys.modules["__main__"], str(path.resolve().parent)
    sys.argv, sys.modules["__main__"] = [str(path), *arguments], module
    sys.path.insert(0, folder)
    try:
        yield module
    finally:
        sys.argv, sys.modules["__main__"] = argv, main
        if folder in sys.path:
            sys.path.remove(folder)


def _exit_code(ended: SystemExit) -> int:
    if ended.code is None:
        return 0
    # The system keeps the last eight bits.
    return ended.code & 255 if isinstance(ended.code, int) else 1


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def _told(error: AkdaskError, path: Path) -> str:
    """Return an error with its place in the user's code, which is all that a traceback would tell of use."""
    place = _place(error.__traceback__, path)
    return f"akdask: {place}{type(error).__name__}: {error}"


def _place(trace: TracebackType | None, script: Path) -> str:
    """Return the innermost line that is the user's: of the script, or of a module beside it or below."""
    folder, found = script.resolve().parent, None
    for frame in traceback.extract_tb(trace):
        path = Path(frame.filename)
        if path == script or (path.is_relative_to(folder) and not _is_foreign(path)):
            found = frame
    if found is None:
        return ""
    where = "" if found.name == "<module>" else f", in {found.name}"
    line = f"    {found.line}\n" if found.line else ""
    return f"{found.filename}, line {found.lineno}{where}:\n{line}"


def _is_foreign(path: Path) -> bool:
    return path.is_relative_to(PACKAGE) or "site-packages" in path.parts or path.is_relative_to(sys.base_prefix)


def _from_script(trace: TracebackType | None, script: Path) -> Any:
    """Return a traceback from the first line of the script on; all of it if it has none."""
    found = trace
    while found is not None and found.tb_frame.f_code.co_filename != str(script):
        found = found.tb_next
    return found or None
