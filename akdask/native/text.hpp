// Words and chunks of text, which begin at any byte.

#pragma once

#include "module.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace akdask {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words of text are read as little-endian processors do");

using Text = Span<const uint8_t>;

constexpr uint64_t CHUNK = 32;   // bytes that are copied at a time: most strings are no longer
constexpr uint64_t MARGIN = 72;  // bytes that callers make readable behind the end of the last string

INLINE uint64_t word_at(const uint8_t* text, uint64_t at) {
    uint64_t word;
    std::memcpy(&word, text + at, sizeof word);
    return word;
}

// A value that was read from memory which others may write to: it is not read again after it was checked.
template <class Value>
INLINE Value once(Value value) {
    asm("" : "+r"(value));
    return value;
}

// A word, with 0 in place of bytes behind the end of all text.
INLINE uint64_t word_within(const Text& text, uint64_t at) {
    if (at + 8 <= text.size) return word_at(text.data, at);
    uint64_t word = 0;
    if (at < text.size) std::memcpy(&word, text.data + at, text.size - at);
    return word;
}

INLINE void put_word(uint8_t* text, uint64_t at, uint64_t word) { std::memcpy(text + at, &word, sizeof word); }

INLINE uint64_t swapped(uint64_t word) { return __builtin_bswap64(word); }

// A word that begins at a byte of a string, without the bytes behind its end.
INLINE uint64_t leading_bytes(uint64_t word, uint64_t at, uint64_t stop) {
    uint64_t left = (stop - at) & (0 - uint64_t{at < stop});
    // Half of the places twice, for a shift by all 64 is undefined.  There are no branches, as lengths cannot be guessed.
    uint64_t shift = 32 - 4 * (left < 8 ? left : 8);
    return word & ((~uint64_t{0} >> shift) >> shift);
}

INLINE void copy_chunk(const uint8_t* from, uint8_t* into) { std::memcpy(into, from, CHUNK); }

// Copies a chunk, and returns a bit for each byte that is NUL, or, if `or_not_ascii`, has its highest bit set.
template <bool or_not_ascii>
INLINE uint64_t copy_and_find(const uint8_t* from, uint8_t* into) {
#if defined(__AVX2__)
    __m256i chunk = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(into), chunk);
    uint32_t found = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(chunk, _mm256_setzero_si256())));
    if (or_not_ascii) found |= static_cast<uint32_t>(_mm256_movemask_epi8(chunk));
    return found;
#elif defined(__SSE2__)
    uint64_t found = 0;
    for (int half = 0; half < 2; ++half) {
        __m128i chunk = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from) + half);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(into) + half, chunk);
        int bits = _mm_movemask_epi8(_mm_cmpeq_epi8(chunk, _mm_setzero_si128()));
        if (or_not_ascii) bits |= _mm_movemask_epi8(chunk);
        found |= static_cast<uint64_t>(static_cast<uint32_t>(bits)) << (16 * half);
    }
    return found;
#else
    uint8_t chunk[CHUNK];
    std::memcpy(chunk, from, CHUNK);
    std::memcpy(into, chunk, CHUNK);
    uint64_t found = 0;
    for (uint64_t at = 0; at < CHUNK; ++at) {
        found |= uint64_t{chunk[at] == 0 || (or_not_ascii && chunk[at] > 127)} << at;
    }
    return found;
#endif
}

// A set of characters of ASCII, given by a mark for each.
class AsciiSet {
  public:
    explicit AsciiSet(const bool* marks) {
        for (int byte = 0; byte < 128; ++byte) {
            if (marks[byte]) rows_[byte % 16] |= static_cast<uint8_t>(1 << (byte / 16));
        }
    }

    // A bit for each byte of a chunk that is in the set.
    uint64_t members(const uint8_t* chunk) const {
#if defined(__AVX2__)
        auto twice = [](const uint8_t* half) {
            return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(half)));
        };
        __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(chunk)), low = _mm256_set1_epi8(15);
        __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low);
        __m256i rows = _mm256_shuffle_epi8(twice(rows_), _mm256_and_si256(bytes, low));
        __m256i found = _mm256_and_si256(rows, _mm256_shuffle_epi8(twice(BITS), high));
        return ~static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(found, _mm256_setzero_si256()))) & 0xFFFFFFFF;
#else
        uint64_t found = 0;
        for (uint64_t at = 0; at < CHUNK; ++at) {
            found |= uint64_t{(rows_[chunk[at] % 16] & BITS[chunk[at] / 16]) != 0} << at;
        }
        return found;
#endif
    }

  private:
    static constexpr uint8_t BITS[16] = {1, 2, 4, 8, 16, 32, 64, 128};

    uint8_t rows_[16] = {};  // for each lower half of a byte, the upper halves
};

}  // namespace akdask
