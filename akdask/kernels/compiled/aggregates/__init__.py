"""Compiled loops of `akdask.kernels.aggregates`."""
