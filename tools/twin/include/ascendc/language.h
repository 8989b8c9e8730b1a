// Words of the device language that g++ does not know, and the scalar types that every kernel sees.
// Only names of <cstdint> and <cstddef> are visible here: a kernel must not find libc through our headers.
#pragma once
#include <cstddef>
#include <cstdint>

// A mark that changes nothing and that scalar_code.py finds in the compiler's GIMPLE or LLVM IR; clang++ is asked for
// that by itself, and is not given the mark when it compiles.
#if defined(AKGEN_FORM) && !defined(ASCENDC_CPU_DEBUG)
#define AKGEN_DEVICE __attribute__((annotate("aicore")))
#elif defined(__clang__) || defined(ASCENDC_CPU_DEBUG)
#define AKGEN_DEVICE
#else
#define AKGEN_DEVICE __attribute__((noplt))
#endif
#define __aicore__ AKGEN_DEVICE
#define __global__ __attribute__((visibility("default"), used, externally_visible))
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
#define __in__
#define __out__
#define __inout__
#define __sync_noalias__
#define __sync_in__
#define __sync_out__
#define __kfc_workspace__
#define __simd_vf__
#define __inout_pipe__(...)
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __no_simd_vf_fusion__
#define __schedmode__(...)
#define __cube__
#define __vector__
#define __mix__(...)
#define __simt_vf__
#define __check_sync_alias__
#define __force_inline__ __attribute__((always_inline))
#define __forceinline__ inline
#define __BLOCK_LOCAL__ thread_local
#define __block_local__ thread_local
#define __WORKGROUP_LOCAL__ thread_local
#define __CCE_AICORE__ 220
#define __NPU_ARCH__ 2201
#define __DAV_C220__ 1
#define GM_ADDR __gm__ uint8_t *
#if defined(AKGEN_CORE_TYPE) && AKGEN_CORE_TYPE == 1
#define __DAV_C220_CUBE__ 1
#elif defined(AKGEN_CORE_TYPE)
#define __DAV_C220_VEC__ 1
#endif
#define ASCENDC_TWIN 1

using half = _Float16;
using float16_t = _Float16;
using float32_t = float;
using float64_t = double;

// Brain float: storage and conversions. Arithmetic happens in float, as vector instructions of this chip do it, too.
struct bfloat16_t {
    uint16_t bits;

    bfloat16_t() = default;
    bfloat16_t(float value) : bits(round_to_nearest_even(value)) {}
    operator float() const { return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16); }

    static uint16_t round_to_nearest_even(float value)
    {
        const uint32_t word = __builtin_bit_cast(uint32_t, value);
        if ((word & 0x7fffffffu) > 0x7f800000u) {
            return static_cast<uint16_t>((word >> 16) | 0x40u); // a NaN stays a NaN
        }
        return static_cast<uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
    }
    static constexpr bfloat16_t from_bits(uint16_t word)
    {
        bfloat16_t value{};
        value.bits = word;
        return value;
    }
};
#ifndef ASCENDC_CPU_DEBUG
// The scalar unit has no arithmetic of this type. Source: ToFloat and ToBfloat16 of the reference, which are there for that.
#define AKGEN_NO_ARITHMETIC(sign)                                                                                      \
    template <typename T, typename = char[__is_same(T, bfloat16_t) ? 1 : -1]> constexpr T operator sign(T a, T)        \
    {                                                                                                                  \
        static_assert(!sizeof(T), "AKGEN:HALF_ARITHMETIC: Two bfloat16_t are combined with " #sign                     \
                                  " in scalar code; the device's compiler refuses that");                              \
        return a;                                                                                                      \
    }
AKGEN_NO_ARITHMETIC(+)
AKGEN_NO_ARITHMETIC(-)
AKGEN_NO_ARITHMETIC(*)
AKGEN_NO_ARITHMETIC(/)
#undef AKGEN_NO_ARITHMETIC
#endif
