"""Which of Arkouda's names akdask has, and whether they take the same parameters: the page ``docs/parity.md``.

``python -m akdask.arkouda.parity_page docs/parity.md`` writes the page; a test keeps it true.  Names and signatures are
facts about Arkouda as of 2026-08, listed in ``api.csv`` with the tier of each name.
"""

from __future__ import annotations

import ast
import csv
import inspect
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from importlib import import_module
from importlib.resources import files
from inspect import Parameter
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from akdask.arkouda.modules import PACKAGE, TREE
from akdask.arkouda.server import Refused
from akdask.io.registry import RegisteredSymbols
from akdask.records import record

POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
VARIABLE = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)

STANDS_FOR = {"maxTransferBytes": "None", "RegisteredSymbols": RegisteredSymbols}
"""Defaults that are written as names of Arkouda's client; None is the limit that is set."""


def parameters_of(item: Any, owner: Any) -> list[Parameter] | None:
    """Return the parameters of a function, a method or a class; None if the object is not callable.

    Parameters
    ----------
    item : object
        The function, as its module or class has it.
    owner : module or class
        Its module or class: the first parameter of a method is left out.
    """
    if isinstance(item, property) or not callable(item):
        return None
    try:
        found = list(inspect.signature(item).parameters.values())
    except (TypeError, ValueError):
        return None
    # A function that is reached through its class is a method, unless it is static.
    is_method = inspect.isclass(owner) and inspect.isfunction(item) and not _is_static(owner, item.__name__)
    return found[1:] if is_method else found


def _is_static(owner: type, name: str) -> bool:
    return isinstance(inspect.getattr_static(owner, name, None), staticmethod)


def listed_parameters(signature: str) -> list[Parameter]:
    """Return the parameters of a signature that is written as text; their defaults are texts.

    Examples
    --------
    >>> [item.name for item in listed_parameters("(a, /, b=1, *args, c='x')")]
    ['a', 'b', 'args', 'c']
    """
    (function,) = ast.parse(f"def f{signature}: ...").body
    assert isinstance(function, ast.FunctionDef)
    return list(_parameters(function.args))


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    first = [(item, Parameter.POSITIONAL_ONLY) for item in arguments.posonlyargs]
    named = first + [(item, Parameter.POSITIONAL_OR_KEYWORD) for item in arguments.args]
    defaults: list[Any] = [None] * (len(named) - len(arguments.defaults)) + arguments.defaults
    for (item, kind), default in zip(named, defaults, strict=True):
        yield Parameter(item.arg, kind, default=_text(default))
    if arguments.vararg is not None:
        yield Parameter(arguments.vararg.arg, Parameter.VAR_POSITIONAL)
    for item, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield Parameter(item.arg, Parameter.KEYWORD_ONLY, default=_text(default))
    if arguments.kwarg is not None:
        yield Parameter(arguments.kwarg.arg, Parameter.VAR_KEYWORD)


def _text(default: ast.expr | None) -> Any:
    return Parameter.empty if default is None else ast.unparse(default)


