"""Small helpers for files and folders, as Arkouda has them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from akdask.errors import ArgumentError


def get_directory(path: str) -> Path:
    """Return a folder, and make it if it is not there.

    Parameters
    ----------
    path : str
        The folder.

    Raises
    ------
    ArgumentError
        If it cannot be made.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(f"there is no folder {path}, and it cannot be made.", details=[str(error)]) from error
    return Path(path)


def write_line_to_file(path: str, line: str) -> None:
    """Write a line at the end of a file; creates the file if needed.

    Parameters
    ----------
    path : str
        The file.
    line : str
        The line, without its end.
    """
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def delimited_file_to_dict(path: str, delimiter: str = ",") -> dict[str, str]:
    """Return a dict of the lines of a file; the delimiter ends the key and begins the value.

    Parameters
    ----------
    path : str
        The file; if it does not exist, the dict is empty.
    delimiter : str, default ","
        Separates key and value, once in each line.

    Raises
    ------
    ArgumentError
        If it does not.
    """
    if not Path(path).exists():
        return {}
    values: dict[str, str] = {}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        parts = line.rstrip().split(delimiter)
        if len(parts) != 2:
            raise ArgumentError(
                f"line {number} of {path} is no pair.",
                details=[f"{line!r:.100} has {len(parts)} parts by {delimiter!r}"],
            )
        values[parts[0]] = parts[1]
    return values


def dict_to_delimited_file(path: str, values: Mapping[Any, Any], delimiter: str = ",") -> None:
    """Write a dict to a file, one line for each item; replaces the file's contents.

    Parameters
    ----------
    path : str
        The file.
    values : mapping
        Keys and values, as text.
    delimiter : {","}
        Separates key and value.

    Raises
    ------
    ArgumentError
        If it is another one.
    """
    if delimiter != ",":
        raise ArgumentError(f"the delimiter is a comma, not {delimiter!r}.")
    lines = [f"{key}{delimiter}{value}\n" for key, value in values.items()]
    Path(path).write_text("".join(lines), encoding="utf-8")


def delete_directory(dir: str) -> None:
    """Delete a folder and its contents; a missing folder is no error, nor is one that cannot be deleted.

    Parameters
    ----------
    dir : str
        The folder.
    """
    if directory_exists(dir):
        try:
            shutil.rmtree(dir)
        except OSError as error:
            print(f"Error: {error.filename} - {error.strerror}.")


def directory_exists(dir: str) -> bool:
    """Whether there is a folder.

    Parameters
    ----------
    dir : str
        The folder.
    """
    return Path(dir).is_dir()
