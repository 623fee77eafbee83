// The loop of vector programs: reads rows of files, and computes while they are in the cache of the core.
//
// It takes the interpreter's lock once for all rows, where NumPy takes it in each call.  Sums of floats are added in lanes
// of fixed number, which compilers make vectors of, so that they have the same bits on every processor.

#include "module.hpp"

#include <cmath>
#include <memory>
#include <unistd.h>

// Says of a loop that no row depends on the result of another, though results may take the place of an argument.
#if defined(__clang__)
#define EACH_ROW_ALONE _Pragma("clang loop vectorize(assume_safety)")
#else
#define EACH_ROW_ALONE _Pragma("GCC ivdep")
#endif

namespace {

using namespace akdask;

constexpr uint64_t VECTOR = 1024;       // rows that an instruction runs on at a time
constexpr uint64_t BLOCK = 1 << 15;     // rows that are read at a time
constexpr uint64_t ACCUMULATORS = 256;  // lanes of sums
constexpr uint64_t ROW_BYTES = VECTOR * 8;
constexpr int64_t FAILED = -1;

// Instructions, in the order of `Opcode` in operations.py; INTS work on either sign where bits do not differ.
enum Opcode : int64_t {
    ADD_FLOATS, SUBTRACT_FLOATS, MULTIPLY_FLOATS, DIVIDE_FLOATS, NEGATE_FLOATS, ABSOLUTE_FLOATS, ROOT_FLOATS,
    LESS_FLOATS, LESS_EQUAL_FLOATS, EQUAL_FLOATS, NOT_EQUAL_FLOATS,
    ADD_INTS, SUBTRACT_INTS, MULTIPLY_INTS, NEGATE_INTS, ABSOLUTE_INTS, AND_INTS, OR_INTS, XOR_INTS, INVERT_INTS,
    LESS_INTS, LESS_EQUAL_INTS, LESS_UINTS, LESS_EQUAL_UINTS, EQUAL_INTS, NOT_EQUAL_INTS,
    AND_BOOLS, OR_BOOLS, XOR_BOOLS, NOT_BOOLS, WHERE,
    FLOATS_OF_INTS, FLOATS_OF_UINTS, FLOATS_OF_BOOLS, INTS_OF_BOOLS,
    SUM_FLOATS, KEEP_FLOATS, SUM_INTS, SUM_WIDE_INTS, SUM_WIDE_UINTS, COUNT_BOOLS,
    LEAST_FLOATS, LEAST_INTS, LEAST_UINTS, MOST_FLOATS, MOST_INTS, MOST_UINTS, STORE_NUMBERS, STORE_BOOLS, NOPCODES,
};

// How files store the numbers of a column.
enum Form : int64_t { NUMBERS, BOOLS, INT8, INT16, INT32, UINT8, UINT16, UINT32, FLOAT32, NFORMS };

constexpr uint64_t WIDTHS[] = {8, 1, 1, 2, 4, 1, 2, 4, 4};

// Rows of numbers, `VECTOR` in each, seen as any type; bools are bytes at the beginning of a row.  Columns that are in
// memory as they are wanted are read where they are, until something is written to their rows.
struct Memory {
    uint8_t* data;
    const uint8_t** places;

    template <class T>
    const T* row(int64_t number) const {
        return reinterpret_cast<const T*>(places[number]);
    }

