// Where sealed code finds the beginning of GuestContext, from %r14 on, in bytes: what the seal and the runtime share.
#pragma once

namespace akgen {
constexpr int guest_low = 0;         // the first byte of the stack that the kernel's code may use
constexpr int guest_high = 8;        // and the first that it may not
constexpr int guest_work = 16;       // scalar operations since the runtime was last told
constexpr int guest_ends = 24;       // where an access of 1, 2, 4, 8 or 16 bytes may begin last, five words
constexpr int guest_shadow_end = 72; // where the shadow stack ends
} // namespace akgen
