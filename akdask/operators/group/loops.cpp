// Rows numbered by group, partitioned by their keys, and reduced.

#include "words.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <atomic>
#include <memory>

namespace {

using namespace akdask;

// By how many rows a row is moved to its place, at most and on average: of more, hashing is faster.
constexpr uint64_t MOST_MOVES = 4;

// ------------------------------------------------------------------------------------------- rows in order of their keys

// Writes keys counted from the first, and their bits but lost ones with the row numbers, from some row on.
void pack(Words keys, uint64_t first, uint64_t lost, uint64_t shift, uint64_t start, Span<uint64_t> words,
          Span<uint64_t> packed) {
    uint64_t room = words.size < packed.size ? words.size : packed.size;
    require(keys.size <= room && start <= room - keys.size, "no room for as many keys");
    require(lost < 64 && shift < 64, "bits beyond a word");
    for (uint64_t row = 0; row < keys.size; ++row) {
        uint64_t key = keys[row] - first;
        words[start + row] = key;
        packed[start + row] = ((key >> lost) << shift) | (start + row);
    }
}

struct Range {
    uint64_t low = 0, bits = 0;  // bits that tell words from the lowest; 0 if there are none
};

Range range(Words words) {
    if (!words.size) return {};
    uint64_t low = words[0], high = words[0];
    for (uint64_t word : words) {
        low = word < low ? word : low;
        high = word > high ? word : high;
    }
    Range found{low, 0};
    for (uint64_t span = high - low; span; span >>= 1) ++found.bits;
    return found;
}

// Writes the leading bits of keys of two words with the row numbers; all of the first fit, or nothing is written.
// Returns 1 if all bits of the keys are kept, 0 if not all of the second word, -1 if nothing has been written.
int64_t pack_keys(Words first, Words second, uint64_t shift, Span<uint64_t> packed) {
    require((!first.size || first.size == second.size) && packed.size == second.size, "words of other numbers of rows");
    require(shift < 64, "bits beyond a word");
    Range leading = range(first), following = range(second);
    uint64_t free = 64 - shift;
    if (leading.bits >= free) return -1;
    uint64_t taken = free - leading.bits < following.bits ? free - leading.bits : following.bits;
    uint64_t lost = following.bits - taken;
    for (uint64_t row = 0; row < second.size; ++row) {
        uint64_t key = (second[row] - following.low) >> lost;
        // A shift by all 64 bits is undefined; the first words are all the same then.
        if (first.size) key |= (first[row] - leading.low) << (taken & 63);
        packed[row] = (key << shift) | row;
    }
    return lost ? 0 : 1;
}

// Gives the rows of sorted words the number of their key, and notes the first row of each key.  `rest` has the further
// bits of the keys.  Returns how many keys differ; -1 where bits that the words lack would change the order.
int64_t number_sorted(Words packed, uint64_t shift, Words rest, bool is_complete, Span<int32_t> codes,
                      Span<int64_t> firsts) {
    require(packed.size && packed.size <= codes.size && packed.size <= firsts.size, "no room for as many rows");
    require(shift < 64, "bits beyond a word");
    uint64_t nrows = is_complete || codes.size < rest.size ? codes.size : rest.size;
    uint64_t mask = (uint64_t{1} << shift) - 1, groups = 1, row = packed[0] & mask;
    require(row < nrows, "a row that is not there");
    bool descends = false, is_outside = false;
    firsts[0] = static_cast<int64_t>(row);
    codes[row] = 0;
    uint64_t leading = packed[0] >> shift, further = is_complete ? 1 : rest[row];
    for (uint64_t position = 1; position < packed.size; ++position) {
        row = packed[position] & mask;
        if (row >= nrows) {
            is_outside = true;
            break;
        }
        uint64_t key = packed[position] >> shift, others = is_complete ? 1 : rest[row];
        descends |= (key == leading) & (others < further);
        // Branches would be mispredicted: where no group begins, the next row overwrites what was written.
        firsts[groups] = static_cast<int64_t>(row);
        groups += (key != leading) | (others != further);
        codes[row] = static_cast<int32_t>(groups - 1);
        leading = key;
        further = others;
    }
    require(!is_outside, "a row that is not there");
    return descends ? -1 : static_cast<int64_t>(groups);
}

// Brings the rows of sorted words that have the same leading bits in the order of further ones.  Returns whether that is
// done: of many rows it is not, as hashing is faster.
bool sort_ties(Span<uint64_t> packed, uint64_t shift, Words rest) {
    require(shift < 64, "bits beyond a word");
    uint64_t mask = (uint64_t{1} << shift) - 1, limit = MOST_MOVES * packed.size, moves = 0;
    for (uint64_t entry : packed) require((entry & mask) < rest.size, "a row that is not there");
    for (uint64_t position = 1; position < packed.size; ++position) {
        uint64_t entry = packed[position], at = position;
        if (entry >> shift != packed[at - 1] >> shift) continue;
        uint64_t further = rest[entry & mask];
        for (; at && packed[at - 1] >> shift == entry >> shift && further < rest[packed[at - 1] & mask]; --at) {
            packed[at] = packed[at - 1];
        }
        packed[at] = entry;
        moves += position - at;
        if (moves > limit) return false;
    }
    return true;
}

// Returns -1 where the key of a row is smaller than that of another, 0 where both are the same, else 1.
INLINE int compared(Words keys, Matrix<const uint64_t> others, uint64_t row, uint64_t before) {
    if (keys[row] != keys[before]) return keys[row] < keys[before] ? -1 : 1;
    for (uint64_t number = 0; number < others.rows; ++number) {
        const uint64_t* words = others[number];
        if (words[row] != words[before]) return words[row] < words[before] ? -1 : 1;
    }
    return 0;
}

// Gives rows numbers so by keys of more words: the first in `keys`, the further in rows of `others`.  Keys are looked at
// only where leading bits are the same: mostly few of them are, and keys lie far from each other.  Rows that other bits
// have in another order are moved, unless they are many, where -1 is returned.
int64_t number_sorted_wide(Span<uint64_t> packed, uint64_t shift, Words keys, Matrix<const uint64_t> others,
                           Span<int32_t> codes, Span<int64_t> firsts) {
    uint64_t mask = (uint64_t{1} << (shift & 63)) - 1, nrows = packed.size, groups = 0, moves = 0;
    require(nrows <= codes.size && nrows <= firsts.size && others.columns == keys.size && shift < 64,
            "arrays of other lengths");
    for (uint64_t entry : packed) {
        uint64_t row = entry & mask;
        require(row < keys.size && row < codes.size, "a row that is not there");
    }
    for (uint64_t position = 1, ties = 0; position < nrows; ++position) {
        // Of rows of a run in any order, each is moved by a quarter of its length on average.
        ties = packed[position] >> shift == packed[position - 1] >> shift ? ties + 1 : 0;
        moves += ties;
    }
    if (moves > MOST_MOVES * nrows / 2) return -1;
    moves = 0;
    for (uint64_t start = 0, stop; start < nrows; start = stop) {
        uint64_t leading = packed[start] >> shift;
        for (stop = start + 1; stop < nrows && packed[stop] >> shift == leading;) ++stop;
        for (uint64_t position = start + 1; position < stop; ++position) {
            uint64_t entry = packed[position], at = position;
            for (; at > start && compared(keys, others, entry & mask, packed[at - 1] & mask) < 0; --at) {
                packed[at] = packed[at - 1];
            }
            packed[at] = entry;
            moves += position - at;
            if (moves > MOST_MOVES * nrows) return -1;
        }
        uint64_t before = packed[start] & mask;
        for (uint64_t position = start; position < stop; ++position) {
            uint64_t row = packed[position] & mask;
            if (position == start || compared(keys, others, row, before)) firsts[groups++] = static_cast<int64_t>(row);
            codes[row] = static_cast<int32_t>(groups - 1);
            before = row;
        }
    }
    return static_cast<int64_t>(groups);
}

// Keeps one of each run of equal words, the first ones of `words`, with their numbers.  Returns how many they are.
uint64_t count_runs(Span<uint64_t> words, Span<int64_t> counts) {
    require(counts.size >= words.size, "no room for as many counts");
    if (!words.size) return 0;
    uint64_t runs = 0, start = 0;
    for (uint64_t position = 1; position < words.size; ++position) {
        if (words[position] == words[start]) continue;
        words[runs] = words[start];
        counts[runs++] = static_cast<int64_t>(position - start);
        start = position;
    }
    words[runs] = words[start];
    counts[runs++] = static_cast<int64_t>(words.size - start);
    return runs;
}

// -------------------------------------------------------------------------------------------------- rows of known groups

// Loops over rows of few instructions, which compilers leave as they are.
#if defined(__clang__)
#define FOUR_AT_A_TIME _Pragma("unroll 4")
#else
#define FOUR_AT_A_TIME _Pragma("GCC unroll 4")
#endif

template <class Code>
void count_at(Span<const Code> codes, Span<int64_t> counts) {
    FOUR_AT_A_TIME
    for (Code code : codes) ++counts[checked(code, counts.size)];
}

template <class Code, class Value>
void add_at(Span<const Code> codes, Span<const Value> values, Span<Value> totals) {
    require(codes.size == values.size, "as many groups as values");
    FOUR_AT_A_TIME
    for (uint64_t row = 0; row < codes.size; ++row) totals[checked(codes[row], totals.size)] += values[row];
}

enum class Extreme { least, most, least_known, most_known };

// Finds the smallest or largest value of each group: NaN if there is one, or the one among those that are known.
template <Extreme extreme, class Code, class Value>
void extremes_at(Span<const Code> codes, Span<const Value> values, Span<Value> found) {
    require(codes.size == values.size, "as many groups as values");
    FOUR_AT_A_TIME
    for (uint64_t row = 0; row < codes.size; ++row) {
        uint64_t group = checked(codes[row], found.size);
        Value value = values[row], best = found[group];
        // Two steps: the first becomes one instruction, and the second is mostly guessed right.
        constexpr bool is_least = extreme == Extreme::least || extreme == Extreme::least_known;
        if constexpr (extreme == Extreme::least || extreme == Extreme::most) {
            Value further = (is_least ? best < value : best > value) ? best : value;
            found[group] = best == best ? further : best;
        } else {
            Value further = (is_least ? value < best : value > best) ? value : best;
            found[group] = ((best == best) | (value != value)) ? further : value;
        }
    }
}

// Puts the values of each group side by side, in their order.  `ends` says where those of each group begin, and in the
// end where they end.
template <class Code, class Value>
void arrange(Span<const Code> codes, Span<const Value> values, Span<int64_t> ends, Span<Value> arranged) {
    require(codes.size == values.size, "as many groups as values");
    for (uint64_t row = 0; row < codes.size; ++row) {
        uint64_t group = checked(codes[row], ends.size);
        uint64_t at = checked(ends[group], arranged.size);
        arranged[at] = values[row];
        ends[group] = static_cast<int64_t>(at + 1);
    }
}

// Finds the rows of each group with the smallest words, of equal words those with the smallest positions.  `words` and
// `rows` have `count` places for each group: all the largest word, and -1, at first.
template <class Code>
void keep_first(Span<const Code> codes, Words keys, Span<const int64_t> positions, uint64_t count, Span<uint64_t> words,
                Span<int64_t> rows, uint64_t start, uint64_t stop) {
    require(count && words.size == rows.size, "places of other numbers");
    require(stop <= codes.size && stop <= keys.size && stop <= positions.size, "fewer rows than are looked at");
    uint64_t groups = words.size / count;
    for (uint64_t row = start; row < stop; ++row) {
        uint64_t key = keys[row], first = checked(codes[row], groups) * count, at = first + count - 1;
        // Most rows come behind the last that is kept.
        if (words[at] < key) continue;
        auto comes_before = [&](int64_t other) {
            return other >= 0 && positions[checked(other, positions.size)] < positions[row];
        };
        if (words[at] == key && comes_before(rows[at])) continue;
        for (; at > first; --at) {
            uint64_t before = at - 1;
            int64_t other = rows[before];
            if (other >= 0 && (words[before] < key || (words[before] == key && comes_before(other)))) break;
            words[at] = words[before];
            rows[at] = other;
        }
        words[at] = key;
        rows[at] = static_cast<int64_t>(row);
    }
}

// ------------------------------------------------------------------------------------- few groups: reduced in one pass
// All that a column comes to is adjacent in a slot; the slot of a row is how far its code is from the first.

// Adds the positions of a key to scaled codes, and tells whether all are within the size; `scale` is 0 at first.
template <class Key>
bool encode(Span<const Key> key, uint64_t low, uint64_t size, uint64_t scale, Span<int32_t> codes) {
    require(key.size <= codes.size, "no room for as many codes");
    // Differences of narrow keys wrap around in narrow words as well; more of these are handled at once.
    using Position = std::conditional_t<sizeof(Key) == 8, uint64_t, uint32_t>;
    Position lowest = static_cast<Position>(low), beyond = 0;
    uint32_t furthest = 0;
    auto encoded = [&](uint64_t row) {
        // Half of a word at a time, as few processors find the larger of two words.
        Position position = static_cast<Position>(key[row]) - lowest;
        uint32_t code = static_cast<uint32_t>(position);
        if constexpr (sizeof position == 8) beyond |= position >> 32;
        furthest = code > furthest ? code : furthest;
        return code;
    };
    if (scale) {
        for (uint64_t row = 0; row < key.size; ++row) {
            uint32_t before = static_cast<uint32_t>(codes[row]) * static_cast<uint32_t>(scale);
            codes[row] = static_cast<int32_t>(before + encoded(row));
        }
    } else {
        for (uint64_t row = 0; row < key.size; ++row) codes[row] = static_cast<int32_t>(encoded(row));
    }
    return !key.size || (!beyond && furthest < size);
}

template <class Code>
void count_rows(Span<const Code> codes, uint64_t first, Span<int64_t> slots) {
    FOUR_AT_A_TIME
    for (Code code : codes) slots[checked(code - first, slots.size)] += 1;
}

// Adds values up; NaN are counted apart.
template <class Code, class Value>
void add_values(Span<const Code> codes, uint64_t first, Span<const Value> values, Span<Value> slots,
                Span<int64_t> nans) {
    require(codes.size == values.size && slots.size <= nans.size, "arrays of other lengths");
    FOUR_AT_A_TIME
    for (uint64_t row = 0; row < codes.size; ++row) {
        uint64_t at = checked(codes[row] - first, slots.size);
        Value value = values[row];
        if (value == value) slots[at] += value;
        else ++nans[at];
    }
}

// Adds values up, and counts rows: the first and the second of `width` numbers of a slot; if there are four, the third
// and the fourth are the smallest and the largest value.
template <int width, class Code, class Value>
void count_and_reduce(Span<const Code> codes, uint64_t first, Span<const Value> values, Span<Value> slots,
                      Span<int64_t> nans) {
    require(codes.size == values.size && slots.size <= width * nans.size, "arrays of other lengths");
    uint64_t nslots = slots.size / width;
    FOUR_AT_A_TIME
    for (uint64_t row = 0; row < codes.size; ++row) {
        uint64_t code = checked(codes[row] - first, nslots);
        Value value = values[row], *slot = &slots[width * code];
        slot[1] += 1;
        if (value == value) {
            slot[0] += value;
            if constexpr (width == 4) {
                slot[2] = value < slot[2] ? value : slot[2];
                slot[3] = value > slot[3] ? value : slot[3];
            }
        } else {
            ++nans[code];
        }
    }
}

// ------------------------------------------------------------------------------------------------- radix partitioning
// Writing single values to distant addresses makes the processor read the line around each, and the caches have too few
// lines for all slices.  Values are therefore collected in a line for each slice, which is written past the caches when
// it is full.

constexpr uint64_t LINE = 64;  // bytes that caches and memory exchange

// Finds the slice of each word: its leading bits, counted from those of the first slice.
void lead(Words words, uint64_t shift, uint64_t first, Span<uint16_t> slices) {
    require(words.size <= slices.size && shift < 64, "no room for as many slices");
    for (uint64_t row = 0; row < words.size; ++row) slices[row] = static_cast<uint16_t>((words[row] >> shift) - first);
}

template <class Value>
void put_line(Value* into, const Value* line) {
#if defined(__AVX__)
    const __m256i* from = reinterpret_cast<const __m256i*>(line);
    __m256i* to = reinterpret_cast<__m256i*>(into);
    _mm256_stream_si256(to, _mm256_loadu_si256(from));
    _mm256_stream_si256(to + 1, _mm256_loadu_si256(from + 1));
#elif defined(__SSE2__)
    const __m128i* from = reinterpret_cast<const __m128i*>(line);
    for (int part = 0; part < 4; ++part) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(into) + part, _mm_loadu_si128(from + part));
    }
