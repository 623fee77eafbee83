"""Each rule against a set that breaks it alone."""

from __future__ import annotations

import os
import shutil

import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.formats.hdf5.validate import RULES, Severity, validate
from tests.hdf5.whole_set import common, group, make_file, numbers, put, strings


@pytest.fixture(scope="session")
def whole_set(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    made = [folder / f"x_LOCALE000{share}.h5" for share in range(2)]
    for share, path in enumerate(made):
        make_file(path, share)
    return made


@pytest.fixture
def paths(whole_set, tmp_path):
    return [shutil.copy(path, str(tmp_path / path.name)) for path in whole_set]


def broken(paths, **options):
    return {violation.rule for violation in validate(paths, **options).violations}


def change(file, path, values, dtype=None):
    """Give a dataset other elements, with the attributes that it had."""
    parent, _, name = path.rpartition("/")
    old = file[path]
    attributes, dtype = dict(old.attrs), old.dtype if dtype is None else dtype
    del file[path]
    made = numbers(file[parent] if parent else file, name, values, dtype)
    put(made, **{key: int(value) for key, value in attributes.items() if key in {"ObjType", "isBool"}})


# What breaks a rule: a function of an open file and of the number of its share.


def everywhere(act):
    return lambda file, share: act(file)


def only(wanted, act):
    return lambda file, share: act(file) if share == wanted else None


def changed(path, values, share=None, dtype=None):
    def act(file):
        change(file, path, values, dtype)

    return everywhere(act) if share is None else only(share, act)


def retyped(path, dtype):
    return everywhere(lambda file: change(file, path, file[path][:], dtype))


def marked(path, share=None, **attributes):
    def act(file):
        put(file[path], **attributes)

    return everywhere(act) if share is None else only(share, act)


def removed(path, share=None):
    def act(file):
        del file[path]

    return everywhere(act) if share is None else only(share, act)


def unmarked(path, name, share=None):
    def act(file):
        del file[path].attrs[name]

    return everywhere(act) if share is None else only(share, act)


def added(name, values=(1, 2), dtype="<i8", kind=1, **attributes):
    return everywhere(lambda file: numbers(file, name, list(values), dtype, kind, **attributes))


def at(path, position, value, share=0):
    def act(file):
        file[path][position] = value

    return only(share, act)


def many_levels(file):
    for number in range(2, 11):
        numbers(file["multi"], f"IDX_{number}", range(len(file["n"])))
    put(file["multi"], NumIdx=11)


def other_kind(file):
    del file["n"]
    strings(file, "n", ["a", "b"])


def as_strings(file):
    del file["sb/values"]
    numbers(file["sb"], "values", [], "u1")
    change(file, "sb/segments", [0, 0, 0])


def without_values(file):
    del file["ss/values"]
    numbers(file["ss"], "values", [], "u1")
    change(file, "ss/segments", [])


def fewer_limbs(file):
    del file["sg/values/Limb_1"]
    put(file["sg/values"], NumLimbs=1)


def repeated_labels(file):
    del file["cat/categories"]
    strings(file["cat"], "categories", ["even", "odd"])


def second_key(file):
    numbers(file["by"], "KEY_1", np.arange(len(file["n"])), "<f8")
    put(file["by"], NumKeys=2)


def second_index(file):
    numbers(file["df"], "index", range(len(file["n"])))
    put(file["df"], NumCols=3)


def extra_member(file):
    numbers(file["idx"], "more", range(len(file["n"])))
    put(file["idx"], NumIdx=2)


def dangling(file):
    file["df/c"] = h5py.SoftLink("/nowhere")
    put(file["df"], NumCols=3)


def external(file):
    raw = os.path.join(os.path.dirname(file.filename), "raw.bin")
    np.arange(2).tofile(raw)
    common(file.create_dataset("x", (2,), "<i8", external=[(raw, 0, 16)]), 1)


def stored(**options):
    return everywhere(lambda file: common(file.create_dataset("x", data=np.arange(2), **options), 1))


def unreadable_chunk(file):
    made = common(file.create_dataset("x", data=np.arange(2), compression="gzip"), 1)
    made.id.write_direct_chunk((0,), b"no deflated bytes")


CASES = {
    "root.objects": everywhere(lambda file: file.create_group("a/b")),
    "root.metadata": everywhere(lambda file: file.create_group("_arkouda_metadata")),
    "members.readable": everywhere(dangling),
    "dataset.rank": added("x", [[1, 2]]),
    "dataset.numbers": added("x", [b"abc"], "S3"),
    "dataset.width": added("x", dtype="<i4"),
    "dataset.storage": stored(chunks=(2,)),
    "dataset.inside": everywhere(external),
    "bool.enum": added("x", [True, False], "?", isBool=1),
    "bool.type": added("x", [0, 1], isBool=1),
    "bool.marked": added("x", [0, 1], "u1"),
    "bool.values": at("flag", 0, 2),
    "files.format": everywhere(lambda file: put(file, File_Format=0)),
    "files.releases": marked("n", share=1, arkouda_version="v2023.05.05"),
    "names.comma": added("a,b"),
    "names.length": added("x" * 256),
    "names.utf8": everywhere(lambda file: file.id.links.move(b"n", file.id, b"caf\xe9")),
    "names.levels": everywhere(many_levels),
    "attribute.scalar": marked("n", isBool=[0, 0]),
    "attribute.integer": everywhere(lambda file: file["n"].attrs.create("isBool", 0.0)),
    "attribute.type": everywhere(lambda file: file["n"].attrs.create("arkouda_version", "text of another type")),
    "attribute.complete": unmarked("n", "file_version"),
    "object.kind": added("x", kind=10),
    "set.objects": removed("n", share=1),
    "set.members": removed("sa/segments", share=1),
    "set.rest": removed("cat/NA_Codes", share=1),
    "set.kind": only(1, other_kind),
    "set.class": changed("n", [1.5, 2.5], share=1, dtype="<f8"),
    "set.width": changed("n", [1, 2], share=1, dtype="<u8"),
    "strings.values": changed("s/values", range(12), dtype="<i8"),
    "strings.segments": removed("s/segments"),
    "strings.terminated": at("s/values", -1, ord("x")),
    "strings.count": at("s/values", 2, 0),
    "strings.agree": at("s/segments", 1, 3),
    "strings.utf8": at("s/values", 0, 0xFF),
    "segments.integers": retyped("s/segments", "<f8"),
    "segments.start": at("sa/segments", 0, 1),
    "segments.order": at("sa/segments", 2, 1),
    "segments.inside": at("sa/segments", 2, 4),
    "segarray.values": changed("sa/segments", [], share=1),
    "segarray.limbs": only(1, fewer_limbs),
    "segarray.bool": only(0, as_strings),
    "segarray.nested": only(0, without_values),
    "categorical.members": retyped("cat/codes", "<f8"),
    "categorical.codes": at("cat/codes", 1, -1),
    "categorical.na-code": at("cat/NA_Codes", 0, 3),
    "categorical.shares": only(1, repeated_labels),
    "grouping.parts": removed("cat/segments"),
    "grouping.permutation": at("cat/permutation", 0, 2),
    "grouping.rows": changed("by/KEY_0", [1], share=1),
    "grouping.segments": at("by/segments", 0, -1, share=1),
    "groupby.keys": marked("by", NumKeys=2),
    "groupby.key-kinds": marked("by/KEY_0", ObjType=7),
    "groupby.unique-keys": at("by/unique_key_idx", 0, 5),
    "groupby.float-keys": everywhere(second_key),
    "bigint.limbs": marked("big", NumLimbs=3),
    "bigint.max-bits": marked("big", MaxBits=0),
    "bigint.agree": marked("big", share=1, MaxBits=64),
    "arrayview.shape": marked("view", Shape=[5, 2]),
    "index.levels": everywhere(extra_member),
    "index.level-kinds": marked("idx/IDX_0", ObjType=7),
    "index.rows": changed("multi/IDX_0", [3], share=1),
    "dataframe.index": marked("df/Index", ObjType=9),
    "dataframe.rows": changed("df/a", [3], share=1, dtype="<u8"),
    "dataframe.reserved": everywhere(second_index),
    "counts.agree": marked("df", NumCols=5),
}
"""What breaks one rule, and that alone."""

PAIRS = {
    "dataset.filters": (stored(compression="lzf"), {"dataset.storage"}),
    "object.inferred": (unmarked("idx", "ObjType"), {"attribute.complete"}),
    "dataframe.column-kinds": (unmarked("df/b", "ObjType"), {"attribute.complete"}),
    "set.bool": (unmarked("flag", "isBool", share=1), {"bool.marked"}),
    "data.readable": (only(0, unreadable_chunk), {"dataset.storage", "set.objects"}),
}
"""What breaks a rule that cannot be broken alone, and the others that it breaks."""

ELSEWHERE = {"data.checksums", "file.readable", "files.numbering", "files.padding", "files.pattern"}
"""Rules on files as such, and one that needs a manifest, which have tests of their own."""


def test_a_set_of_all_kinds_of_objects_breaks_no_rule(paths):
    assert validate(paths).violations == ()


@pytest.mark.light
@pytest.mark.parametrize("rule", CASES)
def test_what_breaks_one_rule_is_found_by_that_rule_alone(rule, paths):
    for share, path in enumerate(paths):
        with h5py.File(path, "r+") as file:
            CASES[rule](file, share)
    assert broken(paths) == {rule}


@pytest.mark.parametrize("name", [b"n\x80", b"n\xff"])
def test_any_byte_that_is_no_text_is_found(name, paths):
    for path in paths:
        with h5py.File(path, "r+") as file:
            file.id.links.move(b"n", file.id, name)
    assert broken(paths) == {"names.utf8"}


@pytest.mark.light
@pytest.mark.parametrize("rule", PAIRS)
def test_what_breaks_one_rule_with_others_is_found_by_all_of_them(rule, paths):
    act, others = PAIRS[rule]
    for share, path in enumerate(paths):
        with h5py.File(path, "r+") as file:
            act(file, share)
    assert broken(paths) == {rule, *others}


def test_every_rule_has_a_test_and_a_sentence():
    assert {*CASES, *PAIRS, *ELSEWHERE} == set(RULES)
    assert all(rule.sentence.endswith(".") and rule.id == name for name, rule in RULES.items())


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("x_LOCALE0002.h5", "files.numbering"),
        ("a[b_LOCALE0001.h5", "files.pattern"),
    ],
)
def test_names_that_break_a_rule_are_found(name, rule, paths, tmp_path):
    os.rename(paths[1], tmp_path / name)
    if rule == "files.pattern":
        os.rename(paths[0], tmp_path / name.replace("1", "0"))
        paths[0] = str(tmp_path / name.replace("1", "0"))
    assert broken([paths[0], str(tmp_path / name)]) == {rule}


