// Sort32, MrgSort, Sort, Concat, Extract, TopK, and the region proposals of older chips.
#pragma once
#include "akgen/vector.h"
#include "ascendc/vector_dtypes.h"

namespace AscendC {
template <typename T> struct MrgSortSrcList {
    LocalTensor<T> src1, src2, src3, src4;

    MrgSortSrcList() = default;
    AKGEN_INLINE MrgSortSrcList(const LocalTensor<T> &a, const LocalTensor<T> &b, const LocalTensor<T> &c,
                                const LocalTensor<T> &d)
        : src1(a), src2(b), src3(c), src4(d)
    {
    }
};
struct MrgSort4Info {
    uint16_t elementLengths[4] = {0, 0, 0, 0};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0;
    uint8_t repeatTimes = 1;

    MrgSort4Info() = default;
    MrgSort4Info(const uint16_t lengths[4], const bool suspend, const uint16_t valid, const uint16_t times)
        : ifExhaustedSuspension(suspend), validBit(valid), repeatTimes(static_cast<uint8_t>(times))
    {
        for (int i = 0; i < 4; ++i) {
            elementLengths[i] = lengths[i];
        }
    }
};

namespace detail {
template <typename T>
AKGEN_INLINE akgen::twin::MergeLists merge_lists(const MrgSortSrcList<T> &src, const MrgSort4Info &params)
{
    return {{view(src.src1), view(src.src2), view(src.src3), view(src.src4)},
            {params.elementLengths[0], params.elementLengths[1], params.elementLengths[2], params.elementLengths[3]},
            params.validBit,
            params.repeatTimes,
            params.ifExhaustedSuspension};
}
} // namespace detail

template <typename T>
AKGEN_INLINE void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<uint32_t> &src1,
                         const int32_t repeatTime)
{
    detail::Sort32_takes<T>();
    akgen::twin::sort_records(detail::dtype_of<T>(), detail::view(dst), detail::view(src0), detail::view(src1),
                              repeatTime);
}
template <typename T>
AKGEN_INLINE void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &params)
{
    detail::MrgSort_takes<T>();
    akgen::twin::merge_records(detail::dtype_of<T>(), false, detail::view(dst), detail::merge_lists(src, params),
                               nullptr);
}
template <typename T, bool isExhaustedSuspension = false>
AKGEN_INLINE void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &sortList,
                          const uint16_t elementCountList[4], uint32_t sortedNum[4], uint16_t validBit,
                          const int32_t repeatTime)
{
    detail::MrgSort_takes<T>();
    const MrgSort4Info params(elementCountList, isExhaustedSuspension, validBit, static_cast<uint16_t>(repeatTime));
    akgen::twin::merge_records(detail::dtype_of<T>(), false, detail::view(dst), detail::merge_lists(sortList, params),
                               sortedNum);
}
AKGEN_INLINE void GetMrgSortResult(uint16_t &mrgSortList1, uint16_t &mrgSortList2, uint16_t &mrgSortList3,
                                   uint16_t &mrgSortList4)
{
    uint16_t taken[4];
    akgen::twin::last_merge(taken);
    mrgSortList1 = taken[0];
    mrgSortList2 = taken[1];
    mrgSortList3 = taken[2];
    mrgSortList4 = taken[3];
}

template <typename T, bool isFullSort>
AKGEN_INLINE void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &concat, const LocalTensor<uint32_t> &index,
                       LocalTensor<T> &tmp, const int32_t repeatTime)
{
    detail::Sort_takes<T>();
    akgen::twin::sort_all(detail::dtype_of<T>(), detail::view(dst), detail::view(concat), detail::view(index),
                          detail::view(tmp), repeatTime, isFullSort);
}
// On this chip a record is built by the sort itself: nothing moves.
template <typename T>
AKGEN_INLINE void Concat(LocalTensor<T> &concat, const LocalTensor<T> &src, const LocalTensor<T> &, const int32_t)
{
    concat = src;
}
template <typename T>
AKGEN_INLINE void Extract(const LocalTensor<T> &dstValue, const LocalTensor<uint32_t> &dstIndex,
                          const LocalTensor<T> &sorted, const int32_t repeatTime)
{
    detail::Extract_takes<T>();
    akgen::twin::extract_records(detail::dtype_of<T>(), detail::view(dstValue), detail::view(dstIndex),
                                 detail::view(sorted), repeatTime);
}
// In elements of T: a record takes 8 bytes.
template <typename T> AKGEN_INLINE uint32_t GetSortOffset(const uint32_t elemOffset)
{
    return elemOffset * 8 / sizeof(T);
}
template <typename T> AKGEN_INLINE uint32_t GetSortLen(const uint32_t elemCount) { return elemCount * 8 / sizeof(T); }

