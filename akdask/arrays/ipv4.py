"""`IPv4`: a lazy array of internet addresses, stored as numbers, and functions that convert and test addresses."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from akdask.arrays.array import Array, unlabelled, wrap
from akdask.arrays.creation import array
from akdask.arrays.elementwise import assigned, combine
from akdask.arrays.pdarray import pdarray
from akdask.arrays.scalar import value_of
from akdask.arrays.strings import Strings
from akdask.arrays.text import as_text
from akdask.columns.dtypes import UINT64
from akdask.columns.table import Table
from akdask.engine.missing import call
from akdask.engine.node import Frame
from akdask.engine.sources import refuses_foreign
from akdask.engine.values import Call, Value
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, CallError, errors_end_at_caller
from akdask.operators.text.strings import ipv4_text
from akdask.storage.objects import ObjType

if TYPE_CHECKING:
    from akdask.arrays.writing import Storable

CHOICES = {"where", "minimum", "maximum", "clip"}


@errors_end_at_caller
class IPv4(pdarray):
    """A lazy array of IPv4 addresses: uint64 numbers that show as dotted text.

    Operators compute with the numbers, and take dotted text beside the array.

    Parameters
    ----------
    values : pdarray of int, Strings, or sequence
        Addresses as numbers, as dotted text, or as objects of Python's `ipaddress`.

    Examples
    --------
    >>> ip = IPv4(["10.0.0.1", "192.168.0.7"])
    >>> (ip & (2**8 - 1)).tolist(), (ip == "10.0.0.1").tolist()
    ([1, 7], [True, False])
    >>> ip[1]
    '192.168.0.7'
    """

    special_objType = "IPv4"

    __array_priority__ = 1500
    __hash__ = None  # type: ignore[assignment]  # comparison gives an array, as in NumPy

    @refuses_foreign()
    def __init__(self, values: Any) -> None:
        super().__init__(*_numbers(values))

    @classmethod
    def of(cls, frame: Frame, value: Value) -> Self:
        """Return the addresses that uint64 numbers on the rows of a frame are."""
        self = cls.__new__(cls)
        Array.__init__(self, frame, value)
        return self

    def _like(self, frame: Frame, value: Value) -> Self:
        return self.of(frame, value)

    def _printed(self, items: Any) -> list[str]:
        return list(map(str, items))

    @property
    def _footer(self) -> str:
        return ""

    @property
    def values(self) -> pdarray:
        """The addresses as uint64 numbers; lazy.

        Examples
        --------
        >>> ip = ak.IPv4(ak.array([3232235777, 167772161]))
        >>> ip.values.tolist()
        [3232235777, 167772161]
        """
        return pdarray(self._frame, self._value)

    def export_uint(self) -> pdarray:
        """Return the addresses as uint64 numbers; lazy.

        Examples
        --------
        >>> ip = ak.IPv4(ak.array([3232235777, 167772161]))
        >>> ip.export_uint().tolist()
        [3232235777, 167772161]
        """
        return self.values

    def to_strings(self) -> Strings:
        """Return the addresses as dotted text; lazy.

        Examples
        --------
        >>> ip = ak.IPv4(ak.array([3232235777, 167772161]))
        >>> ip.to_strings().tolist()
        ['192.168.1.1', '10.0.0.1']
        """
        return Strings(self._frame, Call("ipv4_text", self._value))

    def format(self, x: Any) -> str:
        """Return one number as dotted text.

        Raises
        ------
        ArgumentTypeError
            If it is no integer.

        Examples
        --------
        >>> ip = ak.IPv4(ak.array([3232235777, 167772161]))
        >>> ip.format(167772161)
        '10.0.0.1'
        """
        x = value_of(x)
        if isinstance(x, bool) or not isinstance(x, int | np.integer):
            raise ArgumentTypeError(f"an address is shown of an integer, not of {type(x).__name__}.")
        return str(ipaddress.ip_address(int(x)))

    def normalize(self, x: Any) -> int:
        """Return one address, given as number, text or object, as a number.

        Raises
        ------
        ArgumentError
            If it is no address.

        Examples
        --------
        >>> ip = ak.IPv4(ak.array([3232235777, 167772161]))
        >>> ip.normalize("10.0.0.1")
        167772161
        """
        return _number(x)

    def _storable(self) -> Storable:
        return replace(super()._storable(), kind=ObjType.IPV4)

    def _operate(self, operation: str, *items: Any, **params: Any) -> Any:
        given = [self._operand(item) for item in items]
        frame, value = combine(operation, given, **params)
        stays = operation in CHOICES and value.dtype == UINT64
        return self.of(frame, value) if stays else wrap(frame, value)

    def _operand(self, item: Any) -> Any:
        item = unlabelled(item)
        if isinstance(item, IPv4):
            return item.values
        return (
            np.uint64(self.normalize(item))
            if isinstance(item, str | ipaddress.IPv4Address | ipaddress.IPv6Address)
            else item
        )

    def __setitem__(self, key: Any, item: Any) -> None:
        """Assign an address, or an array of them, to rows; see `pdarray.__setitem__`."""
        self._frame, self._value = assigned(self.values, key, self._operand(item))

    def astype(self, dtype: Any) -> Any:
        """Return the numbers converted to another type, or the addresses as dotted text; lazy.

        Examples
        --------
        >>> ip = ak.IPv4(ak.array([3232235777, 167772161]))
        >>> ip.astype(str).tolist()
        ['192.168.1.1', '10.0.0.1']
        """
        return self.to_strings() if dtype in (str, "str") else self.values.astype(dtype)

    def equals(self, other: Any) -> bool:
        """Whether the other array has the same addresses in the same order; computes.

        Examples
        --------
        >>> ip = ak.IPv4(ak.array([3232235777, 167772161]))
        >>> ip.equals(ip.copy())
        np.True_
        """
        return isinstance(other, IPv4) and self.values.equals(other.values)

    def _converter(self) -> Callable[..., Any]:
        return as_addresses

    def _pandas_converter(self) -> Callable[..., Any]:
        return ipv4_text

    def _type_name(self) -> str:
        return "IPv4"

    def _element(self, position: int) -> str:
        return str(super()._element(position))


def as_addresses(table: Table) -> np.ndarray[Any, Any]:
    """Return the only column of a table as NumPy strings."""
    return as_text(Table({0: ipv4_text(table.columns[0])}, table.nrows))


def ip_address(values: Any) -> IPv4:
    """Return addresses, given as text or numbers, as an `IPv4` array.

    Raises
    ------
    CallError
        If an element of a list is no address.

    Examples
    --------
    >>> ak.ip_address(["192.168.1.1", "10.0.0.1"]).tolist()
    ['192.168.1.1', '10.0.0.1']
    """
    if isinstance(values, Array):
        return values if isinstance(values, IPv4) else IPv4(values)
    try:
        return IPv4(values)
    except AkdaskError as error:
        raise CallError("ip_address cannot make addresses of what it is given.", details=[str(error)]) from None


def is_ipv4(ip: Any, ip2: Any = None) -> pdarray:
    """Return which numbers are IPv4 addresses; lazy bool array.

    Parameters
    ----------
    ip : pdarray of int or IPv4
        Numbers, of IPv6 addresses the low 64 bits.
    ip2 : pdarray of int, optional
        Of IPv6 addresses the high 64 bits.

    Examples
    --------
    >>> ak.is_ipv4(ak.array([3232235777, 2**40])).tolist()
    [True, False]
    """
    sizes = {item.size for item in (ip, ip2) if isinstance(item, Array)}
    if len(sizes) > 1:
        raise CallError("ip and ip2 have as many elements.", details=[f"sizes: {sorted(sizes)}"])
    low: Any = _integers(ip) < 2**32
    return low if ip2 is None else low & (_integers(ip2) == 0)


def is_ipv6(ip: Any, ip2: Any = None) -> pdarray:
    """Return which numbers are IPv6 addresses; see `is_ipv4`.  Lazy bool array.

    Examples
    --------
    >>> ak.is_ipv6(ak.array([3232235777, 2**40])).tolist()
    [False, True]
    """
    return ~is_ipv4(ip, ip2)


def _integers(numbers: Any) -> pdarray:
    found = numbers.values if isinstance(numbers, IPv4) else numbers
    if not isinstance(found, pdarray) or found._value.dtype.kind not in ("int", "uint"):
        raise ArgumentTypeError(f"addresses are whole numbers, not {type(numbers).__name__}.")
    return found


def _number(address: Any) -> int:
    try:
        return int(ipaddress.ip_address(int(address) if isinstance(address, np.integer) else address))
    except ValueError as error:
        raise ArgumentError(f"{address!r} is no address.", details=[str(error)]) from None


def _numbers(values: Any) -> tuple[Frame, Value]:
    if isinstance(values, IPv4):
        return values._frame, values._value
    if not isinstance(values, Array):
        items = [str(item) if isinstance(item, ipaddress.IPv4Address) else item for item in values]
        if len({isinstance(item, str) for item in items}) > 1:
            # Text and numbers together; a column has one type.
            items = [_number(item) for item in items]
        values = array(items or np.array([], np.uint64))
    if isinstance(values, Strings):
        return values._frame, call("ipv4_number", values._value)
    numbers = _integers(values)
    value = numbers._value
    return numbers._frame, value if value.dtype == UINT64 else Call("cast", value, dtype=UINT64.name)
