// Rows numbered by group, partitioned by their keys, and reduced.

#include "text.hpp"
#include "words.hpp"

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
    require(start + keys.size <= words.size && start + keys.size <= packed.size, "no room for as many keys");
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
// Returns 1 if all bits of the keys are there, 0 if not all of the second word, -1 if nothing has been written.
int64_t pack_keys(Words first, Words second, uint64_t shift, Span<uint64_t> packed) {
    require((!first.size || first.size == second.size) && packed.size == second.size, "words of other numbers of rows");
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
    require(packed.size <= rest.size || is_complete, "fewer keys than rows");
    uint64_t mask = (uint64_t{1} << shift) - 1, groups = 1, row = packed[0] & mask;
    require(mask < codes.size || row < codes.size, "a row that is not there");
    bool descends = false, is_outside = row >= codes.size;
    firsts[0] = static_cast<int64_t>(row);
    codes[row] = 0;
    uint64_t leading = packed[0] >> shift, further = is_complete ? 1 : rest[row];
    for (uint64_t position = 1; position < packed.size; ++position) {
        row = packed[position] & mask;
        if (row >= codes.size) {
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
    uint64_t mask = (uint64_t{1} << shift) - 1, nrows = packed.size, groups = 0, moves = 0;
    require(nrows <= codes.size && nrows <= firsts.size && others.columns == keys.size, "arrays of other lengths");
    for (uint64_t entry : packed) {
        uint64_t row = entry & mask;
        require(row < keys.size && row < codes.size, "a row that is not there");
    }
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

// --------------------------------------------------------------------------------------------- rows hashed by their keys

// Gives rows the number of their key, in the order in which keys are met, and notes the first row of each key.  `words`
// are the keys, a row of the matrix for each word; `slots` a power of two of them without entries (-1), more than rows.
int64_t number_hashed(Matrix<const uint64_t> words, Span<int32_t> slots, Span<int32_t> codes, Span<int64_t> firsts) {
    uint64_t nrows = words.columns, last = slots.size - 1;
    require(words.rows && nrows <= codes.size && nrows <= firsts.size, "arrays of other lengths");
    require(slots.size > nrows && !(slots.size & last), "a table without a vacant slot");
    int32_t groups = 0;
    for (uint64_t row = 0; row < nrows; ++row) {
        uint64_t hashed = words[0][row] * FIRST;
        for (uint64_t number = 1; number < words.rows; ++number) {
            hashed = ((hashed ^ (hashed >> 32)) + words[number][row]) * SECOND;
        }
        uint64_t slot = ((hashed ^ (hashed >> 32)) * FIRST >> 32) & last;
        int32_t code;
        for (;; slot = (slot + 1) & last) {
            code = slots[slot];
            if (code < 0) {
                code = slots[slot] = groups;
                firsts[static_cast<uint64_t>(groups++)] = static_cast<int64_t>(row);
                break;
            }
            uint64_t first = static_cast<uint64_t>(firsts[static_cast<uint64_t>(code)]), differ = 0;
            for (uint64_t number = 0; number < words.rows; ++number) differ |= words[number][row] ^ words[number][first];
            if (!differ) break;
        }
        codes[row] = code;
    }
    return groups;
}

// Gives numbers to words from a row on, in the order in which they are met; returns the row for which there is no place,
// and how many are known.  A slot of `table` has a word, and its number counted from 1, or 0; `shift` is how far a hash
// is moved to the right for its leading bits to be the place of a slot; `met` gets the row of each new word.
std::tuple<uint64_t, uint64_t> number_words(Words words, uint64_t start, Span<uint64_t> table, uint64_t shift,
                                            Span<uint64_t> met, uint64_t count, Span<int64_t> codes) {
    uint64_t last = table.size - 1;
    require(codes.size >= words.size, "no room for as many codes");
    require(table.size >= 2 && !(table.size & last) && (table.size >> 1) > met.size, "a table without a vacant slot");
    require(shift < 64 && (LAST >> shift) < table.size >> 1, "places of slots beyond the table");
    for (uint64_t row = start; row < words.size; ++row) {
        uint64_t word = words[row];
        uint64_t slot = 2 * (((word ^ (word >> 32)) * FIRST) >> shift);
        while (table[slot + 1] && table[slot] != word) slot = (slot + 2) & last;
        if (!table[slot + 1]) {
            if (count == met.size) return {row, count};
            met[count++] = row;
            table[slot] = word;
            table[slot + 1] = count;
        }
        codes[row] = static_cast<int64_t>(table[slot + 1] - 1);
    }
    return {words.size, count};
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
            found[group] = (best == best) | (value != value) ? further : value;
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
            return other >= 0 && positions[static_cast<uint64_t>(other)] < positions[row];
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
    Position lowest = static_cast<Position>(low), furthest = 0;
    for (uint64_t row = 0; row < key.size; ++row) {
        Position position = static_cast<Position>(key[row]) - lowest;
        furthest = position > furthest ? position : furthest;
        codes[row] = static_cast<int32_t>(static_cast<uint32_t>(codes[row]) * static_cast<uint32_t>(scale) +
                                       static_cast<uint32_t>(position));
    }
    return !key.size || furthest < size;
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
    // What went past the caches is there for other threads from here on.
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

// ------------------------------------------------------------------------------------------------ strings, numbered
// Of a known string there are its length and three tags, its first two words and the last.  They overlap where it is
// shorter than three words, and what lies behind one of fewer than 8 bytes is moved out.  So strings of up to 24 bytes
// take the same steps: the processor loses more by guessing wrong which come next.

constexpr uint64_t BLOCK_ROWS = 256;  // rows of which hashes and tags stay in the core's smallest cache
constexpr uint64_t THIRD = 0xA24BAED4963EE407;
constexpr uint64_t HASH_BITS = ~uint64_t{0} << 32, NUMBER_BITS = ~HASH_BITS;
constexpr uint64_t CACHED_SLOTS = 1 << 14;  // with more of them, never more than half in use, they leave the core's cache

struct Tags {
    uint64_t length, first, second, last;

    uint64_t differ(const Tags& other) const {
        return (length ^ other.length) | (first ^ other.first) | (second ^ other.second) | (last ^ other.last);
    }
};

INLINE uint64_t folded(uint64_t word) { return word ^ (word >> 32); }

INLINE Tags tags_of(const uint8_t* text, uint64_t start, uint64_t stop) {
    uint64_t length = stop - start, last = length < 8 ? start : stop - 8;
    uint64_t second = start + 8 < last ? start + 8 : last, bits = 32 - 4 * (length < 8 ? length : 8);
    auto moved = [&](uint64_t at) { return (word_at(text, at) << bits) << bits; };
    return {length, moved(start), moved(second), moved(last)};
}

INLINE uint64_t hash_of(const uint8_t* text, uint64_t start, uint64_t stop, const Tags& tags) {
    uint64_t found = tags.length + folded(tags.first) * FIRST + folded(tags.second) * SECOND + folded(tags.last) * THIRD;
    for (uint64_t ahead = start + 16; ahead + 8 < stop; ahead += 8) {
        found = (folded(found) ^ word_at(text, ahead)) * SECOND;
    }
    return folded(folded(found) * FIRST);
}

// Gives numbers to strings from a row on; returns the row for which memory is missing, and how many are known.
// `offsets` are the bounds of strings in `text`, behind which MARGIN bytes can be read.  Slots have half of a hash, and
// in the lower half the number of a string, counted from 1.  `tags` are those of known strings, `ends` where they end
// in `known`.
std::tuple<uint64_t, uint64_t> number_strings(Words offsets, Text text, uint64_t first, Span<uint64_t> slots,
                                              Matrix<uint64_t> tags, Span<uint64_t> ends, Span<uint8_t> known,
                                              uint64_t count, Span<uint64_t> numbers) {
    uint64_t base = offsets[0], nrows = offsets.size - 1, last_slot = slots.size - 1;
    require(numbers.size >= nrows && !(slots.size & last_slot), "arrays of other lengths");
    require(tags.columns == 4 && tags.rows >= ends.size && slots.size > ends.size, "tables of other lengths");
    require(count < ends.size, "more strings than there is memory for");
    uint64_t shift = shift_to_slots(slots.size);
    const Tags* known_tags = reinterpret_cast<const Tags*>(tags.data);
    Tags of_rows[BLOCK_ROWS];
    uint64_t hashes[BLOCK_ROWS], misses[BLOCK_ROWS];
    tags[0][0] = LAST;  // an empty slot leads to a length that no string has
    for (; first < nrows;) {
        uint64_t rows = nrows - first < BLOCK_ROWS ? nrows - first : BLOCK_ROWS;
        const uint64_t* bounds = &offsets[first];
        uint64_t longest = 0;
        for (uint64_t row = 0; row < rows; ++row) {
            uint64_t start = bounds[row] - base, stop = bounds[row + 1] - base;
            require(start <= stop && stop + 8 <= text.size, "strings beyond their text");
            longest = stop - start > longest ? stop - start : longest;
        }
        for (uint64_t row = 0; row < (longest <= 8 ? rows : 0); ++row) {
            // All tags are the same word, and the hash is that of longer strings.
            uint64_t start = bounds[row] - base, length = bounds[row + 1] - base - start, bits = 32 - 4 * length;
            uint64_t word = (word_at(text.data, start) << bits) << bits;
            of_rows[row] = {length, word, word, word};
            hashes[row] = folded(folded(length + folded(word) * (FIRST + SECOND + THIRD)) * FIRST);
        }
        for (uint64_t row = 0; row < (longest <= 8 ? 0 : rows); ++row) {
            uint64_t start = bounds[row] - base, stop = bounds[row + 1] - base;
            of_rows[row] = tags_of(text.data, start, stop);
            hashes[row] = hash_of(text.data, start, stop, of_rows[row]);
        }
        if (slots.size > CACHED_SLOTS) {
            // Memory answers for many rows at a time, if none has to be compared before the next is asked for.
            for (uint64_t row = 0; row < rows; ++row) prefetch(&slots[hashes[row] >> shift]);
            for (uint64_t row = 0; row < rows; ++row) prefetch(&known_tags[slots[hashes[row] >> shift] & NUMBER_BITS]);
        }
        // Most are found where they are looked for first.  Nothing is guessed here: a row that is found is written over.
        // Tags do not tell long strings apart.
        uint64_t missed = 0;
        for (; longest > 24 && missed < rows; ++missed) misses[missed] = missed;
        for (uint64_t row = missed; row < rows; ++row) {
            uint64_t number = slots[hashes[row] >> shift] & NUMBER_BITS;
            numbers[first + row] = number - 1;
            misses[missed] = row;
            missed += of_rows[row].differ(known_tags[number]) != 0;
        }
        for (uint64_t miss = 0; miss < missed; ++miss) {
            uint64_t row = misses[miss];
            const Tags& wanted = of_rows[row];
            uint64_t half = hashes[row] & HASH_BITS, start = bounds[row] - base, length = wanted.length;
            uint64_t slot = hashes[row] >> shift, entry;
            for (;; slot = (slot + 1) & last_slot) {
                entry = slots[slot];
                if (!entry) {
                    uint64_t used = ends[count];
                    if (count + 1 == ends.size || used + length + 8 > known.size) return {first + row, count};
                    std::memcpy(&known[used], text.data + start, length);
                    ++count;
                    entry = slots[slot] = half | count;
                    ends[count] = used + length;
                    std::memcpy(tags[count], &wanted, sizeof wanted);
                    break;
                }
                if ((entry & HASH_BITS) != half) continue;
                uint64_t number = entry & NUMBER_BITS;
                if (wanted.differ(known_tags[number])) continue;
                if (length <= 24 || !std::memcmp(text.data + start, &known[ends[number - 1]], length)) break;
            }
            numbers[first + row] = (entry & NUMBER_BITS) - 1;
        }
        first += rows;
    }
    return {nrows, count};
}

// Puts the entries of a table of strings into a larger one.
void move_slots(Words slots, Span<uint64_t> into) {
    uint64_t last = into.size - 1, shift = shift_to_slots(into.size);
    require(!(into.size & last) && into.size > slots.size, "no larger table");
    for (uint64_t entry : slots) {
        if (!entry) continue;
        uint64_t slot = entry >> shift;
        while (into[slot]) slot = (slot + 1) & last;
        into[slot] = entry;
    }
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
       {"sort_ties", overloads<sort_ties>},
       {"number_sorted_wide", overloads<number_sorted_wide>},
       {"number_hashed", overloads<number_hashed>},
       {"number_words", overloads<number_words>},
       {"number_strings", overloads<number_strings>},
       {"move_slots", overloads<move_slots>},
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
