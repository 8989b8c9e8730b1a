// What one instruction costs on its pipe, from the chip file. A missing row takes a stated default and is counted.
#pragma once
#include "chip.h"
#include "record.h"
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

struct Cost {
    double occupy = 0;  // cycles until the pipe can take the next instruction, with all bandwidth to itself
    double latency = 0; // cycles from there until the result is there
    double gm_bytes =
        0; // moved to or from global memory, at a rate that is shared; whole lines where rows straddle them
    double memory_bytes = 0;  // of these, what the second-level cache has not
    double spilled_bytes = 0; // what the cache must pass on to memory afterwards
};

class Footprint;

class CostModel {
public:
    CostModel(const Chip &chip, const Footprint &footprint);
    Cost of(const Record &record, const OpName &op, bool cube_core) const;

    double of_scalar(const Record &record) const; // cycles

    double scalar_op, flag, dma_issue, sync_all;
    double cache_rate, memory_rate; // bytes per cycle, of all cores together
    uint32_t queue_depth;

private:
    struct Found {
        const char *op;
        DType dtype;
        const Chip::Rate *rate;
    };
    const Chip::Rate &rate(const OpName &op) const;
    const Chip::Rate &look_up(const OpName &op) const;

    void move(Cost &cost, const Record &record, const Shape &shape, double bytes_per_cycle, double latency) const;

    const Chip &chip_;
    const Footprint &footprint_;
    double scalar_work_, scalar_ub_, scalar_hit_, scalar_miss_;
    double read_latency_, write_latency_, mte2_, cube_mte2_, miss_rate_, mte3_, row_, ub_copy_, ub_copy_latency_,
        l1_to_l0a_, l1_to_l0b_, l0c_out_, cube_head_, repeat_bytes_;
    Chip::Rate default_rate_;
    mutable std::vector<Found> found_; // a launch has few operations, and very many instructions
};

} // namespace akgen::twin
#pragma GCC visibility pop
