// For which levels of instructions loops are compiled, which of them the processor has, and what compiled them.

#include "module.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace {

#define TEXT_OF(macro) AS_TEXT(macro)
#define AS_TEXT(text) #text

// Levels are named from the lowest to the highest.
const char* built() { return BUILT_LEVELS; }

// Whether the processor has all instructions of the third level, and the system keeps the registers that they take.
bool has_third() {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned LEAF_1 = bit_FMA | bit_MOVBE | bit_OSXSAVE | bit_AVX | bit_F16C;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & LEAF_1) != LEAF_1) return false;
    constexpr unsigned LEAF_7 = bit_BMI | bit_AVX2 | bit_BMI2;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & LEAF_7) != LEAF_7) return false;
    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(c & bit_LZCNT)) return false;
    unsigned low = 0, high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & 6) == 6;  // registers of 128 and 256 bits
#else
    return false;
#endif
}

const char* compiler() {
#if defined(__clang__)
    return "Clang " TEXT_OF(__clang_major__) "." TEXT_OF(__clang_minor__) "." TEXT_OF(__clang_patchlevel__);
#elif defined(__GNUC__)
    return "GCC " TEXT_OF(__GNUC__) "." TEXT_OF(__GNUC_MINOR__) "." TEXT_OF(__GNUC_PATCHLEVEL__);
#else
    return "an unknown compiler";
#endif
}

}  // namespace

MODULE("Levels of instructions.", {"built", akdask::overloads<built>}, {"has_third", akdask::overloads<has_third>},
       {"compiler", akdask::overloads<compiler>})
