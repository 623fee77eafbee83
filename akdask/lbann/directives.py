"""Directives: the metadata of a field, validated and normalized."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from akdask.errors import warn
from akdask.lbann.errors import LbannSchemaError, LbannWarning
from akdask.lbann.schema_nodes import MetadataEntry

_TYPES: dict[str, np.dtype[Any]] = {
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
    "int": np.dtype(np.int32),
    "long": np.dtype(np.int64),
    "int64": np.dtype(np.int64),
    "int32": np.dtype(np.int32),
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
}
_CHANNELS_LAST, _CHANNELS_FIRST = {"hwc", "dhwc"}, {"chw", "cdhw"}
_MOST = 2**63


@dataclass(frozen=True, slots=True)
class Directives:
    """The steps applied to the elements of a field, in the order of these parameters.

    Parameters
    ----------
    dtype : numpy.dtype, optional
        Type that elements are converted to first; the stored type by default.
    scale, bias : tuple of float, optional
        One number, or one for each channel; both scale and bias are given, or neither.
    is_channels_last : bool
        Whether channels are the last stored dimension.
    is_transposed : bool
        Whether channels become the first dimension.
    channels : int, optional
        Number of channels.
    dims : tuple of int, optional
        Dimensions, channels left out.
    pack : str, optional
        Group into which the field is packed.
    ordering : int, optional
        Its place among the fields of the group.
    is_blockwise : bool
        Whether channels are the first stored dimension.
    """

    dtype: np.dtype[Any] | None = None
    scale: tuple[float, ...] | None = None
    bias: tuple[float, ...] | None = None
    is_channels_last: bool = False
    is_transposed: bool = False
    channels: int | None = None
    dims: tuple[int, ...] | None = None
    pack: str | None = None
    ordering: int | None = None
    is_blockwise: bool = False


def directives_of(path: str, metadata: Mapping[str, MetadataEntry]) -> Directives:
    """Validate the metadata of a field and return its directives.

    Parameters
    ----------
    path : str
        The field, for messages.
    metadata : mapping of str to MetadataEntry
        Its merged metadata.

    Raises
    ------
    LbannSchemaError
        If a value is of the wrong kind, or contradicts another one.

    Warns
    -----
    LbannWarning
        For unknown words in ``layout`` and ``transpose``.
    """
    values = _Values(path, metadata)
    dtype = values.dtype()
    channels = values.channels()
    layout, transpose = values.layout()
    scale, bias = values.normalization(channels, layout, dtype)
    pack = values.group()
    ordering = values.integer("ordering")
    if pack is not None and ordering is None:
        raise values.error(
            "pack", "metadata has 'pack' but no 'ordering'.", "give the field an 'ordering', in either schema."
        )
    is_transposed = layout in _CHANNELS_LAST and transpose in _CHANNELS_FIRST and channels != 1
    dims = values.dims()
    if is_transposed and channels is None:
        warn(f"field {path!r} is to be transposed but has no 'channels'; it is left as it is.", LbannWarning)
        is_transposed = False
    if is_transposed:
        values.check_transposition(dims, dtype)
    return Directives(
        dtype=dtype,
        scale=scale,
        bias=bias,
        is_channels_last=layout in _CHANNELS_LAST,
        is_transposed=is_transposed,
        channels=channels,
        dims=dims,
        pack=pack,
        ordering=ordering,
        is_blockwise=layout in _CHANNELS_FIRST,
    )


class _Values:
    """Reads values of metadata; errors name the line of each value."""

    def __init__(self, path: str, metadata: Mapping[str, MetadataEntry]) -> None:
        self._path = path
        self._metadata = metadata

    def error(self, key: str, message: str, hint: str | None = None) -> LbannSchemaError:
        return LbannSchemaError(message, field=self._path, schema=self._metadata[key].place, hint=hint)

    def numbers(self, key: str) -> list[int | float] | None:
        """Return a number or a list of numbers as a list, None if the key is not there."""
        if key not in self._metadata:
            return None
        value = self._metadata[key].value
        values = value if isinstance(value, list) else [value]
        if not values or not all(isinstance(one, int | float) for one in values):
            raise self.error(key, f"{key!r} is {_shown(value)}, not a number or a list of numbers.")
        return values

    def integers(self, key: str, *, least: int = -_MOST) -> tuple[int, ...] | None:
        numbers = self.numbers(key)
        if numbers is None:
            return None
        for number in numbers:
            if not math.isfinite(number) or number != int(number) or not least <= number < _MOST:
                wanted = "integers" if least < 0 else "positive integers"
                raise self.error(key, f"{key!r} is {_shown(self._metadata[key].value)}, but holds {wanted}.")
        return tuple(int(number) for number in numbers)

    def integer(self, key: str, *, least: int = -_MOST) -> int | None:
        integers = self.integers(key, least=least)
        if integers is not None and len(integers) > 1:
            raise self.error(key, f"{key!r} is a list of {len(integers)} numbers, but holds one.")
        return None if integers is None else integers[0]

    def word(self, key: str) -> str | None:
        """Return text with its quotes left out, as upstream does wherever it compares words."""
        if key not in self._metadata:
            return None
        entry = self._metadata[key]
        if isinstance(entry.value, list) and len(entry.value) == 1:
            return str(entry.value[0])
        if not entry.text.strip('"'):
            raise self.error(key, f"{key!r} is {_shown(entry.value)}, not a word.")
        return entry.text.replace('"', "")

    def dtype(self) -> np.dtype[Any] | None:
        word = self.word("coerce")
        if word is not None and word not in _TYPES:
            close = get_close_matches(word, _TYPES, 1)
            raise self.error(
                "coerce",
                f"no type is called {word!r}.",
                f"did you mean {close[0]!r}?" if close else f"it can be {', '.join(_TYPES)}.",
            )
        return None if word is None else _TYPES[word]

    def channels(self) -> int | None:
        return self.integer("channels", least=1)

    def dims(self) -> tuple[int, ...] | None:
        return self.integers("dims", least=1)

    def layout(self) -> tuple[str | None, str | None]:
        """Return layout and transposition, taken from the older ``hwc`` where there is no layout."""
        layout, transpose, older = self.word("layout"), self.word("transpose"), self.word("hwc")
        for key, word in {"layout": layout, "transpose": transpose, "hwc": older}.items():
            if word is not None and word not in _CHANNELS_LAST | _CHANNELS_FIRST:
                warn(f"field {self._path!r}: {key!r} is {word!r}, which is no layout and does nothing.", LbannWarning)
        if older is not None and layout is None:
            return "hwc", transpose or older
        return layout, transpose

    def group(self) -> str | None:
        """Return the name of a group as written, numbers included."""
        if "pack" not in self._metadata:
            return None
        entry = self._metadata["pack"]
        if isinstance(entry.value, list) and len(entry.value) == 1 and isinstance(entry.value[0], str):
            return str(entry.value[0])
        if isinstance(entry.value, list | dict) or not entry.text.strip():
            raise self.error("pack", f"'pack' is {_shown(entry.value)}, not the name of a group.")
        return entry.text

    def normalization(
        self, channels: int | None, layout: str | None, dtype: np.dtype[Any] | None
    ) -> tuple[tuple[float, ...] | None, tuple[float, ...] | None]:
        """Return scale and bias; one of them may be left out."""
        scale, bias = self.numbers("scale"), self.numbers("bias")
        if scale is None and bias is None:
            return None, None
        n = 1 if channels is None else channels
        for key, numbers in {"scale": scale, "bias": bias}.items():
            if numbers is not None and len(numbers) != n:
                wanted = "one number, as the field has no 'channels'" if channels is None else f"{n}, one a channel"
                raise self.error(key, f"{key!r} has {len(numbers)} numbers; it needs {wanted}.")
        key = "bias" if scale is None else "scale"
        if n > 1 and layout not in _CHANNELS_LAST | _CHANNELS_FIRST:
            raise self.error(
                key,
                f"the field has {n} channels and no 'layout', so no element can be told to be of which channel.",
                "add 'layout: hwc' or 'dhwc' if channels are the last dimension, 'chw' or 'cdhw' if the first.",
            )
        if dtype is not None and dtype.kind != "f":
            raise self.error(
                key, f"{key!r} needs floats, but the field is coerced to {dtype}.", "coerce it to float or double."
            )
        return self._floats("scale", scale or [1.0] * n), self._floats("bias", bias or [0.0] * n)

    def _floats(self, key: str, numbers: list[int | float]) -> tuple[float, ...]:
        try:
            return tuple(float(number) for number in numbers)
        except OverflowError:
            raise self.error(key, f"{key!r} has an integer that is too large.") from None

    def check_transposition(self, dims: tuple[int, ...] | None, dtype: np.dtype[Any] | None) -> None:
        """Refuse fields that cannot be transposed, whatever their elements."""
        if dims is None:
            raise self.error("channels", "the field is to be transposed but has no 'dims'.", "add 'dims'.")
        if len(dims) not in {2, 3}:
            raise self.error(
                "dims",
                f"'dims' has {len(dims)} numbers; what is transposed has two or three.",
                "give [rows, columns] or [depth, height, width]; channels are given by 'channels'.",
            )
        if dtype is not None and dtype.kind != "f":
            raise self.error(
                "coerce", f"only floats are transposed, but the field is coerced to {dtype}.", "coerce it to float."
            )


def _shown(value: Any) -> str:
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
