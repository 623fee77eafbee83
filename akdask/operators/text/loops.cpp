// Parts, delimiters, case, padding and classes of characters of strings in UTF-8.
//
// Strings are given as Arrow has them: the offsets of n strings are n + 1 places, the first of which is that of the first
// byte of `text`.  Bounds that loops return are counted from that byte.

#include "text.hpp"
#include "words.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace {

using namespace akdask;

using Offsets = Span<const int64_t>;
using Places = Span<int64_t>;

struct Bounds {
    int64_t start, stop;
};

// The bytes of a string, which lie within the text.
Bounds bounds_of(const Offsets& offsets, const Text& text, uint64_t row) {
    Bounds found{offsets[row] - offsets[0], offsets[row + 1] - offsets[0]};
    require(0 <= found.start && found.start <= found.stop && static_cast<uint64_t>(found.stop) <= text.size,
            "strings beyond their text");
    return found;
}

void require_rows(const Offsets& offsets, uint64_t rows) { require(offsets.size == rows + 1, "results of other strings"); }

// Writes strings one behind the other, and notes where they end.
class Writer {
  public:
    Writer(const Offsets& offsets, const Places& ends, const Span<uint8_t>& into) : ends_(ends), into_(into) {
        require(ends.size == offsets.size && ends.size, "ends of other strings");
        ends_[0] = 0;
    }

    // Bytes to be written next.
    uint8_t* next(int64_t size) {
        require(0 <= size && size <= static_cast<int64_t>(into_.size) - at_, "no room for a string");
        uint8_t* found = into_.data + at_;
        at_ += size;
        return found;
    }

    void copy(const Text& text, int64_t start, int64_t stop) {
        constexpr int64_t chunk = CHUNK;
        int64_t size = stop - start;
        // What is copied behind the end is written over by what comes next.
        if (size <= chunk && start + chunk <= static_cast<int64_t>(text.size) &&
            at_ + chunk <= static_cast<int64_t>(into_.size)) {
            copy_chunk(text.data + start, into_.data + at_);
            at_ += size;
        } else if (size) {
            std::memcpy(next(size), text.data + start, static_cast<std::size_t>(size));
        }
    }

    void fill(const Text& with, int64_t times) {
        constexpr int64_t chunk = CHUNK;
        if (with.size == 1 && 0 <= times && times <= chunk && at_ + chunk <= static_cast<int64_t>(into_.size)) {
            std::memset(into_.data + at_, with[0], CHUNK);
            at_ += times;
            return;
        }
        int64_t size;
        require(!__builtin_mul_overflow(times, static_cast<int64_t>(with.size), &size), "no room for a string");
        uint8_t* at = next(size);
        if (with.size == 1) {
            std::memset(at, with[0], static_cast<std::size_t>(times));
        } else {
            for (; times > 0; --times, at += with.size) std::memcpy(at, with.data, with.size);
        }
    }

    void end_string() { ends_[++row_] = at_; }

  private:
    Places ends_;
    Span<uint8_t> into_;
    int64_t at_ = 0;
    uint64_t row_ = 0;
};

constexpr uint64_t LOWEST = 0x0101010101010101;  // the lowest bit of each byte

constexpr uint64_t HIGHEST = LOWEST << 7;            // the highest one
constexpr uint64_t EIGHTS = 240;                     // words whose bits are counted in the bytes of one

// How many bytes are none of ASCII.
int64_t count_beyond_ascii(Text text) {
    uint64_t count = 0, at = 0;
    for (; at + 8 * EIGHTS <= text.size; at += 8 * EIGHTS) {
        uint64_t counts = 0;
        for (uint64_t word = 0; word < EIGHTS; ++word) counts += (word_at(text.data, at + 8 * word) >> 7) & LOWEST;
        for (; counts; counts >>= 8) count += counts & 0xFF;
    }
    for (; at < text.size; ++at) count += text[at] >> 7;
    return static_cast<int64_t>(count);
}

bool is_ascii(const Text& text) {
    uint64_t all = 0, at = 0;
    for (; at + 8 * EIGHTS <= text.size && !(all & HIGHEST); at += 8 * EIGHTS) {
        for (uint64_t word = 0; word < EIGHTS; ++word) all |= word_at(text.data, at + 8 * word);
    }
    for (; at < text.size && !(all & HIGHEST); at += 8) all |= word_within(text, at);
    return !(all & HIGHEST);
}

bool is_ascii(const Text& text, Bounds string) {
    uint64_t all = 0, stop = static_cast<uint64_t>(string.stop);
    for (uint64_t at = static_cast<uint64_t>(string.start); at < stop; at += 8) {
        all |= leading_bytes(word_within(text, at), at, stop);
    }
    return !(all & HIGHEST);
}

// Bytes that go on with a character are no character of their own.
bool goes_on(uint8_t byte) { return (byte & 0xC0) == 0x80; }

// The lowest bit of each byte of a word with which a character begins.
uint64_t begins(uint64_t word) { return ~((word >> 7) & ~(word >> 6)) & LOWEST; }

