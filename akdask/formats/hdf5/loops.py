"""Compiled loops of NUL-terminated strings and of LZF: see ``loops.cpp``."""

from akdask.native import loops_of

globals().update(loops_of(__name__))
