"""What others plant beside a set does no harm: nothing is moved, removed or believed that its owner has not written."""

import contextlib
import json
import os
import pickle
import shutil
import signal
import socket
import tempfile
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.errors import AkdaskError, ArgumentError, FileError, FileFormatError, WriteError
from akdask.formats.hdf5.inspect import inspect_file
from akdask.formats.hdf5.library import open_file
from akdask.lbann import read_list, write_samples
from akdask.storage import recovery, tuning
from akdask.storage.files import identify
from akdask.storage.folders import HiddenFolder
from akdask.storage.recovery import recover
from akdask.storage.transaction import FileTransaction, Journal

TAG = "0123456789ab"
NOBODY, SOMEBODY = 65534, 65533
DEAD = {"host": socket.gethostname(), "kernel": "of another start", "pid": 1, "since": 0.0}
FILES = ["run_LOCALE0000.h5", "run_LOCALE0001.h5"]
OLD, NEW = [0, 1, 2, 3], [10, 11, 12, 13]

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can act as several users")


@pytest.fixture
def shared():
    """Return a folder that everybody may write to, where nobody may touch what is another's."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o1777)
    yield folder
    shutil.rmtree(folder)


@contextmanager
def user(number):
    """Act as a user, who may be the one that runs the tests."""
    before = os.geteuid()
    if number is not None:
        os.seteuid(number)
    try:
        yield
    finally:
        os.seteuid(before)


def written(folder, values=OLD, owner=None):
    """Write a set of two files as a user, without a manifest."""
    with user(owner), ak.config.set(manifest=False):
        ak.concatenate([ak.array(values[:2]), ak.array(values[2:])]).to_hdf(folder / "run.h5", num_locales=2)


def read(folder):
    return ak.read_hdf(str(folder / "run_LOCALE*.h5"))["array"].tolist()


def journal(steps, removals=()):
    """Return the bytes of a journal, its checksum right."""
    return signed_text({"version": 1, "renames": steps, "removals": list(removals)})


def signed_text(content):
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    return blake2b(text, digest_size=16).hexdigest().encode() + b"\n" + text


def plant(folder, steps=None, removals=(), staged=(), owner=None):
    """Make the hidden folder of a dead writer by hand, as a user; `staged` are pairs of name and content."""
    with user(owner):
        hidden = folder / ".run.h5.akdask-write"
        (hidden / TAG).mkdir(parents=True)
        for name, content in staged:
            (hidden / TAG / name).write_bytes(content)
        (hidden / "owner").write_text(json.dumps(DEAD))
        if steps is not None:
            (hidden / "journal").write_bytes(journal(steps, removals))
    return hidden


def plant_commit(folder, source, owner=None):
    """Plant what is left of a commit of the files of another set, and return the hidden folder."""
    files = [(name, (source / name).read_bytes()) for name in FILES]
    return plant(folder, [[f"{TAG}/{name}", name, len(raw)] for name, raw in files], (), files, owner)


@pytest.fixture
def other(tmp_path):
    """Return a folder with a set of other values."""
    (tmp_path / "other").mkdir()
    written(tmp_path / "other", NEW)
    return tmp_path / "other"


def snapshot(folder):
    """Return all that is in a folder: content, kind and owner."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_uid,
            path.lstat().st_mode,
            path.read_bytes() if path.is_file() and not path.is_symlink() else None,
        )
        for path in sorted(folder.rglob("*"))
    }


@contextmanager
def soon():
    """Interrupt what waits for longer than ten seconds."""

    def waited(*_):
        raise TimeoutError("it waits")

    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(10)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# ---------------------------------------------------------------------------------------------- the folder is another


@pytest.mark.parametrize("names", [["owner"], ["owner", "journal"], ["important"]])
def test_a_link_in_the_place_of_the_hidden_folder_is_not_followed(tmp_path, names):
    written(tmp_path)
    home = tmp_path / "home"
    (home / "project").mkdir(parents=True)
    for name in [*names, "project/work"]:
        (home / name).write_text("")
    before = snapshot(home)
    (tmp_path / ".run.h5.akdask-write").symlink_to(home)
    assert read(tmp_path) == OLD
    with pytest.raises(WriteError, match="is in the way, and is no folder") as caught:
        written(tmp_path, NEW)
    assert caught.value.hint == "remove it."
    assert snapshot(home) == before
    assert read(tmp_path) == OLD


