// The event simulation behind the timeline: cores issue in program order into queues, one per pipe; pipes run their
// queues in order; transfers share the memory bandwidth with all transfers of that moment.
#pragma once
#include "cost.h"
#include <array>
#include <cstdint>
#include <vector>
#include <string>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

struct Launch;
class SecondCache;
class Trace;

// What a pipe that has room waits for: what another pipe makes, a buffer that another pipe still uses, or for the
// scalar unit to issue (for the scalar unit: room in a pipe's queue).
enum class Why : uint8_t { data, buffer, issue };
struct PipeUse {
    double busy = 0; // something is under way, its latency included
    double work = 0; // the pipe could take nothing else
    double stalled = 0;
    std::array<double, 8> stalled_on{}; // by the pipe waited for; 7: a full queue or another core
    std::array<double, 3> waited{};     // by Why; waiting for issue is part of what is neither busy nor stalled
    uint64_t instructions = 0;
};
struct Simulation {
    double cycles = 0;
    std::vector<double> core_begin, core_end;
    uint32_t at_once = 0; // cores that the chip runs at the same time; further blocks wait for one that ends
    std::vector<std::array<PipeUse, 7>> use; // by core and pipe
    double memory_cycles = 0;                // what the traffic would take at full bandwidth
    std::vector<Traffic> shares;             // of the cache, by tensor
    bool stuck = false;                      // the logs did not fit together; times are a lower bound
};

// What is simulated: the records of a launch, or what they would be if the kernel were written otherwise.
struct Replay {
    struct Part {
        const std::vector<Record> *records;
        uint32_t core; // of the launch, which has its kind, block and operations
    };
    std::vector<Part> parts; // one for each core
    // Buffers that queues have more of than the records say. With any but `none`, the flags that give a queue's buffers
    // back are told apart by queue, whatever ids they use.
    enum class More : uint8_t {
        none,
        as_many,
        second,
        half
    } more = More::none; // a second for those with one; half as many again
    uint32_t more_of(uint32_t buffers) const
    {
        return more == More::second ? buffers == 1 : more == More::half ? buffers / 2 : 0;
    }
    bool free_casts = false;
    Trace *trace = nullptr; // what notes all that happens, or none
    // The second-level cache as it is when the launch begins, and then as it is afterwards; none: the costs' shares.
    SecondCache *cache = nullptr;
};
Replay as_recorded(const Launch &launch);
Simulation simulate(const Launch &launch, const Replay &replay, const CostModel &costs);

// Compute the timeline of a finished launch: when each instruction ran, what each pipe waited for, and what bounds the
// kernel. Returns the report's launch line; writes a Chrome trace to `trace_fd`
// unless it is -1. With predictions: and what the launch would take if the kernel were written otherwise.
std::string timeline_report(const Launch &launch, int trace_fd, bool with_predictions);

} // namespace akgen::twin
#pragma GCC visibility pop
