// Structures in Thrift's compact protocol: the few fields of headers of pages, and all of footers.

#pragma once

#include "text.hpp"

#include <array>

namespace {

using namespace akdask;

// Reads a number of seven bits a byte; returns whether it ends in time.
bool varint(const uint8_t* text, uint64_t& at, uint64_t stop, uint64_t most_shift, uint64_t& number) {
    number = 0;
    for (uint64_t shift = 0;; shift += 7) {
        if (at >= stop || shift > most_shift) return false;
        uint64_t byte = once(uint64_t{text[at++]});
        number |= (byte & 127) << shift;
        if (byte < 128) return true;
    }
}

constexpr int NUMBERS = 9;  // the first fields of a structure are kept
constexpr int DEEPEST = 4;  // structures within structures
enum Wire { TRUE = 1, FALSE = 2, INT16 = 4, INT64 = 6, DOUBLE = 7, BINARY = 8, STRUCT = 12 };

// The first fields of a structure by their numbers: their types, and integers or the places where structures begin.
struct Fields {
    std::array<int, NUMBERS> kinds{};
    std::array<int64_t, NUMBERS> values{};

    int64_t integer(int number) const {
        return kinds[number] >= INT16 && kinds[number] <= INT64 ? values[number] : -1;
    }
};

// Reads a structure in Thrift's compact protocol, and moves behind it.  Returns false for one that is cut short, damaged,
// or has what headers rarely have: lists, bytes, fields in another order.
bool read_fields(const uint8_t* text, uint64_t& at, uint64_t stop, Fields& found, int depth = 0) {
    uint64_t number = 0, raw;
    while (at < stop) {
        uint8_t head = text[at++];
        if (!head) return true;
        if (!(head >> 4)) return false;
        number += head >> 4;
        int kind = head & 15;
        int64_t value = 0;
        if (kind >= INT16 && kind <= INT64) {
            if (!varint(text, at, stop, 56, raw)) return false;
            value = static_cast<int64_t>(raw >> 1) ^ -static_cast<int64_t>(raw & 1);
        } else if (kind == DOUBLE || kind == BINARY) {
            raw = 8;
            if (kind == BINARY && !varint(text, at, stop, 35, raw)) return false;
            if (raw > stop - at) return false;
            at += raw;
        } else if (kind == STRUCT && depth < DEEPEST) {
            value = static_cast<int64_t>(at);
            Fields within;
            if (!read_fields(text, at, stop, within, depth + 1)) return false;
        } else if (kind != TRUE && kind != FALSE) {
            return false;
        }
        if (number < NUMBERS) {
            found.kinds[number] = kind;
            found.values[number] = value;
        }
    }
    return false;
}

// Reads structures of Thrift's compact protocol; `is_plain` ends where something is other than writers have it.
struct Structures {
    const uint8_t* at;
    const uint8_t* end;
    bool is_plain = true;

    enum Kind : uint8_t { YES = 1, NO, BYTE, SHORT, INT, LONG, DOUBLE, BINARY, LIST, SET, STRUCT = 12 };
    static constexpr int DEEPEST = 12;

    uint64_t left() const { return static_cast<uint64_t>(end - at); }

    uint8_t byte() {
        is_plain = is_plain && at < end;
        return is_plain ? *at++ : 0;
    }

    uint64_t number() {
        uint64_t found = 0;
        for (int shift = 0; shift < 63; shift += 7) {
            uint8_t part = byte();
            found |= static_cast<uint64_t>(part & 127) << shift;
            if (part < 128) return found;
        }
        // The tenth byte has the last bit alone.
        uint8_t last = byte();
        is_plain = is_plain && last < 2;
        return found | static_cast<uint64_t>(last) << 63;
    }

    int64_t integer() {
        uint64_t found = number();
        return static_cast<int64_t>((found >> 1) ^ (0 - (found & 1)));
    }

    void skip_bytes(uint64_t count) {
        is_plain = is_plain && count <= left();
        if (is_plain) at += count;
    }

    // Returns the number of items of a list, and notes their kind.
    uint64_t count_items(uint8_t& kind) {
        uint8_t head = byte();
        uint64_t count = head >> 4 == 15 ? number() : head >> 4;
        kind = head & 15;
        is_plain = is_plain && count <= left();
        return is_plain ? count : 0;
    }

    uint64_t count_structures() {
        uint8_t kind = 0;
        uint64_t count = count_items(kind);
        is_plain = is_plain && kind == STRUCT;
        return is_plain ? count : 0;
    }

    // Calls a function with the number and the kind of each field, which reads its value or returns false.
    template <class Read>
    void fields(int depth, Read read) {
        int64_t field = 0;
        is_plain = is_plain && depth <= DEEPEST;
        while (uint8_t head = byte()) {
            field = head >> 4 ? field + (head >> 4) : integer();
            is_plain = is_plain && field >= 0 && field < 1 << 20;
            uint8_t kind = head & 15;
            if (is_plain && !read(field, kind) && kind != YES && kind != NO) skip(kind, depth);
        }
    }

    void skip(uint8_t kind, int depth) {
        if (kind == YES || kind == NO || kind == BYTE) {  // bools inside of lists
            skip_bytes(1);
        } else if (kind == SHORT || kind == INT || kind == LONG) {
            number();
        } else if (kind == DOUBLE) {
            skip_bytes(8);
        } else if (kind == BINARY) {
            skip_bytes(number());
        } else if (kind == LIST || kind == SET) {
            uint8_t item = 0;
            uint64_t count = count_items(item);
            is_plain = is_plain && depth <= DEEPEST;
            for (uint64_t each = 0; is_plain && each < count; ++each) skip(item, depth + 1);
        } else {
            is_plain = is_plain && kind == STRUCT;
            if (is_plain) fields(depth + 1, [](int64_t, uint8_t) { return false; });
        }
    }
};

}  // namespace
