// Values of some rank in small groups, extremes of text, sums of selected integers, and numbers of pairs in bins.

#include "text.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace {

using namespace akdask;

// Values of which each is compared with all.
constexpr uint64_t FEW = 16;

// Vectors as GCC and Clang have them, as wide as those of this level: compilers do not find them in the loop below.
#ifdef __AVX2__
constexpr int WIDTH = 4;
#else
constexpr int WIDTH = 2;
#endif
typedef double Doubles __attribute__((vector_size(WIDTH * sizeof(double))));
typedef int64_t Counts __attribute__((vector_size(WIDTH * sizeof(int64_t))));

// Finds the values of a rank and of the next among at most `FEW`; infinity where there is no next one.
std::pair<double, double> ranked(const double* values, uint64_t count, uint64_t rank) {
    constexpr int COUNT = FEW / WIDTH;
    constexpr double INFINITE = std::numeric_limits<double>::infinity();
    double few[FEW];
    for (uint64_t place = 0; place < FEW; ++place) few[place] = place < count ? values[place] : INFINITE;
    // How many values are less than each, and how many are no more.  A comparison that holds is -1.
    Doubles own[COUNT];
    Counts less[COUNT] = {}, most[COUNT] = {};
    std::memcpy(own, few, sizeof own);
    for (uint64_t place = 0; place < count; ++place) {
        Doubles other = Doubles{} + few[place];
        for (int part = 0; part < COUNT; ++part) {
            less[part] -= other < own[part];
            most[part] -= other <= own[part];
        }
    }
    int64_t first = static_cast<int64_t>(rank);
    double found = 0, next = INFINITE;
    for (uint64_t place = 0; place < count; ++place) {
        int64_t below = less[place / WIDTH][place % WIDTH], upto = most[place / WIDTH][place % WIDTH];
        found = ((below <= first) & (first < upto)) ? few[place] : found;
        next = ((below <= first + 1) & (first + 1 < upto)) ? few[place] : next;
    }
    return {found, next};
}

// Finds the values of two ranks, one next to the other or the same, of each group that has values; values of a group are
// adjacent, without NaN, and their order is changed.  They are parted at the middle one of three until few are left
// around the lower rank.  Nothing is guessed on the way: each value changes places with the first that is not below the
// pivot, whether it is below or not.
void select_ranks(Span<double> values, Span<const int64_t> offsets, Span<const int64_t> low, Span<const int64_t> high,
            Matrix<double> found, int64_t start_group, int64_t stop_group) {
    require(start_group >= 0 && static_cast<uint64_t>(stop_group) < offsets.size, "groups that are not there");
    uint64_t groups = static_cast<uint64_t>(stop_group);
    require(low.size >= groups && high.size >= groups && found.rows == 2 && found.columns >= groups,
            "arrays of other lengths");
    for (uint64_t group = static_cast<uint64_t>(start_group); group < groups; ++group) {
        uint64_t first = static_cast<uint64_t>(offsets[group]), end = static_cast<uint64_t>(offsets[group + 1]);
        require(first <= end && end <= values.size, "groups beyond the values");
        if (first == end) continue;
        uint64_t wanted = first + static_cast<uint64_t>(low[group]), start = first, stop = end;
        require(wanted >= first && wanted < end, "a rank beyond the group");
        auto part = [&](uint64_t from, auto goes_first) {
            uint64_t next = from;
            for (uint64_t row = from; row < stop; ++row) {
                double value = values[row];
                values[row] = values[next];
                values[next] = value;
                next += goes_first(value);
            }
            return next;
        };
        while (stop - start > FEW) {
            double one = values[start], two = values[(start + stop) >> 1], three = values[stop - 1];
            double pivot = std::max(std::min(one, two), std::min(std::max(one, two), three));
            uint64_t below = part(start, [=](double value) { return value < pivot; });
            if (wanted < below) {
                stop = below;
                continue;
            }
            // Those that are equal to the pivot come next, so that many equal values are parted too.
            uint64_t equal = part(below, [=](double value) { return value <= pivot; });
            require(equal > start, "values that are not numbers");
            if (wanted < equal) start = stop = wanted;
            else start = equal;
        }
        double one = values[wanted], two = std::numeric_limits<double>::infinity();
        if (start < stop) std::tie(one, two) = ranked(&values[start], stop - start, wanted - start);
        found[0][group] = found[1][group] = one;
        if (high[group] > low[group]) {
            require(wanted + 1 < end, "a rank beyond the group");
            if (wanted + 1 >= stop) two = *std::min_element(&values[wanted + 1], &values[0] + end);
            found[1][group] = two;
        }
    }
}

