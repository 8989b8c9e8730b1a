// What is said of a race. An instruction that overtakes a read and leaves the bytes as they were spoils nothing;
// whether it does is known once it has run, so that such a race waits for the next instruction. Of a copy that takes
// 4 bytes of each row, those count: what else lies in their blocks of 32 bytes may change.
#include "core.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace akgen::twin {

namespace {
std::string told(const RaceDetector::Conflict &conflict, const char *api, const Place &place)
{
    const auto &origin = self->log.origin_of(conflict.other, conflict.number);
    const bool known = origin.number == conflict.number && origin.op < self->log.ops.size();
    const char *other_api = known ? self->log.ops[origin.op].api : "an earlier instruction";
    char text[512];
    std::snprintf(text, sizeof text,
                  "%s is not ordered after %s on pipe %s, which %s the same %s (byte %u; kernel+0x%x)", api, other_api,
                  pipe_name(conflict.other), conflict.other_wrote ? "writes" : "reads",
                  place.space == Space::UB ? "Unified Buffer memory" : "on-chip memory", conflict.block * 32,
                  known ? origin.pc : 0);
    return text;
}

// The copies of the other pipe that the instruction may overtake; none if there is more to it than copies.
std::vector<Access> overtaken(const RaceDetector::Conflict &conflict)
{
    const auto [known, last] = self->detector.unordered(conflict.other);
    if (conflict.more || conflict.other < Pipe::MTE1 || last - known > Log::few) {
        return {};
    }
    std::vector<Access> reads;
    for (uint32_t number = known + 1; number <= last; ++number) {
        const auto &read = self->log.read_of(conflict.other, number);
        if (read.number != number) {
            return {};
        }
        if (read.access.rows > 0) {
            reads.push_back(read.access);
        }
    }
    return reads;
}

bool spoiled(const Race &race)
{
    const uint8_t *const end = race.low + race.before.size();
    const auto changed = [&](const uint8_t *from, const uint8_t *to) {
        from = std::max(from, race.low);
        to = std::min(to, end);
        return from < to &&
               std::memcmp(from, race.before.data() + (from - race.low), static_cast<std::size_t>(to - from)) != 0;
    };
    if (race.reads.empty()) {
        return changed(race.low, end);
    }
    for (const Access &read : race.reads) {
        for (uint32_t row = 0; row < read.rows; ++row) {
            const uint8_t *const from = read.begin + static_cast<int64_t>(row) * read.row_stride;
            if (changed(from, from + read.row_bytes)) {
                return true;
            }
        }
    }
    return false;
}
} // namespace

void after_conflict(const RaceDetector::Conflict &conflict, const char *api, const void *pc, const Place &place,
                    Extent written)
{
    if (!conflict.found) {
        return;
    }
    std::string text = told(conflict, api, place);
    if (conflict.other_wrote || written.bytes == 0) {
        complain("PIPE_RACE", api, pc, "%s.", text.c_str());
        return;
    }
    self->races.push_back(
        {api, pc, std::move(text), written.low, {written.low, written.low + written.bytes}, overtaken(conflict)});
}

void settle_races()
{
    for (const Race &race : self->races) {
        if (spoiled(race)) {
            complain("PIPE_RACE", race.api, race.pc, "%s.", race.text.c_str());
        } else {
            warn("PIPE_RACE", race.api, race.pc,
                 "%s; it writes the bytes that are there already, which spoils nothing this time.", race.text.c_str());
        }
    }
    self->races.clear();
}

} // namespace akgen::twin
