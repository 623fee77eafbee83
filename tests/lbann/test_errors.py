"""Errors tell where they happened, and survive being sent to other processes."""

from __future__ import annotations

import pickle

import pytest

from akdask.errors import AkdaskError, MissingFileError
from akdask.lbann import errors

KINDS = [
    (errors.LbannSchemaError, ValueError),
    (errors.LbannListError, ValueError),
    (errors.SampleError, RuntimeError),
    (errors.MissingSampleError, KeyError),
    (errors.SampleTypeError, TypeError),
    (errors.SampleSizeError, ValueError),
    (errors.UnknownNameError, KeyError),
]


@pytest.mark.parametrize(("kind", "builtin"), KINDS)
def test_each_is_also_of_a_built_in_type(kind, builtin):
    assert issubclass(kind, (AkdaskError, errors.LbannError))
    assert issubclass(kind, builtin)
    assert not issubclass(MissingFileError, errors.LbannError)


@pytest.mark.parametrize("kind", [kind for kind, _ in KINDS])
def test_where_it_happened_is_told_and_survives_pickling(kind):
    error = kind("no.", field="a/b", details=["found"], hint="do.").at(file="f.h5", sample="S", field="other")
    copy = pickle.loads(pickle.dumps(error))
    for one in (error, copy):
        assert (one.file, one.sample, one.field, one.schema) == ("f.h5", "S", "a/b", None)
        assert str(one) == "no.\n  file: f.h5\n  sample: S\n  field: a/b\n  found\nHint: do."
