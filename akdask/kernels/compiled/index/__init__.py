"""Compiled loops of `akdask.kernels.index`."""