    // Returns a row to write to; where its arguments are has been asked before.
    template <class T>
    T* own(int64_t number) const {
        uint8_t* found = data + static_cast<uint64_t>(number) * ROW_BYTES;
        places[number] = found;
        return reinterpret_cast<T*>(found);
    }
};

// Takes rows one after the other, some at a time: these are at constant distances, which processors add to addresses in
// half the time of those of a counter.  Results may take the place of an argument: each is read before it is written.
template <class Step>
INLINE void each(uint64_t count, Step step) {
    constexpr uint64_t SOME = 32;
    uint64_t whole = count / SOME * SOME;
    for (uint64_t first = 0; first < whole; first += SOME) {
        EACH_ROW_ALONE
        for (uint64_t at = 0; at < SOME; ++at) step(first + at);
    }
    for (uint64_t at = whole; at < count; ++at) step(at);
}

template <class T, class Operation>
INLINE void unary(const Memory& memory, int64_t out, int64_t a, uint64_t count, Operation operation) {
    const T* of = memory.row<T>(a);
    T* into = memory.own<T>(out);
    each(count, [=](uint64_t at) { into[at] = operation(of[at]); });
}

template <class T, class Result, class Operation>
INLINE void binary(const Memory& memory, int64_t out, int64_t a, int64_t b, uint64_t count, Operation operation) {
    const T *left = memory.row<T>(a), *right = memory.row<T>(b);
    Result* into = memory.own<Result>(out);
    each(count, [=](uint64_t at) { into[at] = operation(left[at], right[at]); });
}

inline double of_bits(uint64_t bits) {
    double found;
    std::memcpy(&found, &bits, sizeof(bits));
    return found;
}

// Makes a float of an integer by steps that are vectors on all processors: each half becomes the end of a float with a
// large exponent, whose difference is exact, and their sum is rounded once.
template <class To, class From>
inline To converted(From value) {
    if constexpr (sizeof(From) < sizeof(uint64_t)) return static_cast<To>(value);
    uint64_t bits = static_cast<uint64_t>(value), sign = std::is_signed_v<From> ? uint64_t{1} << 31 : 0;
    double low = of_bits((bits & 0xffffffff) | 0x4330000000000000);     // 2**52 and the lower half
    double high = of_bits(((bits >> 32) ^ sign) | 0x4530000000000000);  // 2**84 and the upper half, above its least
    constexpr double ADDED = 19342813113834066795298816.0 + 4503599627370496.0;  // 2**84 + 2**52
    return (high - (std::is_signed_v<From> ? ADDED + 9223372036854775808.0 : ADDED)) + low;
}

template <class From, class To>
inline void convert(const Memory& memory, int64_t out, int64_t a, uint64_t count) {
    const From* of = memory.row<From>(a);
    To* into = memory.own<To>(out);
    // A wider number overwrites those that follow, if it takes the place of its argument.
    if (static_cast<const void*>(of) == static_cast<void*>(into) && sizeof(To) > sizeof(From)) {
        for (uint64_t at = count; at-- > 0;) into[at] = converted<To>(of[at]);
    } else {
        for (uint64_t at = 0; at < count; ++at) into[at] = converted<To>(of[at]);
    }
}

// Returns a number where its row is selected, 0 elsewhere; the bits of a mask take no branch on any processor.
template <bool is_masked, class T>
inline T kept(T value, const uint8_t* mask, uint64_t at) {
    if constexpr (!is_masked) return value;
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    bits &= 0 - static_cast<uint64_t>(mask[at]);
    std::memcpy(&value, &bits, sizeof(bits));
    return value;
}

// Adds to lanes what `value` gives for each row, of all rows or of those that the mask selects.
template <bool is_masked, class Value>
inline void add_to_lanes(Value value, const uint8_t* __restrict mask, uint64_t count, double* __restrict lanes) {
    auto selected = [&](uint64_t at) { return kept<is_masked, double>(value(at), mask, at); };
    if (count == VECTOR) {
        // Some at a time, at constant distances: additions to any place take half as long again.
        constexpr uint64_t SOME = 32;
        for (uint64_t start = 0; start < VECTOR; start += SOME) {
            double* here = lanes + start % ACCUMULATORS;
            for (uint64_t lane = 0; lane < SOME; ++lane) here[lane] += selected(start + lane);
        }
    } else {
        for (uint64_t at = 0; at < count; ++at) lanes[at % ACCUMULATORS] += selected(at);
    }
}

template <bool is_masked>
void add_floats(const double* __restrict values, const uint8_t* mask, uint64_t count, double* lanes) {
    add_to_lanes<is_masked>([=](uint64_t at) { return values[at]; }, mask, count, lanes);
}

template <bool is_masked>
void add_distances(const double* __restrict values, double mean, const uint8_t* mask, uint64_t count, double* lanes) {
    auto squared = [=](uint64_t at) { return (values[at] - mean) * (values[at] - mean); };
    add_to_lanes<is_masked>(squared, mask, count, lanes);
}

// Returns the sum of the lanes, and sets them to 0.
double join(double* lanes) {
    for (uint64_t width = ACCUMULATORS / 2; width; width /= 2) {
        for (uint64_t lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
    }
    double total = lanes[0];
    std::memset(lanes, 0, ACCUMULATORS * sizeof(double));
    return total;
}

// How many rows of two masks hold; lanes of bytes make vectors of many rows.
uint64_t count_both(const uint8_t* left, const uint8_t* right, uint64_t count) {
    constexpr uint64_t LANES = 64;
    uint8_t lanes[LANES] = {};
    static_assert(VECTOR / LANES < 256, "lanes do not overflow");
    uint64_t whole = count / LANES * LANES, total = 0;
    for (uint64_t first = 0; first < whole; first += LANES) {
        for (uint64_t lane = 0; lane < LANES; ++lane) lanes[lane] += left[first + lane] & right[first + lane];
    }
    for (uint64_t lane = 0; lane < LANES; ++lane) total += lanes[lane];
    for (uint64_t at = whole; at < count; ++at) total += left[at] & right[at];
    return total;
}

template <bool is_masked>
uint64_t sum(const uint64_t* values, const uint8_t* mask, uint64_t count) {
    uint64_t total = 0;
    for (uint64_t at = 0; at < count; ++at) total += kept<is_masked>(values[at], mask, at);
    return total;
}

// Adds to two totals the sum, and that of the upper halves, which tells what a sum of 64 bits has lost.
template <bool is_masked, bool is_signed>
void sum_wide(const uint64_t* values, const uint8_t* mask, uint64_t count, uint64_t nselected, int64_t* totals) {
    // Halves of signed integers are added as distances from the least, as vectors are shifted without signs.
    constexpr uint64_t LEAST = is_signed ? uint64_t{1} << 63 : 0;
    uint64_t total = 0, high = 0;
    for (uint64_t at = 0; at < count; ++at) {
        total += kept<is_masked>(values[at], mask, at);
        high += kept<is_masked>((values[at] ^ LEAST) >> 32, mask, at);
    }
    totals[0] += static_cast<int64_t>(total);
    totals[1] += static_cast<int64_t>(high - nselected * (LEAST >> 32));
}

// Keeps the best rows in the first lanes of a row of memory, which processors have registers for.
template <bool is_masked, bool is_largest, class T>
void keep_best(T* __restrict best, const T* __restrict values, const uint8_t* __restrict mask, uint64_t count) {
    constexpr uint64_t LANES = 64;
    auto keep = [&](T& lane, uint64_t at) {
        T value = values[at];
        bool is_better = is_largest ? value > lane : value < lane;
        lane = (!is_masked || mask[at]) && (is_better || value != value) ? value : lane;
    };
    T lanes[LANES];
    std::memcpy(lanes, best, sizeof(lanes));
    uint64_t whole = count / LANES * LANES;
    for (uint64_t first = 0; first < whole; first += LANES) {
        for (uint64_t lane = 0; lane < LANES; ++lane) keep(lanes[lane], first + lane);
    }
    for (uint64_t at = whole; at < count; ++at) keep(lanes[at - whole], at);
    std::memcpy(best, lanes, sizeof(lanes));
}

// Moves selected values to the front; the values after them are undefined.
template <class T>
void pack(T* into, const T* values, const uint8_t* mask, uint64_t count) {
    uint64_t packed = 0;
    for (uint64_t at = 0; at < count; ++at) {
        into[packed] = values[at];
        packed += mask[at] != 0;
    }
}

// Widens stored numbers into rows; these do not overlap, as stored ones stand in the first rows.
template <class Stored, class T>
void widen(const Memory& memory, int64_t row, const Stored* stored, uint64_t count) {
    for (uint64_t first = 0; first < count; first += VECTOR, ++row) {
        T* into = memory.own<T>(row);
        uint64_t here = count - first < VECTOR ? count - first : VECTOR;
        for (uint64_t at = 0; at < here; ++at) {
            if constexpr (std::is_same_v<T, uint8_t>) into[at] = stored[first + at] != 0;
            else into[at] = static_cast<T>(stored[first + at]);
        }
    }
}

// What the rows of a unit add up to, lane by lane; no vector of lanes crosses lines of the cache.
struct alignas(64) Lanes {
    double sums[ACCUMULATORS];
};

struct Program {
    Span<const int64_t> columns;
    Matrix<const int64_t> code, parts;
    Span<const int64_t> moves;
    int64_t mask;
    bool is_filtered;
    Memory memory;
    Span<int64_t> totals, stores;
    Span<Lanes> lanes;

    void check(uint64_t nrows) const;
    bool read(const int64_t* extents, uint64_t first, uint64_t here, int64_t begin, int64_t end) const;
    template <bool is_masked>
    void run(const int64_t* line, uint64_t vector, uint64_t count, uint64_t nselected) const;
};

// Refuses instructions that leave the memory of `nrows` rows, or the results.
void Program::check(uint64_t nrows) const {
    constexpr uint64_t VECTORS = BLOCK / VECTOR;
    auto is_below = [](int64_t number, uint64_t count) { return static_cast<uint64_t>(number) < count; };
    auto is_row = [&](int64_t row) {
        return is_below(row, nrows) && is_below(moves[static_cast<uint64_t>(row)], 2) &&
               is_below(row + static_cast<int64_t>(VECTORS - 1) * moves[static_cast<uint64_t>(row)], nrows);
    };
    require(is_row(mask), "a mask outside of memory");
    // Rows that are stored otherwise than in memory go to the first rows, and take at most half as many bytes.
    require(!columns.size || nrows >= VECTORS / 2, "no memory for stored rows");
    for (int64_t row : columns) {
        require(is_below(row, nrows) && nrows - static_cast<uint64_t>(row) >= VECTORS, "a column outside of memory");
    }
    for (uint64_t part = 0; part < 2; ++part) {
        const int64_t* bounds = parts[part];
        int64_t end = static_cast<int64_t>(part ? code.rows : columns.size);
        require(0 <= bounds[0] && bounds[0] <= bounds[1] && bounds[1] <= bounds[2] && bounds[2] <= end,
                "parts out of order");
    }
    for (uint64_t number = 0; number < code.rows; ++number) {
        const int64_t* line = code[number];
        require(is_below(line[0], NOPCODES) && is_below(line[1], moves.size), "no instruction");
        bool is_there = false;
        switch (line[0]) {
            case SUM_FLOATS: is_there = is_below(line[1], lanes.size); break;
            case SUM_INTS:
            case COUNT_BOOLS: is_there = is_below(line[1], totals.size); break;
            case SUM_WIDE_INTS:
            case SUM_WIDE_UINTS: is_there = is_below(line[1] + 1, totals.size); break;
            case STORE_NUMBERS:
            case STORE_BOOLS: is_there = is_below(line[1], stores.size); break;
            default: is_there = is_row(line[1]); break;
        }
        require(is_there, "a result outside of memory");
        for (uint64_t at = 2; at < 5; ++at) require(is_row(line[at]), "an argument outside of memory");
    }
}

// Reads the rows of some columns, given where they are: a descriptor and a position, or -1 and an address, and the form.
bool Program::read(const int64_t* extents, uint64_t first, uint64_t here, int64_t begin, int64_t end) const {
    for (int64_t column = begin; column < end; ++column) {
        const int64_t* extent = extents + 3 * column;
        int64_t form = extent[2], row = columns[static_cast<uint64_t>(column)];
        uint64_t size = here * WIDTHS[form];
        int64_t offset = extent[1] + static_cast<int64_t>(first * WIDTHS[form]);
        const uint8_t* stored = reinterpret_cast<const uint8_t*>(offset);
        if (extent[0] < 0 && static_cast<uint64_t>(offset) % WIDTHS[form] == 0) {
            for (uint64_t vector = 0; form == NUMBERS && vector * VECTOR < here; ++vector) {
                memory.places[row + static_cast<int64_t>(vector)] = stored + vector * ROW_BYTES;
            }
        } else {
            // What is stored otherwise than in memory goes to the first rows.
            uint8_t* target = memory.own<uint8_t>(0);
            if (form == NUMBERS) {
                for (int64_t vector = (BLOCK / VECTOR) - 1; vector >= 0; --vector) target = memory.own<uint8_t>(row + vector);
            }
            if (extent[0] < 0) {
                std::memcpy(target, stored, size);
                size = 0;
            }
            while (size) {
                ssize_t got = pread(static_cast<int>(extent[0]), target, size, offset);
                if (got <= 0) return false;
                target += got;
                size -= static_cast<uint64_t>(got);
                offset += got;
            }
            stored = memory.data;
        }
        switch (form) {
            case BOOLS: widen<uint8_t, uint8_t>(memory, row, stored, here); break;
            case INT8: widen<int8_t, int64_t>(memory, row, reinterpret_cast<const int8_t*>(stored), here); break;
            case INT16: widen<int16_t, int64_t>(memory, row, reinterpret_cast<const int16_t*>(stored), here); break;
            case INT32: widen<int32_t, int64_t>(memory, row, reinterpret_cast<const int32_t*>(stored), here); break;
            case UINT8: widen<uint8_t, int64_t>(memory, row, stored, here); break;
            case UINT16: widen<uint16_t, int64_t>(memory, row, reinterpret_cast<const uint16_t*>(stored), here); break;
            case UINT32: widen<uint32_t, int64_t>(memory, row, reinterpret_cast<const uint32_t*>(stored), here); break;
            case FLOAT32: widen<float, double>(memory, row, reinterpret_cast<const float*>(stored), here); break;
            default: break;
        }
    }
    return true;
}

template <bool is_masked>
void Program::run(const int64_t* line, uint64_t vector, uint64_t count, uint64_t nselected) const {
    auto moved = [&](int64_t row) { return row + static_cast<int64_t>(vector) * moves[static_cast<uint64_t>(row)]; };
    int64_t to = line[1], out = moved(to), a = moved(line[2]), b = moved(line[3]), c = moved(line[4]);
    const uint8_t* selected = memory.row<uint8_t>(moved(mask));
    using I = int64_t;
    using U = uint64_t;
    using B = uint8_t;
    using F = double;
    switch (line[0]) {
        case ADD_FLOATS: binary<F, F>(memory, out, a, b, count, [](F x, F y) { return x + y; }); break;
        case ADD_INTS: binary<U, U>(memory, out, a, b, count, [](U x, U y) { return x + y; }); break;
        case SUBTRACT_FLOATS: binary<F, F>(memory, out, a, b, count, [](F x, F y) { return x - y; }); break;
        case SUBTRACT_INTS: binary<U, U>(memory, out, a, b, count, [](U x, U y) { return x - y; }); break;
        case MULTIPLY_FLOATS: binary<F, F>(memory, out, a, b, count, [](F x, F y) { return x * y; }); break;
        case MULTIPLY_INTS: binary<U, U>(memory, out, a, b, count, [](U x, U y) { return x * y; }); break;
        case DIVIDE_FLOATS: binary<F, F>(memory, out, a, b, count, [](F x, F y) { return x / y; }); break;
        case NEGATE_FLOATS: unary<F>(memory, out, a, count, [](F x) { return -x; }); break;
        case NEGATE_INTS: unary<U>(memory, out, a, count, [](U x) { return 0 - x; }); break;
        case ABSOLUTE_FLOATS: unary<F>(memory, out, a, count, [](F x) { return std::fabs(x); }); break;
        case ABSOLUTE_INTS: unary<U>(memory, out, a, count, [](U x) { return x >> 63 ? 0 - x : x; }); break;
        case ROOT_FLOATS: unary<F>(memory, out, a, count, [](F x) { return std::sqrt(x); }); break;
        case LESS_FLOATS: binary<F, B>(memory, out, a, b, count, [](F x, F y) { return x < y; }); break;
        case LESS_INTS: binary<I, B>(memory, out, a, b, count, [](I x, I y) { return x < y; }); break;
        case LESS_UINTS: binary<U, B>(memory, out, a, b, count, [](U x, U y) { return x < y; }); break;
        case LESS_EQUAL_FLOATS: binary<F, B>(memory, out, a, b, count, [](F x, F y) { return x <= y; }); break;
        case LESS_EQUAL_INTS: binary<I, B>(memory, out, a, b, count, [](I x, I y) { return x <= y; }); break;
        case LESS_EQUAL_UINTS: binary<U, B>(memory, out, a, b, count, [](U x, U y) { return x <= y; }); break;
        case EQUAL_FLOATS: binary<F, B>(memory, out, a, b, count, [](F x, F y) { return x == y; }); break;
        case EQUAL_INTS: binary<I, B>(memory, out, a, b, count, [](I x, I y) { return x == y; }); break;
        case NOT_EQUAL_FLOATS: binary<F, B>(memory, out, a, b, count, [](F x, F y) { return x != y; }); break;
        case NOT_EQUAL_INTS: binary<I, B>(memory, out, a, b, count, [](I x, I y) { return x != y; }); break;
        case AND_INTS: binary<U, U>(memory, out, a, b, count, [](U x, U y) { return x & y; }); break;
        case AND_BOOLS: binary<B, B>(memory, out, a, b, count, [](B x, B y) { return B(x & y); }); break;
        case OR_INTS: binary<U, U>(memory, out, a, b, count, [](U x, U y) { return x | y; }); break;
        case OR_BOOLS: binary<B, B>(memory, out, a, b, count, [](B x, B y) { return B(x | y); }); break;
        case XOR_INTS: binary<U, U>(memory, out, a, b, count, [](U x, U y) { return x ^ y; }); break;
        case XOR_BOOLS: binary<B, B>(memory, out, a, b, count, [](B x, B y) { return B(x ^ y); }); break;
        case INVERT_INTS: unary<U>(memory, out, a, count, [](U x) { return ~x; }); break;
        case NOT_BOOLS: unary<B>(memory, out, a, count, [](B x) { return B(x == 0); }); break;
        case WHERE: {
            const B* condition = memory.row<B>(a);
            const U *yes = memory.row<U>(b), *no = memory.row<U>(c);
            U* into = memory.own<U>(out);
            each(count, [=](uint64_t at) { into[at] = no[at] ^ kept<true>(yes[at] ^ no[at], condition, at); });
            break;
        }
        case FLOATS_OF_INTS: convert<I, F>(memory, out, a, count); break;
        case FLOATS_OF_UINTS: convert<U, F>(memory, out, a, count); break;
        case FLOATS_OF_BOOLS: convert<B, F>(memory, out, a, count); break;
        case INTS_OF_BOOLS: convert<B, I>(memory, out, a, count); break;
        case SUM_FLOATS:
            add_floats<is_masked>(memory.row<F>(a), selected, count, lanes[static_cast<uint64_t>(to)].sums);
            break;
        case KEEP_FLOATS: {
            const F* of = memory.row<F>(a);
            std::memmove(memory.own<F>(out), of, count * sizeof(F));
            break;
        }
        case SUM_INTS: totals[to] += static_cast<int64_t>(sum<is_masked>(memory.row<U>(a), selected, count)); break;
        case SUM_WIDE_INTS: sum_wide<is_masked, true>(memory.row<U>(a), selected, count, nselected, &totals[to]); break;
        case SUM_WIDE_UINTS: sum_wide<is_masked, false>(memory.row<U>(a), selected, count, nselected, &totals[to]); break;
        case COUNT_BOOLS: totals[to] += static_cast<int64_t>(count_both(memory.row<B>(a), selected, count)); break;
        case LEAST_FLOATS: keep_best<is_masked, false>(memory.own<F>(out), memory.row<F>(a), selected, count); break;
        case LEAST_INTS: keep_best<is_masked, false>(memory.own<I>(out), memory.row<I>(a), selected, count); break;
        case LEAST_UINTS: keep_best<is_masked, false>(memory.own<U>(out), memory.row<U>(a), selected, count); break;
        case MOST_FLOATS: keep_best<is_masked, true>(memory.own<F>(out), memory.row<F>(a), selected, count); break;
        case MOST_INTS: keep_best<is_masked, true>(memory.own<I>(out), memory.row<I>(a), selected, count); break;
        case MOST_UINTS: keep_best<is_masked, true>(memory.own<U>(out), memory.row<U>(a), selected, count); break;
        case STORE_NUMBERS:
        case STORE_BOOLS: {
            uint64_t width = line[0] == STORE_NUMBERS ? 8 : 1;
            if (nselected < count) {
                if (width == 8) pack(memory.own<U>(b), memory.row<U>(a), selected, count);
                else pack(memory.own<B>(b), memory.row<B>(a), selected, count);
                a = b;
            }
            std::memcpy(reinterpret_cast<void*>(stores[to]), memory.row<B>(a), width * nselected);
            stores[to] += static_cast<int64_t>(width * nselected);
            break;
        }
        default: break;
    }
}

// Runs instructions on rows of files, and returns the number of selected rows, or FAILED for files that end early or
// cannot be read.
//
// addresses   three numbers for each extent and column: the descriptor of the file, the position of the first row there,
//             in bytes, or a number below 0 and the address of the first row in memory; and the form of the numbers
// columns     for each column the row of memory that a block of it is read to
// code        a row for each instruction: the opcode, the row of the result (of sums and counts, their number), and the
//             rows of up to three arguments
// parts       bounds of columns and of instructions in two parts: those that the mask needs, and the rest, which is
//             skipped for vectors without a selected row
// moves       for each row of memory, the distance to the row of its next vector: one for blocks, none for temporaries
// mask        the row with the mask of selected rows, which the first part computes if it `is_filtered`
// lengths     rows of each extent, at least one
// memory      rows of `ROW_BYTES` bytes
// sums        the float sums of each unit of each extent, a row for each sum; changed
// totals      the integer sums; changed
// moments     for each variance the row of memory where the values of a unit are kept, and the number of their sum; the
//             two sums that follow are set to that of the squared distances from the mean, and to the number of rows
// stores      for each column that is stored, the address of its next selected row; changed
int64_t run(Span<const int64_t> addresses, Span<const int64_t> columns, Matrix<const int64_t> code,
            Matrix<const int64_t> parts, Span<const int64_t> moves, int64_t mask, bool is_filtered,
            Span<const int64_t> lengths, Matrix<uint8_t> memory, Matrix<double> sums, Span<int64_t> totals,
            Matrix<const int64_t> moments, Span<int64_t> stores) {
    require(addresses.size == 3 * columns.size * lengths.size && parts.rows == 2 && parts.columns == 3 &&
                code.columns == 5 && (!memory.rows || memory.columns == ROW_BYTES) && moves.size >= memory.rows &&
                (!moments.rows || moments.columns == 2),
            "arrays of other lengths");
    for (uint64_t at = 2; at < addresses.size; at += 3) require(0 <= addresses[at] && addresses[at] < NFORMS, "no form");
    auto places = std::make_unique<const uint8_t*[]>(memory.rows);
    for (uint64_t row = 0; row < memory.rows; ++row) places[row] = memory[row];
    auto lanes = std::make_unique<Lanes[]>(sums.rows);
    Program program{columns, code, parts, moves, mask, is_filtered, {memory.data, places.get()},
                    totals, stores, {lanes.get(), sums.rows}};
    const Memory& rows = program.memory;
    program.check(memory.rows);
    uint64_t nunits = 0;
    for (int64_t length : lengths) {
        require(length > 0, "an extent without rows");
        nunits += (static_cast<uint64_t>(length) + BLOCK - 1) / BLOCK;
    }
    require(!sums.rows || nunits <= sums.columns, "too few sums");
    for (uint64_t number = 0; number < moments.rows; ++number) {
        auto row = static_cast<uint64_t>(moments[number][0]), at = static_cast<uint64_t>(moments[number][1]);
        require(row < memory.rows && memory.rows - row >= BLOCK / VECTOR && at < sums.rows && sums.rows - at >= 3,
                "a variance outside of memory");
    }
    uint64_t selected = 0, first = 0, units = 0, left[BLOCK / VECTOR] = {};
    for (uint64_t extent = 0; extent < lengths.size;) {
        uint64_t length = static_cast<uint64_t>(lengths[extent]);
        uint64_t here = length - first < BLOCK ? length - first : BLOCK, nvectors = (here + VECTOR - 1) / VECTOR;
        uint64_t chosen = is_filtered ? 0 : here;
        auto count_of = [&](uint64_t vector) { return here - vector * VECTOR < VECTOR ? here - vector * VECTOR : VECTOR; };
        auto mask_of = [&](uint64_t vector) {
            return rows.row<uint8_t>(mask + static_cast<int64_t>(vector) * moves[static_cast<uint64_t>(mask)]);
        };
        for (uint64_t part = 0; part < 2; ++part) {
            const int64_t* extents = addresses.data + 3 * columns.size * extent;
            if (!program.read(extents, first, here, parts[0][part], parts[0][part + 1])) return FAILED;
            for (uint64_t vector = 0; vector < nvectors; ++vector) {
                if (part && is_filtered && !left[vector]) continue;
                uint64_t count = count_of(vector), nselected = is_filtered ? left[vector] : count;
                for (int64_t line = parts[1][part]; line < parts[1][part + 1]; ++line) {
                    const int64_t* instruction = code[static_cast<uint64_t>(line)];
                    if (is_filtered) program.run<true>(instruction, vector, count, nselected);
                    else program.run<false>(instruction, vector, count, nselected);
                }
                if (!part && is_filtered) {
                    left[vector] = count_both(mask_of(vector), mask_of(vector), count);
                    chosen += left[vector];
                }
            }
            if (!part && is_filtered && !chosen) break;
        }
        selected += chosen;
        for (uint64_t row = 0; row < sums.rows; ++row) sums[row][units] = join(lanes[row].sums);
        for (uint64_t number = 0; number < moments.rows; ++number) {
            int64_t row = moments[number][0];
            uint64_t at = static_cast<uint64_t>(moments[number][1]);
            sums[at + 2][units] = static_cast<double>(chosen);
            if (!chosen) continue;
            double mean = sums[at][units] / static_cast<double>(chosen);
            for (uint64_t vector = 0; vector < nvectors; ++vector) {
                if (is_filtered && !left[vector]) continue;
                const double* values = rows.row<double>(row + static_cast<int64_t>(vector));
                if (is_filtered) add_distances<true>(values, mean, mask_of(vector), count_of(vector), lanes[at + 1].sums);
                else add_distances<false>(values, mean, nullptr, count_of(vector), lanes[at + 1].sums);
            }
            sums[at + 1][units] = join(lanes[at + 1].sums);
        }
        ++units;
        first += here;
        if (first == length) {
            ++extent;
            first = 0;
        }
    }
    return static_cast<int64_t>(selected);
}

}  // namespace

MODULE("The loop of vector programs.", {"run", overloads<run>})
