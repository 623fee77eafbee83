// Words of keys: their extremes, those of floats, the codes and hashes of strings; tables of words and of strings.

#include "text.hpp"
#include "sort.hpp"
#include "words.hpp"

#include <algorithm>
#include <utility>

namespace {

using namespace akdask;

// Returns the smallest and the largest of some numbers, at least one, in one pass through memory.
template <class Number>
std::tuple<Number, Number> least_and_most(Span<const Number> numbers) {
    require(numbers.size > 0, "no numbers");
    Number least = numbers[0], most = numbers[0];
    for (Number number : numbers) {
        least = number < least ? number : least;
        most = number > most ? number : most;
    }
    return {least, most};
}

// Writes the words of floats, given their bits; `inverted` has those that are to be the other way round.
void float_words(Words bits, uint64_t inverted, Span<uint64_t> words) {
    require(words.size >= bits.size, "no room for as many words");
    for (uint64_t row = 0; row < bits.size; ++row) words[row] = float_word(bits[row], inverted);
}

// ------------------------------------------------------------------------------------------------- order of words

// Appends bits of words, counted from the lowest and without the last ones, `lost` of them, to codes.
void append_bits(Words words, uint64_t low, uint64_t lost, uint64_t bits, Span<uint64_t> codes) {
    require(words.size == codes.size, "words of other numbers of rows");
    require(lost < 64 && bits <= 64, "bits beyond a word");
    for (uint64_t row = 0; row < codes.size; ++row) {
        // A shift by all 64 bits is undefined.
        uint64_t before = bits < 64 ? codes[row] << bits : 0;
        codes[row] = before | ((words[row] - low) >> lost);
    }
}

// Sorts words, whose lowest bits, `low` of them, ascend already among words that are equal in the others.
void sort_words(Span<uint64_t> words, Span<uint64_t> spare, uint64_t low) {
    require(spare.size >= words.size, "no room for as many words");
    require(low < 64, "no bits to sort by");
    sort_bits(words.data, spare.data, words.size, static_cast<unsigned>(low), 64);
}

// ------------------------------------------------------------------------------------------------- codes of strings

constexpr uint64_t ROWS_PER_STEP = 1024;  // they take each step together, so that the data of a step is in the cache

// Where strings are, in text behind which MARGIN bytes can be read.
struct Strings {
    Words offsets;
    Text text;

    Strings(Words bounds, Text bytes) : offsets(bounds), text(bytes) {
        require(offsets.size && text.size >= MARGIN, "strings without a margin");
        for (uint64_t row = 0; row + 1 < offsets.size; ++row) require(offsets[row] <= offsets[row + 1], "offsets descend");
        require(offsets[offsets.size - 1] - offsets[0] <= text.size - MARGIN, "strings beyond their text");
    }

    INLINE uint64_t count() const { return offsets.size - 1; }
    INLINE uint64_t start(uint64_t row) const { return offsets[row] - offsets[0]; }
    INLINE uint64_t length(uint64_t row) const { return offsets[row + 1] - offsets[row]; }