// The mean of some rows, and the sum of squares of their distances from it.
struct Spread {
    double count = 0, mean = 0, squares = 0;

    INLINE void add(double more, double other, double more_squares) {
        double all = count + more, apart = other - mean;
        squares += more_squares + apart * apart * (count * more / all);
        mean += apart * (more / all);
        count = all;
    }
};

// Values that are summed together; each of as many sums has every `LANES`-th value of a row.
constexpr uint64_t LANES = 16, AT_ONCE = 4096, ROWS = 32, ACROSS = 128;

// Returns the spread of one row, which is read from the cache again while it lasts.
Spread spread_of_row(const double* row, uint64_t length) {
    Spread found;
    for (uint64_t first = 0; first < length; first += AT_ONCE) {
        uint64_t count = std::min(AT_ONCE, length - first), even = count - count % LANES;
        const double* part = row + first;
        double sums[LANES] = {}, squares[LANES] = {};
        auto total = [](double* lanes) {
            for (uint64_t half = LANES / 2; half; half /= 2) {
                for (uint64_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
            }
            return lanes[0];
        };
        for (uint64_t at = 0; at < even; at += LANES) {
            for (uint64_t lane = 0; lane < LANES; ++lane) sums[lane] += part[at + lane];
        }
        for (uint64_t at = even; at < count; ++at) sums[at - even] += part[at];
        double number = static_cast<double>(count), mean = total(sums) / number;
        auto square = [&](double value) { return (value - mean) * (value - mean); };
        for (uint64_t at = 0; at < even; at += LANES) {
            for (uint64_t lane = 0; lane < LANES; ++lane) squares[lane] += square(part[at + lane]);
        }
        for (uint64_t at = even; at < count; ++at) squares[at - even] += square(part[at]);
        found.add(number, mean, total(squares));
    }
    return found;
}

// Sums the squares of distances from the mean along the second of three dimensions, of which the last has `inner`.
void sum_squares(Span<const double> values, int64_t rows, int64_t inner, Span<double> found) {
    uint64_t length = static_cast<uint64_t>(rows), width = static_cast<uint64_t>(inner);
    require(rows > 0 && inner > 0 && width <= values.size && length <= values.size / width &&
                values.size % (length * width) == 0 && found.size == values.size / length,
            "arrays of other lengths");
    for (uint64_t block = 0; block < found.size / width; ++block) {
        const double* start = values.data + block * length * width;
        if (width == 1) {
            found[block] = spread_of_row(start, length).squares;
            continue;
        }
        for (uint64_t column = 0; column < width; column += ACROSS) {
            uint64_t count = std::min(ACROSS, width - column);
            Spread spreads[ACROSS];
            for (uint64_t first = 0; first < length; first += ROWS) {
                uint64_t some = std::min(ROWS, length - first);
                const double* part = start + first * width + column;
                double means[ACROSS] = {}, squares[ACROSS] = {};
                for (uint64_t row = 0; row < some; ++row) {
                    for (uint64_t at = 0; at < count; ++at) means[at] += part[row * width + at];
                }
                for (uint64_t at = 0; at < count; ++at) means[at] /= static_cast<double>(some);
                for (uint64_t row = 0; row < some; ++row) {
                    for (uint64_t at = 0; at < count; ++at) {
                        double apart = part[row * width + at] - means[at];
                        squares[at] += apart * apart;
                    }
                }
                for (uint64_t at = 0; at < count; ++at) {
                    spreads[at].add(static_cast<double>(some), means[at], squares[at]);
                }
            }
            for (uint64_t at = 0; at < count; ++at) found[block * width + column + at] = spreads[at].squares;
        }
    }
}

// Whether a value takes the place of the best one before it; NaN does so, and nothing else takes its place.
template <bool is_largest, class Value>
INLINE bool is_better(Value value, Value best) {
    bool found = is_largest ? value > best : value < best;
    if constexpr (std::is_floating_point_v<Value>) return found || value != value;
    return found;
}

// Leaves in each of some places the better one of its value and another.
template <bool is_largest, class Value>
INLINE void keep_better(Value* __restrict best, const Value* __restrict values, uint64_t count) {
    for (uint64_t at = 0; at < count; ++at) {
        Value value = values[at];
        best[at] = is_better<is_largest>(value, best[at]) ? value : best[at];
    }
}

// Returns the first position of the extreme of one row; its part of the row is searched again.
template <bool is_largest, class Value>
uint64_t first_extreme(const Value* row, uint64_t length) {
    // Lanes that every processor has registers for, and parts that are short beside rows of matrices.
    constexpr uint64_t LANES = 32, PART = 512;
    Value best = row[0];
    uint64_t place = 0;
    for (uint64_t first = 0; first < length && best == best; first += PART) {
        uint64_t count = std::min(PART, length - first), even = count - count % LANES;
        const Value* part = row + first;
        Value lanes[LANES];
        std::fill(lanes, lanes + LANES, best);
        for (uint64_t at = 0; at < even; at += LANES) keep_better<is_largest>(lanes, part + at, LANES);
        keep_better<is_largest>(lanes, part + even, count - even);
        for (uint64_t half = LANES / 2; half; half /= 2) keep_better<is_largest>(lanes, lanes + half, half);
        if (is_better<is_largest>(lanes[0], best)) {
            best = lanes[0];
            place = first;
        }
    }
    if (best != best) {
        while (row[place] == row[place]) ++place;
        return place;
    }
    for (; place + LANES <= length; place += LANES) {
        uint64_t equal = 0;
        for (uint64_t at = 0; at < LANES; ++at) equal += row[place + at] == best;
        if (equal) break;
    }
    while (row[place] != best) ++place;
    return place;
}

// Finds the first positions of extremes along the second of three dimensions, of which the last has `inner`; NaN is an
// extreme.
template <bool is_largest, class Value>
void find_extremes_along(Span<const Value> values, uint64_t length, uint64_t width, Span<int64_t> found) {
    for (uint64_t block = 0; block < found.size / width; ++block) {
        const Value* start = values.data + block * length * width;
        if (width == 1) {
            found[block] = static_cast<int64_t>(first_extreme<is_largest>(start, length));
            continue;
        }
        for (uint64_t column = 0; column < width; column += ACROSS) {
            uint64_t count = std::min(ACROSS, width - column);
            Value best[ACROSS];
            int64_t places[ACROSS] = {};
            std::copy(start + column, start + column + count, best);
            for (uint64_t row = 1; row < length; ++row) {
                const Value* line = start + row * width + column;
                for (uint64_t at = 0; at < count; ++at) {
                    bool is_first = is_better<is_largest>(line[at], best[at]) && best[at] == best[at];
                    best[at] = is_first ? line[at] : best[at];
                    places[at] = is_first ? static_cast<int64_t>(row) : places[at];
                }
            }
            std::copy(places, places + count, &found[block * width + column]);
        }
    }
}

template <class Value>
void find_positions(Span<const Value> values, int64_t rows, int64_t inner, bool is_largest, Span<int64_t> found) {
    uint64_t length = static_cast<uint64_t>(rows), width = static_cast<uint64_t>(inner);
    require(rows > 0 && inner > 0 && width <= values.size && length <= values.size / width &&
                values.size % (length * width) == 0 && found.size == values.size / length,
            "arrays of other lengths");
    if (is_largest) find_extremes_along<true>(values, length, width, found);
    else find_extremes_along<false>(values, length, width, found);
}

// Keeps the words from `low` to `high` in their order; `counts` become the words below these, and how many are kept.
void keep_between(Span<const uint64_t> words, uint64_t low, uint64_t high, Span<uint64_t> kept, Span<int64_t> counts) {
    require(kept.size >= words.size && counts.size == 2 && low <= high, "too little room, or bounds in no order");
    int64_t below = 0;
    uint64_t next = 0, width = high - low;
    for (uint64_t row = 0; row < words.size; ++row) {
        uint64_t word = words[row];
        below += word < low;
        kept[next] = word;
        next += word - low <= width;
    }
    counts[0] = below;
    counts[1] = static_cast<int64_t>(next);
}

// Puts lists end to end in another order; `into` says where each begins, and the last ends.
void copy_lists(Span<const int64_t> offsets, Span<const double> values, Span<const int64_t> order,
                Span<const int64_t> into, Span<double> moved) {
    require(into.size > order.size, "fewer places than lists");
    for (uint64_t place = 0; place < order.size; ++place) {
        uint64_t list = static_cast<uint64_t>(order[place]);
        require(list < offsets.size, "a list that is not there");
        uint64_t start = static_cast<uint64_t>(offsets[list]), first = static_cast<uint64_t>(into[place]);
        uint64_t size = static_cast<uint64_t>(into[place + 1]) - first;
        require(size <= values.size && start <= values.size - size && size <= moved.size && first <= moved.size - size,
                "a list beyond its values");
        if (size) std::memcpy(&moved[first], &values[start], size * sizeof(double));
    }
}

// Strings in the order of their bytes.  The first eight of a string are a word that mostly decides.
struct Strings {
    Span<const int64_t> offsets;
    Text text;

    uint64_t start(uint64_t row) const { return static_cast<uint64_t>(offsets[row] - offsets[0]); }

    uint64_t length(uint64_t row) const { return static_cast<uint64_t>(offsets[row + 1] - offsets[row]); }

    uint64_t prefix(uint64_t row) const {
        uint64_t first = start(row);
        return swapped(leading_bytes(word_within(text, first), first, first + length(row)));
    }

    // Whether a string is the marker of missing text.
    bool lacks(uint64_t row) const { return length(row) == 1 && text[start(row)] == 0xFF; }

    // Below 0 if the first string comes first, 0 if both are equal.
    int compare(uint64_t one, uint64_t other) const {
        uint64_t first = length(one), second = length(other), shorter = first < second ? first : second;
        int found = shorter ? std::memcmp(&text[start(one)], &text[start(other)], shorter) : 0;
        return found ? found : first < second ? -1 : first > second;
    }
};

// Finds the row of the first or last string of each group, -1 where all are missing; of equal ones that of the first
// position.  `prefixes` is memory for a word of each group, and without `codes` all rows are one group.
void find_extremes(Span<const int64_t> codes, Span<const int64_t> offsets, Text text, Span<const int64_t> positions,
                   bool is_largest, Span<uint64_t> prefixes, Span<int64_t> rows) {
    require(offsets.size, "strings without offsets");
    uint64_t count = offsets.size - 1;
    require(rows.size == prefixes.size && (codes.size == count || (!codes.size && rows.size == 1)) &&
                (positions.size == count || !positions.size),
            "arrays of other lengths");
    for (uint64_t row = 0; row < count; ++row) {
        require(offsets[row] <= offsets[row + 1] && static_cast<uint64_t>(offsets[row + 1] - offsets[0]) <= text.size,
                "strings beyond their bytes");
    }
    Strings strings{offsets, text};
    for (uint64_t group = 0; group < rows.size; ++group) rows[group] = -1;
    for (uint64_t row = 0; row < count; ++row) {
        uint64_t group = codes.size ? static_cast<uint64_t>(codes[row]) : 0;
        require(group < rows.size, "a group that is not there");
        uint64_t word = strings.prefix(row);
        if (rows[group] >= 0) {
            uint64_t known = prefixes[group], best = static_cast<uint64_t>(rows[group]);
            if (is_largest ? word < known : word > known) continue;
            if (word == known) {
                int order = strings.compare(row, best);
                bool is_earlier = order == 0 && positions.size && positions[row] < positions[best];
                if (!is_earlier && (is_largest ? order <= 0 : order >= 0)) continue;
            }
        }
        if (word >> 56 == 0xFF && strings.lacks(row)) continue;
        prefixes[group] = word;
        rows[group] = static_cast<int64_t>(row);
    }
}

// Returns the sum of the integers where the mask holds.
template <class Integer>
Integer sum_selected(Span<const Integer> column, Span<const bool> mask) {
    require(mask.size == column.size, "arrays of other lengths");
    // All bits of a number are kept or none, so that no branch has to be guessed.
    int64_t total = 0;
    for (uint64_t row = 0; row < column.size; ++row) {
        total += static_cast<int64_t>(column[row]) & (int64_t{0} - mask[row]);
    }
    return static_cast<Integer>(total);
}

// Returns the sum of the bytes where the mask holds.  Words of eight of each are added: in blocks, two bytes at a time
// to places of two bytes, where as many fit.
uint64_t sum_selected_bytes(Span<const uint8_t> column, Span<const bool> mask) {
    require(mask.size == column.size, "arrays of other lengths");
    constexpr uint64_t EVERY_SECOND = 0x00FF00FF00FF00FF, BLOCK = 128;
    uint64_t total = 0, row = 0;
    while (column.size - row >= 8 * BLOCK) {
        uint64_t pairs = 0;
        for (uint64_t word = 0; word < BLOCK; ++word, row += 8) {
            uint64_t bytes, kept;
            std::memcpy(&bytes, &column[row], 8);
            std::memcpy(&kept, &mask[row], 8);
            bytes &= (kept << 8) - kept;
            pairs += (bytes & EVERY_SECOND) + ((bytes >> 8) & EVERY_SECOND);
        }
        for (; pairs; pairs >>= 16) total += pairs & 0xFFFF;
    }
    for (; row < column.size; ++row) total += mask[row] ? column[row] : 0;
    return total;
}

// Edges of bins with equal steps.
struct Bins {
    Span<const double> edges;
    double steps;

    explicit Bins(Span<const double> bounds) : edges(bounds) {
        require(bounds.size > 1, "no bins");
        steps = static_cast<double>(count()) / (edges[count()] - edges[0]);
    }

    uint64_t count() const { return edges.size - 1; }

    // Not so where the value is NaN.
    bool hold(double value) const { return edges[0] <= value && value <= edges[count()]; }

    uint64_t bin(double value) const {
        double distance = (value - edges[0]) * steps;
        uint64_t last = count() - 1;
        uint64_t place = distance < static_cast<double>(last) ? static_cast<uint64_t>(distance) : last;
        if (value < edges[place]) return place ? place - 1 : 0;
        return place + 1 < count() && value >= edges[place + 1] ? place + 1 : place;
    }
};

// Adds 1 to the bin of each pair of numbers.
void add_pairs(Span<int64_t> counts, Span<const double> x, Span<const double> y, Span<const double> x_edges,
               Span<const double> y_edges) {
    Bins down(x_edges), across(y_edges);
    require(x.size == y.size && counts.size >= down.count() * across.count(), "arrays of other lengths");
    for (uint64_t row = 0; row < x.size; ++row) {
        if (down.hold(x[row]) && across.hold(y[row])) {
            ++counts[down.bin(x[row]) * across.count() + across.bin(y[row])];
        }
    }
}

}  // namespace

MODULE("Values of some rank in small groups, extremes of text, sums of selected integers, and numbers of pairs in bins.",
       {"select_ranks", overloads<select_ranks>},
       {"sum_squares", overloads<sum_squares>},
       {"find_positions", overloads<find_positions<double>, find_positions<int64_t>, find_positions<uint64_t>,
                                    find_positions<uint8_t>>},
       {"keep_between", overloads<keep_between>},
       {"copy_lists", overloads<copy_lists>},
       {"find_extremes", overloads<find_extremes>},
       {"sum_selected", overloads<sum_selected<int64_t>, sum_selected<uint64_t>, sum_selected_bytes>},
       {"add_pairs", overloads<add_pairs>})
