import numpy as np
from numpy.typing import NDArray

from akdask.typing import NumberArray

Words = NDArray[np.uint64]
Text = NDArray[np.uint8]

def least_and_most(numbers: NumberArray) -> tuple[int, int]: ...
def float_words(bits: Words, inverted: int, words: Words) -> None: ...
def append_bits(words: Words, low: int, lost: int, bits: int, codes: Words) -> None: ...
def sort_words(words: Words, spare: Words, low: int) -> None: ...
def encode(
    offsets: Words,
    text: Text,
    shortest: int,
    longest: int,
    common: Words,
    masks: Words,
    moves: Words,
    bits: Words,
    into: Words,
    codes: Words,
    start: int,
    odd: Words,
) -> tuple[int, int, bool]: ...
def decode(
    codes: Words,
    masks: Words,
    moves: Words,
    bits: Words,
    into: Words,
    common: Words,
    bits_below: Words,
    offsets: Words,
    text: Text,
) -> None: ...
def mix(words: Words) -> None: ...
def hash_words(offsets: Words, text: Text, hashes: Words) -> None: ...
def siphash(offsets: Words, text: Text, is_second: bool, found: Words) -> None: ...
def number_words(
    words: Words,
    given: NDArray[np.int64],
    start: int,
    slots: Words,
    count: int,
    firsts: NDArray[np.int64],
    numbers: NumberArray,
) -> tuple[int, int]: ...

# Puts words whose place is in a part of the table there; `counts` are the rows in `repeated`, beside the `firsts` with
# their words, and in `later`, which found no place in the part.
def insert_words(
    words: Words,
    first: int,
    part: int,
    parts: int,
    slots: Words,
    repeated: NDArray[np.int64],
    firsts: NDArray[np.int64],
    later: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None: ...
def find_words(words: Words, slots: Words, numbers: NumberArray) -> None: ...
def move_words(slots: Words, into: Words) -> None: ...
def check_words(words: Words, known: Words, numbers: NumberArray) -> bool: ...
def check_strings(offsets: Words, text: Text, known_offsets: Words, known: Text, rows: NumberArray) -> bool: ...
def number_strings(
    offsets: Words,
    text: Text,
    first: int,
    slots: Words,
    tags: Words,
    ends: Words,
    known: Text,
    count: int,
    numbers: Words,
) -> tuple[int, int]: ...
def find_strings(
    offsets: Words,
    text: Text,
    first: int,
    slots: Words,
    tags: Words,
    ends: Words,
    known: Text,
    count: int,
    numbers: Words,
) -> tuple[int, int]: ...
def move_strings(slots: Words, into: Words) -> None: ...
