"""Internet addresses: Python's ipaddress is the reference."""

from ipaddress import ip_address

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError

NUMBERS = [0, 1, 256, 167772161, 3232235527, 2**32 - 1]
TEXTS = [str(ip_address(number)) for number in NUMBERS]


def test_addresses_are_made_of_numbers_text_and_objects():
    for given_addresses in (
        NUMBERS,
        TEXTS,
        [ip_address(text) for text in TEXTS],
        ak.array(TEXTS),
        ak.array(NUMBERS),
        ak.array(np.array(NUMBERS, np.uint64)),
        ak.IPv4(NUMBERS),
        [*TEXTS[:2], *NUMBERS[2:]],
    ):
        found = ak.ip_address(given_addresses)
        assert isinstance(found, ak.IPv4)
        assert found.tolist() == TEXTS
        assert found.export_uint().tolist() == NUMBERS
        assert found.dtype == np.uint64
    assert ak.IPv4([]).tolist() == []


@given(st.lists(st.integers(0, 2**32 - 1), max_size=20))
def test_text_and_numbers_turn_into_each_other(numbers):
    texts = [str(ip_address(number)) for number in numbers]
    found = ak.IPv4(np.array(numbers, np.uint64))
    assert found.to_strings().tolist() == texts
    assert ak.IPv4(found.to_strings()).export_uint().tolist() == numbers


def test_numbers_beyond_32_bits_show_as_ipv6():
    numbers = [7, 2**32, 2**64 - 1]
    assert ak.IPv4(np.array(numbers, np.uint64)).tolist() == [str(ip_address(number)) for number in numbers]


@pytest.mark.parametrize("text", ["256.0.0.1", "1.2.3", "01.2.3.4", "", "1.2.3.4 ", "::1"])
def test_text_that_is_no_address_is_refused(text):
    with pytest.raises(ArgumentError, match="no IPv4 address"):
        ak.IPv4(["1.2.3.4", text]).tolist()


def test_only_integers_are_shown_as_addresses():
    ip = ak.IPv4(NUMBERS)
    assert [ip.format(number) for number in NUMBERS] == TEXTS
    for wrong in (1.5, "1.2.3.4", True):
        with pytest.raises(ArgumentTypeError):
            ip.format(wrong)
    with pytest.raises(ArgumentError, match="'x' is no address"):
        ak.IPv4([1, "x"])


def test_operators_compute_with_the_numbers():
    ip = ak.IPv4(TEXTS)
    assert (ip == "0.0.1.0").tolist() == [False, False, True, False, False, False]
    assert (ip > "0.0.1.0").tolist() == [number > 256 for number in NUMBERS]
    assert (ip == ip_address("10.0.0.1")).tolist() == [number == 167772161 for number in NUMBERS]
    assert (ip & 255).tolist() == [number & 255 for number in NUMBERS]
    assert type(ip >> 8) is ak.pdarray
    assert ak.where(ip == "0.0.0.1", ip, "9.9.9.9")[:2].tolist() == ["9.9.9.9", "0.0.0.1"]
    assert ip.max() == 2**32 - 1
    with pytest.raises(ArgumentError, match="no address"):
        _ = ip == "here"


def test_rows_and_items_keep_the_kind():
    ip = ak.IPv4(TEXTS)
    assert ip[3] == "10.0.0.1"
    assert isinstance(ip[1:3], ak.IPv4)
    ip[0] = "8.8.8.8"
    ip[[1, 2]] = ak.IPv4(["1.1.1.1", "2.2.2.2"])
    assert ip[:3].tolist() == ["8.8.8.8", "1.1.1.1", "2.2.2.2"]
    assert ip.equals(ak.IPv4(ip.tolist()))
    assert ip.format(1) == "0.0.0.1"
    assert ip.normalize("0.0.0.2") == 2
    assert "8.8.8.8" in repr(ip)
    assert repr(ip).startswith("IPv4(")
    assert ip.astype(str).tolist() == ip.tolist()
    assert ip.astype("float64").tolist()[1] == float(int(ip_address("1.1.1.1")))


def test_columns_of_a_frame_show_text():
    df = ak.DataFrame({"ip": ak.IPv4(TEXTS), "n": ak.arange(6)})
    assert df.dtypes == {"ip": "IPv4", "n": "int64"}
    pd.testing.assert_frame_equal(df.to_pandas(), pd.DataFrame({"ip": TEXTS, "n": range(6)}))
    assert df[df["ip"] > "1.0.0.0"].to_pandas()["ip"].tolist() == TEXTS[3:]
    assert df.to_dask().compute()["ip"].tolist() == TEXTS


def test_numbers_are_told_to_be_ipv4_or_ipv6():
    low = ak.array(np.array([1, 2**32, 5], np.uint64))
    high = ak.array([0, 0, 1])
    assert ak.is_ipv4(low).tolist() == [True, False, True]
    assert ak.is_ipv4(low, high).tolist() == [True, False, False]
    assert ak.is_ipv6(low, high).tolist() == [False, True, True]
    with pytest.raises(ArgumentTypeError):
        ak.is_ipv4(ak.array([1.5]))
