// The event simulation behind the timeline: cores issue in program order into queues, one per pipe; pipes run their
// queues in order; transfers share the memory bandwidth with all transfers of that moment.
#pragma once
#include "cost.h"
#include <array>
#include <cstdint>
#include <vector>

namespace akgen::twin {

#pragma GCC visibility push(hidden)
struct Launch;
#pragma GCC visibility pop

struct Span { // one instruction in time, in cycles
    uint32_t core;
    uint32_t record;
    double start, end;
};
struct PipeUse {
    double busy = 0;    // something is under way, its latency included
    double work = 0;    // the pipe could take nothing else
    double stalled = 0;
    std::array<double, 8> stalled_on{}; // by the pipe waited for; 7: a full queue or another core
    uint64_t instructions = 0;
};
struct Simulation {
    double cycles = 0;
    std::vector<double> core_end;
    std::vector<std::array<PipeUse, 7>> use; // by core and pipe
    std::vector<Span> spans;                 // the first of each core, for the trace
    uint64_t spans_left_out = 0;
    double memory_cycles = 0; // what the traffic would take at full bandwidth
    bool stuck = false;       // the logs did not fit together; times are a lower bound
};

Simulation simulate(const Launch &launch, const CostModel &costs, uint64_t most_spans);

} // namespace akgen::twin
