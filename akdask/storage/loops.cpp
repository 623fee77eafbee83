// Windows of files in memory, and what keeps the process alive when a file gets shorter under one.

#include "module.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace akdask;

struct Window {
    std::atomic<uint64_t> begin{0}, end{0};  // whole pages; no window begins at 0, and one that is being made at 1
    std::atomic<bool> is_torn{false};
};

constexpr uint64_t MOST_WINDOWS = 4096;
Window windows[MOST_WINDOWS];
struct sigaction before;  // what the signal did before
std::atomic<bool> is_passed_on{false};

Window* window_at(uint64_t address) {
    for (Window& window : windows) {
        if (window.begin.load() <= address && address < window.end.load()) return &window;
    }
    return nullptr;
}

// Handles SIGBUS: puts zeros where a window has lost the bytes of its file, and remembers that.  Any other such signal is
// passed on.
void mend(int number, siginfo_t* info, void* context) {
    int error = errno;
    uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE)), address = reinterpret_cast<uint64_t>(info->si_addr);
    Window* window = info->si_code > 0 ? window_at(address) : nullptr;
    if (window) {
        uint64_t first = address / page * page;
        // What follows is lost as well.
        void* zeros = mmap(reinterpret_cast<void*>(first), window->end.load() - first, PROT_READ,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (zeros != MAP_FAILED) {
            window->is_torn = true;
            errno = error;
            return;
        }
    }
    // A handler that was there before may give the signal back to this one, and a fault is met again after it.
    if (is_passed_on.exchange(true) || before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
        signal(number, SIG_DFL);
        // A signal that was sent does not come again by itself.
        if (info->si_code <= 0) raise(number);
    } else if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
    } else {
        before.sa_handler(number);
    }
    errno = error;
}

// Has the signal handled here first, whoever else may have come in between.
bool guard() {
    struct sigaction now;
    if (sigaction(SIGBUS, nullptr, &now)) return false;
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == mend) return true;
    before = now;
    is_passed_on = false;
    struct sigaction ours {};
    ours.sa_sigaction = mend;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    return sigaction(SIGBUS, &ours, nullptr) == 0;
}

// Maps bytes of an open file, at least one, to be read, and returns their address, 0 if that cannot be done.
uint64_t open_window(int64_t descriptor, uint64_t offset, uint64_t nbytes) {
    uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE)), skipped = offset % page;
    if (!guard()) return 0;
    for (Window& window : windows) {
        uint64_t none = 0;
        if (!window.begin.compare_exchange_strong(none, 1)) continue;
        void* found = mmap(nullptr, skipped + nbytes, PROT_READ, MAP_SHARED, static_cast<int>(descriptor),
                           static_cast<off_t>(offset - skipped));
        if (found == MAP_FAILED) {
            window.begin = 0;
            return 0;
        }
        uint64_t begin = reinterpret_cast<uint64_t>(found);
        window.is_torn = false;
        window.begin = begin;
        window.end = begin + (skipped + nbytes + page - 1) / page * page;
        return begin + skipped;
    }
    return 0;
}

// Unmaps the window with an address.
void close_window(uint64_t address) {
    Window* window = window_at(address);
    require(window, "no window");
    uint64_t begin = window->begin, end = window->end;
    window->end = 0;
    window->begin = 0;
    munmap(reinterpret_cast<void*>(begin), end - begin);
}

// Returns whether bytes of the window with an address are lost.
bool is_torn(uint64_t address) {
    Window* window = window_at(address);
    require(window, "no window");
    return window->is_torn;
}

}  // namespace

MODULE("Windows of files in memory.",
       {"guard", overloads<guard>},
       {"open_window", overloads<open_window>},
       {"close_window", overloads<close_window>},
       {"is_torn", overloads<is_torn>})
