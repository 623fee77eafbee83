"""Compiled loops that count, class and read the cells of CSV: see ``loops.cpp``."""

from akdask.native import loops_of

globals().update(loops_of(__name__))