def test_the_hidden_folder_exchanged_for_a_link_while_it_is_examined_is_not_followed(tmp_path, other, monkeypatch):
    written(tmp_path)
    home = tmp_path / "home"
    (home / TAG).mkdir(parents=True)
    (home / "owner").write_text("")
    (home / TAG / "work").write_text("")
    before = snapshot(home)
    hidden = plant_commit(tmp_path, other)
    carry_out = Journal.carry_out

    def exchanged(*args, **options):
        hidden.rename(tmp_path / "aside")
        hidden.symlink_to(home)
        carry_out(*args, **options)

    monkeypatch.setattr(Journal, "carry_out", exchanged)
    assert read(tmp_path) == NEW
    assert snapshot(home) == before
    assert hidden.is_symlink()


def test_a_folder_that_was_given_the_hidden_name_stays_as_it_is(tmp_path):
    written(tmp_path)
    project = tmp_path / ".run.h5.akdask-write"
    (project / "src").mkdir(parents=True)
    for name in ("owner", "src/main.py", "notes"):
        (project / name).write_text("mine")
    before = snapshot(project)
    assert read(tmp_path) == OLD
    (project / "owner").write_text("")
    assert read(tmp_path) == OLD
    (project / "owner").write_text(json.dumps(DEAD))
    assert read(tmp_path) == OLD
    with pytest.raises(WriteError, match="another write of it is under way"):
        written(tmp_path, NEW)
    (project / "owner").write_text("mine")
    assert snapshot(project) == before


def test_what_no_writer_makes_stays_when_a_journal_is_carried_out(tmp_path, other):
    written(tmp_path)
    hidden = plant_commit(tmp_path, other)
    (hidden / "diary").write_text("mine")
    assert read(tmp_path) == NEW
    assert (hidden / "diary").read_text() == "mine"
    assert not (hidden / "journal").exists()


def test_a_signature_that_a_power_failure_has_blanked_is_that_of_a_dead_writer(tmp_path):
    written(tmp_path)
    hidden = plant(tmp_path, staged=[("run_LOCALE0000.h5", b"half")])
    (hidden / "owner").write_bytes(bytes(100))
    assert read(tmp_path) == OLD
    assert not hidden.exists()


# --------------------------------------------------------------------------------------------------- what is staged


def test_a_link_inside_the_hidden_folder_moves_nothing_out_of_the_folder_that_it_leads_to(tmp_path):
    written(tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    (home / "secret").write_text("my secret")
    for tag in ("x", "ba9876543210"):
        hidden = plant(tmp_path, [[f"{tag}/secret", FILES[0], 9]])
        (hidden / tag).symlink_to(home)
        with pytest.raises(FileError):
            read(tmp_path)
        assert (home / "secret").read_text() == "my secret"
        shutil.rmtree(hidden)
    assert read(tmp_path) == OLD


def make_link(path):
    path.symlink_to("/etc/hostname")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, make_link])
def test_what_is_no_regular_file_is_not_put_into_place(tmp_path, make):
    written(tmp_path)
    hidden = plant(tmp_path)
    made = hidden / TAG / FILES[0]
    make(made)
    (hidden / "journal").write_bytes(journal([[f"{TAG}/{FILES[0]}", FILES[0], made.lstat().st_size]]))
    before = snapshot(tmp_path)
    with pytest.raises(FileError, match="Not a regular file"):
        read(tmp_path)
    assert snapshot(tmp_path) == before


@as_root
def test_a_staged_file_of_another_user_is_not_put_into_place(tmp_path, other):
    written(tmp_path)
    hidden = plant_commit(tmp_path, other)
    os.chown(hidden / TAG / FILES[0], NOBODY, NOBODY)
    before = snapshot(tmp_path)
    with pytest.raises(FileError, match="belongs to another user"):
        read(tmp_path)
    assert snapshot(tmp_path) == before


