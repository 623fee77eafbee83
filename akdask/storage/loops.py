"""Compiled loops that map windows of files: see ``loops.cpp``."""

from akdask.native import loops_of

globals().update(loops_of(__name__))
