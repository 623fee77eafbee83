// Windows of a number of rows, and running results of groups.  Rows are added in the order that `kernels.py` documents.

#include "module.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

namespace {

using namespace akdask;

constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();
constexpr double INFINITE = std::numeric_limits<double>::infinity();

// Fills `out` with the result of each window of `width` rows.  Blocks of as many rows begin at rows that are `phase`
// after a multiple of the width; each window is the end of one and the beginning of the next.  A `State` takes rows one
// by one, and two of them come to a result.
template <class State, class Finish>
void fill(Span<const double> rows, int64_t width, int64_t phase, Span<double> out, State empty, Finish finish) {
    int64_t nrows = static_cast<int64_t>(rows.size);
    require(width > 0 && phase >= 0 && phase <= width, "no window");
    require(static_cast<int64_t>(out.size) + width > nrows, "no room for as many windows");
    if (nrows < width) return;
    auto states = std::make_unique<State[]>(2 * static_cast<uint64_t>(width));
    // The states of the rows from each one to the end of a block, and the same of the next block.
    State *ends = &states[0], *next_ends = &states[static_cast<uint64_t>(width)];
    auto take = [&](State& state, int64_t row) {
        if (std::isfinite(rows[row])) state.take(rows[row]);
    };
    int64_t begin = phase > 0 ? phase - width : 0;
    // The first block begins before the first row.
    int64_t first = begin < 0 ? -begin : 0;
    State ending = empty;
    for (int64_t place = width - 1; place >= first; --place) {
        take(ending, begin + place);
        ends[place] = ending;
    }
    for (; begin + width <= nrows; begin += width, first = 0) {
        // The rows of the next block are taken from both ends at a time: neither waits for the other.
        int64_t next = begin + width, stop = std::min(width, nrows - next + 1);
        bool is_whole = next + width <= nrows;
        State beginning = empty;
        ending = empty;
        if (!first) out[begin] = finish(ends[0], beginning);
        for (int64_t place = 1; place < stop; ++place) {
            take(beginning, next + place - 1);
            if (is_whole) {
                take(ending, next + width - place);
                next_ends[width - place] = ending;
            }
            if (place >= first) out[begin + place] = finish(ends[place], beginning);
        }
        if (is_whole) {
            take(ending, next);
            next_ends[0] = ending;
        }
        std::swap(ends, next_ends);
    }
}

struct Sum {
    double total = 0;
    int64_t count = 0;

    void take(double value) {
        total += value;
        ++count;
    }
};

void fill_sums(Span<const double> rows, int64_t width, int64_t phase, int64_t least, bool is_mean, Span<double> out) {
    fill(rows, width, phase, out, Sum{}, [=](const Sum& ending, const Sum& following) {
        int64_t known = following.count + ending.count;
        if (known < least || (is_mean && !known)) return NOT_A_NUMBER;
        double found = following.total + ending.total;
        return is_mean ? found / static_cast<double>(known) : found;
    });
}

struct Best {
    double sign = 1, best = INFINITE;
    int64_t count = 0;

    void take(double value) {
        best = sign * value < best ? sign * value : best;
        ++count;
    }
};

// Of smallest values, or of largest where `sign` is -1.
void fill_extremes(Span<const double> rows, int64_t width, int64_t phase, int64_t least, double sign,
                   Span<double> out) {
    fill(rows, width, phase, out, Best{sign}, [=](const Best& ending, const Best& following) {
        int64_t known = following.count + ending.count;
        double found = ending.best < following.best ? ending.best : following.best;
        return known > 0 && known >= least ? sign * found : NOT_A_NUMBER;
    });
}

struct Moments {
    double count = 0, mean = 0, square = 0;

