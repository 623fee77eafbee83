import hashlib
import io

import pytest

from akdask.evo.description import (
    digest_of_file,
    digest_of_stream,
    is_digest,
    is_uuid,
    new_uuid,
    parse_identifier,
)
from akdask.evo.errors import EvoError, IdentifierError
from akdask.evo.tuning import READ_BYTES


@pytest.mark.parametrize("size", [0, 1, READ_BYTES, READ_BYTES + 1])
def test_section_8_the_digest_is_the_lower_case_sha_256_of_the_bytes(tmp_path, size):
    data = bytes(range(256)) * (size // 256 + 1)
    path = tmp_path / "blob"
    path.write_bytes(data[:size])
    assert digest_of_file(path) == hashlib.sha256(data[:size]).hexdigest()
    assert digest_of_stream(io.BytesIO(data[:size])) == hashlib.sha256(data[:size]).hexdigest()


@pytest.mark.parametrize(
    "name",
    [
        "", "..", "../" + "a" * 61, "/" + "a" * 63, "a" * 63, "a" * 65, "a" * 64 + "\n", "A" * 63 + "/", "\u0661" * 64,
        "{01234567-89ab-cdef-0123-456789abcdef}", "0123456789abcdef0123456789abcdef", None, 5, b"a" * 64,
    ],
)  # fmt: skip
def test_section_8_nothing_else_is_a_name_so_that_no_name_is_a_path(name):
    assert not is_digest(name)
    assert not is_uuid(name)
    with pytest.raises(IdentifierError) as caught:
        parse_identifier(name)
    assert isinstance(caught.value, EvoError)


def test_section_8_names_are_compared_case_blind_and_written_in_lower_case():
    assert parse_identifier("AB" * 32) == "ab" * 32
    found = new_uuid()
    assert is_uuid(found)
    assert parse_identifier(found.upper()) == found
