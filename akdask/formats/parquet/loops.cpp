// Headers of pages, pages of 64-bit numbers, unpacked and decoded one after the other while other threads run, and pages
// of text.
//
// Each page has definition levels, if nulls are allowed, and then plain values or positions in a dictionary; it may be
// compressed by Snappy (`snappy.hpp`).  Every claim of the bytes is checked against the available data.

#include "indexes.hpp"
#include "snappy.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <type_traits>
#include <vector>
#include <unistd.h>

namespace {

constexpr uint64_t POSITIONS_MARGIN = 16;    // bytes read beyond the end of packed positions
constexpr uint64_t WIDEST = 32;              // bits of a position
constexpr int64_t LONGEST = int64_t{1} << 40;

// The positions themselves, as if they were looked up in an array of all numbers.
struct Positions {
    uint64_t size = uint64_t{1} << WIDEST;

    int32_t operator[](uint64_t position) const { return static_cast<int32_t>(position); }
};

// Positions of some bits, packed end to end, or one that is repeated.
struct Run {
    uint64_t at = 0;  // where its positions are
    int64_t length = 0;
    bool is_packed = false;
};

// Reads the header of a run at byte `at`, and moves behind the run; returns false if it does not end in time.
INLINE bool next_run(const uint8_t* packed, uint64_t& at, uint64_t stop, uint64_t width, Run& run) {
    // Its length, whose lowest bit means packed positions rather than one repeated.
    uint64_t header, nbytes = (width + 7) >> 3;
    if (!varint(packed, at, stop, 35, header)) return false;
    run.length = static_cast<int64_t>(header >> 1);
    run.is_packed = header & 1;
    if (run.is_packed) {
        nbytes = (header >> 1) * width;
        run.length *= 8;
    }
    if (nbytes > stop - at || run.length <= 0 || run.length >= LONGEST) return false;
    run.at = at;
    at += nbytes;
    return true;
}

INLINE uint64_t packed_position(const uint8_t* packed, uint64_t at, uint64_t bit, uint64_t mask) {
    return once((word_at(packed, at + (bit >> 3)) >> (bit & 7)) & mask);
}

// Fills an array with the words at positions of some bits, packed end to end between runs, from byte `at` to `stop`, behind
// which POSITIONS_MARGIN bytes can be read; the first `skipped` positions are left out.  Returns false if there are fewer
// positions, or one is not of the `known` first words.  `words` may continue behind these: if there are as many as there
// are positions of that width, none needs a check before the lookup.
template <class Words, class Word>
bool fill(const uint8_t* packed, uint64_t at, uint64_t stop, uint64_t width, const Words& words, uint64_t known,
          int64_t skipped, Word* out, int64_t count) {
    if (width > WIDEST || !words.size || known > words.size) return false;
    uint64_t mask = (uint64_t{1} << width) - 1;
    bool is_open = mask < words.size;
    Run run;
    for (int64_t row = -skipped; row < count; row += run.length) {
        if (!next_run(packed, at, stop, width, run)) return false;
        // The rows of the run within the output; the highest position is checked once for the run.
        int64_t place = row > 0 ? row : 0, end = row + run.length < count ? row + run.length : count;
        if (place >= end) continue;
        uint64_t highest = 0;
        auto note = [&](uint64_t position) { highest = position > highest ? position : highest; };
        if (run.is_packed) {
            // Eight positions begin with a byte; four or two of them are in a word that begins with a bit of some byte.
            uint64_t bit = static_cast<uint64_t>(place - row) * width;
            auto by_words = [&](auto in_word) {
                constexpr int number = decltype(in_word)::value;
                uint64_t here = run.at + (bit >> 3), half = width * number;
                for (; place + 8 <= end; here += width) {
                    for (uint64_t part = 0; part < 8 / number; ++part) {
                        uint64_t word = once(word_at(packed, here + (part * half >> 3)) >> (part * half & 7));
                        for (int one = 0; one < number; ++one, word >>= width) {
                            note(word & mask);
                            out[place++] = words[word & mask];
                        }
                    }
                }
                bit = static_cast<uint64_t>(place - row) * width;
            };
            if (is_open && !((place - row) & 7)) {
                if (width <= 15) by_words(std::integral_constant<int, 4>());
                else if (width <= 29) by_words(std::integral_constant<int, 2>());
            }
            // The remaining positions, one by one.
            for (; place < end; ++place, bit += width) {
                uint64_t position = packed_position(packed, run.at, bit, mask);
                note(position);
                out[place] = words[position < known ? position : 0];
            }
        } else {
            highest = once(word_at(packed, run.at) & mask);
            Word word = words[highest < known ? highest : 0];
            for (; place < end; ++place) out[place] = word;
        }
        if (highest >= known) return false;
    }
    return true;
}

// The same for some rows alone, ascending, the first position being that of row `first`.
template <class Words, class Word>
bool fill_at(const uint8_t* packed, uint64_t at, uint64_t stop, uint64_t width, const Words& words, uint64_t known,
             const int64_t* rows, int64_t count, int64_t first, Word* out) {
    if (width > WIDEST || !words.size || known > words.size) return false;
    uint64_t mask = (uint64_t{1} << width) - 1, highest = 0;
    Run run;
    for (int64_t place = 0; place < count; first += run.length) {
        if (!next_run(packed, at, stop, width, run)) return false;
        for (; place < count; ++place) {
            // A row before the run, which does not ascend, is none of any run.
            uint64_t row = static_cast<uint64_t>(rows[place]) - static_cast<uint64_t>(first);
            if (row >= static_cast<uint64_t>(run.length)) break;
            uint64_t position = packed_position(packed, run.at, run.is_packed ? row * width : 0, mask);
            highest = position > highest ? position : highest;
            out[place] = words[position < known ? position : 0];
        }
    }
    return !count || highest < known;
}

template <class Word>
bool look_up(Text packed, uint64_t first, uint64_t last, uint64_t width, Span<const Word> words, uint64_t known,
             int64_t skipped, Span<Word> out) {
    require(first <= last && packed.size >= POSITIONS_MARGIN && last <= packed.size - POSITIONS_MARGIN && skipped >= 0,
            "positions without a margin");
    return fill(packed.data, first, last, width, words, known, skipped, out.data, static_cast<int64_t>(out.size));
}

bool find_positions(Text packed, uint64_t first, uint64_t last, uint64_t width, uint64_t known, Span<int32_t> out) {
    require(first <= last && packed.size >= POSITIONS_MARGIN && last <= packed.size - POSITIONS_MARGIN &&
                known < uint64_t{1} << 31,
            "positions without a margin");
    return fill(packed.data, first, last, width, Positions(), known, 0, out.data, static_cast<int64_t>(out.size));
}

// The columns of a page, as `PageField` names them.
enum Field { FIRST, NROWS, OFFSET, PACKED, UNPACKED, LEVELS, IS_PACKED, IS_PLAIN, NFIELDS, VALUES = NFIELDS, CHECKSUM, WIDTH };

// Finds where levels end that begin at a byte, maybe with their size in four bytes; false if they are cut short.
bool find_levels(const uint8_t* text, uint64_t& at, uint64_t last, int64_t size, uint64_t& end) {
    if (at > last) return false;
    if (size < 0) {
        if (last - at < 4) return false;
        size = static_cast<int64_t>(once(word_at(text, at) & 0xFFFFFFFF));
        at += 4;
    }
    if (static_cast<uint64_t>(size) > last - at) return false;
    end = at + static_cast<uint64_t>(size);
    return true;
}

// Whether levels have no nulls: one run of ones as long as the page.
bool are_ones(const uint8_t* text, uint64_t at, uint64_t end, uint64_t nrows) {
    uint64_t header;
    if (!varint(text, at, end, 35, header)) return false;
    return !(header & 1) && header >> 1 >= nrows && at < end && text[at] == 1;
}

// Moves behind levels without nulls; returns false for other levels.
bool skip_levels(const uint8_t* text, uint64_t& at, uint64_t last, int64_t size, uint64_t nrows) {
    uint64_t end;
    if (!find_levels(text, at, last, size, end) || !are_ones(text, at, end, nrows)) return false;
    at = end;
    return true;
}

// Levels as positions among two.
struct Levels {
    uint64_t size = 2;