int64_t characters(const Text& text, int64_t start, int64_t stop) {
    int64_t found = stop - start;
    for (uint64_t at = static_cast<uint64_t>(start), end = static_cast<uint64_t>(stop); at < end; at += 8) {
        uint64_t word = leading_bytes(word_within(text, at), at, end);
        found -= __builtin_popcountll((word >> 7) & ~(word >> 6) & LOWEST);
    }
    return found;
}

// The eight bytes before a place.
uint64_t word_before(const Text& text, int64_t stop) {
    uint64_t at = static_cast<uint64_t>(stop);
    return at < 8 ? word_within(text, 0) << (64 - 8 * at) : word_at(text.data, at - 8);
}

int64_t distant_place_of(const Text& text, Bounds string, int64_t character) {
    if (character < 0) {
        for (int64_t at = string.stop; at > string.start; at -= 8) {
            uint64_t found = begins(word_before(text, at));
            if (at - string.start < 8) found &= LAST << (64 - 8 * (at - string.start));
            int64_t count = __builtin_popcountll(found);
            if (count + character < 0) {
                character += count;
                continue;
            }
            for (count += character; count; --count) found &= found - 1;
            return at - 8 + __builtin_ctzll(found) / 8;
        }
        return string.start;
    }
    if (!character) return string.start;
    for (int64_t at = string.start; at < string.stop; at += 8) {
        uint64_t found = begins(word_within(text, static_cast<uint64_t>(at)));
        if (string.stop - at < 8) found &= (uint64_t{1} << (8 * (string.stop - at))) - 1;
        int64_t count = __builtin_popcountll(found);
        if (count <= character) {
            character -= count;
            continue;
        }
        for (; character; --character) found &= found - 1;
        return at + __builtin_ctzll(found) / 8;
    }
    return string.stop;
}

// The byte at which a character of a string begins, counted from the end if negative; the string's end or start beyond.
INLINE int64_t place_of(const Text& text, Bounds string, int64_t character, bool all_ascii) {
    if (character < 0) {
        bool is_plain = all_ascii || (character >= -8 && string.stop > 0 && !(word_before(text, string.stop) & HIGHEST));
        if (is_plain) return std::max(string.start, string.stop + character);
    } else {
        bool is_plain = all_ascii || (character <= 8 && !(word_within(text, static_cast<uint64_t>(string.start)) & HIGHEST));
        if (is_plain) return std::min(string.stop, string.start + character);
    }
    return distant_place_of(text, string, character);
}

// The first place from `start` on where a part begins, -1 where it does not occur.
int64_t first_of(const Text& text, const Text& part, int64_t start, int64_t stop) {
    int64_t last = stop - static_cast<int64_t>(part.size);
    const uint8_t *bytes = text.data, first = part[0];
    for (int64_t at = start; at <= last; ++at) {
        if (bytes[at] == first && (part.size == 1 || !std::memcmp(bytes + at, part.data, part.size))) return at;
    }
    return -1;
}

int64_t last_of(const Text& text, const Text& part, int64_t start, int64_t stop) {
    const uint8_t* bytes = text.data;
    for (int64_t at = stop - static_cast<int64_t>(part.size); at >= start; --at) {
        if (bytes[at] == part[0] && !std::memcmp(bytes + at, part.data, part.size)) return at;
    }
    return -1;
}

// Marks the strings with characters beyond ASCII; returns how many there are.
uint64_t mark_beyond_ascii(Offsets offsets, Text text, Span<bool> found) {
    require_rows(offsets, found.size);
    if (is_ascii(text)) return 0;
    uint64_t count = 0;
    for (uint64_t row = 0; row < found.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        uint8_t all = 0;
        for (int64_t at = string.start; at < string.stop; ++at) all |= text[static_cast<uint64_t>(at)];
        found[row] = all >= 0x80;
        count += found[row];
    }
    return count;
}

void count_characters(Offsets offsets, Text text, Places found) {
    require_rows(offsets, found.size);
    bool all_ascii = is_ascii(text);
    for (uint64_t row = 0; row < found.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        found[row] = all_ascii ? string.stop - string.start : characters(text, string.start, string.stop);
    }
}

// The number of the character where a part begins, from a character on: the first place, or the last; -1 for none.
void find_character(Offsets offsets, Text text, Text part, int64_t first, bool from_right, Places found) {
    require_rows(offsets, found.size);
    bool all_ascii = is_ascii(text);
    for (uint64_t row = 0; row < found.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        int64_t start = place_of(text, string, first, all_ascii);
        // Nothing is found behind the end, not even nothing.
        bool is_behind = start == string.stop && first > 0 && first > characters(text, string.start, string.stop);
        int64_t at = is_behind        ? -1
                     : !part.size     ? (from_right ? string.stop : start)
                     : from_right     ? last_of(text, part, start, string.stop)
                                      : first_of(text, part, start, string.stop);
        found[row] = at < 0 ? -1 : all_ascii ? at - string.start : characters(text, string.start, at);
    }
}

