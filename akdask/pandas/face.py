"""`Face`: an object of pandas' face, which holds lazy columns, an object of pandas in memory, or both.

Each call of a method takes the first way that is open to it:

1. *at once*: an object that is in memory and small is left to pandas, which is done before a plan would be made;
2. *lazily*: each class names the methods that have a lazy form.  It is the method of the lazy object with pandas' words
   for its arguments, or a function in the class's table of lazy forms;
3. *through pandas*: the object is computed, pandas is called, and a warning says what that took.

Groups, windows and accessors are a `Step` of `steps`: an object, and the call that leads from it to them.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial, wraps
from types import FunctionType, MappingProxyType, MethodType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import dask
import numpy as np
import pandas

from akdask import config
from akdask.deferred import loaded_module, module_named
from akdask.errors import AkdaskError, UnsupportedError, end_at_caller, errors_end_at_caller, traced_to_caller, warn
from akdask.pandas import tuning
from akdask.pandas.arguments import accepted, bound_arguments
from akdask.pandas.refusals import ArrangementError, FallbackError, NotLazyError, PandasFallbackWarning, refusal

if TYPE_CHECKING:
    from akdask.pandas.steps import Step


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


calls: Counter[tuple[str, str]] = Counter()
"""How often each method was called in each way, for the report at the end of a script."""

_warned: set[str] = set()

reasons: dict[str, str] = {}
"""Why a method went through pandas the last time."""


class Face:
    """What objects of pandas' face have in common."""

    pandas_class: ClassVar[type]
    """The class of pandas whose names this class has."""

    lazy_methods: ClassVar[frozenset[str]] = frozenset()
    """Methods that the lazy object has under the same name, with the meaning that they have in pandas."""

    forms: ClassVar[tuple[str, str] | None] = None
    """Module and table of lazy forms of methods that the lazy object lacks or means otherwise."""

    # the two forms

    def lazy(self) -> Any:
        """Return the lazy object; raises NotLazyError where there is none."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """Return the object as pandas has it; computes."""
        raise NotImplementedError

    def is_at_hand(self) -> bool:
        """Return whether the object is in memory and small."""
        raise NotImplementedError

    def _set_item(self, step: str | None, key: Any, value: Any) -> None:
        """Assign to what a key, or an indexer, chooses."""
        raise NotImplementedError

    def _adopt(self, found: Any) -> None:
        """Become another object: what a call that changes its object leaves."""
        raise NotImplementedError

    def _is_arranged(self) -> bool:
        """Return whether it is what pandas made of a small lazy result, so that pandas takes it from there."""
        return False

    @classmethod
    def _form(cls, name: str) -> Callable[..., Any] | None:
        """Return the lazy form of a method; its first argument is the lazy object."""
        if cls.forms is None:
            return None
        module, table = cls.forms
        found: Any = getattr(module_named(f"akdask.pandas.{module}"), table).get(name)
        form: Callable[..., Any] | None = (
            getattr(module_named(f"akdask.pandas.{found}"), name) if isinstance(found, str) else found
        )
        return form

    # calls

    def _call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a method that returns its result."""
        if name in WRITERS:
            from akdask.pandas.writing import write

            return write(self, name, args, kwargs)
        if name in EXITS:
            return self._through_pandas(name, args, kwargs)
        if name in PICTURES:
            from akdask.pandas.pictures import draw

            return draw(self, name, None, args, kwargs)
        pending = loaded_module("akdask.pandas.pending")
        if pending is not None and (found := pending.answer(self, name, args, kwargs)) is not NotImplemented:
            calls[self._named(name), "lazily"] += 1
            return found
        mode = config.get("pandas_fallback")
        if (
            (mode != "error" or self._is_arranged())
            and self.is_at_hand()
            and all(map(is_value_at_hand, (*args, *kwargs.values())))
        ):
            return _arranged(self._through_pandas(name, args, kwargs), self._is_arranged())
        try:
            result = _arranged(self._lazily_or_by_chunk(name, args, kwargs))
        except ArrangementError as refused:
            raise refusal(refused.error, self, name) from refused.error
        except Exception as reason:  # pandas answers whatever fails, or says what is wrong.
            if mode == "error":
                invalid_calls().try_method(self, name, args, kwargs)
                if isinstance(reason, NotLazyError):
                    raise FallbackError(
                        f"{self._named(name)} has no lazy form here: {reason}.",
                        hint='set ak.config.set(pandas_fallback="warn") to compute it in pandas.',
                    ) from None
                raise
            return self._through_pandas(name, args, kwargs, reason)
        calls[self._named(name), "lazily"] += 1
        return self._with_notes(name, args, result, kwargs)

    def _with_notes(
        self, name: str, args: tuple[Any, ...], found: Any, kwargs: Mapping[str, Any] = MappingProxyType({})
    ) -> Any:
        """Return the result of a method, with the notes that it passes on."""
        notes = self._root()._known_notes()
        if not notes:
            return found
        return module_named("akdask.pandas.notes").passed_on(self, name, args, kwargs, notes, found)

    def _known_notes(self) -> dict[Any, Any] | None:
        """Return the notes of the user on the object, of which most have none."""
        return None

    def _lazily_or_by_chunk(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a lazy form."""
        return self._lazily_by_type(name, args, kwargs)

    def _lazily_by_type(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a lazy form if it knows the types of the columns; types that the engine lacks have their own module."""
        root = self._root()
        own = root.lazy()
        if root is self and name in CHECKED:
            module_named("akdask.pandas.operand_types").check(own, name, args, kwargs)
        frequencies = loaded_module("akdask.pandas.frequencies")
        if frequencies is not None:
            return frequencies.lazily(self, name, args, kwargs, _by_type)
        return _by_type(self, name, args, kwargs)

    def _root(self) -> Face:
        """Return the frame or Series that the object comes from."""
        return self

    def _lazily(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if name in OPERATORS:
            own = self.lazy()
            if self.pandas_class is pandas.DataFrame and args and isinstance(args[0], BESIDE_COLUMNS):
                raise NotLazyError("items beside a frame are lined up with its columns, and None has no operators")
            if name in DIVISIONS:
                from akdask.pandas.arithmetic_forms import check_division

                sides = own, lazy_argument(args[0])
                check_division(*(sides[::-1] if name.startswith("__r") else sides))
            own, *given = module_named("akdask.pandas.labels").settled_operands(name, [own, *map(lazy_argument, args)])
            result = getattr(type(own), name)(own, *given)
            if result is NotImplemented:
                raise NotLazyError("the operand has no lazy form")
            return self._faced(result)
        form = self._form(name)
        if form is None and name not in self.lazy_methods:
            raise NotLazyError("it is not built yet")
        own = self.lazy()
        form = form or getattr(type(own), name, None)
        if form is None:
            raise NotLazyError("it is not built yet")
        inplace = kwargs.get("inplace") is True
        if name.startswith("__"):
            result = form(own, *map(lazy_argument, args))
        else:
            given = bound_arguments(self.pandas_class, name, args, kwargs)
            given.pop("inplace", None)
            result = form(own, **accepted(self.pandas_class, name, form, lazy_argument(given)))
        if not inplace:
            return self._faced(result)
        if (lazy_kind(result) == "series") == (self.pandas_class is pandas.DataFrame):
            raise NotLazyError("an object does not become one of another class")
        self._adopt(result)
        return self if name in RETURNING_SELF else None

    def _through_pandas(
        self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], reason: Exception | None = None
    ) -> Any:
        """Call a method of pandas; it may change its object."""
        if reason is not None:
            invalid = invalid_calls()
            if name not in OF_FUNCTIONS and (invalid.is_refusal(reason) or not invalid.fits(self, name, args, kwargs)):
                invalid.try_method(self, name, args, kwargs, reason)
            self._tell(name, reason)
        own = self.to_pandas()
        args, kwargs = in_pandas(args), in_pandas(kwargs)
        try:
            result = getattr(own, name)(*args, **kwargs)
        except Exception as error:
            raise refusal(error, self, name) from error
        if kwargs.get("inplace") is True or name in CHANGING:
            self._adopt(own)
        return self if result is own else faced(result)

    def _tell(self, name: str, reason: Exception, item: tuple[Any, Any, Any] | None = None) -> None:
        """Warn, once for each method, that it computes its object for pandas; refuse what is too large.

        The indexer, key and value of an assignment are tried where pandas is ruled out.
        """
        named = self._named(name)
        if config.get("pandas_fallback") == "error":
            if item is not None:
                invalid_calls().try_assignment(self, *item)
            raise FallbackError(f"{named} has no lazy form here: {reason}.") from None
        calls[named, "through pandas"] += 1
        reasons[named] = str(reason)
        rows, nbytes = self._extent()
        limit = config.get("memory_limit") or _available()
        if nbytes > limit:
            raise FallbackError(
                f"{named} has no lazy form, and its {rows:,} rows (about {nbytes / 1e9:.1f} GB) exceed the limit.",
                details=[str(reason)],
                hint="choose columns or rows first, or reduce by groups.",
            ) from None
        if config.get("pandas_fallback") == "warn" and named not in _warned:
            _warned.add(named)
            warn(
                f"{named} ran in pandas, on {rows:,} rows computed for it ({nbytes / 1e6:,.1f} MB): {reason}",
                PandasFallbackWarning,
            )

    def _extent(self) -> tuple[int, int]:
        """Return the number of rows, and about how many bytes they take."""
        raise NotImplementedError

    def _named(self, name: str) -> str:
        return f"{self.pandas_class.__name__}.{name}"

    def _faced(self, result: Any) -> Any:
        return faced(result)


def invalid_calls() -> Any:
    return module_named("akdask.pandas.invalid_calls")


def _by_type(face: Face, name: str, args: Any, kwargs: Any) -> Any:
    encoded = loaded_module("akdask.pandas.encoded")
    return face._lazily(name, args, kwargs) if encoded is None else encoded.lazily(face, name, args, kwargs)


CHANGING = frozenset({"__setitem__", "__delitem__", "insert", "pop", "update", "isetitem", "__setattr__"})
"""Methods that change their object whatever their arguments are."""


RETURNING_SELF = words("fillna ffill bfill interpolate where mask replace clip")
"""Methods that return their object where they change it in place; others return None."""


OF_FUNCTIONS = words("apply map agg aggregate transform")
"""Methods that call functions of users with rows, values or columns."""


EXITS = words(
    """to_numpy tolist to_list to_dict to_records itertuples iterrows to_string to_html to_latex to_markdown
    to_clipboard to_json to_excel to_pickle to_sql to_stata to_xml to_xarray memory_usage info __array__ item"""
)
"""Methods that want all values, so that to compute them is no detour."""


PICTURES = frozenset({"hist", "boxplot"})
"""Methods that draw all values."""


WRITERS: Mapping[str, str] = {
    "to_csv": "path_or_buf",
    "to_excel": "excel_writer",
    "to_feather": "path",
    "to_hdf": "path_or_buf",
    "to_html": "buf",
    "to_json": "path_or_buf",
    "to_latex": "buf",
    "to_markdown": "buf",
    "to_orc": "path",
    "to_parquet": "path",
    "to_pickle": "path",
    "to_sql": "name",
    "to_stata": "path",
    "to_string": "buf",
    "to_xml": "path_or_buffer",
}
"""Methods that write files, each with the argument that names the file."""


@errors_end_at_caller
class NDFrame(Face):
    """A frame or Series: lazy, in memory, or both.

    The other form is sought where it is wanted and not given: rows in memory are made lazy, lazy ones are computed.
    """

    def _lazily_or_by_chunk(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            return self._lazily_by_type(name, args, kwargs)
        except ArrangementError:
            raise
        except Exception:
            if name not in OF_FUNCTIONS:
                raise
            from akdask.pandas.chunk_forms import of_function

            found = of_function(self, name, args, kwargs)
            if found is NotImplemented:
                raise
            return self._faced(found)

    __pandas_priority__ = 5000
    """pandas' frames, Series, indexes and arrays leave operations with an object of this face to it."""

    __hash__ = None  # type: ignore[assignment]  # values are compared, as in pandas

    _lazy: Any
    _reason: NotLazyError | None
    _made_small: bool
    _pending: Any
    """A result of groups, or a file, that nobody has looked at, with neither form yet: `akdask.pandas.pending`."""
    _rows: Any
    _handed: dict[str, pandas.Index]
    """Labels that were returned: pandas' users rename them in place."""

    _notes: dict[Any, Any] | None
    """`attrs` of an object that is not in memory."""

    @classmethod
    def _of(cls, lazily: Any = None, in_memory: Any = None) -> Self:
        made = cls.__new__(cls)
        made._hold(lazily, in_memory)
        return made

    def _hold(self, lazily: Any, in_memory: Any) -> None:
        set_ = object.__setattr__
        set_(self, "_lazy", lazily)
        set_(self, "_reason", None)
        set_(self, "_in_memory", in_memory)
        set_(self, "_handed", {})
        set_(self, "_made_small", False)
        set_(self, "_pending", None)
        set_(self, "_notes", None)

    def _known_notes(self) -> dict[Any, Any] | None:
        rows = self.__dict__.get("_rows")
        found: dict[Any, Any] | None = self.__dict__.get("_notes") if rows is None else rows.attrs
        return found

    def _note(self, notes: dict[Any, Any] | None) -> None:
        """Have these notes."""
        if self._rows is not None:
            self._rows.attrs = notes or {}
        else:
            object.__setattr__(self, "_notes", notes or None)

    @property
    def _in_memory(self) -> Any:
        """The rows in memory, None if there are none; those of a pending result are computed first."""
        if self._pending is not None:
            notes, is_arranged = self._notes, self._pending.is_arranged
            self._hold(None, self._pending.value())
            object.__setattr__(self, "_made_small", is_arranged)
            self._note(notes)
        return self._rows

    @_in_memory.setter
    def _in_memory(self, rows: Any) -> None:
        object.__setattr__(self, "_rows", rows)

    def _is_arranged(self) -> bool:
        return self._made_small

    def _adopt(self, found: Any) -> None:
        notes = self._known_notes()
        if isinstance(found, NDFrame):
            notes = found._known_notes() or notes
            self._hold(found._lazy, found._in_memory)
        elif isinstance(found, pandas.DataFrame | pandas.Series):
            self._hold(None, found)
        else:
            self._hold(found, None)
        if notes and self._rows is None:
            self._note(notes)

    def lazy(self) -> Any:
        if self._lazy is None:
            if self._reason is not None:
                raise self._reason
            try:
                made = self._made_lazy(self._in_memory)
            except NotLazyError as reason:
                object.__setattr__(self, "_reason", reason)
                raise
            except AkdaskError as error:
                unable = NotLazyError(error.message)
                object.__setattr__(self, "_reason", unable)
                raise unable from error
            object.__setattr__(self, "_lazy", made)
        elif self._handed:
            self._take_names()
        return self._lazy

    def _labels(self, which: str, found: Callable[[], pandas.Index]) -> pandas.Index:
        """Return the labels of rows or columns, the same object each time."""
        if which not in self._handed:
            self._handed[which] = found() if self._in_memory is None else getattr(self._in_memory, which)
        return self._handed[which]

    def _take_names(self) -> None:
        """Give the lazy object the names that the labels have got since they were returned."""
        from akdask.pandas import labels

        named = labels.named(self._lazy, **{which: list(index.names) for which, index in self._handed.items()})
        if named is not self._lazy:
            object.__setattr__(self, "_lazy", named)

    def to_pandas(self) -> Any:
        """Return the rows as pandas has them; computes, and keeps what is small.

        Later changes of the result change nothing here.
        """
        found = self._in_memory
        if found is None:
            self.lazy()
            found = self._computed()
            found.attrs = self._notes or {}
            for which, labels in self._handed.items():
                setattr(found, which, labels)
            if found.size > tuning.CACHED_VALUES:
                return found
            from akdask.pandas import cached_rows

            cached_rows.cache(self, found)
        return found.copy(deep=False)

    def _asked_by_pandas(self, name: str) -> Any:
        """Return an attribute that only pandas itself reads, or that a package such as hvplot has added to its class.

        Classes like Index read private ones of what they are made of.
        """
        if isinstance(getattr(type(self), name, None), property):  # It has raised an AttributeError.
            invalid_calls().try_attribute(self, name)
        is_known = hasattr(self.pandas_class, name) or name in ("_mgr", "_flags", "_attrs")
        if name in getattr(self, "steps", ()) or (is_known and not name.startswith("__")):
            try:
                return getattr(self.to_pandas(), name)
            except Exception as error:
                raise refusal(error, self) from error
        raise refusal(AttributeError(f"'{self.pandas_class.__name__}' object has no attribute '{name}'"), self)

    @property
    def attrs(self) -> dict[Any, Any]:
        """Notes of the user on the object, which methods of pandas pass on."""
        if self._in_memory is None:
            self._adopt(self.to_pandas())
        found: dict[Any, Any] = self._in_memory.attrs
        return found

    @attrs.setter
    def attrs(self, notes: Any) -> None:
        own = self.to_pandas()
        own.attrs = notes
        self._adopt(own)

    def _made_lazy(self, rows: Any) -> Any:
        """Return rows of pandas as lazy ones."""
        raise NotImplementedError

    def _computed(self) -> Any:
        """Return the lazy rows as pandas has them."""
        raise NotImplementedError

    def _as_house(self) -> Any:
        """Return the object of Arkouda's face with the same columns; functions of that face ask for it.

        Raises
        ------
        UnsupportedError
            If a column is of a type that Arkouda's face has not.
        """
        from akdask.pandas.passing import house_frame, house_series

        try:
            own = self.lazy()
        except NotLazyError as reason:
            raise UnsupportedError(f"akdask has no such columns: {reason}.", hint="convert or drop them.") from None
        return house_frame(own) if self.pandas_class is pandas.DataFrame else house_series(own)

    def to_arkouda(self, prefix_path: Any = None, **options: Any) -> Any:
        """Return the object as Arkouda's face has it, or write it as a set of files in Arkouda's layout.

        Parameters
        ----------
        prefix_path : str or path, optional
            Prefix and extension of the files: ``d/x.h5`` gives ``d/x_LOCALE0000.h5`` and so on.  The extension chooses
            HDF5, Parquet or CSV.
        **options
            Options of the `to_hdf`, `to_parquet` or `to_csv` of `akdask.DataFrame`.

        Returns
        -------
        akdask.DataFrame, akdask.Series or None
            None if a set is written.
        """
        if prefix_path is None:
            return self._as_house()
        from akdask.pandas.passing import write_set

        framed = self if self.pandas_class is pandas.DataFrame else self._call("to_frame", (), {})
        write_set(framed._as_house(), prefix_path, options)
        return None

    @property
    def hvplot(self) -> Any:
        """Interactive pictures by hvPlot, of the columns that a picture names; see `akdask.DataFrame.hvplot`."""
        from akdask.plotting import InteractivePlots

        return InteractivePlots(self)

    def is_at_hand(self) -> bool:
        return self._in_memory is not None and self._in_memory.size <= tuning.EAGER_VALUES

    def _goes_lazily(self) -> bool:
        """Return whether a call is tried lazily before pandas is asked."""
        return not self.is_at_hand() or (config.get("pandas_fallback") == "error" and not self._is_arranged())

    def _extent(self) -> tuple[int, int]:
        if self._in_memory is not None:
            size = self._in_memory.memory_usage()
            return len(self._in_memory), int(size if isinstance(self._in_memory, pandas.Series) else size.sum())
        rows = len(self._lazy)
        columns = getattr(self._lazy, "_labelled", self._lazy)._columns
        return rows, rows * sum(value.dtype.itemsize for value in columns.all_values())

    def __len__(self) -> int:
        return len(self._lazy if self._in_memory is None else self._in_memory)

    def __round__(self, decimals: int = 0) -> Any:
        return self._call("round", (decimals,), {})

    def copy(self, deep: bool = True) -> Self:
        """Return a copy; assignments to one of the two change nothing in the other."""
        made = self._of(self._lazy, None if self._in_memory is None else self._in_memory.copy(deep=False))
        if self._notes:
            made._note(self._notes)
        return made

    # Dask

    def compute(self, **options: Any) -> Any:
        """Return the rows as pandas has them; options as ``dask.compute`` takes them."""
        return dask.compute(self, **options)[0] if options else self.to_pandas()

    def persist(self, **options: Any) -> Self:
        """Return the rows computed, and kept in memory, on the workers of a cluster."""
        from akdask.pandas import labels

        own = self.lazy()
        return self._of(labels.relabelled(own.persist(**options), own))

    def explain(self) -> Any:
        """Return the plan before and after optimisation; nothing is computed."""
        return self.lazy().explain()

    @property
    def expr(self) -> Any:
        """The plan."""
        from akdask.pandas import labels

        return labels.plan(self.lazy())

    def __dask_graph__(self) -> Any:
        return self.expr.__dask_graph__()

    def __dask_keys__(self) -> Any:
        return self.expr.__dask_keys__()

    def __dask_layers__(self) -> Any:
        return (self.expr._name,)

    def __dask_tokenize__(self) -> Any:
        return self.expr._name

    @property
    def __dask_scheduler__(self) -> Any:
        return self.lazy().__dask_scheduler__

    def __reduce__(self) -> Any:
        return type(self)._of, (self._lazy, None if self._lazy is not None else self._in_memory)


# arguments


def lazy_kind(given: Any) -> str | None:
    """Return which lazy object of akdask something is: a frame, series, index, scalar or array; None for others."""
    if loaded_module("akdask.arrays.array") is None:
        return None  # There is no lazy object yet, and the modules of them take time to load.
    from akdask.pandas.lazy import kind_of

    return kind_of(given)


def called(given: Any, face: Face) -> Any:
    """Return a key or value; functions and expressions of `pandas.col` are applied to the object first."""
    if isinstance(given, pandas.api.typing.Expression):
        return given._eval_expression(face)  # type: ignore[attr-defined]
    return given(face) if callable(given) and not isinstance(given, type) else given


def _values(given: Any, kind: str) -> Any:
    return given.value() if kind == "scalar" else given.to_pandas() if kind == "index" else given.to_ndarray()


def lazy_argument(given: Any) -> Any:
    """Return an argument with lazy objects of the house in place of those of pandas' face."""
    if isinstance(given, NDFrame):
        return given.lazy()
    if isinstance(given, pandas.Series | pandas.DataFrame):
        from akdask.pandas.labels import lazily
        from akdask.pandas.lazy import lazy_series

        made = lazy_series(given) if isinstance(given, pandas.Series) else lazily(given)
        encoded = loaded_module("akdask.pandas.encoded")
        if encoded is not None and encoded.encoded_names(made):
            raise NotLazyError("an argument has no lazy type")
        frequencies = loaded_module("akdask.pandas.frequencies")
        if frequencies is not None and frequencies.is_regular(made):
            raise NotLazyError("labels of an argument have a frequency")
        return made
    if isinstance(given, Face):
        raise NotLazyError("an argument is an object of pandas")
    if type(given) in (list, tuple):
        return given if _is_plain(given) else type(given)(map(lazy_argument, given))
    if type(given) is dict:
        return {key: lazy_argument(item) for key, item in given.items()}
    return given


def _is_plain(given: Any) -> bool:
    """Return whether a list holds nothing but numbers and text, by its first items where it is long."""
    return all(isinstance(item, str | int | float | np.generic | type(None)) for item in given[:LOOKED_AT])


LOOKED_AT = 64
"""Items of a list, given or found, that are looked at: a list of frames begins with one."""


def in_pandas(given: Any) -> Any:
    """Return an argument with pandas' objects in place of lazy ones; computes."""
    if isinstance(given, Face):
        return given.to_pandas()
    kind = lazy_kind(given)
    if kind is not None:
        from akdask.pandas.labels import computed

        return computed(given) if kind in ("frame", "series") else _values(given, kind)
    if type(given) in (list, tuple):
        return type(given)(map(in_pandas, given))
    if type(given) is dict:
        return {key: in_pandas(item) for key, item in given.items()}
    if isinstance(given, FunctionType | MethodType | partial):
        return returning_pandas(given)
    return given


def returning_pandas(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of the user, called by pandas, whose results are objects of pandas."""
    if str(getattr(function, "__module__", "")).startswith(("numpy.", "pandas.core", "pandas._libs")):
        return function

    def call(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        return found if type(found) in SCALARS or not isinstance(found, HOLDERS) else in_pandas(found)

    return wraps(function)(call)


SCALARS = frozenset({int, float, str, bool, type(None), np.float64, np.int64, np.bool_})
"""Types of most results of functions that are called with each value: they hold nothing of this face."""


HOLDERS = (Face, list, tuple, dict)
"""Types of results that are, or may hold, objects of this face."""


def is_value_at_hand(given: Any) -> bool:
    """Return whether an argument holds nothing that would have to be computed."""
    if isinstance(given, Face):
        return given.is_at_hand()
    if type(given) in (list, tuple):
        return _is_plain(given) or all(map(is_value_at_hand, given))
    if type(given) is dict:
        return all(map(is_value_at_hand, given.values()))
    return lazy_kind(given) is None


# results


def faced(found: Any) -> Any:
    """Return a result with objects of this face in place of lazy ones and of pandas' frames and Series.

    Raises
    ------
    NotLazyError
        If it is an array of Arkouda's, which has no labels.
    """
    if isinstance(found, Face):
        return found
    from akdask.pandas.frame import DataFrame
    from akdask.pandas.series import Series

    if isinstance(found, np.str_):
        return str(found)
    kind = lazy_kind(found)
    if kind == "scalar":
        return found.value()
    if kind in ("frame", "series"):
        from akdask.pandas.lazy import LazyFrame, LazySeries

        return DataFrame._of(LazyFrame.under(found)) if kind == "frame" else Series._of(LazySeries.under(found))
    if kind is not None:
        raise NotLazyError("its lazy form has no labels")
    if isinstance(found, pandas.DataFrame):
        return DataFrame._of(None, found)
    if isinstance(found, pandas.Series):
        return Series._of(None, found)
    if type(found) is tuple:
        return tuple(map(faced, found))
    if type(found) is list and any(isinstance(item, pandas.DataFrame | pandas.Series) for item in found[:LOOKED_AT]):
        return list(map(faced, found))
    if type(found) is dict and any(isinstance(item, pandas.DataFrame | pandas.Series) for item in found.values()):
        return {key: faced(item) for key, item in found.items()}
    if isinstance(found, Iterator) and not isinstance(found, np.generic):
        return map(faced, found)
    return found


def _arranged(found: Any, holds: bool = True) -> Any:
    """Return a result, marked if pandas made it of a small lazy one."""
    if holds and isinstance(found, NDFrame) and found._lazy is None:
        object.__setattr__(found, "_made_small", True)
    return found


def _available() -> int:
    """Return the bytes of memory that computed rows may take."""
    from akdask.cluster import process_memory

    return process_memory()


# classes


def face_of(kind: type) -> Callable[[type], type]:
    """Give a class all names of a class of pandas that it does not define itself."""

    def complete(cls: type) -> type:
        own = {name for base in cls.__mro__[:-1] for name in vars(base)}
        cls.pandas_class = kind  # type: ignore[attr-defined]
        steps = getattr(cls, "steps", {})
        for name in dir(kind):
            if (name.startswith("_") and name not in OPERATORS) or name in own:
                continue
            member = inspect.getattr_static(kind, name)
            if name in steps:
                setattr(
                    cls,
                    name,
                    _step(
                        name,
                        steps[name],
                        callable(member) and not inspect.isclass(member) and not hasattr(member, "_accessor"),
                    ),
                )
            elif isinstance(member, classmethod):
                setattr(cls, name, classmethod(_constructor(name)))
            elif callable(member) and not inspect.isclass(member) and not hasattr(member, "_accessor"):
                setattr(cls, name, _method(kind, name))
            else:
                setattr(cls, name, _attribute(name))
        for name in IN_PLACE if issubclass(cls, NDFrame) else ():
            setattr(cls, name, _in_place(name))
        return cls

    return complete


OPERATORS = words(
    """__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __floordiv__ __rfloordiv__ __mod__
    __rmod__ __pow__ __rpow__ __and__ __rand__ __or__ __ror__ __xor__ __rxor__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__
    __invert__ __neg__ __pos__ __abs__ __matmul__ __rmatmul__ __divmod__ __rdivmod__"""
)


BESIDE_COLUMNS = (list, tuple, np.ndarray, type(None))
"""Operands of frames that have no lazy form."""


CHECKED = OPERATORS | words(
    """replace where mask fillna shift clip isin between add radd sub rsub mul rmul truediv rtruediv div divide rdiv
    floordiv rfloordiv mod rmod pow rpow eq ne lt le gt ge subtract multiply"""
)
"""Methods whose plain values pandas may refuse, or make objects for."""


DIVISIONS = words("__floordiv__ __rfloordiv__ __mod__ __rmod__ __divmod__ __rdivmod__")
"""Operators whose results are floats where integers are divided by zero."""


def _method(kind: type, name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(self, Face):  # `frame.apply(pd.Series.max)` hands it columns of pandas.
            return getattr(kind, name)(self, *args, **kwargs)
        try:
            return self._call(name, args, kwargs)
        except Exception as error:
            end_at_caller(error)
            raise

    method.__name__ = name
    method.__qualname__ = f"{kind.__name__}.{name}"
    member = getattr(kind, name)
    method.__doc__ = member.__doc__
    method.__wrapped__ = member  # type: ignore[attr-defined]  # signatures of help and editors
    return method


IN_PLACE = {
    f"__i{name}__": f"__{name}__"
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
}
"""Operators that change their object, and those that return the result."""


def _in_place(name: str) -> Callable[..., Any]:
    @traced_to_caller
    def operate(self: NDFrame, other: Any) -> Any:
        if not self.is_at_hand():
            found = self._call(IN_PLACE[name], (other,), {})
            self._adopt(found.reindex_like(self) if isinstance(other, NDFrame) else found)
            return self
        own = self.to_pandas()
        try:
            own = getattr(own, name)(in_pandas(other))
        except Exception as error:
            raise refusal(error) from error
        self._adopt(own)
        return self

    operate.__name__ = name
    return operate


def _constructor(name: str) -> Callable[..., Any]:
    @traced_to_caller
    def construct(cls: type[Face], *args: Any, **kwargs: Any) -> Any:
        try:
            return faced(getattr(cls.pandas_class, name)(*in_pandas(args), **in_pandas(kwargs)))
        except Exception as error:
            raise refusal(error) from error

    construct.__name__ = name
    return construct


def _attribute(name: str) -> property:
    @traced_to_caller
    def read(self: Face) -> Any:
        if name in self.lazy_methods and (config.get("pandas_fallback") == "error" or not self.is_at_hand()):
            try:
                form = self._form(name)
                found = getattr(self.lazy(), name) if form is None else form(self.lazy())
                return self._with_notes(name, (), self._faced(found))
            except Exception as reason:  # pandas answers it, or says what is wrong
                invalid_calls().try_attribute(self, name, reason)
                self._tell(name, reason)
        try:
            return faced(getattr(self.to_pandas(), name))
        except Exception as error:
            raise refusal(error, self) from error

    return property(read)


def _step(name: str, kind: type[Step], is_method: bool) -> Any:
    if not is_method:
        return property(traced_to_caller(lambda self: kind(self, name).checked()))

    @traced_to_caller
    def method(self: Face, *args: Any, **kwargs: Any) -> Any:
        return kind(self, name, args, kwargs).checked()

    method.__name__ = name
    return method
