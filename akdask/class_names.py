"""The names that classes are shown by: akdask's own, or Arkouda's where its scripts run."""

from __future__ import annotations

ARKOUDA_PATHS: dict[str, str] = {}
"""For classes by their own paths, the paths that Arkouda has them at; empty until akdask is installed as Arkouda."""


class ShownAsArkouda(type):
    """The type of classes that are shown by Arkouda's paths where scripts import them as ``arkouda``.

    Only ``repr(cls)`` has that path; ``__module__`` and ``__qualname__``, by which pickles find a class, stay.
    """

    def __repr__(cls) -> str:
        path = ARKOUDA_PATHS.get(f"{cls.__module__}.{cls.__qualname__}")
        return super().__repr__() if path is None else f"<class {path!r}>"