    uint8_t operator[](uint64_t level) const { return static_cast<uint8_t>(level); }
};

// Reads which rows of a page are not null, none if all are, and moves behind the levels; false if they are damaged.
bool read_levels(const uint8_t* text, uint64_t& at, uint64_t last, int64_t size, uint64_t nrows,
                 std::vector<uint8_t>& valid) {
    uint64_t end;
    valid.clear();
    if (!find_levels(text, at, last, size, end)) return false;
    if (!are_ones(text, at, end, nrows)) {
        valid.resize(nrows);
        if (!fill(text, at, end, 1, Levels(), 2, 0, valid.data(), static_cast<int64_t>(nrows))) return false;
        if (std::find(valid.begin(), valid.end(), 0) == valid.end()) valid.clear();
    }
    at = end;
    return true;
}

constexpr uint64_t HEAD = 256;                   // bytes of a header that are read
constexpr int64_t LARGEST_PAGE = 1 << 28;        // bytes of a page, unpacked
constexpr int64_t MOST_ROWS = 1 << 24;           // rows of a page
enum Page { DATA = 0, DICTIONARY = 2, DATA_V2 = 3 };
enum Encoding { PLAIN = 0, PLAIN_DICTIONARY = 2, RLE = 3, RLE_DICTIONARY = 8 };

// Lists pages by their headers, which it reads from a file; returns the number of pages with rows.  It ends
// before a header that is rare or damaged, which the caller looks at.
//
// state        the position of the next header and the rows before it, moved on
// end          the position behind the last page
// nrows        rows of the row group, of which `wanted` are asked for
// itemsize     bytes of a plain number
// is_packed    whether the file compresses pages
// dictionary   values, position, bytes packed and unpacked, and checksum of a dictionary that it meets
// pages        room for a row for each page
int64_t list_pages(int64_t descriptor, Span<int64_t> state, int64_t end, int64_t nrows, int64_t wanted, int64_t itemsize,
                   bool is_packed, bool is_optional, Span<int64_t> dictionary, Matrix<int64_t> pages) {
    require(state.size == 2 && dictionary.size == 5 && pages.columns == WIDTH && state[0] >= 0 && state[1] >= 0 && itemsize >= 0 && nrows >= 0,
            "pages of other fields");
    uint64_t count = 0;
    while (state[1] < wanted && state[0] < end && count < pages.rows) {
        uint8_t text[HEAD + 16] = {};
        uint64_t size = HEAD < static_cast<uint64_t>(end - state[0]) ? HEAD : static_cast<uint64_t>(end - state[0]), at = 0;
        if (pread(static_cast<int>(descriptor), text, size, state[0]) != static_cast<ssize_t>(size)) break;
        Fields header, about;
        if (!read_fields(text, at, size, header)) break;
        int64_t kind = header.integer(1), unpacked = header.integer(2), packed = header.integer(3);
        int64_t offset = state[0] + static_cast<int64_t>(at), levels = -1, page_rows, encoding;
        if ((kind != DATA && kind != DATA_V2 && kind != DICTIONARY) || packed < 0 || packed > end - offset) break;
        if (unpacked < 0 || unpacked > LARGEST_PAGE) break;
        bool is_checked = header.kinds[4] >= INT16 && header.kinds[4] <= INT64;
        int64_t checksum = is_checked ? header.values[4] & 0xFFFFFFFF : -1, values = -1;
        int details = kind == DATA ? 5 : kind == DICTIONARY ? 7 : 8;
        uint64_t place = static_cast<uint64_t>(header.values[details]);
        if (header.kinds[details] != STRUCT || !read_fields(text, place, size, about)) break;
        bool is_page_packed = is_packed;
        page_rows = about.integer(1);
        if (kind == DICTIONARY) {
            if (page_rows < 0 || (itemsize && page_rows > unpacked / itemsize)) break;
            int64_t told[] = {page_rows, offset, packed, unpacked, checksum};
            std::memcpy(dictionary.data, told, sizeof told);
            state[0] = offset + packed;
            continue;
        }
        if (kind == DATA) {
            encoding = about.integer(2);
            if (is_optional && about.integer(3) != RLE) break;
        } else {
            encoding = about.integer(4);
            levels = about.integer(5);
            if (levels < 0 || levels > packed || levels > unpacked || about.integer(6) > 0) break;
            is_page_packed = is_packed && (!about.kinds[7] || about.kinds[7] == TRUE);
        }
        if (page_rows < 0 || page_rows > nrows - state[1] || page_rows > MOST_ROWS) break;
        if (encoding != PLAIN && encoding != PLAIN_DICTIONARY && encoding != RLE_DICTIONARY) break;
        if (!is_page_packed && packed != unpacked) break;
        // Checksums are of whole pages, so their values cannot be read alone.
        if (!is_page_packed && encoding == PLAIN && !is_checked) {
            uint64_t begin = at, last = static_cast<uint64_t>(packed) < size - at ? at + static_cast<uint64_t>(packed) : size;
            bool is_found = is_optional ? skip_levels(text, begin, last, levels, static_cast<uint64_t>(page_rows)) : true;
            int64_t before = is_optional ? static_cast<int64_t>(begin - at) : levels > 0 ? levels : 0;
            if (is_found && page_rows * itemsize > packed - before) break;
            if (is_found) values = offset + before;
        }
        if (page_rows) {
            int64_t row[] = {state[1], page_rows,      offset,           packed, unpacked,
                             levels,   is_page_packed, encoding == PLAIN, values, checksum};
            std::memcpy(pages[count++], row, sizeof row);
        }
        state[1] += page_rows;
        state[0] = offset + packed;
    }
    return static_cast<int64_t>(count);
}

// Reads an integer of some bytes: of 4 or 8 the lowest first, of other numbers the highest; false if 64 bits do not hold it.
template <uint64_t nbytes>
INLINE bool read_integer(const uint8_t* text, uint64_t width, int64_t& number) {
    if constexpr (nbytes) {
        std::conditional_t<nbytes == 4, int32_t, int64_t> stored;
        std::memcpy(&stored, text, nbytes);
        number = stored;
        return true;
    }
    number = static_cast<int8_t>(text[0]);
    bool fits = true;
    for (uint64_t at = 1; at < width; ++at) {
        fits &= number >= -(int64_t{1} << 55) && number < int64_t{1} << 55;
        number = static_cast<int64_t>(static_cast<uint64_t>(number) << 8 | text[at]);
    }
    return fits;
}

// All rows of an array, or the rows of a page at some places.
struct Adjacent {
    uint64_t operator()(uint64_t at) const { return at; }
};

struct Chosen {
    const int64_t* rows;
    int64_t first;

