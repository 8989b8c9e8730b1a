// Tilings of SoftMax and its relatives. Rows are the product of all axes but the last; the device API works on
// `reduceM` rows at a time, which is what the workspace allows.
#include "adv_api/softmax_tiling.h"

#include "live.h"

namespace AscendC {

namespace {

constexpr uint32_t block_bytes = 32;
constexpr uint32_t repeat_bytes = 256;

struct Rows {
    uint32_t m;
    uint32_t k;
};

Rows rows_of(const ge::Shape &src)
{
    const size_t axes = src.GetDimNum();
    uint32_t m = 1;
    for (size_t i = 0; i + 1 < axes; ++i) {
        m *= static_cast<uint32_t>(src.GetDim(i));
    }
    return {m, axes == 0 ? 0 : static_cast<uint32_t>(src.GetDim(axes - 1))};
}

namespace live = akgen::host::live;
using akgen::host::float_bytes;

// Float scratch for one row: what is alive of it, and one repeat for reductions.
uint32_t row_bytes(const Rows &rows, uint32_t live) { return live * rows.k * float_bytes + repeat_bytes; }

uint32_t max_bytes(const ge::Shape &src, uint32_t live)
{
    const Rows rows = rows_of(src);
    return rows.m * row_bytes(rows, live);
}

uint32_t min_bytes(const ge::Shape &src, uint32_t live) { return row_bytes(rows_of(src), live); }

template <class T>
void fill(const ge::Shape &src, uint32_t max_type_bytes, uint32_t workspace_bytes, uint32_t live, T &tiling)
{
    const Rows rows = rows_of(src);
    const uint32_t per_row = row_bytes(rows, live);
    uint32_t split = per_row == 0 ? 0 : workspace_bytes / per_row;
    split = split > rows.m ? rows.m : split == 0 ? 1 : split;
    const uint32_t max_k = block_bytes / max_type_bytes;
    const uint32_t reduce_k = block_bytes / float_bytes;
    const uint32_t range = rows.m / split;
    const uint32_t tail = rows.m % split;
    tiling.set_srcM(rows.m);
    tiling.set_srcK(rows.k);
    tiling.set_srcSize(rows.m * rows.k);
    tiling.set_outMaxM(rows.m);
    tiling.set_outMaxK(max_k);
    tiling.set_outMaxSize(rows.m * max_k);
    tiling.set_splitM(split);
    tiling.set_splitK(rows.k);
    tiling.set_splitSize(split * rows.k);
    tiling.set_reduceM(split);
    tiling.set_reduceK(reduce_k);
    tiling.set_reduceSize(split * reduce_k);
    tiling.set_rangeM(range);
    tiling.set_tailM(tail);
    tiling.set_tailSplitSize(tail * rows.k);
    tiling.set_tailReduceSize(tail * reduce_k);
}

} // namespace

uint32_t GetSoftMaxMaxTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool)
{
    return max_bytes(src, live::SoftMax.of(type_bytes));
}
uint32_t GetSoftMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool)
{
    return min_bytes(src, live::SoftMax.of(type_bytes));
}
void SoftMaxTilingFunc(const ge::Shape &src, const uint32_t type_bytes, const uint32_t workspace_bytes,
                       akgen::host::FilledTiling<optiling::SoftMaxTiling> tiling)
{
    fill(src, type_bytes, workspace_bytes, live::SoftMax.of(type_bytes), *tiling);
}

uint32_t GetSoftMaxFlashMaxTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool update, const bool)
{
    return max_bytes(src, live::SoftmaxFlash.of(type_bytes) + update);
}
uint32_t GetSoftMaxFlashMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool update, const bool)
{
    return min_bytes(src, live::SoftmaxFlash.of(type_bytes) + update);
}
void SoftMaxFlashTilingFunc(const ge::Shape &src, const uint32_t type_bytes, const uint32_t workspace_bytes,
                            akgen::host::FilledTiling<optiling::SoftMaxTiling> tiling, const bool update)
{
    fill(src, type_bytes, workspace_bytes, live::SoftmaxFlash.of(type_bytes) + update, *tiling);
}

uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape &src, const uint32_t type_bytes, const uint32_t, const bool update,
                                     const bool, const bool)
{
    return max_bytes(src, live::SoftmaxFlashV2.of(type_bytes) + update);
}
uint32_t GetSoftMaxFlashV2MinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const uint32_t, const bool update,
                                     const bool, const bool)
{
    return min_bytes(src, live::SoftmaxFlashV2.of(type_bytes) + update);
}
void SoftMaxFlashV2TilingFunc(const ge::Shape &src, const uint32_t type_bytes, const uint32_t max_type_bytes,
                              const uint32_t workspace_bytes, akgen::host::FilledTiling<optiling::SoftMaxTiling> tiling,
                              const bool update, const bool, const bool)
{
    fill(src, max_type_bytes, workspace_bytes, live::SoftmaxFlashV2.of(type_bytes) + update, *tiling);
}

void GetSoftMaxFlashV3MaxMinTmpSize(const ge::Shape &src, const uint32_t, const uint32_t statistic_bytes,
                                    uint32_t &maximum, uint32_t &minimum, const bool update, const bool)
{
    const uint32_t vectors = live::SoftmaxFlashV3.of(statistic_bytes) + update; // worked on as float
    maximum = max_bytes(src, vectors);
    minimum = min_bytes(src, vectors);
}
void SoftMaxFlashV3TilingFunc(const ge::Shape &src, const uint32_t, const uint32_t statistic_bytes,
                              const uint32_t workspace_bytes, akgen::host::FilledTiling<optiling::SoftMaxTiling> tiling,
                              const bool update, const bool)
{
    fill(src, statistic_bytes, workspace_bytes, live::SoftmaxFlashV3.of(statistic_bytes) + update, *tiling);
}

uint32_t GetSoftMaxGradMaxTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool, const bool)
{
    return max_bytes(src, live::SoftmaxGrad.of(type_bytes));
}
uint32_t GetSoftMaxGradMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool, const bool)
{
    return min_bytes(src, live::SoftmaxGrad.of(type_bytes));
}
void SoftMaxGradTilingFunc(const ge::Shape &src, const uint32_t type_bytes, const uint32_t workspace_bytes,
                           akgen::host::FilledTiling<optiling::SoftMaxTiling> tiling, const bool)
{
    fill(src, type_bytes, workspace_bytes, live::SoftmaxGrad.of(type_bytes), *tiling);
}

uint32_t GetLogSoftMaxMaxTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool)
{
    return max_bytes(src, live::LogSoftMax.of(type_bytes));
}
uint32_t GetLogSoftMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool)
{
    return min_bytes(src, live::LogSoftMax.of(type_bytes));
}
void LogSoftMaxTilingFunc(const ge::Shape &src, const uint32_t type_bytes, const uint32_t workspace_bytes,
                          akgen::host::FilledTiling<optiling::LogSoftMaxTiling> tiling)
{
    fill(src, type_bytes, workspace_bytes, live::LogSoftMax.of(type_bytes), *tiling);
}

bool IsBasicBlockInSoftMax(akgen::host::FilledTiling<optiling::SoftMaxTiling> tiling, const uint32_t)
{
    constexpr uint32_t rows_of_block = 8;
    constexpr uint32_t columns_of_block = 64;
    constexpr uint32_t most_columns = 2048;
    return tiling->get_srcK() % columns_of_block == 0 && tiling->get_srcK() < most_columns &&
           tiling->get_srcM() % rows_of_block == 0;
}

} // namespace AscendC
