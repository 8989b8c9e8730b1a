// Flags and event ids, for the runtime's own callers.
#pragma once
#include "akgen/runtime.h"

namespace akgen::twin {

// The queue whose buffer a flag gives back, and how many buffers it has; for the timeline. None: some other flag.
struct GivenBack {
    uint32_t queue = 0, buffers = 0;
};
void raise_flag(Pipe from, Pipe to, int32_t id, const void *pc, GivenBack of = {});
void await_flag(Pipe from, Pipe to, int32_t id, const void *pc, GivenBack of = {});
int32_t take_event(Pipe from, Pipe to, const char *api, const void *pc); // traps when all are taken
void give_event(Pipe from, Pipe to, int32_t id);
void check_flags_left(); // warn about flags that are still set when a core's program ends

} // namespace akgen::twin
