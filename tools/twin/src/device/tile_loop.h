// The loop over tiles in a core's records, found by what repeats; and the records that the core would leave if its
// tiles were twice as long, or if it had more or fewer of them.
#pragma once
#include "record.h"
#include <cstddef>
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

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