template <typename T>
AKGEN_INLINE void ProposalConcat(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,
                                 const int32_t modeNumber)
{
    detail::ProposalConcat_takes<T>();
    akgen::twin::proposal_field(detail::view(dst), detail::view(src), repeatTime, modeNumber, true);
}
template <typename T>
AKGEN_INLINE void ProposalExtract(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,
                                  const int32_t modeNumber)
{
    detail::ProposalExtract_takes<T>();
    akgen::twin::proposal_field(detail::view(src), detail::view(dst), repeatTime, modeNumber, false);
}
template <typename T>
AKGEN_INLINE void RpSort16(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime)
{
    detail::RpSort16_takes<T>();
    akgen::twin::sort_proposals(detail::view(dst), detail::view(src), repeatTime);
}
template <typename T>
AKGEN_INLINE void MrgSort4(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &params)
{
    detail::MrgSort4_takes<T>();
    akgen::twin::merge_records(detail::dtype_of<T>(), true, detail::view(dst), detail::merge_lists(src, params),
                               nullptr);
}

#ifndef AKGEN_TOPK_MODE // host code and kernels may share a file
#define AKGEN_TOPK_MODE
enum class TopKMode { TOPK_NORMAL, TOPK_NSMALL };
#endif
enum class TopKAlgo { RADIX_SELECT, MERGE_SORT };
enum class TopKOrder { UNSET, LARGEST, SMALLEST };
struct TopKConfig {
    TopKAlgo algo = TopKAlgo::MERGE_SORT;
    TopKOrder order = TopKOrder::UNSET;
    bool sorted = true;
};
constexpr TopKConfig defaultTopKConfig = {};
namespace detail {
template <const TopKConfig &config> constexpr void is_default_top_k()
{
    static_assert(config.algo == TopKAlgo::MERGE_SORT && config.order == TopKOrder::UNSET && config.sorted,
                  "AKGEN:OTHER_CHIP: TopK takes a configuration on later chips only; leave it at defaultTopKConfig, "
                  "isLargest says the order");
}
} // namespace detail
struct TopKInfo {
    int32_t outter = 1;
    int32_t inner = 1;
    int32_t n = 1;
};
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL, const TopKConfig &config = defaultTopKConfig, typename Tiling>
AKGEN_INLINE void TopK(const LocalTensor<T> &dstValueLocal, const LocalTensor<int32_t> &dstIndexLocal,
                       const LocalTensor<T> &srcLocal, const LocalTensor<int32_t> &srcIndexLocal,
                       const LocalTensor<bool> &finishLocal, const LocalTensor<uint8_t> &tmpLocal, const int32_t k,
                       const Tiling &, const TopKInfo &topKInfo, const bool isLargest = true)
{
    detail::TopK_takes<T>();
    detail::is_default_top_k<config>();
    akgen::twin::top_k({detail::dtype_of<T>(), detail::view(dstValueLocal), detail::view(dstIndexLocal),
                        detail::view(srcLocal), detail::view(srcIndexLocal), detail::view(finishLocal),
                        detail::view(tmpLocal), k, topKInfo.outter, topKInfo.inner, topKInfo.n, isInitIndex,
                        isHasfinish, isLargest});
}
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL, const TopKConfig &config = defaultTopKConfig, typename Tiling>
AKGEN_INLINE void TopK(const LocalTensor<T> &dstValueLocal, const LocalTensor<int32_t> &dstIndexLocal,
                       const LocalTensor<T> &srcLocal, const LocalTensor<int32_t> &srcIndexLocal,
                       const LocalTensor<bool> &finishLocal, const int32_t k, const Tiling &, const TopKInfo &topKInfo,
                       const bool isLargest = true)
{
    detail::TopK_takes<T>();
    detail::is_default_top_k<config>();
    akgen::twin::top_k({detail::dtype_of<T>(),
                        detail::view(dstValueLocal),
                        detail::view(dstIndexLocal),
                        detail::view(srcLocal),
                        detail::view(srcIndexLocal),
                        detail::view(finishLocal),
                        {},
                        k,
                        topKInfo.outter,
                        topKInfo.inner,
                        topKInfo.n,
                        isInitIndex,
                        isHasfinish,
                        isLargest});
}

} // namespace AscendC
