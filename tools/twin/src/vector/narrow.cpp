// CastDeq: int16 to 8 bits with a scale, an offset and a sign, into one half of each block.
#include "rounding.h"
#include "state.h"
#include "record.h"

namespace akgen::twin {
namespace {

constexpr uint32_t repeat_lanes = 128, block_lanes = 16;

struct Factor {
    float scale;
    int32_t offset;
    bool is_signed;
};
Factor factor(bool table, uint32_t lane)
{
    const VectorState &state = vector_state();
    if (!table) {
        return {state.deq_scale, state.deq_offset, state.deq_signed};
    }
    uint64_t word;
    std::memcpy(&word, state.deq_table + lane * sizeof word, sizeof word);
    Factor f{0.0f, 0, ((word >> 46) & 1) != 0};
    std::memcpy(&f.scale, &word, sizeof f.scale);
    const auto offset = static_cast<int32_t>((word >> 37) & 0x1ff);
    f.offset = offset < 256 ? offset : offset - 512;
    return f;
}

void narrow(DType to, const Operand &dst, const Operand &src, bool table, bool upper, const Walk &w, const void *pc)
{
    const char *api = "CastDeq";
    if (w.active == 0) {
        return;
    }
    const VectorState &state = vector_state();
    if (table && !state.deq_table) {
        trap("CAST_MODE", api, pc, "CastDeq: a vector of scales is asked for, and SetDeqScale has given none.");
    }
    if (!table) {
        warn_of_no_scale(api, pc);
    }
    Instr instr = vector_instr(api, "Cast half->int8_t", pc, DType::I16, w);
    add_access(instr, w, src);
    add_access(instr, w, dst);
    if (table) {
        add_span(instr, View{state.deq_table, 0}, 128, false);
    }
    issue(instr);
    for (uint32_t r = 0; r < w.repeats; ++r) {
        const uint32_t prefix = r + 1 == w.repeats ? w.last : w.each;
        for (uint32_t lane = 0; lane < w.lanes; ++lane) {
            if (w.prefix ? lane >= prefix : !lane_on(w, lane)) {
                continue;
            }
            int16_t x;
            std::memcpy(&x, lane_address(src, r, lane), sizeof x);
            const Factor f = factor(table, lane % block_lanes);
            if (f.is_signed != (to == DType::I8)) {
                trap("CAST_MODE", api, pc, "CastDeq: the sign mode given to SetDeqScale does not fit %s.",
                     dtype_name(to));
            }
            const float value = static_cast<float>(x) * f.scale + static_cast<float>(f.offset);
            uint8_t *at =
                lane_address(dst, r, lane / block_lanes * block_lanes) + lane % block_lanes + (upper ? block_lanes : 0);
            *at = to == DType::I8 ? static_cast<uint8_t>(to_integer<int8_t, Round::RINT, float>(value))
                                  : to_integer<uint8_t, Round::RINT, float>(value);
        }
    }
}

} // namespace

void set_deq(float scale, int16_t offset, bool is_signed)
{
    VectorState &state = vector_state();
    state.deq_scale = scale;
    state.deq_given = true;
    state.deq_offset = offset;
    state.deq_signed = is_signed;
}

void set_deq_table(View table)
{
    require_operand("SetDeqScale", __builtin_return_address(0), "vdeqTensor", table);
    vector_state().deq_table = table.data;
}

// The destination is walked as if it had 16 bits, too: each of its blocks belongs to one of the source's.
void narrow_count(DType to, View dst, View src, bool table, bool upper, int64_t count)
{
    const void *pc = __builtin_return_address(0);
    require_operand("CastDeq", pc, "dst", dst);
    require_operand("CastDeq", pc, "src", src);
    const Operand target{"dst", dst, 16, 1, 8, Use::BOTH}, source{"src", src, 16, 1, 8, Use::READ};
    narrow(to, target, source, table, upper, walk_count("CastDeq", pc, repeat_lanes, count), pc);
}

void narrow_repeat(DType to, View dst, View src, bool table, bool upper, MaskArg mask, uint32_t repeat,
                   const Strides &strides)
{
    const void *pc = __builtin_return_address(0);
    require_operand("CastDeq", pc, "dst", dst);
    require_operand("CastDeq", pc, "src", src);
    const Operand target{"dst", dst, 16, strides.block[0], strides.repeat[0], Use::BOTH};
    const Operand source{"src", src, 16, strides.block[1], strides.repeat[1], Use::READ};
    require_stride("CastDeq", pc, target);
    require_stride("CastDeq", pc, source);
    narrow(to, target, source, table, upper, walk_repeat("CastDeq", pc, repeat_lanes, mask, repeat), pc);
}

} // namespace akgen::twin