@as_root
def test_a_journal_of_another_user_in_an_open_folder_is_not_carried_out(shared, other):
    written(shared)
    hidden = plant_commit(shared, other)
    hidden.chmod(0o777)
    os.chown(hidden / "journal", NOBODY, NOBODY)
    before = snapshot(shared)
    with pytest.raises(FileError, match="belongs to another user"):
        read(shared)
    assert snapshot(shared) == before


@as_root
def test_a_file_of_another_user_that_was_replaced_is_put_back(shared, monkeypatch):
    written(shared, owner=NOBODY)
    staging = FileTransaction(str(shared / "run.h5"))
    staging.create()
    renames = [(staging.path(name), str(shared / name)) for name in FILES]
    for path, _ in renames:
        Path(path).write_text("new")
    replace, calls = os.replace, iter(range(9))

    def failing(*names, **folders):
        if next(calls) in {2, 4}:  # the second file; putting back the first
            raise PermissionError(13, "Permission denied")
        replace(*names, **folders)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", failing)
        with pytest.raises(WriteError, match="nor put back"):
            staging.commit(renames)
    assert recover(staging.target)
    assert read(shared) == OLD
    assert {(shared / name).stat().st_uid for name in FILES} == {NOBODY}


# ------------------------------------------------------------------------------------------------------- whose it is


@as_root
def test_a_commit_planted_beside_another_user_s_set_is_not_carried_out(shared, other):
    written(shared)
    hidden = plant_commit(shared, other, NOBODY)
    before = snapshot(shared)
    assert read(shared) == OLD
    assert snapshot(shared) == before
    with pytest.raises(WriteError, match="another write of it is under way") as caught:
        written(shared, NEW)
    assert f"its folder belongs to user {NOBODY}, who does not own the set" in caught.value.details
    assert str(hidden) in caught.value.hint
    assert snapshot(shared) == before


@as_root
def test_a_file_that_looks_as_if_it_were_of_the_set_makes_nobody_its_owner(shared, other):
    written(shared)
    third = (other / FILES[0]).read_bytes()
    with user(NOBODY):
        (shared / "run_LOCALE0002.h5").write_bytes(third)
    plant_commit(shared, other, NOBODY)
    before = snapshot(shared)
    with pytest.raises(FileError, match="half replaced, and cannot be completed: another user has written it"):
        read(shared)
    assert snapshot(shared) == before


@as_root
def test_where_no_file_is_there_only_the_writer_puts_them_there(shared, other):
    hidden = plant_commit(shared, other, NOBODY)
    with pytest.raises(FileError):
        read(shared)
    assert hidden.exists()
    shared.chmod(0o777)
    with user(NOBODY):
        assert read(shared) == NEW
    assert not hidden.exists()


@as_root
def test_the_dead_write_of_the_set_s_owner_is_completed_by_others_who_may(shared, other):
    written(shared, owner=NOBODY)
    hidden = plant_commit(shared, other, NOBODY)
    with user(SOMEBODY), pytest.raises(FileError, match=r"cannot be completed: Permission denied"):
        read(shared)
    assert read(shared) == NEW
    assert not hidden.exists()
    assert {(shared / name).stat().st_uid for name in FILES} == {NOBODY}


@as_root
@pytest.mark.parametrize("how", ["rename", "removal", "hidden"])
def test_a_journal_of_another_user_touches_no_file_that_is_not_that_user_s(shared, other, how):
    written(shared, owner=NOBODY)
    (shared / "mine").write_text("precious")
    target = ".profile" if how == "hidden" else "mine"
    steps = [] if how == "removal" else [[f"{TAG}/x", target, 1]]
    plant(shared, steps, [target] if how == "removal" else (), [("x", b"y")], NOBODY)
    before = snapshot(shared)
    with pytest.raises(FileError, match="damaged"):
        read(shared)
    assert snapshot(shared) == before


