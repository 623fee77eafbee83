"""How Sphinx builds the site, by `make docs`: pages are those that are read on GitHub, and the docstrings.

The root of the repository is the folder of sources, so that links between README.md, docs/ and akdask/ lead somewhere
in both places.
"""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path

from jinja2 import FileSystemLoader
from jinja2.sandbox import SandboxedEnvironment
from numpydoc import docscrape_sphinx  # type: ignore[import-untyped]

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))

project = "akdask"
author = "the akdask developers"
copyright = author
release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
root_doc = "docs/index"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
include_patterns = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/**",
    "examples/README.md",
    "notebooks/*.ipynb",
]
exclude_patterns = [".*", "akdask", "akdask-demo", "benchmarks", "build", "dist", "tests"]
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "extensions.public_names",
    "extensions.source_pages",
    "extensions.notebook_pages",
    "extensions.links",
]
nitpicky = False

# Docstrings name things in single backticks; what is no name of akdask's is shown as code.
default_role = "py:obj"
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "member-order": "alphabetical"}
autodoc_inherit_docstrings = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
add_module_names = False
toc_object_entries_show_parents = "hide"
# Each page holds the contents of the site, of which Sphinx makes a copy with all methods first: a quarter of the time.
toc_object_entries = "CI" not in os.environ

# numpydoc compiles its template for each docstring, which takes an eighth of the time.
TEMPLATES = SandboxedEnvironment(loader=FileSystemLoader(Path(docscrape_sphinx.__file__).parent / "templates"))
vars(docscrape_sphinx)["SandboxedEnvironment"] = lambda loader: TEMPLATES

# Anchors of headings are GitHub's.
myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]

html_theme = "furo"
html_title = f"akdask {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
pygments_style = "default"
pygments_dark_style = "native"
