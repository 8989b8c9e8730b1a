// Between the parts that run sealed code: guest.cpp, guest_library.cpp, guest_stubs.cpp.
#pragma once
#include "guest.h"

#pragma GCC visibility push(hidden)
namespace akgen::twin {

// An access of the kernel's own code: trap unless it may, count it if it is to a tensor.
void guest_access(uint64_t begin, uint64_t bytes, bool write, const void *pc);

extern "C" {
// Called by the stubs, with the kernel's place.
void akgen_guest_access(uint64_t address, uint64_t what, const void *pc);
void akgen_guest_text(uint64_t to, uint64_t from, uint64_t count, uint64_t what, const void *pc);
void akgen_guest_call(uint64_t target, uint64_t, const void *pc);
[[noreturn]] void akgen_guest_stack(const void *pc);
// Call entry with `count` pointers (even, at least 6), with the registers that sealed code relies on.
void akgen_enter_guest(void *entry, uint8_t *const *arguments, GuestContext *guest, uint64_t *shadow, size_t count);
}

} // namespace akgen::twin
#pragma GCC visibility pop