    // The word that begins so many bytes ahead, its first byte in the highest place, without what is behind the end.  It
    // may begin behind the end, up to where MARGIN bytes are.
    INLINE uint64_t word(uint64_t row, uint64_t ahead) const {
        uint64_t at = start(row) + ahead;
        return swapped(leading_bytes(word_at(text.data, at), at, start(row + 1)));
    }
};

// Writes strings as codes, which are made of some bits of their words.  Returns the lengths of the shortest and of the
// longest string, and whether the codes are whole: all lengths are within the bounds, and no bits are odd.
//
// common          the words of one of the strings
// masks, moves    which bits are wanted of each word, and which of them move right by 1, 2, 4, … places to come together
// bits, into      how many bits of each word, and last of the length, go to which code
// codes, start    a row for each code; filled from some column on
// odd             filled with the bits of each word that are not wanted, and differ from those of `common` in a string
std::tuple<uint64_t, uint64_t, bool> encode(Words offsets, Text text, uint64_t shortest, uint64_t longest, Words common,
                                            Words masks, Matrix<const uint64_t> moves, Words bits, Words into,
                                            Matrix<uint64_t> codes, uint64_t start, Span<uint64_t> odd) {
    Strings strings(offsets, text);
    uint64_t count = masks.size, nrows = strings.count(), least = LAST, most = 0, differing = 0;
    require(common.size >= count && moves.rows >= count && bits.size > count && into.size > count && odd.size >= count &&
                start <= codes.columns && nrows <= codes.columns - start && moves.columns < 64,
            "arrays of other lengths");
    require(8 * count <= MARGIN, "words beyond the margin of strings");
    for (uint64_t number = 0; number <= count; ++number) require(!bits[number] || into[number] < codes.rows, "no such code");
    uint64_t some[ROWS_PER_STEP];
    for (uint64_t number = 0; number < odd.size; ++number) odd[number] = 0;
    for (uint64_t first = 0; first < nrows; first += ROWS_PER_STEP) {
        uint64_t rows = nrows - first < ROWS_PER_STEP ? nrows - first : ROWS_PER_STEP, fewest = LAST, length = 0;
        for (uint64_t row = first; row < first + rows; ++row) {
            uint64_t size = strings.length(row);
            fewest = size < fewest ? size : fewest;
            length = size > length ? size : length;
        }
        least = fewest < least ? fewest : least;
        most = length > most ? length : most;
        if (least < shortest || most > longest) continue;
        for (uint64_t code = 0; code < codes.rows; ++code) std::memset(codes[code] + start + first, 0, rows * sizeof(uint64_t));
        for (uint64_t number = 0; number < count; ++number) {
            uint64_t ahead = 8 * number, mask = masks[number], same = common[number], differ = 0;
            if (fewest == length && ahead < length) {
                // What begins at equal distances need not be looked up, and all ends at the same place.
                uint64_t here = strings.start(first) + ahead, used = swapped(leading_bytes(LAST, ahead, length));
                for (uint64_t row = 0; row < rows; ++row) {
                    some[row] = swapped(word_at(text.data, here + row * length)) & used;
                }
            } else {
                for (uint64_t row = 0; row < rows; ++row) some[row] = strings.word(first + row, ahead);
            }
            for (uint64_t row = 0; row < rows; ++row) {
                differ |= some[row] ^ same;
                some[row] &= mask;
            }
            odd[number] |= differ & ~mask;
            differing |= odd[number];
            for (uint64_t step = 0; step < moves.columns; ++step) {
                uint64_t moved = moves[number][step], shift = uint64_t{1} << step;
                if (!moved) continue;
                for (uint64_t row = 0; row < rows; ++row) {
                    uint64_t moving = some[row] & moved;
                    some[row] = (some[row] ^ moving) | (moving >> shift);
                }
            }
            if (!mask || !bits[number]) continue;
            // A shift by all 64 bits is undefined; nothing remains to be shifted then.
            uint64_t *code = codes[into[number]] + start + first, shift = bits[number] & 63;
            for (uint64_t row = 0; row < rows; ++row) code[row] = (code[row] << shift) | some[row];
        }
        if (bits[count]) {
            uint64_t *code = codes[into[count]] + start + first, shift = bits[count] & 63;
            for (uint64_t row = 0; row < rows; ++row) code[row] = (code[row] << shift) | (strings.length(first + row) - shortest);
        }
    }
    return {least, most, least >= shortest && most <= longest && !differing};
}

// Writes the strings of codes, which `encode` makes, to where `offsets` tell; behind them is room for 8 bytes.
//
// common       the words, with 0 in the places of a mask
// bits_below   how many bits of the same code are behind those of each word
void decode(Matrix<const uint64_t> codes, Words masks, Matrix<const uint64_t> moves, Words bits, Words into, Words common,
            Words bits_below, Words offsets, Span<uint8_t> text) {
    uint64_t count = common.size, nrows = offsets.size - 1;
    require(masks.size >= count && moves.rows >= count && bits.size > count && into.size > count &&
                bits_below.size >= count && codes.columns >= nrows && moves.columns < 64,
            "arrays of other lengths");
    for (uint64_t row = 0; row < nrows; ++row) {
        require(offsets[row] <= offsets[row + 1] && text.size >= 8 && offsets[row + 1] <= text.size - 8,
                "strings beyond their text");
    }
    for (uint64_t number = 0; number < count; ++number) {
        require(!bits[number] || (into[number] < codes.rows && bits_below[number] < 64), "no such code");
    }
    uint64_t some[ROWS_PER_STEP];
    for (uint64_t first = 0; first < nrows; first += ROWS_PER_STEP) {
        uint64_t rows = nrows - first < ROWS_PER_STEP ? nrows - first : ROWS_PER_STEP;
        // The last word of a string reaches into those behind it, whose first words are written later.
        for (uint64_t number = count; number-- > 0;) {
            uint64_t right = bits_below[number], used = LAST >> ((64 - bits[number]) & 63);
            for (uint64_t row = 0; row < rows; ++row) {
                some[row] = bits[number] ? (codes[into[number]][first + row] >> right) & used : 0;
            }
            for (uint64_t step = moves.columns; step-- > 0;) {
                uint64_t shift = uint64_t{1} << step, moved = moves[number][step] >> shift;
                if (!moved) continue;
                for (uint64_t row = 0; row < rows; ++row) {
                    uint64_t moving = some[row] & moved;
                    some[row] = (some[row] ^ moving) | (moving << shift);
                }
            }
            for (uint64_t row = 0; row < rows; ++row) {
                uint64_t at = offsets[first + row] + 8 * number;
                if (at < offsets[first + row + 1]) put_word(text.data, at, swapped(some[row] | common[number]));
            }
        }
    }
}

// -------------------------------------------------------------------------------------------------------------- hashes

// Spreads every bit of words over all.
void mix(Span<uint64_t> words) {
    for (uint64_t& word : words) word = mixed(word);
}

constexpr uint64_t TEXT_BYTES = 7;  // bytes of a string in one word

// Hashes strings by words of 7 bytes, with the number of bytes that are left in the lowest place.
void hash_words(Words offsets, Text text, Span<uint64_t> hashes) {
    Strings strings(offsets, text);
    require(hashes.size >= strings.count(), "no room for as many hashes");
    for (uint64_t row = 0; row < strings.count(); ++row) {
        uint64_t length = strings.length(row), found = 0, ahead = 0;
        do {
            uint64_t left = length - ahead;
            uint64_t word = (strings.word(row, ahead) & (LAST << 8)) | (left < 8 ? left : 8);
            // The first word is mixed as it is, those that follow together with what came before.
            found = ((found * FIRST) ^ word) * FIRST;
            found = (found ^ (found >> 32)) * SECOND;
            found ^= found >> 32;
            ahead += TEXT_BYTES;
        } while (ahead < length);
        hashes[row] = found;
    }
}

// SipHash-2-4 with 128 bits, and the key that Arkouda's server has.
struct SipHash {
    static constexpr int MIXES = 2, LAST_MIXES = 4;  // after each word, and before each half of the result
    static constexpr uint64_t KEY[] = {0x0706050403020100, 0x0F0E0D0C0B0A0908};

