// Rows of CSV: where they end, of what types their cells are, and the values of these.
//
// Rows are read as the C parser of pandas reads them: a quote has a meaning at the beginning of a cell alone, what follows
// the closing one belongs to the cell, too, and lines of blanks are no rows.

#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace {

using namespace akdask;

// What delimits rows and cells, and the words for missing values: see `Lines` in lines.py.
struct Rules {
    Text delimiter;
    bool keeps_blank, skips_long, demands_all;
    uint8_t comment, decimal, thousands;  // 0 for none

    Rules(Text delimiter, Text options) : delimiter(delimiter) {
        require(delimiter.size && options.size >= 6, "rules of rows need a delimiter and six options");
        keeps_blank = options[0], skips_long = options[1], demands_all = options[2];
        comment = options[3], decimal = options[4], thousands = options[5];
        for (uint64_t at = 6; at < options.size; at += 1 + options[at]) {
            require(options[at] < options.size - at, "a word for missing values is cut off");
            missing_.push_back({options.data + at + 1, options[at]});
            uint8_t first = options[at] ? options[at + 1] : 0;
            begins_[first] = true;
            if (options[at] > longest_) longest_ = options[at];
            misses_empty_ |= !options[at];
            // Such as 1.#IND are none.
            bool has_hash = options[at] && std::memchr(options.data + at + 1, '#', options[at]);
            for (uint64_t place = at + 1; place <= at + options[at]; ++place) {
                misses_digits |= !has_hash && options[place] >= '0' && options[place] <= '9';
            }
        }
    }

    bool misses_digits = false;  // whether a missing value may look like a number

    INLINE bool is_missing(const uint8_t* text, const uint8_t* stop) const {
        uint64_t size = static_cast<uint64_t>(stop - text);
        if (!size) return misses_empty_;
        if (size > longest_ || !begins_[*text]) return false;
        for (const Text& word : missing_) {
            if (word.size == size && std::memcmp(word.data, text, size) == 0) return true;
        }
        return false;
    }

  private:
    std::vector<Text> missing_;
    bool begins_[256] = {}, misses_empty_ = false;
    uint64_t longest_ = 0;
};

// The bytes that end a cell or a row, and quotes, found 64 at a time.
class Marks {
  public:
    Marks(Text text, const Rules& rules, bool only_ends) : text_(text) {
        bytes_[0] = only_ends ? '\n' : rules.delimiter[0], bytes_[1] = '"', bytes_[2] = '\n', bytes_[3] = '\r';
        bytes_[4] = rules.comment ? rules.comment : '\n';
        found_ = of_chunk(0);
    }

    // Returns the position of the next byte, or the size of the text.
    INLINE uint64_t next() {
        while (!found_) {
            base_ += 64;
            if (base_ >= text_.size) return text_.size;
            found_ = of_chunk(base_);
        }
        uint64_t at = base_ + static_cast<uint64_t>(__builtin_ctzll(found_));
        found_ &= found_ - 1;
        return at;
    }

  private:
    INLINE uint64_t of_chunk(uint64_t base) const {
        if (base + 64 <= text_.size) return equal_bytes(text_.data + base);
        uint8_t rest[64] = {};
        uint64_t left = text_.size - base;
        std::memcpy(rest, text_.data + base, left);
        return equal_bytes(rest) & ((uint64_t{1} << left) - 1);
    }

    // A bit for each byte of a chunk that is one of those that are looked for.
    INLINE uint64_t equal_bytes(const uint8_t* chunk) const {
        uint64_t found = 0;
#if defined(__AVX2__)
        for (int half = 0; half < 2; ++half) {
            __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(chunk) + half);
            __m256i equal = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(static_cast<char>(bytes_[0])));
            for (int other = 1; other < 5; ++other) {
                __m256i one = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(static_cast<char>(bytes_[other])));
                equal = _mm256_or_si256(equal, one);
            }
            found |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(equal))) << (32 * half);
        }
#elif defined(__SSE2__)
        for (int part = 0; part < 4; ++part) {
            __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(chunk) + part);
            __m128i equal = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(static_cast<char>(bytes_[0])));
            for (int other = 1; other < 5; ++other) {
                equal = _mm_or_si128(equal, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(static_cast<char>(bytes_[other]))));
            }
            found |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(equal))) << (16 * part);
        }
#else
        for (uint64_t at = 0; at < 64; ++at) {
            bool is_mark = false;
            for (uint8_t byte : bytes_) is_mark |= chunk[at] == byte;
            found |= uint64_t{is_mark} << at;
        }
#endif
        return found;
    }

    Text text_;
    uint8_t bytes_[5];
    uint64_t base_ = 0, found_ = 0;
};

// Where a cell is.  An escaped one is given with its quotes.
struct Cell {
    uint64_t start = 0, length = 0;  // with a mark above the length where it is escaped