// Positions that are compared at a time.
constexpr uint64_t STRETCH = 4096;

// Has each place of the text told where bytes fit in front of it and behind, from the left.
template <class Fits, class Found>
INLINE void each_place(uint64_t nplaces, Fits fits_at, Found found) {
    uint8_t fits[STRETCH + 8];
    for (uint64_t start = 0; start < nplaces; start += STRETCH) {
        uint64_t count = nplaces - start < STRETCH ? nplaces - start : STRETCH;
        for (uint64_t place = 0; place < count; ++place) fits[place] = fits_at(start + place);
        std::memset(fits + count, 0, 8);
        for (uint64_t eight = 0; eight < count; eight += 8) {
            for (uint64_t word = word_at(fits, eight); word; word &= word - 1) {
                found(start + eight + static_cast<uint64_t>(__builtin_ctzll(word)) / 8);
            }
        }
    }
}

// Has each occurrence of a part within a string told, from the left and without overlaps, with its row.
template <class Found>
INLINE void each_occurrence(const Offsets& offsets, const Text& text, const Text& part, Found found) {
    uint64_t size = part.size, row = 0;
    int64_t next = 0;
    if (size > text.size || offsets.size < 2) return;
    Bounds string = bounds_of(offsets, text, 0);
    const uint8_t *front = text.data, *back = front + size - 1;
    uint8_t first = part[0], last = part[size - 1];
    auto fits = [&](uint64_t place) { return static_cast<uint8_t>(uint8_t{front[place] == first} & uint8_t{back[place] == last}); };
    each_place(text.size - size + 1, fits, [&](uint64_t place) {
        int64_t at = static_cast<int64_t>(place), stop = at + static_cast<int64_t>(size);
        while (string.stop <= at && row + 2 < offsets.size) string = bounds_of(offsets, text, ++row);
        if (at < next || stop > string.stop || (size > 2 && std::memcmp(front + place, part.data, size))) return;
        next = stop;
        found(row, at);
    });
    while (row + 2 < offsets.size) bounds_of(offsets, text, ++row);
}

// How often a part occurs, without overlaps, from the left.
void count_part(Offsets offsets, Text text, Text part, Places found) {
    require_rows(offsets, found.size);
    require(part.size, "nothing to count");
    std::fill(found.begin(), found.end(), 0);
    each_occurrence(offsets, text, part, [&](uint64_t row, int64_t) { ++found[row]; });
}

// A character, and its bytes.  Bytes that are no character, such as those of missing text, are number `NONE`.
struct Character {
    uint32_t number;
    int64_t size;

    static constexpr uint32_t NONE = 0x110000;
};

INLINE Character character_at(const Text& text, int64_t at, int64_t stop) {
    const uint8_t* bytes = text.data + at;
    if (*bytes < 0x80) return {*bytes, 1};
    int64_t size = *bytes < 0xE0 ? 2 : *bytes < 0xF0 ? 3 : 4;
    if (*bytes < 0xC0 || *bytes >= 0xF8 || size > stop - at) return {Character::NONE, 1};
    uint32_t number = *bytes & (0xFFu >> (size + 1));
    for (int64_t next = 1; next < size; ++next) number = number << 6 | (bytes[next] & 0x3F);
    return {number, size};
}

// A bit for each byte of a text, of whether it is in a set.
class Members {
  public:
    static constexpr int64_t MOST = 56;  // bits that are read at a time

    Members(const Text& text, const bool* marks, bool or_beyond_ascii = false)
        : bits_(new uint8_t[text.size / 8 + 16]) {
        std::memset(bits_.get() + text.size / 8, 0, 16);
        AsciiSet set(marks);
        for (uint64_t at = 0; at < text.size; at += CHUNK) {
            uint8_t padded[CHUNK] = {};
            const uint8_t* bytes = text.data + at;
            if (at + CHUNK > text.size) bytes = static_cast<uint8_t*>(std::memcpy(padded, bytes, text.size - at));
            uint64_t found = set.members(bytes);
            for (uint64_t at = 0; or_beyond_ascii && at < CHUNK; at += 8) {
                // The product brings the highest bits of all bytes together.
                found |= ((word_at(bytes, at) & HIGHEST) >> 7) * 0x0102040810204080 >> 56 << at;
            }
            std::memcpy(bits_.get() + at / 8, &found, CHUNK / 8);
        }
    }

    // Whether all bytes of a string are in the set.
    INLINE bool all(int64_t start, int64_t stop) const {
        uint64_t others = ~at(start) & below(stop - start);
        for (; stop - start > MOST; others |= ~at(start) & below(stop - start)) start += MOST;
        return !others;
    }

    // How many bytes of a string are in the set, or, of `runs`, how many of them have none before them.
    int64_t count(int64_t start, int64_t stop, bool runs) const {
        int64_t found = 0;
        for (uint64_t before = 0; start < stop; start += MOST) {
            uint64_t some = at(start) & below(stop - start);
            found += __builtin_popcountll(runs ? some & ~(some << 1 | before) : some);
            before = some >> (MOST - 1);
        }
        return found;
    }

