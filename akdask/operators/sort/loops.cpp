// Ranges of keys, keys packed with the numbers of their rows, and the order of text.

#include "text.hpp"
#include "words.hpp"

#include <algorithm>
#include <string_view>

namespace {

using namespace akdask;

// Counts the splitters that are no larger than each word, and of those that are equal, than its row.  The slot of a word
// is its distance from the lowest one, without `shift` bits; `before` has the splitters in the slots before each.
void number_ranges(Words words, Span<const int64_t> rows, Words splitters, Span<const int64_t> splitter_rows,
                   uint64_t low, uint64_t shift, Span<const uint16_t> before, Span<uint16_t> ranges) {
    require(rows.size == words.size && ranges.size == words.size && splitter_rows.size == splitters.size && shift < 64,
            "arrays of other lengths");
    for (uint16_t place : before) require(place <= splitters.size, "a splitter that is not there");
    uint64_t slots = before.size ? before.size - 1 : 0;
    for (uint64_t row = 0; row < words.size; ++row) {
        uint64_t word = words[row], slot = (word - low) >> shift;
        require(slot < slots, "a word beyond the slots");
        uint64_t first = before[slot], stop = before[slot + 1];
        while (first < stop) {
            uint64_t middle = (first + stop) >> 1, splitter = splitters[middle];
            if ((splitter < word) | ((splitter == word) & (splitter_rows[middle] <= rows[row]))) first = middle + 1;
            else stop = middle;
        }
        ranges[row] = static_cast<uint16_t>(first);
    }
}

// Counts words from the lowest; writes all their bits, and all but lost ones above row numbers of `shift` bits.
void pack_rows(Words words, uint64_t low, uint64_t lost, uint64_t shift, Span<const int64_t> rows,
               Span<uint64_t> full_keys, Span<uint64_t> packed) {
    require(rows.size == words.size && full_keys.size == words.size && packed.size == words.size && lost < 64 && shift < 64,
            "arrays of other lengths");
    for (uint64_t row = 0; row < words.size; ++row) {
        uint64_t word = words[row] - low;
        full_keys[row] = word;
        packed[row] = ((word >> lost) << shift) | static_cast<uint64_t>(rows[row]);
    }
}

// Words that are compared with some splitters after the other: they stay in the fastest cache.
constexpr uint64_t NUMBERED = 512;

// Compares words with `count` splitters at a time: takes the splitters that are larger than each word from `found`, and
// adds the words that are no smaller than each splitter to `beyond`.
template <uint64_t count>
void compare_words(const int64_t* words, uint64_t nwords, const uint64_t* splitters, int64_t* found, uint64_t* beyond) {
    int64_t bounds[count], totals[count] = {};
    for (uint64_t number = 0; number < count; ++number) bounds[number] = static_cast<int64_t>(splitters[number] ^ SIGN);
    for (uint64_t row = 0; row < nwords; ++row) {
        int64_t total = 0;
        for (uint64_t number = 0; number < count; ++number) {
            // -1 or 0, as vectors compare.
            int64_t is_before = -static_cast<int64_t>(words[row] < bounds[number]);
            total += is_before;
            totals[number] += is_before;
        }
        found[row] += total;
    }
    for (uint64_t number = 0; number < count; ++number) beyond[number] += nwords + static_cast<uint64_t>(totals[number]);
}

// Counts for each word the splitters, fewer than 256, that are no larger, and for each splitter the words that are no
// smaller.  Words are compared with the bits `flipped` inverted.
void number_words(Words words, uint64_t flipped, Words splitters, Span<uint8_t> numbers, Span<uint64_t> beyond) {
    require(numbers.size == words.size && beyond.size >= splitters.size && splitters.size < 256, "arrays of other lengths");
    constexpr uint64_t SOME = 5;
    int64_t some[NUMBERED], found[NUMBERED];
    for (uint64_t start = 0; start < words.size; start += NUMBERED) {
        uint64_t count = words.size - start < NUMBERED ? words.size - start : NUMBERED, number = 0;
        for (uint64_t row = 0; row < count; ++row) {
            // Processors compare numbers with signs, in whose order words are with their highest bit inverted.
            some[row] = static_cast<int64_t>(words[start + row] ^ flipped ^ SIGN);
            found[row] = static_cast<int64_t>(splitters.size);
        }
        for (; number + SOME <= splitters.size; number += SOME) {
            compare_words<SOME>(some, count, &splitters[number], found, &beyond[number]);
        }
        for (; number < splitters.size; ++number) {
            compare_words<1>(some, count, &splitters[number], found, &beyond[number]);
        }
        for (uint64_t row = 0; row < count; ++row) numbers[start + row] = static_cast<uint8_t>(found[row]);
    }
}

// Finds the range of each number, given its bits, in a table of slots of equal width, some of which are cut into several
// ranges.  `firsts` and `shifts` have for each slot its first range, and the lowest bits that do not tell its ranges
// apart; the numbers of each range are added to `counts`, in two sums, since the next one is often of the same range.
void find_ranges(Words bits, uint64_t flipped, bool are_floats, uint64_t low, uint64_t span, uint64_t shift,
                 Span<const uint16_t> firsts, Span<const uint8_t> shifts, Span<uint16_t> numbers,
                 Matrix<int64_t> counts) {
    require(numbers.size == bits.size && counts.columns == 2 && shift < 64, "arrays of other lengths");
    require((span >> shift) < firsts.size && shifts.size == firsts.size, "a range beyond the slots");
    uint64_t within = (uint64_t{1} << shift) - 1;
    for (uint64_t slot = 0; slot < firsts.size; ++slot) {
        require(shifts[slot] < 64 && firsts[slot] + (within >> shifts[slot]) < counts.rows, "a range that is not there");
    }
    auto find = [&](uint64_t row, uint64_t word, uint64_t sum) {
        uint64_t distance = (word > low ? word : low) - low;
        distance = distance < span ? distance : span;
        uint64_t slot = distance >> shift, number = firsts[slot] + ((distance & within) >> shifts[slot]);
        numbers[row] = static_cast<uint16_t>(number);
        ++counts.data[2 * number + sum];
    };
    auto find_all = [&](auto word_of) {
        uint64_t row = 0;
        for (; row + 2 <= bits.size; row += 2) {
            find(row, word_of(row), 0);
            find(row + 1, word_of(row + 1), 1);
        }
        if (row < bits.size) find(row, word_of(row), 0);
    };
    if (are_floats) find_all([&](uint64_t row) { return float_word(bits[row], flipped); });
    else find_all([&](uint64_t row) { return bits[row] ^ flipped; });
}

// Lowers the numbers of rows that come before splitters whose leading words are theirs, and counts rows by number.
// `words` and `splitters` have a row for each word, the most significant first; rows that equal a splitter are beyond it
// from the row number in `rows` on; `numbers` says how many splitters begin with no larger words than each row.
void number_equals(Matrix<const uint64_t> words, Matrix<const uint64_t> splitters, Span<const int64_t> rows,
                   int64_t first, Span<uint8_t> numbers, Span<int64_t> counts) {
    require(words.rows == splitters.rows && words.rows && words.columns == numbers.size &&
                splitters.columns <= rows.size && splitters.columns < counts.size,
            "arrays of other lengths");
    for (uint64_t row = 0; row < numbers.size; ++row) {
        uint64_t number = numbers[row];
        require(number <= splitters.columns, "a splitter that is not there");
        for (; number && splitters[0][number - 1] == words[0][row]; --number) {
            uint64_t place = 1;
            while (place < words.rows && words[place][row] == splitters[place][number - 1]) ++place;
            if (place == words.rows) {
                if (rows[number - 1] <= first + static_cast<int64_t>(row)) break;
            } else if (splitters[place][number - 1] < words[place][row]) {
                break;
            }
        }
        numbers[row] = static_cast<uint8_t>(number);
        ++counts[number];
    }
}

// Writes each value to the next position of its range; `positions` are moved on.
template <class Number, class Value>
void write_ranges(Span<const Number> numbers, Span<const Value> values, Span<uint64_t> positions, Span<Value> out) {
    require(numbers.size == values.size, "arrays of other lengths");
    for (uint64_t row = 0; row < values.size; ++row) {
        uint64_t number = numbers[row];
        require(number < positions.size && positions[number] < out.size, "a range that is not there");
        out[positions[number]++] = values[row];
    }
}

// Rows of a group up to which each is compared with those before it until its place is found.
constexpr uint64_t FEW = 32;

// Orders the rows of each small group, whose numbers ascend, and finds the large ones whose rows are not all equal:
// `left` tells which rows are in one, and how many is returned.  `words` have a row for each word of what is ordered by.
int64_t order_few(Words groups, Matrix<const uint64_t> words, Span<int64_t> order, Span<bool> left) {
    uint64_t nrows = groups.size, count = 0;
    require(words.rows && words.columns == nrows && order.size == nrows && left.size == nrows, "arrays of other lengths");
    for (uint64_t start = 0, stop; start < nrows; start = stop) {
        for (stop = start + 1; stop < nrows && groups[stop] == groups[start];) ++stop;
        bool is_left = false;
        if (stop - start > FEW) {
            for (uint64_t number = 0; number < words.rows; ++number) {
                for (uint64_t row = start + 1; row < stop; ++row) is_left |= words[number][row] != words[number][start];
            }
        } else {
            for (uint64_t row = start + 1; row < stop; ++row) {
                uint64_t place = row;
                for (; place > start; --place) {
                    uint64_t before = static_cast<uint64_t>(order[place - 1]), number = 0;
                    require(before < nrows, "a row that is not there");
                    while (number < words.rows - 1 && words[number][before] == words[number][row]) ++number;
                    if (words[number][before] <= words[number][row]) break;
                    order[place] = static_cast<int64_t>(before);
                }
                order[place] = static_cast<int64_t>(row);
            }
        }
        for (uint64_t row = start; row < stop; ++row) left[row] = is_left;
        count += is_left ? stop - start : 0;
    }
    return static_cast<int64_t>(count);
}

constexpr uint64_t TEXT_BYTES = 7;  // of a string in one word

// Strings as Arrow has them: the first of `offsets` is that of the first byte of `text`.
struct Strings {
    Span<const int64_t> offsets;
    Text text;

