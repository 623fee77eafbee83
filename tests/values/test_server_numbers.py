"""Numbers and orders that a server draws one after the other, beside its rules in plain Python.

The rules are those of Arkouda's ``src/RandMsg.chpl`` and ``src/RandUtil.chpl``, and of Chapel's module Random.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import akdask as ak
from akdask.operators.values import random
from akdask.operators.values.random import order, rows_in_groups, shuffled, step_of

pytestmark = pytest.mark.light

WORD = 2**64
MULTIPLIER = 6364136223846793005
HEADER = Path(random.__file__).with_name("ziggurat.hpp").read_text()


def table(name):
    text = re.search(rf"{name}\[256\] = {{(.*?)}};", HEADER, re.DOTALL)[1]
    read: Callable = (lambda item: int(item, 16)) if name.endswith("LIMITS") else float.fromhex
    return [read(item) for item in text.replace(",", " ").split()]


NORMAL = tuple(table(f"NORMAL_{part}") for part in ("LIMITS", "WIDTHS", "HEIGHTS"))
EXPONENTIAL = tuple(table(f"EXPONENTIAL_{part}") for part in ("LIMITS", "WIDTHS", "HEIGHTS"))
NORMAL_TAIL, EXPONENTIAL_TAIL = 3.6541528853610087963519472518, 7.6971174701310497140446280481


class Half:
    """PCG XSH RR 64/32, one step at a time."""

    def __init__(self, seed, number):
        self.increment = 2 * number + 1
        self.state = ((self.increment + seed) * MULTIPLIER + self.increment) % WORD

    def next(self):
        old, self.state = self.state, (self.state * MULTIPLIER + self.increment) % WORD
        mixed, turn = ((old >> 18 ^ old) >> 27) % 2**32, old >> 59
        return (mixed >> turn | mixed << (-turn & 31)) % 2**32


class Stream:
    def __init__(self, seed, position=0):
        self.halves = Half(seed % WORD, 1), Half(seed % WORD, 2)
        for _ in range(position):
            self.word()

    def word(self):
        return self.halves[0].next() << 32 | self.halves[1].next()

    def uniform(self):
        return float(self.word()) * 2.0**-64

    def between(self, low, high):
        self.halves[0].next()
        # Bounds of tests are small: no number would be drawn again.
        return low + self.halves[1].next() % (high - low + 1)


def normal(floats, words):
    limits, widths, heights = NORMAL
    while True:
        word = words.word()
        layer, sign, steps = word & 255, word >> 8 & 1, word >> 9 & 2**52 - 1
        found = steps * widths[layer] * (-1 if sign else 1)
        if steps < limits[layer]:
            return found
        if layer:
            if (heights[layer - 1] - heights[layer]) * floats.uniform() + heights[layer] < math.exp(
                -0.5 * found * found
            ):
                return found
            continue
        while True:
            beyond = -math.log1p(-floats.uniform()) * 0.27366123732975827203338247596
            height = -math.log1p(-floats.uniform())
            if 2 * height > beyond * beyond:
                return -(NORMAL_TAIL + beyond) if steps >> 8 & 1 else NORMAL_TAIL + beyond


def exponential(floats, words):
    limits, widths, heights = EXPONENTIAL
    while True:
        word = words.word() >> 3
        layer, steps = word & 255, word >> 8
        found = steps * widths[layer]
        if steps < limits[layer]:
            return found
        if not layer:
            return EXPONENTIAL_TAIL - math.log1p(-floats.uniform())
        if (heights[layer - 1] - heights[layer]) * floats.uniform() + heights[layer] < math.exp(-found):
            return found


def logistic(floats, _):
    drawn = floats.uniform()
    return math.log(drawn / (1 - drawn))


def poisson(floats, _, mean):
    count, product = 0, floats.uniform()
    while product > math.exp(-mean):
        count, product = count + 1, product * floats.uniform()
    return count


def gamma(floats, _, shape):
    single_gamma(floats, shape)
    return single_gamma(floats, shape)


def single_gamma(floats, shape):
    if shape in (0.0, 1.0):
        return -math.log1p(-floats.uniform()) if shape else 0.0
    while shape < 1:
        drawn, limit = floats.uniform(), -math.log1p(-floats.uniform())
        if drawn <= 1 - shape:
            if (found := drawn ** (1 / shape)) <= limit:
                return found
        else:
            rest = -math.log((1 - drawn) / shape)
            if (found := (1 - shape + shape * rest) ** (1 / shape)) <= limit + rest:
                return found
    least = shape - 1 / 3
    while True:
        cube = -1.0
        while cube <= 0:
            one, other = floats.uniform(), floats.uniform()
            drawn = math.sqrt(-2 * math.log(one)) * math.cos(2 * math.pi * other)
            cube = 1 + drawn / math.sqrt(9 * least)
        cube, limit = cube**3, floats.uniform()
        if limit < 1 - 0.0331 * drawn**4 or math.log(limit) < 0.5 * drawn**2 + least * (1 - cube + math.log(cube)):
            return least * cube


DISTRIBUTIONS = {
    "stepped_normal": (normal, {}),
    "stepped_exponential": (exponential, {}),
    "stepped_logistic": (logistic, {}),
    "stepped_poisson": (poisson, {"mean": 3.5}),
    "stepped_gamma": (gamma, {"shape": 2.5}),
    "stepped_gamma of a small shape": (gamma, {"shape": 0.4}),
    "stepped_gamma of shape one": (gamma, {"shape": 1.0}),
    "stepped_gamma of shape zero": (gamma, {"shape": 0.0}),
}


def drawn(name, positions, **given_):
    from akdask.engine.operations import OPERATIONS

    return OPERATIONS[name.split()[0]].evaluate(positions, **given_)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_numbers_are_drawn_in_steps_by_the_rules_of_a_server(name):
    draw, parameter = DISTRIBUTIONS[name]
    for seed in (5, 2**62 + 3, -7):
        expected = []
        for number in range(4):
            floats, words = Stream(seed + number), Stream(seed + number)
            expected += [draw(floats, words, *parameter.values()) for _ in range(300)]
        found = drawn(name, np.arange(1200), seed=seed, step=300, **parameter)
        np.testing.assert_allclose(found, expected, rtol=1e-13)
        for begin, end in ((0, 1), (299, 301), (450, 1100), (900, 900)):
            part = drawn(name, np.arange(begin, end), seed=seed, step=300, **parameter)
            assert part.tolist() == found[begin:end].tolist()


def test_tails_are_drawn_too():
    found = drawn("stepped_normal", np.arange(200_000), seed=1, step=2**20)
    assert NORMAL_TAIL < found.max() < 6
    assert -6 < found.min() < -NORMAL_TAIL
    floats, words = Stream(1), Stream(1)
    far = int(np.flatnonzero(np.abs(found) > NORMAL_TAIL)[0])
    assert [normal(floats, words) for _ in range(far + 1)][-1] == pytest.approx(found[far], rel=1e-13)
    found = drawn("stepped_exponential", np.arange(100_000), seed=1, step=2**20)
    far = int(np.flatnonzero(found > EXPONENTIAL_TAIL)[0])
    floats, words = Stream(1), Stream(1)
    assert [exponential(floats, words) for _ in range(far + 1)][-1] == pytest.approx(found[far], rel=1e-13)


def test_layers_of_a_ziggurat_have_the_same_area():
    """The tables beside their definition in 40 digits, from the tail on."""
    with localcontext(prec=40):
        for (limits, widths, heights), tail, bits, density, inverse in (
            (
                NORMAL,
                "3.6541528853610087963519472518",
                52,
                lambda x: (-x * x / 2).exp(),
                lambda y: (-2 * y.ln()).sqrt(),
            ),
            (EXPONENTIAL, "7.6971174701310497140446280481", 53, lambda x: (-x).exp(), lambda y: -y.ln()),
        ):
            edge, steps = Decimal(tail), Decimal(2) ** bits
            area = Decimal(widths[0]) * steps * density(edge)
            assert float(density(edge)) == pytest.approx(heights[255], rel=1e-15)
            for layer in range(255, 0, -1):
                assert float(edge / steps) == pytest.approx(widths[layer], rel=1e-12)
                assert float(density(edge)) == pytest.approx(heights[layer], rel=1e-12)
                if layer > 1:
                    inner = inverse(area / edge + density(edge))
                    assert float(inner / edge * steps) == pytest.approx(limits[layer], rel=1e-12)
                    edge = inner
            assert limits[1] == 0
            assert heights[0] == 1.0


def test_how_many_numbers_are_drawn_at_a_time_is_a_power_of_four():
    for count in (0, 1, 2, 9, 10, 11, 100, 10_000, 10_001, 10**6, 10**6 + 1, 10**9):
        expected = max(256, 2 ** (2 * math.ceil(math.log10(count)))) if count else 256
        assert step_of(count) == expected


# orders


def exchanged(rows, one, other):
    rows[one], rows[other] = rows[other], rows[one]


def by_shuffle(size, seed, begin):
    rows, numbers = list(range(size)), Stream(seed, begin)
    for row in reversed(range(size)):
        exchanged(rows, numbers.between(0, row), row)
    return rows


def by_permute(size, seed, begin):
    rows, numbers = [0] * size, Stream(seed, begin)
    for row in range(size):
        other = numbers.between(0, row)
        rows[row] = rows[other]
        rows[other] = row
    return rows


def shuffle_part(rows, begin, last, bound, numbers):
    for row in range(begin, last + 1):
        exchanged(rows, row, numbers.between(min(row, bound), max(row, bound)))


def by_merge(size, seed, begin):
    rows = list(range(size))
    seed = Stream((Stream(seed, begin).word() << 62) + 1).word()
    least = max(size // 64, min(10, size))
    parts = math.ceil(size / least)
    for part in range(parts):
        last = min(size - 1, (part + 1) * least - 1)
        shuffle_part(rows, part * least, last, last, Stream(seed + part))
    seed += parts
    for turn in range(int(math.log2(parts)) + 1):
        length = least * 2**turn
        pairs = (size - 1) // (2 * length) + 1
        for pair in range(pairs):
            start = pair * 2 * length
            one = min(size - start, length)
            other = min(size - start - one, length)
            last = start + one + other - 1
            floats, taken, stop = Stream(seed + pair), start + one, last
            for row in range(start, last + 1):
                if row == taken or taken > last:
                    stop = row
                    break
                if not floats.uniform() < one / (one + other):
                    exchanged(rows, row, taken)
                    taken += 1
            shuffle_part(rows, stop, last, start, Stream(seed + pair + 1))
        seed += pairs
    return rows


@pytest.mark.parametrize("size", [10, 0, 1, 2, 11, 64, 65, 640, 641, 1000])
@pytest.mark.parametrize("rule", [by_shuffle, by_permute, by_merge])
def test_orders_follow_the_rules_of_a_server(rule, size):
    for seed, begin in ((18, 0), (2**63 - 1, 3)):
        found = order(np.arange(size), method=rule.__name__[3:], seed=seed, begin=begin, size=size)
        assert found.tolist() == (rule(size, seed, begin) if size else [])
    chosen = np.arange(size)[::-3]
    assert order(chosen, method=rule.__name__[3:], seed=18, begin=3, size=size).tolist() == (
        np.array(rule(size, 18, 3) if size else [], int)[chosen].tolist()
    )


def left_turned(word, bits):
    bits %= 64
    return (word << bits | word >> 64 - bits) % WORD


def place_by_network(row, size, key, rounds):
    """Where a row goes, by ``permuteIndexFeistel`` of ``src/RandMsg.chpl``."""
    golden = 0x9E3779B97F4A7C15
    bits = max(1, (size - 1).bit_length())
    half = (bits + bits % 2) // 2
    left, right = row >> half, row & 2**half - 1
    while True:
        for number in range(rounds):
            of_round = left_turned(key ^ golden * (number + 1) % WORD, 7 * number + 13)
            mixed = of_round ^ right ^ left_turned(of_round, number) ^ golden ^ number
            mixed = mixed * golden % WORD
            mixed ^= mixed >> 29 ^ mixed >> 43
            mixed = left_turned(mixed, 17) ^ number * 0xA5A5A5A5A5A5A5A5 % WORD
            left, right = right, left ^ mixed & 2**half - 1
        # The halves change places at the end.
        place = right << half | left
        if place < size:
            return place
        left, right = place >> half, place & 2**half - 1


def by_network(size, key, rounds):
    """The rows in the order of the places that they go to."""
    return sorted(range(size), key=lambda row: place_by_network(row, size, key, rounds))


@given(st.integers(1, 200), st.integers(0, WORD - 1), st.integers(1, 20))
@example(1, 0, 16)
@example(2, 5, 1)
@example(200, WORD - 1, 16)
def test_a_network_is_walked_backwards(size, key, rounds):
    assert shuffled(np.arange(size), key=key, size=size, rounds=rounds).tolist() == by_network(size, key, rounds)


@pytest.mark.parametrize("bits", [20, 33, 40, 61, 62])
def test_networks_of_many_rows_use_all_bits_of_their_hashes(bits):
    for size in (2**bits, 2**bits - 2**bits // 5):
        rows = [0, 1, size // 3, size - 2, size - 1]
        places = np.array([place_by_network(row, size, 0x1234_5678_9ABC_DEF0, 18) for row in rows])
        assert shuffled(places, key=0x1234_5678_9ABC_DEF0, size=size, rounds=18).tolist() == rows


# examples of Arkouda's documentation: ``arkouda/numpy/random``


EXAMPLES = {
    "standard_normal": (17, lambda rng: rng.standard_normal(3),
                        [0.53011556044134911, -0.30288808691027669, -1.1620170409701138]),
    "normal": (17, lambda rng: rng.normal(3, 2.5, 3), [4.3252889011033728, 2.2427797827243081, 0.09495739757471533]),
    "lognormal": (17, lambda rng: rng.lognormal(3, 2.5, 3),
                      [75.587346973566639, 9.4194790331678568, 1.0996120079897966]),
    "logistic": (17, lambda rng: rng.logistic(3, 2.5, 3),
                      [1.1319566682702642, -7.1665150633720014, 7.7208667145173608]),
    "exponential": (1701, lambda rng: rng.exponential(1.0, 3),
                      [0.35023958744297734, 1.3308542074773211, 1.819197246298274]),
    "standard_exponential": (5551212, lambda rng: rng.standard_exponential(3),
                             [0.0036288331189547511, 0.12747464978660919, 2.4564938704378503]),
    "standard_gamma": (17, lambda rng: rng.standard_gamma(1, 3),
                       [0.016990291286171716, 0.21612542775489499, 0.49600147238356695]),
    "poisson": (17, lambda rng: rng.poisson(3, 5), [1, 2, 3, 2, 5]),
    "choice": (1701, lambda rng: rng.choice(ak.arange(10), 5), [6, 5, 1, 6, 3]),
    "permutation": (1984, lambda rng: rng.permutation(ak.arange(10)), [4, 7, 0, 2, 5, 3, 6, 1, 8, 9]),
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_seeds_give_what_arkouda_documents(name):
    seed, draw, expected = EXAMPLES[name]
    np.testing.assert_allclose(draw(ak.random.default_rng(seed)).to_ndarray(), expected, rtol=1e-14)


def test_shuffles_give_what_arkouda_documents_one_after_the_other():
    rng, a = ak.random.default_rng(18), ak.arange(10)
    rng.shuffle(a)
    assert a.tolist() == [0, 8, 2, 7, 9, 4, 6, 3, 5, 1]
    rng.shuffle(a, "MergeShuffle")
    assert a.tolist() == [5, 6, 9, 3, 8, 2, 7, 0, 4, 1]
    rng.shuffle(a, "Feistel", feistel_rounds=18)
    assert a.tolist() == [8, 7, 3, 2, 4, 9, 0, 1, 5, 6]
    rng.shuffle(a, "Feistel", feistel_key=0x1234_5678_9ABC_DEF0, feistel_rounds=18)
    assert a.tolist() == [6, 1, 7, 3, 4, 9, 2, 0, 5, 8]


COUNTS = {
    "standard_normal": (lambda rng: rng.standard_normal(5), 10),
    "box": (lambda rng: rng.standard_normal(5, "box"), 10),
    "exponential": (lambda rng: rng.exponential(2.0, 5), 1),
    "inv": (lambda rng: rng.exponential(2.0, 5, "inv"), 5),
    "logistic": (lambda rng: rng.logistic(0, 1, 5), 1),
    "poisson": (lambda rng: rng.poisson(3.0, 5), 1),
    "poisson of an array": (lambda rng: rng.poisson(ak.array([3.0, 4.0])), 1),
    "gamma": (lambda rng: rng.standard_gamma(3.0, 5), 1),
    "choice": (lambda rng: rng.choice(7, 2), 7),
    "choice by weights": (lambda rng: rng.choice(4, 2, p=ak.array([1, 1, 1, 1])), 4),
    "choice by weights, once": (lambda rng: rng.choice(4, 2, False, ak.array([1, 1, 1, 1])), 4),
    "permutation": (lambda rng: rng.permutation(7), 7),
    "FisherYates": (lambda rng: rng.permutation(7, "FisherYates"), 7),
    "shuffle": (lambda rng: rng.shuffle(ak.arange(7)), 1),
    "Feistel": (lambda rng: rng.shuffle(ak.arange(7), "Feistel"), 1),
    "a key": (lambda rng: rng.shuffle(ak.arange(7), "Feistel", feistel_key=5), 0),
}
"""How many numbers a server counts for a call: ``self._state`` of ``arkouda/numpy/random/generator.py``."""


@pytest.mark.parametrize("name", COUNTS)
def test_the_next_call_begins_where_a_server_does(name):
    call, count = COUNTS[name]
    rng = ak.random.default_rng(3)
    call(rng)
    assert rng.random(2).tolist() == ak.random.default_rng(3).random(count + 2).tolist()[count:]


def test_elements_are_chosen_by_the_numbers_of_the_stream():
    numbers = Stream(8)
    few = list(dict.fromkeys(numbers.between(0, 4999) for _ in range(20)))[:9]
    assert ak.random.default_rng(8).choice(5000, 9, replace=False).tolist() == few
    assert ak.random.default_rng(8).choice(20, 9, replace=False).tolist() == by_shuffle(20, 8, 0)[:9]
    numbers, weights = Stream(8), np.array([0.5, 0.0, 3.0, 1.5])
    expected = np.searchsorted(np.cumsum(weights) / weights.sum(), [numbers.uniform() for _ in range(30)])
    assert ak.random.default_rng(8).choice(4, 30, p=ak.array(weights)).tolist() == expected.tolist()


def by_sampling(size, count, numbers, weights, replace):
    """Rows of a group: ``segmentedSampleMsg`` of ``RandMsg.chpl``, ``sampleDomWeighted`` of ``RandArray.chpl``."""
    drawn, weights = [], None if weights is None else np.array(weights, float)
    while len(drawn) < count:
        if weights is None:
            row = numbers.between(0, size - 1)
        else:
            row = int(np.searchsorted(np.cumsum(weights) / np.cumsum(weights)[-1], numbers.uniform()))
            weights[row] *= replace
        if replace or row not in drawn:
            drawn.append(row)
    return drawn


GROUPS = np.array([3, 1, 3, 1, 1, 7, 3, 1, 1, 1, 7, 1, 1, 1, 1, 1, 1, 1, 1, 1])
ODDS = {
    "none": None, "whole": np.arange(20) % 5 + 1,
    "some 0": np.where(np.arange(20) % 3, 2.5, 0.0) + (np.arange(20) == 6),
    "of all sizes": 10.0 ** np.array([15, *range(-9, 9), -3]),
}  # fmt: skip


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("odds", ODDS)
@pytest.mark.parametrize(("count", "share"), [(2, None), (1, None), (None, 0.5)])
def test_rows_of_groups_are_drawn_by_the_rules_of_a_server(count, share, odds, replace):
    weights = ODDS[odds]
    if odds == "some 0" and not replace:
        count = None if count is None else 1
    expected = []
    for key in np.unique(GROUPS):
        rows = np.flatnonzero(np.equal(GROUPS, key))
        wanted = count or round(len(rows) * share)
        begin = 5 + len(expected)
        of_group = None if weights is None else weights[rows]
        if of_group is None and not replace and wanted >= int(math.log2(len(rows))):
            drawn = by_shuffle(len(rows), 11, begin)[:wanted]
        else:
            drawn = by_sampling(len(rows), wanted, Stream(11, begin), of_group, replace)
        expected += rows[drawn].tolist()
    how = {"n": count, "frac": share, "replace": replace, "weights": None if weights is None else ak.array(weights)}
    for keys in (ak.array(GROUPS), ak.array(GROUPS).repartition(3), ak.array([f"k{key}" for key in GROUPS])):
        rng = ak.random.default_rng(11)
        rng.integers(9, size=5)
        groups, values = ak.GroupBy(keys), ak.arange(20)
        assert groups.sample(values, **how, random_state=rng, permute_samples=True).tolist() == expected
        # The next call goes on after as many numbers as there are rows.
        assert rng.random(1).tolist() == [Stream(11, 25).uniform()]
    first = ak.GroupBy(ak.array(GROUPS[:1])).sample(values[:1], random_state=11, permute_samples=True)
    assert first.tolist() == [0]


def test_samples_of_a_seed_begin_with_its_first_number():
    keys = ak.array(np.arange(300) % 2)
    found = ak.GroupBy(keys).sample(ak.arange(300), n=9, random_state=4, permute_samples=True).tolist()
    expected = [2 * row for row in by_shuffle(150, 4, 0)[:9]] + [2 * row + 1 for row in by_shuffle(150, 4, 9)[:9]]
    assert found == expected
    frame = ak.DataFrame({"k": keys, "x": ak.arange(300)})
    assert frame.groupby("k").sample(n=9, random_state=4)["x"].tolist() == expected


def test_a_refused_sample_takes_no_numbers_of_a_generator():
    rng = ak.random.default_rng(4)
    with pytest.raises(ValueError, match="5 rows cannot be chosen from a group of 2"):
        ak.GroupBy(ak.array([1, 1])).sample(ak.arange(2), n=5, random_state=rng)
    assert rng.random(1).tolist() == [Stream(4).uniform()]


def test_groups_of_no_rows_have_samples_of_none():
    groups = ak.GroupBy(ak.array([], dtype=ak.int64))
    for weights in (None, ak.array([], dtype=ak.float64)):
        assert groups.sample(ak.array([], dtype=ak.float64), weights=weights, random_state=1).tolist() == []


def test_elements_are_chosen_once_by_their_weights():
    weights = np.array([0.5, 0.0, 3.0, 1.5, 1e-3, 8.0])
    expected = by_sampling(6, 5, Stream(8), weights, replace=False)
    assert ak.random.default_rng(8).choice(6, 5, replace=False, p=ak.array(weights)).tolist() == expected
    with pytest.raises(ValueError, match="fewer than 6"):
        ak.random.default_rng(8).choice(6, 6, replace=False, p=ak.array(weights))


@pytest.mark.parametrize(("size", "count"), [(10, 3), (16, 3), (15, 3), (16, 4), (1, 1), (4, 1)])
def test_few_elements_are_drawn_until_none_is_there_twice(size, count):
    is_few = count < math.floor(math.log2(size))
    expected = by_sampling(size, count, Stream(2), None, replace=False) if is_few else by_shuffle(size, 2, 0)[:count]
    assert ak.random.default_rng(2).choice(size, count, replace=False).tolist() == expected
    found = ak.GroupBy(ak.zeros(size, dtype=ak.int64)).sample(
        ak.arange(size), count, random_state=2, permute_samples=True
    )
    assert found.tolist() == expected


def test_orders_of_very_many_rows_are_those_of_random_numbers(monkeypatch):
    monkeypatch.setattr("akdask.arrays.random.ORDER_ROWS", 50)
    for draw in (
        lambda size: ak.random.default_rng(4).permutation(size, "FisherYates"),
        lambda size: ak.random.default_rng(4).choice(size, size, replace=False),
    ):
        assert draw(51).tolist() == np.argsort(ak.random.default_rng(4).random(51).to_ndarray()).tolist()
        assert draw(50).tolist() != np.argsort(ak.random.default_rng(4).random(50).to_ndarray()).tolist()


def test_poisson_numbers_of_large_means_are_not_cut_off():
    found = ak.random.default_rng(1).poisson(2000.0, 1000).to_ndarray()
    assert abs(found.mean() - 2000) < 5 * math.sqrt(2000 / 1000)
    found = ak.random.default_rng(1).poisson(500.0, 1000).to_ndarray()
    assert abs(found.mean() - 500) < 5 * math.sqrt(500 / 1000)


def test_loops_refuse_what_has_no_numbers():
    from akdask.operators.values.loops import draw_gammas, draw_normals, draw_poissons

    for call in (
        lambda: draw_normals(np.empty(2), 0, 0, 0),
        lambda: draw_gammas(np.empty(2), 0, 0, 4, -1.0),
        lambda: draw_gammas(np.empty(2), 0, 0, 4, math.nan),
        lambda: draw_poissons(np.empty(2, np.int64), 0, 0, 4, 800.0),
        lambda: draw_poissons(np.empty(2, np.int64), 0, 0, 4, math.nan),
    ):
        with pytest.raises(ValueError, match=r"^(no|a) "):
            call()


def test_rows_that_no_group_has_are_refused():
    for call in (
        lambda: rows_in_groups(*map(np.array, ([3], [4], [0])), seed=1, replace=False),
        lambda: rows_in_groups(*map(np.array, ([0], [1], [0])), seed=1, replace=True),
        lambda: rows_in_groups(*map(np.array, ([2], [-1, 3], [0])), seed=1, replace=True),
        lambda: rows_in_groups(*map(np.array, ([-1, 2], [1, 1], [0, 0])), seed=1, replace=True),
        lambda: rows_in_groups(*map(np.array, ([2], [1], [0])), seed=1, replace=True, weights=np.zeros(2)),
        lambda: rows_in_groups(*map(np.array, ([2], [2], [0])), seed=1, replace=False, weights=np.array([0.0, 1])),
        lambda: rows_in_groups(*map(np.array, ([2], [1], [0])), seed=1, replace=True, weights=np.ones(1)),
        lambda: rows_in_groups(*map(np.array, ([2], [1], [0])), seed=1, replace=True, weights=np.ones(3)),
    ):
        with pytest.raises(ValueError, match=r"rows|group"):
            call()
