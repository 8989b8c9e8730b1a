// What a Matmul object is made of beside its configuration: operand types, callbacks and
// policies. Names are the vendor's.
#pragma once
#include "ascendc/matmul_config.h"
#include "ascendc/tensor.h"

enum class CubeFormat { ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, ROW_MAJOR = ND, COLUMN_MAJOR = 8 };
enum class LayoutMode { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };

namespace AscendC {
using ::CubeFormat;
using ::LayoutMode;

template <TPosition POSITION, CubeFormat FORMAT, typename TYPE, bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false, TPosition SRCPOS = TPosition::GM>
struct MatmulType {
    static constexpr TPosition pos = POSITION;
    static constexpr CubeFormat format = FORMAT;
    static constexpr bool isTrans = ISTRANS;
    static constexpr LayoutMode layout = LAYOUT;
    static constexpr bool ibShare = IBSHARE;
    static constexpr TPosition srcPos = SRCPOS; // where a matrix in TSCM came from
    using T = TYPE;
};
// Quotients of numbers, rounded up; of tensors it is the mathematical interface.
template <typename A, typename B, std::enable_if_t<std::is_integral_v<A> && std::is_integral_v<B>, int> = 0>
AKGEN_INLINE constexpr auto Ceil(const A &value, const B &unit)
{
    return (value + unit - 1) / unit;
}
// The type of sums in L0C, by that of A.
template <typename T> struct GetMmDstType {
    using Type = std::conditional_t<std::is_same_v<T, int8_t> || std::is_same_v<T, int4b_t>, int32_t, float>;
};
// A block of C: where it begins, and its size.
struct MatrixOffset {
    int32_t offset;
    int32_t row, col;
    int32_t height, width;
};
// B with two of every four elements along k, and where they stood.
template <TPosition POSITION, TPosition INDEX_POSITION, CubeFormat FORMAT, typename TYPE, bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false>
struct SparseMatmulType : MatmulType<POSITION, FORMAT, TYPE, ISTRANS, LAYOUT, IBSHARE> {
    static_assert(sizeof(TYPE) == 0,
                  "AKGEN:NOT_SIMULATED: the twin multiplies no sparse matrices; give B whole, as MatmulType");
};

// C from L0C, A to L1 and B to L1, a block at a time, by functions of the kernel.
template <void (*DataCopyOut)(const __gm__ void *, const LocalTensor<int8_t> &, const void *, const uint64_t,
                              const uint64_t) = nullptr,
          void (*CopyA1)(const LocalTensor<int8_t> &, const __gm__ void *, int, int, int, int, const uint64_t,
                         const uint64_t) = nullptr,
          void (*CopyB1)(const LocalTensor<int8_t> &, const __gm__ void *, int, int, int, int, const uint64_t,
                         const uint64_t) = nullptr>
struct MatmulCallBackFunc {
    static constexpr bool none = CopyA1 == nullptr && CopyB1 == nullptr;
    static constexpr auto copy_a = CopyA1, copy_b = CopyB1;
    static_assert(
        DataCopyOut == nullptr,
        "AKGEN:NOT_SIMULATED: the twin stores the results of a Matmul object itself and calls no DataCopyOut of "
        "MatmulCallBackFunc; pass nullptr");
};

// In which order an object goes through its blocks; the orders give the same C.
template <const auto &MM_CFG, typename... Types> class MatmulPolicy {};
template <const auto &MM_CFG, typename... Types> class NBuffer33MatmulPolicy {};
// Blocks on one side of the diagonal, and those on it; the others are left as they are.
template <const auto &MM_CFG, typename... Types> class TrianUpperMatmulPolicy {};
template <const auto &MM_CFG, typename... Types> class TrianLowerMatmulPolicy {};
namespace detail {
enum class Part { whole, upper, lower }; // of C
template <template <const auto &, typename...> class Policy> constexpr Part part_of = Part::whole;
template <> inline constexpr Part part_of<TrianUpperMatmulPolicy> = Part::upper;
template <> inline constexpr Part part_of<TrianLowerMatmulPolicy> = Part::lower;
} // namespace detail
namespace Impl::Detail {
using AscendC::MatmulPolicy;
using AscendC::NBuffer33MatmulPolicy;
using AscendC::TrianLowerMatmulPolicy;
using AscendC::TrianUpperMatmulPolicy;
} // namespace Impl::Detail

} // namespace AscendC
