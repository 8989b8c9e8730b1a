// Names of pipes, memories and element types, as findings give them, and the types' sizes.
#include "core.h"
#include "keyed.h"

namespace akgen::twin {
namespace {

struct PipeRow {
    Pipe key;
    const char *name;
};
constexpr PipeRow pipe_names[] = {
    {Pipe::S, "S"},       {Pipe::V, "V"},       {Pipe::M, "M"},     {Pipe::MTE1, "MTE1"},
    {Pipe::MTE2, "MTE2"}, {Pipe::MTE3, "MTE3"}, {Pipe::FIX, "FIX"}, {Pipe::ALL, "ALL"},
};
static_assert(one_row_each(pipe_names, Pipe::ALL));

struct SpaceRow {
    Space key;
    const char *name;
};
constexpr SpaceRow space_names[] = {
    {Space::GM, "global memory"},
    {Space::UB, "the Unified Buffer"},
    {Space::L1, "L1"},
    {Space::L0A, "L0A"},
    {Space::L0B, "L0B"},
    {Space::L0C, "L0C"},
    {Space::BT, "the bias table"},
    {Space::FB, "the fixpipe buffer"},
    {Space::NONE, "no memory"},
};
static_assert(one_row_each(space_names, Space::NONE));

struct TypeRow {
    DType key;
    const char *name;
    uint8_t bytes; // int4b_t: of the two elements in one
};
constexpr TypeRow type_names[] = {
    {DType::F32, "float", 4},  {DType::F16, "half", 2},     {DType::BF16, "bfloat16_t", 2}, {DType::F64, "double", 8},
    {DType::I8, "int8_t", 1},  {DType::I16, "int16_t", 2},  {DType::I32, "int32_t", 4},     {DType::I64, "int64_t", 8},
    {DType::U8, "uint8_t", 1}, {DType::U16, "uint16_t", 2}, {DType::U32, "uint32_t", 4},    {DType::U64, "uint64_t", 8},
    {DType::BOOL, "bool", 1},  {DType::I4, "int4b_t", 1},   {DType::NONE, "none", 1},
};
static_assert(one_row_each(type_names, DType::NONE));

} // namespace

const char *pipe_name(Pipe pipe) { return row_of(pipe_names, pipe).name; }
const char *space_name(Space space) { return row_of(space_names, space).name; }
const char *dtype_name(DType t) { return row_of(type_names, t).name; }
uint32_t dtype_bytes(DType t) { return row_of(type_names, t).bytes; }

} // namespace akgen::twin