def test_numbers_of_one_digit_are_of_old_releases(paths, tmp_path):
    short = [str(tmp_path / f"x_LOCALE{share}.h5") for share in range(2)]
    for old, new in zip(paths, short, strict=True):
        os.rename(old, new)
    assert broken(short) == {"files.padding"}


def test_a_locale_that_is_there_but_not_named_is_not_missing(paths):
    assert "files.numbering" not in broken(paths[1:])


def test_a_file_of_a_very_high_number_alone_is_told_within_bounds(paths, tmp_path):
    os.rename(paths[1], tmp_path / "x_LOCALE99999999999.h5")
    assert len(validate([str(tmp_path / "x_LOCALE99999999999.h5")]).violations) == 1000


def test_bytes_that_are_not_those_written_are_found_by_the_checksums_of_a_manifest(tmp_path):
    ak.to_hdf({"a": ak.arange(100), "b": ak.arange(100)}, tmp_path / "x", num_locales=2)
    paths = [str(tmp_path / f"x_LOCALE000{share}") for share in range(2)]
    with h5py.File(paths[1]) as file:
        place = file["b"].id.get_offset() + 40
    before = os.stat(paths[1])
    with open(paths[1], "r+b") as file:
        file.seek(place)
        file.write(b"\1")
    os.utime(paths[1], ns=(before.st_atime_ns, before.st_mtime_ns))  # bytes rot without a trace
    (violation,) = validate(paths).violations
    assert (violation.rule, violation.file, violation.object) == ("data.checksums", paths[1], "b")
    assert validate(paths, read_data=False).violations == ()


