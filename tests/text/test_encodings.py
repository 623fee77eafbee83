import pytest

import akdask as ak
from akdask.errors import ArgumentError, ConversionError
from akdask.operators.text.encodings import domain_to_ascii, domain_to_unicode

pytestmark = pytest.mark.light

WORDS = ["ascii", "", "Bücher", "日本.example", "straße.de"]


@pytest.mark.parametrize("encoding", ["utf-8", "UTF-16", "utf-16-le", "utf_32_be", "utf-7", "gb18030"])
def test_text_comes_back_from_other_encodings(encoding):
    coded = ak.array(WORDS).encode(encoding)
    assert coded.get_lengths().tolist() == [len(word.encode(encoding)) for word in WORDS]
    assert coded.decode(encoding).tolist() == WORDS


def test_bytes_are_those_of_python():
    coded = ak.array(["ä", "b", "ÿ"]).encode("latin-1")
    assert coded.get_bytes().tolist() == [0xE4, 0, 98, 0, 0xFF, 0]
    assert coded.encode("utf-16-be", "ISO-8859-1").get_lengths().tolist() == [2, 2, 2]
    with pytest.raises(ArgumentError, match="no text in UTF-8"):
        coded.tolist()


def test_names_of_domains_are_those_of_the_standard_of_2008():
    names = ["Bücher.example", "EXAMPLE.com", "straße", "日本。jp", "example.com.", "a..b", "x" * 64, "ü\u2028"]
    wanted = ["xn--bcher-kva.example", "example.com", "xn--strae-oqa", "xn--wgv71a.jp", "example.com.", "", "", ""]
    assert ak.array(names).encode("IDNA").tolist() == wanted
    assert ak.array(wanted).decode("idna").tolist() == [
        "bücher.example", "example.com", "straße", "日本.jp", "example.com.", "", "", "",
    ]  # fmt: skip
    assert ak.array(["xn--bcher-kva"]).decode("idna", "utf-16-le").get_lengths().tolist() == [12]
    assert (domain_to_ascii(""), domain_to_unicode("xn--ü")) == ("", "")


def test_text_that_an_encoding_lacks_is_refused():
    with pytest.raises(ConversionError, match="cannot be converted"):
        ak.array(["a", "ü"]).encode("ascii").tolist()
    for name in ("no-such-encoding", "hex", ""):
        with pytest.raises(ArgumentError, match="no encoding of text"):
            ak.array(["a"]).encode(name)


def test_what_is_missing_stays_missing():
    assert ak.array(["ü", None]).encode("idna").tolist() == ["xn--tda", None]