    bool has(uint64_t row) const { return offsets.size && row < offsets.size - 1; }

    // Where a string begins and ends, which is within the text.
    std::pair<uint64_t, uint64_t> bounds(uint64_t row) const {
        require(has(row), "a row that is not there");
        uint64_t start = static_cast<uint64_t>(offsets[row] - offsets[0]);
        uint64_t stop = static_cast<uint64_t>(offsets[row + 1] - offsets[0]);
        require(start <= stop && stop <= text.size, "strings beyond their text");
        return {start, stop};
    }

    // Seven bytes from a depth on, the first in the highest place, and in the lowest how many bytes there are, 8 if the
    // string goes on: words have the order of strings, also of those that end in NUL.
    uint64_t word(uint64_t row, uint64_t depth) const {
        auto [start, stop] = bounds(row);
        uint64_t at = start + depth, left = at < stop ? stop - at : 0;
        uint64_t size = std::min<uint64_t>(left, 8);
        return (swapped(leading_bytes(word_within(text, at), at, stop)) & (LAST << 8)) | size;
    }

    // How many bytes two strings share from a depth on, up to a number.
    uint64_t shared(uint64_t row, uint64_t other, uint64_t depth, uint64_t most) const {
        auto [start, stop] = bounds(row);
        auto [other_start, other_stop] = bounds(other);
        uint64_t shorter = std::min(stop - start, other_stop - other_start);
        if (depth >= shorter) return 0;
        uint64_t size = std::min(shorter - depth, most);
        for (uint64_t at = 0; at < size; at += 8) {
            uint64_t differs = word_within(text, start + depth + at) ^ word_within(text, other_start + depth + at);
            if (differs) return std::min<uint64_t>(size, at + static_cast<uint64_t>(__builtin_ctzll(differs)) / 8);
        }
        return size;
    }

