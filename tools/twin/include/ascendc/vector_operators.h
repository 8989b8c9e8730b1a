// dst = a + b and its kin: whole tensors, as long as the destination.
#pragma once
#include "ascendc/vector_arithmetic.h"
#include "ascendc/vector_compare.h"

namespace AscendC {
namespace detail {

template <typename T, akgen::twin::VecOp op> struct Arithmetic {
    using TensorExpression = T;
    const LocalTensor<T> &a;
    const LocalTensor<T> &b;
    AKGEN_INLINE void into(const LocalTensor<T> &dst) const
    {
        akgen::twin::vector_count(op, dtype_of<T>(), view(dst), view(a), view(b), 0, dst.GetSize());
    }
};
template <typename T, CMPMODE mode> struct Comparison {
    using TensorExpression = T;
    const LocalTensor<T> &a;
    const LocalTensor<T> &b;
    template <typename U> AKGEN_INLINE void into(const LocalTensor<U> &dst) const { Compare(dst, a, b, mode, a.GetSize()); }
};

} // namespace detail

#define AKGEN_OPERATOR(Symbol, Name)                                                                                       \
    template <typename T>                                                                                                  \
    AKGEN_INLINE detail::Arithmetic<T, akgen::twin::VecOp::Name> operator Symbol(const LocalTensor<T> &a,                  \
                                                                                const LocalTensor<T> &b)                  \
    {                                                                                                                      \
        detail::Name##_takes<T>();                                                                                         \
        return {a, b};                                                                                                     \
    }
AKGEN_OPERATOR(+, Add)
AKGEN_OPERATOR(-, Sub)
AKGEN_OPERATOR(*, Mul)
AKGEN_OPERATOR(/, Div)
AKGEN_OPERATOR(&, And)
AKGEN_OPERATOR(|, Or)
#undef AKGEN_OPERATOR

#define AKGEN_COMPARISON(Symbol, Mode)                                                                                     \
    template <typename T>                                                                                                  \
    AKGEN_INLINE detail::Comparison<T, CMPMODE::Mode> operator Symbol(const LocalTensor<T> &a, const LocalTensor<T> &b)    \
    {                                                                                                                      \
        return {a, b};                                                                                                     \
    }
AKGEN_COMPARISON(<, LT)
AKGEN_COMPARISON(>, GT)
AKGEN_COMPARISON(==, EQ)
AKGEN_COMPARISON(<=, LE)
AKGEN_COMPARISON(>=, GE)
AKGEN_COMPARISON(!=, NE)
#undef AKGEN_COMPARISON

} // namespace AscendC
