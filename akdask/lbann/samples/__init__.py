"""Samples in HDF5 files: where they are, and how their fields are read."""

from __future__ import annotations

from akdask.lbann.samples.enumeration import sample_ids
from akdask.lbann.samples.file_reader import AnyReader, FileSampleReader
from akdask.lbann.samples.reader import SampleReader

__all__ = ["AnyReader", "FileSampleReader", "SampleReader", "sample_ids"]
