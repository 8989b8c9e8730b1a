// Select: take from one of two sources by a bit, and SelectWithBytesMask, which takes by a byte.
#include "loops.h"

#include "../device/pipe.h"
#include "akgen/vector.h"
#include "composite.h"
#include "facts.h"
#include "record.h"
#include "state.h"

namespace akgen::twin {
namespace {

enum Mode : uint8_t { CMPMASK_SPR, TENSOR_SCALAR, TENSOR_TENSOR };

struct Job {
    const char *api = apis::Select.name;
    const void *pc;
    DType type;
    View dst, bits, src0, src1;
    uint64_t scalar;
    bool has_scalar;
    bool reuse; // every repeat takes the same bits (VSEL_CMPMASK_SPR)
};

bool bit(const uint8_t *bits, uint64_t i) { return (bits[i / 8] >> (i % 8) & 1) != 0; }

template <typename T> void pick(T *dst, const T *a, const T *b, T scalar, const uint8_t *bits, uint64_t first, size_t n)
{
    if (first % 8 == 0 && b == nullptr) {
        for (size_t i = 0; i < n; ++i) {
            dst[i] = bit(bits, first + i) ? a[i] : scalar;
        }
    } else {
        for (size_t i = 0; i < n; ++i) {
            dst[i] = bit(bits, first + i) ? a[i] : b ? b[i] : scalar;
        }
    }
}
void pick(const Job &j, uint8_t *dst, const uint8_t *a, const uint8_t *b, uint64_t first, size_t n)
{
    if (dtype_bytes(j.type) == 2) {
        pick(reinterpret_cast<uint16_t *>(dst), reinterpret_cast<const uint16_t *>(a),
             reinterpret_cast<const uint16_t *>(b), static_cast<uint16_t>(j.scalar), j.bits.data, first, n);
    } else {
        pick(reinterpret_cast<uint32_t *>(dst), reinterpret_cast<const uint32_t *>(a),
             reinterpret_cast<const uint32_t *>(b), static_cast<uint32_t>(j.scalar), j.bits.data, first, n);
    }
}

void record(const Job &j, const Walk &w, uint64_t bit_bytes, const Operand &d, const Operand &a, const Operand &b)
{
    Instr instr = vector_instr(apis::Select, j.pc, j.type, w);
    add_access(instr, w, d);
    add_access(instr, w, a);
    if (!j.has_scalar) {
        add_access(instr, w, b);
    }
    if (bit_bytes) {
        instr.access[instr.n_access++] = Access{j.bits.data, bit_bytes, 1, 0, false, j.bits.size_bytes};
    }
    issue(instr);
}

void check(const Job &j, bool register_bits)
{
    require_operand(j.api, j.pc, "dst", j.dst);
    require_operand(j.api, j.pc, "src0", j.src0);
    if (!j.has_scalar) {
        require_operand(j.api, j.pc, "src1", j.src1);
    }
    if (!register_bits) {
        require_operand(j.api, j.pc, "selMask", j.bits);
    }
}

void run(const Job &j, const Walk &w, const Strides &s, bool register_bits)
{
    const uint32_t bytes = dtype_bytes(j.type);
    Operand d{"dst", j.dst, bytes * 8, s.block[0], s.repeat[0], Use::WRITE};
    d.block = block_stride(j.api, j.pc, w, d);
    const Operand a{"src0", j.src0, bytes * 8, s.block[1], s.repeat[1], Use::READ};
    const Operand b{"src1", j.src1, bytes * 8, s.block[2], s.repeat[2], Use::READ};
    const uint64_t consumed = j.reuse ? (w.lanes < w.active ? w.lanes : w.active)
                                      : static_cast<uint64_t>(w.repeats - 1) * w.lanes + (w.prefix ? w.last : w.lanes);
    record(j, w, register_bits ? 0 : (consumed + 7) / 8, d, a, b);
    check_overlap(j.api, j.pc, w, d, a);
    if (!j.has_scalar) {
        check_overlap(j.api, j.pc, w, d, b);
    }
    const uint32_t step = 32 / bytes;
    const bool unit = w.prefix && d.block == 1 && a.block == 1 && (j.has_scalar || b.block == 1);
    for (uint32_t r = 0; r < w.repeats; ++r) {
        const uint64_t first = j.reuse ? 0 : static_cast<uint64_t>(r) * w.lanes;
        const uint32_t n = w.prefix ? (r + 1 == w.repeats ? w.last : w.each) : w.lanes;
        const uint32_t run_lanes = unit ? n : step;
        for (uint32_t lane = 0; lane < n; lane += run_lanes) {
            const uint32_t m = n - lane < run_lanes ? n - lane : run_lanes;
            for (uint32_t k = 0; k < m; k += w.prefix ? m : 1) {
                if (w.prefix || lane_on(w, lane + k)) {
                    pick(j, lane_address(d, r, lane + k), lane_address(a, r, lane + k),
                         j.has_scalar ? nullptr : lane_address(b, r, lane + k), first + lane + k, w.prefix ? m : 1);
                }
            }
        }
    }
}

Job job_of(const void *pc, DType type, View dst, View bits, View src0, View src1, uint64_t scalar, uint8_t mode,
           bool scalar_form)
{
    if (scalar_form && mode != TENSOR_SCALAR) {
        trap("SELECT_MODE", "Select", pc, "Select with a scalar as its second source needs VSEL_TENSOR_SCALAR_MODE");
    }
    if (!scalar_form && mode == TENSOR_SCALAR) {
        trap("SELECT_MODE", "Select", pc, "Select with two tensors needs VSEL_CMPMASK_SPR or VSEL_TENSOR_TENSOR_MODE");
    }
    Job j{};
    j.pc = pc;
    j.type = type;
    j.dst = dst;
    j.bits = bits;
    j.src0 = src0;
    j.src1 = src1;
    j.scalar = scalar;
    j.has_scalar = scalar_form;
    j.reuse = mode == CMPMASK_SPR;
    if (!j.reuse) {
        warn_of_little_left(j.api, pc, own_scratch_bytes);
    }
    check(j, false);
    return j;
}

} // namespace

void select_count(DType type, View dst, View bits, View src0, View src1, uint64_t scalar, uint8_t mode,
                  bool scalar_form, int64_t count)
{
    const void *pc = __builtin_return_address(0);
    const Job j = job_of(pc, type, dst, bits, src0, src1, scalar, mode, scalar_form);
    const Walk w = walk_count(apis::Select.name, pc, 256 / dtype_bytes(type), count);
    if (w.active != 0) {
        run(j, w, Strides{{1, 1, 1}, {8, 8, 8}}, false);
    }
}

void select_repeat(DType type, View dst, View bits, View src0, View src1, uint64_t scalar, uint8_t mode,
                   bool scalar_form, MaskArg mask, uint32_t repeat, const Strides &strides)
{
    const void *pc = __builtin_return_address(0);
    const Job j = job_of(pc, type, dst, bits, src0, src1, scalar, mode, scalar_form);
    const Walk w = walk_repeat(apis::Select.name, pc, 256 / dtype_bytes(type), mask, repeat);
    if (w.active != 0) {
        run(j, w, strides, false);
    }
}

void select_register(DType type, View dst, View bits, View src0, View src1, uint8_t mode, uint32_t repeat,
                     const Strides &strides)
{
    const void *pc = __builtin_return_address(0);
    uint8_t *const held = vector_state().compare_mask;
    Job j{};
    j.pc = pc;
    j.type = type;
    j.dst = dst;
    j.bits = mode == CMPMASK_SPR ? View{held, 0} : bits;
    j.src0 = src0;
    j.src1 = src1;
    if (mode == TENSOR_SCALAR) {
        j.has_scalar = true;
        std::memcpy(&j.scalar, held, dtype_bytes(type));
    } else if (mode == TENSOR_TENSOR) {
        uint32_t low = 0;
        std::memcpy(&low, held, sizeof low);
        const uint32_t here = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(dst.data));
        j.bits = View{dst.data + static_cast<int32_t>(low - here), 0};
    }
    j.reuse = mode == CMPMASK_SPR;
    check(j, j.reuse);
    const Walk w =
        walk_repeat(apis::Select.name, pc, 256 / dtype_bytes(type), MaskArg{0, 0, MaskForm::REGISTER}, repeat);
    if (w.active != 0) {
        run(j, w, strides, j.reuse);
    }
}

