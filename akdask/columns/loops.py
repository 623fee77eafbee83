"""Compiled loops that take rows of columns: see ``loops.cpp``."""

from akdask.native import loops_of

globals().update(loops_of(__name__))