    bool any(int64_t start, int64_t stop) const {
        bool found = at(start) & below(stop - start);
        for (; stop - start > MOST; found |= (at(start) & below(stop - start)) != 0) start += MOST;
        return found;
    }

  private:
    uint64_t at(int64_t place) const { return word_at(bits_.get(), static_cast<uint64_t>(place) / 8) >> (place % 8); }

    static uint64_t below(int64_t count) { return (uint64_t{1} << std::min(count, MOST)) - 1; }

    std::unique_ptr<uint8_t[]> bits_;
};

// Whether all characters of a string are allowed, and at least one is needed.  Tables have a mark for each character;
// none behind their end is allowed.
void consist_of(Offsets offsets, Text text, Span<const bool> allowed, Span<const bool> needed, Span<bool> found) {
    require_rows(offsets, found.size);
    require(allowed.size == needed.size && allowed.size >= 128, "tables of other characters");
    bool are_same = allowed.data == needed.data, all_ascii = allowed.size == 128;
    Members fine(text, allowed.data), some(are_same ? Text{} : text, needed.data);
    Members others(all_ascii ? Text{} : text, allowed.data, true);
    const Members& wanted = are_same ? fine : some;
    for (uint64_t row = 0; row < found.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        bool are_fine = fine.all(string.start, string.stop);
        found[row] = are_fine & (are_same ? string.start < string.stop : wanted.any(string.start, string.stop));
        // What is not allowed of ASCII decides; of others a table is asked.
        if (all_ascii || are_fine | !others.all(string.start, string.stop)) continue;
        bool all = true, any = false;
        for (int64_t at = string.start; all && at < string.stop;) {
            auto [number, size] = character_at(text, at, string.stop);
            all = number < allowed.size && allowed[number];
            any |= all && needed[number];
            at += size;
        }
        found[row] = all && any;
    }
}

// How many characters of a set of ASCII strings have, or, of `runs`, how many of them do not follow another.
void count_members(Offsets offsets, Text text, Span<const bool> ascii, bool runs, Places found) {
    require_rows(offsets, found.size);
    require(ascii.size == 128, "a table of other characters");
    Members members(text, ascii.data);
    for (uint64_t row = 0; row < found.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        found[row] = members.count(string.start, string.stop, runs);
    }
}

// Whether characters in upper or title case, of which the string needs one, begin words, and those in lower case do not.
void are_titles(Offsets offsets, Text text, Span<const bool> upper, Span<const bool> lower, Span<bool> found) {
    require_rows(offsets, found.size);
    require(upper.size == lower.size, "tables of other characters");
    for (uint64_t row = 0; row < found.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        bool is_title = true, any = false, in_word = false;
        for (int64_t at = string.start; is_title && at < string.stop;) {
            auto [number, size] = character_at(text, at, string.stop);
            bool is_upper = number < upper.size && upper[number], is_lower = number < lower.size && lower[number];
            is_title = in_word ? !is_upper : !is_lower;
            in_word = is_upper || is_lower;
            any |= in_word;
            at += size;
        }
        found[row] = is_title && any;
    }
}

// Characters from `start` to `stop`, which count from the end if negative.
void copy_slices(Offsets offsets, Text text, int64_t start, int64_t stop, Places ends, Span<uint8_t> into) {
    Writer writer(offsets, ends, into);
    bool all_ascii = is_ascii(text);
    for (uint64_t row = 0; row + 1 < offsets.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        int64_t first = place_of(text, string, start, all_ascii), last = place_of(text, string, stop, all_ascii);
        writer.copy(text, first, last < first ? first : last);
        writer.end_string();
    }
}

// The character of a number, counted from the end if negative; missing text, which is a single byte, where there is none.
void copy_character(Offsets offsets, Text text, int64_t number, uint8_t missing, Places ends, Span<uint8_t> into) {
    Writer writer(offsets, ends, into);
    bool all_ascii = is_ascii(text);
    for (uint64_t row = 0; row + 1 < offsets.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        int64_t first = place_of(text, string, number, all_ascii), size = string.stop - first;
        bool is_there = number >= 0 ? size > 0 : size >= -number && (all_ascii || characters(text, first, string.stop) == -number);
        if (is_there) {
            writer.copy(text, first, place_of(text, {first, string.stop}, 1, all_ascii));
        } else {
            *writer.next(1) = missing;
        }
        writer.end_string();
    }
}

