"""Plots by Matplotlib: ``df.plot`` as in pandas, and the functions of ``arkouda.plotting``.

Only bins, groups and a few rows come into this process, however many rows there are.
"""

from akdask.plotting.accessor import Plots
from akdask.plotting.density import Bins2D, bins2d, hist2d
from akdask.plotting.histogram import hist, hist_all, plot_dist

__all__ = ["Bins2D", "Plots", "bins2d", "hist", "hist2d", "hist_all", "plot_dist"]