    void prefetch_row(uint64_t row, uint64_t depth) const {
        if (has(row)) prefetch(text.data, static_cast<uint64_t>(offsets[row] - offsets[0]) + depth);
    }
};

// A row, and the word of its text at the depth of its range.
struct Entry {
    uint64_t word, row;
};

// Rows that share so many bytes of their text, by the number of the first and that of the first of the next range.
struct Range {
    uint64_t stop, depth;

    static constexpr uint64_t KNOWN = SIGN;   // marks the depth where the words of rows are known
    static constexpr uint64_t ORDERED = LAST;  // in place of it where rows have the same text
};

constexpr uint64_t NEAR = 8;  // rows whose text is prefetched

// The first bits in which words differ.
struct Digit {
    static constexpr int BITS = 8;
    static constexpr uint64_t VALUES = uint64_t{1} << BITS;

    uint64_t mask = 0;

    explicit Digit(uint64_t differs) {
        for (int bit = 0; bit < BITS && differs; ++bit) {
            uint64_t first = SIGN >> __builtin_clzll(differs);
            mask |= first;
            differs ^= first;
        }
    }

    uint64_t of(uint64_t word) const {
#if defined(__BMI2__)
        return _pext_u64(word, mask);
#else
        uint64_t found = 0, place = 0;
        for (uint64_t left = mask; left; left &= left - 1) {
            found |= uint64_t{(word & left & (0 - left)) != 0} << place++;
        }
        return found;
#endif
    }
};

// Orders the rows of ranges by their text.  Rows of one text stay in their order; `begins` is set for the first of each.
// A range is split by the first digit of the next words in which they differ, and so on, from left to right from `at` on.
// The first half of `entries` has the rows, and the second the range that begins at each, if one does.  Returns where it
// goes on after about so many rows of work.
uint64_t order_text(Span<const int64_t> offsets, Text text, bool descending, uint64_t at, uint64_t work,
                    Matrix<uint64_t> entries, Span<bool> begins) {
    static_assert(sizeof(Entry) == 16 && sizeof(Range) == 16);
    uint64_t nrows = begins.size, inverted = descending ? LAST : 0;
    require(entries.rows == 2 * nrows && entries.columns == 2, "arrays of other lengths");
    Strings strings{offsets, text};
    Entry *rows = reinterpret_cast<Entry*>(entries.data), *moved = rows + nrows;
    Range* ranges = reinterpret_cast<Range*>(moved);
    // Rows of one word share its bytes, or are the same if it is their last.
    auto split_off = [&](uint64_t first, uint64_t stop, uint64_t depth) {
        bool goes_on = ((rows[first].word ^ inverted) & 0xFF) == 8;
        ranges[first] = {stop, goes_on ? depth + TEXT_BYTES : Range::ORDERED};
    };
    while (at < nrows && work) {
        auto [stop, depth] = ranges[at];
        require(at < stop && stop <= nrows, "a range that is not there");
        Entry *begin = rows + at, *end = rows + stop;
        uint64_t size = stop - at;
        work -= std::min(work, size);
        if (size == 1 || depth == Range::ORDERED) {
            for (uint64_t row = at; row < stop; ++row) begins[row] = row == at;
            at = stop;
            continue;
        }
        if (!(depth & Range::KNOWN)) {
            uint64_t most = LAST;
            for (uint64_t row = 1; row < size && most; ++row) {
                if (row + NEAR < size) strings.prefetch_row(begin[row + NEAR].row, depth);
                most = strings.shared(begin[0].row, begin[row].row, depth, most);
            }
            depth += most;
            for (uint64_t row = 0; row < size; ++row) {
                if (row + NEAR < size) strings.prefetch_row(begin[row + NEAR].row, depth);
                begin[row].word = strings.word(begin[row].row, depth) ^ inverted;
            }
        }
        depth &= ~Range::KNOWN;
        if (size <= FEW) {
            for (Entry* entry = begin + 1; entry < end; ++entry) {
                Entry one = *entry, *place = entry;
                for (; place > begin && place[-1].word > one.word; --place) *place = place[-1];
                *place = one;
            }
            for (uint64_t first = at, next; first < stop; first = next) {
                for (next = first + 1; next < stop && rows[next].word == rows[first].word;) ++next;
                split_off(first, next, depth);
            }
            continue;
        }
        uint64_t differs = 0;
        for (Entry* entry = begin + 1; entry < end; ++entry) differs |= entry->word ^ begin->word;
        if (!differs) {
            split_off(at, stop, depth);
            continue;
        }
        Digit digit(differs);
        uint64_t places[Digit::VALUES] = {}, next = at;
        for (Entry* entry = begin; entry < end; ++entry) ++places[digit.of(entry->word)];
        for (uint64_t& place : places) next += std::exchange(place, next);
        for (Entry* entry = begin; entry < end; ++entry) moved[places[digit.of(entry->word)]++] = *entry;
        std::memcpy(begin, moved + at, size * sizeof(Entry));
        uint64_t first = at;
        for (uint64_t place : places) {
            if (place > first) ranges[first] = {place, depth | Range::KNOWN};
            first = place;
        }
    }
    return at;
}

// Narrows ranges of rows, which are ordered by their text, to those whose text is a sought one each.
void search_text(Span<const int64_t> offsets, Text text, Span<const int64_t> sought_offsets, Text sought,
                 bool descending, Span<int64_t> starts, Span<int64_t> stops) {
    require(sought_offsets.size == starts.size + 1 && stops.size == starts.size, "arrays of other lengths");
    Strings strings{offsets, text}, others{sought_offsets, sought};
    for (uint64_t number = 0; number < starts.size; ++number) {
        auto [first, last] = others.bounds(number);
        std::string_view wanted(reinterpret_cast<const char*>(sought.data) + first, last - first);
        // The first row from `start` on that is not before what is sought, or that is behind it.
        auto bound = [&](int64_t start, int64_t stop, bool is_behind) {
            while (start < stop) {
                int64_t middle = start + (stop - start) / 2;
                auto [from, to] = strings.bounds(static_cast<uint64_t>(middle));
                int order = wanted.compare({reinterpret_cast<const char*>(text.data) + from, to - from});
                if (descending) order = -order;
                if (order > 0 || (is_behind && order == 0)) start = middle + 1;
                else stop = middle;
            }
            return start;
        };
        starts[number] = bound(starts[number], stops[number], false);
        stops[number] = bound(starts[number], stops[number], true);
    }
}

}  // namespace

#define FOR_VALUES(number)                                                                                  \
    write_ranges<number, uint64_t>, write_ranges<number, uint32_t>, write_ranges<number, uint16_t>, write_ranges<number, uint8_t>

MODULE("Ranges of keys, keys packed with the numbers of their rows, and the order of text.",
       {"number_ranges", overloads<number_ranges>},
       {"pack_rows", overloads<pack_rows>},
       {"number_words", overloads<number_words>},
       {"find_ranges", overloads<find_ranges>},
       {"number_equals", overloads<number_equals>},
       {"write_ranges", overloads<FOR_VALUES(uint8_t), FOR_VALUES(uint16_t)>},
       {"order_few", overloads<order_few>},
       {"order_text", overloads<order_text>},
       {"search_text", overloads<search_text>})
