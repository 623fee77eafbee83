// Numbers of the generators that an Arkouda server draws from: PCG XSH RR 64/32, as Chapel's module Random uses them.
//
// M. E. O'Neill, PCG: A family of simple fast space-efficient statistically good algorithms for random number
// generation, 2014.  A number of 64 bits has its upper half from the first generator of a seed, and its lower one from
// the second.  Generators move to any position without drawing the numbers before it.

#include "module.hpp"

#include <limits>
#include <type_traits>

namespace {

using namespace akdask;

constexpr uint64_t MULTIPLIER = 6364136223846793005ULL;
constexpr uint64_t LARGEST = std::numeric_limits<uint32_t>::max();

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
        for (uint64_t other = 100 + number;; other += 4) {
            uint32_t drawn = Halves(seed, other, position).next();
            if (drawn >= unfair) return drawn;
        }
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

}  // namespace

MODULE("Numbers of the generators that an Arkouda server draws from.",
       {"draw_words", overloads<draw_words>},
       {"draw_short", overloads<draw_short<uint8_t>, draw_short<uint32_t>>},
       {"draw_floats", overloads<draw_floats>})