def difference(signature: str, item: Any, owner: Any) -> str | None:
    """Return the difference between a function's parameters and a signature, None if they agree.

    A function may take more: by keyword, or behind the others, with defaults.  Its counterparts of positional-only
    parameters may have any name.

    Parameters
    ----------
    signature : str
        Arkouda's parameters, such as ``(a, b=1)``; none if the name is not callable.
    item : object
        The function.
    owner : module or class
        Its module or class.
    """
    if not signature:
        return None
    own = parameters_of(item, owner)
    if own is None:
        return None if isinstance(item, np.ufunc) else "is no function"
    listed = listed_parameters(signature)
    if {parameter.kind for parameter in listed} == {*VARIABLE}:
        return None
    takes_any = {parameter.kind for parameter in own if parameter.kind in VARIABLE}
    by_name = {parameter.name: parameter for parameter in own if parameter.kind not in VARIABLE}
    positional = [parameter for parameter in own if parameter.kind in POSITIONAL]
    for number, parameter in enumerate(listed):
        if parameter.kind in VARIABLE:
            continue
        if parameter.kind in POSITIONAL:
            found = positional[number] if number < len(positional) else None
            wanted_name = parameter.kind is not Parameter.POSITIONAL_ONLY
            if found is not None and wanted_name and found.name != parameter.name:
                return f"parameter {number + 1} is `{found.name}`, not `{parameter.name}`"
            if found is None and Parameter.VAR_POSITIONAL in takes_any:
                continue
        else:
            found = by_name.get(parameter.name)
            if found is None and Parameter.VAR_KEYWORD in takes_any:
                continue
        if found is None:
            return f"takes no `{parameter.name}`"
        if not is_default(parameter.default, found, owner):
            return f"`{found.name}` is {_shown(found.default)} unless given, not {_shown(parameter.default)}"
    names = {parameter.name for parameter in listed}
    count = sum(parameter.kind in POSITIONAL for parameter in listed)
    beyond = [*positional[count:], *(found for found in by_name.values() if found.kind not in POSITIONAL)]
    needed = [found.name for found in beyond if found.default is Parameter.empty and found.name not in names]
    return f"needs `{needed[0]}` besides" if needed else None


def _shown(default: Any) -> str:
    if default is Parameter.empty:
        return "none"
    return f"`{default if isinstance(default, str) else _names(default)[0]}`"


def is_default(listed: Any, found: Parameter, owner: Any) -> bool:
    """Whether a parameter has the default that is listed for it."""
    if listed is Parameter.empty:
        return True
    if found.default is Parameter.empty:
        return False
    if found.name == "dataset" and found.default is None:
        # Methods that several classes share give the name that each of them has.
        return bool(listed == repr(getattr(owner, "_default_dataset", None)))
    text = STANDS_FOR.get(listed, listed).strip("'\"")
    return listed in _names(found.default) or text in _names(found.default) or _same_number(text, found.default)


def _names(default: Any) -> list[str]:
    """Return the texts of a value."""
    names = [repr(default), str(default)]
    if isinstance(default, Enum):
        names.append(default.name)
    return [*names, getattr(default, "__name__", names[0])]


def _same_number(text: str, default: Any) -> bool:
    try:
        return isinstance(default, int | float) and not isinstance(default, bool) and float(text) == default
    except ValueError:
        return False


_PROTOCOL = "reads messages of a Chapel server"
_SERVER = "sends the object to another Chapel server; write files, or register it on a cluster"

# fmt: off
_CLASSES = {
    "numpy.pdarrayclass.pdarray": "transfer",
    "numpy.strings.Strings": "from_return_msg transfer",
    "pandas.categorical.Categorical": "from_return_msg transfer",
    "numpy.segarray.SegArray": "from_return_msg transfer",
    "pandas.groupbyclass.GroupBy": "from_return_msg",
    "pandas.dataframe.DataFrame": "from_return_msg transfer",
    "pandas.series.Series": "from_return_msg",
    "pandas.index.Index": "from_return_msg",
    "client_dtypes.BitVector": "from_return_msg",
}
# fmt: on

REASONS: dict[str, str] = {
    **{
        f"{where}.{name}": _SERVER if name == "transfer" else _PROTOCOL
        for where, names in _CLASSES.items()
        for name in names.split()
    },
    "numpy.pdarrayclass.pdarray.to_cuda": "a device of Numba's; `numba.cuda.to_device(a.to_ndarray())`",
    "numpy.random.generator.Generator.destructor": "frees memory of a Chapel server",
    "numpy.pdarrayclass.int_uint_case": "serves Arkouda's own operators",
    "numpy.pdarrayclass.resolve": "serves Arkouda's own operators",
}
"""Why names are missing, by their paths."""

CLASSES: dict[str, str] = {
    "array_api.array_object.Array": "akdask.array_api.array_object.StandardArray",
    "pandas.extension._dtypes._ArkoudaBaseDtype": "akdask.extension.arrays.ArkoudaBaseDtype",
    "numpy.timeclass._AbstractBaseTime": "akdask.arrays.timearray.TimeArray",
    "pandas.series._iLocIndexer": "akdask.frames.indexing.ILocIndexer",
}
"""What akdask calls classes that are Arkouda's own affair."""

