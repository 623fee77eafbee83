"""Schemas that were changed at random are loaded and merged, or refused with an error of this package; nothing else."""

from __future__ import annotations

import warnings
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.lbann import schema
from akdask.lbann.errors import LbannError, LbannWarning

TEXT = """\
metadata: {coerce: float, pack: samples}
Image:
  metadata:
    dims: [4, 3]
    channels: 3
    ordering: 0
    layout: hwc
    transpose: "chw"
    scale: [1.5e-05, 2.0, .5]
    bias: &b [-1.5, 0, 1]
outputs:
  metadata: {ordering: 10, scale: 0.1}
  (90.0, 0.0):
    "0.0":
      emi:
        metadata: {bias: -1.0, pack: responses}
  other: &o
    metadata:
"""
WORDS = [
    "",
    "metadata",
    "nan",
    "1e400",
    "-",
    ":",
    "[",
    "]",
    "{",
    "}",
    "&a ",
    "*b",
    "*o",
    "!!python/name:os.system ",
    "\n",
]
WORDS += [
    "\t",
    "  ",
    "0x",
    "'",
    '"',
    "#",
    "|",
    ">",
    "%",
    "---\n",
    "...\n",
    "<<: *o\n",
    "? ",
    "- ",
    "\0",
    "é",
    "99999999999999999999",
]


@st.composite
def mutated(draw):
    text = TEXT
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        stop = start + draw(st.integers(0, 12))
        text = text[:start] + draw(st.sampled_from(WORDS) | st.text(max_size=3)) + text[stop:]
    return text


def use(data, experiment):
    """Load, merge and explain; whatever is wrong must be an error of the package."""
    with warnings.catch_warnings(), suppress(LbannError):
        warnings.simplefilter("ignore", LbannWarning)
        fields = schema.merge(schema.load(data + "\n"), schema.load(experiment + "\n"))
        assert fields.explain()


@given(mutated())
def test_data_schemas(text):
    use(text, "Image:\noutputs:\n")


@given(mutated())
def test_experiment_schemas(text):
    use(TEXT, text)


@given(st.binary(max_size=60))
def test_files_of_any_bytes(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("s") / "schema.yaml"
    path.write_bytes(content)
    found = None
    with warnings.catch_warnings(), suppress(LbannError):
        warnings.simplefilter("ignore", LbannWarning)
        found = schema.load(path)
    assert found is None or isinstance(found, schema.Schema)


def test_the_text_that_is_changed_is_a_schema():
    with pytest.raises(LbannError, match="dims"):
        schema.merge(schema.load(TEXT.replace("dims: [4, 3]", "dims: [4]")))
    assert list(schema.merge(schema.load(TEXT))) == ["Image", "outputs/(90.0, 0.0)/0.0/emi", "outputs/other"]
