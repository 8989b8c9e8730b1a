// Operators between tensors: dst = a + b and its kin, as long as dst; dst = a < b and its kin, one bit per element of a.
#pragma once
#include "ascendc/vector_arithmetic.h"
#include "ascendc/vector_compare.h"

namespace AscendC {
namespace detail {
// And and Or work on 16 bits; between whole tensors they take those of 32 bits as twice as many.
template <typename T> AKGEN_INLINE auto in_halves(const LocalTensor<T> &t)
{
    if constexpr (std::is_integral_v<T> && sizeof(T) == 4) {
        return t.template ReinterpretCast<int16_t>();
    } else {
        return t;
    }
}
template <typename T> AKGEN_INLINE const LocalTensor<T> &as_it_is(const LocalTensor<T> &t) { return t; }
} // namespace detail
#define AKGEN_TENSOR_OPERATOR(symbol, name, api, view)                                                                 \
    namespace detail {                                                                                                 \
    template <typename T> struct name {                                                                                \
        static AKGEN_INLINE void run(const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<T> &b)      \
        {                                                                                                              \
            api(view(dst), view(a), view(b), static_cast<int32_t>(view(dst).GetSize()));                               \
        }                                                                                                              \
    };                                                                                                                 \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    AKGEN_INLINE TensorExpression<T, detail::name> operator symbol(const LocalTensor<T> &a, const LocalTensor<T> &b)   \
    {                                                                                                                  \
        return {a, b};                                                                                                 \
    }
AKGEN_TENSOR_OPERATOR(+, SumOf, Add, as_it_is)
AKGEN_TENSOR_OPERATOR(-, DifferenceOf, Sub, as_it_is)
AKGEN_TENSOR_OPERATOR(*, ProductOf, Mul, as_it_is)
AKGEN_TENSOR_OPERATOR(/, QuotientOf, Div, as_it_is)
AKGEN_TENSOR_OPERATOR(|, OrOf, Or, in_halves)
AKGEN_TENSOR_OPERATOR(&, AndOf, And, in_halves)
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
