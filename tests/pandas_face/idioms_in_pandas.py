"""Lists the idioms that run in pandas, and shows those that differ from pandas.

``python -m tests.pandas_face.idioms_in_pandas [subject …]``; with subjects, nothing is written.
"""

from __future__ import annotations

import sys
import warnings

from tests.pandas_face.compare import LIST, outcome, subjects, title


def main(wanted: list[str]) -> int:
    total = same = lazy = 0
    titles = set()
    for subject, (data, idioms) in subjects().items():
        for idiom in idioms if not wanted or subject in wanted else []:
            way, different = outcome(idiom, data)
            total += 1
            if different is not None:
                print(f"{subject}: {idiom}\n  {way}: {different:.300}")
                continue
            same += 1
            lazy += way == "lazily"
            if way == "through pandas":
                titles.add(title(subject, idiom))
    if not wanted:
        LIST.write_text("".join(f"{one}\n" for one in sorted(titles)))
    print(f"{total} idioms, {same} the same, {lazy} of them lazily")
    return int(same < total)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main(sys.argv[1:]))