    uint64_t a = KEY[0] ^ 0x736F6D6570736575, b = KEY[1] ^ 0x646F72616E646F6D ^ 0xEE;
    uint64_t c = KEY[0] ^ 0x6C7967656E657261, d = KEY[1] ^ 0x7465646279746573;

    static uint64_t rotated(uint64_t word, int bits) { return (word << bits) | (word >> (64 - bits)); }

    void mix(int times) {
        while (times--) {
            a += b;
            c += d;
            b = rotated(b, 13) ^ a;
            d = rotated(d, 16) ^ c;
            a = rotated(a, 32) + d;
            c += b;
            b = rotated(b, 17) ^ c;
            d = rotated(d, 21) ^ a;
            c = rotated(c, 32);
        }
    }

    void take(uint64_t word) {
        d ^= word;
        mix(MIXES);
        a ^= word;
    }
};

// Writes the first or second half of the hash of each run of bytes.
void siphash(Words offsets, Text text, bool is_second, Span<uint64_t> found) {
    require(offsets.size > found.size, "fewer runs than hashes");
    for (uint64_t row = 0; row < found.size; ++row) {
        uint64_t at = offsets[row], stop = offsets[row + 1], last = (stop - at) << 56;
        require(at <= stop && stop <= text.size, "runs beyond their bytes");
        SipHash hash;
        for (; stop - at >= 8; at += 8) hash.take(word_at(text.data, at));
        for (uint64_t shift = 0; shift < stop - at; ++shift) last |= uint64_t{text[at + shift]} << (8 * shift);
        hash.take(last);
        hash.c ^= 0xEE;
        hash.mix(SipHash::LAST_MIXES);
        if (is_second) {
            hash.b ^= 0xDD;
            hash.mix(SipHash::LAST_MIXES);
        }
        found[row] = hash.a ^ hash.b ^ hash.c ^ hash.d;
    }
}

// --------------------------------------------------------------------------------------------------- words, numbered
// A slot has a word, and its number counted from 1, or 0.  The leading bits of a mixed word are the place of a slot; a
// word whose place is taken is in one of those that follow, the first slot after the last.  No word needs to be compared
// with more than what a slot has.

struct WordSlot {
    uint64_t word, number;
};

struct WordTable {
    WordSlot* slots;
    uint64_t shift, last;

