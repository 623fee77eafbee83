"""Compiled loops of random numbers: see ``loops.cpp``."""

from akdask.native import loops_of

globals().update(loops_of(__name__))