    uint64_t operator()(uint64_t at) const { return static_cast<uint64_t>(rows[at] - first); }
};

template <uint64_t nbytes, class Row, class Take>
bool read_integers(const uint8_t* text, uint64_t width, const Row& row, uint64_t count, Take take) {
    bool all = true;
    for (uint64_t at = 0; at < count; ++at) {
        int64_t number;
        all &= read_integer<nbytes>(text + row(at) * (nbytes ? nbytes : width), width, number);
        all &= take(at, number);
    }
    return all;
}

// Reads integers and multiplies them by a factor; returns false if 64 bits do not hold one of them.
template <uint64_t nbytes, class Row>
bool multiplied(const uint8_t* text, const Row& row, uint64_t count, int64_t factor, int64_t* out) {
    int64_t most = std::numeric_limits<int64_t>::max() / factor;
    return read_integers<nbytes>(text, nbytes, row, count, [&](uint64_t at, int64_t number) {
        out[at] = static_cast<int64_t>(static_cast<uint64_t>(number) * static_cast<uint64_t>(factor));
        return number >= -most && number <= most;
    });
}

// Reads integers of decimals and divides them by a power of ten that floats have; returns false if an integer is none of
// them, whose quotient would not be the float next to the true one.
template <uint64_t nbytes, class Row>
bool divided(const uint8_t* text, uint64_t width, const Row& row, uint64_t count, double divisor, double* out) {
    constexpr int64_t EXACT = int64_t{1} << 53;
    return read_integers<nbytes>(text, width, row, count, [&](uint64_t at, int64_t number) {
        out[at] = static_cast<double>(number) / divisor;
        return number >= -EXACT && number <= EXACT;
    });
}

// Times of 4 or 8 bytes, in another unit.
bool multiply(Text stored, uint64_t width, int64_t factor, Span<int64_t> out) {
    require((width == 4 || width == 8) && out.size == stored.size / width && factor > 0, "numbers of another width");
    return width == 4 ? multiplied<4>(stored.data, Adjacent(), out.size, factor, out.data)
                      : multiplied<8>(stored.data, Adjacent(), out.size, factor, out.data);
}

bool divide(Text stored, uint64_t width, bool is_big_endian, double divisor, Span<double> out) {
    require(width > 0 && width <= 16 && out.size == stored.size / width, "numbers of another width");
    require(is_big_endian || width == 4 || width == 8, "numbers of another width");
    if (is_big_endian) return divided<0>(stored.data, width, Adjacent(), out.size, divisor, out.data);
    return width == 4 ? divided<4>(stored.data, width, Adjacent(), out.size, divisor, out.data)
                      : divided<8>(stored.data, width, Adjacent(), out.size, divisor, out.data);
}

// How the plain numbers of pages become words: as they are, or integers of 4 or 8 bytes times a factor or divided.
struct PlainNumbers {
    uint64_t width;
    int64_t factor;
    double divisor;
    bool is_stored;