    WordTable(uint64_t* data, uint64_t rows, uint64_t columns) : slots(reinterpret_cast<WordSlot*>(data)) {
        require(columns == 2 && rows > 1 && !(rows & (rows - 1)), "no table of words");
        shift = shift_to_slots(rows);
        last = rows - 1;
    }

    INLINE uint64_t home(uint64_t word) const { return mixed(word) >> shift; }
    INLINE uint64_t next(uint64_t slot) const { return (slot + 1) & last; }

    // Returns the slot that has the word, or the vacant one where it would be.
    INLINE uint64_t search(uint64_t word) const { return search_from(home(word), word); }

    INLINE bool has_other(uint64_t slot, uint64_t word) const {
        return (slots[slot].number != 0) & (slots[slot].word != word);
    }

    INLINE uint64_t search_from(uint64_t first, uint64_t word) const {
        uint64_t slot = first;
        while (has_other(slot, word)) {
            slot = next(slot);
            require(slot != first, "a table without a vacant slot");
        }
        return slot;
    }
};

// Gives numbers to words from a row on; returns the row for which there is no place, and how many are known.
// New words are numbered as they are met, with their row in `firsts`, or have the number that `given` has in the row, if
// it has any.  There must be more slots than can be known.
template <class Number>
std::tuple<uint64_t, uint64_t> number_words(Words words, Span<const int64_t> given, uint64_t start, Matrix<uint64_t> slots,
                                            uint64_t count, Span<int64_t> firsts, Span<Number> numbers) {
    WordTable table(slots.data, slots.rows, slots.columns);
    require(numbers.size >= words.size && (!given.size || given.size >= words.size), "arrays of other lengths");
    require(firsts.size <= table.last, "a table without a vacant slot");
    for (uint64_t row = start; row < words.size; ++row) {
        if (row + AHEAD < words.size) prefetch(&table.slots[table.home(words[row + AHEAD])]);
        uint64_t word = words[row], slot = table.search(word);
        WordSlot& found = table.slots[slot];
        if (!found.number) {
            if (count >= firsts.size) return {row, count};
            firsts[count++] = static_cast<int64_t>(row);
            found = {word, given.size ? static_cast<uint64_t>(given[row]) + 1 : count};
        }
        numbers[row] = static_cast<Number>(found.number - 1);
    }
    return {words.size, count};
}

// Puts words from a row on into one of equal parts of a table, by those whose places are there, with their rows as
// numbers; threads do so for all parts at a time.  Rows of words that it has already go to `repeated`, with the row of the
// word to `firsts`, and those that found no place up to the end of the part to `later`.  All that have the same word do
// the same, since no slot becomes vacant.  `counts` are the rows of both, and grow.
void insert_words(Words words, int64_t first, int64_t part, int64_t parts, Matrix<uint64_t> slots,
                  Span<int64_t> repeated, Span<int64_t> firsts, Span<int64_t> later, Span<int64_t> counts) {
    constexpr uint64_t AT_A_TIME = 1024;
    WordTable table(slots.data, slots.rows, slots.columns);
    uint64_t size = slots.rows / static_cast<uint64_t>(parts > 0 ? parts : 1);
    require(parts > 0 && size * static_cast<uint64_t>(parts) == slots.rows && part >= 0 && part < parts,
            "no part of the table");
    require(counts.size == 2 && first >= 0 && counts[0] >= 0 && counts[0] <= first && counts[1] >= 0 &&
                counts[1] <= first && repeated.size >= words.size && firsts.size >= words.size &&
                later.size >= words.size,
            "no room for as many rows");
    uint64_t begin = static_cast<uint64_t>(part) * size, end = begin + size;
    uint64_t known = static_cast<uint64_t>(counts[0]), left = static_cast<uint64_t>(counts[1]);
    uint64_t rows[AT_A_TIME + 1], homes[AT_A_TIME + 1];
    for (uint64_t start = static_cast<uint64_t>(first); start < words.size; start += AT_A_TIME) {
        // Rows of this part first: a branch on whose they are would be guessed wrong too often.
        uint64_t stop = words.size - start < AT_A_TIME ? words.size : start + AT_A_TIME, count = 0;
        for (uint64_t row = start; row < stop; ++row) {
            rows[count] = row;
            homes[count] = table.home(words[row]);
            count += homes[count] - begin < size;
        }
        for (uint64_t at = 0; at < count; ++at) {
            if (at + AHEAD < count) prefetch(&table.slots[homes[at + AHEAD]]);
            uint64_t row = rows[at], word = words[row], slot = homes[at];
            while (slot < end && table.has_other(slot, word)) ++slot;
            if (slot == end) {
                later[left++] = static_cast<int64_t>(row);
            } else if (table.slots[slot].number) {
                repeated[known] = static_cast<int64_t>(row);
                firsts[known++] = static_cast<int64_t>(table.slots[slot].number - 1);
            } else {
                table.slots[slot] = {word, row + 1};
            }
        }
    }
    counts[0] = static_cast<int64_t>(known);
    counts[1] = static_cast<int64_t>(left);
}

// Finds the numbers of words, -1 for those that are not known.
void find_words(Words words, Matrix<const uint64_t> slots, Span<int64_t> numbers) {
    const WordTable table(const_cast<uint64_t*>(slots.data), slots.rows, slots.columns);
    require(numbers.size >= words.size, "no room for as many numbers");
    uint64_t homes[AHEAD];
    for (uint64_t row = 0; row < words.size + AHEAD; ++row) {
        uint64_t waiting = row % AHEAD;
        if (row >= AHEAD) {
            uint64_t slot = homes[waiting], word = words[row - AHEAD];
            // Mostly it is one of two slots; a branch on which of them would be guessed wrong too often.
            slot = table.has_other(slot, word) ? table.next(slot) : slot;
            slot = table.search_from(slot, word);
            numbers[row - AHEAD] = static_cast<int64_t>(table.slots[slot].number - 1);
        }
        if (row < words.size) {
            homes[waiting] = table.home(words[row]);
            prefetch(&table.slots[homes[waiting]]);
        }
    }
}

// Puts the words of a table into a larger one.
void move_words(Matrix<const uint64_t> slots, Matrix<uint64_t> into) {
    const WordTable table(const_cast<uint64_t*>(slots.data), slots.rows, slots.columns);
    WordTable larger(into.data, into.rows, into.columns);
    require(into.rows > slots.rows, "no larger table");
    for (uint64_t at = 0; at < slots.rows; ++at) {
        if (!table.slots[at].number) continue;
        larger.slots[larger.search(table.slots[at].word)] = table.slots[at];
    }
}

// Tells whether each row has the value that is known by its number, or no number (-1).  Values of numbers of rows that
// differ become -1.
bool check_words(Words words, Words known, Span<int64_t> numbers) {
    require(numbers.size >= words.size, "fewer numbers than rows");
    bool differs = false;
    for (uint64_t row = 0; row < words.size; ++row) {
        if (numbers[row] < 0) continue;
        bool is_other = known[checked(numbers[row], known.size)] != words[row];
        numbers[row] = is_other ? -1 : numbers[row];
        differs |= is_other;
    }
    return !differs;
}

// Tells whether each string is the known one of a row, or has no row (-1).  Rows of strings that differ become -1.
bool check_strings(Words offsets, Text text, Words known_offsets, Text known, Span<int64_t> rows) {
    require(offsets.size > rows.size && known_offsets.size, "fewer strings than rows");
    uint64_t count = known_offsets.size - 1, base = offsets[0], known_base = known_offsets[0];
    auto start = [&](uint64_t row) { return known_offsets[static_cast<uint64_t>(rows[row])] - known_base; };
    auto is_known = [&](uint64_t row) { return static_cast<uint64_t>(rows[row]) < count; };
    bool differs = false;
    for (uint64_t row = 0; row < rows.size; ++row) {
        if (row + 2 * AHEAD < rows.size) prefetch(known_offsets.data, static_cast<uint64_t>(rows[row + 2 * AHEAD]));
        if (row + AHEAD < rows.size && is_known(row + AHEAD)) prefetch(known.data, start(row + AHEAD));
        if (rows[row] < 0) continue;
        uint64_t at = checked(rows[row], count), from = offsets[row] - base, length = offsets[row + 1] - offsets[row];
        uint64_t other = known_offsets[at] - known_base, size = known_offsets[at + 1] - known_offsets[at];
        bool is_same = length == size;
        if (is_same) {
            require(from <= text.size && length <= text.size - from && other <= known.size && size <= known.size - other,
                    "strings beyond their text");
            is_same = !std::memcmp(text.data + from, known.data + other, length);
        }
        rows[row] = is_same ? rows[row] : -1;
        differs |= !is_same;
    }
    return !differs;
}

// ------------------------------------------------------------------------------------------------ strings, numbered
// Of a known string there are its length and three tags, its first two words and the last.  They overlap where it is
// shorter than three words, and what lies behind one of fewer than 8 bytes is moved out.  So strings of up to 24 bytes
// take the same steps: the processor loses more by guessing wrong which come next.

constexpr uint64_t BLOCK_ROWS = 256;  // rows of which hashes and tags stay in the core's smallest cache
constexpr uint64_t THIRD = 0xA24BAED4963EE407;
constexpr uint64_t HASH_BITS = ~uint64_t{0} << 32, NUMBER_BITS = ~HASH_BITS;
constexpr uint64_t CACHED_SLOTS = 1 << 14;  // with more of them, never more than half in use, they leave the core's cache

constexpr uint64_t FEW_STRINGS = 64;

struct Tags {
    uint64_t length, first, second, last;

