from pathlib import Path

import pytest

from akdask.errors import ArgumentError, InconsistentFilesError, MissingFileError
from akdask.storage.locales import expand, locale_files, locale_path, sort_key, split_extension


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).touch()


def found(folder: Path, pattern: str) -> list[str]:
    return [Path(path).name for path in expand(str(folder / pattern))]


@pytest.mark.parametrize(
    ("given", "prefix", "extension", "partition3"),
    [
        ("d/foo", "d/foo", "", "d/foo_LOCALE0003"),
        ("d/foo.h5", "d/foo", ".h5", "d/foo_LOCALE0003.h5"),
        ("d/foo.tar.gz", "d/foo.tar", ".gz", "d/foo.tar_LOCALE0003.gz"),
        ("d.v1/foo", "d.v1/foo", "", "d.v1/foo_LOCALE0003"),
        ("d/run_1.5", "d/run_1", ".5", "d/run_1_LOCALE0003.5"),
        ("d/.hid", "d/.hid", "", "d/.hid_LOCALE0003"),
        ("foo.h5", "foo", ".h5", "foo_LOCALE0003.h5"),
    ],
)
def test_prefix_and_extension_split_at_the_last_dot_of_the_name(given, prefix, extension, partition3):
    assert split_extension(given) == (prefix, extension)
    assert locale_path(given, 3) == partition3


def test_numbers_are_padded_to_four_digits_and_never_cut():
    assert locale_path("x", 10000) == "x_LOCALE10000"


def test_locales_sort_by_number_beyond_four_digits_and_without_padding():
    names = ["x_LOCALE10.h5", "x_LOCALE9.h5", "x_LOCALE1.h5"]
    assert sorted(names, key=sort_key) == ["x_LOCALE1.h5", "x_LOCALE9.h5", "x_LOCALE10.h5"]
    assert sorted(["x_LOCALE10000", "x_LOCALE9999"], key=sort_key) == ["x_LOCALE9999", "x_LOCALE10000"]


def test_the_files_of_a_set_are_those_of_exactly_that_prefix_and_extension(tmp_path):
    touch(tmp_path, "run_LOCALE0001.h5", "run_LOCALE0000.h5", "run2_LOCALE0000.h5", "run_LOCALE0000", "run.h5")
    touch(tmp_path, "run_LOCALE0000.h5.bak", "my_run_LOCALE0000.h5", "run_LOCALEx.h5", ".run_LOCALE0000.h5.tmp")
    names = [Path(path).name for path in locale_files(str(tmp_path / "run.h5"))]
    assert names == ["run_LOCALE0000.h5", "run_LOCALE0001.h5"]


def test_prefixes_with_characters_of_patterns_find_their_own_files_only(tmp_path):
    touch(tmp_path, "a[1]+_LOCALE0000", "a1_LOCALE0000", "a11_LOCALE0000")
    assert [Path(p).name for p in locale_files(str(tmp_path / "a[1]+"))] == ["a[1]+_LOCALE0000"]


def test_a_folder_without_the_set_gives_no_files(tmp_path):
    assert locale_files(str(tmp_path / "nothing" / "run")) == []


def test_a_pattern_finds_files_in_the_order_of_the_locales(tmp_path):
    touch(tmp_path, *(f"x_LOCALE{k}" for k in range(12)))
    assert found(tmp_path, "x_LOCALE*") == [f"x_LOCALE{k}" for k in range(12)]


def test_a_name_is_taken_literally_before_it_is_a_pattern(tmp_path):
    touch(tmp_path, "x[1].h5", "x1.h5")
    assert found(tmp_path, "x[1].h5") == ["x[1].h5"]


def test_several_names_keep_the_order_given_and_gaps_in_it(tmp_path):
    touch(tmp_path, "x_LOCALE0000", "x_LOCALE0002")
    names = [str(tmp_path / "x_LOCALE0002"), tmp_path / "x_LOCALE0000"]
    assert expand(names) == [str(tmp_path / "x_LOCALE0002"), str(tmp_path / "x_LOCALE0000")]


def test_a_missing_file_is_an_error_that_shows_names_nearby(tmp_path):
    touch(tmp_path, "flows_LOCALE0000.h5")
    with pytest.raises(MissingFileError, match=r"flows_LOCALE0000\.h5"):
        expand(str(tmp_path / "flow.h5"))


