// Words sorted by their bits.

#pragma once

#include <algorithm>
#include <utility>

#include "module.hpp"

namespace akdask {

constexpr uint64_t FEW_WORDS = 64;           // fewer are compared
constexpr uint64_t CACHED_WORDS = 1 << 15;   // so many, and as many spare ones, stay in a core's own cache
constexpr unsigned DIGIT = 8;                // bits by which words are distributed at once
constexpr uint64_t DIGITS = 1 << DIGIT;

// Moves words behind those of smaller digits, equal digits in their order.  Returns the ends of the digits in `ends`.
INLINE void distribute(const uint64_t* words, uint64_t* to, uint64_t size, unsigned at, uint64_t (&ends)[DIGITS]) {
    uint64_t start = 0;
    for (uint64_t& end : ends) start += std::exchange(end, start);
    for (uint64_t row = 0; row < size; ++row) to[ends[words[row] >> at & (DIGITS - 1)]++] = words[row];
}

INLINE void count_digits(const uint64_t* words, uint64_t size, unsigned at, uint64_t (&counts)[DIGITS]) {
    std::fill_n(counts, DIGITS, 0);
    for (uint64_t row = 0; row < size; ++row) ++counts[words[row] >> at & (DIGITS - 1)];
}

// Sorts few words by their bits from `low` to `high`, from the lowest digit on.
inline void sort_cached(uint64_t* words, uint64_t* spare, uint64_t size, unsigned low, unsigned high) {
    uint64_t *from = words, *to = spare;
    for (unsigned at = low; at < high; at += DIGIT) {
        uint64_t counts[DIGITS];
        count_digits(from, size, at, counts);
        if (counts[from[0] >> at & (DIGITS - 1)] == size) continue;
        distribute(from, to, size, at, counts);
        std::swap(from, to);
    }
    if (from != words) std::copy_n(from, size, words);
}

// Sorts words by their bits from `low` to `high`; many are first distributed by the highest digit in which they differ.
inline void sort_bits(uint64_t* words, uint64_t* spare, uint64_t size, unsigned low, unsigned high) {
    if (size <= FEW_WORDS) return std::sort(words, words + size);
    if (size <= CACHED_WORDS) return sort_cached(words, spare, size, low, high);
    uint64_t differing = 0;
    for (uint64_t row = 1; row < size; ++row) differing |= words[row] ^ words[0];
    unsigned top = std::min(high, 64 - static_cast<unsigned>(__builtin_clzll(differing | 1)));
    if (top <= low) return;
    unsigned at = top > low + DIGIT ? top - DIGIT : low;
    uint64_t ends[DIGITS];
    count_digits(words, size, at, ends);
    distribute(words, spare, size, at, ends);
    uint64_t start = 0;
    for (uint64_t end : ends) {
        if (at > low && end - start > 1) sort_bits(spare + start, words + start, end - start, low, at);
        start = end;
    }
    std::copy_n(spare, size, words);
}

}  // namespace akdask
