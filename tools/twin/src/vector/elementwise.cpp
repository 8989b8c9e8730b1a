// Entry points of the element-wise instructions: check, record, compute.
#include "walk.h"
#include "../device/pipe.h"
#include "composite.h"
#include "facts.h"
#include "record.h"
#include "state.h"

namespace akgen::twin {
namespace {

constexpr const char *operand_names[3] = {"dst", "src0", "src1"};

struct Prepared {
    const OpFacts *facts;
    Loop loop;
    Operand operands[3];
    uint32_t lanes;
};

Prepared prepare(VecOp op, DType type, const View (&views)[3], const void *pc, const Strides &strides)
{
    Prepared p{};
    p.facts = &facts(op);
    p.loop = loop_of(op, type);
    if (!p.loop) {
        trap("DTYPE_UNSUPPORTED", p.facts->name, pc, "%s does not take %s on Ascend910B", p.facts->name,
             dtype_name(type));
    }
    if (op == VecOp::AddDeqRelu) {
        warn_of_no_scale(p.facts->name, pc);
        warn_of_little_left(p.facts->name, pc, own_scratch_bytes);
    }
    const uint32_t bits = dtype_bits(type);
    const uint32_t dst_bits = p.facts->dst_bytes ? p.facts->dst_bytes * 8u : bits;
    p.lanes = 256 * 8 / (bits > dst_bits ? bits : dst_bits);
    for (uint32_t i = 0; i <= p.facts->sources; ++i) {
        require_operand(p.facts->name, pc, operand_names[i], views[i]);
        const Use use = i ? Use::READ : p.facts->reads_dst ? Use::BOTH : Use::WRITE;
        p.operands[i] =
            Operand{operand_names[i], views[i], i ? bits : dst_bits, strides.block[i], strides.repeat[i], use};
    }
    return p;
}

BankOperand banks_of(const Operand &o, const Walk &w)
{
    const uint32_t lanes = w.prefix ? (w.repeats > 1 ? w.each : w.last) : w.lanes;
    return {o.view.data, (lanes * o.bits + 255) / 256, o.block, o.repeat};
}

uint32_t stalls_of(const SingleInstr &s, const Walk &w)
{
    BankOperand sources[2];
    uint32_t count = 0;
    for (const Operand *source : s.src) {
        if (source) {
            sources[count++] = banks_of(*source, w);
        }
    }
    return bank_stalls(w.repeats, banks_of(*s.dst, w), sources, count);
}

} // namespace

void run_single(const SingleInstr &s, const Walk &w)
{
    if (w.active == 0) {
        return;
    }
    Instr instr = vector_instr(s.api, s.row, s.pc, s.type, w);
    for (const Operand *source : s.src) {
        if (source) {
            add_access(instr, w, *source);
        }
    }
    add_access(instr, w, *s.dst);
    instr.stalls = stalls_of(s, w);
    issue(instr);
    Operand sources[2];
    Scratch scratch[2];
    for (uint32_t i = 0; i < 2 && s.src[i]; ++i) {
        sources[i] = *s.src[i];
        if (check_overlap(s.api, s.pc, w, *s.dst, sources[i], s.carries && i == 1)) {
            scratch[i].copy(sources[i].view.data, extent_bytes(w, sources[i]));
            sources[i].view.data = scratch[i].take();
        }
    }
    execute(w, s.dst, s.src[0] ? &sources[0] : nullptr, s.src[1] ? &sources[1] : nullptr, s.loop, s.scalar);
    if (vector_state().saturate_floats && (s.result == DType::F16 || s.result == DType::BF16)) {
        execute(w, s.dst, s.dst, nullptr, saturating_loop(s.result), 0);
    }
}

// The number of bits has the elements' type.
static void require_shift(const Prepared &p, DType type, const void *pc, uint64_t scalar)
{
    const VecOp op = p.facts->key;
    const bool shifts = op == VecOp::ShiftLeft || op == VecOp::ShiftRight || op == VecOp::ShiftRightRound;
    if (!shifts) {
        return;
    }
    const int64_t by = type == DType::I16   ? static_cast<int16_t>(scalar)
                       : type == DType::I32 ? static_cast<int32_t>(scalar)
                       : type == DType::U16 ? static_cast<uint16_t>(scalar)
                                            : static_cast<uint32_t>(scalar);
    if (by < 0) {
        trap("SHIFT_RANGE", p.facts->name, pc, "%s by %lld bits; a number below 0 does not turn the direction.",
             p.facts->name, static_cast<long long>(by));
    }
    if (by > dtype_bits(type)) {
        trap("SHIFT_RANGE", p.facts->name, pc, "%s by %lld bits; %s has %u.", p.facts->name, static_cast<long long>(by),
             dtype_name(type), dtype_bits(type));
    }
}

// The general rules of the vendor's reference name these; one of the two strides between repeats must be 0.
static bool carries(VecOp op, DType type)
{
    const bool named = op == VecOp::Add || op == VecOp::Sub || op == VecOp::Mul || op == VecOp::Max ||
                       op == VecOp::Min || op == VecOp::AddRelu || op == VecOp::SubRelu;
    return named && (type == DType::F16 || type == DType::I32 || type == DType::F32);
}

// A sum of floats out of halves must not lie on them, whichever repeats read what.
static void warn_of_widened(const Prepared &p, const void *pc, const Walk &w)
{
    if (!p.facts->reads_dst || p.facts->dst_bytes != 4) {
        return;
    }
    Access touched[3];
    for (uint32_t i = 0; i <= p.facts->sources; ++i) {
        touched[i] = Access{p.operands[i].view.data, extent_bytes(w, p.operands[i]), 1, 0, i == 0, 0};
    }
    warn_of_sharing(p.facts->name, pc, touched, p.facts->sources + 1);
}

static void run_prepared(const Prepared &p, DType type, const void *pc, uint64_t scalar, const Walk &w)
{
    require_shift(p, type, pc, scalar);
    warn_of_widened(p, pc, w);
    run_single({p.facts->name,
                p.facts->row,
                pc,
                type,
                &p.operands[0],
                {p.facts->sources > 0 ? &p.operands[1] : nullptr, p.facts->sources > 1 ? &p.operands[2] : nullptr},
                p.loop,
                scalar,
                carries(p.facts->key, type),
                p.facts->dst_bytes ? DType::NONE : type},
               w);
}

// And and Or work on 16 bits; the count form takes tensors of 32 bits, too, and counts what it works on.
static void warn_of_halves(VecOp op, DType type, const void *pc, int64_t count)
{
    warn("VECTOR_COUNT", facts(op).name, pc,
         "%s counts elements of 16 bits: of %s, %lld are the first %lld. Count twice as many, or use "
         "ReinterpretCast<int16_t>().",
         facts(op).name, dtype_name(type), static_cast<long long>(count), static_cast<long long>(count / 2));
}

void vector_count(VecOp op, DType type, View dst, View src0, View src1, uint64_t scalar, int64_t count)
{
    const void *pc = __builtin_return_address(0);
    if (dtype_bits(type) == 32 && (op == VecOp::And || op == VecOp::Or)) {
        warn_of_halves(op, type, pc, count);
        type = DType::I16;
    }
    Prepared p = prepare(op, type, {dst, src0, src1}, pc, Strides{{1, 1, 1}, {0, 0, 0}});
    for (Operand &o : p.operands) {
        o.repeat = p.lanes * o.bits / 256;
    }
    const Walk w = walk_count(p.facts->name, pc, p.lanes, count);
    run_prepared(p, type, pc, scalar, w);
}

void vector_repeat(VecOp op, DType type, View dst, View src0, View src1, uint64_t scalar, MaskArg mask, uint32_t repeat,
                   const Strides &strides)
{
    const void *pc = __builtin_return_address(0);
    Prepared p = prepare(op, type, {dst, src0, src1}, pc, strides);
    for (uint32_t i = 0; i <= p.facts->sources; ++i) {
        require_stride(p.facts->name, pc, p.operands[i]);
    }
    const Walk w = walk_repeat(p.facts->name, pc, p.lanes, mask, repeat);
    p.operands[0].block = block_stride(p.facts->name, pc, w, p.operands[0]);
    run_prepared(p, type, pc, scalar, w);
}

void require_stride(const char *api, const void *pc, const Operand &o)
{
    if (o.repeat > 255) {
        trap("STRIDE_RANGE", api, pc, "%s: the repeat stride %u of %s exceeds 255 blocks", api, o.repeat, o.name);
    }
}

void mask_mode(bool counter) { mask_state().counter = counter; }
void mask_bits(uint64_t hi, uint64_t lo)
{
    mask_state().lo = lo;
    mask_state().hi = hi;
}
void mask_length(uint64_t length, DType type, bool counter)
{
    MaskState &state = mask_state();
    state.hi = 0;
    if (counter) {
        state.lo = length;
        return;
    }
    const uint64_t lanes = 256 * 8 / dtype_bits(type);
    if (length > lanes) {
        trap("MASK_RANGE", "SetVectorMask", __builtin_return_address(0),
             "SetVectorMask: %llu exceeds the %llu elements of one repeat of %s",
             static_cast<unsigned long long>(length), static_cast<unsigned long long>(lanes), dtype_name(type));
    }
    state.lo = length >= 64 ? ~uint64_t{0} : (uint64_t{1} << length) - 1;
    state.hi = length <= 64 ? 0 : length >= 128 ? ~uint64_t{0} : (uint64_t{1} << (length - 64)) - 1;
}

} // namespace akgen::twin