BEHAVIOUR: dict[str, str] = {
    "pdarray": "made by `ak.array` and its like; the constructor takes a plan",
    "Strings": "made by `ak.array` and its like; the constructor takes a plan",
    "pandas.dataframe.DataFrame.to_hdf": "unless told, labels are written where they are more than row numbers",
    "pandas.dataframe.DataFrame.update_hdf": "unless told, labels are written where they are more than row numbers",
    "pandas.dataframe.DataFrame.to_parquet": "unless told, labels are written where they are more than row numbers",
    "pandas.dataframe.DataFrame.to_pandas": "labels stay unless told otherwise, as in pandas",
    "get_server_commands": "there are none",
    "print_server_commands": "there are none",
    "get_mem_used": "counts what workers, or this process, have taken, programs included",
    "clear": "drops what is kept for later computations; objects stay",
    "array_api.tensordot": "multiplies what it is given; Arkouda's takes nothing, and refuses",
    "list_symbol_table": "lists registered objects, and the arrays and strings that are alive in this process",
}
"""How names behave otherwise where that is not a matter of parameters, by their paths."""


TIERS = {
    "1": "the heart: what nearly every script uses",
    "2": "what an analyst expects next",
    "3": "the long tail",
    "X": "means something only with a Chapel server",
}

STATES = ("there", "differs", "refused", "not there")

_MISSING = object()


@record
class Name:
    """A name of Arkouda's.

    Parameters
    ----------
    tier : str
        A key of `TIERS`.
    where : str
        The path of its class or module; none at top level.
    name : str
        The name.
    signature : str
        The parameters; none if the name is not callable.
    """

    tier: str
    where: str
    name: str
    signature: str

    @property
    def path(self) -> str:
        """The name after the path of its owner."""
        return f"{self.where}.{self.name}".lstrip(".")


@record
class Comparison:
    """The counterpart in akdask of a name.

    Parameters
    ----------
    name : Name
        The name.
    state : str
        One of `STATES`.
    note : str
        How it differs, or why it is missing.
    """

    name: Name
    state: str
    note: str


def listed_names() -> list[Name]:
    """Return all names of Arkouda's."""
    text = files(__package__).joinpath("api.csv").read_text(encoding="utf-8")
    return [Name(**row) for row in csv.DictReader(text.splitlines())]


def findings() -> list[Comparison]:
    """Return akdask's counterpart of each name of Arkouda's."""
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
    if where in TREE or where == "array_api":
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
    """Return the attribute of a module or class; a property if only its objects have it."""
    try:
        return inspect.getattr_static(owner, name) if _is_property(owner, name) else getattr(owner, name)
    except (AttributeError, ImportError):
        pass
    return property() if inspect.isclass(owner) and _is_set_by_objects(owner, name) else _MISSING


def _is_set_by_objects(cls: type, name: str) -> bool:
    """Whether objects of a class have an attribute that the class lacks, as far as its code shows."""
    made = [vars(kind).get("__init__") for kind in cls.__mro__]
    named = [function.__code__.co_names for function in made if inspect.isfunction(function)]
    return any(name in names for names in (*named, *(vars(kind).get("__annotations__", ()) for kind in cls.__mro__)))


def _is_property(owner: Any, name: str) -> bool:
    return inspect.isclass(owner) and isinstance(inspect.getattr_static(owner, name, None), property)


# --------------------------------------------------------------------------------------------------------------- errors

