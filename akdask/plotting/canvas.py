"""Matplotlib's axes for plots, and their titles and labels."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from akdask.errors import ArgumentError, ArgumentTypeError

OPTIONS = ("figsize", "title", "xlabel", "ylabel", "grid", "rot", "logx", "logy", "xlim", "ylim")
"""pandas' plot options for where something is drawn rather than what."""


def optional_package(name: str, extra: str = "") -> Any:
    """Return an optional module that only plots need.

    Raises
    ------
    ArgumentError
        If it is not installed.
    """
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ArgumentError(
            f"this picture needs the package {package}, which is not installed.",
            hint=f"pip install {extra or package}",
        ) from error


def pyplot() -> Any:
    """Return Matplotlib's state: figures and axes that are current."""
    return optional_package("matplotlib.pyplot", "'akdask[plot]'")


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options of axes, and the others."""
    axes = {name: value for name, value in options.items() if name in OPTIONS}
    return axes, {name: value for name, value in options.items() if name not in OPTIONS}


def drawing_axes(ax: Any = None, figsize: tuple[float, float] | None = None) -> Any:
    """Return axes to draw into: the given ones, or those of a new figure."""
    plt = pyplot()
    return plt.subplots(figsize=figsize, layout="constrained")[1] if ax is None else ax


def label_axes(ax: Any, options: Mapping[str, Any], *, xlabel: str | None = None, ylabel: str | None = None) -> None:
    """Label the axes by the options, or else by default labels."""
    ax.set_xlabel(options.get("xlabel", xlabel) or "")
    ax.set_ylabel(options.get("ylabel", ylabel) or "")
    if options.get("title") is not None:
        ax.set_title(options["title"])
    for axis, name in (("x", "logx"), ("y", "logy")):
        if options.get(name):
            getattr(ax, f"set_{axis}scale")("symlog" if options[name] == "sym" else "log")
    for name in ("xlim", "ylim"):
        if options.get(name) is not None:
            getattr(ax, f"set_{name}")(options[name])
    if options.get("grid") is not None:
        ax.grid(options["grid"])
    if options.get("rot") is not None:
        ax.tick_params(axis="x", labelrotation=options["rot"])


def by_pandas(drawn: Any, kind: str, **options: Any) -> Any:
    """Let pandas draw a DataFrame or Series of few rows, and widen new axes for the text beside them.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        If pandas refuses an option or a column.
    """
    try:
        with pyplot().rc_context({"figure.autolayout": True}):
            return drawn.plot(kind=kind, **options)
    except TypeError as error:
        raise ArgumentTypeError(f"{kind}: {error}.") from error
    except (ValueError, KeyError, AttributeError) as error:
        raise ArgumentError(f"{kind}: {error}.") from error
