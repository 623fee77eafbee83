"""A data set of samples: a list and two schemas, from which samples, batches and lazy objects are made."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from akdask.errors import ArgumentError, PositionError
from akdask.lbann.epochs import Batch, Batches, BatchOptions, GroupedReader, OnError, Shuffle
from akdask.lbann.file_reader import AnyReader, FileSampleReader
from akdask.lbann.make_lists import choose, split_indices
from akdask.lbann.prototext import (
    is_of_files,
    list_of_files,
    located,
    read_prototext,
    reader_of_entry,
    samples_of_entry,
)
from akdask.lbann.read_lists import read_list
from akdask.lbann.reader import SampleReader
from akdask.lbann.sample_list import SampleList
from akdask.lbann.schema import SampleFields, Schema, load, merge
from akdask.lbann.transform import SampleValues, resolve

PathOrSchema: TypeAlias = str | os.PathLike[str] | Schema
"""A schema, or the file that it is in."""


class Dataset:
    """Samples of HDF5 files, as a list and two schemas name them.

    Lists and schemas are read when it is made.  Files of samples are opened when samples are read.  It holds no open
    files and can be sent to other processes.

    Parameters
    ----------
    samples : str, path-like or SampleList
        The sample list.
    data_schema : str, path-like or Schema
        Describes a sample.
    experiment_schema : str, path-like or Schema, optional
        The samples to use; all by default.
    keep_packed_fields : bool, default False
        Whether fields that are packed into groups can be retrieved by their own names as well.

    Attributes
    ----------
    fields : SampleFields
        Merged metadata of each field, with where each value was written.
    samples : SampleList
        The list, from which `indices` are used.
    indices : ndarray of int64
        Positions in the list of the samples of this data set.

    Raises
    ------
    MissingFileError
        If a list or schema does not exist.
    LbannError
        If one cannot be read, or they do not fit each other.

    Examples
    --------
    >>> import akdask.lbann as lbann
    >>> data = {"x": np.arange(6.0).reshape(3, 2), "y": np.arange(3)}
    >>> made = lbann.write_samples(data, tmp / "train.h5")  # doctest: +SKIP
    >>> ds = lbann.Dataset(made.sample_list, data_schema=made.data_schema)  # doctest: +SKIP
    >>> len(ds), ds[2]["x"].tolist()  # doctest: +SKIP
    (3, [4.0, 5.0])
    """

    def __init__(
        self,
        samples: str | os.PathLike[str] | SampleList,
        data_schema: PathOrSchema,
        experiment_schema: PathOrSchema | None = None,
        *,
        keep_packed_fields: bool = False,
    ) -> None:
        self.fields: SampleFields = merge(
            load(data_schema), None if experiment_schema is None else load(experiment_schema)
        )
        self.samples = samples if isinstance(samples, SampleList) else read_list(samples)
        self.indices: np.ndarray = np.arange(len(self.samples), dtype=np.int64)
        self.reader: AnyReader = SampleReader(self.fields, keep_packed_fields=keep_packed_fields)

    @classmethod
    def of_files(
        cls,
        samples: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | SampleList,
        data: str = "full",
        *,
        labels: str | None = None,
        responses: str | None = None,
        dtype: str | None = None,
    ) -> Dataset:
        """Return the data set of files that are one sample each: LBANN's readers ``hdf5`` and ``cosmoflow_hdf5``.

        Parameters
        ----------
        samples : str, path-like, SampleList or sequence of paths
            A sample list, for instance of type ``SINGLE-SAMPLE``; or the files themselves.
        data : str, default "full"
            Path of a dataset with the dimensions channels, depth, height, width: ``samples`` of the data set.
        labels : str, optional
            Path of a dataset of the same dimensions, as ``segmentation``.
        responses : str, optional
            Path of a dataset of one dimension, as ``unitPar``.
        dtype : str, optional
            Type of all values, as for ``coerce``; the stored type by default.

        Raises
        ------
        MissingFileError
            If the list does not exist.
        LbannError
            If it cannot be read, or there is no such type.
        """
        if isinstance(samples, SampleList):
            found = samples
        elif isinstance(samples, str | os.PathLike):
            found = read_list(samples)
        else:
            found = list_of_files([os.fspath(path) for path in samples])
        return cls._of(found, FileSampleReader(data, labels=labels, responses=responses, dtype=dtype))

    @classmethod
    def _of(cls, samples: SampleList, reader: FileSampleReader) -> Dataset:
        made = object.__new__(cls)
        made.samples, made.reader, made.fields = samples, reader, reader.fields
        made.indices = np.arange(len(samples), dtype=np.int64)
        return made

    @classmethod
    def from_prototext(
        cls, path: str | os.PathLike[str], role: str = "train", *, seed: int | None = None, **options: Any
    ) -> Dataset:
        """Return the data set that a data reader entry describes: its list, its schemas, its share of the samples.

        Parameters
        ----------
        path : str or path-like
            A prototext file.
        role : str, default "train"
            Role of the entry. For ``validate`` and ``tournament`` without an entry of their own, the share that the
            training entry holds back.
        seed : int, optional
            Of the shuffle, where the entry demands one.
        **options
            As for the class.

        Raises
        ------
        ArgumentError
            If the file has no such entry, or it names no list or schema.
        LbannError
            If the list or a schema cannot be read.
        """
        entries = {entry.role: entry for entry in read_prototext(path)}
        split = {"validate": "validation", "tournament": "tournament"}.get(role)
        entry = entries.get(role) or (entries.get("train") if split else None)
        if entry is not None and is_of_files(entry):
            made = cls._of(samples_of_entry(entry), reader_of_entry(entry))
        elif entry is not None and entry.sample_list and entry.data_schema:
            made = cls(
                located(entry, entry.sample_list),
                located(entry, entry.data_schema),
                None if entry.experiment_schema is None else located(entry, entry.experiment_schema),
                **options,
            )
        else:
            found = ", ".join(
                f"{e.role or 'no role'}: list {e.sample_list}, schema {e.data_schema}" for e in entries.values()
            )
            raise ArgumentError(
                f"{os.fspath(path)!r} has no complete entry for role {role!r}.", details=[f"entries: {found}"]
            )
        used = choose(
            len(made),
            fraction=entry.fraction_of_data_to_use,
            count=entry.absolute_sample_count,
            seed=seed,
            shuffle=entry.shuffle,
        )
        made.indices = used if entry.shuffle else np.sort(used)
        if entry.role != "train":
            return made
        parts = made.split(
            validation=entry.validation_fraction, tournament=entry.tournament_fraction, seed=seed, shuffle=False
        )
        if split is None:
            return parts.train
        return parts.validation if split == "validation" else parts.tournament

    def __len__(self) -> int:
        return len(self.indices)

    def __repr__(self) -> str:
        return f"<lbann.Dataset: {len(self):,} samples of {', '.join(self.names)}>"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of values in each sample: groups, and fields that are not packed."""
        return self.reader.names

    def explain(self, field: str | None = None) -> str:
        """Return the final metadata of a field, or of all, with the file and node that each value comes from."""
        return self.fields.explain(field)

    def __getitem__(self, index: int | slice) -> Any:
        """Return the values of one sample by name, or the data set of a slice.

        Raises
        ------
        PositionError
            If there is no such sample.
        LbannError
            If it cannot be read.
        FileError
            If the list was rewritten since the data set was opened.
        """
        if isinstance(index, slice):
            return self.subset(np.arange(len(self))[index])
        path, sample = self.location(index)
        try:
            return SampleValues(self.reader.read(path, sample))
        finally:
            self.samples.check_current()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[index] for index in range(len(self)))

    def location(self, index: int) -> tuple[str, str]:
        """Return file and ID of a sample; negative positions count from the end.

        Raises
        ------
        PositionError
            If there is no such sample.
        """
        if not -len(self) <= index < len(self):
            raise PositionError(f"no sample {index:,} in a data set of {len(self):,}.")
        return self.samples[int(self.indices[index])]

    def size_of(self, name: str) -> int:
        """Return the number of elements of a sample under a name; reads the first sample."""
        self._look()
        return self.reader.size_of(name)

    def dims_of(self, name: str) -> tuple[int, ...]:
        """Return the dimensions of a sample under a name, channels first; reads the first sample."""
        self._look()
        return self.reader.dims_of(name)

    def dtype_of(self, name: str) -> np.dtype[Any]:
        """Return the type of the elements under a name; reads the first sample."""
        self._look()
        return self.reader.dtype_of(name)

    def _look(self) -> None:
        if not len(self):
            raise ArgumentError("a data set without samples does not tell sizes and types.")
        if not getattr(self, "_was_looked_at", False):
            self[0]
            self._was_looked_at = True

    def subset(self, indices: Any) -> Dataset:
        """Return the data set of the samples at some positions, in their order.

        Parameters
        ----------
        indices : array-like of int or bool, shape (n,)
            Positions, or which samples are in it.

        Raises
        ------
        PositionError
            If there is no sample at one of them.
        """
        given = np.asarray(indices)
        if given.dtype == bool:
            given = np.flatnonzero(given)
        given = given.astype(np.int64).reshape(-1)
        if len(given) and not (-len(self) <= given.min() and given.max() < len(self)):
            raise PositionError(f"no sample {given.max():,} in a data set of {len(self):,}.")
        return self._with(self.indices[given])

    def _with(self, indices: np.ndarray) -> Dataset:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.indices = indices
        return made

    def split(
        self, validation: float = 0.0, tournament: float = 0.0, *, seed: int | None = None, shuffle: bool = True
    ) -> DatasetParts:
        """Split the samples as LBANN does; see `akdask.lbann.make_lists.split_indices`.

        Parameters
        ----------
        validation, tournament : float, default 0
            Fractions.
        seed : int, optional
            Of the shuffle.
        shuffle : bool, default True
            Draw the parts at random; otherwise they are consecutive, each in order.

        Returns
        -------
        DatasetParts
            ``train``, ``validation`` and ``tournament``, in this order.

        Raises
        ------
        ArgumentError
            If fractions do not fit, or a positive one yields no samples.
        """
        parts = split_indices(len(self), validation=validation, tournament=tournament, seed=seed, shuffle=shuffle)
        return DatasetParts(*(self.subset(part) for part in (parts.train, parts.validation, parts.tournament)))

    def use(self, *, fraction: float | None = None, count: int | None = None, seed: int | None = None) -> Dataset:
        """Return the data set of a share of the samples.

        Parameters
        ----------
        fraction : float, optional
            Share, cut to an integer number of samples.
        count : int, optional
            How many.
        seed : int, optional
            Draw samples at random; otherwise use the first ones.

        Raises
        ------
        ArgumentError
            If both are given, there are fewer samples, or none is left.
        """
        return self.subset(choose(len(self), fraction=fraction, count=count, seed=seed, shuffle=seed is not None))

    def sample_list(self) -> SampleList:
        """Return the list of the samples of this data set, to be written."""
        return self.samples.take(self.indices)

    # reading many

    def grouped(self, names: Sequence[str] | None = None, dtype: Any = None) -> GroupedReader:
        """Return a reader of samples at any positions of the list, file by file."""
        everything = GroupedReader(self.samples, self.reader, None, dtype)
        return everything if names is None else everything.reduced([resolve(name, self.names) for name in names])

    def batches(
        self,
        batch_size: int,
        *,
        shuffle: Shuffle = False,
        seed: int | Sequence[int] | None = None,
        prefetch: int = 4,
        on_error: OnError = "raise",
        drop_last: bool = False,
        names: Sequence[str] | None = None,
        dtype: Any = None,
        threads: int | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> Batches:
        """Return the batches of an epoch; each further iteration is the next epoch.

        Threads read ahead.  Which samples are in a batch depends on the seed alone.

        Parameters
        ----------
        batch_size : int
            Samples of a batch.
        shuffle : bool or "files", default False
            Whether samples come in random order; "files" keeps the samples of a file together, which reads faster where
            files are large or remote.
        seed : int or sequence of int, optional
            The same seed gives the same epochs.
        prefetch : int, default 4
            Number of batches in memory at a time, besides the one in use; 0 reads a batch when it is requested.
        on_error : {"raise", "skip"}, default "raise"
            Whether an unreadable sample ends the epoch, or is left out and reported: by a warning, and as `skipped` of
            the result.
        drop_last : bool, default False
            Leave out a last batch of fewer samples.
        names : sequence of str, optional
            Names of values to return for each sample; all by default.
        dtype : dtype, optional
            Type of all values, for instance ``numpy.float32``; the type given by the schemas by default.
        threads : int, optional
            Number of reading threads; at most four by default.
        progress : callable, optional
            Is called with the numbers of batches taken and of all.

        Returns
        -------
        Batches
            An iterable of dict of str to ndarray, shape (n, size).

        Raises
        ------
        ArgumentError
            If a value does not fit.
        UnknownNameError
            If a name cannot be retrieved.
        """
        options = BatchOptions(batch_size, shuffle, seed, prefetch, on_error, drop_last, threads, progress)
        return Batches(self.grouped(names, dtype), self.indices, options)

    def to_numpy(self, names: Sequence[str] | None = None, *, dtype: Any = None) -> Batch:
        """Read all samples.

        Parameters
        ----------
        names : sequence of str, optional
            Names of values to read for each sample; all by default.
        dtype : dtype, optional
            Type of all values.

        Returns
        -------
        dict of str to ndarray, shape (n, size)
            A row for each sample.

        Raises
        ------
        LbannError
            If a sample cannot be read.
        """
        return self.grouped(names, dtype).read(self.indices)

    # converting

    def statistics(self, fields: Sequence[str] | None = None, *, by_channel: bool = False) -> Any:
        """Return mean, deviation and extremes of fields, found in one pass that Dask runs in parallel.

        Values are coerced as in reading, but not scaled.  `akdask.lbann.statistics.normalized_schema` makes the schema
        that scales by them.

        Parameters
        ----------
        fields : sequence of str, optional
            Names of fields; all numeric ones by default.
        by_channel : bool, default False
            Give statistics per channel for fields with several channels.

        Returns
        -------
        dict of str to FieldStatistics
            By field.

        Raises
        ------
        ArgumentError
            If there are no samples.
        LbannError
            If one cannot be read.
        """
        from akdask.lbann.statistics import statistics_of  # derived from the fields above

        return statistics_of(self, fields, by_channel=by_channel)

    def to_hdf(
        self,
        path: str | os.PathLike[str],
        names: Sequence[str] | None = None,
        *,
        ids: str | None = "sample",
        separator: str = ".",
    ) -> None:
        """Write the samples as an Arkouda set, which its servers read: a column for each name; computes.

        `write_samples` with the same `ids` and `separator` turns it into samples again.

        Parameters
        ----------
        path : str or path-like
            Prefix and extension of the set.
        names : sequence of str, optional
            Names of columns; all by default.
        ids : str, optional, default "sample"
            Column for the IDs of the samples; None leaves them out.
        separator : str, default "."
            Replaces the slashes of field names, which Arkouda does not allow in column names.

        Raises
        ------
        ArgumentError
            If two columns would have the same name.
        """
        from akdask.lbann.lazy import frame_of  # loads all of akdask's collections

        frame = frame_of(self, names, ids)
        renamed = {name: name.replace("/", separator) for name in frame.columns}
        if len(set(renamed.values())) < len(renamed):
            raise ArgumentError(
                "two columns would have the same name.",
                details=sorted(renamed.values()),
                hint="give another separator.",
            )
        frame.rename(column=renamed, inplace=True)
        frame.to_hdf(path)

    def to_parquet(
        self,
        path: str | os.PathLike[str],
        names: Sequence[str] | None = None,
        *,
        ids: str | None = "sample",
    ) -> None:
        """Write the samples as a set of Parquet files: a column for each name; computes.

        `write_samples` with the same `ids` turns them into samples again.

        Parameters
        ----------
        path : str or path-like
            Prefix and extension of the set.
        names : sequence of str, optional
            Names of columns; all by default.
        ids : str, optional, default "sample"
            Column for the IDs of the samples; None leaves them out.

        Raises
        ------
        ArgumentError
            If samples have something of that name.
        """
        from akdask.lbann.lazy import frame_of  # loads all of akdask's collections

        frame_of(self, names, ids).to_parquet(path)

    def to_torch(self, kind: str = "map", **options: Any) -> Any:
        """Return the samples as a data set of ``torch.utils.data``.

        Parameters
        ----------
        kind : {"map", "iterable"}, default "map"
            Samples by position, which a sampler of torch chooses; or batches in akdask's own order, read ahead.
        **options
            Of `akdask.lbann.torch.MapSamples` or `IterableSamples`.

        Raises
        ------
        ArgumentError
            If torch is not installed, or the kind is unknown.
        """
        from akdask.lbann.torch import torch_dataset  # torch is large, and optional

        return torch_dataset(self, kind, **options)

    def to_frame(self, names: Sequence[str] | None = None, *, ids: str | None = None) -> Any:
        """Return a lazy DataFrame with a row for each sample; fields of several elements are columns of lists.

        Reads the first sample, for sizes and types.  Numbers are widened to the types that columns have.

        Parameters
        ----------
        names : sequence of str, optional
            Names of columns; all by default.
        ids : str, optional
            Name of a first column for the IDs of the samples; left out by default.

        Returns
        -------
        DataFrame
            Lazy.

        Raises
        ------
        UnknownNameError
            If a name cannot be retrieved.
        ArgumentError
            If samples have something of the name of the IDs.
        """
        from akdask.lbann.lazy import frame_of  # loads all of akdask's collections

        return frame_of(self, names, ids)

    def to_dask_array(self, name: str, batch: int) -> Any:
        """Return the values of samples under a name as a lazy Dask array, one chunk for each batch.

        Reads the first sample, for size and type.

        Parameters
        ----------
        name : str
            Group or field.
        batch : int
            Rows of a chunk.

        Returns
        -------
        dask.array.Array, shape (n, size)
            Lazy.
        """
        from akdask.lbann.lazy import dask_array_of  # loads dask.array

        return dask_array_of(self, name, batch)

    def to_dask_bag(self, names: Sequence[str] | None = None) -> Any:
        """Return the samples as a lazy Dask bag of dicts: one partition for each run of samples of a file.

        Parameters
        ----------
        names : sequence of str, optional
            Names of values in each sample; all by default.
        """
        from akdask.lbann.lazy import dask_bag_of  # loads dask.bag

        return dask_bag_of(self, names)


class DatasetParts(NamedTuple):
    """The parts of a data set.

    Parameters
    ----------
    train, validation, tournament : Dataset
        In order; no sample is in two parts.
    """

    train: Dataset
    validation: Dataset
    tournament: Dataset
