// Running sealed code: code whose every address comes here before it is used, see docs/twin.md.
#pragma once
#include "guest_fields.h"
#include <cstdint>
#include <vector>

namespace akgen::twin {

// A kernel's library in memory, as far as its own code may use it.
struct GuestImage {
    uint64_t read_begin = 0, read_end = 0;
    uint64_t write_begin = 0, write_end = 0; // its variables
    int64_t of_core = 0;                     // variables that each core has for itself: distance from its thread's base
    uint64_t of_core_bytes = 0;
    std::vector<uint64_t> functions; // where they begin, sorted
};

} // namespace akgen::twin

#pragma GCC visibility push(hidden)
namespace akgen::twin {

struct Core;

// Of one core; what sealed code finds is at the offsets above.
struct GuestContext {
    uint64_t stack_low = 0, stack_high = 0;
    uint64_t work = 0;
    uint64_t ends[5] = {};
    uint64_t host_stack = 0;                 // of the runtime's frame that called the kernel
    uint64_t shadow_end = 0;                 // behind the last return address that can be noted
    uint64_t granted = 0, granted_bytes = 0; // what the last checked scalar access handed out
    bool granted_write = false;
};

// Run `entry` with these arguments on this thread; behind them lie zeros, at least up to the 64th.
void enter_guest(Core &core, void *entry, uint8_t *const *arguments, size_t count);
// Let the kernel's code use what an access that was checked and counted hands out.
void grant(const uint8_t *address, uint64_t bytes, bool write);
// Trap unless the kernel's own code may read a text here, which ends in a zero byte or has `most` bytes at most.
void require_guest_text(const char *api, const void *pc, const char *text, uint64_t most);
// Trap unless the kernel's own code may use these bytes, which the runtime is about to use on its behalf.
void require_guest(const char *api, const void *pc, const void *begin, uint64_t bytes, bool write);

} // namespace akgen::twin
#pragma GCC visibility pop
