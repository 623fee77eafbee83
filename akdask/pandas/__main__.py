"""``python -m akdask.pandas script.py``: a script that imports pandas, with this face in its place."""

import sys

from akdask.pandas.scripts import main

if __name__ == "__main__":
    main(sys.argv[1:])