    static constexpr uint64_t ESCAPED = uint64_t{1} << 63;

    uint64_t size() const { return length & ~ESCAPED; }
    bool is_escaped() const { return length & ESCAPED; }
};

enum class Ending { row, none, cut, unclosed };

// Finds the rows of a text one after the other.
class Rows {
  public:
    uint64_t count = 0;  // cells of the row, which may be more than are kept
    uint64_t begin = 0;  // where the row begins
    uint64_t end = 0;    // where the next one does

    // Without quotes and comments, a row whose cells do not matter ends at the next break.
    Rows(Text text, const Rules& rules, bool is_last, uint64_t columns)
        : text_(text),
          rules_(rules),
          is_last_(is_last),
          marks_(text, rules,
                 !columns && !rules.skips_long && !rules.comment && !std::memchr(text.data, '"', text.size)),
          kept_(columns) {
        mark_ = marks_.next();
    }

    // Goes to the next row, whose first cells are written; one that the text cuts off, or that is not closed, is left.
    INLINE Ending next(Cell* cells) {
        // Members would be read again after each cell that is written.
        Walk walk{text_, rules_, is_last_, marks_, mark_, end};
        Ending ending;
        do {
            ending = walk.next(cells, kept_, begin, count);
        } while (ending == Ending::row && walk.is_comment);
        marks_ = walk.marks, mark_ = walk.mark, end = walk.end;
        return ending;
    }

  private:
    struct Walk {
        Text text;
        const Rules& rules;
        bool is_last;
        Marks marks;
        uint64_t mark, end;
        bool is_comment = false;

        INLINE Ending next(Cell* cells, uint64_t kept, uint64_t& begin, uint64_t& count) {
            uint8_t delimiter = rules.delimiter[0], comment = rules.comment;
            bool is_single = rules.delimiter.size == 1;
            if (end == text.size) return Ending::none;
            if (!rules.keeps_blank && (is_break(text[end]) || text[end] == ' ' || text[end] == '\t')) {
                if (!skip_blank()) return Ending::none;
            }
            uint64_t cell = end, number = 0;
            begin = cell;
            is_comment = false;
            for (;;) {
                Cell found{cell, mark - cell};
                uint8_t byte = mark < text.size ? text[mark] : 0;
                if (byte != delimiter || !is_single) {
                    if (byte == '"' && mark == cell && mark < text.size) {
                        if (!quoted(found)) return is_last ? Ending::unclosed : Ending::cut;
                    } else {
                        to_end_of_cell();
                        found.length = mark - cell;
                    }
                    byte = mark < text.size ? text[mark] : 0;
                }
                if (number < kept) cells[number] = found;
                ++number;
                if (byte == delimiter && mark < text.size) {
                    cell = mark + rules.delimiter.size;
                    mark = marks.next();
                    while (mark < cell) mark = marks.next();
                    continue;
                }
                count = number;
                if (comment && byte == comment) {
                    is_comment = mark == begin;
                    while (mark < text.size && !is_break(text[mark])) mark = marks.next();
                }
                if (mark == text.size) {
                    end = is_last ? mark : end;
                    return is_last ? Ending::row : Ending::cut;
                }
                return pass_break() ? Ending::row : Ending::cut;
            }
        }

        static bool is_break(uint8_t byte) { return byte == '\n' || byte == '\r'; }

        // Goes behind the line break at the mark; returns whether the text shows all of it.
        INLINE bool pass_break() {
            uint64_t at = mark + 1;
            if (text[mark] == '\r') {
                if (at == text.size && !is_last) return false;
                if (at < text.size && text[at] == '\n') {
                    mark = marks.next();
                    ++at;
                }
            }
            mark = marks.next();
            end = at;
            return true;
        }

        // Goes to the first line that is not blank; returns whether there is one.
        bool skip_blank() {
            while (end < text.size) {
                uint64_t at = end;
                while (at < text.size && (text[at] == ' ' || text[at] == '\t') && text[at] != rules.delimiter[0]) ++at;
                if (at == text.size) {
                    if (is_last) end = at;
                    return false;
                }
                if (!is_break(text[at])) return true;
                if (!pass_break()) return false;
            }
            return false;
        }

        bool is_delimiter(uint64_t at) const {
            const Text& delimiter = rules.delimiter;
            if (text[at] != delimiter[0]) return false;
            return delimiter.size == 1 || (at + delimiter.size <= text.size &&
                                           std::memcmp(text.data + at, delimiter.data, delimiter.size) == 0);
        }

        INLINE void to_end_of_cell() {
            for (; mark < text.size; mark = marks.next()) {
                uint8_t byte = text[mark];
                if (is_break(byte) || is_delimiter(mark) || (rules.comment && byte == rules.comment)) return;
            }
        }

