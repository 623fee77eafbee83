"""Tuning constants of samples: sizes and thresholds, each with what it balances.

They are read at each call as `tuning.NAME`, so that a new value acts everywhere.
"""

from __future__ import annotations

# ---- lists

TEXT_BLOCK = 2**24
"""Bytes of text that are split into words at a time."""

FEW_IDS = 8
"""Up to this number of samples, IDs are looked up one by one, since calls on columns take as long for few as for many.
Otherwise, single samples take 1.2 times as long."""

# ---- reading

LARGE_FIELD_BYTES = 2**16
"""From this size on, each sample of a field is read and transformed on its own, straight into its place.  Collecting
fields of 768 kB takes 1.4 times as long; reading fields of 400 bytes one by one takes 3 times as long."""

MOST_LAYOUTS = 256
"""Layouts that a reader keeps."""

SMALL_SAMPLE_BYTES = 2**16
"""Up to this size of a sample, batches are copied out of a joint read, since finding the samples of a file takes longer
than copying them.  Otherwise, batches of 16 samples of 400 bytes take 1.2 times as long.  So do larger samples if they
are copied."""

MOST_THREADS = 4
"""Most reading threads by default: more would wait for one another in HDF5."""

# ---- transforming

BLOCK_ELEMENTS = 2**15
"""Elements that are computed at a time, so that their doubles stay in the cache of a core."""

LARGE_ELEMENTS = 2**14
"""From this number of elements on, samples are transformed one by one, which stay in the cache of a core.  Images of
48 kB with their channels last would take 1.2 times as long; smaller samples 3 times if transformed so."""

RECYCLED_BYTES = 2**20
"""From this size on, memory of arrays is used again: the system clears new pages, which takes as long as reading into
them."""

IDLE_BYTES, IDLE_ARRAYS = 2**26, 4
"""Most unused memory that is kept, unless one array has more."""

# ---- tasks

TASK_BYTES = 2**27
"""Most bytes of samples that a task reads, unless one sample has more."""

SHORT_RUN = 32
"""Up to this mean number of samples, a run of one file is too short for a task, whose overhead is larger than the
read."""

CHECKED_SAMPLES = 256
"""Samples that a check reads together."""

CHECKED_FILES = 64
"""Files that are checked between two notes of results."""

SAMPLES_OF_PROCESSES = 2**16
"""Samples from which their files are written by several processes, each of which takes as long to start as 30,000
samples of numbers take to write, or 5,000 of text."""
