"""Compiled loops of `akdask.kernels.group`."""
