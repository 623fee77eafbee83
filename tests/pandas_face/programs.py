"""Random programs in pandas' words, run with pandas and with `akdask.pandas`; no difference is documented.

``python -m tests.pandas_face.programs 500`` runs programs and shows those that end otherwise.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pandas

import akdask.pandas
from akdask import config
from akdask.errors import AkdaskError
from akdask.pandas import tuning
from akdask.pandas.face import Face
from tests.pandas_face.compare import difference
from tests.pandas_programs import NULLABLE, Program

IN_CHUNKS: list[tuple[str, Callable[[Any, Any], Any]]] = [
    ("group k x.apply(most - least)", lambda f, o: f.groupby("k")["x"].apply(lambda x: x.max() - x.min())),
    ("group k x.agg(last)", lambda f, o: f.groupby("k")["x"].agg(lambda x: x.iloc[-1])),
    ("group k apply(rows)", lambda f, o: f.groupby("k")[["x"]].apply(len)),
    ("group k x.transform(less mean)", lambda f, o: f.groupby("k")["x"].transform(lambda x: x - x.mean())),
    ("group k filter(several)", lambda f, o: f.groupby("k").filter(lambda rows: len(rows) > 1)),
    ("group k, k % 2 nth", lambda f, o: f.groupby(["k", f["k"] % 2]).nth([0, -1])),
    ("group k sort=False head(-1)", lambda f, o: f.groupby("k", sort=False).head(-1)),
    ("group k x.value_counts()", lambda f, o: f.groupby("k")["x"].value_counts()),
    ("group k x.rolling(2).apply", lambda f, o: f.groupby("k")["x"].rolling(2).apply(lambda x: x.sum())),
    ("x.rolling(3).corr(k)", lambda f, o: f["x"].rolling(3).cov(f["k"])),
    ("apply(row)", lambda f, o: f[["k", "x"]].apply(lambda row: row["x"] * 2, axis=1)),
    ("concat keys", lambda f, o: pandas_of(f).concat([f, o], keys=["f", "o"])),
    ("concat beside", lambda f, o: pandas_of(f).concat([f["k"], f["x"] * 2], axis=1, keys=["k", "x"])),
    ("merge indicator", lambda f, o: f.merge(o[["k", "x"]], on="k", how="left", indicator=True)),
    ("merge validate", lambda f, o: f.merge(o[["k", "x"]], on="k", validate="1:1")),
]
"""Steps that pandas takes for chunks of rows, or by keys alone."""


CONCERNED: list[tuple[str, Callable[[Any, Any], Any]]] = [
    ("nlargest(3, k)", lambda f, o: f.nlargest(3, "k")),
    ("nsmallest(3, narrow)", lambda f, o: f.nsmallest(3, "narrow")),
    ("nlargest(2, single)", lambda f, o: f.nlargest(2, "single")),
    ("melt k", lambda f, o: f.melt(id_vars=["k"], value_vars=["x"])),
    ("melt narrow, single", lambda f, o: f.melt(id_vars=["narrow"], value_vars=["single", "x"])),
    ("melt day", lambda f, o: f.melt(id_vars=["day", "month"], value_vars=["k", "narrow"])),
    ("pivot_table", lambda f, o: f.pivot_table(index="k", columns=f["k"] % 2, values="x", aggfunc="max")),
    ("corr", lambda f, o: f.corr(numeric_only=True)),
    ("mean", lambda f, o: f.mean(numeric_only=True)),
    ("quantile", lambda f, o: f.quantile([0.2, 0.5], numeric_only=True)),
    ("describe", lambda f, o: f.describe()),
    ("select number", lambda f, o: f.select_dtypes("number")),
    ("select others", lambda f, o: f.select_dtypes(exclude=["int32", "float64"])),
    ("query k, narrow", lambda f, o: f.query("k > 1 and narrow < 3")),
    ("query narrow in", lambda f, o: f.query("narrow in [1, 2] or k == narrow")),
    ("single > .3", lambda f, o: f[f["single"] > 0.3]),
    ("duplicates of day", lambda f, o: f.drop_duplicates(["day", "narrow"])),
    ("group day", lambda f, o: f.groupby("day")["x"].max()),
    ("day count", lambda f, o: f[["day", "month"]].count()),
]
"""Steps that concern some columns, where others have types that the engine lacks."""


def with_rare_types(frame: pandas.DataFrame, random: Any) -> pandas.DataFrame:
    """Return a frame with narrow numbers, days in objects and periods."""
    rows = len(frame)
    days = pandas.Series(pandas.to_datetime(random.integers(0, 3, rows), unit="D").date, frame.index, dtype=object)
    days[random.random(rows) < 0.2] = (pandas.NaT, None)[int(random.integers(2))]
    single = random.choice([0.1, 0.3, -2.5, np.nan], rows).astype(np.float32)
    periods: Any = pandas.PeriodIndex
    return frame.assign(
        narrow=random.integers(-3, 4, rows).astype(np.int32),
        single=single,
        day=days,
        month=periods.from_ordinals(random.integers(600, 603, rows), freq="M"),
    )


def pandas_of(frame: Any) -> Any:
    """Return the module of a frame."""
    return pandas if isinstance(frame, pandas.DataFrame) else akdask.pandas


class FaceProgram(Program):
    """One random program, for a frame of pandas' face and one of pandas."""

    has_differences = False

    def step(self, plain: pandas.DataFrame) -> tuple[str, Callable[[Any, Any], Any]]:
        """Return a step of any library, or one in chunks."""
        if self.random.random() < 0.2:
            return IN_CHUNKS[int(self.random.integers(len(IN_CHUNKS)))]
        if "narrow" in plain and self.random.random() < 0.5:
            return CONCERNED[int(self.random.integers(len(CONCERNED)))]
        return super().step(plain)

    def frame(self, rows: int) -> pandas.DataFrame:
        """Return rows of every type, in half of the programs of those alone that NumPy knows."""
        made = super().frame(rows)
        if self.random.random() < 0.5:
            made = made.drop(columns=[name for name in NULLABLE if name in made])
        rare = np.random.default_rng([self.seed, 1])
        return made if rare.random() < 0.6 else with_rare_types(made, rare)

    def lazy(self, frame: pandas.DataFrame) -> Any:
        return akdask.pandas.DataFrame(frame)

    def run(self) -> None:
        """Take random steps; compare the rows now and then, and in the end."""
        plain = self.frame(int(self.random.integers(0, 9)) if self.random.random() < 0.9 else 40)
        lazy = self.lazy(plain)
        others = [(lazy, plain)]
        for _ in range(int(self.random.integers(1, 6))):
            name, step = self.step(plain)
            self.steps.append(name)
            found = self.both(step, lazy, plain, others)
            if found is None:
                continue
            ours, theirs = found
            if self.random.random() < 0.4 or not isinstance(theirs, pandas.DataFrame):
                self.check(ours, theirs)
            if isinstance(theirs, pandas.DataFrame) and {"k", "x"} <= set(theirs.columns):
                others.append((ours, theirs))
                lazy, plain = ours, theirs
        self.check(lazy, plain)

    def both(
        self, step: Callable[..., Any], lazy: Any, plain: Any, others: list[tuple[Any, Any]]
    ) -> tuple[Any, Any] | None:
        """Return what both make of a step, None where both refuse it."""
        other, plain_other = self.one_of(others)
        wanted = refused = None
        try:
            wanted = step(plain, plain_other)
        except Exception as error:  # whatever pandas raises, the face has to raise, too
            refused = error
        try:
            found = step(lazy, other)
            if refused is not None and isinstance(found, Face):
                found.to_pandas()
        except Exception as error:
            if isinstance(error, AkdaskError) and refused is not None and isinstance(error, type(refused)):
                return None
            wanted = "an answer" if refused is None else f"{type(refused).__name__}: {refused}"
            raise AssertionError(f"{type(error).__mro__[:3]}: {error}, pandas {wanted}") from error
        assert refused is None, f"gives {found!r:.200}, pandas {type(refused).__name__}: {refused}"
        return found, wanted

    def check(self, ours: Any, theirs: Any) -> None:
        different = difference(ours, theirs)
        assert different is None, different


def failure(seed: int) -> str | None:
    """Run a program lazily wherever there is a lazy form; return how it ends otherwise than in pandas, if it does."""
    program = FaceProgram(seed)
    with warnings.catch_warnings(), config.set(pandas_fallback="silent"):
        warnings.simplefilter("ignore")
        with mock.patch.object(tuning, "EAGER_VALUES", -1), mock.patch.multiple(tuning, CHUNK_ROWS=3, GROUPED_BYTES=0):
            try:
                program.run()
            except Exception as error:
                return "\n".join([*program.steps, f"{type(error).__name__}: {error}"])
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--show", type=int, default=5, help="how many failures are shown")
    options = parser.parse_args()
    failures = {
        seed: text
        for seed in range(options.first, options.first + options.count)
        if (text := failure(seed)) is not None
    }
    for seed, text in list(failures.items())[: options.show]:
        print(f"--- program {seed}\n{text}\n")
    print(f"{len(failures)} of {options.count} programs end otherwise")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
