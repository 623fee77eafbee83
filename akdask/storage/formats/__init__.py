"""Stored objects as every format describes them, and the registry of formats.

Other packages add a format by `register`, or by an entry point of the group ``akdask.formats``.
"""

from akdask.storage.formats.registry import Format, register, unregister

__all__ = ["Format", "register", "unregister"]
