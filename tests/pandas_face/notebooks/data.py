"""Files that the notebooks read: five subjects, made from a seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas

SEED = 20261129


def write(subject: str, folder: Path, rows: int) -> None:
    """Write the files of a notebook into a folder."""
    globals()[subject](folder, rows, np.random.default_rng(SEED))


def flows(folder: Path, rows: int, random: np.random.Generator) -> None:
    """Write flows between machines of a network, and the list of machines."""
    hosts = [f"10.0.{part // 50}.{part % 50}" for part in range(200)]
    start = pandas.Timestamp("2024-03-01") + pandas.to_timedelta(np.sort(random.integers(0, 7 * 86400, rows)), "s")
    sizes = random.lognormal(7, 2, rows).round()
    sizes[random.random(rows) < 0.03] = np.nan
    flags = random.choice(
        np.array(["SYN", "ACK", "FIN", "RST", None], dtype=object), rows, p=[0.3, 0.4, 0.15, 0.1, 0.05]
    )
    pandas.DataFrame(
        {
            "start": start,
            "src": random.choice(hosts, rows),
            "dst": random.choice(hosts[:60], rows),
            "sport": random.integers(1024, 65536, rows),
            "dport": random.choice([22, 53, 80, 443, 3306, 8080], rows, p=[0.1, 0.2, 0.2, 0.35, 0.05, 0.1]),
            "proto": random.choice(["tcp", "udp", "icmp"], rows, p=[0.7, 0.25, 0.05]),
            "bytes": sizes,
            "packets": random.integers(1, 500, rows),
            "duration": random.exponential(3.0, rows).round(3),
            "flag": flags,
        }
    ).to_csv(folder / "flows.csv", index=False)
    pandas.DataFrame(
        {
            "host": hosts[:180],
            "site": random.choice(["north", "south", "east"], 180),
            "kind": random.choice(["server", "desktop", "printer"], 180),
            "owner": [None if number % 11 == 0 else f"team-{number % 7}" for number in range(180)],
        }
    ).to_csv(folder / "hosts.csv", index=False)


def retail(folder: Path, rows: int, random: np.random.Generator) -> None:
    """Write lines of invoices, products and customers."""
    day = pandas.Timestamp("2023-01-01") + pandas.to_timedelta(random.integers(0, 365 * 24 * 60, rows), "min")
    price = random.gamma(2.0, 12.0, rows).round(2)
    customers = random.integers(1000, 1000 + max(rows // 25, 20), rows).astype("float64")
    customers[random.random(rows) < 0.08] = np.nan
    pandas.DataFrame(
        {
            "invoice": [
                f"{'C' if one < 0.02 else ''}{number}"
                for one, number in zip(
                    random.random(rows), random.integers(50000, 50000 + rows // 4, rows), strict=True
                )
            ],
            "sku": random.integers(1, 301, rows),
            "quantity": random.integers(1, 13, rows) * random.choice([1, 1, 1, 1, -1], rows),
            "price": price,
            "customer": customers,
            "country": random.choice(
                ["France", "Germany", "Spain", "Italy", "Norway"], rows, p=[0.4, 0.3, 0.15, 0.1, 0.05]
            ),
            "when": day.strftime("%d/%m/%Y %H:%M"),
        }
    ).to_csv(folder / "sales.csv", index=False, sep=";", decimal=",")
    pandas.DataFrame(
        {
            "sku": np.arange(1, 291),
            "name": [f" Item {number:03d} {'(new)' if number % 5 == 0 else ''}" for number in range(1, 291)],
            "category": random.choice(["Toys", "Kitchen", "Garden", "Books"], 290),
            "cost": random.gamma(2.0, 6.0, 290).round(2),
        }
    ).to_parquet(folder / "products.parquet", index=False)
    pandas.DataFrame(
        {
            "customer": np.arange(1000, 1000 + max(rows // 25, 20)),
            "segment": random.choice(["bronze", "silver", "gold"], max(rows // 25, 20), p=[0.6, 0.3, 0.1]),
            "since": pandas.Timestamp("2015-01-01")
            + pandas.to_timedelta(random.integers(0, 2900, max(rows // 25, 20)), "D"),
        }
    ).to_parquet(folder / "customers.parquet")


def sensors(folder: Path, rows: int, random: np.random.Generator) -> None:
    """Write measurements of sensors, and where they stand."""
    count = 10
    steps = rows // count
    time = pandas.date_range("2024-01-01", periods=steps, freq="10min")
    wave = np.sin(np.arange(steps) / 144 * 2 * np.pi)
    parts = []
    for number in range(count):
        temperature = (15 + number + 5 * wave + random.normal(0, 0.5, steps)).round(2)
        temperature[random.random(steps) < 0.04] = np.nan
        parts.append(
            pandas.DataFrame(
                {
                    "time": time,
                    "sensor": f"s{number:02d}",
                    "temperature": temperature,
                    "humidity": (60 - 10 * wave + random.normal(0, 2, steps)).round(1),
                    "battery": np.linspace(100, 40 + number, steps).round().astype("int64"),
                    "status": random.choice(["ok", "warn", "fail"], steps, p=[0.95, 0.04, 0.01]),
                }
            )
        )
    pandas.concat(parts).sample(frac=1, random_state=1).to_parquet(folder / "readings.parquet", index=False)
    pandas.DataFrame(
        {
            "sensor": [f"s{number:02d}" for number in range(count)],
            "room": random.choice(["hall", "lab", "roof"], count),
            "floor": random.integers(0, 4, count),
            "installed": pandas.date_range("2022-05-01", periods=count, freq="17D"),
        }
    ).to_csv(folder / "places.csv", index=False)


def weblog(folder: Path, rows: int, random: np.random.Generator) -> None:
    """Write requests to a web server."""
    time = pandas.Timestamp("2024-05-06", tz="UTC") + pandas.to_timedelta(
        np.sort(random.integers(0, 3 * 86400, rows)), "s"
    )
    pages = ["/", "/login", "/cart", "/product/12", "/product/77", "/search?q=lamp", "/search?q=red+chair", "/about"]
    agents = [
        "Mozilla/5.0 (Windows NT 10.0)",
        "Mozilla/5.0 (X11; Linux)",
        "curl/8.1",
        "Googlebot/2.1",
        "Mozilla/5.0 (iPhone)",
    ]
    size = random.lognormal(8, 1, rows).astype("int64").astype(str).astype(object)
    size[random.random(rows) < 0.05] = "-"
    referrer = random.choice(
        np.array(["https://google.com", "https://bing.com", "-", "https://shop.example"], dtype=object), rows
    )
    pandas.DataFrame(
        {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "ip": [
                f"192.168.{one}.{other}"
                for one, other in zip(random.integers(0, 8, rows), random.integers(0, 250, rows), strict=True)
            ],
            "method": random.choice(["GET", "POST", "get", "HEAD"], rows, p=[0.75, 0.15, 0.05, 0.05]),
            "url": random.choice(pages, rows, p=[0.25, 0.1, 0.1, 0.15, 0.15, 0.1, 0.1, 0.05]),
            "status": random.choice([200, 301, 404, 500], rows, p=[0.86, 0.05, 0.07, 0.02]),
            "size": size,
            "referrer": referrer,
            "agent": random.choice(agents, rows, p=[0.4, 0.2, 0.1, 0.1, 0.2]),
            "ms": random.gamma(2, 40, rows).round(1),
        }
    ).to_csv(folder / "access.csv", index=False)


def survey(folder: Path, rows: int, random: np.random.Generator) -> None:
    """Write answers of people, and the regions that they live in."""
    answers = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]
    age = random.normal(44, 15, rows).round().clip(16, 95)
    income = random.lognormal(10.3, 0.6, rows).round(-2)
    income[random.random(rows) < 0.12] = np.nan
    found = {
        "id": np.arange(1, rows + 1),
        "age": np.where(random.random(rows) < 0.02, np.nan, age),
        "gender": random.choice(
            np.array(["F", "M", "f", "m", "X", None], dtype=object), rows, p=[0.4, 0.4, 0.06, 0.06, 0.03, 0.05]
        ),
        "region": random.choice(["N", "E", "S", "W"], rows),
        "education": random.choice(["none", "school", "college", "university"], rows, p=[0.1, 0.4, 0.3, 0.2]),
        "income": income,
        "children": random.poisson(1.2, rows),
        "date": (pandas.Timestamp("2024-02-01") + pandas.to_timedelta(random.integers(0, 60, rows), "D")).strftime(
            "%Y-%m-%d"
        ),
        "member": random.choice(["yes", "no", ""], rows, p=[0.3, 0.6, 0.1]),
        "weight": random.uniform(0.5, 2.0, rows).round(3),
    }
    for number in range(1, 5):
        found[f"q{number}"] = random.choice(
            np.array([*answers, None], dtype=object), rows, p=[0.1, 0.2, 0.25, 0.25, 0.15, 0.05]
        )
    pandas.DataFrame(found).to_csv(folder / "answers.csv", index=False, na_rep="n/a")
    pandas.DataFrame(
        {
            "region": ["N", "E", "S", "C"],
            "name": ["North", "East", "South", "Centre"],
            "people": [1200, 3400, 2100, 900],
        }
    ).to_csv(folder / "regions.csv", index=False)
