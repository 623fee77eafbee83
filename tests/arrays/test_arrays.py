import string
from collections import Counter

import numpy as np
import pytest

import akdask as ak
from akdask.testing import assert_equal


def test_random_numbers_lie_in_their_range_and_repeat_with_their_seed():
    rows = 10_000
    integers = ak.randint(-3, 4, rows, seed=1).to_ndarray()
    assert set(integers.tolist()) == set(range(-3, 4))
    numbers = ak.uniform(rows, 2, 5, seed=1).to_ndarray()
    assert 2 <= numbers.min() < 2.01
    assert 4.99 < numbers.max() < 5
    normal = ak.standard_normal(rows, seed=1).to_ndarray()
    assert abs(normal.mean()) < 0.05
    assert abs(normal.std() - 1) < 0.05
    assert_equal(ak.uniform(9, seed=5), ak.uniform(9, seed=5).to_ndarray())
    assert ak.uniform(9, seed=5).tolist() != ak.uniform(9, seed=6).tolist()
    assert ak.uniform(9).tolist() != ak.uniform(9).tolist()


def test_random_numbers_have_the_type_asked_for():
    assert ak.randint(0, 2, 5, dtype=bool).dtype == bool
    assert ak.randint(0, 2, 5, dtype="uint64").dtype == np.uint64
    assert ak.randint(0, 2, 5, dtype=float).dtype == np.float64
    assert set(ak.randint(0, 2, 100, dtype=bool, seed=1).tolist()) == {False, True}
    assert set(ak.randint(0, 1, 100, dtype=bool).tolist()) == {False}
    assert set(ak.randint(1, 2, 100, dtype=bool).tolist()) == {True}
    assert ak.randint(0, 9, (2, 3)).shape == (2, 3)


def test_seeds_give_the_numbers_that_arkouda_documents():
    """Examples of ``randint``, ``uniform``, ``standard_normal`` and texts in ``arkouda/numpy/pdarraycreation.py``."""
    assert ak.randint(0, 10, 5, seed=1701).tolist() == [6, 5, 1, 6, 3]
    assert ak.randint(1, 5, 10, seed=2).tolist() == [4, 3, 1, 3, 2, 4, 4, 2, 3, 4]
    assert ak.randint(0, 2, 5, seed=1701, dtype=bool).tolist() == [False, True, False, True, False]
    floats = [0.011410423448327005, 0.73618171558685619, 0.12367222192448891]
    assert ak.randint(0, 1, 3, seed=1701, dtype=float).tolist() == floats
    assert ak.uniform(3, 0, 5, seed=0).tolist() == [0.30013431967121934, 0.47383036230759112, 1.0441791878997098]
    normal = [-0.68586185091150265, 1.1723810583573377, 0.5675841071420]
    assert ak.standard_normal(3, 1).tolist() == pytest.approx(normal, abs=1e-13)
    texts = ak.random_strings_uniform(1, 5, 5, seed=8675309, characters="printable")
    assert texts.tolist() == ["2 .z", "aom", "2d|", "o(", "M"]
    texts = ak.random_strings_lognormal(2, 0.25, 5, seed=1, characters="printable")
    assert texts.tolist() == ["eL96<O", ")o-GOe lR", ")PV yHf(", "._b3Yc&K", ",7Wjef"]


def test_bounds_of_whole_numbers_are_any_of_64_bits():
    wide = ak.randint(0, 2**64, 100, dtype="uint64", seed=1)
    assert wide.max() > 2**63
    assert wide.tolist() == [number % 2**64 for number in ak.randint(0, 2**64, 100, seed=1).tolist()]
    assert ak.randint(2**64 - 1, 2**64, 2, dtype="uint64").tolist() == [2**64 - 1] * 2
    assert ak.randint(-(2**63), 1 - 2**63, 1).tolist() == [-(2**63)]
    assert set(ak.randint(250, 256, 99, dtype="uint8", seed=1).tolist()) == set(range(250, 256))
    assert ak.randint(0, 2**64, 9, dtype=float, seed=1).max() > 2**62