        // Finds the end of a cell that begins with the quote at the mark; returns whether it has one.
        INLINE bool quoted(Cell& cell) {
            bool is_plain = true;
            for (;;) {
                do mark = marks.next();
                while (mark < text.size && text[mark] != '"');
                if (mark == text.size) return false;
                if (mark + 1 == text.size || text[mark + 1] != '"') break;
                mark = marks.next();
                is_plain = false;
            }
            uint64_t close = mark;
            mark = marks.next();
            to_end_of_cell();
            if (is_plain && mark == close + 1) cell = {cell.start + 1, close - cell.start - 1};
            else cell.length = (mark - cell.start) | Cell::ESCAPED;
            return true;
        }
    };

    Text text_;
    const Rules& rules_;
    bool is_last_;
    Marks marks_;
    uint64_t kept_, mark_ = 0;
};

// Copies an escaped cell without its quotes, over itself if that is wanted; returns the end of the copy.
uint8_t* unescape(const uint8_t* from, const uint8_t* stop, uint8_t* into) {
    for (++from; from < stop; ++from) {
        if (*from == '"') {
            if (++from == stop) return into;
            if (*from != '"') break;
        }
        *into++ = *from;
    }
    for (; from < stop; ++from) *into++ = *from;
    return into;
}

// ---- values of cells

// How many of the leading bytes of a word are digits.
INLINE int leading_digits(uint64_t word) {
    uint64_t apart = word ^ 0x3030303030303030;
    uint64_t others = (apart | ((apart & 0x7F7F7F7F7F7F7F7F) + 0x7676767676767676)) & 0x8080808080808080;
    return others ? __builtin_ctzll(others) / 8 : 8;
}

// The number that the leading digits of a word are, one at least.
INLINE uint64_t value_of_digits(uint64_t word, int digits) {
    word <<= 64 - 8 * digits;  // zeros in front: their upper halves do not count
    word = (word & 0x0F0F0F0F0F0F0F0F) * 2561 >> 8;
    word = (word & 0x00FF00FF00FF00FF) * 6553601 >> 16;
    return (word & 0x0000FFFF0000FFFF) * 42949672960001 >> 32;
}

