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

// The highest level of x86-64 whose instructions the processor has, and whose registers the system keeps.
int64_t highest() {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned LEAF_1 = bit_FMA | bit_MOVBE | bit_OSXSAVE | bit_AVX | bit_F16C;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & LEAF_1) != LEAF_1) return 2;
    constexpr unsigned LEAF_7 = bit_BMI | bit_AVX2 | bit_BMI2;
    constexpr unsigned LEAF_7_OF_4 = bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | bit_AVX512VL;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & LEAF_7) != LEAF_7) return 2;
    bool has_fourth = (b & LEAF_7_OF_4) == LEAF_7_OF_4;
    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(c & bit_LZCNT)) return 2;
    unsigned low = 0, high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    // Registers of 128 and 256 bits, and those of 512 with their masks.
    return (low & 0x06) != 0x06 ? 2 : has_fourth && (low & 0xE0) == 0xE0 ? 4 : 3;
#else
    return 0;
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

MODULE("Levels of instructions.", {"built", akdask::overloads<built>}, {"highest", akdask::overloads<highest>},
       {"compiler", akdask::overloads<compiler>})
