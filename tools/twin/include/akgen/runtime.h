// The contract between the thin device headers and the precompiled runtime.
// Headers resolve dtypes and operands and call extern functions declared here or in a family header
// (akgen/vector.h, akgen/copy.h, ...). No host header may be included from here: a kernel must not see libc.
#pragma once
#include <stdint.h>

#define AKGEN_API extern "C++" __attribute__((visibility("default")))
// A wrapper is always inlined into the kernel, so that the return address of the runtime entry point lies in the
// kernel's own code and resolves (addr2line -i) to the user's line.
#define AKGEN_INLINE __attribute__((always_inline)) inline

namespace akgen::twin {

enum class Pipe : uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX, ALL };
enum class DType : uint8_t { F32, F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64, BOOL, I4, NONE };
enum class Space : uint8_t { GM, UB, L1, L0A, L0B, L0C, BT, FB, NONE };

// An operand: `data` is a real address; `size_bytes` is what lies between it and the end of the buffer it was
// allocated from (0: unknown, a raw pointer; then the on-chip arena is the limit).
struct View {
    uint8_t *data;
    uint32_t size_bytes;
};

// `rows` runs of `row_bytes` bytes, `row_stride` bytes apart (one run: rows = 1).
struct Access {
    const uint8_t *begin;
    uint64_t row_bytes;
    uint32_t rows;
    int64_t row_stride;
    bool write;
    uint32_t limit_bytes; // View::size_bytes of the operand, 0: unknown
};

// One instruction as the hardware sees it. `cost` is in the unit that the pipe's table needs:
// V: repeats of 256 bytes, MTE/FIX: bytes (taken from the accesses), M: fractal steps, S: operations.
struct Instr {
    const char *api; // vendor name, static string
    const char *op;  // row of the throughput table ("Add", "Exp", "Cast f32->f16"), static string
    const void *pc;  // __builtin_return_address(0) of the entry point
    Pipe pipe;
    DType dtype; // type that decides throughput
    uint8_t n_access;
    Access access[6];
    uint32_t repeats;
    uint64_t elements;
    uint32_t stalls; // V: cycles lost to bank conflicts
};

#ifdef AKGEN_RUNTIME // what follows is for the runtime's own sources

// Check ranges and alignment-free overlap, look for races, and append to this core's timeline.
// Returns after recording; the caller then does the data work (program order). Does not return if a check fired.
void issue(const Instr &instr);

// Report and end this launch. `code` is a stable code of knowledge/errors.json. printf-style text, one sentence,
// with the numbers in it. Never returns.
[[noreturn]] void trap(const char *code, const char *api, const void *pc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Report and go on (severity warning).
void warn(const char *code, const char *api, const void *pc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Vector mask state of the running core (SetMaskNorm/SetMaskCount/SetVectorMask/ResetMask).
struct MaskState {
    bool counter;    // counter mode: `lo` is the total element count
    uint64_t lo, hi; // normal mode: bit mask per repeat
};
MaskState &mask_state();

const char *dtype_name(DType t); // "half"
uint32_t dtype_bytes(DType t);

// Alignment of an on-chip operand: traps UB_ALIGNMENT (or L1_, L0_ ...) unless data % bytes == 0.
void require_aligned(const char *api, const void *pc, const char *operand, const View &v, uint32_t bytes);
Space space_of(const void *address);

#endif
} // namespace akgen::twin
