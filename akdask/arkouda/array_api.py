"""``arkouda.array_api``: importing it gives `akdask.array_api`, and its modules under this path."""

import sys

from akdask import array_api

for _name in [name for name in sys.modules if f"{name}.".startswith(f"{array_api.__name__}.")]:
    sys.modules[__name__ + _name.removeprefix(array_api.__name__)] = sys.modules[_name]
