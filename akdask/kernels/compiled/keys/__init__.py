"""Compiled loops of `akdask.kernels.keys`."""