    PlainNumbers(uint64_t width, int64_t factor, double divisor)
        : width(width), factor(factor), divisor(divisor), is_stored(width == 8 && factor == 1 && divisor == 1) {}

    template <class Row>
    bool read(const uint8_t* text, const Row& row, uint64_t count, uint64_t* out) const {
        auto* integers = reinterpret_cast<int64_t*>(out);
        if (divisor != 1) {
            auto* floats = reinterpret_cast<double*>(out);
            return width == 4 ? divided<4>(text, width, row, count, divisor, floats)
                              : divided<8>(text, width, row, count, divisor, floats);
        }
        if (width == 4) return multiplied<4>(text, row, count, factor, integers);
        if (factor != 1) return multiplied<8>(text, row, count, factor, integers);
        return read_integers<8>(text, 8, row, count, [&](uint64_t at, int64_t number) {
            integers[at] = number;
            return true;
        });
    }
};

// Reads bytes of a file; false if there are fewer.
bool read_bytes(int64_t descriptor, void* into, int64_t size, int64_t offset) {
    auto* at = static_cast<uint8_t*>(into);
    while (size > 0) {
        ssize_t count = pread(static_cast<int>(descriptor), at, static_cast<size_t>(size), offset);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        at += count, offset += count, size -= count;
    }
    return true;
}

// What decodes pages, for numbers and for positions of text alike.
//
// descriptor  the file that pages are read from, one after the other; -1 if their bytes are given
// given       bytes of the file, PAGE_MARGIN more than those of the pages; others may write to them
// base        where they begin in the file
// data        room for a page as it is in the file, if that is read, and PAGE_MARGIN more
// pages       a row for each page that has numbers
// memory      room for a page unpacked, and PAGE_MARGIN more
// held        where the page begins that was read to `data` and unpacked to `memory` last, -1 for none
// dictionaries  a row for each row group, if loops read the dictionaries when pages need them: its first row, where the page
//             of its dictionary begins, the bytes packed and unpacked, whether it is packed, and how many words it has
// loaded      the row of the dictionary that was read last, -1 for none
// start       the row of the first number that is wanted
// rows        the rows that are wanted, ascending and counted from `start`, if not all from it on are
// missing     set where rows are null, if it has room; `nulls` counts those
struct PagesToDecode {
    int64_t descriptor;
    Span<const uint8_t> given;
    int64_t base;
    Span<uint8_t> data;
    Matrix<const int64_t> pages;
    Span<uint8_t> memory;
    int64_t& held;
    Matrix<const int64_t> dictionaries;
    int64_t& loaded;
    int64_t start;
    Span<const int64_t> rows;
    bool is_optional;
    Span<bool> missing;
    int64_t& nulls;