@pytest.mark.parametrize("content", [b"", b"no HDF5 at all", b"\0" * 512])
def test_what_is_no_hdf5_is_found_and_hides_nothing_of_other_files(content, paths):
    with h5py.File(paths[0], "r+") as file:
        file["s/values"][-1] = 1
    with open(paths[1], "wb") as file:
        file.write(content)
    assert broken(paths) == {"file.readable", "strings.terminated"}


def test_a_file_that_is_cut_short_is_found(paths):
    os.truncate(paths[1], os.path.getsize(paths[1]) - 1)
    (violation,) = validate(paths).violations
    assert (violation.rule, violation.file) == ("file.readable", paths[1])
    assert "truncated" in violation.text


def test_a_user_block_is_found(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w", userblock_size=512) as file:
        numbers(file, "n", [1])
    assert broken([str(tmp_path / "x.h5")]) == {"file.readable"}


def test_a_dataset_past_the_end_of_its_file_is_found(tmp_path):
    path = str(tmp_path / "x.h5")
    with h5py.File(path, "w", libver="earliest") as file:
        made = common(file.create_dataset("n", 100_000, "<i8"), 1)
        file.flush()
        made[:] = 1  # now that all else is in its place, the data comes last
    size = os.path.getsize(path) - 5000
    os.truncate(path, size)
    with open(path, "r+b") as raw:  # HDF5 knows where the file should end: make it believe that it does here
        raw.seek(40)
        raw.write(size.to_bytes(8, "little"))
    (violation,) = validate([path]).violations
    assert violation.rule == "root.objects"
    assert "cannot be opened" in violation.text


def test_a_group_that_contains_itself_ends(tmp_path):
    path = str(tmp_path / "x.h5")
    with h5py.File(path, "w") as file:
        made = file.create_group("a")
        made["b"] = made["c"] = made
    assert "root.objects" in broken([path])


def test_links_to_other_files_are_told_and_not_followed(tmp_path, paths):
    path = str(tmp_path / "links.h5")
    with h5py.File(path, "w") as file:
        file["n"] = h5py.ExternalLink(paths[0], "/n")
    (violation,) = validate([path]).violations
    assert (violation.rule, violation.text) == (
        "root.objects",
        "is a link to another file, and these are not followed",
    )


@pytest.mark.parametrize("inner", ["n", "df/n"])
def test_data_in_other_files_is_told_and_not_read(tmp_path, inner):
    path = str(tmp_path / "outside.h5")
    with h5py.File(path, "w") as file:
        file.create_dataset(inner, (4,), "i8", external=[(str(tmp_path / "pipe"), 0, 32)])
    os.mkfifo(tmp_path / "pipe")
    assert {violation.rule for violation in validate([path]).violations} >= {"dataset.inside"}


def test_metadata_alone_does_not_tell_what_data_breaks(paths):
    with h5py.File(paths[0], "r+") as file:
        file["s/values"][-1] = 1
        put(file["by"], NumKeys=2)
    assert broken(paths, read_data=False) == {"groupby.keys"}


def test_a_violation_says_where_and_how_bad(paths):
    with h5py.File(paths[1], "r+") as file:
        file["df/b/values"][-1] = 1
    report = validate(paths)
    (violation,) = report.violations
    assert (violation.file, violation.object, violation.severity) == (paths[1], "df/b", Severity.ERROR)
    assert report.counts == {Severity.ERROR: 1}
    assert not report.is_readable


def test_codes_of_the_release_that_wrote_them_as_permutation_are_ignored(paths):
    for path in paths:
        with h5py.File(path, "r+") as file:
            for name in ("permutation", "segments"):
                change(file, f"cat/{name}", file["cat/codes"][:])
            put(file["cat"], arkouda_version="v2023.05.05")
    assert broken(paths) == set()


@pytest.mark.parametrize(
    ("names", "reach"),
    [
        (["n"], (None, None)),
        (["n", "flag"], ("v2022.11.10", None)),
        (["sa"], ("v2023.03.01", None)),
        (["sa", "ss"], ("v2023.06.16", None)),
        (["big"], ("v2023.06.16", None)),
        (["cat"], ("v2023.05.05", None)),
        (["by", "cat"], ("v2023.06.16", None)),
        (["df"], ("v2023.09.06", None)),
        (["idx"], ("v2023.10.06", None)),
        (["view"], ("v2022.11.10", "v2024.06.21")),
        (["view", "cat"], ("v2023.05.05", "v2024.06.21")),
    ],
)
def test_kinds_of_objects_bound_the_releases_that_read_them(names, reach, paths):
    for path in paths:
        with h5py.File(path, "r+") as file:
            for name in set(file) - set(names):
                del file[name]
    found = validate(paths).reach
    assert (found.oldest, found.newest) == reach


@pytest.mark.parametrize(
    ("name", "empty", "reach"),
    [
        ("sa", (), "v2023.03.01"),
        ("sa", (0,), "v2023.03.24"),
        ("sa", (1,), "v2023.03.01"),
        ("sa", (0, 1), "v2023.03.01"),
        ("ss", (), "v2023.06.16"),
        ("ss", (0,), "v2023.09.06"),
        ("ss", (1,), "v2023.09.06"),
        ("cat", (), "v2023.05.05"),
    ],
)
def test_files_without_rows_bound_the_releases_that_read_lists(name, empty, reach, paths):
    for share, path in enumerate(paths):
        with h5py.File(path, "r+") as file:
            for other in set(file) - {name}:
                del file[other]
            if share in empty:
                change(file, f"{name}/segments", [])
                if name == "sa":
                    change(file, "sa/values", [])
    assert validate(paths).reach.oldest == reach


def test_of_several_kinds_the_one_that_went_first_and_the_one_that_came_last_bound_the_releases(paths, tmp_path):
    for path in paths:
        with h5py.File(path, "r+") as file:
            for name in set(file) - {"view"}:
                del file[name]
            file.create_dataset("old/booleans", data=np.array([1, 0], "u1"))
    found = validate(paths).reach
    assert (found.oldest, found.newest) == ("v2022.11.10", "v2022.10.13")
    path = str(tmp_path / "y_LOCALE0000.h5")
    with h5py.File(path, "w", libver="earliest") as file:
        file.create_dataset("old/booleans", data=np.array([1, 0], "u1"))
        numbers(group(file, "new", 12, NumIdx=1), "IDX_0", [1])
        numbers(file, "n", [1])
    found = validate([path]).reach
    assert (found.oldest, found.newest) == ("v2023.10.06", "v2022.10.13")


def test_no_release_reads_what_came_after_something_else_had_gone(tmp_path):
    path = str(tmp_path / "x.h5")
    with h5py.File(path, "w", libver="earliest") as file:
        file.create_dataset("old/booleans", data=np.array([1, 0], "u1"))
        numbers(group(file, "new", 12, NumIdx=1), "IDX_0", [1])
    report = validate([path])
    assert report.reach.is_empty
    assert not report.is_readable
    assert "no release" in str(report.reach)


def test_views_have_one_shape_in_all_files(paths):
    with h5py.File(paths[0]) as file:
        shape = file["view"].attrs["Shape"].tolist()
    for share, given, told in (
        (1, shape[::-1], f"has Shape {shape[::-1]}, in the first file {shape}"),
        (0, None, "has Rank 2 and Shape None"),
        (1, None, "has Rank 2 and Shape None"),
    ):
        with h5py.File(paths[share], "r+") as file:
            del file["view"].attrs["Shape"]
            if given is not None:
                file["view"].attrs["Shape"] = given
        found = [one for one in validate(paths).violations if one.rule == "arrayview.shape"]
        assert [(one.file, one.text) for one in found] == [(paths[share], told)]
        with h5py.File(paths[share], "r+") as file:
            file["view"].attrs["Shape"] = shape
