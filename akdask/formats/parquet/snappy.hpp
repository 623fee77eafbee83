// Data packed by Snappy.

#pragma once

#include "thrift.hpp"

namespace {

constexpr uint64_t PAGE_MARGIN = 2 * CHUNK;  // bytes read and written beyond the end of packed and unpacked data

// Copies earlier output, `back` bytes before; it may overlap what it writes, up to 16 bytes behind its end.
INLINE void repeat(uint8_t* into, uint64_t back, uint64_t length) {
    uint8_t* end = into + length;
    if (back >= 16) {
        for (; into < end; into += 16) std::memcpy(into, into - back, 16);
        return;
    }
    // What overlaps repeats, so twice as many bytes can be copied each time.
    const uint8_t* from = into - back;
    for (; back < 8 && into < end; into += back, back *= 2) put_word(into, 0, word_at(from, 0));
    for (; into < end; into += 8) put_word(into, 0, word_at(into - back, 0));
}

// Unpacks numbers of eight bytes whose last ones are those of the number before: a literal of the others, and a copy.
// The number before is at hand, and not waited for: memory would first have to put it together of two writes.
INLINE void unpack_near_numbers(const uint8_t* data, uint64_t& at, uint64_t last, uint8_t* into, uint64_t& done, uint64_t size) {
    constexpr uint64_t BACK = 8, LONGEST_ELEMENTS = 3 + BACK;
    uint64_t number = word_at(into, done - BACK);
    while (last - at >= LONGEST_ELEMENTS && size - done >= BACK) {
        uint64_t word = once(word_at(data, at)), tag = word & 255, bits = 8 * ((tag >> 2) + 1);
        // The tag of a literal of up to four bytes, and behind it that of a copy of the others, from eight bytes before.
        if (tag & ~uint64_t{12} || (word >> 8 >> bits & 0xFFFF) != (BACK << 8 | (12 - tag) | 1)) return;
        uint64_t literal = (uint64_t{1} << bits) - 1;
        number = (word >> 8 & literal) | (number & ~literal);
        put_word(into, done, number);
        at += (bits >> 3) + 3;
        done += BACK;
    }
}

// Where an unpacking is: places in the packed and in the unpacked data, whose ends are `last` and `size`.
struct Unpacking {
    const uint8_t* data;
    uint64_t at, last;
    uint8_t* into;
    uint64_t done, size;

    // Copies bytes from `back` bytes before; false if there are fewer, or no room.
    INLINE bool copy(uint64_t back, uint64_t length) {
        if (back - 1 >= done || length > size - done) return false;
        repeat(into + done, back, length);
        done += length;
        return true;
    }

    // Where a copy of the first two kinds is from, and its length.  Which of these it is cannot be guessed, so that both
    // are looked at.
    INLINE static void read_copy(uint64_t word, uint64_t kind, uint64_t& back, uint64_t& length) {
        uint64_t near = 0 - (kind & 1);
        back = (((word & 0xE0) << 3 | (word >> 8 & 0xFF)) & near) | (word >> 8 & 0xFFFF & ~near);
        length = ((4 + (word >> 2 & 7)) & near) | (((word >> 2 & 63) + 1) & ~near);
    }

    // Unpacks an element; false if it is damaged.
    bool element() {
        uint64_t word = once(word_at(data, at)), kind = word & 3, length = ((word & 255) >> 2) + 1, back;
        uint64_t nbytes = kind == 3 ? 5 : kind + 1;
        if (nbytes > last - at) return false;
        at += nbytes;
        if (kind) {
            if (kind == 3) back = word >> 8 & 0xFFFFFFFF;
            else read_copy(word, kind, back, length);
            return copy(back, length);
        }
        // A literal: its length is in the tag, or in one to four bytes behind it.
        if (length > 60) {
            uint64_t extra = length - 60;
            if (extra > last - at) return false;
            length = ((word >> 8) & ((uint64_t{1} << (8 * extra)) - 1)) + 1;
            at += extra;
        }
        if (length > last - at || length > size - done) return false;
        for (uint64_t ahead = 0; ahead < length; ahead += CHUNK) copy_chunk(data + at + ahead, into + done + ahead);
        at += length;
        done += length;
        return true;
    }

    // Unpacks short elements, before one that is long, of the third kind, or near an end; false if one is damaged.
    bool short_elements() {
        constexpr uint64_t FEW = 4, SHORT = 16;  // bytes of a literal in one word with a copy behind it, and of a short one
        constexpr uint64_t LONGEST_COPY = 64, LONGEST_TAG = 3;
        while (last - at >= 1 + SHORT + LONGEST_TAG && size - done >= SHORT + LONGEST_COPY) {
            uint64_t word = once(word_at(data, at)), back, length;
            if (!(word & 3)) {
                length = ((word & 255) >> 2) + 1;
                if (length > SHORT) return true;
                at += length + 1;
                if (length > FEW) {
                    std::memcpy(into + done, data + at - length, SHORT);
                    done += length;
                    continue;
                }
                // Numbers are short literals and copies in turn: the next tag is at hand, and not waited for.
                put_word(into, done, word >> 8);
                done += length;
                word = word >> 16 >> 2 * (word & 0xFC);
                if (!(word & 3)) continue;
            }
            uint64_t kind = word & 3;
            if (kind == 3) return true;
            read_copy(word, kind, back, length);
            at += kind + 1;
            if (back - 1 >= done) return false;
            if (back >= SHORT && length <= SHORT) std::memcpy(into + done, into + done - back, SHORT);
            else repeat(into + done, back, length);
            done += length;
            if (back == 8) unpack_near_numbers(data, at, last, into, done, size);
        }
        return true;
    }
};

// Unpacks Snappy data, behind which PAGE_MARGIN bytes can be read; false unless its length agrees with its header.
bool unpack_snappy(const uint8_t* data, uint64_t at, uint64_t last, Span<uint8_t> memory, uint64_t size) {
    uint64_t claimed;
    if (!varint(data, at, last, 28, claimed) || claimed != size || size + PAGE_MARGIN > memory.size) return false;
    // Bytes written beyond the end of each element are overwritten, or lie in the margin.
    Unpacking all{data, at, last, memory.data, 0, size};
    while (all.at < last) {
        if (!all.short_elements() || (all.at < last && !all.element())) return false;
    }
    return all.done == size;
}

}  // namespace