    uint64_t differ(const Tags& other) const {
        return (length ^ other.length) | (first ^ other.first) | (second ^ other.second) | (last ^ other.last);
    }
};

INLINE uint64_t folded(uint64_t word) { return word ^ (word >> 32); }
INLINE uint64_t length_bit(uint64_t length) { return uint64_t{1} << (length & 63); }

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

// Items of a table that is only searched are not written to; it may be one that came from another process.
template <bool adds, typename T>
using in_table = std::conditional_t<adds, T, const T>;

// Gives numbers to strings from a row on, or finds those that they have (-1 for none); returns the row for which memory
// is missing, and how many are known.
// `offsets` are the bounds of strings in `text`, behind which MARGIN bytes can be read.  Slots have half of a hash, and
// in the lower half the number of a string, counted from 1.  `tags` are those of known strings, `ends` where they end
// in `known`.
template <bool adds>
std::tuple<uint64_t, uint64_t> search_strings(Words offsets, Text text, uint64_t first,
                                              Span<in_table<adds, uint64_t>> slots,
                                              Matrix<in_table<adds, uint64_t>> tags,
                                              Span<in_table<adds, uint64_t>> ends,
                                              Span<in_table<adds, uint8_t>> known,
                                              uint64_t count, Span<uint64_t> numbers) {
    require(offsets.size && tags.rows, "nothing to look at");
    uint64_t base = offsets[0], nrows = offsets.size - 1, last_slot = slots.size - 1;
    require(numbers.size >= nrows && !(slots.size & last_slot), "arrays of other lengths");
    require(tags.columns == 4 && tags.rows >= ends.size && slots.size > ends.size, "tables of other lengths");
    require(count < ends.size && text.size >= 8 && known.size >= 8, "more strings than there is memory for");
    uint64_t shift = shift_to_slots(slots.size);
    const Tags* known_tags = reinterpret_cast<const Tags*>(tags.data);
    Tags of_rows[BLOCK_ROWS];
    uint64_t hashes[BLOCK_ROWS], misses[BLOCK_ROWS];
    require(tags[0][0] == LAST, "an empty slot leads to a length that no string has");
    uint64_t lengths = adds || count > FEW_STRINGS ? LAST : 0;  // a bit for those of known strings
    for (uint64_t number = lengths ? 0 : count; number; --number) lengths |= length_bit(known_tags[number].length);
    for (; first < nrows;) {
        uint64_t rows = nrows - first < BLOCK_ROWS ? nrows - first : BLOCK_ROWS;
        const uint64_t* bounds = &offsets[first];
        uint64_t longest = 0;
        for (uint64_t row = 0; row < rows; ++row) {
            uint64_t start = bounds[row] - base, stop = bounds[row + 1] - base;
            require(start <= stop && stop <= text.size - 8, "strings beyond their text");
            longest = stop - start > longest ? stop - start : longest;
        }
        for (uint64_t row = 0; row < (longest <= 8 ? rows : 0); ++row) {
            // All tags are the same word, and the hash is that of longer strings.
            uint64_t start = bounds[row] - base, length = bounds[row + 1] - base - start, bits = 32 - 4 * length;
            uint64_t word = (word_at(text.data, start) << bits) << bits;
            of_rows[row] = {length, word, word, word};
            hashes[row] = folded(folded(length + folded(word) * (FIRST + SECOND + THIRD)) * FIRST);
        }
        // Of few strings, lengths tell most others apart, and no byte of these is looked at.
        uint64_t missed = 0;
        for (uint64_t row = 0; row < (longest <= 8 || lengths == LAST ? 0 : rows); ++row) {
            misses[missed] = row;
            missed += (lengths & length_bit(bounds[row + 1] - bounds[row])) != 0;
        }
        bool is_sparse = longest > 8 && lengths != LAST && 2 * missed < rows;
        for (uint64_t row = 0; row < (is_sparse ? rows : 0); ++row) numbers[first + row] = LAST;
        for (uint64_t at = 0; at < (is_sparse ? missed : longest <= 8 ? 0 : rows); ++at) {
            uint64_t row = is_sparse ? misses[at] : at, start = bounds[row] - base, stop = bounds[row + 1] - base;
            of_rows[row] = tags_of(text.data, start, stop);
            hashes[row] = hash_of(text.data, start, stop, of_rows[row]);
        }
        if (!is_sparse && slots.size > CACHED_SLOTS) {
            // Memory answers for many rows at a time, if none has to be compared before the next is asked for.
            for (uint64_t row = 0; row < rows; ++row) prefetch(&slots[hashes[row] >> shift]);
            for (uint64_t row = 0; row < rows; ++row) prefetch(known_tags, slots[hashes[row] >> shift] & NUMBER_BITS);
        }
        // Most are found where they are looked for first.  Nothing is guessed here: a row that is found is written over.
        // Tags do not tell long strings apart.
        if (!is_sparse) missed = 0;
        for (; !is_sparse && longest > 24 && missed < rows; ++missed) misses[missed] = missed;
        for (uint64_t row = is_sparse ? rows : missed; row < rows; ++row) {
            uint64_t number = slots[hashes[row] >> shift] & NUMBER_BITS;
            number = number < tags.rows ? number : 0;
            numbers[first + row] = number - 1;
            misses[missed] = row;
            missed += of_rows[row].differ(known_tags[number]) != 0;
        }
        for (uint64_t miss = 0; miss < missed; ++miss) {
            uint64_t row = misses[miss];
            const Tags& wanted = of_rows[row];
            uint64_t half = hashes[row] & HASH_BITS, start = bounds[row] - base, length = wanted.length;
            uint64_t slot = hashes[row] >> shift, entry, left = slots.size;
            for (;; slot = (slot + 1) & last_slot) {
                require(left--, "a table without a vacant slot");
                entry = slots[slot];
                if (!entry) {
                    if constexpr (adds) {
                        uint64_t used = ends[count];
                        if (count + 1 == ends.size || used > known.size - 8 || length > known.size - 8 - used) {
                            return {first + row, count};
                        }
                        std::memcpy(&known[used], text.data + start, length);
                        ++count;
                        entry = slots[slot] = half | count;
                        ends[count] = used + length;
                        std::memcpy(tags[count], &wanted, sizeof wanted);
                    }
                    break;
                }
                if ((entry & HASH_BITS) != half) continue;
                uint64_t number = checked(entry & NUMBER_BITS, tags.rows);
                if (wanted.differ(known_tags[number])) continue;
                if (length <= 24) break;
                uint64_t at = ends[checked(number - 1, ends.size)];
                require(at <= known.size && length <= known.size - at, "strings beyond their text");
                if (!std::memcmp(text.data + start, &known[at], length)) break;
            }
            numbers[first + row] = (entry & NUMBER_BITS) - 1;
        }
        first += rows;
    }
    return {nrows, count};
}

// Puts the entries of a table of strings into a larger one.
void move_strings(Words slots, Span<uint64_t> into) {
    uint64_t last = into.size - 1, shift = shift_to_slots(into.size);
    require(!(into.size & last) && into.size > slots.size, "no larger table");
    for (uint64_t entry : slots) {
        if (!entry) continue;
        uint64_t slot = entry >> shift, left = into.size;
        for (; into[slot]; slot = (slot + 1) & last) require(--left, "a table without a vacant slot");
        into[slot] = entry;
    }
}

}  // namespace

MODULE("Words of keys: their extremes, those of floats, the codes and hashes of strings; tables of words and of strings.",
       {"least_and_most", overloads<least_and_most<int64_t>, least_and_most<uint64_t>, least_and_most<int32_t>,
                                    least_and_most<uint32_t>, least_and_most<int16_t>, least_and_most<uint16_t>,
                                    least_and_most<int8_t>, least_and_most<uint8_t>>},
       {"float_words", overloads<float_words>},
       {"append_bits", overloads<append_bits>},
       {"sort_words", overloads<sort_words>},
       {"encode", overloads<encode>},
       {"decode", overloads<decode>},
       {"mix", overloads<mix>},
       {"hash_words", overloads<hash_words>},
       {"siphash", overloads<siphash>},
       {"number_words", overloads<number_words<int64_t>, number_words<int32_t>>},
       {"insert_words", overloads<insert_words>},
       {"find_words", overloads<find_words>},
       {"move_words", overloads<move_words>},
       {"check_words", overloads<check_words>},
       {"check_strings", overloads<check_strings>},
       {"number_strings", overloads<search_strings<true>>},
       {"find_strings", overloads<search_strings<false>>},
       {"move_strings", overloads<move_strings>})
