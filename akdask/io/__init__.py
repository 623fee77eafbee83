"""Reading and writing files, sessions included, under Arkouda's names: a module for each format or kind of folder."""

from akdask.deferred import names_of_stub as _names_of_stub

__getattr__, __dir__, __all__ = _names_of_stub(__name__, __file__)
