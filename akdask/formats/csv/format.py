"""CSV's entry in the registry of formats.  pyarrow's parser is imported when a set is opened or written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from akdask.errors import AkdaskError
from akdask.storage.files import identify, identify_all
from akdask.storage.objects import StoredSet, Writer
from akdask.storage.registry import FileFormat


class CsvFormat(FileFormat):
    """CSV files, with Arkouda's header or without; only the header makes their first bytes recognizable."""

    name = "CSV"
    signatures = (b"**HEADER",)
    extensions = (".csv",)
    is_tabular = True
    joins_partitions = True
    missing_as_nan = True
    read_options = frozenset(
        {
            *("column_delim", "allow_errors", "dtypes", "names", "widen", "encoding"),
            *("on_bad_lines", "comment", "decimal", "thousands", "skiprows", "na_values"),
        }
    )
    write_options = frozenset({"column_delim", "compression"})

    def recognizes_packed(self, path: str) -> bool:
        """Whether a file is compressed, and begins with Arkouda's header once it is unpacked."""
        from akdask.formats.csv.text_file import CompressedFile, read_text, text_file

        try:
            text = text_file(identify(path))
            return isinstance(text, CompressedFile) and self.recognizes(read_text(text, 0, len(self.signatures[0])))
        except AkdaskError:  # damaged, or of an unknown compression
            return False

    def opener(self) -> Callable[..., StoredSet]:
        """Return `akdask.formats.csv.file_set.open_set`."""
        from akdask.formats.csv.file_set import open_set

        return open_set

    def writer_class(self) -> Callable[..., Writer]:
        """Return `akdask.formats.csv.write.CsvWriter`."""
        from akdask.formats.csv.write import CsvWriter

        return CsvWriter

    def damages(self, files: Sequence[str]) -> Iterable[tuple[str, str]]:
        """Compare files with their manifest; see `Format.damages`."""
        from akdask.storage.manifest import SummedManifest, differing_files

        return differing_files(SummedManifest, identify_all(files))


FORMAT = CsvFormat()
