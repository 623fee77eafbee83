"""``python -m akdask``: the command ``akdask`` for where it is not on the path."""

import sys

from akdask.cli import main

if __name__ == "__main__":
    sys.exit(main())
