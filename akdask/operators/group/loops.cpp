// Rows numbered by group, partitioned by their keys, and reduced.

#include "sort.hpp"
#include "words.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

namespace {

using namespace akdask;

// ------------------------------------------------------------------------------------------- rows in order of their keys

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

// Ranks keys of one slice after the other.  A slice fits the cache, and so does its table of the keys that differ.
class SliceRanks {
public:
    // The words of memory that slices of so many rows take.
    static constexpr uint64_t words_for(uint64_t rows) { return 4 * rows + SLOTS_BEHIND; }

    // Keys of the same word are told apart by the word in `rest`, unless that is empty.
    SliceRanks(Words words, Words rest, Span<int32_t> codes, Span<int64_t> firsts, Span<uint64_t> memory)
        : words(words), rest(rest), codes(codes.data), firsts(firsts.data), memory(memory.data) {}

    // Gives the rows of a slice the ranks of their keys, from `known` on, and notes the first row of each key.  Returns how
    // many keys there are by then.
    uint64_t rank(uint64_t start, uint64_t stop, uint64_t known) {
        Slice slice{start, stop - start, range({words.data + start, stop - start})};
        // More slots than rows cost less than a comparison for each row.
        if (!rest.size && slice.keys.bits < 32 && (uint64_t{1} << slice.keys.bits) <= SLOTS_PER_ROW * slice.size) {
            return rank_distances(slice, known);
        }
        uint64_t different = rest.size ? place<true>(slice) : place<false>(slice);
        return different ? rank_placed(slice, different, known) : rank_sorted(slice, known);
    }

private:
    static constexpr uint64_t SLOTS_PER_ROW = 2, SLOTS_BEHIND = 64, FEW_MOVES = 256;

    struct Slice {
        uint64_t start, size;
        Range keys;
    };

    Words words, rest;
    int32_t* codes;
    int64_t* firsts;
    uint64_t* memory;

    // The first row of each key in the slice, in the order in which they are met; their numbers so in their own order; the
    // rank of each; and the number of the key in a slot, from 1 on, or 0.  All is narrow, to stay in the cache.
    uint32_t* rows(const Slice&) const { return reinterpret_cast<uint32_t*>(memory); }
    uint32_t* sorted(const Slice& slice) const { return rows(slice) + slice.size; }
    uint32_t* ranks(const Slice& slice) const { return sorted(slice) + slice.size; }
    uint32_t* slots(const Slice& slice) const { return ranks(slice) + slice.size; }

    uint64_t rank_distances(const Slice& slice, uint64_t known) {
        const uint64_t* keys = words.data + slice.start;
        int32_t* numbers = codes + slice.start;
        uint32_t* slots = this->slots(slice);
        uint64_t count = uint64_t{1} << slice.keys.bits, low = slice.keys.low;
        std::fill_n(slots, count, 0);
        for (uint64_t row = 0; row < slice.size; ++row) {
            uint32_t& slot = slots[keys[row] - low];
            if (!slot) slot = static_cast<uint32_t>(row + 1);
        }
        for (uint64_t slot = 0; slot < count; ++slot) {
            if (!slots[slot]) continue;
            firsts[known] = static_cast<int64_t>(slice.start + slots[slot] - 1);
            slots[slot] = static_cast<uint32_t>(known++);
        }
        for (uint64_t row = 0; row < slice.size; ++row) numbers[row] = static_cast<int32_t>(slots[keys[row] - low]);
        return known;
    }

    // Places keys by their leading bits, so that slots are almost in their order, and numbers them as they are met.
    // Returns how many differ; 0 where they are not spread so evenly that few are in the place of another one.
    template <bool has_rest>
    uint64_t place(const Slice& slice) {
        uint64_t bits = 1, moves = 0, count = 0;
        while ((uint64_t{1} << bits) < SLOTS_PER_ROW * slice.size) ++bits;
        uint64_t shift = slice.keys.bits > bits ? slice.keys.bits - bits : 0, last = (uint64_t{1} << bits) + SLOTS_BEHIND - 1;
        const uint64_t *keys = words.data + slice.start, *others = has_rest ? rest.data + slice.start : nullptr;
        uint64_t low = slice.keys.low;
        uint32_t *slots = this->slots(slice), *rows = this->rows(slice);
        int32_t* numbers = codes + slice.start;
        std::fill_n(slots, last + 1, 0);
        for (uint64_t row = 0; row < slice.size; ++row) {
            uint64_t word = keys[row], home = (word - low) >> shift, slot = home;
            for (; slots[slot]; ++slot) {
                uint64_t first = rows[slots[slot] - 1];
                if (keys[first] == word && (!has_rest || others[first] == others[row])) break;
                if (slot == last) return 0;
            }
            moves += slot - home;
            if (moves > FEW_MOVES + row) return 0;
            if (!slots[slot]) {
                rows[count++] = static_cast<uint32_t>(row);
                slots[slot] = static_cast<uint32_t>(count);
            }
            numbers[row] = static_cast<int32_t>(slots[slot] - 1);
        }
        return count;
    }