@pytest.mark.parametrize(
    ("draw", "error"),
    [
        (lambda: ak.randint(5, 5), ValueError),
        (lambda: ak.randint(5, 1, dtype=float), ValueError),
        (lambda: ak.randint(0, 0, dtype=bool), ValueError),
        (lambda: ak.randint(-1, 1, dtype=bool), ValueError),
        (lambda: ak.randint(0, 3, dtype=bool), ValueError),
        (lambda: ak.uniform(3, 5, 1), ValueError),
        (lambda: ak.uniform(-1), ValueError),
        (lambda: ak.randint("a", 5), TypeError),  # type: ignore[arg-type]
        (lambda: ak.randint(0, 5, "x"), TypeError),
        (lambda: ak.randint(0, 5, 1.5), TypeError),
        (lambda: ak.randint(0, 5, seed="a"), TypeError),  # type: ignore[arg-type]
        (lambda: ak.randint(0, 5, seed=1.5), TypeError),  # type: ignore[arg-type]
        (lambda: ak.randint(0, 5, dtype=str), TypeError),
        (lambda: ak.random_strings_uniform(-1, 2, 3), ValueError),
        (lambda: ak.random_strings_uniform(2, 2, 3), ValueError),
        (lambda: ak.random_strings_uniform(1, 2, -3), ValueError),
        (lambda: ak.random_strings_uniform(1.5, 2, 3), TypeError),  # type: ignore[arg-type]
        (lambda: ak.random_strings_uniform(1, 2, 3, "runes"), ValueError),
        (lambda: ak.random_strings_lognormal(2, 0, 3), ValueError),
        (lambda: ak.random_strings_lognormal("a", 1, 3), TypeError),  # type: ignore[arg-type]
    ],
)
def test_draws_that_make_no_sense_are_refused(draw, error):
    with pytest.raises(error) as caught:
        draw()
    assert isinstance(caught.value, ak.AkdaskError)


@pytest.mark.parametrize(
    ("characters", "wanted"),
    [
        ("uppercase", set(string.ascii_uppercase)),
        ("lowercase", set(string.ascii_lowercase)),
        ("numeric", set(string.digits)),
        ("printable", set(map(chr, range(32, 127)))),
        ("binary", set(map(chr, range(1, 128)))),
    ],
)
def test_random_strings_have_their_characters_and_lengths(characters, wanted):
    texts = ak.random_strings_uniform(0, 6, 5_000, characters, seed=1)
    assert isinstance(texts, ak.Strings)
    letters = Counter("".join(texts.tolist()))
    assert set(letters) == wanted
    expected = sum(letters.values()) / len(wanted)
    assert all(abs(count - expected) < 6 * expected**0.5 for count in letters.values())
    lengths = Counter(map(len, texts.tolist()))
    assert set(lengths) == set(range(6))
    assert len(set(texts[texts.get_lengths() == 5].tolist())) > 0.9 * lengths[5] or characters == "numeric"


def test_random_strings_repeat_with_their_seed_whatever_the_partitioning():
    for draw, arguments in [(ak.random_strings_uniform, (1, 9)), (ak.random_strings_lognormal, (2, 0.5))]:
        wanted = draw(*arguments, 1000, seed=3).tolist()
        with ak.config.set(small_array=10):
            cut = draw(*arguments, 1000, seed=3)
            assert cut.npartitions > 1
            assert cut.tolist() == wanted
            assert cut[500:510].tolist() == wanted[500:510]
        assert draw(*arguments, 1000, seed=4).tolist() != wanted
        assert draw(*arguments, 9).tolist() != draw(*arguments, 9).tolist()
        assert draw(*arguments, 0).tolist() == []


def test_logarithms_of_lengths_are_normal():
    lengths = ak.random_strings_lognormal(4, 0.25, 20_000, seed=1).get_lengths().to_ndarray()
    logarithms = np.log(lengths + 0.5)
    assert abs(logarithms.mean() - 4) < 0.01
    assert abs(logarithms.std() - 0.25) < 0.01


@pytest.mark.parametrize("draw", [ak.uniform, ak.standard_normal, lambda size: ak.random_strings_uniform(1, 3, size)])
def test_digits_are_no_size_of_what_is_drawn(draw):
    with pytest.raises(TypeError, match="a size is a whole number"):
        draw("10")