#else
    std::memcpy(into, line, LINE);
#endif
}

// Writes each row to the next position of its slice, given the first ones, which become those behind the last.
template <class Slice, class Value>
void partition(Span<const Slice> slices, Span<int64_t> starts, Span<const Value> column, Span<Value> target) {
    constexpr uint64_t count = LINE / sizeof(Value), last = count - 1;
    require(slices.size == column.size && target.size >= column.size, "arrays of other lengths");
    // Lines begin where memory says, not where the target does: positions are counted from there.
    uint64_t skipped = reinterpret_cast<uintptr_t>(target.data) % LINE / sizeof(Value);
    auto firsts = std::make_unique<uint64_t[]>(2 * starts.size);
    uint64_t* positions = firsts.get() + starts.size;
    auto lines = std::make_unique<Value[]>(count * starts.size);
    for (uint64_t slice = 0; slice < starts.size; ++slice) {
        require(static_cast<uint64_t>(starts[slice]) <= target.size, "a slice beyond the target");
        firsts[slice] = positions[slice] = static_cast<uint64_t>(starts[slice]) + skipped;
    }
    auto put = [&](uint64_t position, Value value) { target[checked(position - skipped, target.size)] = value; };
    for (uint64_t row = 0; row < column.size; ++row) {
        uint64_t slice = checked(slices[row], starts.size), at = positions[slice]++, within = at & last;
        Value* line = &lines[slice * count];
        line[within] = column[row];
        if (within != last) continue;
        uint64_t start = at - last;
        if (start >= firsts[slice]) {
            checked(at - skipped, target.size);
            put_line(&target[start - skipped], line);
        } else {
            // The line begins with the end of the slice before.
            for (uint64_t item = firsts[slice] - start; item < count; ++item) put(start + item, line[item]);
        }
    }
    for (uint64_t slice = 0; slice < starts.size; ++slice) {
        uint64_t at = positions[slice] & ~last;
        for (at = at < firsts[slice] ? firsts[slice] : at; at < positions[slice]; ++at) {
            put(at, lines[slice * count + (at & last)]);
        }
        starts[slice] = static_cast<int64_t>(positions[slice] - skipped);
    }
    // Other threads see what went past the caches from here on.
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace

#define FOR_CODES(loop) overloads<loop<int32_t>, loop<int64_t>>
#define FOR_CODES_AND_VALUES(loop)                                                                     \
    overloads<loop<int32_t, double>, loop<int32_t, int64_t>, loop<int32_t, uint64_t>, loop<int64_t, double>, \
              loop<int64_t, int64_t>, loop<int64_t, uint64_t>>
#define FOR_EXTREMES(extreme)                                                                     \
    overloads<extremes_at<extreme, int32_t, double>, extremes_at<extreme, int32_t, int64_t>,      \
              extremes_at<extreme, int32_t, uint64_t>, extremes_at<extreme, int64_t, double>,     \
              extremes_at<extreme, int64_t, int64_t>, extremes_at<extreme, int64_t, uint64_t>>
#define FOR_ALL_CODES_AND_VALUES(loop)                                                                          \
    overloads<loop<int32_t, double>, loop<int32_t, int64_t>, loop<int32_t, uint64_t>, loop<uint64_t, double>,   \
              loop<uint64_t, int64_t>, loop<uint64_t, uint64_t>, loop<int64_t, double>, loop<int64_t, int64_t>, \
              loop<int64_t, uint64_t>>
#define FOR_WIDTHS(loop, slice) loop<slice, uint64_t>, loop<slice, uint32_t>, loop<slice, uint16_t>, loop<slice, uint8_t>

template <class Code, class Value>
void count_and_add(akdask::Span<const Code> codes, uint64_t first, akdask::Span<const Value> values,
                   akdask::Span<Value> slots, akdask::Span<int64_t> nans) {
    count_and_reduce<2>(codes, first, values, slots, nans);
}

template <class Code, class Value>
void count_and_compare(akdask::Span<const Code> codes, uint64_t first, akdask::Span<const Value> values,
                       akdask::Span<Value> slots, akdask::Span<int64_t> nans) {
    count_and_reduce<4>(codes, first, values, slots, nans);
}

MODULE("Rows numbered by group, partitioned by their keys, and reduced.",
       {"pack", overloads<pack>},
       {"pack_keys", overloads<pack_keys>},
       {"number_sorted", overloads<number_sorted>},
       {"count_runs", overloads<count_runs>},
       {"sort_ties", overloads<sort_ties>},
       {"number_sorted_wide", overloads<number_sorted_wide>},
       {"count_at", overloads<count_at<int64_t>, count_at<int32_t>, count_at<uint16_t>, count_at<uint8_t>>},
       {"add_at", FOR_CODES_AND_VALUES(add_at)},
       {"minimum_at", FOR_EXTREMES(Extreme::least)},
       {"maximum_at", FOR_EXTREMES(Extreme::most)},
       {"fmin_at", FOR_EXTREMES(Extreme::least_known)},
       {"fmax_at", FOR_EXTREMES(Extreme::most_known)},
       {"arrange", overloads<FOR_WIDTHS(arrange, int64_t), FOR_WIDTHS(arrange, int32_t)>},
       {"keep_first", FOR_CODES(keep_first)},
       {"encode", overloads<encode<int64_t>, encode<uint64_t>, encode<uint8_t>, encode<int32_t>, encode<int16_t>,
                            encode<int8_t>, encode<uint16_t>, encode<uint32_t>>},
       {"count_rows", overloads<count_rows<int64_t>, count_rows<int32_t>, count_rows<uint64_t>>},
       {"add_values", FOR_ALL_CODES_AND_VALUES(add_values)},
       {"count_and_add", FOR_ALL_CODES_AND_VALUES(count_and_add)},
       {"count_and_compare", FOR_ALL_CODES_AND_VALUES(count_and_compare)},
       {"lead", overloads<lead>},
       {"partition", overloads<FOR_WIDTHS(partition, uint8_t), FOR_WIDTHS(partition, uint16_t)>})