@as_root
def test_a_dead_write_of_samples_is_completed_by_others_who_may(shared):
    X = np.arange(6.0)
    with user(NOBODY):
        write_samples({"x": X}, shared / "run.h5", per_file=3)
    first, second = ((shared / f"run_000{k}.h5").read_bytes() for k in range(2))
    listed = (shared / "run.samples").read_bytes()
    staged = [("run_0000.h5", second), ("run_0001.h5", first), ("run.samples", listed)]
    plant(shared, [[f"{TAG}/{name}", name, len(raw)] for name, raw in staged], (), staged, NOBODY)
    assert read_list(shared / "run.samples").files.to_pylist() == ["run_0000.h5", "run_0001.h5"]
    assert (shared / "run_0000.h5").read_bytes() == second
    assert not (shared / ".run.h5.akdask-write").exists()


@as_root
def test_members_of_a_group_read_the_old_set_until_the_writer_comes_again(shared, other):
    shared.chmod(0o777)
    written(shared, owner=SOMEBODY)
    hidden = plant_commit(shared, other, NOBODY)
    with user(SOMEBODY):
        assert read(shared) == OLD
    # One file is replaced: now neither set is whole, for anybody else.
    (shared / FILES[0]).unlink()
    (hidden / TAG / FILES[0]).rename(shared / FILES[0])
    for reader in (SOMEBODY, None):
        with user(reader), pytest.raises(FileError, match="half replaced") as caught:
            read(shared)
        assert f"its writer of user {NOBODY} has died" in caught.value.details[0]
        assert "as the user who wrote it" in caught.value.hint
    with user(NOBODY):
        assert read(shared) == NEW
    assert not hidden.exists()


@as_root
def test_a_living_writer_of_another_user_is_waited_for(shared, other, monkeypatch):
    shared.chmod(0o777)
    written(shared, owner=SOMEBODY)
    hidden = plant_commit(shared, other, NOBODY)
    os.replace(hidden / TAG / FILES[0], shared / FILES[0])
    monkeypatch.setattr(recovery, "_is_living", lambda hidden: True)
    monkeypatch.setattr(tuning, "STALLED_SECONDS", 0.025)
    with pytest.raises(FileError, match="does not come to an end"):
        read(shared)


# ----------------------------------------------------------------------------------------------- whatever would wait


@pytest.mark.parametrize(
    ("name", "error"), [("owner", None), ("journal", FileError), (".run.h5.akdask", None), (FILES[1], FileFormatError)]
)
def test_a_fifo_in_the_place_of_a_file_makes_nobody_wait(tmp_path, name, error):
    written(tmp_path)
    hidden = plant(tmp_path)
    path = hidden / name if name in {"owner", "journal"} else tmp_path / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with soon(), contextlib.nullcontext() if error is None else pytest.raises(error):
        assert read(tmp_path) == OLD


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/tty", "/dev"])
def test_a_device_or_folder_in_the_place_of_a_file_is_refused(tmp_path, device):
    written(tmp_path)
    (tmp_path / FILES[0]).unlink()
    (tmp_path / FILES[0]).symlink_to(device)
    for call in (lambda: read(tmp_path), lambda: ak.load_all(tmp_path / "run.h5")):
        with soon(), pytest.raises(FileFormatError, match="folder" if device == "/dev" else "no file"):
            call()


def test_a_fifo_put_there_between_looking_and_opening_makes_nobody_wait(tmp_path, monkeypatch):
    written(tmp_path)
    values = ak.read_hdf(str(tmp_path / FILES[0]))["array"]
    (tmp_path / FILES[0]).unlink()
    os.mkfifo(tmp_path / FILES[0])
    with soon(), pytest.raises(FileError):
        values.to_ndarray()


def test_a_fifo_put_there_before_the_library_opens_it_makes_nobody_wait(tmp_path):
    """The library opens by name, which may be another thing by then than what was looked at."""
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(3)
    looked_at = identify(str(path))
    path.unlink()
    os.mkfifo(path)
    with soon(), pytest.raises(FileError, match="changed"):
        inspect_file(looked_at)
    with soon(), pytest.raises(FileFormatError, match=f"[Nn]ot a regular file.*{path}"), open_file(str(path)):
        pass


