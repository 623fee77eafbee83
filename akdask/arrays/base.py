"""Base classes of lazy objects: Dask's collection protocol, and objects with labels that act as an array."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

from dask.base import DaskMethodsMixin

from akdask.arrays.rules import ARKOUDA, Rules
from akdask.engine import progress  # noqa: F401  # shows how far computations are
from akdask.engine.explain import Explanation, explain
from akdask.engine.progress import Profile, profile
from akdask.engine.run import Root, partitions_in_memory


class Collection(Root, DaskMethodsMixin):
    """A lazy object: a plan, and the means to run it.

    Works with ``dask.compute``, ``dask.persist``, ``dask.visualize`` and with the methods of a distributed `Client`.
    """

    _rules: ClassVar[Rules] = ARKOUDA

    @property
    def dask(self) -> Mapping[Any, Any]:
        """The task graph; building it reads nothing."""
        return self.__dask_graph__()

    def __dask_postcompute__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        raise NotImplementedError

    def __dask_postpersist__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
        raise NotImplementedError

    def persist(self, **options: Any) -> Self:
        """Return the object with its rows computed and kept in memory, on the workers of a cluster.

        In this process, results take at most about half of its memory, the setting ``memory_limit``; beyond it the
        oldest partitions wait on disk, until the object is gone.

        Parameters
        ----------
        **options
            As ``dask.persist`` takes them.

        Examples
        --------
        >>> import akdask as ak
        >>> squares = (ak.arange(5) ** 2).persist()
        >>> squares.sum()
        np.int64(30)
        """
        # Without `dask.persist`, whose overhead takes as long as planning does.
        found = None if options else partitions_in_memory(self.expr)
        if found is None:
            return super().persist(**options)
        rebuild, state = self.__dask_postpersist__()
        return rebuild(found, *state)

    def explain(self) -> Explanation:
        """Return the plan before and after optimisation; nothing is computed."""
        return explain(self.expr)

    def profile(self) -> Profile:
        """Compute the object, and return its plan with the cost of each step; ``.result`` is the value.

        Examples
        --------
        >>> import akdask as ak
        >>> taken = ak.arange(10).sum().profile()
        >>> int(taken.result), taken.seconds < 60
        (45, True)
        """
        return profile(self.expr)


class Labelled:
    """An array with labels, or the labels themselves, such as a `Series` or an `Index`; operations take its array."""

    values: Any
    """The array; of a `MultiIndex` the list of its levels."""


def unlabelled(item: Any) -> Any:
    """Return the array of an item that has labels, and any other item as it is."""
    return item.values if isinstance(item, Labelled) else item
