"""Synthetic network flows of one day, as a sensor at the edge of a company might record them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.deferred import pd
from akdask.typing import Column, NumberArray, StringArray

SEED = 20240318
DAY = pd.Timestamp("2024-03-18")
PARTITIONS = 4
MINUTES = 24 * 60
MINUTE = 60 * 10**9

PROTOCOLS = ("tcp", "udp", "icmp")
# Destination ports, with their shares among flows of a protocol.
PORTS = {
    "tcp": ([443, 80, 22, 25, 3389, 8080], [0.74, 0.12, 0.04, 0.03, 0.02, 0.05]),
    "udp": ([53, 443, 123, 500], [0.55, 0.35, 0.08, 0.02]),
    "icmp": ([0], [1.0]),
}
# Median of the bytes in one flow, and the spread of their logarithm: few flows carry most of the bytes.
TRAFFIC = {"tcp": (4_000, 2.2), "udp": (6_000, 2.0), "icmp": (200, 0.5)}
COUNTRIES = ("US", "DE", "NL", "FR", "GB", "IE", "JP", "SG", "BR", "IN", "ZA", "N/A")
COUNTRY_SHARES = (0.34, 0.12, 0.09, 0.07, 0.08, 0.07, 0.05, 0.04, 0.03, 0.05, 0.01, 0.05)


@dataclass(frozen=True)
class Flows:
    """Records in memory, in as many pieces as there will be files.

    Parameters
    ----------
    partitions : list of dict
        Columns by name: NumPy arrays, Arrow arrays of strings.
    """

    partitions: list[dict[str, Column]]

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.partitions[0])

    @property
    def rows(self) -> int:
        """Number of records."""
        return sum(len(part["start"]) for part in self.partitions)

    def column(self, name: str) -> NumberArray:
        """Return one column whole; strings as Python objects."""
        parts = [part[name] for part in self.partitions]
        return np.concatenate([p if isinstance(p, np.ndarray) else p.to_numpy(zero_copy_only=False) for p in parts])


def make_flows(rows: int) -> Flows:
    """Return flows of a day in order of time, a quarter of the day in each partition; always the same ones.

    Parameters
    ----------
    rows : int
        How many in all.
    """
    hour = np.arange(MINUTES) / 60
    working_day = np.exp(-(((hour - 10.5) / 2.5) ** 2)) + np.exp(-(((hour - 15) / 2.8) ** 2))
    weights = 0.25 + working_day + 0.5 * np.exp(-(((hour - 21) / 1.8) ** 2))
    counts = np.random.default_rng(SEED).multinomial(rows, weights / weights.sum())
    hosts = _hosts(max(1, rows // 20))
    quarters = np.split(np.arange(MINUTES), PARTITIONS)
    return Flows(
        [
            _partition(np.repeat(minutes, counts[minutes]), hosts, np.random.default_rng([SEED, number]))
            for number, minutes in enumerate(quarters)
        ]
    )


def _partition(minute: NumberArray, hosts: StringArray, random: np.random.Generator) -> dict[str, Column]:
    rows = len(minute)
    start = DAY.value + minute * MINUTE + random.integers(0, MINUTE, rows)
    protocol = random.choice(len(PROTOCOLS), rows, p=[0.77, 0.2, 0.03])
    port, volume = np.zeros(rows, np.int64), np.zeros(rows)
    for code, name in enumerate(PROTOCOLS):
        chosen = np.flatnonzero(protocol == code)
        ports, shares = PORTS[name]
        median, spread = TRAFFIC[name]
        port[chosen] = random.choice(ports, len(chosen), p=shares)
        volume[chosen] = random.lognormal(np.log(median), spread, len(chosen))
    nbytes = np.minimum(volume, 2e9).astype(np.uint64) + np.uint64(40)
    # A Pareto distribution over the hosts: a few are asked for all the time, most of them once or twice.
    host = (random.pareto(0.6, rows) * 3).clip(0, len(hosts) - 1).astype(np.int64)
    return {
        "start": np.sort(start),
        "duration": random.lognormal(-1.0, 1.7, rows) + 1e-4,
        "protocol": _taken(PROTOCOLS, protocol),
        "src": _taken(_addresses("10", 60_000), random.integers(0, 60_000, rows)),
        "host": hosts.take(pa.array(host)),
        "src_port": random.integers(1024, 65_536, rows),
        "dst_port": port,
        "packets": 1 + (nbytes // np.uint64(900)).astype(np.int64),
        "bytes": nbytes,
        "blocked": random.random(rows) < np.where(port == 3389, 0.6, 0.01),
        "country": _taken(COUNTRIES, random.choice(len(COUNTRIES), rows, p=COUNTRY_SHARES)),
    }


def _taken(words: Any, codes: NumberArray) -> StringArray:
    return pa.array(words, pa.large_string()).take(pa.array(codes))


def _addresses(network: str, count: int) -> StringArray:
    numbers = range(256, 256 + count)
    return pa.array([f"{network}.{n >> 16}.{n >> 8 & 255}.{n & 255}" for n in numbers], pa.large_string())


def _hosts(count: int) -> StringArray:
    kinds = ("www", "cdn", "api", "mail", "img", "login")
    scrambled = (n * 2654435761 % 2**32 for n in range(count))
    return pa.array([f"{kinds[n % 6]}.{n:x}.example" for n in scrambled], pa.large_string())
