"""Families of methods: templates that make them, and the table of the reductions that users call by name.

Arrays, lists, groups, bins and windows of rows offer the same reductions.  Each class has a function, the template,
that reduces by any name of the table.  ``prod = reduction("prod", _of_groups)`` in the body of the class makes a method
of it, with the parameters of the template but the name, and with its docstring, where ``{what}`` and ``{dtype}`` stand
for what the table says.  Templates of a class share an example (`shown_by`), which calls ``{name}`` and prints one of:
``{of_all}`` or ``{of_groups}`` of `EXAMPLES`, ``{of_windows}`` of `WINDOW_EXAMPLES`, ``{of_lists}`` of `LIST_EXAMPLES`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, Concatenate, ParamSpec, TypeVar

from akdask.records import record

P = ParamSpec("P")
Owner = TypeVar("Owner")
Argument = TypeVar("Argument")
Result = TypeVar("Result")
Template = TypeVar("Template", bound=Callable[..., Any])


@record
class NamedReduction:
    """What a name promises.

    Parameters
    ----------
    what : str
        The end of the sentence "Return …", before "of each group".
    dtype : str
        Types of the results, by the types of the values.
    kernel : str
        A key of `akdask.operators.reduce.reductions.REDUCTIONS`.
    of_columns : bool
        Whether `agg` of a DataFrame or Series takes the name.
    """

    what: str
    dtype: str
    kernel: str
    of_columns: bool = False


_ADDED = "int64 of bool and int64, which wrap around, uint64 of uint64, float64 of float64"
_SAME = "as the values"
_POSITION = "int64"

REDUCTIONS = {
    "sum": NamedReduction("the sum", _ADDED, "sum", of_columns=True),
    "prod": NamedReduction("the product", _ADDED, "prod", of_columns=True),
    "mean": NamedReduction("the mean", "float64", "mean", of_columns=True),
    "var": NamedReduction("the variance", "float64", "var", of_columns=True),
    "std": NamedReduction("the standard deviation", "float64", "std", of_columns=True),
    "min": NamedReduction("the smallest value", _SAME, "min", of_columns=True),
    "max": NamedReduction("the largest value", _SAME, "max", of_columns=True),
    "median": NamedReduction("the median", "float64", "median", of_columns=True),
    "argmin": NamedReduction("the position of the first smallest value", _POSITION, "argmin"),
    "argmax": NamedReduction("the position of the first largest value", _POSITION, "argmax"),
    "any": NamedReduction("whether any value is not 0", "bool", "any", of_columns=True),
    "all": NamedReduction("whether no value is 0", "bool", "all", of_columns=True),
    "count": NamedReduction("the number of values that are not missing", "int64", "count", of_columns=True),
    "nunique": NamedReduction("the number of distinct values", "int64", "nunique", of_columns=True),
    "idxmin": NamedReduction("the label of the first smallest value", "as the labels", "argmin"),
    "idxmax": NamedReduction("the label of the first largest value", "as the labels", "argmax"),
    "first": NamedReduction("the first value", _SAME, "first"),
    "last": NamedReduction("the last value", _SAME, "last"),
    "mode": NamedReduction("the commonest value", _SAME, "mode"),
    "unique": NamedReduction("the distinct values", _SAME, "unique"),
    "OR": NamedReduction("the bits that any value has", _SAME, "OR"),
    "AND": NamedReduction("the bits that all values have", _SAME, "AND"),
    "XOR": NamedReduction("the bits that an odd number of values has", _SAME, "XOR"),
    "or_": NamedReduction("the bits that any value has", _SAME, "OR"),
    "and_": NamedReduction("the bits that all values have", _SAME, "AND"),
    "xor": NamedReduction("the bits that an odd number of values has", _SAME, "XOR"),
}
"""What users call reductions; other statistics are made of these."""

EXAMPLES = {
    "sum": ("9", "[6, 3]"),
    "prod": ("24", "[8.0, 3.0]"),
    "mean": ("3.0", "[3.0, 3.0]"),
    "var": ("0.666...", "[2.0, nan]"),
    "std": ("0.816...", "[1.414..., nan]"),
    "min": ("2", "[2, 3]"),
    "max": ("4", "[4, 3]"),
    "median": ("3.0", "[3.0, 3.0]"),
    "argmin": ("0", "[0, 2]"),
    "argmax": ("1", "[1, 2]"),
    "any": ("True", "[True, True]"),
    "all": ("True", "[True, True]"),
    "count": ("3", "[2, 1]"),
    "nunique": ("3", "[2, 1]"),
    "idxmin": ("0", "[0, 2]"),
    "idxmax": ("1", "[1, 2]"),
    "first": ("2", "[2, 3]"),
    "last": ("3", "[4, 3]"),
    "mode": ("2", "[2, 3]"),
    "unique": ("[2, 4, 3]", "[[2, 4], [3]]"),
    "OR": ("7", "[6, 3]"),
    "AND": ("0", "[0, 3]"),
    "XOR": ("5", "[6, 3]"),
}
"""Results of 2, 4 and 3: of all, and of the first two and the last as groups; by kernels, and names of labels."""

WINDOW_EXAMPLES = {
    "sum": "[nan, 6.0, 7.0]",
    "mean": "[nan, 3.0, 3.5]",
    "min": "[nan, 2.0, 3.0]",
    "max": "[nan, 4.0, 4.0]",
    "var": "[nan, 2.0, 0.5]",
    "std": "[nan, 1.414..., 0.707...]",
}
"""Results of 2, 4 and 3 in windows of two rows."""

LIST_EXAMPLES = {"prod": "[8, 3]"}
"""Results of lists where they are not those of groups: products of integers are integers."""

SCANS = {
    "cumsum": ("the sum", "[2, 6, 9]", "[2, 4, 5]"),
    "cumprod": ("the product", "[2, 8, 24]", "[2, 4, 6]"),
    "cummin": ("the smallest", "[2, 2, 2]", "[2, 4, 2]"),
    "cummax": ("the largest", "[2, 4, 4]", "[2, 4, 3]"),
}
"""What is found of each value and all before it; results of 2, 4 and 3, and of the second in a group of its own."""

COLUMN_REDUCTIONS = tuple(name for name, entry in REDUCTIONS.items() if entry.of_columns)


def shown_by(example: str) -> Callable[[Template], Template]:
    """Give a template the lines of an example, for the methods that `reduction` makes of it; a decorator."""

    def shown(template: Template) -> Template:
        # Not in the docstring: there its lines would run, without a name.
        template.__dict__["example"] = inspect.cleandoc(example)
        return template

    return shown


def shown_as(*lines: str) -> Callable[[str], Callable[[Template], Template]]:
    """Return a decorator that ends the docstrings of a family of methods with an example: lines, and their result.

    Parameters
    ----------
    *lines : str
        What the example runs, where ``{name}`` is the method.
    """
    example = "\n".join(["Examples", "--------", *(f">>> {line}" for line in lines)])

    def printing(result: str) -> Callable[[Template], Template]:
        def shown(method: Template) -> Template:
            shows = example.replace("{name}", method.__name__)
            method.__doc__ = f"{inspect.cleandoc(method.__doc__ or '')}\n\n{shows}\n{result}\n"
            return method

        return shown

    return printing


def member(
    template: Callable[Concatenate[Owner, Argument, P], Result], name: str, argument: Argument, **fields: str
) -> Callable[Concatenate[Owner, P], Result]:
    """Return a method of a family.

    Parameters
    ----------
    template : callable
        Does what all of them do, for its first argument, an instance of the class.
    name : str
        What users call the method.
    argument : object
        The second argument of the template, which tells what this one does.
    **fields : str
        What ``{field}`` stands for in the docstring and the example of the template.
    """

    def method(self: Owner, /, *args: P.args, **kwargs: P.kwargs) -> Result:
        return template(self, argument, *args, **kwargs)

    documented = inspect.cleandoc(template.__doc__ or "")
    if (example := vars(template).get("example")) is not None:
        documented += f"\n\nExamples\n--------\n{example}"
    for field, text in {"name": name, **fields}.items():
        documented = documented.replace(f"{{{field}}}", text)
    method.__name__ = method.__qualname__ = name
    method.__module__ = template.__module__
    method.__doc__ = documented
    # A search for the lines of the method finds the template.
    method.__wrapped__ = template  # type: ignore[attr-defined]
    method.__signature__, given = _signature(template)  # type: ignore[attr-defined]
    method.__annotations__ = {key: value for key, value in template.__annotations__.items() if key != given}
    return method


def reduction(
    name: str, template: Callable[Concatenate[Owner, str, P], Result]
) -> Callable[Concatenate[Owner, P], Result]:
    """Return the method of that name.

    Parameters
    ----------
    name : str
        A key of `REDUCTIONS`.
    template : callable
        Reduces its first argument, an instance of the class, by the name that is its second.
    """
    entry = REDUCTIONS[name]
    of_all, of_groups = EXAMPLES[name if name in EXAMPLES else entry.kernel]
    return member(
        template,
        name,
        entry.kernel,
        what=entry.what,
        dtype=entry.dtype,
        of_all=of_all,
        of_groups=of_groups,
        of_windows=WINDOW_EXAMPLES.get(name, ""),
        of_lists=LIST_EXAMPLES.get(name, of_groups),
    )


def scan(name: str, template: Callable[Concatenate[Owner, str, P], Result]) -> Callable[Concatenate[Owner, P], Result]:
    """Return the method of a name of `SCANS`, made as `reduction` makes those of `REDUCTIONS`."""
    what, of_all, of_groups = SCANS[name]
    return member(template, name, name, what=what, of_all=of_all, of_groups=of_groups)


@cache
def _signature(template: Callable[..., Any]) -> tuple[inspect.Signature, str]:
    """Return the signature of the methods of a template: all of its parameters but the second, and the name of that."""
    owner, given, *others = inspect.signature(template).parameters.values()
    parameters = [owner.replace(name="self", kind=owner.POSITIONAL_OR_KEYWORD), *others]
    return inspect.Signature(parameters, return_annotation=template.__annotations__["return"]), given.name


def called(func: Any) -> str:
    """Return the name of a reduction.

    Examples
    --------
    >>> called("sum"), called(max)
    ('sum', 'max')
    """
    return func if isinstance(func, str) else getattr(func, "__name__", str(func))


def is_named(func: Any) -> bool:
    """Whether a reduction is named, by text or by one of NumPy's functions, and is no function of a user.

    Examples
    --------
    >>> is_named(np.mean), is_named(lambda rows: 0)
    (True, False)
    """
    return not callable(func) or str(getattr(func, "__module__", "")).partition(".")[0] == "numpy"


def reduction_named(func: Any) -> Any:
    """Return the name of a reduction, or the function itself if users wrote it."""
    return called(func) if is_named(func) else func