@pytest.mark.parametrize("name", ["flows.h5", "flows"])
def test_the_name_that_a_set_was_written_under_means_its_files(tmp_path, name):
    touch(tmp_path, *(f"flows_LOCALE{number:04d}.h5" for number in (2, 0, 1)), "flows2_LOCALE0000.h5", "other.h5")
    assert found(tmp_path, name) == [f"flows_LOCALE000{number}.h5" for number in range(3)]
    touch(tmp_path, "flows.h5", "flows")
    assert found(tmp_path, name) == [name]


def test_a_set_that_lacks_a_file_is_refused_by_its_name_too(tmp_path):
    touch(tmp_path, "a[1]_LOCALE0000.h5", "a[1]_LOCALE0002.h5")
    with pytest.raises(InconsistentFilesError, match=r"a\[1\]_LOCALE0001\.h5"):
        expand(str(tmp_path / "a[1].h5"))


def test_a_prefix_alone_means_sets_of_any_extension(tmp_path):
    touch(tmp_path, "x_LOCALE0000.h5", "x_LOCALE0000.csv", "x_LOCALE0000", "xy_LOCALE0000.h5")
    assert found(tmp_path, "x") == ["x_LOCALE0000"]
    (tmp_path / "x_LOCALE0000").unlink()
    assert found(tmp_path, "x") == ["x_LOCALE0000.csv", "x_LOCALE0000.h5"]


def test_a_pattern_without_matches_is_an_error_that_arkouda_scripts_catch(tmp_path):
    with pytest.raises(RuntimeError, match="no such file"):
        expand(str(tmp_path / "flows_LOCALE*"))


def test_all_missing_names_are_told_at_once(tmp_path):
    with pytest.raises(MissingFileError) as caught:
        expand([str(tmp_path / "a"), str(tmp_path / "b")])
    assert len(caught.value.details) == 2


@pytest.mark.parametrize("names", ["", " ", [], ["x", ""]])
def test_blank_names_are_refused(names):
    with pytest.raises(ArgumentError):
        expand(names)


@pytest.mark.parametrize("absent", [0, 2])
def test_a_locale_missing_from_within_the_numbering_is_named(tmp_path, absent):
    touch(tmp_path, *(f"x_LOCALE{k:04d}.h5" for k in range(5) if k != absent))
    with pytest.raises(InconsistentFilesError, match=f"x_LOCALE000{absent}\\.h5"):
        expand(str(tmp_path / "x_LOCALE*.h5"))


def test_a_pattern_that_asks_for_some_locales_only_may_leave_out_others(tmp_path):
    touch(tmp_path, *(f"x_LOCALE{k:04d}" for k in range(4)))
    assert found(tmp_path, "x_LOCALE000[13]") == ["x_LOCALE0001", "x_LOCALE0003"]


@pytest.mark.parametrize(
    ("pattern", "lost"),
    [
        ("x_LOCALE000[!5]", [3, 4, 6]),
        ("x_LOCALE000[0-47]", [3, 4]),
        ("x_LOCALE???[367]*", [3, 6]),
        ("**_LOCALE*", [3, 4, 5, 6]),
    ],
)
def test_what_a_pattern_would_have_found_is_missing_and_nothing_else(tmp_path, pattern, lost):
    touch(tmp_path, *(f"x_LOCALE{k:04d}" for k in (0, 1, 2, 7)))
    with pytest.raises(InconsistentFilesError) as caught:
        expand(str(tmp_path / pattern))
    assert [int(line[-4:]) for line in caught.value.details] == lost


def test_each_set_that_a_pattern_finds_has_a_numbering_of_its_own(tmp_path):
    touch(tmp_path, "run_LOCALE0000", "run_LOCALE0001", "run2_LOCALE0000")
    assert found(tmp_path, "run*") == ["run2_LOCALE0000", "run_LOCALE0000", "run_LOCALE0001"]


def test_a_wild_number_does_not_list_a_wild_number_of_missing_files(tmp_path):
    touch(tmp_path, "x_LOCALE0000", "x_LOCALE99999999")
    with pytest.raises(InconsistentFilesError, match="x_LOCALE0001"):
        expand(str(tmp_path / "x_LOCALE*"))
