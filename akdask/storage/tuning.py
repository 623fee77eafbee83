"""Tuning constants of storage: sizes, numbers and times, each with the figure that chose it or what it bounds.

They are read at each call as `tuning.NAME`, so that a new value acts everywhere.  Figures are wall times of reading
over connections with 20 ms of latency and 100 MB/s each.
"""

# ---- requests

AT_ONCE = 32
"""Requests of a task or call that are under way, or wait.  40 files with 15 ranges each: 2.7 s with 8, 0.44 s with 32,
and 0.45 s with 128."""

REQUEST = 2**22
"""Bytes of the largest request.  12 MB of 100 ranges that are all of a file take 0.46 s, with requests of 1 MiB 1.1 s;
single columns of 4 MB take 0.09 and 0.06 s, and 0.13 s with requests of 16 MiB, each over one connection."""

NEAR_BYTES = 2**18
"""Bytes that are rather fetched than left out or made a request of their own, which would take as long.  40 files with
15 ranges that are 200 kB apart: 0.44 s with a quarter, 0.17 s with this, and 0.17 s with four times as many."""

FEWEST_REQUESTS = 2
"""Requests of each of very many streams, so that one is under way while another is read."""

TASK_SHARE = 4
"""The divisor of the bytes read ahead that bounds a request of each stream of a task, and begun text files: several
tasks share them."""

MOST_READ_AHEAD, READ_AHEAD_SHARE = 2**29, 16
"""Bytes read ahead by default, and the divisor of the memory that bounds them.  A connection of a gigabyte a second
brings as many in half a second; choose more with the setting `read_ahead` where latency is longer."""

CACHED_BLOCKS = 64
"""Blocks of `NEAR_BYTES` of an open file: a library that walks metadata returns to a few of them."""

RETRY_PAUSE, LONGEST_RETRY_PAUSE = 0.05, 5.0
"""Seconds before a request is repeated, twice as long each time, and at most.  Stores that slow down their users want
seconds; the setting `remote_tries` says how often."""

# ---- known files

KNOWN_SETS = 16
"""Sets of files whose names and states are cached: checking thousands of names takes milliseconds."""

FILE_BYTES = 300
"""Bytes of a name of a file with its state, about, by which caches of them are bounded."""

COLUMN_BYTES = 1000
"""Estimate of the memory of a column of an opened frame, without its rows."""

# ---- waiting for other writers

ABANDONED_SECONDS = 24 * 3600.0
"""Seconds without any change after which a writer on a machine that shares no locks counts as dead while it computes
and writes.  It has to be longer than any computation of a partition takes."""

STALLED_SECONDS = 60.0
"""The same while it renames, which takes no longer than the network may stand still; to act for one that lives does no
harm."""

PAUSE = 0.01
"""Seconds between two looks at a set that another process changes; renaming takes about as long."""

MOST_TRIES = 100
"""How often a reader or writer begins again when others have changed the set meanwhile, before it says so."""

TICK, MOST_TICKS = 0.001, 20
"""Seconds between two looks at the clock of the file system, and how many; mostly it moves every 4 ms.  One that moves
each second is not waited for."""

# ---- rows of files

BLOCK_BYTES = 2**20
"""Bytes that are read, checked or written at a time.  4 M rows of an integer, a float and a short text were read from
HDF5 in 22 ms of CPU time, and written in 106 ms, with a quarter and four times as many, too."""

MANY_RANGES = 8
"""Ranges of this many times the aligned number of rows are aligned: that makes them little larger."""

SHARES, THREAD_ROWS = 4, 2**18
"""Ranges of the rows of few files at least, and the rows of a range up to which a thread reads a file alone.

TPC-H at scale factor 1, wall in turns, at 2**17, 2**18 and 2**20 rows: q2 54, 46 and 47 ms, q11 45, 30 and 47, q13 101,
112 and 118, q16 71, 56 and 56."""

# ---- decoded columns

DECODED_SHARE = 8
"""The divisor of this machine's memory that bounds the decoded columns of files by default."""

READ_COLUMNS = 2**14
"""Columns of which it is known when they were read: at a million rows each, 128 GiB."""

TEXT_ROW_BYTES = 16
"""Bytes of a row of text or lists, before it is read."""

FEW_ROWS_READ = 8
"""Rows of which one is wanted, up to which reading all of them pays for the next time."""

LAST_ROWS_SHARE = 4
"""The divisor of the rows that were read; fewer rows behind them are read along."""

# ---- windows of files

MOST_WINDOW_BYTES, WINDOW_SHARE = 2**29, 16
"""Bytes of files that stay mapped, and the divisor of the memory that bounds them."""

LEAST_WINDOW_BYTES = 2**18
"""Bytes of the smallest window, since each takes the system some microseconds."""

IDLE_SECONDS = 5.0
"""Seconds without use after which a window makes room for another one."""