def test_messages_of_the_library_name_the_file_as_the_user_did(tmp_path):
    path = tmp_path / "x.h5"
    path.write_bytes(b"no HDF5")
    with pytest.raises(FileFormatError) as caught, open_file(str(path)):
        pass
    assert "/proc/" not in str(caught.value)


# ------------------------------------------------------------------------------------------- what is odd or damaged

NESTED = b"[" * 100_000
SURROGATE = "\ud800_LOCALE0000.h5"

ODD_JOURNALS = [
    b"",
    NESTED,
    b"3",
    b"null",
    b"[]",
    b"{}",
    b"\xff\xfe",
    {"version": 1},
    {"version": 2, "renames": [], "removals": []},
    {"version": 1, "renames": 3, "removals": []},
    {"version": 1, "renames": {}, "removals": {}},
    {"version": 1, "renames": [3], "removals": []},
    {"version": 1, "renames": [[3, 3, 3]], "removals": []},
    {"version": 1, "renames": [["a", "b"]], "removals": []},
    {"version": 1, "renames": [[f"{TAG}/a", FILES[0], None]], "removals": []},
    {"version": 1, "renames": [[f"{TAG}/a", FILES[0], 1.5]], "removals": []},
    {"version": 1, "renames": [[f"{TAG}/a", FILES[0], True]], "removals": []},
    {"version": 1, "renames": [[f"{TAG}/a", FILES[0], -1]], "removals": []},
    {"version": 1, "renames": [[f"{TAG}/a", FILES[0], 2**80]], "removals": []},
    {"version": 1, "renames": [[f"{TAG}/a\0", FILES[0], 1]], "removals": []},
    {"version": 1, "renames": [[f"{TAG}/\ud800", FILES[0], 1]], "removals": []},
    {"version": 1, "renames": [[f"{TAG}/..", FILES[0], 1]], "removals": []},
    {"version": 1, "renames": [[f"{TAG}/a/b", FILES[0], 1]], "removals": []},
    {"version": 1, "renames": [[f"{TAG}/", FILES[0], 1]], "removals": []},
    {"version": 1, "renames": [[f"../{TAG}", FILES[0], 1]], "removals": []},
    {"version": 1, "renames": [["/etc/passwd", FILES[0], 1]], "removals": []},
    {"version": 1, "renames": [["journal", FILES[0], 1]], "removals": []},
    {"version": 1, "renames": [[f"{TAG}/a", ".run.h5.akdask-write", 1]], "removals": []},
    {"version": 1, "renames": [], "removals": [3]},
    {"version": 1, "renames": [], "removals": [SURROGATE]},
    {"version": 1, "renames": [], "removals": ["run_LOCALE0000.h5\0"]},
    {"version": 1, "renames": [], "removals": [".."]},
    {"version": 1, "renames": [], "removals": [".bashrc"]},
    {"version": 1, "renames": [], "removals": ["../run_LOCALE0000.h5"]},
]


@pytest.mark.parametrize("content", ODD_JOURNALS, ids=range(len(ODD_JOURNALS)))
def test_an_odd_journal_is_refused_and_nothing_changes(tmp_path, content):
    written(tmp_path)
    hidden = plant(tmp_path)
    (hidden / "journal").write_bytes(signed_text(content))
    before = snapshot(tmp_path)
    with pytest.raises(FileFormatError, match="damaged"):
        read(tmp_path)
    assert snapshot(tmp_path) == before


