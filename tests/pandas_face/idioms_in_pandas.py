"""Lists the idioms that run in pandas, at once or for chunks of rows, and shows those that differ from pandas.

``python -m tests.pandas_face.idioms_in_pandas [subject …]``; with subjects, the others' lines of the lists stay.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter

from tests.pandas_face.compare import LISTS, listed, outcome, subjects, title


def main(wanted: list[str]) -> int:
    found: Counter[str] = Counter()
    known = subjects()
    titles = {title(subject, idiom) for subject, (_, idioms) in known.items() for idiom in idioms}
    ways = {one: way for one, way in listed().items() if one in titles}
    for subject, (data, idioms) in known.items():
        for idiom in idioms if not wanted or subject in wanted else []:
            way, different = outcome(idiom, data)
            found[way if different is None else "differently"] += 1
            if different is not None:
                print(f"{subject}: {idiom}\n  {way}: {different:.300}")
            else:
                ways[title(subject, idiom)] = way
    for way, path in LISTS.items():
        path.write_text("".join(f"{one}\n" for one in sorted(ways) if ways[one] == way))
    print(f"{found.total()} idioms:", ", ".join(f"{count} {way}" for way, count in found.items()))
    return int(found["differently"] > 0)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main(sys.argv[1:]))
