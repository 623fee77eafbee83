"""IPv4 addresses: numbers to dotted text and back."""

from __future__ import annotations

from ipaddress import IPv4Address, ip_address
from typing import Any

import numpy as np

from akdask.columns.dtypes import STR, UINT64
from akdask.deferred import pa, pc
from akdask.engine.operations import Operation
from akdask.errors import ArgumentError
from akdask.typing import NumberArray

_OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_PATTERN = "^" + r"\.".join(_OCTET.replace("(", f"(?P<o{place}>", 1) for place in range(4)) + "$"
_SHIFTS = (24, 16, 8, 0)


def to_text(numbers: Any, out: Any = None) -> Any:
    """Write addresses as dotted text; numbers beyond 32 bits are written as IPv6, as Arkouda does.

    Examples
    --------
    >>> to_text(np.array([1, 2**32 - 1], np.uint64)).to_pylist()
    ['0.0.0.1', '255.255.255.255']
    """
    if np.ndim(numbers) == 0:
        return str(ip_address(int(numbers)))
    octets = [pc.cast(pa.array((numbers >> np.uint64(shift)) & np.uint64(255)), pa.large_string()) for shift in _SHIFTS]
    text = pc.binary_join_element_wise(*octets, pa.scalar(".", pa.large_string()))
    beyond = np.flatnonzero(numbers >> np.uint64(32))
    if not len(beyond):
        return text
    long = pa.array([str(ip_address(int(number))) for number in numbers[beyond]], pa.large_string())
    return pc.replace_with_mask(text, pa.array(numbers >> np.uint64(32) != 0), long)


def to_number(text: Any, out: Any = None) -> Any:
    """Read dotted text as numbers.

    Raises
    ------
    ArgumentError
        If a text is no IPv4 address.

    Examples
    --------
    >>> to_number(pa.array(["10.0.0.1"], pa.large_string())).tolist()
    [167772161]
    """
    if isinstance(text, str):
        return np.uint64(_parsed(text))
    octets = pc.extract_regex(text, _PATTERN)
    if octets.null_count:
        _parsed(text[pc.index(octets.is_valid(), False).as_py()].as_py())
    numbers = np.zeros(len(text), np.uint64) if out is None else out
    numbers[...] = 0
    for place, shift in enumerate(_SHIFTS):
        numbers |= _uint64(octets.field(place)) << np.uint64(shift)
    return numbers


def _uint64(octets: Any) -> NumberArray:
    return np.asarray(pc.cast(octets, pa.uint64()).to_numpy(zero_copy_only=False))


def _parsed(text: str) -> int:
    try:
        return int(IPv4Address(text))
    except ValueError as error:
        raise ArgumentError(f"{text[:100]!r} is no IPv4 address.", details=[str(error)]) from None


IPV4_OPERATIONS: dict[str, Operation] = {
    "ipv4_text": Operation("ipv4_text", 1, lambda dtype: STR if dtype == UINT64 else None, to_text),
    "ipv4_number": Operation("ipv4_number", 1, lambda dtype: UINT64 if dtype == STR else None, to_number),
}
