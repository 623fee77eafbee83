// Delimiters and bytes that are looked for in strings.

#include "text.hpp"

#include <algorithm>

namespace {

using namespace akdask;

// Finds where the delimiter of a number begins in each string, counted from the first byte of the first: that of number
// `times`, from 1 on, of those that do not overlap, from the left, or from the right where `step` is -1.  What is found
// nowhere stays as it is in `found`.
void find_delimiter(Span<const int64_t> offsets, Text text, Text pattern, int64_t times, int64_t step,
                    Span<int64_t> found) {
    require(pattern.size && offsets.size > found.size, "no delimiter, or fewer strings than places");
    int64_t size = static_cast<int64_t>(pattern.size), end = static_cast<int64_t>(text.size);
    for (uint64_t row = 0; row < found.size; ++row) {
        int64_t start = offsets[row] - offsets[0], last = offsets[row + 1] - offsets[0] - size, left = times;
        if (start > last) continue;
        require(start >= 0 && last + size <= end, "strings beyond their text");
        for (int64_t at = step > 0 ? start : last; start <= at && at <= last;) {
            const uint8_t* here = text.data + at;
            if (*here != pattern[0] || std::memcmp(here, pattern.data, pattern.size)) {
                at += step;
            } else if (--left == 0) {
                found[row] = at;
                break;
            } else {
                at += step * size;
            }
        }
    }
}

// Positions that are compared at a time.
constexpr uint64_t STRETCH = 4096;

// Whether a set has one byte alone, and which.
bool has_one(const bool* set, uint8_t& member) {
    int count = 0;
    for (int byte = 0; byte < 256; ++byte) count += set[byte];
    if (count == 1) member = static_cast<uint8_t>(std::find(set, set + 256, true) - set);
    return count == 1;
}

// Marks the strings that contain bytes of the sets, one after the other; one set has a single byte.
void contain(Span<const int64_t> offsets, Text text, Matrix<const bool> sets, Span<bool> found) {
    uint64_t size = sets.rows;
    require(sets.columns == 256 && size, "sets of other bytes");
    require(offsets.size == found.size + 1, "arrays of other lengths");
    require(static_cast<uint64_t>(offsets[found.size] - offsets[0]) <= text.size, "strings beyond their text");
    if (size > text.size) return;
    // All sets are compared where the first and the last that have a single byte fit.
    uint64_t first = 0, last = size - 1;
    uint8_t first_byte = 0, last_byte = 0;
    while (first < size && !has_one(sets[first], first_byte)) ++first;
    require(first < size, "no set has a single byte");
    while (!has_one(sets[last], last_byte)) --last;
    uint64_t nplaces = text.size - size + 1, row = 0;
    const uint8_t *front = text.data + first, *back = text.data + last;
    auto end = [&](uint64_t of) { return static_cast<uint64_t>(offsets[of + 1] - offsets[0]); };
    uint8_t fits[STRETCH + 8];
    for (uint64_t start = 0; start < nplaces; start += STRETCH) {
        uint64_t count = nplaces - start < STRETCH ? nplaces - start : STRETCH;
        for (uint64_t place = 0; place < count; ++place) {
            fits[place] = uint8_t{front[start + place] == first_byte} & uint8_t{back[start + place] == last_byte};
        }
        std::memset(fits + count, 0, 8);
        for (uint64_t eight = 0; eight < count; eight += 8) {
            if (!word_at(fits, eight)) continue;
            for (uint64_t place = start + eight; place < start + eight + 8; ++place) {
                if (!fits[place - start]) continue;
                while (row < found.size && end(row) <= place) ++row;
                if (row == found.size) return;
                bool same = place + size <= end(row);
                for (uint64_t inner = 0; same && inner < size; ++inner) same = sets[inner][text[place + inner]];
                if (same) found[row] = true;
            }
        }
    }
}

// Writes the bytes of each string to a row of characters.
void widen(Span<const int64_t> offsets, Text text, Matrix<uint32_t> characters) {
    require(offsets.size > characters.rows, "fewer strings than rows");
    for (uint64_t row = 0; row < characters.rows; ++row) {
        uint64_t start = static_cast<uint64_t>(offsets[row] - offsets[0]);
        uint64_t length = static_cast<uint64_t>(offsets[row + 1] - offsets[row]);
        require(length <= characters.columns, "strings longer than a row");
        require(start <= text.size && length <= text.size - start, "strings beyond their text");
        for (uint64_t place = 0; place < length; ++place) characters[row][place] = text[start + place];
        for (uint64_t place = length; place < characters.columns; ++place) characters[row][place] = 0;
    }
}

}  // namespace

MODULE("Delimiters and bytes that are looked for in strings.",
       {"find_delimiter", overloads<find_delimiter>},
       {"contain", overloads<contain>},
       {"widen", overloads<widen>})
