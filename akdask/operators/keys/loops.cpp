// Words of keys: their extremes, those of floats, and the codes and hashes of strings.

#include "text.hpp"
#include "words.hpp"

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

// ------------------------------------------------------------------------------------------------- codes of strings

constexpr uint64_t ROWS_PER_STEP = 1024;  // they take each step together, so that the data of a step is in the cache

// Where strings are, in text behind which MARGIN bytes can be read.
struct Strings {
    Words offsets;
    Text text;

    Strings(Words bounds, Text bytes) : offsets(bounds), text(bytes) {
        require(offsets.size && text.size >= MARGIN, "strings without a margin");
        for (uint64_t row = 0; row + 1 < offsets.size; ++row) require(offsets[row] <= offsets[row + 1], "offsets descend");
        require(offsets[offsets.size - 1] - offsets[0] + MARGIN <= text.size, "strings beyond their text");
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
            // A shift by all 64 bits is undefined; nothing is there to be shifted then.
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
        require(offsets[row] <= offsets[row + 1] && offsets[row + 1] + 8 <= text.size, "strings beyond their text");
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

}  // namespace

MODULE("Words of keys: their extremes, those of floats, and the codes and hashes of strings.",
       {"least_and_most", overloads<least_and_most<int64_t>, least_and_most<uint64_t>, least_and_most<int32_t>,
                                    least_and_most<uint32_t>, least_and_most<int16_t>, least_and_most<uint16_t>,
                                    least_and_most<int8_t>, least_and_most<uint8_t>>},
       {"float_words", overloads<float_words>},
       {"encode", overloads<encode>},
       {"decode", overloads<decode>},
       {"mix", overloads<mix>},
       {"hash_words", overloads<hash_words>},
       {"siphash", overloads<siphash>})