    // Returns the first page from some number on that does not end before a row.
    uint64_t page_with(int64_t row, uint64_t low) const {
        uint64_t high = pages.rows;
        while (low < high) {
            uint64_t middle = low + (high - low) / 2;
            if (pages[middle][FIRST] + pages[middle][NROWS] <= row) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    // Finds bytes of the file, PAGE_MARGIN less than can be read; reads them unless they are given, or are in `into`
    // already.  Returns null if there are fewer.
    const uint8_t* bytes_at(int64_t offset, int64_t size, Span<uint8_t> into, bool is_read = false) const {
        uint64_t nbytes = static_cast<uint64_t>(size), begin = static_cast<uint64_t>(offset - base);
        auto fits = [&](uint64_t room) { return size >= 0 && room >= PAGE_MARGIN && nbytes <= room - PAGE_MARGIN; };
        if (descriptor < 0) return begin <= given.size && fits(given.size - begin) ? given.data + begin : nullptr;
        if (!fits(into.size) || (!is_read && !read_bytes(descriptor, into.data, size, offset))) return nullptr;
        return into.data;
    }

    // The values of a page: where they are, and which rows have one, none if all have.
    struct Values {
        const uint8_t* text;
        uint64_t at, last;
    };

    // Moves on to the dictionary of the row group that a page is of.
    void find_dictionary(const int64_t* page, uint64_t& number) const {
        while (number + 1 < dictionaries.rows && dictionaries[number + 1][0] <= page[FIRST]) ++number;
    }

    // Reads the numbers of a dictionary; false if they are damaged or unsupported.
    bool load_dictionary(uint64_t number, const PlainNumbers& plain, Span<uint64_t> words, uint64_t& known) const {
        const int64_t* about = dictionaries[number];
        int64_t offset = about[1], packed = about[2], unpacked = about[3];
        bool is_packed = about[4];
        known = static_cast<uint64_t>(about[5]);
        if (loaded == static_cast<int64_t>(number)) return true;
        if (!plain.width || packed < 0 || unpacked < 0 || known > words.size) return false;
        if (known > static_cast<uint64_t>(unpacked) / plain.width || (!is_packed && packed != unpacked)) return false;
        // Numbers that are stored as they are need no other place.
        Span<uint8_t> room{reinterpret_cast<uint8_t*>(words.data), 8 * words.size}, into = plain.is_stored ? room : memory;
        held = loaded = -1;
        const uint8_t* text = bytes_at(offset, packed, is_packed ? data : into);
        if (!text) return false;
        if (is_packed) {
            uint64_t size = static_cast<uint64_t>(unpacked);
            if (!unpack_snappy(text, 0, static_cast<uint64_t>(packed), into, size)) return false;
            text = into.data;
        }
        if (text != room.data && !plain.read(text, Adjacent(), known, words.data)) return false;
        loaded = static_cast<int64_t>(number);
        return true;
    }

    // Finds the values of a page, unless it is damaged or unsupported.
    bool find_values(const int64_t* page, std::vector<uint8_t>& valid, Values& found) const {
        bool is_held = held == page[OFFSET];
        if (!is_held) held = -1;
        const uint8_t* text = bytes_at(page[OFFSET], page[PACKED], data, is_held);
        if (!text) return false;
        uint64_t at = 0, last = static_cast<uint64_t>(page[PACKED]);
        uint64_t levels = page[LEVELS] > 0 ? static_cast<uint64_t>(page[LEVELS]) : 0, page_rows = static_cast<uint64_t>(page[NROWS]);
        valid.clear();
        // Levels of pages of the second version come first, and are not packed.
        if (is_optional && page[LEVELS] >= 0) {
            if (!read_levels(text, at, last, page[LEVELS], page_rows, valid)) return false;
        } else {
            at += levels;
        }
        if (at > last) return false;
        if (page[IS_PACKED]) {
            uint64_t unpacked = static_cast<uint64_t>(page[UNPACKED]) - levels;
            if (page[UNPACKED] < 0 || unpacked > memory.size || memory.size - unpacked < PAGE_MARGIN) return false;
            if (!is_held && !unpack_snappy(text, at, last, memory, unpacked)) return false;
            text = memory.data;
            at = 0;
            last = unpacked;
        }
        held = page[OFFSET];
        if (is_optional && page[LEVELS] < 0 && !read_levels(text, at, last, page[LEVELS], page_rows, valid)) return false;
        found = {text, at, last};
        return true;
    }

    // Fills an array with words of a dictionary, or plain numbers, and `absent` in null rows; returns the number of rows
    // done, before the first page that is unsupported or damaged.  `plain.width` is 0 if plain pages are unsupported.
    template <class Words, class Word>
    int64_t decode(Words words, uint64_t known, const PlainNumbers& plain, Word absent, Span<Word> out) const {
        bool is_chosen = rows.size > 0;
        require(pages.columns == WIDTH && start >= (is_chosen ? -LONGEST : 0) && start <= LONGEST && base >= 0,
                "pages of other fields, or no row to start at");
        require((!is_chosen || rows.size == out.size) && (!missing.size || missing.size == out.size), "rows of other numbers");
        int64_t done = 0, wanted = static_cast<int64_t>(out.size);
        std::vector<uint8_t> valid;
        std::vector<int64_t> places;
        for (uint64_t number = 0, dictionary = 0; done < wanted; ++number) {
            int64_t next = start + (is_chosen ? rows[static_cast<uint64_t>(done)] : done);
            number = page_with(next, number);
            if (number >= pages.rows) return done;
            const int64_t* page = pages[number];
            int64_t nrows = page[NROWS], first = next - page[FIRST];
            if (nrows <= 0 || nrows > MOST_ROWS || page[FIRST] < 0 || page[FIRST] > LONGEST || first < 0 || first >= nrows ||
                (page[IS_PLAIN] && !plain.width)) {
                return done;
            }
            // The wanted rows, and their place in the output.
            const int64_t* some = rows.begin() + done;
            int64_t count = std::min(wanted - done, nrows - first), before = page[FIRST];
            if (is_chosen) {
                before -= start;
                count = std::lower_bound(some, rows.end(), before + nrows) - some;
                for (int64_t row = 0; row < count; ++row) {
                    require(static_cast<uint64_t>(some[row]) - static_cast<uint64_t>(before) < static_cast<uint64_t>(nrows),
                            "rows of no page, or not ascending");
                }
            }
            Word* target = out.data + done;
            if (page[VALUES] >= 0 && descriptor >= 0 && !is_chosen && plain.is_stored && sizeof(Word) == 8) {
                if (!read_bytes(descriptor, target, count * 8, page[VALUES] + first * 8)) return done;
                done += count;
                continue;
            }
            if constexpr (sizeof(Word) == 8) {
                if (!page[IS_PLAIN] && dictionaries.rows) {
                    find_dictionary(page, dictionary);
                    if (!load_dictionary(dictionary, plain, words, known)) return done;
                }
            }
            Values found;
            if (!find_values(page, valid, found)) return done;
            auto [text, at, last] = found;
            bool has_nulls = !valid.empty();
            uint64_t stored = has_nulls ? static_cast<uint64_t>(std::count(valid.begin(), valid.end(), 1)) : static_cast<uint64_t>(nrows);
            if (page[IS_PLAIN] ? stored > (last - at) / plain.width : stored && at >= last) return done;

            // Values behind `skipped` others, or at some places among them.
            int64_t values = count, skipped = is_chosen ? 0 : first, before_values = before;
            auto is_there = [&](int64_t row) { return valid[static_cast<uint64_t>(is_chosen ? some[row] - before : first + row)]; };
            if (has_nulls) {
                values = 0;
                for (int64_t row = 0; row < count; ++row) values += is_there(row);
                if (!is_chosen) skipped = std::count(valid.begin(), valid.begin() + first, 1);
            }
            const int64_t* chosen = some;
            if (is_chosen && has_nulls) {
                places.clear();
                for (int64_t row = 0, at_row = 0, place = 0; row < count; ++row) {
                    int64_t here = some[row] - before;
                    require(here >= at_row, "rows that do not ascend");
                    for (; at_row < here; ++at_row) place += valid[static_cast<uint64_t>(at_row)];
                    if (valid[static_cast<uint64_t>(here)]) places.push_back(place);
                }
                chosen = places.data();
                before_values = 0;
            }
            if (values && !page[IS_PLAIN]) {
                uint64_t width = once(uint64_t{text[at]});
                bool is_done = is_chosen ? fill_at(text, at + 1, last, width, words, known, chosen, values, before_values, target)
                                         : fill(text, at + 1, last, width, words, known, skipped, target, values);
                if (!is_done) return done;
            }
            if constexpr (sizeof(Word) == 8) {
                uint64_t many = page[IS_PLAIN] ? static_cast<uint64_t>(values) : 0;
                const uint8_t* from = text + at + plain.width * static_cast<uint64_t>(skipped);
                bool is_done = is_chosen ? plain.read(from, Chosen{chosen, before_values}, many, target)
                                         : plain.read(from, Adjacent(), many, target);
                if (!is_done) return done;
            }
            if (has_nulls && values < count) {
                // Values move to their rows from the last on, so that none is overwritten before.
                nulls += count - values;
                for (int64_t row = count; row-- > 0;) {
                    bool is_value = is_there(row);
                    target[row] = is_value ? target[--values] : absent;
                    if (missing.size) missing[static_cast<uint64_t>(done + row)] = !is_value;
                }
            }
            done += count;
        }
        return done;
    }
};

// Decodes numbers of pages, whose plain numbers of some width are multiplied by `factor` or divided by `divisor`, unless
// both are 1; `words` is the dictionary, `known` of them, followed by any, or room for one that is read.  `state` has the page
// that is held, the nulls, and the dictionary that is loaded.  For the rest see `PagesToDecode`.
int64_t decode_pages(int64_t descriptor, Span<const uint8_t> given, int64_t base, Span<uint8_t> data,
                     Matrix<const int64_t> pages, Span<uint8_t> memory, Span<int64_t> state, int64_t start, Span<const int64_t> rows, bool is_optional, Span<bool> missing,
                     Matrix<const int64_t> dictionaries, Span<uint64_t> words, uint64_t known, uint64_t width, int64_t factor,
                     double divisor, uint64_t absent, Span<uint64_t> out) {
    require((width == 0 || width == 4 || width == 8) && factor > 0 && state.size == 3, "numbers of another width");
    require(!dictionaries.rows || dictionaries.columns == 6, "dictionaries of other fields");
    PagesToDecode all{descriptor, given, base, data,        pages,   memory,  state[0], dictionaries,
                      state[2],   start, rows, is_optional, missing, state[1]};
    return all.decode(words, known, PlainNumbers(width, factor, divisor), absent, out);
}

// The same of positions in a dictionary of `known` strings.
int64_t decode_positions(int64_t descriptor, Span<const uint8_t> given, int64_t base, Span<uint8_t> data,
                         Matrix<const int64_t> pages, Span<uint8_t> memory, Span<int64_t> state, int64_t start, Span<const int64_t> rows, bool is_optional,
                         Span<bool> missing, uint64_t known, Span<int32_t> out) {
    require(known < uint64_t{1} << 31 && state.size == 3, "too many strings");
    PagesToDecode all{descriptor, given, base, data,        pages,   memory,  state[0], {},
                      state[2],   start, rows, is_optional, missing, state[1]};
    return all.decode(Positions(), known, PlainNumbers(0, 1, 1), static_cast<int32_t>(known), out);
}

// Unpacks Snappy data, behind which there are PAGE_MARGIN bytes, as there are behind `size` bytes of the memory.
bool unpack(Text data, uint64_t size, Span<uint8_t> memory) {
    require(data.size >= PAGE_MARGIN, "packed data without a margin");
    return unpack_snappy(data.data, 0, data.size - PAGE_MARGIN, memory, size);
}

constexpr uint64_t HIGH = 0x8080808080808080;

// Whether no byte has its highest bit set; 8 bytes behind them can be read.
bool is_ascii(const uint8_t* text, uint64_t at, uint64_t stop) {
    uint64_t seen = 0;
    for (; at + 8 <= stop; at += 8) seen |= word_at(text, at);
    return !((seen | leading_bytes(word_at(text, at), at, stop)) & HIGH);
}

// Whether bytes are text in UTF-8; 8 bytes behind them can be read.
bool is_text(const uint8_t* text, uint64_t at, uint64_t stop) {
    auto continues = [&](uint64_t place, uint64_t least, uint64_t most) {
        return place < stop && text[place] >= least && text[place] <= most;
    };
    while (at < stop) {
        if (!(leading_bytes(word_at(text, at), at, stop) & HIGH)) {
            at += 8;
            continue;
        }
        uint64_t byte = text[at], length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
        if (length > 1) {
            if (byte < 0xC2 || byte > 0xF4) return false;
            // The second byte excludes longer forms than needed, halves of surrogates, and numbers that are too large.
            uint64_t least = byte == 0xE0 ? 0xA0 : byte == 0xF0 ? 0x90 : 0x80;
            uint64_t most = byte == 0xED ? 0x9F : byte == 0xF4 ? 0x8F : 0xBF;
            if (!continues(at + 1, least, most)) return false;
            for (uint64_t ahead = 2; ahead < length; ++ahead) {
                if (!continues(at + ahead, 0x80, 0xBF)) return false;
            }
        }
        at += length;
    }
    return true;
}

constexpr int64_t CUT_SHORT = -1, NO_TEXT = -2;

// Finds strings, each behind its length of four bytes, from byte `at` to `stop`, behind which there are 8 more.
//
// valid      which rows have a string, none if all have; the others get what begins at `stop`
// missing    the length of those
// returns    the bytes of all strings; CUT_SHORT if they are fewer than the rows, NO_TEXT if one is not UTF-8
int64_t place_strings(Text data, uint64_t at, uint64_t stop, Span<const bool> valid, uint32_t missing,
                      Span<uint32_t> starts, Span<uint32_t> lengths) {
    require(at <= stop && data.size >= 8 && stop <= data.size - 8 && stop < uint64_t{1} << 32, "text without a margin");
    require(starts.size == lengths.size && (!valid.size || valid.size == starts.size), "rows of other numbers");
    int64_t total = 0;
    // Lengths below 128 look like ASCII as well, so that mostly no string has to be looked at.
    bool all_ascii = is_ascii(data.data, at, stop);
    for (uint64_t row = 0; row < starts.size; ++row) {
        uint64_t start = stop, length = missing;
        if (!valid.size || valid[row]) {
            if (stop - at < 4) return CUT_SHORT;
            length = word_at(data.data, at) & 0xFFFFFFFF;
            start = at + 4;
            if (length > stop - start) return CUT_SHORT;
            at = start + length;
            if (!all_ascii && !is_ascii(data.data, start, at) && !is_text(data.data, start, at)) return NO_TEXT;
        }
        starts[row] = static_cast<uint32_t>(start);
        lengths[row] = static_cast<uint32_t>(length);
        total += static_cast<int64_t>(length);
    }
    return total;
}

// Returns the bytes of the strings at some positions.
int64_t size_of_strings(Span<const uint32_t> lengths, Span<const int32_t> positions) {
    int64_t total = 0;
    for (int32_t position : positions) total += lengths[checked(position, lengths.size)];
    return total;
}

// Copies strings at some positions, or all strings if there are no positions, behind others, whose end is the first
// offset; there is room for a chunk behind the last.
void append_strings(Text data, Span<const uint32_t> starts, Span<const uint32_t> lengths, Span<const int32_t> positions,
                    bool all, Span<int64_t> offsets, Span<uint8_t> into) {
    uint64_t count = all ? starts.size : positions.size;
    require(starts.size == lengths.size && offsets.size == count + 1 && into.size >= CHUNK && offsets[0] >= 0,
            "no room for as many strings");
    uint64_t end = static_cast<uint64_t>(offsets[0]), room = into.size - CHUNK;
    for (uint64_t row = 0; row < count; ++row) {
        uint64_t position = all ? row : checked(positions[row], starts.size);
        uint64_t start = starts[position], length = lengths[position];
        require(start + length <= data.size && end <= room && length <= room - end, "strings beyond their text");
        if (start + length + CHUNK <= data.size) {
            copy_chunk(data.data + start, &into[end]);
            for (uint64_t ahead = CHUNK; ahead < length; ahead += CHUNK) {
                copy_chunk(data.data + start + ahead, &into[end + ahead]);
            }
        } else {
            std::memcpy(&into[end], data.data + start, length);
        }
        end += length;
        offsets[row + 1] = static_cast<int64_t>(end);
    }
}

// Numbers values from `low` on by their first appearances, as `out`, lists them in that order as `distinct`, and returns how
// many there are.  `positions` has room for each number of the range.
template <class T>
int64_t number_values(Span<const T> values, int64_t low, Span<int32_t> positions, Span<T> distinct, Span<int32_t> out) {
    require(out.size == values.size && distinct.size == positions.size, "arrays do not match");
    require(positions.size < uint64_t{1} << 31, "there are too many numbers");
    std::fill(positions.begin(), positions.end(), -1);
    int32_t count = 0;
    for (uint64_t row = 0; row < values.size; ++row) {
        uint64_t place = static_cast<uint64_t>(static_cast<int64_t>(values[row])) - static_cast<uint64_t>(low);
        require(place < positions.size, "a value is out of range");
        int32_t& position = positions[place];
        if (position < 0) {
            distinct[static_cast<uint64_t>(count)] = values[row];
            position = count++;
        }
        out[row] = position;
    }
    return count;
}

void put_varint(Span<uint8_t> out, uint64_t& at, uint64_t number) {
    for (; number > 127; number >>= 7) out[at++] = static_cast<uint8_t>(number | 128);
    out[at++] = static_cast<uint8_t>(number);
}

// Writes positions of `width` bits as runs, 8 and more equal ones as one of them, and returns how many bytes these are.
int64_t pack_positions(Span<const int32_t> positions, uint64_t width, Span<uint8_t> out) {
    constexpr uint64_t GROUP = 8, MOST_GROUPS = 63;  // more groups would have headers of two bytes
    require(width > 0 && width < WIDEST, "positions have 1 to 31 bits");
    // A header has as many bytes as there are groups at most, and 5; 16 more are for the last word.
    require(out.size >= (positions.size / GROUP + 1) * (width + 6) + 16, "there is no room for the runs");
    const uint64_t mask = (uint64_t{1} << width) - 1;
    auto is_equal_group = [&](uint64_t first) {
        for (uint64_t row = first + 1; row < first + GROUP; ++row) {
            if (positions[row] != positions[first]) return false;
        }
        return true;
    };
    uint64_t at = 0, row = 0;
    while (row < positions.size) {
        uint64_t stop = row, groups = 0;
        while (groups < MOST_GROUPS && stop < positions.size && (positions.size - stop < GROUP || !is_equal_group(stop))) {
            stop = std::min(stop + GROUP, positions.size);
            ++groups;
        }
        if (groups) {
            put_varint(out, at, groups << 1 | 1);
            uint64_t bits = 0, used = 0, to = at;
            for (; row < stop; ++row) {
                uint64_t position = static_cast<uint32_t>(positions[row]) & mask;
                bits |= position << used;
                used += width;
                if (used >= 64) {
                    put_word(out.data, to, bits);
                    to += 8;
                    used -= 64;
                    bits = used ? position >> (width - used) : 0;
                }
            }
            put_word(out.data, to, bits);
            at += groups * width;
            if (to + 8 < at) std::memset(out.data + to + 8, 0, at - to - 8);  // a last group of fewer positions
            continue;
        }
        for (stop = row + GROUP; stop < positions.size && positions[stop] == positions[row];) ++stop;
        put_varint(out, at, (stop - row) << 1);
        for (uint64_t byte = 0; byte < (width + 7) / 8; ++byte) {
            out[at++] = static_cast<uint8_t>((static_cast<uint32_t>(positions[row]) & mask) >> (8 * byte));
        }
        row = stop;
    }
    return static_cast<int64_t>(at);
}

}  // namespace

MODULE("Pages of numbers and of text, listed, unpacked and decoded; row groups of footers, and indexes.",
       {"list_pages", overloads<list_pages>},
       {"look_up", overloads<look_up<uint64_t>, look_up<uint8_t>>},
       {"find_positions", overloads<find_positions>},
       {"unpack", overloads<unpack>},
       {"multiply", overloads<multiply>},
       {"divide", overloads<divide>},
       {"place_strings", overloads<place_strings>},
       {"size_of_strings", overloads<size_of_strings>},
       {"append_strings", overloads<append_strings>},
       {"decode_pages", overloads<decode_pages>},
       {"decode_positions", overloads<decode_positions>},
       {"read_row_groups", overloads<read_row_groups>},
       {"read_page_locations", overloads<read_page_locations>},
       {"read_page_bounds", overloads<read_page_bounds>},
       {"number_values", overloads<number_values<int32_t>, number_values<int64_t>>},
       {"pack_positions", overloads<pack_positions>})
