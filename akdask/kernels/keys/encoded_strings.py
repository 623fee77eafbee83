"""String key encoding: columns of strings as codes, made block by block, so that no strings are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from akdask.columns import StringsBuilder, new_array, offsets_and_bytes, slice_rows
from akdask.deferred import pa
from akdask.kernels.core.string_layout import CodesOfRows, StringLayout
from akdask.kernels.core.words import Words
from akdask.kernels.keys.string_codes import BLOCK_ROWS, LONGEST, strings_of, write_codes


@dataclass(frozen=True, slots=True)
class EncodedStrings:
    """Strings by their codes, which are in the order of their bytes.

    Parameters
    ----------
    form : StringLayout
        What they have in common.
    codes : sequence of ndarray of uint64
        What tells them apart, the most significant first.
    """

    form: StringLayout
    codes: Sequence[Words]

    def __len__(self) -> int:
        return len(self.codes[0])

    def strings(self) -> pa.LargeStringArray:
        """Return the strings themselves."""
        return strings_of(self.form, self.codes)


class StringEncoder:
    """Encodes strings block by block, in a form that is widened for new strings; no block need outlive the next.

    Parameters
    ----------
    nrows : int
        Strings in all, as far as is known.

    Examples
    --------
    >>> coding = StringEncoder(3)
    >>> coding.append(pa.array(["gate 07", "gate 11"], pa.large_string()))
    >>> coding.append(pa.array(["gate 7"], pa.large_string()))
    >>> coded = coding.finish()
    >>> len(coded.codes), coded.strings().to_pylist()
    (1, ['gate 07', 'gate 11', 'gate 7'])
    """

    def __init__(self, nrows: int) -> None:
        self._expected = nrows
        self._nrows = 0
        self._form: StringLayout | None = None
        self._codes = _reserve(0, 0)
        self._plain: StringsBuilder | None = None

    def append(self, strings: pa.LargeStringArray) -> None:
        """Take the rows of an array behind those that have come."""
        for start in range(0, len(strings), BLOCK_ROWS):
            block = strings if len(strings) <= BLOCK_ROWS else slice_rows(strings, start, start + BLOCK_ROWS)
            if self._plain is None and not self._write(block):
                self._plain = StringsBuilder(self._expected)
                if self._nrows:
                    self._plain.append(self._encoded(slice(self._nrows)).strings())
            if self._plain is not None:
                self._plain.append(block)
            self._nrows += len(block)

    def finish(self) -> EncodedStrings | pa.LargeStringArray:
        """Return all rows; as strings where there are none, or any that are so long that codes would not pay."""
        if self._plain is None and self._nrows:
            return self._encoded(slice(self._nrows))
        return (self._plain or StringsBuilder(0)).finish()

    def _write(self, strings: pa.LargeStringArray) -> bool:
        """Write the codes of strings; return whether they have any."""
        form = self._form or _form_of_first(strings)
        stop = self._nrows + len(strings)
        while form.longest <= LONGEST:
            self._widen(form, stop)
            needed = write_codes(form, strings, self._codes[:, self._nrows : stop])
            if needed == form:
                return True
            # Numbers that ascend come to vary in one digit after the other, but not bit by bit.
            form = needed.with_digits() if self._nrows else needed
        return False

    def _widen(self, form: StringLayout, nrows: int) -> None:
        """Reserve space for rows of a form, and convert the codes so far to it."""
        if form == self._form and nrows <= self._codes.shape[1]:
            return
        codes = _reserve(len(form.parts), self._expected if nrows <= self._expected else 2 * nrows)
        for start in range(0, self._nrows, BLOCK_ROWS):
            rows = slice(start, min(start + BLOCK_ROWS, self._nrows))
            write_codes(form, self._encoded(rows).strings(), codes[:, rows])
        self._form, self._codes = form, codes

    def _encoded(self, rows: slice) -> EncodedStrings:
        assert self._form is not None, "rows have come"
        return EncodedStrings(self._form, list(self._codes[:, rows]))


def _reserve(parts: int, nrows: int) -> CodesOfRows:
    codes: CodesOfRows = new_array(parts * nrows, np.uint64).reshape(parts, nrows)
    return codes


def _form_of_first(strings: pa.LargeStringArray) -> StringLayout:
    _, text = offsets_and_bytes(strings[:1])
    return StringLayout.of(text.tobytes())
