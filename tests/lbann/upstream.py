"""Upstream's own cases: sample trees written to HDF5 files, and what must come out of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import yaml


def case_of(folder: Path, name: str) -> dict[str, Any]:
    """Return a case by its ID."""
    cases = json.loads((folder / "expected.json").read_text())["cases"]
    found: dict[str, Any] = next(case for case in cases if case["id"] == name)
    return found


def tree(path: Path) -> dict[str, Any]:
    """Return a sample tree: keys are text, numbers typed as YAML has them."""
    found: dict[str, Any] = _plain(yaml.compose(path.read_text(), Loader=yaml.SafeLoader))
    return found


def _plain(node: Any) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {key.value: _plain(value) for key, value in node.value}
    loader = yaml.SafeLoader("")
    return loader.construct_object(node, deep=True)


def write_tree(path: Path, content: dict[str, Any], **options: Any) -> None:
    """Write a tree to a file: maps are groups, numbers and lists are datasets."""
    with h5py.File(path, "w", **options) as file:
        _write(file, content)


def _write(group: Any, content: dict[str, Any]) -> None:
    for name, value in content.items():
        if isinstance(value, dict):
            _write(group.create_group(name), value)
        else:
            group[name] = np.array(value)
