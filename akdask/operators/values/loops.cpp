// Numbers of the generators that an Arkouda server draws from: PCG XSH RR 64/32, as Chapel's module Random uses them.
//
// M. E. O'Neill, PCG: A family of simple fast space-efficient statistically good algorithms for random number
// generation, 2014.  A number of 64 bits has its upper half from the first generator of a seed, and its lower one from
// the second.  Generators move to any position without drawing the numbers before it.

#include "module.hpp"
#include "ziggurat.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <type_traits>

namespace {

using namespace akdask;

constexpr uint64_t MULTIPLIER = 6364136223846793005ULL;
constexpr uint64_t LARGEST = std::numeric_limits<uint32_t>::max();

// Each further generator has a fair number in at least half of all cases, but generators of a seed are alike near the
// last position of all, where none might have one.
constexpr uint64_t LAST_GENERATOR = 4096;

// One of the generators of a seed.
struct Halves {
    uint64_t increment, state;

    Halves(uint64_t seed, uint64_t number, uint64_t position) : increment(2 * number + 1) {
        state = (increment + seed) * MULTIPLIER + increment;
        // Steps are of the form factor * state + added; squares of them are composed.
        uint64_t factor = 1, added = 0, multiplier = MULTIPLIER, plus = increment;
        for (; position; position >>= 1) {
            if (position & 1) {
                factor *= multiplier;
                added = added * multiplier + plus;
            }
            plus *= multiplier + 1;
            multiplier *= multiplier;
        }
        state = factor * state + added;
    }

    INLINE uint32_t next() {
        uint64_t old = state;
        state = old * MULTIPLIER + increment;
        uint32_t mixed = static_cast<uint32_t>((old >> 18 ^ old) >> 27);
        uint32_t turn = static_cast<uint32_t>(old >> 59);
        return mixed >> turn | mixed << (-turn & 31);
    }
};

// Draws numbers of 32 bits up to `largest`.  One of the few that would make some numbers more likely is replaced by
// those at the same position of further generators: the numbers 101, 105, … for the first, 102, 106, … for the second.
struct Bounded {
    Halves halves;
    uint64_t seed, number, position;
    uint32_t bound, unfair;

    Bounded(uint64_t seed, uint64_t number, uint64_t position, uint64_t largest)
        : halves(seed, number, position), seed(seed), number(number), position(position),
          bound(static_cast<uint32_t>(largest + 1)), unfair(bound ? -bound % bound : 0) {}

    [[gnu::noinline]] uint32_t again() const {
        uint32_t drawn = 0;
        for (uint64_t other = 100 + number; drawn < unfair && other < LAST_GENERATOR; other += 4) {
            drawn = Halves(seed, other, position).next();
        }
        return drawn;
    }

    INLINE uint32_t next() {
        uint32_t drawn = halves.next();
        if (__builtin_expect(drawn < unfair, 0)) drawn = again();
        ++position;
        return bound ? drawn % bound : drawn;
    }
};

// Draws words of 64 bits from `low` to `low + largest`, which may go around; `first` is the position of the first one.
void draw_words(Span<uint64_t> words, uint64_t seed, uint64_t first, uint64_t low, uint64_t largest) {
    Bounded upper(seed, 1, first, largest >> 32), lower(seed, 2, first, largest & LARGEST);
    if (largest <= LARGEST) {
        for (uint64_t& word : words) word = low + lower.next();
        return;
    }
    for (uint64_t& word : words) {
        uint64_t above = upper.next();
        word = low + (above << 32 | lower.next());
    }
}

// Draws words of at most 32 bits from `low` to `low + largest`.
template <class Word>
void draw_short(Span<Word> words, uint64_t seed, uint64_t first, uint64_t low, uint64_t largest) {
    require(largest <= LARGEST, "numbers of more than 32 bits");
    Bounded drawn(seed, 1, first, largest);
    for (Word& word : words) word = static_cast<Word>(low + drawn.next());
}

// Draws floats between `low` and `high`.
void draw_floats(Span<double> numbers, uint64_t seed, uint64_t first, double low, double high) {
    Halves upper(seed, 1, first), lower(seed, 2, first);
    double width = high - low;
    for (double& number : numbers) {
        uint64_t above = upper.next();
        double part = static_cast<double>(above << 32 | lower.next()) * 0x1p-64;
        number = width * part + low;
    }
}

// Draws single numbers of a seed, one after the other: each takes one position, of whatever type it is.
struct Stream {
    uint64_t seed, position;
    Halves upper, lower;

