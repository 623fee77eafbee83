"""Expressions in pandas' grammar, for `query` and `eval`: each part becomes an akdask operation, and no code is run."""

from __future__ import annotations

import ast
import operator
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Number
from typing import Any

import numpy as np

from akdask.arrays import ufuncs
from akdask.arrays.array import Array, unlabelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.pdarray import pdarray
from akdask.arrays.rules import Rules
from akdask.arrays.setops import contained
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import BOOL
from akdask.deferred import pd
from akdask.engine.missing import as_mask
from akdask.engine.values import Call, Constant
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, MissingColumnError, caller_above
from akdask.frames.alignment import RowLabels, on_rows_of
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.elementwise import between, rounded_sides
from akdask.frames.missing import of_columns, present

_PARTS = re.compile(
    r"""(?P<text>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|`(?P<quoted>[^`]*)`|@(?P<local>[^\W\d]\w*)|(?P<operator>[&|])"""
)

_WORDS = {"&": " and ", "|": " or "}

LONGEST = 100_000
"""Characters of an expression; no one writes longer ones by hand."""


class ExpressionText:
    """An expression as it was written, and its syntax tree.

    Parameters
    ----------
    text : str
        The expression.

    Raises
    ------
    ArgumentError
        If it is none.
    """

    def __init__(self, text: str) -> None:
        if not text.strip() or len(text) > LONGEST:
            raise ArgumentError(f"an expression has from 1 to {LONGEST:,} characters, not {len(text):,}.")
        self.text = text
        self.names: dict[str, str] = {}
        """Names of columns by their nodes of the tree."""
        self.locals: dict[str, str] = {}
        """Names of variables by their nodes of the tree."""
        self._rewritten, self._starts = self._rewrite()
        try:
            self.tree = ast.parse(self._rewritten, mode="eval").body
        except SyntaxError as error:
            place = self._place(error.offset or 1)
            raise self.refusal(place, f"the expression is not well formed: {error.msg}.") from error
        except (RecursionError, MemoryError, ValueError) as error:
            raise ArgumentError("the expression is nested too deeply, or has characters that no text has.") from error

    def _rewrite(self) -> tuple[str, list[tuple[int, int]]]:
        """Return the expression in Python's grammar, and where its parts begin in it and in the text."""
        rewritten: list[str] = []
        starts = [(0, 0)]
        length = 0
        last = len(self.text) - len(self.text.lstrip())
        for found in _PARTS.finditer(self.text, last):
            between = self.text[last : found.start()].replace("\n", " ")
            if found["text"] is not None:
                piece = found["text"]
            elif found["operator"] is not None:
                piece = _WORDS[found["operator"]]
            elif found["local"] is not None:
                piece = f"_local{len(self.locals)}_{found.start()}"
                self.locals[piece] = found["local"]
            else:
                piece = f"_column{len(self.names)}_{found.start()}"
                self.names[piece] = found["quoted"]
            starts += [(length, last), (length + len(between), found.start())]
            rewritten += [between, piece]
            length += len(between) + len(piece)
            last = found.end()
        rewritten.append(self.text[last:].replace("\n", " ").rstrip())
        starts.append((length, last))
        return "".join(rewritten), starts

    def _place(self, column: int) -> int:
        """Return where a column of the rewritten expression, from 1, stood in the text."""
        number = bisect_right(self._starts, (column - 1, len(self.text))) - 1
        start, original = self._starts[max(number, 0)]
        return min(original + column - 1 - start, len(self.text))

    def refusal(
        self,
        where: ast.AST | int,
        message: str,
        *,
        details: Iterable[str] = (),
        hint: str | None = None,
        kind: type[AkdaskError] = ArgumentError,
    ) -> AkdaskError:
        """Return an error that shows the part of the expression which is meant."""
        place = where if isinstance(where, int) else self._place_of(where)
        line = self.text.replace("\n", " ")
        first = max(place - 60, 0)
        shown = [line[first : first + 100], " " * (place - first) + "^"]
        return kind(message, details=[*shown, *details], hint=hint)

    def _place_of(self, node: ast.AST) -> int:
        offset: int = getattr(node, "col_offset", 0)
        return self._place(len(self._rewritten.encode()[:offset].decode()) + 1)


ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
FUNCTIONS = (
    *("abs", "sqrt", "exp", "expm1", "log", "log10", "log1p", "floor", "ceil", "sin", "cos", "tan", "arcsin"),
    *("arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh"),
)
"""Functions of one column, by the names of pandas and NumPy."""

