"""Convert samples to lazy objects, other file formats, torch data sets and statistics."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from akdask.errors import ArgumentError
from akdask.lbann.epochs import SelectedSamples


class SampleConversions:
    """The part of `Dataset` that makes something else of samples."""

    def statistics(self: SelectedSamples, fields: Sequence[str] | None = None, *, by_channel: bool = False) -> Any:
        """Return mean, deviation and extremes of fields, found in one pass that Dask runs in parallel.

        Values are coerced as in reading, but not scaled; `akdask.lbann.statistics.normalized_schema` makes the schema
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
        self: SelectedSamples,
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
        self: SelectedSamples,
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

    def to_torch(self: SelectedSamples, kind: str = "map", **options: Any) -> Any:
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

    def to_frame(self: SelectedSamples, names: Sequence[str] | None = None, *, ids: str | None = None) -> Any:
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

    def to_dask_array(self: SelectedSamples, name: str, batch: int) -> Any:
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

    def to_dask_bag(self: SelectedSamples, names: Sequence[str] | None = None) -> Any:
        """Return the samples as a lazy Dask bag of dicts: one partition for each run of samples of a file.

        Parameters
        ----------
        names : sequence of str, optional
            Names of values in each sample; all by default.
        """
        from akdask.lbann.lazy import dask_bag_of  # loads dask.bag

        return dask_bag_of(self, names)
