"""Tuning constants of formats: sizes and thresholds, each with the figure that chose it or what it bounds.

Figures are the CPU time at a quarter of the size, at the size, and at four times the size; of 4 M rows of an integer, a
float and a short text if they do not say of what.
"""

PARQUET_BATCH_ROWS = 2**16
"""Rows of a batch of Arrow's reader: 102, 105 and 485 ms, as more leave the cache."""

PARQUET_GROUP_ROWS = 2**20
"""Most rows of a row group, the unit that is skipped, or read by a task: 332, 181 and 170 ms of writing."""

PARQUET_WINDOW = 2**20
"""Bytes of a chunk of a column that are held in memory: 104, 97 and 132 ms."""

FIRST_BYTES = 2**16
"""Bytes of the first request for the head of a CSV file or the footer of a Parquet file, which mostly contain all of
it: for few files, a second request takes less than more bytes of all."""

BLOCK_ROWS = 2**16
"""Rows of text that are encoded at a time.  1 M short texts take 10.0, 9.3 and 9.6 ms in HDF5; rows of CSV take 141,
140 and 142 ms."""

# ---- CSV

CSV_BLOCK = 2**19
"""Bytes that are read and scanned at a time, which stay in a cache."""

CSV_STRETCH = 2**22
"""Bytes that a thread scans at least: fewer take less time than threads."""

CSV_RANGES, CSV_SMALL_RANGE = 2, 2**23
"""Ranges of a file at least, and their least bytes.  65 MB take 132, 148 and 187 ms of CPU in 2, 4 and 8."""

CSV_LONGEST_GUESS = 2**16
"""Bytes that are searched for a line end where a thread may begin."""

# ---- HDF5

HDF5_SMALL_FILE = 2**20
"""Bytes of a file that is read at once: 50 µs for a file of ten columns, 75 µs block by block."""

HDF5_FIRST_FILES = 2
"""Remote files of a set that are described before the others, which are compared with their templates all at once."""

HDF5_FILE_TEMPLATES = 4
"""Structures that files of a set have in turn: with rows and without, of first and of later releases."""

HDF5_DESCRIPTION_BYTES = 2**25
"""Limit of the cache of descriptions of files."""

HDF5_OPEN_FILES = 256
"""Files that stay open at most; more may be in use."""

HDF5_SELECTIONS = 4
"""Selections of columns whose parts are cached, since selections recur and thousands of parts are slow to make."""

HDF5_SELECTION_PARTS = 2**15
"""Most columns of all partitions of a selection whose parts are cached: for more, making parts is not the larger
cost."""

HDF5_CHUNK_SHARE = 8
"""The part of a partition from which on a chunk is large, and partitions end where chunks do, so that none is unpacked
twice.  500,000 rows in chunks of 32 kB take 46, 49 and 42 ms."""

HDF5_FEW_STRINGS = 4
"""Rows for each wanted one, at least, where strings between are not decoded."""

HDF5_CHUNK_CACHE = 2**30
"""Bytes of unpacked chunks that a task caches, unless one is larger: it reads several columns in turn."""

HDF5_CHUNK_INDEX_BYTES = 2**26
"""Limit of the cache of places of chunks, which take 32 bytes each."""

HDF5_UNCHECKED_ROWS, HDF5_COPIES = 2**23, 3
"""Rows that are read without checking the available memory, and how many copies of about the stored size reading needs:
the stored bytes, the segments and the decoded column."""

HDF5_FEW_HASHED = 8
"""Names below which each is hashed by Python's integers: one takes 9 µs, 16 take 1,000 µs, and arrays 500 µs for
either."""

# ---- samples in HDF5 groups

HDF5_FEW_GROUPS = 8
"""Groups that are located one by one, without opening the file in the library to count those beside them."""

HDF5_LISTING_LOOKUPS = 64
"""Names that are listed in the time of a few lookups: 16 of 3,000 groups are located in 7 ms, and in 34 ms with a list.
All 3,000 in batches of 16 take 40 ms with a list and 400 ms without."""

HDF5_GROUPS_AHEAD = 4096
"""Groups that are located together with the wanted ones: 3,000 in batches of 16 take 40 ms, and 190 ms without."""

HDF5_GROUP_TEMPLATES, HDF5_TEMPLATE_TRIES = 12, 24
"""Most templates for groups with the same datasets, as one program writes few structures; and how many groups are
looked at for them at a time, since some lack a dataset or have an unknown structure."""

HDF5_TEMPLATE_SETS = 64
"""Selections of datasets whose templates are cached."""

HDF5_LISTING_BYTES = 3 * 2**24
"""Limit of the cache of listings of groups."""

HDF5_IDLE_LOOKUPS = 100_000
"""Lookups in other groups after which a listing is forgotten, if there is no room for another one."""

HDF5_COUNTED_GROUPS = 2**17
"""Groups whose lookups are counted."""

HDF5_SEARCHED_FOR_TEXT, HDF5_SEARCHED_FOR_ATTRIBUTES = 2**28, 2**22
"""Up to these sizes, files are searched for heaps that HDF5 reads for ever, before it reads datasets or attributes of
text: 2**28 bytes take a tenth of a second."""

HDF5_SAMPLES_BY_PATTERN = 32
"""Samples of a file from which they are copies of one: the first takes as long as ten that the library makes."""

HDF5_SAMPLE_BLOCK = 2048
"""Samples that are made at a time, in arrays of a few megabytes."""

# ---- Parquet

PARQUET_PARTITION_ROWS = 2**20
"""Rows up to which neighbouring row groups of a file are one partition: 500,000 rows in row groups of
20,000 take 78, 75 and 74 ms."""

PARQUET_PAGES_AT_ONCE = 2**9
"""Pages whose headers a loop lists: 500,000 rows in pages of 16 kB take 92, 93 and 91 ms."""

PARQUET_SMALL_PAGE = 2**18
"""Bytes of an unpacked page that is unpacked again rather than cached: 500,000 rows in pages of
160 kB take 77, 73 and 75 ms."""

PARQUET_JOINED_ROWS = 2**12
"""Rows of which one is wanted, up to which the pages of all row groups of a partition are listed at once."""

PARQUET_LISTED_ROWS = 32
"""Rows before each wanted one, up to which headers of local pages are listed by a loop and an index is not read: a
product summed over 4 % of 6 M rows in row groups of 114,000 takes 0.25, 0.20 and 0.20 s."""

PARQUET_BATCH_BYTES, PARQUET_NEAR_BYTES = 2**21, 2**12
"""Bytes of pages that are decoded at a time, and bytes between two of them that are read along."""

PARQUET_PAGE_ROWS = 2**17
"""Most rows of a page that is written."""

# ---- Zarr

ZARR_LEAST_READ = 2**16
"""Elements that are read at a time at least, where chunks are smaller."""

ZARR_CHUNK = 2**20
"""Elements of a chunk by default."""
