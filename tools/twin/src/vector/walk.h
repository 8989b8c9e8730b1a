// How one vector instruction walks its operands: 8 blocks of 32 bytes per repeat, block and repeat strides, a mask.
#pragma once
#ifndef AKGEN_RUNTIME
#define AKGEN_RUNTIME
#endif
#include "akgen/vector.h"
#include <cstddef>

namespace akgen::twin {

enum class Use : uint8_t { READ, WRITE, BOTH };

struct Operand {
    const char *name;
    View view;
    uint32_t bits;  // of one element; 4 for int4b_t
    uint32_t block; // stride between blocks, in blocks
    uint32_t repeat;
    Use use;
};

// The lanes that take part. `lanes` is what one repeat holds (of the widest operand).
struct Walk {
    uint32_t lanes;
    uint32_t repeats;
    uint64_t active; // elements in all
    bool prefix;     // every repeat covers its first lanes; the last one covers `last`
    uint32_t each;   // prefix: lanes of all repeats but the last
    uint32_t last;
    uint64_t lo, hi; // !prefix: the lanes of every repeat
};

constexpr uint32_t block_bytes = 32;

// The operand's blocks lie one behind the other, within a repeat and from repeat to repeat.
inline bool packed(const Walk &w, const Operand &o)
{
    return o.block == 1 && o.repeat * block_bytes * 8 == w.lanes * o.bits;
}

// Every lane of every repeat.
inline Walk whole_repeats(uint32_t lanes, uint32_t repeats)
{
    return {lanes, repeats, static_cast<uint64_t>(lanes) * repeats, true, lanes, lanes, 0, 0};
}

inline bool lane_on(const Walk &w, uint32_t lane)
{
    return ((lane < 64 ? w.lo >> lane : w.hi >> (lane - 64)) & 1) != 0;
}

uint32_t dtype_bits(DType type);

// Trap WRONG_MEMORY unless the operand lies in the Unified Buffer, UB_ALIGNMENT unless it starts at a multiple of
// `bytes`.
void require_operand(const char *api, const void *pc, const char *operand, const View &v, uint32_t bytes = 32);

// The `count` form: contiguous, repeats as many as needed. Traps VECTOR_COUNT on a negative count.
Walk walk_count(const char *api, const void *pc, uint32_t lanes, int64_t count);
// The mask/repeat form; leaves the mask register as the instruction does. Traps MASK_RANGE, REPEAT_RANGE.
Walk walk_repeat(const char *api, const void *pc, uint32_t lanes, const MaskArg &mask, int64_t repeat);

// Bytes from the operand's start to the end of what the walk touches (0 when nothing is touched).
uint64_t extent_bytes(const Walk &w, const Operand &o);
// The block stride of a destination as the chip takes it, which takes 0 for 1 (pages of Gatherb and Brcb). Warn STRIDE_RANGE
// where a repeat writes more than one block.
uint32_t block_stride(const char *api, const void *pc, const Walk &w, const Operand &dst);
// Add what the walk touches of `o` to the instruction.
void add_access(Instr &instr, const Walk &w, const Operand &o);
// Trap PARTIAL_OVERLAP where a later repeat would read what an earlier one wrote; warn where a repeat overlaps itself
// shifted. The same operand in place, and accumulation with repeat stride 0, are fine. True: they overlap in a way
// that is allowed but needs the source to be read before anything is written.
bool check_overlap(const char *api, const void *pc, const Walk &w, const Operand &dst, const Operand &src,
                   bool carries = false);

// `loop` computes n consecutive elements; it may be called with dst equal to a source.
using Loop = void (*)(uint8_t *dst, const uint8_t *src0, const uint8_t *src1, uint64_t scalar, size_t n);
void execute(const Walk &w, const Operand *dst, const Operand *src0, const Operand *src1, Loop loop, uint64_t scalar);

inline uint8_t *lane_address(const Operand &o, uint32_t repeat, uint32_t lane)
{
    const uint64_t byte = static_cast<uint64_t>(lane) * o.bits / 8;
    return o.view.data + block_bytes * (static_cast<uint64_t>(repeat) * o.repeat + byte / block_bytes * o.block) +
           byte % block_bytes;
}

// Cycles that a vector instruction loses because its operands meet in the banks of the Unified Buffer.
//
// An address is {bank 2 bits, row 7, group 4, byte 5}: three banks of 128 rows in each of 16 groups. In one cycle a
// group gives one row to the readers, and a bank is either read or written. A repeat writes its results some cycles
// after it has read its sources, while later repeats read.
struct BankOperand { // of one repeat: `blocks` of 32 bytes, `block` apart; repeats are `repeat` apart. In blocks.
    const uint8_t *data;
    uint32_t blocks, block, repeat;
};

// Extra cycles of `repeats` repeats. `sources` has `count` entries. Lanes that a mask leaves off are taken to move.
uint32_t bank_stalls(uint32_t repeats, const BankOperand &dst, const BankOperand *sources, uint32_t count);

} // namespace akgen::twin
