// Pages of 64-bit numbers, unpacked and decoded one after the other while other threads run.
//
// Each page has definition levels, if nulls are allowed, and then plain numbers or positions in a dictionary; it may be
// compressed by Snappy.  Every claim of the bytes is checked against the available data.

#include "text.hpp"

namespace {

using namespace akdask;

constexpr uint64_t PAGE_MARGIN = 2 * CHUNK;  // bytes read and written beyond the end of packed and unpacked data
constexpr uint64_t POSITIONS_MARGIN = 16;    // bytes read beyond the end of packed positions
constexpr uint64_t WIDEST = 32;              // bits of a position
constexpr int64_t LONGEST = int64_t{1} << 40;

// Reads a number of seven bits a byte; returns whether it ends in time.
bool varint(const uint8_t* text, uint64_t& at, uint64_t stop, uint64_t most_shift, uint64_t& number) {
    number = 0;
    for (uint64_t shift = 0;; shift += 7) {
        if (at >= stop || shift > most_shift) return false;
        uint64_t byte = text[at++];
        number |= (byte & 127) << shift;
        if (byte < 128) return true;
    }
}

// Fills an array with the words at positions of some bits, packed end to end between runs, from byte `at` to `stop`, behind
// which POSITIONS_MARGIN bytes can be read; the first `skipped` positions are left out.  Returns false if there are fewer
// positions, or one is not of the `known` first words.  `words` may continue behind these: if there are as many as there
// are positions of that width, none needs a check before the lookup.
template <class Word>
bool fill(const uint8_t* packed, uint64_t at, uint64_t stop, uint64_t width, Span<const Word> words, uint64_t known,
          int64_t skipped, Word* out, int64_t count) {
    if (width > WIDEST || !words.size || known > words.size) return false;
    uint64_t mask = (uint64_t{1} << width) - 1;
    // Four positions fit into a word that begins with any bit of a byte.
    bool by_group = width <= 15 && mask < words.size;
    for (int64_t row = -skipped; row < count;) {
        // The header of a run: its length, whose lowest bit means packed positions rather than one repeated.
        uint64_t header, nbytes;
        if (!varint(packed, at, stop, 35, header)) return false;
        int64_t length = static_cast<int64_t>(header >> 1);
        if (header & 1) {
            nbytes = (header >> 1) * width;
            length *= 8;
        } else {
            nbytes = (width + 7) >> 3;
        }
        if (nbytes > stop - at || length <= 0 || length >= LONGEST) return false;
        // The rows of the run within the output; the highest position is checked once for the run.
        int64_t place = row > 0 ? row : 0, end = row + length < count ? row + length : count;
        bool is_wanted = place < end;
        uint64_t highest = 0;
        auto note = [&](uint64_t position) { highest = position > highest ? position : highest; };
        if (is_wanted && header & 1) {
            uint64_t bit = static_cast<uint64_t>(place - row) * width;
            if (by_group && !((place - row) & 7)) {
                // Eight positions begin with a byte, and four of them are in one word.
                uint64_t here = at + (bit >> 3), half = width << 2;
                for (; place + 8 <= end; here += width) {
                    for (uint64_t four = 0; four < 2; ++four) {
                        uint64_t word = word_at(packed, here + (four * half >> 3)) >> (four * half & 7);
                        for (int one = 0; one < 4; ++one, word >>= width) {
                            note(word & mask);
                            out[place++] = words[word & mask];
                        }
                    }
                }
                bit = static_cast<uint64_t>(place - row) * width;
            }
            // The remaining positions, one by one.
            for (; place < end; ++place, bit += width) {
                uint64_t position = (word_at(packed, at + (bit >> 3)) >> (bit & 7)) & mask;
                note(position);
                out[place] = words[position < known ? position : 0];
            }
        } else if (is_wanted) {
            highest = word_at(packed, at) & mask;
            Word word = words[highest < known ? highest : 0];
            for (; place < end; ++place) out[place] = word;
        }
        if (is_wanted && highest >= known) return false;
        row += length;
        at += nbytes;
    }
    return true;
}

template <class Word>
bool look_up(Text packed, uint64_t first, uint64_t last, uint64_t width, Span<const Word> words, uint64_t known,
             int64_t skipped, Span<Word> out) {
    require(first <= last && packed.size >= POSITIONS_MARGIN && last <= packed.size - POSITIONS_MARGIN && skipped >= 0,
            "positions without a margin");
    return fill(packed.data, first, last, width, words, known, skipped, out.data, static_cast<int64_t>(out.size));
}

// The columns of a page, as `PageField` names them.
enum Field { FIRST, NROWS, OFFSET, PACKED, UNPACKED, LEVELS, IS_PACKED, IS_PLAIN, NFIELDS };

// Moves behind levels without nulls: one run of ones as long as the page.  Returns false for other levels.
bool skip_levels(const uint8_t* text, uint64_t& at, uint64_t last, int64_t size, uint64_t nrows) {
    if (at > last) return false;
    if (size < 0) {
        if (last - at < 4) return false;
        size = static_cast<int64_t>(word_at(text, at) & 0xFFFFFFFF);
        at += 4;
    }
    if (static_cast<uint64_t>(size) > last - at) return false;
    uint64_t place = at, end = at + static_cast<uint64_t>(size), header;
    if (!varint(text, place, end, 35, header)) return false;
    if (header & 1 || header >> 1 < nrows || place >= end || text[place] != 1) return false;
    at = end;
    return true;
}

// Unpacks Snappy data, behind which PAGE_MARGIN bytes can be read; false unless its length agrees with its header.
bool unpack_snappy(const uint8_t* data, uint64_t at, uint64_t last, Span<uint8_t> memory, uint64_t size) {
    uint64_t claimed, done = 0;
    if (!varint(data, at, last, 28, claimed) || claimed != size || size + PAGE_MARGIN > memory.size) return false;
    while (at < last) {
        uint64_t tag = data[at++], length;
        if (!(tag & 3)) {
            // A literal: its length is in the tag, or in one to four bytes behind it.
            length = (tag >> 2) + 1;
            if (length > 60) {
                uint64_t extra = length - 60;
                if (extra > last - at) return false;
                length = (word_at(data, at) & ((uint64_t{1} << (8 * extra)) - 1)) + 1;
                at += extra;
            }
            if (length > last - at || length > size - done) return false;
            // Bytes copied beyond the end are overwritten, or lie in the margin.
            for (uint64_t ahead = 0; ahead < length; ahead += CHUNK) {
                copy_chunk(data + at + ahead, memory.data + done + ahead);
            }
            at += length;
        } else {
            // A copy of earlier output, `back` bytes before; it may overlap what it writes.
            uint64_t nbytes = uint64_t{1} << (tag & 3) >> 1, back;
            if (nbytes > last - at) return false;
            if (nbytes == 1) {
                length = 4 + ((tag >> 2) & 7);
                back = (tag >> 5) << 8 | data[at];
            } else {
                length = (tag >> 2) + 1;
                back = word_at(data, at) & ((uint64_t{1} << (8 * nbytes)) - 1);
            }
            at += nbytes;
            if (!back || back > done || length > size - done) return false;
            uint8_t *into = memory.data + done, *from = into - back;
            if (back >= 8) {
                for (uint64_t ahead = 0; ahead < length; ahead += 8) put_word(into, ahead, word_at(from, ahead));
            } else {
                for (uint64_t ahead = 0; ahead < length; ++ahead) into[ahead] = from[ahead];
            }
        }
        done += length;
    }
    return done == size;
}

// Decodes numbers of pages; returns the number of pages done, before the first unsupported one, which gives none.
//
// data      the bytes of the pages, and PAGE_MARGIN more; they begin `base` bytes from the start of the file
// pages     a row for each page that has numbers
// words     the dictionary, `known` words, followed by any
// memory    room for a page unpacked, and PAGE_MARGIN more
// start     the row of the first number that is wanted
// out       the numbers
int64_t decode_pages(Text data, int64_t base, Matrix<const int64_t> pages, Span<const uint64_t> words, uint64_t known,
                     Span<uint8_t> memory, int64_t start, Span<uint64_t> out, bool is_optional) {
    require(pages.columns >= NFIELDS && data.size >= PAGE_MARGIN && start >= 0, "pages of other fields, or without a margin");
    int64_t stop = start + static_cast<int64_t>(out.size), size = static_cast<int64_t>(data.size - PAGE_MARGIN);
    for (uint64_t number = 0; number < pages.rows; ++number) {
        int64_t done = static_cast<int64_t>(number);
        const int64_t* page = pages[number];
        int64_t begin = page[OFFSET] - base, nrows = page[NROWS];
        if (begin < 0 || page[PACKED] < 0 || begin > size || page[PACKED] > size - begin || nrows < 0 || page[FIRST] < 0) {
            return done;
        }
        uint64_t at = static_cast<uint64_t>(begin), last = static_cast<uint64_t>(begin + page[PACKED]);
        uint64_t levels = page[LEVELS] > 0 ? static_cast<uint64_t>(page[LEVELS]) : 0;
        const uint8_t* text = data.data;
        // Levels of pages of the second version come first, and are not packed.
        if (is_optional && page[LEVELS] >= 0) {
            if (!skip_levels(text, at, last, page[LEVELS], static_cast<uint64_t>(nrows))) return done;
        } else {
            at += levels;
        }
        if (at > last) return done;
        if (page[IS_PACKED]) {
            uint64_t unpacked = static_cast<uint64_t>(page[UNPACKED]) - levels;
            if (page[UNPACKED] < 0 || unpacked > memory.size || !unpack_snappy(text, at, last, memory, unpacked)) return done;
            text = memory.data;
            at = 0;
            last = unpacked;
        }
        if (is_optional && page[LEVELS] < 0 &&
            !skip_levels(text, at, last, page[LEVELS], static_cast<uint64_t>(nrows))) {
            return done;
        }
        // The wanted rows of the page, and their place in the output.
        int64_t first = start > page[FIRST] ? start - page[FIRST] : 0;
        int64_t end = stop - page[FIRST] < nrows ? stop - page[FIRST] : nrows;
        if (first >= end) continue;
        uint64_t* target = out.data + (page[FIRST] + first - start);
        if (page[IS_PLAIN]) {
            if (static_cast<uint64_t>(nrows) > (last - at) / 8) return done;
            std::memcpy(target, text + at + 8 * first, 8 * static_cast<uint64_t>(end - first));
            continue;
        }
        // Positions in the dictionary: their width in bits, then runs.
        if (at >= last || !fill(text, at + 1, last, text[at], words, known, first, target, end - first)) return done;
    }
    return static_cast<int64_t>(pages.rows);
}

}  // namespace

MODULE("Pages of 64-bit numbers, unpacked and decoded.",
       {"look_up", overloads<look_up<uint64_t>, look_up<uint8_t>>},
       {"decode_pages", overloads<decode_pages>})
