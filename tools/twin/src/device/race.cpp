// What is said of a race. An instruction that overtakes a read and leaves the bytes as they were spoils nothing; whether
// it does is known once it has run, so that such a race waits for the next instruction.
#include "core.h"
#include <cstdio>
#include <cstring>

namespace akgen::twin {

namespace {
std::string told(const Hazards::Conflict &conflict, const char *api, const Place &place)
{
    const auto &origin = self->log.origins[static_cast<int>(conflict.other)][conflict.number % Log::ring];
    const bool known = origin.number == conflict.number && origin.op < self->log.ops.size();
    const char *other_api = known ? self->log.ops[origin.op].api : "an earlier instruction";
    char text[512];
    std::snprintf(text, sizeof text, "%s is not ordered after %s on pipe %s, which %s the same %s (byte %u; kernel+0x%x)", api,
                  other_api, pipe_name(conflict.other), conflict.other_wrote ? "writes" : "reads",
                  place.space == Space::UB ? "Unified Buffer memory" : "on-chip memory", conflict.block * 32,
                  known ? origin.pc : 0);
    return text;
}
} // namespace

void after_hazard(const Hazards::Conflict &conflict, const char *api, const void *pc, const Place &place, Extent written)
{
    if (!conflict.found) {
        return;
    }
    std::string text = told(conflict, api, place);
    if (conflict.other_wrote || written.bytes == 0) {
        complain("PIPE_RACE", api, pc, "%s.", text.c_str());
        return;
    }
    self->races.push_back({api, pc, std::move(text), written.low, {written.low, written.low + written.bytes}});
}

void settle_races()
{
    for (const Race &race : self->races) {
        if (std::memcmp(race.low, race.before.data(), race.before.size()) == 0) {
            warn("PIPE_RACE", race.api, race.pc, "%s; it writes the bytes that are there already, which spoils nothing this time.",
                 race.text.c_str());
        } else {
            complain("PIPE_RACE", race.api, race.pc, "%s.", race.text.c_str());
        }
    }
    self->races.clear();
}

} // namespace akgen::twin