void select_bytes(DType type, View dst, View src0, View src1, uint64_t scalar, View flags, uint32_t flag_bytes,
                  View work, uint32_t first, uint32_t src_last, uint32_t mask_last)
{
    const void *pc = __builtin_return_address(0);
    constexpr const ApiFacts &facts = apis::SelectWithBytesMask;
    constexpr const char *api = facts.name;
    const bool scalar_first = src0.data == nullptr;
    const View tensor = scalar_first ? src1 : src0;
    require_operand(api, pc, "dst", dst);
    require_operand(api, pc, "src", tensor);
    require_operand(api, pc, "selMask", flags);
    if (mask_last < src_last) {
        trap("VECTOR_COUNT", api, pc, "%s: a row of the mask (%u) is shorter than a row of the source (%u)", api,
             mask_last, src_last);
    }
    const uint32_t size = dtype_bytes(type);
    require_whole_blocks(api, pc, "a row of the source", src_last, size);
    require_whole_blocks(api, pc, "a row of the mask", mask_last, flag_bytes);
    if (mask_last % 16 != 0) {
        trap("VECTOR_COUNT", api, pc, "%s: a row of the mask has %u elements, not a multiple of 16", api, mask_last);
    }
    require_temporary(api, pc, work, 32);
    warn_of_little(api, pc, work, row_scratch_bytes(src_last));
    const uint64_t n = static_cast<uint64_t>(first) * src_last;
    Instr instr = vector_instr(api, facts.steps[0], pc, type, n);
    instr.access[0] = Access{tensor.data, n * size, 1, 0, false, tensor.size_bytes};
    instr.access[1] = Access{flags.data, static_cast<uint64_t>(src_last) * flag_bytes,
                             first,      static_cast<int64_t>(mask_last) * flag_bytes,
                             false,      flags.size_bytes};
    instr.access[2] = Access{dst.data, n * size, 1, 0, true, dst.size_bytes};
    instr.n_access = work.data ? 4 : 3;
    instr.access[3] = Access{work.data, 32, 1, 0, true, work.size_bytes};
    if (n == 0) {
        return;
    }
    issue(instr);
    for (const char *const *row = facts.steps + 1; *row; ++row) {
        Instr step = instr;
        step.op = *row;
        step.n_access = 0;
        issue(step);
    }
    for (uint64_t r = 0; r < first; ++r) {
        for (uint64_t i = 0; i < src_last; ++i) {
            const uint64_t at = (r * src_last + i) * size;
            uint32_t flag = 0;
            std::memcpy(&flag, flags.data + (r * mask_last + i) * flag_bytes, flag_bytes);
            const bool second = flag != 0;
            const bool from_scalar = second != scalar_first; // mask 0 takes the first source
            std::memcpy(dst.data + at, from_scalar ? reinterpret_cast<const uint8_t *>(&scalar) : tensor.data + at,
                        size);
        }
    }
}

} // namespace akgen::twin
