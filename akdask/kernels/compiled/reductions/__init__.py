"""Compiled loops of `akdask.kernels.reductions`."""
