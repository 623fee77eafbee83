// 64-bit words of keys and hashes, and how their bits are mixed.

#pragma once

#include "module.hpp"

namespace akdask {

constexpr uint64_t FIRST = 0x9E3779B97F4A7C15, SECOND = 0xD6E8FEB86659FD93;  // factors that mix the bits of words
constexpr uint64_t SIGN = uint64_t{1} << 63;
constexpr uint64_t LAST = ~uint64_t{0};    // the word of NaN, which sorts last
constexpr uint64_t VACANT = ~uint64_t{0};  // the word of an empty slot, where every search ends
constexpr uint64_t NO_ROW = ~uint64_t{0};  // the bits of -1

constexpr uint64_t AHEAD = 64;  // rows that are prefetched before the first of them is read

using Words = Span<const uint64_t>;

INLINE uint64_t mixed(uint64_t word) {
    word *= FIRST;
    word ^= word >> 32;
    word *= SECOND;
    return word ^ (word >> 32);
}

// The word of a float, given its bits, in the order of floats; `inverted` has those that are to be the other way round.
INLINE uint64_t float_word(uint64_t bits, uint64_t inverted) {
    // -0.0 is 0.0; of positive numbers the sign is flipped, of negative ones all bits are.
    uint64_t plain = bits == SIGN ? 0 : bits;
    uint64_t word = plain ^ (SIGN | (0 - (plain >> 63))) ^ inverted;
    return (bits & ~SIGN) > (uint64_t{0x7FF0} << 48) ? LAST : word;
}

// How far a hash is moved to the right for its leading bits to be the number of a slot.
inline uint64_t shift_to_slots(uint64_t size) {
    uint64_t bits = 64;
    for (; size > 1; size >>= 1) --bits;
    return bits;
}

template <class T>
INLINE void prefetch(const T* address) {
    __builtin_prefetch(address);
}

// The same of an item whose number nobody has checked: it may be anywhere.
template <class T>
INLINE void prefetch(const T* items, uint64_t number) {
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(items) + number * sizeof(T)));
}

}  // namespace akdask