// Every character of a number `step` from `start` on, up to `stop`, backwards if negative, as slices of Python count them.
void copy_every(Offsets offsets, Text text, int64_t start, int64_t stop, int64_t step, Places ends, Span<uint8_t> into) {
    require(step, "no step");
    Writer writer(offsets, ends, into);
    bool all_ascii = is_ascii(text);
    for (uint64_t row = 0; row + 1 < offsets.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        int64_t size = all_ascii ? string.stop - string.start : characters(text, string.start, string.stop);
        // Backwards, the place before the first character is -1.
        int64_t lowest = step < 0 ? -1 : 0, highest = step < 0 ? size - 1 : size;
        auto within = [&](int64_t place) {
            if (place < 0) place = place < lowest - size ? lowest : place + size;
            return place < lowest ? lowest : place > highest ? highest : place;
        };
        int64_t first = within(start), last = within(stop);
        int64_t left = step < 0 ? first - last : last - first, count = left > 0 ? (left - 1) / std::abs(step) + 1 : 0;
        if (size == string.stop - string.start) {
            uint8_t* bytes = writer.next(count);
            for (int64_t place = 0; place < count; ++place) bytes[place] = text.data[string.start + first + place * step];
            writer.end_string();
            continue;
        }
        int64_t at = place_of(text, string, std::max(first, int64_t{0}), all_ascii);
        for (int64_t place = 0; place < count; ++place) {
            if (place) at = place_of(text, step > 0 ? Bounds{at, string.stop} : Bounds{string.start, at}, step, all_ascii);
            int64_t next = place_of(text, {at, string.stop}, 1, all_ascii);
            std::memcpy(writer.next(next - at), text.data + at, static_cast<std::size_t>(next - at));
        }
        writer.end_string();
    }
}

// A set of characters: a mark for each of ASCII, and the numbers of others.
struct Characters {
    Span<const bool> ascii;
    Span<const uint32_t> others;

    bool have(const Text& text, int64_t start, int64_t stop) const {
        auto [number, size] = character_at(text, start, stop);
        if (number < 0x80) return ascii[number];
        for (uint32_t other : others) {
            if (other == number) return true;
        }
        return false;
    }
};

// What is left without characters of a set at the beginning, at the end, or both.
void copy_stripped(Offsets offsets, Text text, Span<const bool> ascii, Span<const uint32_t> others, bool left,
                   bool right, Places ends, Span<uint8_t> into) {
    require(ascii.size == 128, "a table of other characters");
    Writer writer(offsets, ends, into);
    Characters set{ascii, others};
    for (uint64_t row = 0; row + 1 < offsets.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        while (left && string.start < string.stop) {
            uint8_t byte = text.data[string.start];
            int64_t next = byte < 0x80 ? string.start + 1 : place_of(text, string, 1, false);
            if (!(byte < 0x80 ? ascii[byte] : set.have(text, string.start, next))) break;
            string.start = next;
        }
        while (right && string.start < string.stop) {
            uint8_t byte = text.data[string.stop - 1];
            int64_t last = byte < 0x80 ? string.stop - 1 : place_of(text, string, -1, false);
            if (!(byte < 0x80 ? ascii[byte] : set.have(text, last, string.stop))) break;
            string.stop = last;
        }
        writer.copy(text, string.start, string.stop);
        writer.end_string();
    }
}

bool has_affix(const Text& text, Bounds string, const Text& affix, bool at_end) {
    int64_t size = static_cast<int64_t>(affix.size), at = at_end ? string.stop - size : string.start;
    return string.stop - string.start >= size && !std::memcmp(text.data + at, affix.data, affix.size);
}

// Whether strings begin with a part, or end with it.
void begin_with(Offsets offsets, Text text, Text affix, bool at_end, Span<bool> found) {
    require_rows(offsets, found.size);
    int64_t size = static_cast<int64_t>(affix.size);
    uint64_t wanted = word_within(affix, 0);
    for (uint64_t row = 0; row < found.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        int64_t at = at_end ? std::max(string.start, string.stop - size) : string.start;
        uint64_t word = word_within(text, static_cast<uint64_t>(at));
        // Nobody can guess which strings are too short, or begin in another way.
        bool begins = (string.stop - string.start >= size) & !leading_bytes(word ^ wanted, 0, affix.size);
        found[row] = begins && (size <= 8 || !std::memcmp(text.data + at, affix.data, affix.size));
    }
}

// Whether strings are a text.
void equal(Offsets offsets, Text text, Text wanted, Span<bool> found) {
    require_rows(offsets, found.size);
    int64_t size = static_cast<int64_t>(wanted.size);
    uint64_t first = word_within(wanted, 0);
    for (uint64_t row = 0; row < found.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        bool is_as_long = string.stop - string.start == size;
        if (size > 8) {
            found[row] = is_as_long && !std::memcmp(text.data + string.start, wanted.data, wanted.size);
        } else {
            // Nobody can guess which short strings are as long.
            uint64_t word = word_within(text, static_cast<uint64_t>(string.start));
            found[row] = is_as_long & !leading_bytes(word ^ first, 0, wanted.size);
        }
    }
}

