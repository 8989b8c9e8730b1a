// Which element types a vector API takes on Ascend910B, from its row of a table. The check fires at compile time.
// Source: the vendor's API reference and the chip's intrinsic table. gcc's own note after the message names T.
#pragma once
#include "akgen/vector.h"
#include "ascendc/tensor.h"

namespace AscendC {
namespace detail {

template <typename T, typename... Allowed> constexpr bool one_of = (std::is_same_v<T, Allowed> || ...);

#define AKGEN_TAKES(Api, ...)                                                                                          \
    template <typename T> constexpr void Api##_takes()                                                                 \
    {                                                                                                                  \
        static_assert(one_of<PrimT<T>, __VA_ARGS__>,                                                                   \
                      "AKGEN:DTYPE_UNSUPPORTED: " #Api                                                                 \
                      " does not take this dtype on Ascend910B; supported: " #__VA_ARGS__);                            \
    }

#define AKGEN_UNARY(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#define AKGEN_BINARY(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#define AKGEN_SCALAR(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#include "akgen/tables/vector.def"
#define AKGEN_LIBRARY(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#define AKGEN_SOFTMAX(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#include "akgen/tables/library.def"
#define AKGEN_INSTRUCTION(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#define AKGEN_COMPARE_SCALAR(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#define AKGEN_ATOMIC(Name, dtypes, ...) AKGEN_TAKES(Name, dtypes)
#include "akgen/tables/instruction.def"

template <typename T> AKGEN_INLINE uint64_t bits(const T &value)
{
    uint64_t word = 0;
    __builtin_memcpy(&word, &value, sizeof value);
    return word;
}
// isSetMask = false: the caller has set the mask register, and `mask` is only a placeholder.
template <bool set> AKGEN_INLINE akgen::twin::MaskArg mask_of(const uint64_t *mask)
{
    using akgen::twin::MaskForm;
    if constexpr (set) {
        return {mask[0], mask[1], MaskForm::BITS};
    } else {
        return {0, 0, MaskForm::REGISTER};
    }
}
template <bool set> AKGEN_INLINE akgen::twin::MaskArg mask_of(uint64_t length)
{
    using akgen::twin::MaskForm;
    return {length, 0, set ? MaskForm::LENGTH : MaskForm::REGISTER};
}
AKGEN_INLINE akgen::twin::Strides strides(const UnaryRepeatParams &p)
{
    return {{p.dstBlkStride, p.srcBlkStride, 1}, {p.dstRepStride, p.srcRepStride, 0}};
}
AKGEN_INLINE akgen::twin::Strides strides(const BinaryRepeatParams &p)
{
    return {{p.dstBlkStride, p.src0BlkStride, p.src1BlkStride}, {p.dstRepStride, p.src0RepStride, p.src1RepStride}};
}

} // namespace detail
} // namespace AscendC