def test_a_journal_larger_than_any_is_not_read(tmp_path):
    written(tmp_path)
    hidden = plant(tmp_path)
    with open(hidden / "journal", "wb") as file:
        file.truncate(2**40)
    with pytest.raises(FileError, match="File too large"):
        read(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        NESTED,
        b"3",
        b'{"host": 3}',
        json.dumps(DEAD | {"pid": -1}).encode(),
        json.dumps(DEAD | {"pid": 2**70}).encode(),
        json.dumps(DEAD | {"since": 1e300}).encode(),
        json.dumps(DEAD | {"since": float("nan")}).encode(),
        json.dumps(DEAD | {"host": "\x1b[2J"}).encode(),
        json.dumps(DEAD | {"host": "\ud800"}).encode(),
    ],
)
def test_an_odd_signature_is_none(tmp_path, content):
    written(tmp_path)
    hidden = plant(tmp_path)
    (hidden / "owner").write_bytes(content)
    assert read(tmp_path) == OLD
    assert hidden.exists()
    with pytest.raises(WriteError, match="under way") as caught:
        written(tmp_path, NEW)
    assert caught.value.details == ("writer: unknown",)


@pytest.mark.parametrize("name", ["a\0b", "\0", "\ud800.h5", "x\udfff/y.h5"])
def test_a_name_that_no_file_can_have_is_refused(tmp_path, name):
    path = f"{tmp_path}/{name}"
    calls = [
        lambda: ak.read_hdf(path),
        lambda: ak.read_hdf([path, path]),
        lambda: ak.read_hdf(path, allow_errors=True),
        lambda: ak.load(path),
        lambda: ak.load_all(path),
        lambda: ak.get_datasets(path),
        lambda: ak.ls(path),
        lambda: ak.arange(3).to_hdf(path),
        lambda: ak.arange(3).update_hdf(path),
        lambda: ak.to_hdf({"x": ak.arange(3)}, path, file_type="single"),
    ]
    for call in calls:
        with pytest.raises(AkdaskError) as caught:
            call()
        assert isinstance(caught.value, ArgumentError)


# ----------------------------------------------------------------------------------------------- while one is writing


def test_a_link_put_in_the_place_of_the_hidden_folder_gets_nothing_of_what_is_written(tmp_path):
    staging = FileTransaction(str(tmp_path / "run.h5"))
    staging.create()
    path = Path(staging.path(FILES[0]))
    sent = pickle.loads(pickle.dumps(staging))
    home = tmp_path / "home"
    (home / os.path.basename(os.path.realpath(path.parent))).mkdir(parents=True)
    before = snapshot(home)
    os.rename(staging.folder, tmp_path / "aside")
    os.symlink(home, staging.folder)
    path.write_text("new")
    with pytest.raises(OSError, match="Not a directory"):
        sent.path(FILES[0])
    assert snapshot(home) == before
    staging.discard()
    assert snapshot(home) == before


@as_root
def test_a_worker_does_not_write_into_a_folder_that_another_user_has_put_there(shared):
    staging = FileTransaction(str(shared / "run.h5"))
    staging.create()
    sent = pickle.loads(pickle.dumps(staging))
    os.rename(staging.folder, shared / "aside")
    with user(NOBODY):
        shutil.copytree(shared / "aside", staging.folder)
    with pytest.raises(PermissionError, match="another user"):
        sent.attempt(FILES[0])
    staging.discard()


def test_a_folder_that_is_not_empty_when_it_is_made_is_not_used(tmp_path, monkeypatch):
    mkdir = os.mkdir

    def filled(name, *mode, dir_fd):
        mkdir(name, *mode, dir_fd=dir_fd)
        (tmp_path / name / "mine").write_text("kept")

    monkeypatch.setattr(os, "mkdir", filled)
    with pytest.raises(FileExistsError):
        HiddenFolder.make(str(tmp_path / ".run.h5.akdask-write"))
    assert (tmp_path / ".run.h5.akdask-write" / "mine").read_text() == "kept"


def test_workers_write_into_the_folder_that_the_client_has_made(tmp_path):
    staging = FileTransaction(str(tmp_path / "run.h5"))
    staging.create()
    sent = pickle.loads(pickle.dumps(staging))
    attempt = sent.attempt(FILES[0])
    np.arange(3).tofile(attempt)
    sent.finish(attempt, FILES[0])
    staging.commit([(staging.path(FILES[0]), str(tmp_path / FILES[0]))])
    assert np.fromfile(tmp_path / FILES[0], np.int64).tolist() == [0, 1, 2]