// Whether strings are those of the same rows of another array.
void equal_rows(Offsets offsets, Text text, Offsets other_offsets, Text other, Span<bool> found) {
    require_rows(offsets, found.size);
    require_rows(other_offsets, found.size);
    for (uint64_t row = 0; row < found.size; ++row) {
        Bounds one = bounds_of(offsets, text, row), two = bounds_of(other_offsets, other, row);
        uint64_t size = static_cast<uint64_t>(one.stop - one.start);
        found[row] = one.stop - one.start == two.stop - two.start &&
                     !std::memcmp(text.data + one.start, other.data + two.start, size);
    }
}

// Strings without a beginning or an end, where they have it.
void copy_without(Offsets offsets, Text text, Text affix, bool at_end, Places ends, Span<uint8_t> into) {
    Writer writer(offsets, ends, into);
    for (uint64_t row = 0; row + 1 < offsets.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        int64_t size = has_affix(text, string, affix, at_end) ? static_cast<int64_t>(affix.size) : 0;
        (at_end ? string.stop : string.start) += at_end ? -size : size;
        writer.copy(text, string.start, string.stop);
        writer.end_string();
    }
}

// One of three: the text before a part, the part, and the text behind it.  Without it, all text is before it, or behind
// if it is looked for from the right.
void copy_side(Offsets offsets, Text text, Text part, bool from_right, int64_t side, Places ends, Span<uint8_t> into) {
    require(part.size && side >= 0 && side < 3, "no part, or none of three");
    Writer writer(offsets, ends, into);
    for (uint64_t row = 0; row + 1 < offsets.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        int64_t start = from_right ? last_of(text, part, string.start, string.stop)
                                   : first_of(text, part, string.start, string.stop);
        int64_t stop = start + static_cast<int64_t>(part.size);
        if (start < 0) start = stop = from_right ? string.start : string.stop;
        int64_t limits[] = {string.start, start, stop, string.stop};
        writer.copy(text, limits[side], limits[side + 1]);
        writer.end_string();
    }
}

// Finds where the delimiter of a number begins in each string, counted from the first byte of the first: that of number
// `times`, from 1 on, of those that do not overlap, from the left, or from the right where `step` is -1.  What is found
// nowhere stays as it is in `found`.
void find_delimiter(Offsets offsets, Text text, Text pattern, int64_t times, int64_t step, Places found) {
    require_rows(offsets, found.size);
    require(pattern.size, "no delimiter");
    for (uint64_t row = 0; row < found.size; ++row) {
        auto [start, stop] = bounds_of(offsets, text, row);
        int64_t at = -1;
        for (int64_t left = times; left > 0; --left) {
            at = step > 0 ? first_of(text, pattern, start, stop) : last_of(text, pattern, start, stop);
            if (at < 0) break;
            (step > 0 ? start : stop) = step > 0 ? at + static_cast<int64_t>(pattern.size) : at;
        }
        if (at >= 0) found[row] = at;
    }
}

// The bytes of a set that has one, or two that differ in one bit: those that are `byte` in the bits to `keep`.
struct Pair {
    uint8_t byte = 0, keep = 0;

    // Whether a set is one.
    bool take(const bool* set) {
        uint8_t some = 0, all = 0xFF;
        int count = 0;
        for (int member = 0; member < 256; ++member) {
            if (!set[member]) continue;
            some |= static_cast<uint8_t>(member);
            all &= static_cast<uint8_t>(member);
            ++count;
        }
        keep = static_cast<uint8_t>(~(some ^ all));
        byte = all;
        return count == 1 || (count == 2 && __builtin_popcount(some ^ all) == 1);
    }

    uint8_t has(uint8_t other) const { return (other & keep) == byte; }
};

bool fit(const Matrix<const bool>& sets, const uint8_t* bytes) {
    for (uint64_t place = 0; place < sets.rows; ++place) {
        if (!sets[place][bytes[place]]) return false;
    }
    return true;
}

// Marks the strings that contain bytes of the sets, one after the other; one set is a pair.
void contain(Offsets offsets, Text text, Matrix<const bool> sets, Span<bool> found) {
    uint64_t size = sets.rows, first = 0, last = size - 1, row = 0;
    require(sets.columns == 256 && size, "sets of other bytes");
    require_rows(offsets, found.size);
    if (size > text.size || !found.size) return;
    // All sets are compared where the first and the last pair fit.
    Pair front, back;
    while (first < size && !front.take(sets[first])) ++first;
    require(first < size, "no set has a single byte");
    while (!back.take(sets[last])) --last;
    Bounds string = bounds_of(offsets, text, 0);
    const uint8_t *front_text = text.data + first, *back_text = text.data + last;
    auto fits = [=](uint64_t place) { return static_cast<uint8_t>(front.has(front_text[place]) & back.has(back_text[place])); };
    each_place(text.size - size + 1, fits, [&](uint64_t place) {
        int64_t at = static_cast<int64_t>(place);
        while (string.stop <= at && row + 1 < found.size) string = bounds_of(offsets, text, ++row);
        if (at + static_cast<int64_t>(size) <= string.stop && fit(sets, text.data + at)) found[row] = true;
    });
}

