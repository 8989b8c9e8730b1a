// The part of a trace that shows on-chip memories: each buffer's times of use, and the bytes in use of each memory.
#include "core.h"
#include "trace.h"
#include "trace_writer.h"
#include <algorithm>
#include <set>

namespace akgen::twin {

namespace {
constexpr uint32_t first_buffer_lane = 100; // below: pipes
const char *name_of(Space space) { return memory_names[static_cast<int>(space) - static_cast<int>(Space::UB)]; }

// A place in a buffer of an on-chip memory, in use from one time to another.
struct BufferUse {
    uint32_t buffer;
    double from, to;
};

// Bytes of [0, size) that any of them covers.
uint64_t covered(std::vector<std::pair<uint32_t, uint32_t>> ranges, uint32_t size)
{
    std::sort(ranges.begin(), ranges.end());
    uint64_t sum = 0, reached = 0;
    for (const auto &[begin, end] : ranges) {
        const uint64_t from = std::max<uint64_t>(begin, reached), to = std::min(end, size);
        sum += to > from ? to - from : 0;
        reached = std::max<uint64_t>(reached, to);
    }
    return sum;
}
} // namespace

void Trace::write_buffers(const Launch &l, const std::vector<double> &core_begin, const std::vector<double> &core_end,
                          TraceWriter &out) const
{
    for (uint32_t core = 0; core < cores_.size(); ++core) {
        const Log &log = *cores_[core].log;
        const auto &at = cores_[core].held_at;
        // Where not all is known, what is known ends with the last that is.
        double end = core_end[core];
        if (log.held_left_out > 0 && !at.empty()) {
            end = std::max(0.0, *std::max_element(at.begin(), at.end()));
        }
        std::vector<Log::LocalBuffer> buffers = log.buffers;
        std::vector<double> since(buffers.size(), -1.0);
        std::vector<BufferUse> uses;
        const auto close = [&](uint32_t buffer, double now) {
            if (since[buffer] >= 0) {
                uses.push_back({buffer, since[buffer], std::max(now, since[buffer])});
                since[buffer] = -1;
            }
        };
        for (size_t i = 0; i < at.size(); ++i) {
            const double now = at[i] < 0 ? end : at[i];
            const Log::Held &held = log.held[i];
            if (!held.taken) {
                close(held.buffer, now);
            } else if (since[held.buffer] < 0) {
                since[held.buffer] = now;
            }
        }
        for (uint32_t buffer = 0; buffer < since.size(); ++buffer) {
            close(buffer, end);
        }
        for (int memory = 0; memory < local_spaces; ++memory) { // tensors by address lie there all the time
            const Region &region = l.cores[core]->regions[memory];
            if (region.static_bytes > region.most_bytes) {
                uses.push_back({static_cast<uint32_t>(buffers.size()), core_begin[core], core_end[core]});
                buffers.push_back(
                    {static_cast<Space>(memory + 1), region.most_bytes, region.static_bytes - region.most_bytes, 0});
            }
        }
        std::set<uint32_t> named;
        for (const BufferUse &use : uses) {
            const Log::LocalBuffer &b = buffers[use.buffer];
            if (named.insert(use.buffer).second) {
                out.name("thread_name", lane(core, first_buffer_lane + use.buffer),
                         name_of(b.space) + (" from " + std::to_string(b.offset)));
            }
            out.complete("\"cat\":\"buffer\",\"name\":\"" + std::string(name_of(b.space)) + "\"," +
                             lane(core, first_buffer_lane + use.buffer),
                         use.from, use.to,
                         "\"so_offset\":" + std::to_string(b.pc) + ",\"offset\":" + std::to_string(b.offset) +
                             ",\"bytes\":" + std::to_string(b.bytes));
        }
        for (int memory = 0; memory < local_spaces; ++memory) {
            const Region &region = l.cores[core]->regions[memory];
            std::vector<std::pair<double, const BufferUse *>> changes; // at a time those that end first
            for (const BufferUse &use : uses) {
                if (static_cast<int>(buffers[use.buffer].space) == memory + static_cast<int>(Space::UB)) {
                    changes.emplace_back(use.from, &use);
                    changes.emplace_back(use.to, &use);
                }
            }
            std::stable_sort(changes.begin(), changes.end(),
                             [](const auto &a, const auto &b) { return a.first < b.first; });
            std::vector<const BufferUse *> now;
            for (size_t i = 0; i < changes.size(); ++i) {
                const auto [time, use] = changes[i];
                const auto here = std::find(now.begin(), now.end(), use);
                here == now.end() ? now.push_back(use) : static_cast<void>(now.erase(here));
                if (i + 1 < changes.size() && out.us(changes[i + 1].first) == out.us(time)) {
                    continue; // the last word at this time
                }
                std::vector<std::pair<uint32_t, uint32_t>> ranges;
                for (const BufferUse *each : now) {
                    const Log::LocalBuffer &b = buffers[each->buffer];
                    ranges.emplace_back(b.offset, b.offset + b.bytes);
                }
                out.count(core, std::string(memory_names[memory]) + " in use", time,
                          covered(ranges, region.size_bytes));
            }
        }
    }
}

} // namespace akgen::twin