constexpr uint64_t POWERS[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
constexpr double FLOAT_POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

enum Class : int64_t {
    NO_VALUE = 1,
    SMALL = 2,      // an integer of 64 bits
    NEGATIVE = 4,   // an integer below 0
    UNSIGNED = 8,   // an integer of 64 bits without a sign alone
    BIG = 16,       // an integer beyond these
    FLOAT = 32,
    WORD = 64,      // true or false
    TEXT = 128,
    INEXACT = 256,  // an integer that no float is equal to
    TIME = 512,
    FAR = 1024,     // a time that nanoseconds do not reach
    FINE = 2048,    // a time with nanoseconds
    NAIVE = 4096,   // a time without a zone
    ZONED = 8192,
    ZERO = 16384,   // an integer that is 0 with a minus
    DAY = 32768,    // a time written as a date
    SECOND = 65536, // a time written with seconds behind a blank
    AFTER_T = 131072,  // the same behind a T
    FORM = 262144,  // a time written in another form
    FRACTION = 524288,  // a time written with one to six digits of a fraction, behind a blank
    FRACTION_AFTER_T = 1048576,
};

// A number as it is written.
struct Number {
    bool is_negative = false, is_integer = true;
    bool is_long = false;    // more digits than 19
    uint64_t mantissa = 0;   // of all digits, if it is not long
    int64_t exponent = 0;    // of ten
    const uint8_t* digits = nullptr;
    const uint8_t* stop = nullptr;
};

INLINE bool is_blank(uint8_t byte) { return byte == ' ' || (byte >= 9 && byte <= 13); }

// Reads a number with blanks around it; returns whether the cell is one.  A word behind the cell is readable, and the
// byte behind it is no digit.
INLINE bool read_number(const uint8_t* at, const uint8_t* stop, uint8_t decimal, Number& number) {
    while (at < stop && is_blank(*at)) ++at;
    while (stop > at && is_blank(stop[-1])) --stop;
    if (at == stop) return false;
    number.is_negative = *at == '-';
    at += number.is_negative || *at == '+';
    number.digits = at, number.stop = stop;
    int64_t many = 0, behind = 0;
    auto take_digits = [&] {
        const uint8_t* first = at;
        for (;;) {
            uint64_t word = word_at(at, 0);
            int found = leading_digits(word);
            if (found) number.mantissa = number.mantissa * POWERS[found] + value_of_digits(word, found);
            at += found;
            if (found < 8) return at - first;
        }
    };
    many = take_digits();
    if (at < stop && *at == decimal) {
        ++at;
        number.is_integer = false;
        behind = take_digits();
    }
    if (!(many + behind)) return false;
    if (at < stop && (*at | 32) == 'e') {
        ++at;
        number.is_integer = false;
        bool is_small = at < stop && *at == '-';
        if (at < stop && (*at == '-' || *at == '+')) ++at;
        const uint8_t* first = at;
        for (; at < stop && *at >= '0' && *at <= '9'; ++at) {
            if (number.exponent < 100000) number.exponent = 10 * number.exponent + (*at - '0');
        }
        if (at == first) return false;
        if (is_small) number.exponent = -number.exponent;
    }
    number.exponent -= behind;
    number.is_long = many + behind > 19;
    return at == stop;
}

// A number as most are written: a minus or none, up to 16 digits, and up to 8 behind a point; others are none of these.
struct ShortNumber {
    bool is_negative, is_integer = false, is_float = false;
    uint64_t mantissa;
    int behind = 0;

    static constexpr int64_t MOST = 17;  // bytes of a float

    INLINE ShortNumber(const uint8_t* at, const uint8_t* stop, uint8_t decimal) {
        is_negative = *at == '-';
        at += is_negative;
        uint64_t word = word_at(at, 0);
        int found = leading_digits(word);
        mantissa = found ? value_of_digits(word, found) : 0;
        if (at + found == stop) {
            is_integer = found > 0;
        } else if (found == 8) {
            word = word_at(at, 8);
            int more = leading_digits(word);
            if (more) mantissa = mantissa * POWERS[more] + value_of_digits(word, more);
            is_integer = at + found + more == stop;
        } else if (at[found] == decimal) {
            word = word_at(at + found + 1, 0);
            behind = leading_digits(word);
            is_float = behind > 0 && at + found + 1 + behind == stop;
            if (is_float) mantissa = mantissa * POWERS[behind] + value_of_digits(word, behind);
        }
    }
};

// A number with a point and without an exponent, of up to 7 digits in front: whether a cell is one does not need its value.
INLINE bool is_fraction(const uint8_t* at, const uint8_t* stop, uint8_t decimal) {
    at += *at == '-';
    int found = leading_digits(word_at(at, 0));
    at += found;
    if (found == 8 || at >= stop || *at != decimal) return false;
    const uint8_t* first = ++at;
    int more;
    do at += more = leading_digits(word_at(at, 0));
    while (more == 8);
    return at == stop && found + (at - first);
}

double far_float(const Number& number, uint8_t decimal) {
    const char* first = reinterpret_cast<const char*>(number.digits);
    std::string_view text(first, static_cast<size_t>(number.stop - number.digits));
    std::string copy;
    if (decimal != '.') {
        copy = text;
        for (char& byte : copy) byte = static_cast<uint8_t>(byte) == decimal ? '.' : byte;
        text = copy;
    }
    double value = 0;
#if defined(__cpp_lib_to_chars)
    std::from_chars_result found = std::from_chars(text.data(), text.data() + text.size(), value);
    if (found.ec == std::errc::result_out_of_range) {
        // Where the first digit that is not 0 stands says whether the number is too large or too small.
        bool is_zero = true;
        int64_t place = number.exponent;
        for (char byte : text) {
            if (byte == 'e' || byte == 'E') break;
            if (byte == '.') continue;
            if (!is_zero) ++place;
            is_zero &= byte == '0';
        }
        value = place > 0 ? std::numeric_limits<double>::infinity() : 0;
    }
#else
    value = std::strtod(std::string(text).c_str(), nullptr);
#endif
    return value;
}

INLINE double float_of(const Number& number, uint8_t decimal) {
    double value;
    int64_t exponent = number.exponent;
    if (!number.is_long && number.mantissa <= (uint64_t{1} << 53) && exponent >= -22 && exponent <= 22) {
        // Both are exact, so one operation rounds once.
        value = static_cast<double>(number.mantissa);
        value = exponent < 0 ? value / FLOAT_POWERS[-exponent] : value * FLOAT_POWERS[exponent];
    } else {
        value = far_float(number, decimal);
    }
    return number.is_negative ? -value : value;
}

// The value of a number that is short; returns whether it is.
INLINE bool short_float(const uint8_t* start, const uint8_t* stop, uint8_t decimal, double& value) {
    if (start >= stop) return false;
    ShortNumber number(start, stop, decimal);
    if (!number.is_float || number.mantissa > uint64_t{1} << 53) return false;
    value = static_cast<double>(number.mantissa) / FLOAT_POWERS[number.behind];
    value = number.is_negative ? -value : value;
    return true;
}

// Whether an integer without a sign has 64 bits; digits in front that are 0 do not count.
bool fits(Number& number) {
    const uint8_t* at = number.digits;
    while (at < number.stop && *at == '0') ++at;
    int64_t many = number.stop - at;
    if (many > 20) return false;
    uint64_t value = 0;
    for (; at < number.stop; ++at) {
        if (__builtin_mul_overflow(value, uint64_t{10}, &value)) return false;
        if (__builtin_add_overflow(value, static_cast<uint64_t>(*at - '0'), &value)) return false;
    }
    number.mantissa = value;
    number.is_long = false;
    return true;
}

int64_t class_of_integer(Number& number) {
    int64_t sign = number.is_negative * NEGATIVE;
    if (number.is_long && !fits(number)) return BIG | INEXACT | sign;
    uint64_t value = number.mantissa;
    bool is_exact = true;
    if (value > (uint64_t{1} << 53)) {
        double nearest = static_cast<double>(value);
        is_exact = nearest < 18446744073709551616.0 && static_cast<uint64_t>(nearest) == value;
    }
    int64_t inexact = !is_exact * INEXACT;
    if (value <= uint64_t{0x7FFFFFFFFFFFFFFF} + (number.is_negative && value)) return SMALL | sign | inexact | (number.is_negative && !value) * ZERO;
    return (number.is_negative ? BIG : UNSIGNED) | sign | inexact;
}

struct Words {
    const char* text;
    uint64_t size;
};

#define WORD_OF(text) Words{text, sizeof(text) - 1}

bool is_word(const uint8_t* text, const uint8_t* stop, const Words& word) {
    if (static_cast<uint64_t>(stop - text) != word.size) return false;
    for (uint64_t at = 0; at < word.size; ++at) {
        if ((text[at] | 32) != static_cast<uint8_t>(word.text[at])) return false;
    }
    return true;
}

int word_value(const uint8_t* text, const uint8_t* stop) {
    return is_word(text, stop, WORD_OF("true")) ? 1 : is_word(text, stop, WORD_OF("false")) ? 0 : -1;
}

// The sign of an infinity, 0 if the cell is none.
int infinity(const uint8_t* text, const uint8_t* stop) {
    int sign = 1;
    if (text < stop && (*text == '-' || *text == '+')) sign = *text++ == '-' ? -1 : 1;
    return is_word(text, stop, WORD_OF("inf")) || is_word(text, stop, WORD_OF("infinity")) ? sign : 0;
}

// A time as it is written: days and nanoseconds of the day in its zone.
struct Time {
    int64_t days = 0, nanoseconds = 0, offset = 0;  // minutes
    bool has_zone = false;
};

// Reads a date or a time of ISO 8601.
bool read_time(const uint8_t* at, const uint8_t* stop, Time& time) {
    auto number = [&](int digits, int64_t most, int64_t& value) {
        if (stop - at < digits) return false;
        value = 0;
        for (int digit = 0; digit < digits; ++digit, ++at) {
            if (*at < '0' || *at > '9') return false;
            value = 10 * value + (*at - '0');
        }
        return value <= most;
    };
    auto skip = [&](uint8_t byte) { return at < stop && *at == byte ? (++at, true) : false; };
    while (at < stop && is_blank(*at)) ++at;
    while (stop > at && is_blank(stop[-1])) --stop;
    int64_t year, month, day;
    if (!number(4, 9999, year) || !skip('-') || !number(2, 12, month) || !skip('-') || !number(2, 31, day)) return false;
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    constexpr int64_t LENGTHS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (!month || !day || day > LENGTHS[month - 1] + (month == 2 && is_leap)) return false;
    // Days since 1970 of a year that begins in March.
    int64_t from_march = year - (month <= 2), of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t era = (from_march >= 0 ? from_march : from_march - 399) / 400, of_era = from_march - 400 * era;
    time.days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
    if (at == stop) return true;
    if (!skip('T') && !skip(' ')) return false;
    int64_t hour, minute = 0, second = 0, fraction = 0;
    if (!number(2, 23, hour)) return false;
    if (skip(':')) {
        if (!number(2, 59, minute)) return false;
        if (skip(':')) {
            if (!number(2, 59, second)) return false;
            if (skip('.')) {
                int digits = 0;
                for (; at < stop && *at >= '0' && *at <= '9'; ++at, ++digits) {
                    if (digits == 9) return false;
                    fraction = 10 * fraction + (*at - '0');
                }
                if (!digits) return false;
                for (; digits < 9; ++digits) fraction *= 10;
            }
        }
    }
    time.nanoseconds = ((hour * 60 + minute) * 60 + second) * 1000000000 + fraction;
    if (at == stop) return true;
    time.has_zone = true;
    if (skip('Z')) return at == stop;
    bool is_west = at < stop && *at == '-';
    if (!skip('+') && !skip('-')) return false;
    int64_t hours, minutes = 0;
    if (!number(2, 23, hours)) return false;
    if (at < stop && (skip(':') || true) && !number(2, 59, minutes)) return false;
    time.offset = (hours * 60 + minutes) * (is_west ? -1 : 1);
    return at == stop;
}

// The time in units of which a second has so many; returns whether there is such a number.
bool in_units(const Time& time, int64_t per_second, int64_t& value) {
    int64_t seconds = time.days * 86400 - time.offset * 60;
    if (__builtin_mul_overflow(seconds, per_second, &value)) {
        // What is before 1970 by more than all units may be within them with its part of a day.
        if (seconds > 0 || __builtin_mul_overflow(seconds + 86400, per_second, &value)) return false;
        int64_t rest = time.nanoseconds / (1000000000 / per_second) - 86400 * per_second;
        return !__builtin_add_overflow(value, rest, &value) && value != std::numeric_limits<int64_t>::min();
    }
    return !__builtin_add_overflow(value, time.nanoseconds / (1000000000 / per_second), &value) &&
           value != std::numeric_limits<int64_t>::min();
}

int64_t class_of_words(const uint8_t* text, const uint8_t* stop, const Rules& rules, int64_t& offset) {
    if (rules.is_missing(text, stop)) return NO_VALUE;
    if (word_value(text, stop) >= 0) return WORD;
    if (infinity(text, stop)) return FLOAT;
    Time time;
    if (!read_time(text, stop, time)) return TEXT;
    int64_t value, found = TIME | (time.has_zone ? ZONED : NAIVE);
    offset = time.offset;
    if (!in_units(time, 1000000000, value)) found |= FAR;
    if (time.nanoseconds % 1000) found |= FINE;
    int64_t size = stop - text;
    if (size == 10) return found | DAY;
    bool has_blanks = is_blank(*text) || is_blank(stop[-1]), is_behind_t = text[10] == 'T';
    if (time.has_zone || has_blanks || size < 19 || size > 26) return found | FORM;
    // Times without a zone have 19 bytes, and more if there is a fraction.
    return found | (size == 19 ? (is_behind_t ? AFTER_T : SECOND) : is_behind_t ? FRACTION_AFTER_T : FRACTION);
}

INLINE int64_t class_of(const uint8_t* text, const uint8_t* stop, const Rules& rules, int64_t& offset) {
    if (text == stop) return rules.is_missing(text, stop) ? NO_VALUE : TEXT;
    if (rules.misses_digits && rules.is_missing(text, stop)) return NO_VALUE;
    if (*text >= 'A' && *text != rules.decimal) return class_of_words(text, stop, rules, offset);
    if (is_fraction(text, stop, rules.decimal)) return FLOAT;
    ShortNumber common(text, stop, rules.decimal);
    if (common.is_integer && common.mantissa <= uint64_t{1} << 53) {
        return SMALL | common.is_negative * NEGATIVE | (common.is_negative && !common.mantissa) * ZERO;
    }
    Number number;
    if (read_number(text, stop, rules.decimal, number)) return number.is_integer ? class_of_integer(number) : FLOAT;
    return class_of_words(text, stop, rules, offset);
}

// The text of a cell, which is copied where it is not written as it is.
class CellText {
  public:
    explicit CellText(const Rules& rules) : rules_(rules) {}

    INLINE void take(Text text, const Cell& cell) {
        start = text.data + cell.start, stop = start + cell.size();
        if (cell.is_escaped()) {
            copy_.resize(cell.size() + MARGIN);
            uint8_t* end = unescape(start, stop, copy_.data());
            std::memset(end, 0, MARGIN);
            start = copy_.data(), stop = end;
        }
    }

    // The same as a number is read: without marks of thousands between digits.
    INLINE void drop_thousands() {
        if (!rules_.thousands || !std::memchr(start, rules_.thousands, static_cast<size_t>(stop - start))) return;
        number_.clear();
        for (const uint8_t* at = start; at < stop; ++at) {
            bool is_between = at > start && at[-1] >= '0' && at[-1] <= '9';
            if (*at != rules_.thousands || !is_between) number_.push_back(*at);
        }
        size_t size = number_.size();
        number_.resize(size + MARGIN);
        Number number;
        if (!read_number(number_.data(), number_.data() + size, rules_.decimal, number)) return;
        start = number_.data(), stop = start + size;
    }

    const uint8_t* start = nullptr;
    const uint8_t* stop = nullptr;

  private:
    const Rules& rules_;
    std::vector<uint8_t> copy_, number_;
};

Text with_margin(Text text, uint64_t size) {
    require(size <= text.size && text.size - size >= MARGIN, "no margin behind the text");
    for (uint64_t at = size; at < size + MARGIN; ++at) require(!text[at], "the margin is not NUL");
    return {text.data, size};
}

// Counts rows, and notes of what classes the cells of each column are.
//
// `classes` has a row of three numbers for each column, which are added to: classes, the least and the most offset of
// times; without columns, cells do not matter.  Behind the text, of so many bytes, there is a margin of NUL.  Stops where a row begins at `limit` or behind, or after `most` rows.
// Returns where it stopped, the rows, the rows that were left out as too long, where the first row with too many cells
// begins and how many it has, and whether the text ends inside quotes.
std::tuple<uint64_t, uint64_t, uint64_t, int64_t, uint64_t, bool> scan(Text all, uint64_t size, bool is_last,
                                                                       Text delimiter, Text options, uint64_t columns,
                                                                       uint64_t limit, uint64_t most,
                                                                       Matrix<int64_t> classes) {
    Text text = with_margin(all, size);
    require(!classes.rows || (classes.rows == columns && classes.columns == 3), "classes are not those of the columns");
    Rules rules(delimiter, options);
    Rows rows(text, rules, is_last, classes.rows);
    std::vector<Cell> of_row(classes.rows);
    CellText cell(rules);
    uint64_t found = 0, left_out = 0, cells = 0;
    int64_t long_row = -1;
    Ending ending = Ending::row;
    while (rows.end < limit && found < most && (ending = rows.next(of_row.data())) == Ending::row) {
        if (rows.count > columns) {
            if (rules.skips_long) {
                ++left_out;
                continue;
            }
            if (long_row < 0 && classes.rows) long_row = static_cast<int64_t>(rows.begin), cells = rows.count;
        }
        ++found;
        for (uint64_t column = 0; column < classes.rows; ++column) {
            int64_t* seen = classes[column];
            if (*seen & TEXT) continue;
            if (column >= rows.count) {
                *seen |= rules.is_missing(text.data, text.data) ? NO_VALUE : TEXT;
                continue;
            }
            cell.take(text, of_row[column]);
            if (rules.thousands) cell.drop_thousands();
            int64_t offset = 0, one = class_of(cell.start, cell.stop, rules, offset);
            if (one & TIME) {
                if (!(*seen & TIME) || offset < seen[1]) seen[1] = offset;
                if (!(*seen & TIME) || offset > seen[2]) seen[2] = offset;
            }
            *seen |= one;
        }
    }
    return {rows.end, found, left_out, long_row, cells, ending == Ending::unclosed};
}

// ---- columns

enum Kind : int64_t { INTEGERS, NATURALS, FLOATS, WORDS, WORDS_OR_DIGITS, NANOSECONDS, MICROSECONDS, STRINGS };

enum Failure : uint64_t { NOTHING, NO_SUCH_VALUE, OTHER_CELLS, UNCLOSED, MORE_ROWS };

// The bits of the value of a cell; returns whether it has one of the kind.
INLINE bool convert(const uint8_t* start, const uint8_t* stop, int64_t kind, const Rules& rules, uint64_t& bits) {
    uint8_t decimal = rules.decimal;
    if (rules.misses_digits && kind <= FLOATS && rules.is_missing(start, stop)) {
        double nothing = std::numeric_limits<double>::quiet_NaN();
        std::memcpy(&bits, &nothing, sizeof bits);
        return kind == FLOATS;
    }
    switch (kind) {
        case INTEGERS:
        case NATURALS: {
            ShortNumber common(start, stop, decimal);
            if (common.is_integer && start < stop) {
                bits = common.is_negative ? 0 - common.mantissa : common.mantissa;
                return kind == INTEGERS || !common.is_negative || !common.mantissa;
            }
            Number number;
            if (!read_number(start, stop, decimal, number) || !number.is_integer) return false;
            if (number.is_long && !fits(number)) return false;
            uint64_t value = number.mantissa;
            bits = number.is_negative ? 0 - value : value;
            if (kind == NATURALS) return !number.is_negative || !value;
            return value <= uint64_t{0x7FFFFFFFFFFFFFFF} + (number.is_negative && value);
        }
        case FLOATS: {
            Number number;
            double value;
            if (stop - start <= ShortNumber::MOST && short_float(start, stop, decimal, value)) {
            } else if (start < stop && read_number(start, stop, decimal, number)) {
                value = float_of(number, decimal);
            } else if (rules.is_missing(start, stop)) {
                value = std::numeric_limits<double>::quiet_NaN();
            } else {
                int sign = infinity(start, stop);
                if (!sign) return false;
                value = sign * std::numeric_limits<double>::infinity();
            }
            std::memcpy(&bits, &value, sizeof bits);
            return true;
        }
        case WORDS:
        case WORDS_OR_DIGITS: {
            int value = word_value(start, stop);
            if (kind == WORDS && rules.is_missing(start, stop)) value = 2;
            if (value < 0 && kind == WORDS_OR_DIGITS && stop - start == 1 && (*start == '0' || *start == '1')) {
                value = *start - '0';
            }
            bits = static_cast<uint64_t>(value);
            return value >= 0;
        }
        default: {
            Time time;
            int64_t value;
            if (rules.is_missing(start, stop)) {
                bits = uint64_t{1} << 63;
                return true;
            }
            if (!read_time(start, stop, time)) return false;
            if (!in_units(time, kind == NANOSECONDS ? 1000000000 : 1000000, value)) return false;
            bits = static_cast<uint64_t>(value);
            return true;
        }
    }
}

constexpr uint64_t MOST_COLUMNS = 1 << 24;

// Reads the cells of some columns, whose positions in a row and kinds are given.
//
// Numbers and times are written to a row of `values` each, as words, 2 for a missing bool; of text, `starts` gets where
// each cell begins, and `ends` where it ends among the cells behind each other.  Quotes within cells of text are taken out
// of the text itself.
// A cell that is not of its kind gets the word in `instead` if `allows_errors`.  Returns the rows, the failure that ended
// the loop, where its row begins, the column or the number of cells, and where the cell begins and ends.
std::tuple<uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t> parse(
    Span<uint8_t> text, uint64_t size, Text delimiter, Text options, uint64_t columns, Span<const int64_t> positions,
    Span<const int64_t> kinds, Span<const uint64_t> instead, bool allows_errors, Matrix<uint64_t> values,
    Matrix<uint64_t> starts, Matrix<uint64_t> ends) {
    require(kinds.size == positions.size && instead.size == positions.size, "columns without a kind");
    uint64_t texts = 0, most = 0, nrows = values.rows ? values.columns : starts.columns;
    for (uint64_t at = 0; at < kinds.size; ++at) {
        require(kinds[at] >= INTEGERS && kinds[at] <= STRINGS, "no such kind of columns");
        texts += kinds[at] == STRINGS;
        uint64_t position = checked(positions[at], columns);
        if (position >= most) most = position + 1;
    }
    require(values.rows == kinds.size - texts && starts.rows == texts && ends.rows == texts, "no room for the columns");
    require(!texts || (starts.columns == nrows && ends.columns == nrows + 1), "no room for as many rows");
    require(kinds.size > 0 && columns <= MOST_COLUMNS, "no columns are wanted, or there are too many");
    Rules rules(delimiter, options);
    Text read = with_margin({text.data, text.size}, size);
    Rows rows(read, rules, true, columns);
    std::vector<Cell> of_row(columns);
    CellText cell(rules);
    for (uint64_t at = 0; at < texts; ++at) ends[at][0] = 0;
    Ending ending;
    uint64_t row = 0;
    while ((ending = rows.next(of_row.data())) == Ending::row) {
        if (rows.count > columns && rules.skips_long) continue;
        if (rows.count > columns || (rules.demands_all && rows.count < columns)) {
            return {row, OTHER_CELLS, rows.begin, rows.count, 0, 0};
        }
        if (row == nrows) return {row, MORE_ROWS, rows.begin, 0, 0, 0};
        uint64_t number = 0, string = 0;
        for (uint64_t at = 0; at < kinds.size; ++at) {
            uint64_t position = static_cast<uint64_t>(positions[at]);
            Cell found = position < rows.count ? of_row[position] : Cell{};
            if (kinds[at] == STRINGS) {
                if (found.is_escaped()) {
                    uint8_t* into = text.data + found.start;
                    found.length = static_cast<uint64_t>(unescape(into, into + found.size(), into) - into);
                }
                starts[string][row] = found.start;
                ends[string][row + 1] = ends[string][row] + found.length;
                ++string;
                continue;
            }
            cell.take(read, found);
            if (rules.thousands) cell.drop_thousands();
            uint64_t bits = 0;
            if (!convert(cell.start, cell.stop, kinds[at], rules, bits)) {
                if (!allows_errors) return {row, NO_SUCH_VALUE, rows.begin, at, found.start, found.start + found.size()};
                bits = instead[at];
            }
            values[number++][row] = bits;
        }
        ++row;
    }
    return {row, ending == Ending::unclosed ? UNCLOSED : NOTHING, rows.begin, 0, 0, 0};
}

// Notes which cells of text are missing: all bits of a byte are those of eight cells, set where there is a value.
// Returns how many are missing.
uint64_t find_missing(Text text, Span<const int64_t> offsets, Text options, Span<uint8_t> has_value) {
    require(offsets.size > 0 && has_value.size == (offsets.size + 6) / 8, "bits are not those of the cells");
    Rules rules(options, options);
    uint64_t missing = 0, cells = offsets.size - 1;
    for (uint64_t at = 0; at < cells; ++at) {
        require(offsets[at] >= 0 && offsets[at] <= offsets[at + 1] && static_cast<uint64_t>(offsets[at + 1]) <= text.size,
                "cells are not within the text");
        bool is_missing = rules.is_missing(text.data + offsets[at], text.data + offsets[at + 1]);
        uint8_t bit = static_cast<uint8_t>(1 << (at % 8));
        has_value[at / 8] = static_cast<uint8_t>((at % 8 ? has_value[at / 8] : 0) | (is_missing ? 0 : bit));
        missing += is_missing;
    }
    return missing;
}

}  // namespace

MODULE("Rows of CSV: where they end, of what types their cells are, and the values of these.",
       {"scan", overloads<scan>},
       {"parse", overloads<parse>},
       {"find_missing", overloads<find_missing>})
