// What findings call a reduction, by its operation: akgen/tables/reduce.def as tables of constants.
#pragma once
#include "akgen/vector_reduce.h"
#include "keyed.h"

namespace akgen::twin {

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
    return rows[static_cast<size_t>(op)].api;
}

} // namespace akgen::twin
