"""akdask: Arkouda's objects and files on Dask, lazily.

``import akdask as ak`` and write as for Arkouda; no server is needed.

Names are loaded when they are first used, from the modules that ``__init__.pyi`` beside this file names.
"""

from akdask import _pandas_names  # noqa: F401 -- pandas learns names if it is loaded
from akdask.deferred import module_named as _module_named
from akdask.deferred import names_of_stub as _names_of_stub

# Dask comes with the settings, as every call needs it.
_module_named("akdask._dask")
_module_named("akdask.config")

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = _names_of_stub(__name__, __file__)
