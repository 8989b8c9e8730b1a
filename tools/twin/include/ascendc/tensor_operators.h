// Operators between tensors: dst = a + b and its kin, as long as dst; dst = a < b and its kin, one bit per element of a.
#pragma once
#include "ascendc/vector_arithmetic.h"
#include "ascendc/vector_compare.h"

namespace AscendC {
#define AKGEN_TENSOR_OPERATOR(symbol, name, api)                                                                       \
    namespace detail {                                                                                                 \
    template <typename T> struct name {                                                                                \
        static AKGEN_INLINE void run(const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<T> &b)      \
        {                                                                                                              \
            api(dst, a, b, static_cast<int32_t>(dst.GetSize()));                                                       \
        }                                                                                                              \
    };                                                                                                                 \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    AKGEN_INLINE TensorExpression<T, detail::name> operator symbol(const LocalTensor<T> &a, const LocalTensor<T> &b)   \
    {                                                                                                                  \
        return {a, b};                                                                                                 \
    }
AKGEN_TENSOR_OPERATOR(+, SumOf, Add)
AKGEN_TENSOR_OPERATOR(-, DifferenceOf, Sub)
AKGEN_TENSOR_OPERATOR(*, ProductOf, Mul)
AKGEN_TENSOR_OPERATOR(/, QuotientOf, Div)
AKGEN_TENSOR_OPERATOR(|, OrOf, Or)
AKGEN_TENSOR_OPERATOR(&, AndOf, And)
#undef AKGEN_TENSOR_OPERATOR

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
