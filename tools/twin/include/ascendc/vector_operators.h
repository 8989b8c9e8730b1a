// dst = a < b and its kin: one bit per element of the sources. Arithmetic is in tensor_operators.h.
#pragma once
#include "ascendc/vector_compare.h"

namespace AscendC {
namespace detail {
template <typename T, CMPMODE mode> struct Comparison {
    using ComparedType = T;
    const LocalTensor<T> &a;
    const LocalTensor<T> &b;
    template <typename U> AKGEN_INLINE void into(const LocalTensor<U> &dst) const
    {
        Compare(dst, a, b, mode, a.GetSize());
    }
};
} // namespace detail

#define AKGEN_CMPMODE(Mode, symbol)                                                                                    \
    template <typename T>                                                                                              \
    AKGEN_INLINE detail::Comparison<T, CMPMODE::Mode> operator symbol(const LocalTensor<T> &a,                         \
                                                                      const LocalTensor<T> &b)                         \
    {                                                                                                                  \
        return {a, b};                                                                                                 \
    }
#include "akgen/tables/compare.def"

} // namespace AscendC