OPERANDS = """
i, f, b = ak.array([3, 1, 2]), ak.array([1.5, 2.5, 0.5]), ak.array([True, False, True])
u, m, e = ak.array([1, 2, 3], dtype=ak.uint64), ak.array([[1, 2], [3, 4]]), ak.array([], dtype=ak.int64)
big, bigm = ak.array([2**70, 1, 2]), ak.array([1, 2, 3], dtype="bigint")
s = ak.array(["a", "b", "c"])
c, dt, td = ak.Categorical(s), ak.Datetime(i), ak.Timedelta(i)
seg = ak.SegArray(ak.array([0, 2, 4]), ak.array([1, 2, 3, 4, 5, 6]))
segs = ak.SegArray(ak.array([0, 2]), ak.array(["a", "b", "c"]))
df, sr, g = ak.DataFrame({"a": i, "b": f, "s": s}), ak.Series(i), ak.GroupBy(i)
idx, mi = ak.Index(i), ak.MultiIndex([i, f])
""".strip()
"""What the calls of ``errors.csv`` are made with."""


def refused_calls() -> dict[str, list[str]]:
    """Return calls that Arkouda's client refuses, by the class of the error."""
    text = files(__package__).joinpath("errors.csv").read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    for row in csv.DictReader(text.splitlines()):
        found.setdefault(row["error"], []).append(row["call"])
    return found


def _errors() -> Iterator[str]:
    """Yield the section on calls that are refused."""
    yield ""
    yield "## Errors"
    yield ""
    yield "These calls raise what Arkouda's client raises, or an error of akdask that is derived from it; a test calls"
    yield "each of them, and the list is [`errors.csv`](../akdask/arkouda/errors.csv). They are made with"
    yield ""
    yield "```text"
    yield from OPERANDS.splitlines()
    yield "```"
    yield ""
    for error, calls in refused_calls().items():
        yield f"- {error}, {len(calls)} calls: {', '.join(f'`{call}`' for call in calls)}."


# ------------------------------------------------------------------------------------------------------------ the page


def page() -> str:
    """Return the page, in Markdown."""
    found = findings()
    lines = [
        "# Arkouda's names in akdask",
        "",
        *_counts(found),
        "",
        "A name is *there* if it takes the parameters that Arkouda's takes, by the same names, in the same order and",
        "with the same defaults; more are allowed. It *differs* as is said, is *refused* with what to use instead, or",
        "is *not there* for the reason given. [From Arkouda](howto/from_arkouda.md) has values and rules that differ.",
        "",
        "`python -m akdask.arkouda.parity_page docs/parity.md` writes this page from the list of names in",
        "[`api.csv`](../akdask/arkouda/api.csv) and the package; a test keeps it true.",
    ]
    for where, group in groupby(found, key=lambda item: item.name.where):
        lines += _section(where, list(group))
    lines += _errors()
    return "\n".join(lines) + "\n"


def _counts(found: Iterable[Comparison]) -> Iterator[str]:
    """Yield the table of the number of names of each tier."""
    counts = Counter((item.name.tier, item.state) for item in found)
    yield f"| tier | names | {' | '.join(STATES)} |"
    yield f"| --- | ---: |{' ---: |' * len(STATES)}"
    for tier, meaning in TIERS.items():
        of_tier = [counts[tier, state] for state in STATES]
        yield f"| {tier}: {meaning} | {sum(of_tier)} | {' | '.join(map(str, of_tier))} |"


def _section(where: str, found: list[Comparison]) -> Iterator[str]:
    """Yield the section on the names of one class or module."""
    yield ""
    yield f"## {f'`{where}`' if where else 'Top level'}"
    others = [item for item in found if item.state != "there"]
    if others:
        yield ""
        yield "| name | tier | | how, or why |"
        yield "| --- | --- | --- | --- |"
    # Names with the same state and note share one line.
    others.sort(key=lambda item: (STATES.index(item.state), item.note, item.name.tier))
    for (state, note, tier), group in groupby(others, key=lambda item: (item.state, item.note, item.name.tier)):
        names = ", ".join(f"`{item.name.name}`" for item in group)
        yield f"| {names} | {tier} | {state} | {note} |"
    there = [item for item in found if item.state == "there"]
    if there:
        yield ""
        yield f"There, {len(there)} of {len(found)}: {', '.join(f'`{item.name.name}`' for item in there)}."


def main(arguments: list[str]) -> int:
    """Write the page to a file, or print it."""
    if arguments:
        Path(arguments[0]).write_text(page(), encoding="utf-8")
    else:
        print(page(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
