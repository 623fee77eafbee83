// Parts, delimiters, case, padding and classes of characters of strings in UTF-8.
//
// Strings are given as Arrow has them: the offsets of n strings are n + 1 places, the first of which is that of the first
// byte of `text`.  Bounds that loops return are counted from that byte.

#include "text.hpp"

#include <algorithm>

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
        require(size <= static_cast<int64_t>(into_.size) - at_, "no room for a string");
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
        uint8_t* at = next(times * static_cast<int64_t>(with.size));
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

bool is_ascii(const Text& text) {
    uint64_t at = 0;
    for (; at + 64 <= text.size; at += 64) {
        uint64_t found = 0;
        for (uint64_t word = 0; word < 64; word += 8) found |= word_at(text.data, at + word);
        if (found & 0x8080808080808080) return false;
    }
    uint8_t found = 0;
    for (; at < text.size; ++at) found |= text[at];
    return found < 0x80;
}

// Bytes that go on with a character are no character of their own.
bool goes_on(uint8_t byte) { return (byte & 0xC0) == 0x80; }

int64_t characters(const Text& text, int64_t start, int64_t stop) {
    int64_t found = 0;
    for (int64_t at = start; at < stop; ++at) found += !goes_on(text[static_cast<uint64_t>(at)]);
    return found;
}

// The byte at which a character of a string begins, counted from the end if negative; the string's end or start beyond.
int64_t place_of(const Text& text, Bounds string, int64_t character, bool all_ascii) {
    if (all_ascii) {
        if (character < 0) return std::max(string.start, string.stop + character);
        return std::min(string.stop, string.start + character);
    }
    const uint8_t* bytes = text.data;
    if (character < 0) {
        int64_t at = string.stop;
        for (; character < 0 && at > string.start; ++character) {
            do --at;
            while (at > string.start && goes_on(bytes[at]));
        }
        return at;
    }
    int64_t at = string.start;
    for (; character > 0 && at < string.stop; --character) {
        do ++at;
        while (at < string.stop && goes_on(bytes[at]));
    }
    return at;
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

// How often a part occurs, without overlaps, from the left.
void count_part(Offsets offsets, Text text, Text part, Places found) {
    require_rows(offsets, found.size);
    require(part.size, "nothing to count");
    for (uint64_t row = 0; row < found.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        int64_t count = 0, at = string.start;
        while ((at = first_of(text, part, at, string.stop)) >= 0) {
            ++count;
            at += static_cast<int64_t>(part.size);
        }
        found[row] = count;
    }
}

// Whether all bytes of a string are allowed, and at least one is needed; tables have a mark for each byte.
void consist_of(Offsets offsets, Text text, Span<const bool> allowed, Span<const bool> needed, Span<bool> found) {
    require_rows(offsets, found.size);
    require(allowed.size == 256 && needed.size == 256, "tables of other bytes");
    for (uint64_t row = 0; row < found.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        bool all = true, any = false;
        for (int64_t at = string.start; all && at < string.stop; ++at) {
            uint8_t byte = text[static_cast<uint64_t>(at)];
            all = allowed[byte];
            any |= needed[byte];
        }
        found[row] = all && any;
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
        int64_t number = first, at = first < 0 ? string.start : place_of(text, string, first, all_ascii);
        while (step < 0 ? number > last : number < last) {
            int64_t next = place_of(text, {at, string.stop}, 1, all_ascii);
            std::memcpy(writer.next(next - at), text.data + at, static_cast<std::size_t>(next - at));
            if (step < 0 ? number - last <= -step : last - number <= step) break;
            number += step;
            at = step > 0 ? place_of(text, {at, string.stop}, step, all_ascii)
                          : place_of(text, {string.start, at}, step, all_ascii);
        }
        writer.end_string();
    }
}

// A set of characters: a mark for each of ASCII, and the numbers of others.
struct Characters {
    Span<const bool> ascii;
    Span<const uint32_t> others;

    bool have(const uint8_t* bytes, int64_t size) const {
        if (size == 1) return *bytes < 0x80 && ascii[*bytes];
        if (size > 4) return false;
        uint32_t number = *bytes & (0xFFu >> (size + 1));
        for (int64_t at = 1; at < size; ++at) number = number << 6 | (bytes[at] & 0x3F);
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
            int64_t next = place_of(text, string, 1, false);
            if (!set.have(text.data + string.start, next - string.start)) break;
            string.start = next;
        }
        while (right && string.start < string.stop) {
            int64_t last = place_of(text, string, -1, false);
            if (!set.have(text.data + last, string.stop - last)) break;
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
    for (uint64_t row = 0; row < found.size; ++row) {
        found[row] = has_affix(text, bounds_of(offsets, text, row), affix, at_end);
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
    require(offsets.size && into.size == text.size, "no room for the text");
    for (uint64_t row = 0; row + 1 < offsets.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        bool is_first = true;
        for (int64_t at = string.start; at < string.stop; ++at) {
            uint8_t byte = text[static_cast<uint64_t>(at)];
            into[static_cast<uint64_t>(at)] = is_first ? upper(byte) : lower(byte);
            is_first = each_word && !is_lower(byte) && !is_upper(byte);
        }
    }
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

// Strings with another text in place of a part, `most` times at most.
void copy_replaced(Offsets offsets, Text text, Text part, Text other, int64_t most, Places ends, Span<uint8_t> into) {
    require(part.size, "nothing to replace");
    Writer writer(offsets, ends, into);
    for (uint64_t row = 0; row + 1 < offsets.size; ++row) {
        Bounds string = bounds_of(offsets, text, row);
        int64_t at = string.start;
        for (int64_t times = 0; times < most; ++times) {
            int64_t next = first_of(text, part, at, string.stop);
            if (next < 0) break;
            writer.copy(text, at, next);
            writer.fill(other, 1);
            at = next + static_cast<int64_t>(part.size);
        }
        writer.copy(text, at, string.stop);
        writer.end_string();
    }
}

}  // namespace

MODULE("Parts, delimiters, case, padding and classes of characters of strings.",
       {"mark_beyond_ascii", overloads<mark_beyond_ascii>},
       {"count_characters", overloads<count_characters>},
       {"find_character", overloads<find_character>},
       {"count_part", overloads<count_part>},
       {"begin_with", overloads<begin_with>},
       {"consist_of", overloads<consist_of>},
       {"copy_slices", overloads<copy_slices>},
       {"copy_every", overloads<copy_every>},
       {"copy_stripped", overloads<copy_stripped>},
       {"copy_without", overloads<copy_without>},
       {"copy_side", overloads<copy_side>},
       {"copy_padded", overloads<copy_padded>},
       {"copy_replaced", overloads<copy_replaced>},
       {"find_delimiter", overloads<find_delimiter>},
       {"contain", overloads<contain>},
       {"widen", overloads<widen>},
       {"lower", overloads<change_case<lower>>},
       {"upper", overloads<change_case<upper>>},
       {"swap_case", overloads<change_case<swapped_case>>},
       {"capitalize", overloads<capitalize>})
