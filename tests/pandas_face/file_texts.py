"""Texts that readers of CSV trip over, arguments for them, and which way they are read."""

from __future__ import annotations

import csv
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pandas

import akdask.pandas
from akdask import config
from akdask.pandas import lazy_csv, tuning
from tests.pandas_face.compare import difference

TEXTS = {
    "plain": "n,x,s\n" + "".join(f"{row},{row / 4},t{row % 3}\n" for row in range(12)),
    "gaps": "n,x,s,e\n1,,a,\n,2.5,NA,\n3,nan,,\n-4,-0.5,b,\n",
    "quoted": 'n,s,t\n1,"a, b","x ""y"""\n2,c,"d"\n3,"",e\n',
    "times": "t,d,n\n2024-01-31,01/02/2024,1\n2024-02-29,03/04/2024,2\n2023-12-31,,3\n",
    "odd": "# first\n n , x\n\n1, 2.5\n# between\n2 ,3.5\n   \n3,4.5\n",
    "other": "n;x;s\n1;1,5;1.000\n2;-2,25;2.000\n3;0,5;10\n",
    "truth": "b,y,m\nTrue,yes,True\nFalse,no,\nTrue,yes,False\n",
    "large": "n,f,z\n9007199254740993,1e400,007\n-1,0.1,010\n18446744073709551615,1e-5,3\n",
    "mixed": "n,s\n1,2\nx,3\n2,y\n3.5,z\n",
    "uneven": "n,x\n1,2\n3\n4,5\n",
    "repeated": "n,n,x\n1,2,3\n4,5,6\n",
    "labels": "n,x\na,1,2\nb,3,4\n",
    "breaks": "n,s\r\n1,a\r\n2,b\r\n",
    "one": "n\n1\n2\n\n3\n",
    "header": "n,x\n",
    "none": "",
}  # fmt: skip
"""A few lines each; some have what is a trap for readers."""

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "nothing": [{}],
    "sep": [{"sep": word} for word in (";", ",", "\t", None, r"\s+", ";;", " ")] + [{"delimiter": ";"}],
    "header": [{"header": place} for place in (0, 1, None, [0, 1], "infer")],
    "names": [{"names": ["p", "q"]}, {"names": ["p", "q", "r"], "header": 0}, {"names": ["p"]}, {"names": ["p", "p"]}],
    "index_col": [{"index_col": place} for place in (0, "n", 1, -1, ["n", "x"], [0, 1], False, "z", True)],
    "usecols": [{"usecols": which} for which in (["n"], [0], ["x", "n"], [1, 0], ["z"], lambda name: name != "n")],
    "dtype": [{"dtype": kind} for kind in (str, "float64", float, {"n": "int8"}, {"n": "category"}, {"s": "category"})]
    + [{"dtype": {"n": kind}} for kind in ("int64", "float32", "Int64", "str", "bool", "z", object)],
    "engine": [{"engine": word} for word in ("c", "python", "z")],
    "skiprows": [{"skiprows": which} for which in (0, 1, 2, [1], [0, 2], [30], lambda row: row == 1, 99)],
    "skipfooter": [{"skipfooter": 1, "engine": "python"}],
    "nrows": [{"nrows": count} for count in (0, 2, 99, -1)],
    "na_values": [{"na_values": word} for word in ("a", ["1"], 1, {"n": "1"}, {"n": ["1", "2"], "s": "b"}, "yes")],
    "keep_default_na": [{"keep_default_na": False}, {"keep_default_na": False, "na_values": "a"}],
    "na_filter": [{"na_filter": False}],
    "skip_blank_lines": [{"skip_blank_lines": False}],
    "parse_dates": [{"parse_dates": which} for which in (["t"], ["t", "d"], [0], True, ["z"], "t", ["d"])],
    "date_format": [
        {"parse_dates": ["d"], "date_format": form} for form in ("%m/%d/%Y", "%d/%m/%Y", {"d": "%d/%m/%Y"})
    ],
    "dayfirst": [{"parse_dates": ["d"], "dayfirst": True}],
    "cache_dates": [{"parse_dates": ["t"], "cache_dates": False}],
    "thousands": [{"sep": ";", "thousands": "."}, {"thousands": "."}],
    "decimal": [{"sep": ";", "decimal": ","}, {"decimal": ","}, {"sep": ";", "decimal": ",", "thousands": "."}],
    "comment": [{"comment": "#"}, {"comment": "#", "skipinitialspace": True}, {"comment": "##"}],
    "skipinitialspace": [{"skipinitialspace": True, "comment": "#"}, {"skipinitialspace": True}],
    "encoding": [{"encoding": word} for word in ("utf-8", "latin-1", "ascii", "utf-16", "z", "cp1252")],
    "true_values": [{"true_values": ["yes"], "false_values": ["no"]}, {"true_values": ["yes"]}, {"true_values": ["1"]}],
    "float_precision": [{"float_precision": word} for word in ("high", "round_trip", "legacy", "z")],
    "low_memory": [{"low_memory": False}],
    "memory_map": [{"memory_map": True}],
    "compression": [{"compression": word} for word in (None, "infer", "gzip")],
    "doublequote": [{"doublequote": False}],
    "quotechar": [{"quotechar": "'"}, {"quoting": csv.QUOTE_NONE}, {"quoting": csv.QUOTE_ALL}, {"escapechar": "\\"}],
    "lineterminator": [{"lineterminator": "\n"}],
    "on_bad_lines": [{"on_bad_lines": word} for word in ("skip", "error", "warn", "z")],
    "dtype_backend": [{"dtype_backend": word} for word in ("pyarrow", "numpy_nullable", "z")],
}  # fmt: skip
"""Arguments of `read_csv`, by what they are about."""


def letter_of(path: Path, options: dict[str, Any]) -> tuple[str, str | None]:
    """Return the letter of the way that a text is read, and how what is read differs from pandas."""
    with warnings.catch_warnings(), config.set(pandas_fallback="silent"):
        warnings.simplefilter("ignore")
        try:
            wanted = pandas.read_csv(path, **options)
        except Exception as error:
            try:
                found = akdask.pandas.read_csv(path, **options).to_pandas()
            except Exception as refused:
                return "e", None if isinstance(refused, type(error)) else f"raised {refused!r}, not {error!r}"
            return "e", f"gave {found!r}, and did not raise {error!r}"
        lazily: Any = akdask.pandas.read_csv(path, **options)
        letter = "l" if lazily._rows is None else "m"
        return letter, difference(lazily, wanted)


def main() -> None:
    """Write the ways of all texts, and show those that differ from pandas."""
    tuning.READ_VALUES = tuning.READ_BYTES = 0
    vars(lazy_csv)["partition_size"] = lambda: 60
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for option, values in OPTIONS.items():
            letters = ""
            for value in values:
                for name, text in TEXTS.items():
                    path = Path(folder) / f"{name}.csv"
                    path.write_bytes(text.encode())
                    letter, different = letter_of(path, value)
                    letters += letter
                    if different is not None:
                        print(name, value, letter, different)
            lines.append(f"{option} {letters}\n")
    Path(__file__).with_name("ways_of_reads.lst").write_text("".join(lines))


if __name__ == "__main__":
    main()
