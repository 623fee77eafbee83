import io
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akdask.formats.parquet.write import EncodedRowGroup, RowGroupAssembly, RowGroupEncoding


def assembled(tables, encoding, is_by_column=False):
    assembly = RowGroupAssembly()
    parts = [assembly.start()]
    for table in tables:
        columns = [[name] for name in table.column_names] if is_by_column else [table.column_names]
        encoded = [pickle.loads(pickle.dumps(encoding.encode(table.select(names)))) for names in columns]
        parts += map(bytes, assembly.add(EncodedRowGroup.side_by_side(encoded)))
    return b"".join([*parts, *assembly.finish()])


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=6),
    st.booleans(),
    st.sampled_from(["gzip", "none", "zstd"]),
    st.booleans(),
)
def test_a_spliced_file_is_that_of_one_writer(lengths, has_dictionaries, codec, is_by_column):
    rows = sum(lengths)
    table = pa.table(
        {
            "x": pa.array([None if n % 5 == 0 else n / 3 for n in range(rows)], pa.float64()),
            "s": pa.array([str(n % 3) for n in range(rows)], pa.string()),
            "y": pa.array(range(rows), pa.uint64()),
        }
    )
    starts = np.concatenate([[0], np.cumsum(lengths)])
    tables = [table.slice(start, length) for start, length in zip(starts.tolist(), lengths, strict=False)]
    names = ("x", "s") if has_dictionaries else ()
    data = assembled(tables, RowGroupEncoding(compression=codec, dictionaries=names), is_by_column)
    expected = io.BytesIO()
    options = {"use_dictionary": list(names), "compression": codec, "version": "2.4", "store_schema": False}
    with pq.ParquetWriter(expected, table.schema, **options) as writer:
        for part in tables:
            writer.write_table(part.combine_chunks(), row_group_size=max(len(part), 1))
    assert pq.read_table(io.BytesIO(data)).equals(table)
    assert pq.ParquetFile(io.BytesIO(data)).metadata.equals(pq.ParquetFile(expected).metadata)
    assert data == expected.getvalue()


def test_chunks_of_a_table_do_not_show():
    whole = pa.table({"s": [str(number) for number in range(100)]})
    pieces = pa.concat_tables([whole.slice(0, 33), whole.slice(33)])
    encoding = RowGroupEncoding()
    assert assembled([pieces], encoding) == assembled([whole], encoding)


@pytest.mark.parametrize("version", ["1.0", "2.4", "2.6"])
def test_the_version_is_the_one_that_is_asked_for(version):
    data = assembled([pa.table({"x": [1.0]})], RowGroupEncoding(version=version))
    assert (pq.ParquetFile(io.BytesIO(data)).metadata.format_version == "1.0") is (version == "1.0")