TEXT_METHODS = {
    **{name: name for name in ("contains", "startswith", "endswith", "lower", "upper", "title", "capitalize")},
    **{name: name for name in ("isalnum", "isalpha", "isdecimal", "isdigit", "islower", "isnumeric", "isspace")},
    **{name: name for name in ("istitle", "isupper", "strip")},
    "len": "get_lengths",
}
"""Names after ``.str``, and the methods of `Strings` that they call."""

TIME_FIELDS = frozenset(
    {
        *("year", "month", "day", "hour", "minute", "second", "millisecond", "microsecond", "nanosecond", "date"),
        *("dayofweek", "day_of_week", "weekday", "dayofyear", "day_of_year", "is_leap_year"),
        *("days", "seconds", "microseconds", "nanoseconds"),
    }
)
TIME_METHODS = frozenset({"floor", "ceil", "round", "total_seconds"})
COLUMN_METHODS = frozenset({"isna", "isnull", "notna", "notnull", "isin", "between", "abs"})

LARGEST_POWER = 64


class Expression:
    """An expression over the columns of a frame.

    Parameters
    ----------
    text : str
        The expression.
    columns : ColumnSet
        The columns that it may name, and the labels of the rows as ``index``.
    variables : mapping of str to value
        Values of ``@name``.
    rules : Rules
        Whose comparisons they are.
    """

    def __init__(self, text: str, columns: ColumnSet, variables: Mapping[str, Any], rules: Rules) -> None:
        self._source = ExpressionText(text)
        self._rules = rules
        self._columns = columns
        self._variables = variables
        self._operands = set(map(id, _operands(self._source.tree)))
        self._forms: dict[type[ast.expr], Callable[[Any], Any]] = {
            ast.Name: self._named,
            ast.Constant: self._constant,
            **dict.fromkeys((ast.List, ast.Tuple, ast.Set), self._listed),
            ast.BoolOp: self._all_or_any,
            ast.UnaryOp: self._unary,
            ast.BinOp: self._arithmetic,
            ast.Compare: self._compared,
            ast.Call: self._called,
            ast.Attribute: self._field,
        }

    def value(self) -> Any:
        """Return the value, an array or a plain value; lazy.

        Raises
        ------
        ArgumentError, ArgumentTypeError, MissingColumnError
            If a part of the expression is not in the grammar, is not for values of its type, or names no column.
        """
        try:
            return self._value(self._source.tree)
        except RecursionError as error:
            raise ArgumentError("the expression is nested too deeply.") from error

    def mask(self) -> Array:
        """Return the value, which has to be a bool for each row, False where it is missing; lazy."""
        found = self.value()
        if isinstance(found, pdarray):
            found = pdarray(found._frame, as_mask(found._value))
        if not isinstance(found, Array) or found._value.dtype != BOOL:
            what = found._describe() if isinstance(found, Array) else repr(found)
            raise self._source.refusal(0, f"rows are chosen by a bool for each of them, not by {what:.80}.")
        return found

    # parts

    def _value(self, node: ast.expr) -> Any:
        """Return the value of a part; errors show where it stands."""
        find = self._forms.get(type(node))
        if find is None:
            raise self._source.refusal(
                node, f"{type(node).__name__} is not in the grammar of expressions.", hint=_GRAMMAR
            )
        try:
            return find(node)
        except AkdaskError as error:
            if any(line.strip() == "^" for line in error.details):
                raise  # It shows a place, which is within this part.
            kind = type(error) if isinstance(error, ArgumentError) else ArgumentTypeError
            raise self._source.refusal(
                node, error.message, details=error.details, hint=error.hint, kind=kind
            ) from error
        except (TypeError, ValueError, OverflowError) as error:
            raise self._source.refusal(node, f"this cannot be computed: {error}.", kind=ArgumentTypeError) from error

    def _listed(self, node: ast.List | ast.Tuple | ast.Set) -> list[Any]:
        return [self._plain(element) for element in node.elts]

    def _named(self, node: ast.Name) -> Any:
        source = self._source
        if node.id in source.locals:
            name = source.locals[node.id]
            if name not in self._variables:
                raise source.refusal(node, f"there is no variable {name!r} where the expression is used.")
            return self._variable(node, self._variables[name])
        name = source.names.get(node.id, node.id)
        columns = self._columns
        if name in columns.values:
            return columns.array(name)
        if name == "index" or (name == columns.index_name and columns.index is not None):
            return columns.index_array()
        hint = f"write @{name} for the variable." if name in self._variables else None
        known = f"columns: {', '.join(columns.values):.200}"
        raise source.refusal(node, f"there is no column {name!r}.", details=[known], hint=hint, kind=MissingColumnError)

    def _variable(self, node: ast.AST, item: Any) -> Any:
        if id(node) in self._operands:
            item = on_rows_of(RowLabels.of(self._columns), item)
        item = unlabelled(item)
        if isinstance(item, pd.Series | pd.Index | np.ndarray | set | frozenset | range | tuple):
            return list(item) if not isinstance(item, np.ndarray) or item.ndim else item[()]
        if isinstance(item, Array | list) or pd.api.types.is_scalar(item) or hasattr(item, "_as_operand"):
            return item
        raise self._source.refusal(
            node,
            f"a variable is a scalar, an array or a list, not a {type(item).__name__}.",
            hint="assign the attribute or item that you need to a variable first.",
            kind=ArgumentTypeError,
        )

    def _constant(self, node: ast.Constant) -> Any:
        if node.value is None or isinstance(node.value, bytes) or node.value is ...:
            raise self._source.refusal(
                node, f"{node.value!r} is no value of a column.", hint="write x.isna() for missing ones."
            )
        return node.value

    def _plain(self, node: ast.expr) -> Any:
        found = self._value(node)
        if isinstance(found, Array | list):
            raise self._source.refusal(node, "lists have plain values.")
        return found

    def _all_or_any(self, node: ast.BoolOp) -> Any:
        found, *others = [self._truth(part) for part in node.values]
        for other in others:
            found = found & other if isinstance(node.op, ast.And) else found | other
        return found

    def _truth(self, node: ast.expr) -> Any:
        found = self._value(node)
        is_bool = found._value.dtype.kind == "bool" if isinstance(found, Array) else isinstance(found, bool | np.bool_)
        if not is_bool:
            raise self._source.refusal(
                node, "this is no bool.", hint="compare it, as in x > 0.", kind=ArgumentTypeError
            )
        return found if isinstance(found, Array) else np.bool_(found)

    def _unary(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not | ast.Invert):
            found = self._truth(node.operand)
            return ~found
        found = self._value(node.operand)
        if isinstance(found, list | str):
            raise self._source.refusal(node, "only numbers have a sign.", kind=ArgumentTypeError)
        return -found if isinstance(node.op, ast.USub) else +found

    def _arithmetic(self, node: ast.BinOp) -> Any:
        if type(node.op) not in ARITHMETIC:
            raise self._source.refusal(node, f"{type(node.op).__name__} is no operator of expressions.", hint=_GRAMMAR)
        left, right = self._comparable(self._value(node.left), self._value(node.right))
        if not isinstance(left, Array) and not isinstance(right, Array):
            for side, item in ((node.left, left), (node.right, right)):
                if not isinstance(item, Number | np.generic | pd.Timestamp | pd.Timedelta):
                    raise self._source.refusal(side, "this is no number.", kind=ArgumentTypeError)
            if isinstance(node.op, ast.Pow):
                return _power(left, right)
        return ARITHMETIC[type(node.op)](left, right)

    def _compared(self, node: ast.Compare) -> Any:
        found: Any = None
        left_node, left = node.left, self._value(node.left)
        for comparison, right_node in zip(node.ops, node.comparators, strict=True):
            right = self._value(right_node)
            one = self._compare(left_node, left, comparison, right_node, right)
            found = one if found is None else found & one
            left_node, left = right_node, right
        return found

    def _compare(self, left_node: ast.expr, left: Any, how: ast.cmpop, right_node: ast.expr, right: Any) -> Any:
        is_membership = isinstance(how, ast.In | ast.NotIn)
        if isinstance(how, ast.Eq | ast.NotEq) and isinstance(left, list):
            # pandas reads [1, 2] == x as x in [1, 2].
            left_node, left, right_node, right = right_node, right, left_node, left
        if is_membership or (isinstance(how, ast.Eq | ast.NotEq) and isinstance(right, list)):
            if not isinstance(left, Array):
                raise self._source.refusal(left_node, "what is looked for is a column.", kind=ArgumentTypeError)
            if not isinstance(right, Array | list):
                raise self._source.refusal(right_node, "this is neither a list nor a column.", kind=ArgumentTypeError)
            found = _membership(left, right)
            return ~found if isinstance(how, ast.NotIn | ast.NotEq) else found
        if type(how) not in COMPARISONS:
            raise self._source.refusal(right_node, "'is' compares no values.", hint="write == or x.isna().")
        return of_columns(COMPARISONS[type(how)], *self._comparable(left, right))

    def _comparable(self, left: Any, right: Any) -> tuple[Any, Any]:
        """Return two operands, text as a time where the other one is a column of times."""
        if not self._rules.compares_exactly:
            left, right = rounded_sides(left, right)
        if isinstance(left, TimeArray):
            right = _as_time(left, right)
        if isinstance(right, TimeArray):
            left = _as_time(right, left)
        return left, right

    # functions and methods

    def _called(self, node: ast.Call) -> Any:
        function = node.func
        if isinstance(function, ast.Name):
            return self._function(node, function.id)
        if not isinstance(function, ast.Attribute):
            raise self._source.refusal(node, "only functions and methods by name are called.", hint=_GRAMMAR)
        args, named = self._arguments(node)
        owner = function.value
        if isinstance(owner, ast.Attribute) and owner.attr in ("str", "dt"):
            column = self._column(owner.value)
            if owner.attr == "str" and function.attr in TEXT_METHODS:
                return self._text_method(function, _text(column), args, named)
            if owner.attr == "dt" and function.attr in TIME_METHODS and isinstance(column, TimeArray):
                return getattr(column, function.attr)(*args, **named)
        elif function.attr in COLUMN_METHODS:
            return self._method(function.attr, self._column(owner), args, named)
        raise self._source.refusal(
            function, f"the method {function.attr!r} is not among those of expressions.", hint=_METHODS
        )

    def _function(self, node: ast.Call, name: str) -> Any:
        args, named = self._arguments(node)
        if name == "arctan2" and len(args) == 2 and not named:
            return ufuncs.arctan2(*args)
        if name not in FUNCTIONS or named or len(args) != 1:
            raise self._source.refusal(
                node,
                f"there is no function {name!r} of these arguments.",
                details=[f"functions: {', '.join(FUNCTIONS)}"],
            )
        return getattr(np, name)(args[0])

    def _arguments(self, node: ast.Call) -> tuple[list[Any], dict[str, Any]]:
        if any(isinstance(arg, ast.Starred) for arg in node.args) or any(item.arg is None for item in node.keywords):
            raise self._source.refusal(node, "arguments are written out.")
        named = {str(item.arg): self._value(item.value) for item in node.keywords}
        return [self._value(arg) for arg in node.args], named

    def _column(self, node: ast.expr) -> Array:
        found = self._value(node)
        if not isinstance(found, Array):
            raise self._source.refusal(node, "this is no column.", kind=ArgumentTypeError)
        return found

    def _text_method(self, node: ast.Attribute, text: Strings, args: list[Any], named: dict[str, Any]) -> Any:
        if node.attr == "contains":
            # As in pandas, a pattern unless it is said that it is none.
            pattern, *more = args
            return text.contains(pattern, *more, **{"regex": True, **named} if not more else named)
        return getattr(text, TEXT_METHODS[node.attr])(*args, **named)

    def _method(self, name: str, column: Array, args: list[Any], named: dict[str, Any]) -> Any:
        match name:
            case "isna" | "isnull" | "notna" | "notnull":
                there = present(ColumnSet.of({"x": column}), "x", *args, **named)
                return pdarray(column._frame, there if name.startswith("not") else Call("logical_not", there))
            case "isin":
                return _membership(column, *args, **named)
            case "between":
                bounds = [_as_time(column, arg) for arg in args]
                return between(
                    column,
                    *bounds,
                    **{key: _as_time(column, item) if key != "inclusive" else item for key, item in named.items()},
                )
        return ufuncs.abs(column, *args, **named)

    def _field(self, node: ast.Attribute) -> Any:
        owner = node.value
        if isinstance(owner, ast.Attribute) and owner.attr == "dt" and node.attr in TIME_FIELDS:
            column = self._column(owner.value)
            if isinstance(column, TimeArray):
                return getattr(column, node.attr)
        raise self._source.refusal(node, f"{node.attr!r} is not among the attributes of expressions.", hint=_METHODS)


