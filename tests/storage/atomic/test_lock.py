import errno
import fcntl
import json
import os
import subprocess
import sys
import time

import pytest

from akdask.storage import folders
from akdask.storage.folders import Directory, Lock, read_owner

DAY = 24 * 3600


@pytest.fixture
def no_locks(monkeypatch):
    def refused(*_):
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", refused)


def sign(folder, quiet=0.0, **changes):
    """Sign as another process, some seconds ago."""
    Lock.make(Directory.at(str(folder))).release()
    owner = json.loads((folder / "owner").read_text()) | changes
    (folder / "owner").write_text(json.dumps(owner))
    for path in (folder / "owner", folder):
        os.utime(path, (time.time() - quiet,) * 2)


def dead_process():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def is_taken_over(folder):
    lock = Lock.take_over(Directory.at(str(folder)), DAY)
    if lock is not None:
        lock.release()
    return lock is not None


def test_a_folder_is_signed_by_the_process_that_locks_it(tmp_path):
    with Lock.make(Directory.at(str(tmp_path))):
        owner = read_owner(Directory.at(str(tmp_path)))
        assert owner.pid == os.getpid()
        assert str(owner).startswith(f"process {os.getpid()} on ")


def test_only_one_has_the_lock_also_within_a_process(tmp_path):
    with Lock.make(Directory.at(str(tmp_path))):
        assert Lock.make(Directory.at(str(tmp_path))) is None
        assert not is_taken_over(tmp_path)
    assert is_taken_over(tmp_path)


def test_a_folder_that_is_gone_cannot_be_locked(tmp_path):
    with Directory.at(str(tmp_path)) as parent, parent.make("absent") as folder:
        parent.rmdir("absent")
        assert Lock.make(folder) is None
    with pytest.raises(FileNotFoundError):
        Lock.take_over(Directory.at(str(tmp_path)), DAY)


def test_a_lock_on_a_folder_that_was_removed_meanwhile_is_none(tmp_path, monkeypatch):
    flock = fcntl.flock

    def slow(descriptor, operation):
        (tmp_path / "owner").unlink()
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", slow)
    assert Lock.make(Directory.at(str(tmp_path))) is None


@pytest.mark.parametrize(("quiet", "dead"), [(DAY / 2, False), (DAY * 2, True)])
def test_the_writer_on_another_machine_is_dead_after_a_quiet_day(tmp_path, quiet, dead):
    sign(tmp_path, quiet, host="elsewhere", kernel="another")
    assert is_taken_over(tmp_path) == dead


def test_the_writer_on_this_machine_is_dead_once_it_was_started_again(tmp_path):
    sign(tmp_path, kernel="another")
    assert is_taken_over(tmp_path)


@pytest.mark.slow
def test_without_locks_a_process_of_this_machine_is_looked_for(tmp_path, no_locks):
    sign(tmp_path)
    assert not is_taken_over(tmp_path)
    sign(tmp_path, pid=dead_process())
    assert is_taken_over(tmp_path)
    sign(tmp_path, pid=1)
    assert not is_taken_over(tmp_path)


def test_who_has_not_signed_yet_is_dead_only_if_locks_say_so(tmp_path, monkeypatch, no_locks):
    (tmp_path / "owner").write_text("")
    assert not is_taken_over(tmp_path)
    monkeypatch.undo()
    assert is_taken_over(tmp_path)


def test_other_errors_of_the_file_system_are_not_taken_for_an_answer(tmp_path, monkeypatch):
    def failing(*_):
        raise OSError(errno.EIO, "Input/output error")

    sign(tmp_path)
    monkeypatch.setattr(fcntl, "flock", failing)
    with pytest.raises(OSError, match="Input/output"):
        Lock.take_over(Directory.at(str(tmp_path)), DAY)


def test_a_system_without_a_mark_for_its_start_is_known_by_its_name(monkeypatch):
    folders._kernel.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(folders.Path, "read_text", lambda path: (_ for _ in ()).throw(FileNotFoundError()))
        assert folders._kernel() == folders.socket.gethostname()
    folders._kernel.cache_clear()
