// Xor, truth values, Where.
#pragma once
#include "ascendc/vector_math.h"

namespace AscendC {
namespace detail {
AKGEN_TAKES(Xor, int16_t, uint16_t)
AKGEN_TAKES(LogicalNot, bool, int8_t, uint8_t, half, int16_t, uint16_t, float, int32_t, uint32_t)
AKGEN_TAKES(Where, bool, int8_t, uint8_t, half, int16_t, uint16_t, float, int32_t, uint32_t)
} // namespace detail

template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Xor(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                      const LocalTensor<T> &src1Tensor, const LocalTensor<uint8_t> &sharedTmpBuffer,
                      const uint32_t calCount)
{
    detail::Xor_takes<T>();
    akgen::twin::xor_count(detail::dtype_of<T>(), detail::view(dstTensor), detail::view(src0Tensor),
                           detail::view(src1Tensor), detail::view(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Xor(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                      const LocalTensor<T> &src1Tensor, const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    Xor<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Xor(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                      const LocalTensor<T> &src1Tensor, const uint32_t calCount)
{
    detail::Xor_takes<T>();
    akgen::twin::xor_count(detail::dtype_of<T>(), detail::view(dstTensor), detail::view(src0Tensor),
                           detail::view(src1Tensor), {}, calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Xor(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                      const LocalTensor<T> &src1Tensor)
{
    Xor<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());
}

template <typename T>
AKGEN_INLINE void LogicalNot(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
    detail::LogicalNot_takes<T>();
    akgen::twin::logical_count("LogicalNot", 0, detail::dtype_of<T>(), detail::view(dst), detail::view(src), {},
                               count);
}
template <typename T>
AKGEN_INLINE void LogicalAnd(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                             const uint32_t count)
{
    detail::LogicalNot_takes<T>();
    akgen::twin::logical_count("LogicalAnd", 1, detail::dtype_of<T>(), detail::view(dst), detail::view(src0),
                               detail::view(src1), count);
}
template <typename T>
AKGEN_INLINE void LogicalOr(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                            const uint32_t count)
{
    detail::LogicalNot_takes<T>();
    akgen::twin::logical_count("LogicalOr", 2, detail::dtype_of<T>(), detail::view(dst), detail::view(src0),
                               detail::view(src1), count);
}

namespace detail {
template <typename T> AKGEN_INLINE akgen::twin::View where_view(const LocalTensor<T> &tensor) { return view(tensor); }
template <typename T> AKGEN_INLINE akgen::twin::View where_view(const T &) { return {}; }
template <typename T> AKGEN_INLINE uint64_t where_bits(const LocalTensor<T> &) { return 0; }
template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, half>>>
AKGEN_INLINE uint64_t where_bits(const T &value)
{
    return bits(value);
}
} // namespace detail
// Either source may be a scalar of the element type.
template <typename T, typename U, typename S>
AKGEN_INLINE void Where(const LocalTensor<T> &dst, const U &src0, const S &src1, const LocalTensor<bool> &condition,
                        const uint32_t count)
{
    detail::Where_takes<T>();
    akgen::twin::where_count(detail::dtype_of<T>(), detail::view(dst), detail::where_view(src0),
                             detail::where_view(src1), detail::where_bits(src0), detail::where_bits(src1),
                             detail::view(condition), count);
}

} // namespace AscendC