_GRAMMAR = "expressions compare, add, combine by and, or, not, in, and call some functions and methods."
_METHODS = (
    f"methods: {', '.join(sorted(COLUMN_METHODS))}; behind .str: {', '.join(TEXT_METHODS)}; "
    f"behind .dt: {', '.join(sorted({*TIME_METHODS, *TIME_FIELDS}))}."
)


def _membership(column: Array, items: Any) -> Array:
    """Return which elements of a column are among some."""
    if isinstance(items, Array):
        found: Array = contained(column, items)
        return found
    items = list(items)
    if not items:
        return pdarray(column._frame, Constant(np.bool_(False)))
    if isinstance(column, TimeArray):
        items = [_as_time(column, item) for item in items]
        return contained(column, column.at_hand(pd.Index(items)))
    _check_kinds(column, items)
    return contained(column, items)


def _check_kinds(column: Array, items: Iterable[Any]) -> None:
    """Refuse text among numbers, which NumPy would make text of all."""
    is_text = isinstance(column, Strings | Categorical)
    for item in items:
        if isinstance(item, str) != is_text:
            raise ArgumentTypeError(f"{item!r:.60} is not looked for in a column of {column._type_name()}.")


def _as_time(column: Array, item: Any) -> Any:
    """Return text as a time or span where the column has such."""
    if not isinstance(item, str) or not isinstance(column, TimeArray):
        return item
    moment = column._read(item)
    return moment.form(moment.number)


