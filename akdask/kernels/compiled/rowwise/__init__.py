"""Compiled loops of `akdask.kernels.rowwise`."""
