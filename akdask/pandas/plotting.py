"""`pandas.plotting` for frames and Series of this face."""

from __future__ import annotations

import inspect as _inspect

import pandas.plotting as _plotting

from akdask.pandas.steps import called_in_pandas as _called

__all__ = list(vars(_plotting)["__all__"])

for _name in __all__:
    _member = getattr(_plotting, _name)
    globals()[_name] = _called(_member) if _inspect.isfunction(_member) else _member
