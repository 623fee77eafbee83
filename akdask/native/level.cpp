// Levels of instructions that the processor has, of those that loops are compiled for; itself for the lowest.

#include "module.hpp"

namespace {

const char* levels() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool has_third = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                     __builtin_cpu_supports("fma");
    return has_third ? "v2 v3" : "v2";
#else
    return "base";
#endif
}

}  // namespace

MODULE("Levels of instructions that the processor has.", {"levels", akdask::overloads<levels>})
