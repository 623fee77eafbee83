// Values of some rank in small groups, sums of selected integers, and numbers of pairs in bins.

#include "module.hpp"

#include <algorithm>

namespace {

using namespace akdask;

// Values that are sorted by insertion.
constexpr uint64_t FEW = 16;

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
            if (wanted < equal) start = stop = wanted;
            else start = equal;
        }
        for (uint64_t row = start + 1; row < stop; ++row) {
            double value = values[row];
            uint64_t before = row;
            for (; before > start && values[before - 1] > value; --before) values[before] = values[before - 1];
            values[before] = value;
        }
        found[0][group] = found[1][group] = values[wanted];
        if (high[group] > low[group]) {
            require(wanted + 1 < end, "a rank beyond the group");
            found[1][group] = *std::min_element(&values[wanted + 1], &values[0] + end);
        }
    }
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

// Returns the sum of the integers where the mask holds.
template <class Integer, class Total = Integer>
Total sum_selected(Span<const Integer> column, Span<const bool> mask) {
    require(mask.size == column.size, "arrays of other lengths");
    // All bits of a number are kept or none, so that no branch has to be guessed.
    Total total = 0;
    for (uint64_t row = 0; row < column.size; ++row) total += column[row] & (Total{0} - mask[row]);
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

MODULE("Values of some rank in small groups, sums of selected integers, and numbers of pairs in bins.",
       {"select_ranks", overloads<select_ranks>},
       {"copy_lists", overloads<copy_lists>},
       {"sum_selected", overloads<sum_selected<int64_t>, sum_selected<uint64_t>, sum_selected<uint8_t, uint64_t>>},
       {"add_pairs", overloads<add_pairs>})