    explicit Stream(uint64_t seed, uint64_t position = 0)
        : seed(seed), position(position), upper(seed, 1, position), lower(seed, 2, position) {}

    INLINE uint64_t word() {
        ++position;
        uint64_t above = upper.next();
        return above << 32 | lower.next();
    }

    INLINE double uniform() { return static_cast<double>(word()) * 0x1p-64; }

    INLINE double exponential() { return -std::log1p(-uniform()); }

    double normal() {
        double radius = uniform(), angle = uniform();
        return std::sqrt(-2 * std::log(radius)) * std::cos(2 * M_PI * angle);
    }

    // A number from 0 to `largest`, which has at most 32 bits.
    INLINE uint64_t up_to(uint64_t largest) {
        Bounded drawn(*this, largest);
        upper.next();
        uint64_t found = drawn.from(lower);
        ++position;
        return found;
    }

    struct Bounded {
        uint64_t seed, position;
        uint32_t bound, unfair;

        Bounded(const Stream& of, uint64_t largest)
            : seed(of.seed), position(of.position), bound(static_cast<uint32_t>(largest + 1)),
              unfair(bound ? -bound % bound : 0) {}

        uint32_t from(Halves& lower) const {
            uint32_t drawn = lower.next();
            for (uint64_t other = 102; drawn < unfair && other < LAST_GENERATOR; other += 4) {
                drawn = Halves(seed, other, position).next();
            }
            return bound ? drawn % bound : drawn;
        }
    };
};

// Fills numbers from the position `first` on.  Every `step` numbers have two streams of a seed of their own, for floats
// and for words, so that numbers do not depend on how many tasks draw them; those before the first are drawn for nothing.
template <class Number, class Draw>
INLINE void fill_by_steps(Span<Number> numbers, uint64_t seed, uint64_t first, uint64_t step, Draw draw) {
    require(step > 0 && step >> 24 == 0, "no numbers of a seed, or too many");
    for (uint64_t at = 0; at < numbers.size;) {
        uint64_t number = (first + at) / step, skipped = (first + at) % step;
        Stream floats(seed + number), words(seed + number);
        for (; skipped; --skipped) draw(floats, words);
        uint64_t end = std::min(numbers.size, (number + 1) * step - first);
        for (; at < end; ++at) numbers[at] = draw(floats, words);
    }
}

double ziggurat_normal(Stream& floats, Stream& words) {
    for (;;) {
        uint64_t word = words.word();
        size_t layer = word & 0xFF;
        bool is_below = word >> 8 & 1;
        uint64_t steps = word >> 9 & 0xFFFFFFFFFFFFF;
        double found = static_cast<double>(steps) * NORMAL_WIDTHS[layer];
        if (is_below) found = -found;
        if (steps < NORMAL_LIMITS[layer]) return found;
        if (layer) {
            double height = (NORMAL_HEIGHTS[layer - 1] - NORMAL_HEIGHTS[layer]) * floats.uniform() + NORMAL_HEIGHTS[layer];
            if (height < std::exp(-0.5 * found * found)) return found;
            continue;
        }
        for (;;) {
            double beyond = -NORMAL_TAIL_INVERSE * std::log1p(-floats.uniform());
            double height = -std::log1p(-floats.uniform());
            if (height + height > beyond * beyond) return steps >> 8 & 1 ? -(NORMAL_TAIL + beyond) : NORMAL_TAIL + beyond;
        }
    }
}

double ziggurat_exponential(Stream& floats, Stream& words) {
    for (;;) {
        uint64_t word = words.word() >> 3;
        size_t layer = word & 0xFF;
        uint64_t steps = word >> 8;
        double found = static_cast<double>(steps) * EXPONENTIAL_WIDTHS[layer];
        if (steps < EXPONENTIAL_LIMITS[layer]) return found;
        if (!layer) return EXPONENTIAL_TAIL - std::log1p(-floats.uniform());
        double above = EXPONENTIAL_HEIGHTS[layer - 1] - EXPONENTIAL_HEIGHTS[layer];
        if (above * floats.uniform() + EXPONENTIAL_HEIGHTS[layer] < std::exp(-found)) return found;
    }
}

double logistic(Stream& floats) {
    double drawn = floats.uniform();
    while (drawn <= 0) drawn = floats.uniform();
    return std::log(drawn / (1 - drawn));
}

// Gamma numbers of scale 1: below a shape of 1 those of J. H. Ahrens and U. Dieter, Computer methods for sampling from
// gamma, beta, Poisson and binomial distributions, 1974; above it those of G. Marsaglia and W. W. Tsang, A simple method
// for generating gamma variables, 2000.
double gamma(Stream& floats, double shape) {
    if (shape == 1) return floats.exponential();
    if (shape == 0) return 0;
    if (shape < 1) {
        for (;;) {
            double drawn = floats.uniform(), limit = floats.exponential();
            if (drawn <= 1 - shape) {
                double found = std::pow(drawn, 1 / shape);
                if (found <= limit) return found;
            } else {
                double rest = -std::log((1 - drawn) / shape);
                double found = std::pow(1 - shape + shape * rest, 1 / shape);
                if (found <= limit + rest) return found;
            }
        }
    }
    double least = shape - 1 / 3.0, slope = 1 / std::sqrt(9 * least);
    for (;;) {
        double normal = 0, cube = -1;
        while (cube <= 0) {
            normal = floats.normal();
            cube = 1 + slope * normal;
        }
        cube = cube * cube * cube;
        double drawn = floats.uniform();
        if (drawn < 1 - 0.0331 * (normal * normal) * (normal * normal)) return least * cube;
        if (std::log(drawn) < 0.5 * normal * normal + least * (1 - cube + std::log(cube))) return least * cube;
    }
}

void draw_normals(Span<double> numbers, uint64_t seed, uint64_t first, uint64_t step) {
    fill_by_steps(numbers, seed, first, step, ziggurat_normal);
}

void draw_exponentials(Span<double> numbers, uint64_t seed, uint64_t first, uint64_t step) {
    fill_by_steps(numbers, seed, first, step, ziggurat_exponential);
}

void draw_logistics(Span<double> numbers, uint64_t seed, uint64_t first, uint64_t step) {
    fill_by_steps(numbers, seed, first, step, [](Stream& floats, Stream&) { return logistic(floats); });
}

void draw_gammas(Span<double> numbers, uint64_t seed, uint64_t first, uint64_t step, double shape) {
    require(shape >= 0 && std::isfinite(shape), "no shape of a gamma distribution");
    fill_by_steps(numbers, seed, first, step, [shape](Stream& floats, Stream&) {
        gamma(floats, shape);  // A server draws two for each number, and keeps the second.
        return gamma(floats, shape);
    });
}

// Counts the uniform numbers whose product stays above exp(-mean): D. E. Knuth, Seminumerical algorithms, 3.4.1.
void draw_poissons(Span<int64_t> numbers, uint64_t seed, uint64_t first, uint64_t step, double mean) {
    require(mean >= 0 && mean <= 700, "a mean whose exponential is not to be had");
    double limit = std::exp(-mean);
    fill_by_steps(numbers, seed, first, step, [limit](Stream& floats, Stream&) {
        int64_t count = 0;
        for (double product = floats.uniform(); product > limit; product *= floats.uniform()) ++count;
        return count;
    });
}

// Orders of rows: each function writes the numbers from 0 in random order.

void count_up(Span<int64_t> order) {
    require(order.size <= LARGEST, "more rows than 32 bits number");
    for (uint64_t row = 0; row < order.size; ++row) order[row] = static_cast<int64_t>(row);
}

// Returns the logarithm to base 2, rounded down; 0 for 0.
uint64_t log2_below(uint64_t number) {
    uint64_t found = 0;
    while (number >>= 1) ++found;
    return found;
}

// R. A. Fisher and F. Yates' shuffle, from the last row on.
void shuffle_rows(Span<int64_t> order, uint64_t seed, uint64_t position) {
    count_up(order);
    Stream drawn(seed, position);
    for (uint64_t row = order.size; row--;) std::swap(order[drawn.up_to(row)], order[row]);
}

// The same, from the first row on: each row takes the place of one before it.
void permute_rows(Span<int64_t> order, uint64_t seed, uint64_t position) {
    count_up(order);
    Stream drawn(seed, position);
    for (uint64_t row = 0; row < order.size; ++row) std::swap(order[drawn.up_to(row)], order[row]);
}

// Exchanges rows from `begin` to below `end` with rows from `bound` on, or up to it.
void shuffle_part(Span<int64_t> order, uint64_t begin, uint64_t end, uint64_t bound, Stream drawn) {
    for (uint64_t row = begin; row < end; ++row) {
        uint64_t low = std::min(row, bound), high = std::max(row, bound);
        std::swap(order[row], order[low + drawn.up_to(high - low)]);
    }
}

// Draws positions in groups of so many rows, those of each group from a position of its own on; `order` is room for the
// largest group.  A few of many rows are drawn until none occurs twice, more are the first ones of a shuffle.
void draw_rows(Span<int64_t> drawn, Span<const int64_t> sizes, Span<const int64_t> counts, Span<const int64_t> begins,
               Span<int64_t> order, uint64_t seed, bool with_replacement) {
    require(counts.size == sizes.size && begins.size == sizes.size, "groups without a size, a count or a position");
    uint64_t at = 0;
    for (uint64_t group = 0; group < sizes.size; ++group) {
        uint64_t size = static_cast<uint64_t>(sizes[group]), count = static_cast<uint64_t>(counts[group]);
        uint64_t begin = static_cast<uint64_t>(begins[group]);
        require(size <= LARGEST, "more rows than 32 bits number");
        require(size <= order.size, "a group without room");
        require(count <= drawn.size - at && (with_replacement ? size || !count : count <= size), "too many rows");
        Span<int64_t> found{drawn.data + at, count};
        at += count;
        if (!with_replacement && count >= log2_below(size)) {
            Span<int64_t> rows{order.data, size};
            shuffle_rows(rows, seed, begin);
            std::copy(rows.begin(), rows.begin() + count, found.begin());
            continue;
        }
        Stream stream(seed, begin);
        for (uint64_t done = 0; done < count;) {
            int64_t row = static_cast<int64_t>(stream.up_to(size - 1));
            int64_t* end = found.begin() + done;
            if (with_replacement || std::find(found.begin(), end, row) == end) found[done++] = row;
        }
    }
    require(at == drawn.size, "fewer rows than room for them");
}

// The same by weights, which follow each other group by group; `sums` is room for twice the next power of two of rows.
// Each node of a tree has the sum of two below it: that of rows in `sums` from the size of the tree on.
void draw_weighted_rows(Span<int64_t> drawn, Span<const int64_t> sizes, Span<const int64_t> counts,
                        Span<const int64_t> begins, Span<const double> weights, Span<double> sums, uint64_t seed,
                        bool with_replacement) {
    require(counts.size == sizes.size && begins.size == sizes.size, "groups without a size, a count or a position");
    uint64_t at = 0, first = 0;
    for (uint64_t group = 0; group < sizes.size; ++group) {
        uint64_t size = static_cast<uint64_t>(sizes[group]), count = static_cast<uint64_t>(counts[group]), leaves = 1;
        require(size <= weights.size - first && count <= drawn.size - at, "too many rows");
        while (leaves < size) leaves *= 2;
        require(2 * leaves <= sums.size, "a group without room");
        std::fill(std::copy_n(weights.data + first, size, sums.data + leaves), sums.data + 2 * leaves, 0.0);
        for (uint64_t node = leaves; --node;) sums[node] = sums[2 * node] + sums[2 * node + 1];
        Stream stream(seed, static_cast<uint64_t>(begins[group]));
        for (uint64_t done = 0; done < count; ++done) {
            require(sums[1] > 0, "a group without weights");
            double share = stream.uniform(), before = 0;
            uint64_t node = 1;
            while (node < leaves) {
                node *= 2;
                double with_left = before + sums[node];
                bool is_left = !(with_left / sums[1] < share);
                if ((is_left && sums[node] > 0) || !(sums[node + 1] > 0)) continue;
                before = with_left;
                ++node;
            }
            drawn[at++] = static_cast<int64_t>(node - leaves);
            if (with_replacement) continue;
            sums[node] = 0;
            while (node /= 2) sums[node] = sums[2 * node] + sums[2 * node + 1];
        }
        first += size;
    }
    require(at == drawn.size && first == weights.size, "fewer rows than room for them");
}

// Shuffles small parts, and merges neighbours, as a server of one locale does.  A. Bacher, O. Bodini, A. Hollender and
// J. Lumbroso, MergeShuffle: a very fast, parallel random permutation algorithm, 2018.
void merge_shuffled_rows(Span<int64_t> order, uint64_t seed) {
    count_up(order);
    uint64_t rows = order.size;
    if (!rows) return;
    seed = Stream(seed).word();
    uint64_t least = std::max(rows / 64, std::min<uint64_t>(10, rows)), parts = (rows + least - 1) / least;
    for (uint64_t part = 0; part < parts; ++part) {
        uint64_t end = std::min(rows, (part + 1) * least);
        shuffle_part(order, part * least, end, end - 1, Stream(seed + part));
    }
    seed += parts;
    for (uint64_t length = least, left = parts; left; length *= 2, left /= 2) {
        uint64_t pairs = (rows - 1) / (2 * length) + 1;
        for (uint64_t pair = 0; pair < pairs; ++pair) {
            uint64_t start = pair * 2 * length, middle = std::min(rows, start + length);
            uint64_t end = std::min(rows, middle + length);
            double share = static_cast<double>(middle - start) / static_cast<double>(end - start);
            Stream floats(seed + pair);
            uint64_t row = start, other = middle;
            while (row < end - 1 && row != other && other < end) {
                if (!(floats.uniform() < share)) std::swap(order[row], order[other++]);
                ++row;
            }
            shuffle_part(order, row, end, start, Stream(seed + pair + 1));
        }
        seed += pairs;
    }
}

}  // namespace

MODULE("Numbers of the generators that an Arkouda server draws from.",
       {"draw_words", overloads<draw_words>},
       {"draw_short", overloads<draw_short<uint8_t>, draw_short<uint32_t>>},
       {"draw_floats", overloads<draw_floats>}, {"draw_normals", overloads<draw_normals>},
       {"draw_exponentials", overloads<draw_exponentials>}, {"draw_logistics", overloads<draw_logistics>},
       {"draw_gammas", overloads<draw_gammas>}, {"draw_poissons", overloads<draw_poissons>},
       {"shuffle_rows", overloads<shuffle_rows>}, {"permute_rows", overloads<permute_rows>},
       {"draw_rows", overloads<draw_rows>}, {"draw_weighted_rows", overloads<draw_weighted_rows>},
       {"merge_shuffled_rows", overloads<merge_shuffled_rows>})
