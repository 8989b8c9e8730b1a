// What the launch would take if the kernel were written otherwise: its records are changed
// accordingly and simulated again.
#pragma once
#include "simulate.h"
#include <string>
#include <vector>
#include "record.h"
#include <cstddef>

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

// The loop over tiles in a core's records, found by what repeats; and the records that the core would leave if its
// tiles were twice as long, or if it had more or fewer of them.
struct Core;

// Rounds of equal instructions: round i is [starts[i], starts[i + 1]). Empty: there is no such loop.
struct TileLoop {
    std::vector<size_t> starts;
    size_t rounds() const { return starts.empty() ? 0 : starts.size() - 1; }
};
TileLoop find_tile_loop(const std::vector<Record> &records);

// Two rounds in one: copies and element-wise instructions take twice as much, the rest happens twice. Whether a round
// reads scalars decides what of its vector work can be taken together.
std::vector<Record> with_double_tiles(const Core &core, const TileLoop &loop);
// The last rounds are left out, or done again.
std::vector<Record> with_rounds(const std::vector<Record> &records, const TileLoop &loop, size_t rounds);
// Every instruction's work times a factor.
std::vector<Record> with_share(const std::vector<Record> &records, double factor);

} // namespace akgen::twin
#pragma GCC visibility pop
