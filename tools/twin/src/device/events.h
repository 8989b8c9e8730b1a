// Flags and event ids, for the runtime's own callers.
#pragma once
#include "akgen/runtime.h"

namespace akgen::twin {

void raise_flag(Pipe from, Pipe to, int32_t id, const void *pc);
void await_flag(Pipe from, Pipe to, int32_t id, const void *pc);
int32_t take_event(Pipe from, Pipe to, const char *api, const void *pc); // traps when all are taken
void give_event(Pipe from, Pipe to, int32_t id);
void check_flags_left(); // warn about flags that are still set when a core's program ends

} // namespace akgen::twin
