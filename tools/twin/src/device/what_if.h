// What the launch would take if the kernel were written otherwise: its records are changed
// accordingly and simulated again.
#pragma once
#include "simulate.h"
#include <string>
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

struct Launch;

struct Prediction {
    const char *change; // double_buffer, larger_tiles, bank_conflicts, casts, aligned_rows, balance, more_cores
    double cycles;
    uint32_t cores;
    bool fits; // in the Unified Buffer as it is used now
};

// Simulate every change that this launch leaves room for. What cannot be replayed is left out.
std::vector<Prediction> what_if(const Launch &launch, const CostModel &costs);

} // namespace akgen::twin
#pragma GCC visibility pop
