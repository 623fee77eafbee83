"""Plots by Matplotlib: ``df.plot`` as in pandas, and the functions of ``arkouda.plotting``.

Only bins, groups and a few rows come into this process, however many rows there are.
"""

from akdask.plotting.accessor import Plots
from akdask.plotting.bins import Bins2D, bins2d
from akdask.plotting.density import hist2d
from akdask.plotting.distributions import hist_all, plot_dist
from akdask.plotting.histogram import hist

__all__ = ["Bins2D", "Plots", "bins2d", "hist", "hist2d", "hist_all", "plot_dist"]
