"""`Writable`: the base class of objects that have a name: registered for other clients, or written to files."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from akdask.cluster import default_client
from akdask.errors import ArgumentError, ArgumentTypeError, RegistrationError, UnfitArgumentError, errors_end_at_caller
from akdask.storage.files import takes_storage_options

if TYPE_CHECKING:
    from akdask.arrays.writing import Path, Storable


ARKOUDA_PATHS: dict[str, str] = {}
"""For classes by their own paths, the paths that Arkouda has them at; empty until akdask is installed as Arkouda."""

_objects: dict[str, Any] = {}


def registered_names() -> list[str]:
    """Return all names, in order."""
    client = default_client()
    published = () if client is None else client.list_datasets()
    return sorted({*_objects, *map(str, published)})


def registered_objects() -> dict[str, Any]:
    """Return the objects registered in this process, without the objects that other clients published on a cluster."""
    return dict(_objects)


def enter(name: str, item: Any) -> None:
    """Keep an object under a name.

    Raises
    ------
    ArgumentTypeError
        If the name is no text.
    RegistrationError
        If it is taken.
    """
    if not isinstance(name, str):
        raise ArgumentTypeError(f"objects are registered by a name, not by {type(name).__name__}.")
    if name in registered_names():
        raise RegistrationError(
            f"there is a registered object {name!r} already.", hint=f"choose another name, or ak.unregister({name!r})."
        )
    client = default_client()
    if client is None:
        _objects[name] = item
    else:
        client.publish_dataset(item, name=name)


def find(name: str) -> Any:
    """Return the object of a name.

    Raises
    ------
    RegistrationError
        If there is none.
    """
    _check_known(name)
    if name in _objects:
        found = _objects[name]
    else:
        client = default_client()
        assert client is not None, "names that are not kept here are those of its cluster"
        found = client.get_dataset(name)
    if isinstance(found, Registered):
        found.registered_name = name
    return found


def forget(name: str) -> None:
    """Free a name; the object stays for its users.

    Raises
    ------
    RegistrationError
        If there is none of that name.
    """
    _check_known(name)
    if name in _objects:
        del _objects[name]
        return
    client = default_client()
    if client is not None:
        client.unpublish_dataset(name)


def _check_known(name: str) -> None:
    if not isinstance(name, str):
        raise ArgumentTypeError(f"objects are registered by a name, not by {type(name).__name__}.")
    names = registered_names()
    if name not in names:
        raise RegistrationError(
            f"there is no registered object {name!r}.", details=[f"registered: {', '.join(names) or 'none'}"]
        )


@errors_end_at_caller
class ShownAsArkouda(type):
    """The type of classes that are shown by Arkouda's paths where scripts import them as ``arkouda``.

    Only ``repr(cls)`` has that path; ``__module__`` and ``__qualname__``, by which pickles find a class, stay.
    """

    def __repr__(cls) -> str:
        path = ARKOUDA_PATHS.get(f"{cls.__module__}.{cls.__qualname__}")
        return super().__repr__() if path is None else f"<class {path!r}>"


class Registered(metaclass=ShownAsArkouda):
    """Objects that can be registered under a name."""

    registered_name: str | None = None
    """The name that the object has been registered or attached by."""

    def register(self, user_defined_name: str) -> Self:
        """Give the object a name by which `akdask.attach` finds it; returns the object itself.

        Lazy: on a cluster its plan is published, so that other clients compute it.  Results of `persist` stay
        on the workers for them, as long as it is registered.

        Parameters
        ----------
        user_defined_name : str
            The name.

        Raises
        ------
        ArgumentTypeError
            If it is no text.
        RegistrationError
            If it is taken, or the object has a name.

        Examples
        --------
        >>> ports = ak.array([80, 443]).register("ports")
        >>> ak.attach("ports").tolist()
        [80, 443]
        >>> ports.unregister()
        """
        if self.is_registered():
            raise RegistrationError(
                f"this object is already registered as {self.registered_name!r}.",
                hint="unregister() it first, or register a copy.",
            )
        enter(user_defined_name, self)
        self.registered_name = user_defined_name
        return self

    def unregister(self) -> None:
        """Give up the name of the object.

        Raises
        ------
        RegistrationError
            If it has none.

        Examples
        --------
        >>> ports = ak.array([80, 443]).register("ports")
        >>> ports.unregister()
        >>> ports.is_registered()
        False
        """
        if self.registered_name is None:
            raise RegistrationError("this object is not registered.", hint="register('name') it first.")
        forget(self.registered_name)
        self.registered_name = None

    def is_registered(self) -> bool:
        """Whether the object has a registered name.

        Examples
        --------
        >>> ports = ak.array([80, 443]).register("ports")
        >>> ports.is_registered()
        True
        >>> ports.unregister()
        """
        return self.registered_name is not None and self.registered_name in registered_names()


def facts_of_array(array: Any) -> dict[str, Any]:
    """Return the type, size and shape of an array, under its registered name or else the name of its plan."""
    return facts_of(array, str(array.registered_name or getattr(array, "base", array).expr._name))


def facts_of(item: Any, name: str, *, is_counted: bool = True) -> dict[str, Any]:
    """Return the type, size and shape of an object; counts rows of unknown number, or leaves size and shape out."""
    shape = [int(length) for length in getattr(item, "shape", ())] if is_counted else None
    return {
        "name": name,
        "dtype": str(getattr(item, "dtype", type(item).__name__)),
        "size": None if shape is None else math.prod(shape or [0]),
        "ndim": int(getattr(item, "ndim", 1)) if shape is None else len(shape),
        "shape": shape,
        "itemsize": int(getattr(item, "itemsize", 0)),
        "registered": isinstance(item, Registered) and item.is_registered(),
    }


def written(facts: Mapping[str, Any]) -> str:
    """Return facts about an object on one line."""
    return f"InfoEntry({', '.join(f'{name}={fact}' for name, fact in facts.items())})"


@errors_end_at_caller
class Writable(Registered):
    """An object that can be registered, and written to files: as a new set, or as an object of an existing set."""

    _default_dataset: ClassVar[str] = "array"

    _is_appended: ClassVar[bool] = True
    """Whether it is added to Parquet files that exist."""

    def _storable(self) -> Storable:
        raise NotImplementedError

    @takes_storage_options
    def to_hdf(
        self,
        prefix_path: Path,
        dataset: str | None = None,
        mode: str = "truncate",
        file_type: str = "distribute",
        *,
        num_locales: int | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the array to HDF5 files, which Arkouda reads; computes.

        Parameters
        ----------
        prefix_path : str or path
            Prefix and extension of the files: ``d/x.h5`` gives ``d/x_LOCALE0000.h5`` and so on.
        dataset : str, optional
            Name of the object: ``array`` for arrays of numbers, ``strings_array`` for Strings, ``categorical_array``
            for Categorical, ``index`` and ``groupby`` unless given.
        mode : {"truncate", "append"}
            Replace files of that prefix, or add the object to them.
        file_type : {"distribute", "single"}
            A set of files, or a single file at exactly that path.
        num_locales : int, optional
            Number of files of a set, one for each partition unless given; otherwise rows are split again.  An array
            added to a set needs one partition for each of its files, or a single one, or this number.

        Raises
        ------
        UnfitArgumentError
            If `mode` or `file_type` has another value.
        ArgumentError
            If `num_locales` is no number of files, or the path names a folder or a device.
        ExistsError
            If an object of that name is to be added and exists.
        WriteError
            If the files cannot be written; existing files stay as they are.

        Examples
        --------
        >>> ak.array([3, 1]).to_hdf("numbers")
        >>> ak.read_hdf("numbers*")["array"].tolist()
        [3, 1]
        """
        self._write(self._storable(), prefix_path, dataset, mode, file_type, num_locales)

    def _write(  # noqa: PLR0917 - the parameters of `to_hdf`
        self,
        stored: Storable,
        path: Path,
        dataset: str | None,
        mode: str,
        file_type: str,
        num_locales: int | None = None,
        *,
        file_format: str = "HDF5",
        compression: str | None = None,
        na_rep: str | None = None,
    ) -> None:
        from akdask.arrays.writing import FILE_TYPES, MODES, check_option, write_objects

        check_option("mode", mode, MODES, UnfitArgumentError)
        check_option("file_type", file_type, FILE_TYPES, UnfitArgumentError)
        write_objects(
            {dataset or self._default_dataset: stored},
            path,
            mode,
            file_type,
            num_locales=num_locales,
            file_format=file_format,
            compression=compression,
            na_rep=na_rep,
        )

    @takes_storage_options
    def save(  # noqa: PLR0917 - Arkouda's signature
        self,
        prefix_path: Path,
        dataset: str | None = None,
        mode: str = "truncate",
        compression: str | None = None,
        file_format: str = "HDF5",
        file_type: str = "distribute",
        *,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the array as `to_hdf` does, in any format: the name of old Arkouda releases.

        Parameters
        ----------
        prefix_path, dataset, mode
            As in `to_hdf`.
        compression : str, optional
            For formats that take it.
        file_format : str, default "HDF5"
            The format.
        file_type
            As in `to_hdf`.

        Raises
        ------
        UnsupportedError
            If the format cannot be written, or not so.

        Examples
        --------
        >>> ak.array([3, 1]).save("numbers", "x")
        >>> ak.get_datasets("numbers*")
        ['x']
        """
        self._write(
            self._storable(), prefix_path, dataset, mode, file_type, file_format=file_format, compression=compression
        )

    @takes_storage_options
    def to_parquet(
        self,
        prefix_path: Path,
        dataset: str | None = None,
        mode: str = "truncate",
        compression: str | None = None,
        *,
        num_locales: int | None = None,
        file_size: int | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the array to Parquet files, which Arkouda, pandas, polars and others read; computes.

        Other readers have times and addresses as numbers, and a Categorical as strings.

        Parameters
        ----------
        prefix_path : str or path
            Prefix and extension of the files: ``d/x.parquet`` gives ``d/x_LOCALE0000.parquet`` and so on.
        dataset : str, optional
            Name of the column, as in `to_hdf`.
        mode : {"truncate", "append"}
            Replace files of that prefix, or add the column to them, after the present columns; as in Arkouda, a
            SegArray is not added.
        compression : {"snappy", "gzip", "brotli", "zstd", "lz4"}, optional
            How pages are packed, not at all unless given.
        num_locales : int, optional
            Number of files, as in `to_hdf`.
        file_size : int, optional
            Bytes of a file, as in `akdask.to_parquet`.

        Raises
        ------
        ArgumentTypeError, ArgumentError
            If `mode`, `compression`, `num_locales` or `file_size` has another value.
        ExistsError
            If a column of that name is to be added and exists.
        UnsupportedError
            If the array is no single column.
        WriteError
            If the files cannot be written; existing files stay as they are.

        Examples
        --------
        >>> ak.array([3, 1]).to_parquet("numbers", "x")
        >>> ak.read_parquet("numbers*")["x"].tolist()
        [3, 1]
        """
        from akdask.arrays.writing import count_files, warn_of_appending

        if mode == "append" and not self._is_appended:
            raise ArgumentError(
                f"a {type(self).__name__} is not added to Parquet files.", hint="ak.to_parquet writes several columns."
            )
        warn_of_appending(mode)
        self._write(
            self._storable(),
            prefix_path,
            dataset,
            mode,
            "distribute",
            count_files([self], num_locales, file_size),
            file_format="Parquet",
            compression=compression,
        )

    @takes_storage_options
    def to_csv(
        self,
        prefix_path: Path,
        dataset: str | None = None,
        col_delim: str = ",",
        overwrite: bool = False,
        *,
        num_locales: int | None = None,
        na_rep: str = "",
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the array to CSV files with Arkouda's header; computes.

        Times and addresses are written as their numbers.

        Parameters
        ----------
        prefix_path : str or path
            Prefix and extension of the files: ``d/x.csv`` gives ``d/x_LOCALE0000.csv`` and so on.
        dataset : str, optional
            Name of the column, as in `to_hdf`.
        col_delim : str, default ","
            Text between fields, of any length.
        overwrite : bool, default False
            Replace files of that prefix.
        num_locales : int, optional
            Number of files, one for each partition unless given.
        na_rep : str, default ""
            Text to write for missing text.

        Raises
        ------
        ExistsError
            If there are files of that prefix, which are not to be replaced.
        UnsupportedError
            If elements are no numbers or strings, such as lists and labels of a Categorical.
        WriteError
            If the files cannot be written; existing files stay as they are.

        Examples
        --------
        >>> ak.array([3, 1]).to_csv("numbers", "x")
        >>> ak.read_csv("numbers*")["x"].tolist()
        [3, 1]
        """
        from akdask.arrays.writing import write_csv

        objects = {dataset or self._default_dataset: self._storable()}
        write_csv(objects, prefix_path, col_delim, overwrite=overwrite, num_locales=num_locales, na_rep=na_rep)

    @takes_storage_options
    def update_hdf(
        self,
        prefix_path: Path,
        dataset: str | None = None,
        repack: bool = True,
        *,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the array into the HDF5 files of a prefix, replacing the object of that name; computes.

        Parameters
        ----------
        prefix_path : str or path
            As in `to_hdf`; the files must exist.
        dataset : str, optional
            Name of the object, as in `to_hdf`.
        repack : bool
            Accepted for compatibility with Arkouda; the space of the old object is always freed.

        Examples
        --------
        >>> ak.array([3, 1]).to_hdf("numbers", "x")
        >>> ak.array([7, 8]).update_hdf("numbers", "x")
        >>> ak.read_hdf("numbers*")["x"].tolist()
        [7, 8]
        """
        from akdask.arrays.writing import update_objects

        update_objects({dataset or self._default_dataset: self._storable()}, prefix_path)

    def update_parquet(self, prefix_path: Path, dataset: str | None = None) -> None:
        """Write the array into the Parquet files of a prefix, replacing the column of that name; computes.

        Parameters
        ----------
        prefix_path : str or path
            As in `to_parquet`; the files must exist.
        dataset : str, optional
            Name of the column, as in `to_parquet`.  If no column has it, the column is added after the others.

        Raises
        ------
        FileError
            If there are no files, have other numbers of rows, or cannot be written; existing files stay as they are.

        Examples
        --------
        >>> ak.array([3, 1]).to_parquet("numbers", "x")
        >>> ak.array([7, 8]).update_parquet("numbers", "y")
        >>> ak.get_datasets("numbers*")
        ['x', 'y']
        """
        from akdask.arrays.writing import update_objects

        update_objects({dataset or self._default_dataset: self._storable()}, prefix_path, "Parquet")
