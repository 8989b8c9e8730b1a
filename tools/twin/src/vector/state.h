// Registers of the vector unit that outlive one instruction and end with the core, and what their saturation flags do.
#pragma once
#include "walk.h"
#include <cstdint>

namespace akgen::twin {

struct VectorState {
    float deq_scale = 1.0f;
    bool deq_given = false;       // whether SetDeqScale has given it: else it is what the kernel before left
    bool saturate_floats = false; // half and bfloat16_t end at their largest numbers, NaN is 0; else infinity
    bool saturate_casts = true;   // integers of conversions end at theirs; else their low bits remain
    int16_t deq_offset = 0;
    bool deq_signed = true;
    uint8_t *deq_table = nullptr; // 16 words, SetDeqScale of a tensor
    uint64_t acc_bits = 0;        // result of the last whole-vector sum (vcadd mode 1)
    uint64_t extreme_value = 0;   // last maximum or minimum, and its index, as bit patterns
    uint64_t extreme_index = 0;
    uint8_t compare_mask[16] = {};       // CMPMASK: result of Compare without destination
    uint64_t transpose_lists[8][8] = {}; // VA registers: 8 registers of 8 addresses
    uint64_t gathered = 0;               // elements that the last GatherMask kept
    uint16_t sorted_counts[4] = {};      // elements that the last MrgSort took from each list
};
VectorState &vector_state();

// Warn CAST_MODE where the scale is used and SetDeqScale has not given it.
void warn_of_no_scale(const char *api, const void *pc);

} // namespace akgen::twin

namespace akgen::twin {

// Over what an instruction has written, half or bfloat16_t.
Loop saturating_loop(DType type);
// For a conversion that loses high bits; null: it loses none. `conversion` is the loop's scalar.
Loop truncating_loop(DType to, DType from, uint8_t round, uint64_t &conversion);

} // namespace akgen::twin
