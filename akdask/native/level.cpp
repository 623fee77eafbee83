// For which levels of instructions loops are compiled, which of them the processor has, and what compiled them.

#include "module.hpp"

namespace {

#define TEXT_OF(macro) AS_TEXT(macro)
#define AS_TEXT(text) #text

// Levels are named from the lowest to the highest.
const char* built() { return BUILT_LEVELS; }

bool has_third() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("fma");
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