def _text(column: Array) -> Strings:
    if isinstance(column, Categorical):
        return column.to_strings()
    if not isinstance(column, Strings):
        raise ArgumentTypeError(f".str is for text, not for {column._type_name()}.")
    return column


def _power(base: Any, exponent: Any) -> Any:
    """Return a power of plain numbers, as a float where the integer would have many digits."""
    if isinstance(base, int) and isinstance(exponent, int) and 0 <= exponent <= LARGEST_POWER and abs(base) < 2**64:
        return base**exponent
    with np.errstate(all="ignore"):
        return np.float64(base) ** np.float64(exponent)


def _operands(tree: ast.expr) -> Iterator[ast.AST]:
    """Yield the operands of row-wise operations; the right side of ``in`` is none."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp | ast.BoolOp | ast.UnaryOp):
            yield from ast.iter_child_nodes(node)
        elif isinstance(node, ast.Compare):
            yield node.left
            yield from (
                other
                for how, other in zip(node.ops, node.comparators, strict=True)
                if not isinstance(how, ast.In | ast.NotIn)
            )


_ASSIGNMENT = re.compile(r"\s*(?:`(?P<quoted>[^`]+)`|(?P<name>[^\W\d]\w*))\s*=(?!=)(?P<expression>.*)", re.DOTALL)

RESULT = "result"


def query(
    frame: DataFrame,
    expr: str,
    inplace: bool,
    *,
    local_dict: Mapping[str, Any] | None,
    global_dict: Mapping[str, Any] | None,
) -> DataFrame | None:
    variables = _variables(local_dict, global_dict)
    mask = Expression(_text_of(expr), frame._columns, variables, frame._rules).mask()
    chosen: DataFrame = frame._rows(mask)
    return frame._changed(chosen._columns, inplace)


def evaluate(
    frame: DataFrame,
    expr: str,
    inplace: bool,
    *,
    local_dict: Mapping[str, Any] | None,
    global_dict: Mapping[str, Any] | None,
) -> Any:
    variables = _variables(local_dict, global_dict)
    lines = [line for line in _text_of(expr).splitlines() if line.strip()]
    assignments = [_ASSIGNMENT.fullmatch(line) for line in lines]
    if not any(assignments):
        if inplace:
            raise ArgumentError("with inplace=True, an expression is assigned: 'z = x + y'.")
        found = Expression(expr, frame._columns, variables, frame._rules).value()
        return _as_series(frame, found) if isinstance(found, Array) else found
    changed = frame.copy()
    for line, assignment in zip(lines, assignments, strict=True):
        if assignment is None:
            raise ArgumentError("of several lines, each assigns a column: 'z = x + y'.", details=[line])
        name = assignment["quoted"] or assignment["name"]
        changed[name] = Expression(assignment["expression"], changed._columns, variables, frame._rules).value()
    return frame._changed(changed._columns, inplace)


def _as_series(frame: DataFrame, found: Array) -> Any:
    shown = frame.copy()
    shown[RESULT] = found
    from akdask.frames.series import column_series

    series = column_series(shown, RESULT)
    series.name = None
    return series


def _text_of(expr: Any) -> str:
    if not isinstance(expr, str):
        raise ArgumentTypeError(f"an expression is a str, not {type(expr).__name__}.")
    return expr


def _variables(local_dict: Mapping[str, Any] | None, global_dict: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the values for ``@name``: the given ones, or the variables of the function that calls akdask."""
    caller: Any = caller_above(3)
    given_locals = caller.f_locals if local_dict is None else local_dict
    given_globals = caller.f_globals if global_dict is None else global_dict
    del caller
    return {**given_globals, **given_locals}
