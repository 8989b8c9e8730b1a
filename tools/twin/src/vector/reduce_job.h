// One reduction over repeats, blocks or pairs: operands, checks, one repeat's values, and what findings call it.
#pragma once
#include "akgen/vector.h"
#include "keyed.h"
#include "reduce.h"

namespace akgen::twin {

struct ReduceJob {
    const char *api;
    const char *row;
    const void *pc;
    Reduce op;
    DType type;
    View dst, src;
    MaskArg mask;
    int64_t repeat, dst_repeat, src_block, src_repeat;
    uint32_t lanes = 0;
    Walk walk{};
    Operand source{};
};

// Check the operands and resolve the mask.
void begin(ReduceJob &j);
// Record the instruction: results of `result_bytes` per repeat, `step_bytes` apart.
void record(const ReduceJob &j, uint64_t result_bytes, uint64_t step_bytes);
bool active(const Walk &w, uint32_t repeat, uint32_t lane);
bool all_active(const ReduceJob &j, uint32_t repeat);
// One repeat as floats; `rest` fills the lanes that do not take part.
void load_repeat(const ReduceJob &j, uint32_t r, float *lane, float rest);
Extreme extreme_of(const ReduceJob &j, uint32_t r);
// The index in the width of the type: 16 bits for half, else 32.
void store_index(DType type, uint8_t *at, uint64_t index);
uint64_t value_bits(DType type, float value);

// akgen/tables/reduce.def as tables of constants.
struct ReduceName {
    Reduce key;
    const char *api;
};
constexpr ReduceName reduce_rows[] = {
#define AKGEN_REDUCE_EXTREME(Name, dtypes, op) {Reduce::op, #Name},
#define AKGEN_REDUCE_SUM(Name, dtypes, op) {Reduce::op, #Name},
#include "akgen/tables/reduce.def"
};
static_assert(one_row_each<Reduce>(reduce_rows));

constexpr ReduceName whole_reduce_rows[] = {
#define AKGEN_WHOLE_EXTREME(Name, dtypes, op) {Reduce::op, #Name},
#define AKGEN_WHOLE_SUM(Name, dtypes, op) {Reduce::op, #Name},
#include "akgen/tables/reduce.def"
};
static_assert(one_row_each<Reduce>(whole_reduce_rows));

constexpr ReduceName block_reduce_rows[] = {
#define AKGEN_BLOCK_REDUCE(Name, dtypes, op) {Reduce::op, #Name},
#include "akgen/tables/reduce.def"
};
static_assert(one_row_each<Reduce>(block_reduce_rows));

template <size_t n> constexpr const char *name_of(const ReduceName (&rows)[n], Reduce op)
{
    return row_of(rows, op).api;
}

} // namespace akgen::twin
