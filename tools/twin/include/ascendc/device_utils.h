// Small names that kernels take for granted: alignment arithmetic, branch hints, the kind of the core.
#pragma once
#include "ascendc/sync.h"
#include <type_traits>

#ifndef likely
#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#endif

namespace AscendC {

template <typename T, typename U> struct IsSameType {
    static constexpr bool value = std::is_same_v<T, U>;
};
template <bool condition, typename Then, typename Else> struct Conditional {
    using type = std::conditional_t<condition, Then, Else>;
};
template <typename T, typename... Others> constexpr bool SupportType() { return (std::is_same_v<T, Others> || ...); }

AKGEN_INLINE constexpr uint32_t AlignUp(uint32_t value, uint32_t unit)
{
    return unit == 0 ? value : (value + unit - 1) / unit * unit;
}
AKGEN_INLINE constexpr uint32_t DivCeil(uint32_t value, uint32_t unit)
{
    return unit == 0 ? 0 : (value + unit - 1) / unit;
}
AKGEN_INLINE constexpr uint32_t CeilDivision(uint32_t value, uint32_t unit) { return DivCeil(value, unit); }

constexpr uint32_t ONE_BLK_FLOAT_NUM = ONE_BLK_SIZE / sizeof(float);
constexpr uint32_t ONE_BLK_HALF_NUM = ONE_BLK_SIZE / sizeof(half);
constexpr uint32_t ONE_REPEAT_FLOAT_SIZE = ONE_REPEAT_BYTE_SIZE / sizeof(float);
constexpr uint32_t ONE_REPEAT_HALF_SIZE = ONE_REPEAT_BYTE_SIZE / sizeof(half);

// The kind of the running core: a constant of each compilation, for a kernel is compiled once for each kind. Where one
// compilation serves both, it is asked of the runtime.
constexpr int AIC = 1;
constexpr int AIV = 2;
#ifdef AKGEN_CORE_TYPE
} // namespace AscendC
static constexpr int g_coreType = AKGEN_CORE_TYPE;
#else
struct CoreTypeWord {
    AKGEN_INLINE operator int() const { return akgen::twin::on_cube_core() ? AIC : AIV; }
};
} // namespace AscendC
static constexpr AscendC::CoreTypeWord g_coreType{};
#endif
