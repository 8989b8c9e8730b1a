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
    double tail = 0;          // cycles that follow the transfer and share nothing
};

// What the second-level cache does for a copy, or for all copies of a tensor on average.
struct Traffic {
    double missed = 0;                          // bytes that memory must give for each byte read
    double back = 0;                            // bytes that go to memory for each byte moved
    double moved = 1;                           // bytes in global memory for each byte that the copy handles
    uint32_t crowd = 1;                         // cores that read the same lines past the cache at this time
    bool uncached = false;                      // passes by the cache
    bool odd = false;                           // rows do not begin at whole blocks of 32 bytes
    bool reads_too = false, reads_past = false; // of a copy out: its core copies in meanwhile; past the cache
};

class CostModel {
public:
    explicit CostModel(const Chip &chip);
    std::vector<Traffic> shares; // by tensor, as found; for launches that are simulated without the cache
    Cost of(const Record &record, const OpName &op, bool cube_core, const Traffic &traffic) const;

    double of_scalar(const Record &record) const; // cycles
    double of_event(const Record &record) const   // cycles of the scalar unit
    {
        return record.op & queue_operation ? queue_op : scalar_op;
    }
    double start(uint32_t cores) const // cycles of a launch until its cores have begun
    {
        return launch_ + (cores > 0 ? cores - 1 : 0) * launch_core_;
    }

    double scalar_op, mask, queue_op, block_start, flag, barrier, write_back_times, dma_issue, sync_all;
    double cache_rate, memory_rate; // bytes per cycle, of all cores together
    uint32_t queue_depth;

private:
    struct Found {
        const char *op;
        DType dtype;
        const Chip::Rate *rate;
        double lanes; // elements of one repeat
    };
    const Found &find(const OpName &op) const;
    double repeat_lanes(const OpName &op) const;
    const Chip::Rate &look_up(const OpName &op) const;

    void move(Cost &cost, const Record &record, const Shape &shape, double bytes_per_cycle, double latency,
              bool cube_core, const Traffic &traffic) const;

    const Chip &chip_;
    double launch_, launch_core_;
    double scalar_work_, scalar_ub_, pipe_init_, scalar_hit_, scalar_miss_;
    double read_latency_, hit_latency_, write_latency_, mte2_, cube_mte2_, miss_rate_, mte3_, mte3_long_, mte3_burst_,
        row_, uncached_row_, same_address_, odd_rate_, beside_read_, beside_uncached_, ub_copy_, ub_copy_latency_,
        l1_latency_, l1_to_l0a_, l1_to_l0b_, l0c_out_, cube_head_, repeat_bytes_;
    Chip::Rate default_rate_;
    mutable std::vector<Found> found_; // a launch has few operations, and very many instructions
};

} // namespace akgen::twin
#pragma GCC visibility pop
