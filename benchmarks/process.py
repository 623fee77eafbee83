"""Run one function in a fresh process, for what depends on a process's history: peaks of memory, empty caches.

``python -m benchmarks.process module:function '["arguments", 1]'`` prints the result as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def fresh(function: Callable[..., Any], *args: object) -> Any:
    """Return what a module-level function answers in a process of its own; arguments and result travel as JSON."""
    name = f"{function.__module__}:{function.__name__}"
    command = [sys.executable, "-m", "benchmarks.process", name, json.dumps(args)]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(result.stdout.splitlines()[-1])


def main() -> None:
    module, _, function = sys.argv[1].partition(":")
    print(json.dumps(getattr(import_module(module), function)(*json.loads(sys.argv[2]))))


if __name__ == "__main__":
    main()
