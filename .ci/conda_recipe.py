"""Prints a recipe of conda for a source archive: ``python .ci/conda_recipe.py dist/akdask-0.1.0.tar.gz``."""

import sys
import tomllib
from hashlib import sha256
from pathlib import Path

# The names that conda-forge gives to packages, where they are others.
NAMES = {"dask[distributed]": ["dask-core", "distributed"], "pyarrow": ["pyarrow-core"], "PyYAML": ["pyyaml"]}
NAMES |= {"xxhash": ["python-xxhash"]}

RECIPE = """\
schema_version: 1

package:
  name: akdask
  version: "{version}"

source:
  path: ../{archive}
  sha256: {digest}

build:
  number: 0
  # Files are locked by a call that Windows has not.
  skip: win
  script: ${{{{ PYTHON }}}} -m pip install . -vv --no-deps --no-build-isolation

requirements:
  build:
    - ${{{{ compiler("cxx") }}}}
    - ${{{{ stdlib("c") }}}}
  host:
    - python {python}
    - pip
{host}
  run:
    - python {python}
{run}

tests:
  - python:
      imports:
        - akdask
        - akdask.pandas
      pip_check: true
  - script:
      - akdask doctor

about:
  summary: {summary}
  license: {license}
  license_file: LICENSE
"""


def requirements(wanted: list[str]) -> str:
    """Return lines of a recipe for requirements of pyproject.toml."""
    lines = []
    for name, bound in (text.split(">=") for text in wanted):
        lines += [f"    - {known} >={bound}" for known in NAMES.get(name, [name])]
    return "\n".join(lines)


archive = Path(sys.argv[1])
settings = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text(encoding="utf-8"))
project = settings["project"]
print(
    RECIPE.format(
        version=project["version"],
        archive=archive.name,
        digest=sha256(archive.read_bytes()).hexdigest(),
        python=project["requires-python"],
        host=requirements(settings["build-system"]["requires"]),
        run=requirements(project["dependencies"]),
        summary=project["description"],
        license=project["license"],
    ),
    end="",
)