    void take(double value) {
        count += 1;
        double step = value - mean;
        mean += step / count;
        square += step * (value - mean);
    }
};

void fill_variances(Span<const double> rows, int64_t width, int64_t phase, int64_t least, int64_t ddof, bool is_root,
                    Span<double> out) {
    fill(rows, width, phase, out, Moments{}, [=](const Moments& ending, const Moments& following) {
        double known = following.count + ending.count;
        if (known < static_cast<double>(least) || known <= static_cast<double>(ddof)) return NOT_A_NUMBER;
        double apart = following.mean - ending.mean;
        double merged = following.square + ending.square + apart * apart * following.count * ending.count / known;
        double found = merged / (known - static_cast<double>(ddof));
        return is_root ? std::sqrt(found) : found;
    });
}

enum Running : int64_t { SUM, PRODUCT, LEAST, MOST };

template <class Value>
bool is_missing(Value value) {
    if constexpr (std::is_floating_point_v<Value>) return std::isnan(value);
    return false;
}

// Rows that are looked at together, whether they are of one group.
constexpr uint64_t SOME = 64;

// Fills `out` with what the rows of each group come to so far, and leaves in `state` the result of the last group without
// its NaN.
template <class Value>
void fill_running(int64_t kind, Span<const Value> rows, Span<const int64_t> groups, int64_t group, Span<Value> state,
                  Span<const Value> identity, Span<Value> out) {
    require(groups.size == rows.size && out.size == rows.size && state.size && identity.size, "arrays of other lengths");
    auto run = [&](auto next, auto starts_at_zero) {
        Value running = state[0];
        const Value first = identity[0];
        // Copies of what the loop reads, as compilers take for changed by results what others refer to.
        auto take = [&, rows = rows.data, groups = groups.data, out = out.data](uint64_t start, uint64_t stop) {
            Value before = running;
            int64_t last = group;
            for (uint64_t row = start; row < stop; ++row) {
                Value value = rows[row];
                int64_t own = groups[row];
                if constexpr (std::is_integral_v<Value>) {
                    // All bits of what came before are kept or none: nobody can guess where groups begin.
                    Value kept = static_cast<Value>(0 - static_cast<Value>(own == last));
                    if constexpr (starts_at_zero) before &= kept;
                    else before = static_cast<Value>(first ^ ((before ^ first) & kept));
                } else if (own != last) {
                    before = first;
                }
                last = own;
                if (is_missing(value)) {
                    out[row] = value;
                } else {
                    out[row] = before = next(before, value);
                }
            }
            running = before;
            group = last;
        };
        uint64_t start = 0;
        if constexpr (std::is_integral_v<Value>) {
            for (; start + SOME <= rows.size; start += SOME) {
                int64_t apart = 0;
                for (uint64_t row = start; row < start + SOME; ++row) apart |= groups[row] ^ group;
                if (apart) {
                    take(start, start + SOME);
                    continue;
                }
                // Integers come to the same in any order.  What four rows come to is found before what is above them, so
                // that only every fourth row waits for another.
                for (uint64_t row = start; row < start + SOME; row += 4) {
                    Value one = rows[row], two = next(one, rows[row + 1]), third = rows[row + 2];
                    Value four = next(two, next(third, rows[row + 3]));
                    out[row] = next(running, one);
                    out[row + 1] = next(running, two);
                    out[row + 2] = next(running, next(two, third));
                    out[row + 3] = running = next(running, four);
                }
            }
        }
        take(start, rows.size);
        state[0] = running;
    };
    auto add = [](Value running, Value value) -> Value { return running + value; };
    if (kind == SUM && identity[0] == 0) run(add, std::true_type{});
    else if (kind == SUM) run(add, std::false_type{});
    else if (kind == PRODUCT) run([](Value running, Value value) -> Value { return running * value; }, std::false_type{});
    else if (kind == LEAST) run([](Value running, Value value) { return value < running ? value : running; }, std::false_type{});
    else run([](Value running, Value value) { return value > running ? value : running; }, std::false_type{});
}

// Fills `out` with what the rows of each group come to so far, where rows of a group need not be adjacent, and leaves in
// `states` what each group has come to.  Rows of no group, with a negative number, give their own value.
template <class Value>
void fill_running_in_order(int64_t kind, Span<const Value> rows, Span<const int64_t> groups, Span<Value> states,
                           Span<Value> out) {
    require(groups.size == rows.size && out.size == rows.size, "arrays of other lengths");
    for (uint64_t row = 0; row < rows.size; ++row)
        require(groups[row] < 0 || static_cast<uint64_t>(groups[row]) < states.size, "a group without a state");
    auto run = [&](auto next) {
        for (uint64_t row = 0; row < rows.size; ++row) {
            Value value = rows[row];
            int64_t own = groups[row];
            out[row] = own < 0 || is_missing(value) ? value : (states[own] = next(states[own], value));
        }
    };
    if (kind == SUM) run([](Value running, Value value) -> Value { return running + value; });
    else if (kind == PRODUCT) run([](Value running, Value value) -> Value { return running * value; });
    else if (kind == LEAST) run([](Value running, Value value) { return value < running ? value : running; });
    else run([](Value running, Value value) { return value > running ? value : running; });
}

// Fills `out` with the position of the last row of the same group before each row, and leaves in `states` that of the
// last row of each group.  The first rows of groups, and rows of no group, give -1.
void fill_previous(Span<const int64_t> groups, Span<const int64_t> positions, Span<int64_t> states, Span<int64_t> out) {
    require(groups.size == positions.size && out.size == groups.size, "arrays of other lengths");
    for (uint64_t row = 0; row < groups.size; ++row)
        require(groups[row] < 0 || static_cast<uint64_t>(groups[row]) < states.size, "a group without a state");
    for (uint64_t row = 0; row < groups.size; ++row) {
        int64_t own = groups[row];
        if (own < 0) {
            out[row] = -1;
            continue;
        }
        out[row] = states[own];
        states[own] = positions[row];
    }
}

// Fills `out` with running sums, or products; each is merged with the result of all earlier rows, if that is given.
// Integers go around, and sums begin with the zero that keeps the sign of another.
template <class Value, class Merge>
void scan(Span<const Value> rows, Span<const Value> before, Span<Value> out, Value running, Merge merge) {
    Value earlier = before.size ? before[0] : running;
    for (uint64_t row = 0; row < rows.size; ++row) {
        running = merge(running, rows[row]);
        out[row] = merge(running, earlier);
    }
}

template <class Value>
void fill_scan(bool is_sum, Span<const Value> rows, Span<const Value> before, Span<Value> out) {
    require(out.size == rows.size && before.size <= 1, "arrays of other lengths");
    if (is_sum) scan(rows, before, out, -Value{0}, [](Value one, Value other) { return one + other; });
    else scan(rows, before, out, Value{1}, [](Value one, Value other) { return one * other; });
}

// Fills `products` with the products of all factors up to each row, and `results` with those of
// `y = factor * y + term`, from 0.
void fill_recurrence(Span<const double> factors, Span<const double> terms, Span<double> products, Span<double> results) {
    uint64_t nrows = factors.size;
    require(terms.size == nrows && products.size == nrows && results.size == nrows, "columns of different lengths");
    double product = 1, result = 0;
    for (uint64_t row = 0; row < nrows; ++row) {
        product *= factors[row];
        // Numbers below are some hundred times as slow to multiply, and never become 0: the last one is rounded up.
        if (std::abs(product) < std::numeric_limits<double>::min()) product = 0;
        result = factors[row] * result + terms[row];
        products[row] = product;
        results[row] = result;
    }
}

}  // namespace

MODULE("Windows of a number of rows, and running results of groups.",
       {"fill_sums", overloads<fill_sums>},
       {"fill_extremes", overloads<fill_extremes>},
       {"fill_variances", overloads<fill_variances>},
       {"fill_running", overloads<fill_running<double>, fill_running<int64_t>, fill_running<uint64_t>, fill_running<uint8_t>>},
       {"fill_running_in_order", overloads<fill_running_in_order<double>, fill_running_in_order<int64_t>,
                                           fill_running_in_order<uint64_t>, fill_running_in_order<uint8_t>>},
       {"fill_scan", overloads<fill_scan<double>, fill_scan<uint64_t>>},
       {"fill_previous", overloads<fill_previous>},
       {"fill_recurrence", overloads<fill_recurrence>})