    INLINE uint64_t further(uint64_t row) const { return rest.size ? rest[row] : 0; }

    // Puts ranks in place of the numbers in which keys were met.
    uint64_t rank_placed(const Slice& slice, uint64_t different, uint64_t known) {
        const uint64_t* keys = words.data + slice.start;
        const uint32_t *rows = this->rows(slice), *slots = this->slots(slice);
        uint32_t *sorted = this->sorted(slice), *ranks = this->ranks(slice);
        int32_t* numbers = codes + slice.start;
        auto is_less = [&](uint64_t one, uint64_t other) {
            if (keys[one] != keys[other]) return keys[one] < keys[other];
            return further(slice.start + one) < further(slice.start + other);
        };
        for (uint64_t taken = 0; taken < different; ++slots) {
            if (!*slots) continue;
            uint32_t number = *slots - 1;
            uint64_t at = taken++;
            for (; at && is_less(rows[number], rows[sorted[at - 1]]); --at) sorted[at] = sorted[at - 1];
            sorted[at] = number;
        }
        for (uint64_t rank = 0; rank < different; ++rank) {
            firsts[known + rank] = static_cast<int64_t>(slice.start + rows[sorted[rank]]);
            ranks[sorted[rank]] = static_cast<uint32_t>(known + rank);
        }
        for (uint64_t row = 0; row < slice.size; ++row) {
            numbers[row] = static_cast<int32_t>(ranks[static_cast<uint32_t>(numbers[row])]);
        }
        return known + different;
    }

    // Sorts rows by the leading bits of their keys, which stand before the number of the row in a word, then by all bits.
    uint64_t rank_sorted(const Slice& slice, uint64_t known) {
        uint64_t size = slice.size, shift = 0;
        while (shift < 63 && (uint64_t{1} << shift) < size) ++shift;
        uint64_t lost = slice.keys.bits + shift > 64 ? slice.keys.bits + shift - 64 : 0, mask = (uint64_t{1} << shift) - 1;
        uint64_t *packed = memory, *spare = memory + size;
        for (uint64_t row = 0; row < size; ++row) {
            packed[row] = ((words[slice.start + row] - slice.keys.low) >> lost) << shift | row;
        }
        sort_bits(packed, spare, size, static_cast<unsigned>(shift), 64);
        auto is_before = [&](uint64_t one, uint64_t other) {
            uint64_t row = slice.start + (one & mask), next = slice.start + (other & mask);
            if (words[row] != words[next]) return words[row] < words[next];
            return further(row) != further(next) ? further(row) < further(next) : row < next;
        };
        int32_t* numbers = codes + slice.start;
        for (uint64_t first = 0, end = 0; first < size; first = end) {
            for (end = first + 1; end < size && packed[end] >> shift == packed[first] >> shift; ++end) {}
            // Keys of other rows are not looked at: they lie far from each other.
            bool may_differ = end - first > 1 && (lost || rest.size);
            if (may_differ && !std::is_sorted(packed + first, packed + end, is_before)) {
                std::sort(packed + first, packed + end, is_before);
            }
            for (uint64_t position = first; position < end; ++position) {
                uint64_t row = packed[position] & mask, before = position > first ? packed[position - 1] & mask : row;
                bool differs = may_differ && (words[slice.start + row] != words[slice.start + before] ||
                                              further(slice.start + row) != further(slice.start + before));
                if (position == first || differs) firsts[known++] = static_cast<int64_t>(slice.start + row);
                numbers[row] = static_cast<int32_t>(known - 1);
            }
        }
        return known;
    }
};

// Gives rows the ranks of their keys among those that differ: of a word, and of a further one unless `rest` is empty.
// Slices, whose bounds are given, have ascending ranges of words.  Ranks go on from `count`; the first row of each key is
// noted.  `memory` has 4 words for each row of the largest slice, and 64 more.  Returns how many keys there are by then.
int64_t rank_slices(Words words, Words rest, Span<const int64_t> bounds, uint64_t count, Span<int32_t> codes,
                    Span<int64_t> firsts, Span<uint64_t> memory) {
    require(words.size <= codes.size && words.size <= firsts.size && words.size <= INT32_MAX && count <= words.size,
            "no room for as many rows");
    require(!rest.size || rest.size == words.size, "words of other numbers of rows");
    SliceRanks ranks(words, rest, codes, firsts, memory);
    for (uint64_t slice = 0; slice + 1 < bounds.size; ++slice) {
        uint64_t start = static_cast<uint64_t>(bounds[slice]), stop = static_cast<uint64_t>(bounds[slice + 1]);
        require(start <= stop && stop <= words.size && count <= start, "slices that are not there");
        require(SliceRanks::words_for(stop - start) <= memory.size, "memory for fewer rows");
        if (start < stop) count = ranks.rank(start, stop, count);
    }
    return static_cast<int64_t>(count);
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
       {"count_runs", overloads<count_runs>},
       {"rank_slices", overloads<rank_slices>},
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
