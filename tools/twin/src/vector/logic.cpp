// Truth values and Where.
#include "record.h"
#include <cstring>

#include "akgen/vector_math.h"

namespace akgen::twin {
namespace {

uint64_t load(const uint8_t *at, uint32_t bytes)
{
    uint64_t word = 0;
    std::memcpy(&word, at, bytes);
    return word;
}
// -0.0 is false too.
bool truth(DType type, uint64_t word)
{
    switch (type) {
    case DType::F16:
    case DType::BF16: return (word & 0x7fffu) != 0;
    case DType::F32: return (word & 0x7fffffffu) != 0;
    default: return word != 0;
    }
}
uint64_t one(DType type)
{
    switch (type) {
    case DType::F16: return 0x3c00u;
    case DType::BF16: return 0x3f80u;
    case DType::F32: return 0x3f800000u;
    default: return 1;
    }
}

} // namespace

void logical_count(const char *api, uint8_t op, DType type, View dst, View src0, View src1, int64_t count)
{
    const void *pc = __builtin_return_address(0);
    require_operand(api, pc, "dst", dst);
    require_operand(api, pc, "src", src0);
    const uint32_t bytes = dtype_bytes(type);
    const Walk w = walk_count(api, pc, 256 / bytes, count);
    if (w.active == 0) {
        return;
    }
    Instr instr = vector_instr(api, "Compares", pc, type, w.active);
    add_span(instr, src0, w.active * bytes, false);
    add_span(instr, src1, w.active * bytes, false);
    add_span(instr, dst, w.active * bytes, true);
    issue(instr);
    Instr select = vector_instr(api, "Select", pc, type, w.active);
    issue(select);
    for (uint64_t i = 0; i < w.active; ++i) {
        const bool a = truth(type, load(src0.data + i * bytes, bytes));
        const bool b = src1.data ? truth(type, load(src1.data + i * bytes, bytes)) : false;
        const bool value = op == 0 ? !a : op == 1 ? a && b : a || b;
        const uint64_t word = value ? one(type) : 0;
        std::memcpy(dst.data + i * bytes, &word, bytes);
    }
}

void where_count(DType type, View dst, View src0, View src1, uint64_t scalar0, uint64_t scalar1, View condition,
                 int64_t count)
{
    const void *pc = __builtin_return_address(0);
    const char *api = "Where";
    require_operand(api, pc, "dst", dst);
    require_operand(api, pc, "condition", condition);
    const uint32_t bytes = dtype_bytes(type);
    const Walk w = walk_count(api, pc, 256 / bytes, count);
    if (w.active == 0) {
        return;
    }
    Instr instr = vector_instr(api, "Select", pc, type, w.active);
    add_span(instr, src0, w.active * bytes, false);
    add_span(instr, src1, w.active * bytes, false);
    add_span(instr, condition, w.active, false);
    add_span(instr, dst, w.active * bytes, true);
    issue(instr);
    for (uint64_t i = 0; i < w.active; ++i) {
        const bool first = condition.data[i] != 0;
        const View &from = first ? src0 : src1;
        const uint64_t word = from.data ? load(from.data + i * bytes, bytes) : first ? scalar0 : scalar1;
        std::memcpy(dst.data + i * bytes, &word, bytes);
    }
}

} // namespace akgen::twin