// The same of strings that begin with such bytes.
void begin_with_sets(Offsets offsets, Text text, Matrix<const bool> sets, Span<bool> found) {
    require(sets.columns == 256, "sets of other bytes");
    require_rows(offsets, found.size);
    for (uint64_t row = 0; row < found.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        bool is_long = string.stop - string.start >= static_cast<int64_t>(sets.rows);
        found[row] = is_long && fit(sets, text.data + string.start);
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

bool is_lower(uint8_t byte) { return byte >= 'a' && byte <= 'z'; }
bool is_upper(uint8_t byte) { return byte >= 'A' && byte <= 'Z'; }
uint8_t lower(uint8_t byte) { return static_cast<uint8_t>(byte + (is_upper(byte) << 5)); }
uint8_t upper(uint8_t byte) { return static_cast<uint8_t>(byte - (is_lower(byte) << 5)); }
uint8_t swapped_case(uint8_t byte) { return static_cast<uint8_t>(byte ^ ((is_upper(byte) | is_lower(byte)) << 5)); }

// Letters of ASCII in another case; other bytes stay as they are.
template <uint8_t (*change)(uint8_t)>
void change_case(Text text, Span<uint8_t> into) {
    require(into.size == text.size, "no room for the text");
    for (uint64_t at = 0; at < text.size; ++at) into[at] = change(text[at]);
}

// The first letter of each string in upper case, or that of each word, and the others in lower case.
void capitalize(Offsets offsets, Text text, bool each_word, Span<uint8_t> into) {
    change_case<lower>(text, into);
    for (uint64_t row = 0; row + 1 < offsets.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        bool is_first = true;
        int64_t stop = each_word ? string.stop : std::min(string.stop, string.start + 1);
        for (int64_t at = string.start; at < stop; ++at) {
            uint8_t& byte = into[static_cast<uint64_t>(at)];
            bool is_letter = is_lower(byte);
            byte = is_first ? upper(byte) : byte;
            is_first = !is_letter;
        }
    }
}

// What characters become: a word for each, whose lowest three bits tell how many bytes it becomes, 0 where it stays, and
// whose upper bytes are these; bits tell in between whether it has a case, and whether words go on behind it regardless.
struct Cases {
    Words table;

    static constexpr uint64_t CASED = 8, IGNORED = 16;
    static constexpr uint32_t SIGMA = 0x3A3;

    uint64_t of(const Character& one) const { return one.number < table.size ? table[one.number] : 0; }

    // Whether a sigma is the last letter of a word, at least the second: it then has another lower case.
    bool is_final(const Text& text, Bounds string, int64_t at, int64_t next) const {
        uint64_t found = IGNORED;
        for (int64_t before = at; before > string.start && found & IGNORED;) {
            before = place_of(text, {string.start, before}, -1, false);
            found = of(character_at(text, before, string.stop));
        }
        if (found & IGNORED || !(found & CASED)) return false;
        for (found = IGNORED; next < string.stop && found & IGNORED;) {
            Character one = character_at(text, next, string.stop);
            found = of(one);
            next += one.size;
        }
        return found & IGNORED || !(found & CASED);
    }
};

// Strings in another case.  `changed` is the text with the letters of ASCII changed, which is all for most strings.  Of
// others characters become what `cases` tell, or what `first` ones do at the beginning of the string, or of each word.
void recase(Offsets offsets, Text text, Text changed, Words first, Words cases, bool first_of_string,
            bool first_of_word, bool knows_sigma, Places ends, Span<uint8_t> into) {
    require(changed.size == text.size, "texts of other lengths");
    Writer writer(offsets, ends, into);
    Cases begin{first}, others{cases};
    for (uint64_t row = 0; row + 1 < offsets.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        if (is_ascii(text, string)) {
            writer.copy(changed, string.start, string.stop);
            writer.end_string();
            continue;
        }
        bool is_first = first_of_string;
        for (int64_t at = string.start; at < string.stop;) {
            Character one = character_at(text, at, string.stop);
            int64_t next = at + one.size;
            if (one.number < 0x80 && !is_first && !first_of_word) {
                *writer.next(1) = changed[static_cast<uint64_t>(at)];
                at = next;
                continue;
            }
            uint64_t other = (is_first ? begin : others).of(one), size = other & 7;
            if (one.number == Cases::SIGMA && !is_first && knows_sigma && others.is_final(text, string, at, next)) {
                std::memcpy(writer.next(2), "\xCF\x82", 2);
            } else if (size) {
                other >>= 8;
                std::memcpy(writer.next(static_cast<int64_t>(size)), &other, size);
            } else {
                writer.copy(text, at, next);
            }
            is_first = first_of_word && !(others.of(one) & Cases::CASED);
            at = next;
        }
        writer.end_string();
    }
}

// The same of a text whose letters of ASCII have changed already, where characters stay as long as they are; tells whether
// all do.  A sigma changes by where it is in a word.
bool recase_in_place(Span<uint8_t> text, Words cases, bool knows_sigma) {
    const Text all{text.data, text.size};
    const Cases others{cases};
    for (uint64_t at = 0; at < text.size;) {
        uint64_t word = word_within(all, at) & HIGHEST;
        if (!word) {
            at += 8;
            continue;
        }
        at += static_cast<uint64_t>(__builtin_ctzll(word)) / 8;
        Character one = character_at(all, static_cast<int64_t>(at), static_cast<int64_t>(text.size));
        for (int64_t next = 1; next < one.size; ++next) {
            if (!goes_on(text[at + static_cast<uint64_t>(next)])) one = {Character::NONE, 1};
        }
        uint64_t other = others.of(one), size = other & 7;
        if ((knows_sigma && one.number == Cases::SIGMA) || (size && size != static_cast<uint64_t>(one.size))) return false;
        other >>= 8;
        if (size) std::memcpy(text.data + at, &other, size);
        at += static_cast<uint64_t>(one.size);
    }
    return true;
}

enum Side : int64_t { before, behind, both, behind_sign };

// Strings padded with a character up to a width.
void copy_padded(Offsets offsets, Text text, int64_t width, Text with, int64_t side, Places ends, Span<uint8_t> into) {
    require(with.size, "nothing to pad with");
    Writer writer(offsets, ends, into);
    bool all_ascii = is_ascii(text);
    for (uint64_t row = 0; row + 1 < offsets.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        int64_t has = all_ascii ? string.stop - string.start : characters(text, string.start, string.stop);
        int64_t times = width > has ? width - has : 0;
        if (side == behind_sign && has && (text.data[string.start] == '+' || text.data[string.start] == '-')) {
            writer.copy(text, string.start, string.start + 1);
            ++string.start;
        }
        // Of an odd number, one more is before text of an odd width, as in Python.
        int64_t first = side == behind ? 0 : side == both ? times / 2 + (times & width & 1) : times;
        writer.fill(with, first);
        writer.copy(text, string.start, string.stop);
        writer.fill(with, times - first);
        writer.end_string();
    }
}

// Strings so many times each.
void copy_repeated(Offsets offsets, Text text, int64_t times, Places ends, Span<uint8_t> into) {
    Writer writer(offsets, ends, into);
    for (uint64_t row = 0; row + 1 < offsets.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        for (int64_t time = 0; string.start < string.stop && time < times; ++time) {
            writer.copy(text, string.start, string.stop);
        }
        writer.end_string();
    }
}

// Strings with another text in place of a part, `most` times at most.
void copy_replaced(Offsets offsets, Text text, Text part, Text other, int64_t most, Places ends, Span<uint8_t> into) {
    require(part.size, "nothing to replace");
    Writer writer(offsets, ends, into);
    uint64_t at = 0;
    int64_t copied = 0, times = 0;
    // Strings up to a row; what is between two occurrences is copied at once.
    auto end_strings = [&](uint64_t row) {
        for (; at < row; ++at, times = 0) {
            int64_t stop = bounds_of(offsets, text, at).stop;
            writer.copy(text, copied, stop);
            writer.end_string();
            copied = stop;
        }
    };
    each_occurrence(offsets, text, part, [&](uint64_t row, int64_t place) {
        end_strings(row);
        if (times++ >= most) return;
        writer.copy(text, copied, place);
        writer.fill(other, 1);
        copied = place + static_cast<int64_t>(part.size);
    });
    end_strings(offsets.size - 1);
}

}  // namespace

MODULE("Parts, delimiters, case, padding and classes of characters of strings.",
       {"mark_beyond_ascii", overloads<mark_beyond_ascii>},
       {"count_beyond_ascii", overloads<count_beyond_ascii>},
       {"count_characters", overloads<count_characters>},
       {"find_character", overloads<find_character>},
       {"count_part", overloads<count_part>},
       {"count_members", overloads<count_members>},
       {"begin_with", overloads<begin_with>},
       {"equal", overloads<equal>},
       {"equal_rows", overloads<equal_rows>},
       {"consist_of", overloads<consist_of>},
       {"are_titles", overloads<are_titles>},
       {"copy_slices", overloads<copy_slices>},
       {"copy_character", overloads<copy_character>},
       {"copy_every", overloads<copy_every>},
       {"copy_stripped", overloads<copy_stripped>},
       {"copy_without", overloads<copy_without>},
       {"copy_side", overloads<copy_side>},
       {"copy_padded", overloads<copy_padded>},
       {"copy_repeated", overloads<copy_repeated>},
       {"copy_replaced", overloads<copy_replaced>},
       {"find_delimiter", overloads<find_delimiter>},
       {"begin_with_sets", overloads<begin_with_sets>},
       {"contain", overloads<contain>},
       {"widen", overloads<widen>},
       {"lower", overloads<change_case<lower>>},
       {"upper", overloads<change_case<upper>>},
       {"swap_case", overloads<change_case<swapped_case>>},
       {"capitalize", overloads<capitalize>},
       {"recase", overloads<recase>},
       {"recase_in_place", overloads<recase_in_place>})
