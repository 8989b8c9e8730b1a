// What one instruction costs on its pipe, from the chip file. A missing row takes a stated default and is counted.
#pragma once
#include "chip.h"
#include "record.h"

namespace akgen::twin {

struct Cost {
    double occupy = 0;  // cycles until the pipe can take the next instruction, with all bandwidth to itself
    double latency = 0; // cycles from there until the result is there
    double gm_bytes = 0; // moved to or from global memory, at a rate that is shared
};

class CostModel {
public:
    explicit CostModel(const Chip &chip);
    Cost of(const Record &record, const OpName &op) const;

    double scalar_op, scalar_ub, scalar_gm, flag, dma_issue, sync_all;
    uint32_t queue_depth;

private:
    const Chip::Rate &rate(const OpName &op) const;

    const Chip &chip_;
    double read_latency_, write_latency_, mte2_, mte3_, unaligned_, ub_copy_, ub_copy_latency_, l1_to_l0a_, l1_to_l0b_, l0c_out_,
        cube_head_, repeat_bytes_;
    Chip::Rate default_rate_;
};

} // namespace akgen::twin
