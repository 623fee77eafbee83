"""Which of Arkouda's names akdask has, and whether they take the same parameters: the page ``docs/parity.md``.

``python -m akdask.compat.parity docs/parity.md`` writes the page; a test keeps it true.  Names and signatures are
those of ``api.csv``: facts about Arkouda as of 2026-08, with the tier of each name.
"""

from __future__ import annotations

import csv
import inspect
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

from akdask.compat.modules import PACKAGE, ImportPath, is_named_for_function
from akdask.compat.notes import BEHAVIOUR, CLASSES, REASONS
from akdask.compat.paths import MODULES
from akdask.compat.server import Refused
from akdask.compat.signatures import difference

TIERS = {
    "1": "the heart: what nearly every script uses",
    "2": "what an analyst expects next",
    "3": "the long tail",
    "X": "means something only with a Chapel server",
}

STATES = ("there", "differs", "refused", "not there")

_MISSING = object()


@dataclass(frozen=True, slots=True)
class Name:
    """A name of Arkouda's.

    Parameters
    ----------
    tier : str
        A key of `TIERS`.
    where : str
        The path of the class or module that has it; none at top level.
    name : str
        The name.
    signature : str
        The parameters; none for what is not called.
    """

    tier: str
    where: str
    name: str
    signature: str

    @property
    def path(self) -> str:
        """The name behind the path of what has it."""
        return f"{self.where}.{self.name}".lstrip(".")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What akdask has for a name.

    Parameters
    ----------
    name : Name
        The name.
    state : str
        One of `STATES`.
    note : str
        How it differs, or why it is not there.
    """

    name: Name
    state: str
    note: str


def listed_names() -> list[Name]:
    """Return all names of Arkouda's."""
    text = files(__package__).joinpath("api.csv").read_text(encoding="utf-8")
    return [Name(**row) for row in csv.DictReader(text.splitlines())]


def findings() -> list[Comparison]:
    """Return what akdask has for each name of Arkouda's."""
    return [_finding(name) for name in listed_names()]


def _finding(name: Name) -> Comparison:
    owner = _owner(name.where)
    item = _MISSING if owner is None else _attribute(owner, name.name)
    if item is _MISSING:
        return Comparison(name, "not there", REASONS.get(name.path, "not yet"))
    if isinstance(item, Refused):
        return Comparison(name, "refused", item.hint)
    note = BEHAVIOUR.get(name.path) or difference(name.signature, item, owner)
    return Comparison(name, "differs" if note else "there", note or "")


@cache
def _owner(where: str) -> Any:
    """Return the module or class of a path, None if akdask has none."""
    if not where:
        return sys.modules[PACKAGE]
    if where in MODULES or where == "array_api":
        return _imported(f"{PACKAGE}.{where}")
    module, _, name = CLASSES.get(where, where).rpartition(".")
    owner = _imported(module) if where in CLASSES else _owner(module)
    found = _MISSING if owner is None else _attribute(owner, name)
    return None if found is _MISSING else found


def _imported(name: str) -> Any:
    """Return a module, None if there is none."""
    try:
        return import_module(name)
    except ImportError:
        return None


def _attribute(owner: Any, name: str) -> Any:
    """Return what a module or class has under a name; of what only its objects have, a property."""
    try:
        found = inspect.getattr_static(owner, name) if _is_property(owner, name) else getattr(owner, name)
        # Of a module that is named for its function, the function.
        is_function = isinstance(found, ImportPath) and name in MODULES and is_named_for_function(name)
        return vars(found).get(name, _MISSING) if is_function else found
    except (AttributeError, ImportError):
        pass
    return property() if inspect.isclass(owner) and _is_set_by_objects(owner, name) else _MISSING


def _is_set_by_objects(cls: type, name: str) -> bool:
    """Whether objects of a class have an attribute that the class itself has not, as far as its code tells."""
    made = [vars(kind).get("__init__") for kind in cls.__mro__]
    named = [function.__code__.co_names for function in made if inspect.isfunction(function)]
    return any(name in names for names in (*named, *(vars(kind).get("__annotations__", ()) for kind in cls.__mro__)))


def _is_property(owner: Any, name: str) -> bool:
    return inspect.isclass(owner) and isinstance(inspect.getattr_static(owner, name, None), property)


# ------------------------------------------------------------------------------------------------------------ the page


def page() -> str:
    """Return the page, in Markdown."""
    found = findings()
    lines = [
        "# Arkouda's names in akdask",
        "",
        "Written by `python -m akdask.compat.parity docs/parity.md`, from the list of names in",
        "[`api.csv`](../akdask/compat/api.csv) and the package; a test keeps it true. A name is *there* if it",
        "takes the parameters that Arkouda's takes, by the same names, in the same order and with the same",
        "defaults; more are allowed. It *differs* as is said, is *refused* with what to use instead, or is *not",
        "there* for the reason given. Values and rules that differ are told in [From Arkouda](howto/from_arkouda.md).",
        "",
        *_counts(found),
    ]
    for where, group in groupby(found, key=lambda item: item.name.where):
        lines += _section(where, list(group))
    return "\n".join(lines) + "\n"


def _counts(found: Iterable[Comparison]) -> Iterator[str]:
    """Yield the table of how many names of each tier are there."""
    counts = Counter((item.name.tier, item.state) for item in found)
    yield f"| tier | names | {' | '.join(STATES)} |"
    yield f"| --- | ---: |{' ---: |' * len(STATES)}"
    for tier, meaning in TIERS.items():
        of_tier = [counts[tier, state] for state in STATES]
        yield f"| {tier}: {meaning} | {sum(of_tier)} | {' | '.join(map(str, of_tier))} |"


def _section(where: str, found: list[Comparison]) -> Iterator[str]:
    """Yield what is said of the names of one class or module."""
    yield ""
    yield f"## {f'`{where}`' if where else 'Top level'}"
    there = [item for item in found if item.state == "there"]
    if there:
        yield ""
        yield f"There, {len(there)} of {len(found)}: {', '.join(f'`{item.name.name}`' for item in there)}."
    others = [item for item in found if item.state != "there"]
    if others:
        yield ""
        yield "| name | tier | | how, or why |"
        yield "| --- | --- | --- | --- |"
    # Names of one state with one note are one line.
    others.sort(key=lambda item: (STATES.index(item.state), item.note, item.name.tier))
    for (state, note, tier), group in groupby(others, key=lambda item: (item.state, item.note, item.name.tier)):
        names = ", ".join(f"`{item.name.name}`" for item in group)
        yield f"| {names} | {tier} | {state} | {note} |"


def main(arguments: list[str]) -> int:
    """Write the page to a file, or print it."""
    if arguments:
        Path(arguments[0]).write_text(page(), encoding="utf-8")
    else:
        print(page(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
