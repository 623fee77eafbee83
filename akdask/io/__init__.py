"""Reading and writing files, sessions included, under Arkouda's names: a module for each format or kind of folder."""

from akdask._public import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
