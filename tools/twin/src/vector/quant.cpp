// AscendQuant, AscendDequant, AscendAntiQuant.
#include "facts.h"
#include "composite.h"
#include "record.h"
#include "reduce.h"
#include "rounding.h"
#include <cstring>

#include "akgen/vector_math.h"

namespace akgen::twin {
namespace {

float real(DType type, const uint8_t *data, uint64_t i)
{
    return type == DType::BF16 ? widen_bfloat(reinterpret_cast<const uint16_t *>(data)[i]) : load_real(type, data, i);
}
void put(DType type, uint8_t *data, uint64_t i, float value)
{
    if (type == DType::BF16) {
        reinterpret_cast<uint16_t *>(data)[i] = narrow_bfloat(value);
    } else {
        store_real(type, data, i, value);
    }
}
float as_half(float x) { return widen_half(narrow_half(x)); }

// The instructions behind the first, which has the operands.
void other_steps(const ApiFacts &api, const void *pc, DType type, uint64_t n)
{
    for (const char *const *row = api.steps + 1; *row; ++row) {
        Instr step = vector_instr(api.name, *row, pc, type, n);
        issue(step);
    }
}

} // namespace

void quantise(DType type, View dst, View src, View work, View scales, View offsets, float scale, float offset,
              uint32_t channels, int64_t count)
{
    const void *pc = __builtin_return_address(0);
    constexpr const ApiFacts &facts = apis::AscendQuant;
    constexpr const char *api = facts.name;
    require_operand(api, pc, "dst", dst);
    require_operand(api, pc, "src", src);
    const Walk w = walk_count(api, pc, 128, count);
    if (w.active == 0) {
        return;
    }
    const uint32_t bytes = dtype_bytes(type);
    Instr instr = vector_instr(api, facts.steps[0], pc, type, w.active);
    add_span(instr, src, w.active * bytes, false);
    add_span(instr, scales, static_cast<uint64_t>(channels) * bytes, false);
    add_span(instr, offsets, static_cast<uint64_t>(channels) * bytes, false);
    add_span(instr, dst, w.active, true);
    require_temporary(api, pc, work, 32);
    add_span(instr, work, work.data ? 32 : 0, true);
    issue(instr);
    other_steps(facts, pc, DType::F16, w.active);
    for (uint64_t i = 0; i < w.active; ++i) {
        const float s = scales.data ? load_real(type, scales.data, i % channels) : scale;
        const float o = offsets.data ? load_real(type, offsets.data, i % channels) : offset;
        float value = load_real(type, src.data, i) * s;
        value = type == DType::F16 ? as_half(as_half(value) + o) : as_half(value + o);
        reinterpret_cast<int8_t *>(dst.data)[i] = to_integer<int8_t, Round::RINT, float>(value);
    }
}

void dequantise(DType to, DType scale_type, View dst, View src, View scales, View work, float scale, uint32_t rows,
                uint32_t n, uint32_t count)
{
    const void *pc = __builtin_return_address(0);
    const ApiFacts &facts = to == DType::F32 ? apis::AscendDequantToFloat : apis::AscendDequant;
    const char *api = facts.name;
    require_operand(api, pc, "dst", dst);
    require_operand(api, pc, "src", src);
    if (count > n) {
        trap("VECTOR_COUNT", api, pc, "AscendDequant: calCount %u exceeds the %u elements of a row.", count, n);
    }
    const uint32_t bytes = dtype_bytes(to);
    const uint64_t src_row = (static_cast<uint64_t>(n) * 4 + 31) / 32 * 32;
    const uint64_t dst_row = (static_cast<uint64_t>(n) * bytes + 31) / 32 * 32;
    const uint64_t total = static_cast<uint64_t>(rows) * count;
    if (total == 0) {
        return;
    }
    Instr instr = vector_instr(api, facts.steps[0], pc, DType::I32, total);
    instr.access[instr.n_access++] =
        Access{src.data, static_cast<uint64_t>(count) * 4, rows, static_cast<int64_t>(src_row), false, src.size_bytes};
    instr.access[instr.n_access++] = Access{
        dst.data, static_cast<uint64_t>(count) * bytes, rows, static_cast<int64_t>(dst_row), true, dst.size_bytes};
    add_span(instr, scales, static_cast<uint64_t>(count) * dtype_bytes(scale_type), false);
    warn_of_sharing(api, pc, instr.access, instr.n_access);
    require_temporary(api, pc, work, 32);
    add_span(instr, work, work.data ? 32 : 0, true);
    issue(instr);
    other_steps(facts, pc, DType::F32, total);
    for (uint32_t r = 0; r < rows; ++r) {
        const int32_t *in = reinterpret_cast<const int32_t *>(src.data + r * src_row);
        for (uint32_t i = 0; i < count; ++i) {
            float s = scale;
            if (scale_type == DType::U64 && scales.data) { // the bits of a float in the low half, as fixpipe takes them
                uint32_t word;
                std::memcpy(&word, scales.data + i * 8, sizeof word);
                std::memcpy(&s, &word, sizeof s);
            } else if (scales.data) {
                s = real(scale_type, scales.data, i);
            }
            put(to, dst.data + r * dst_row, i, static_cast<float>(in[i]) * s);
        }
    }
}

namespace {
void record_small(const void *pc, DType to, DType from, View dst, View src, View work, View offsets, View scales,
                  uint64_t factors, uint64_t n)
{
    const bool small = from == DType::I4;
    const ApiFacts &facts = small ? apis::AscendAntiQuantOfInt4 : apis::AscendAntiQuant;
    const char *api = facts.name;
    require_operand(api, pc, "dst", dst);
    require_operand(api, pc, "src", src);
    Instr instr = vector_instr(api, facts.steps[0], pc, from, n);
    add_span(instr, src, small ? (n + 1) / 2 : n, false);
    add_span(instr, offsets, factors * dtype_bytes(to), false);
    add_span(instr, scales, factors * dtype_bytes(to), false);
    add_span(instr, dst, n * dtype_bytes(to), true);
    warn_of_sharing(api, pc, instr.access, instr.n_access);
    require_temporary(api, pc, work, 32);
    add_span(instr, work, work.data ? 32 : 0, true);
    issue(instr);
    other_steps(facts, pc, DType::F16, n);
}
float small_integer(DType type, const uint8_t *data, uint64_t i)
{
    if (type == DType::I8) {
        return static_cast<float>(reinterpret_cast<const int8_t *>(data)[i]);
    }
    const uint8_t nibble = (data[i / 2] >> (i % 2 * 4)) & 15;
    return static_cast<float>(nibble < 8 ? nibble : nibble - 16);
}
} // namespace

void antiquantise(DType to, DType from, View dst, View src, View offsets, View scales, View work, uint32_t rows,
                  uint32_t columns, bool across)
{
    const uint64_t n = static_cast<uint64_t>(rows) * columns;
    if (n == 0) {
        return;
    }
    record_small(__builtin_return_address(0), to, from, dst, src, work, offsets, scales, across ? rows : columns, n);
    for (uint64_t i = 0; i < n; ++i) {
        const uint64_t f = across ? i / columns : i % columns;
        const float offset = offsets.data ? real(to, offsets.data, f) : 0.0f;
        const float x = small_integer(from, src.data, i) + offset;
        put(to, dst.data, i, (to == DType::F16 ? as_half(x) : x) * real(to, scales.data, f));
    }
}

void antiquantise_all(DType to, DType from, View dst, View src, View work, float offset, float scale, uint64_t count)
{
    if (count == 0) {
        return;
    }
    record_small(__builtin_return_address(0), to, from, dst, src, work, {}, {}, 0, count);
    for (uint64_t i = 0; i < count; ++i) {
        const float x = small_integer(from, src.data, i) + offset;
        put(to, dst.data, i, (to == DType::F16 ? as_half(x) : x) * scale);
    }
}

} // namespace akgen::twin
