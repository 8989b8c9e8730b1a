// Tilings and temporary sizes of high-level device APIs. Every size follows from how many rows of
// floats are alive at once; shapes are what the device reads, places in the buffer mean nothing to it.
#include "adv_api/library_tiling.h"

#include "live.h"

namespace AscendC {

namespace {

constexpr uint32_t least_row_bytes = 256;

uint32_t axis(const ge::Shape &shape, size_t i)
{
    return i < shape.GetDimNum() ? static_cast<uint32_t>(shape.GetDim(i)) : 1;
}
uint32_t last_axis(const ge::Shape &shape) { return shape.GetDimNum() == 0 ? 1 : axis(shape, shape.GetDimNum() - 1); }
uint32_t element_count(const ge::Shape &shape) { return static_cast<uint32_t>(shape.GetShapeSize()); }
uint32_t padded(uint32_t elements, uint32_t type_bytes)
{
    return (elements * type_bytes + 31) / 32 * (32 / type_bytes);
}

namespace live = akgen::host::live;
using akgen::host::float_bytes;

// The API's live rows of floats, for `rows` of the source at most, for one at least.
void by_rows(uint32_t row, uint32_t rows, uint32_t live, uint32_t &maximum, uint32_t &minimum)
{
    const uint32_t one = live * std::max(row * float_bytes, least_row_bytes);
    minimum = one + least_row_bytes;
    maximum = one * std::max(rows, 1U) + least_row_bytes;
}
// B, S, H and the H that counts.
template <class T> void set_rows(T &tiling, const ge::Shape &src, uint32_t counted)
{
    tiling.set_bLength(axis(src, 0));
    tiling.set_sLength(axis(src, 1));
    tiling.set_hLength(axis(src, 2));
    tiling.set_originalHLength(counted);
}
uint32_t counted(const ge::Shape &src) { return src.GetDimNum() > 3 ? axis(src, 3) : axis(src, 2); }
bool is_basic(const ge::Shape &src) { return axis(src, 2) % 64 == 0 && axis(src, 0) * axis(src, 1) % 8 == 0; }

} // namespace

void GetGroupNormMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool, const uint32_t groups,
                               uint32_t &maximum, uint32_t &minimum)
{
    const uint32_t stride = padded(axis(src, 2) * axis(src, 3), type_bytes);
    by_rows(axis(src, 1) / std::max(groups, 1U) * stride, axis(src, 0) * groups, live::GroupNorm.of(type_bytes),
            maximum, minimum);
}

void GetGroupNormNDTilingInfo(const ge::Shape &src, const uint32_t workspace_bytes, const uint32_t type_bytes,
                              const bool, const uint32_t groups,
                              akgen::host::FilledTiling<optiling::GroupNormTiling> tiling)
{
    const uint32_t length = axis(src, 2) * axis(src, 3);
    const uint32_t channels = axis(src, 1) / std::max(groups, 1U);
    tiling->set_n(axis(src, 0));
    tiling->set_c(axis(src, 1));
    tiling->set_hw(length);
    tiling->set_g(groups);
    tiling->set_d(channels);
    tiling->set_hwAlignSize(padded(length, type_bytes));
    tiling->set_dhwAlignSize(channels * padded(length, type_bytes));
    tiling->set_inputXSize(axis(src, 0) * axis(src, 1) * padded(length, type_bytes));
    tiling->set_meanVarSize(axis(src, 0) * groups);
    tiling->set_tmpBufSize(workspace_bytes / float_bytes);
    tiling->set_loopRound(1);
    tiling->set_factor(1.0F / static_cast<float>(std::max(channels * length, 1U)));
}

bool GetBatchNormMaxMinTmpSize(const ge::Shape &src, const ge::Shape &, const uint32_t type_bytes, const bool,
                               uint32_t &maximum, uint32_t &minimum, const bool)
{
    const uint32_t columns = axis(src, 1) * axis(src, 2);
    by_rows(axis(src, 0) * (32 / type_bytes), columns * type_bytes / 32, live::BatchNorm.of(type_bytes), maximum,
            minimum);
    return columns * type_bytes % 32 == 0;
}

bool GetBatchNormNDTilingInfo(const ge::Shape &src, const ge::Shape &origin, const uint32_t workspace_bytes,
                              const uint32_t type_bytes, const bool,
                              akgen::host::FilledTiling<optiling::BatchNormTiling> tiling, const bool)
{
    const uint32_t columns = axis(src, 1) * axis(src, 2);
    tiling->set_originalBLength(axis(origin, 0));
    tiling->set_meanVarSize(columns);
    tiling->set_tmpBufSize(workspace_bytes / float_bytes);
    tiling->set_loopRound(1);
    tiling->set_shCurLength(columns);
    tiling->set_bshCurLength(axis(src, 0) * columns);
    tiling->set_firstDimValueBack(1.0F / static_cast<float>(std::max(axis(origin, 0), 1U)));
    return columns * type_bytes % 32 == 0;
}

bool GetDeepNormMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool, const bool basic_block,
                              uint32_t &maximum, uint32_t &minimum)
{
    by_rows(axis(src, 2), axis(src, 0) * axis(src, 1), live::DeepNorm.of(type_bytes), maximum, minimum);
    return !basic_block || is_basic(src);
}

bool GetDeepNormTilingInfo(const ge::Shape &src, const ge::Shape &origin, const uint32_t workspace_bytes,
                           const uint32_t, const bool, const bool basic_block,
                           akgen::host::FilledTiling<optiling::DeepNormTiling> tiling)
{
    set_rows(*tiling, src, axis(origin, 2));
    tiling->set_inputXSize(element_count(src));
    tiling->set_meanVarSize(axis(src, 0) * axis(src, 1));
    tiling->set_tmpBufSize(workspace_bytes / float_bytes);
    tiling->set_loopRound(1);
    tiling->set_lastDimValueBack(1.0F / static_cast<float>(std::max(axis(origin, 2), 1U)));
    return !basic_block || is_basic(src);
}

bool GetRmsNormMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, uint32_t &maximum, uint32_t &minimum,
                             const bool basic_block)
{
    by_rows(axis(src, 2), axis(src, 0) * axis(src, 1), live::RmsNorm.of(type_bytes), maximum, minimum);
    return !basic_block || is_basic(src);
}

bool GetRmsNormTilingInfo(const ge::Shape &src, const ge::Shape &origin, const uint32_t workspace_bytes,
                          const uint32_t type_bytes, akgen::host::FilledTiling<optiling::RmsNormTiling> tiling,
                          const bool basic_block)
{
    const uint32_t rows = axis(src, 0) * axis(src, 1);
    const uint32_t row = axis(src, 2);
    const uint32_t needed = live::RmsNorm.of(type_bytes) * row * float_bytes;
    const uint32_t fit = std::min(std::max(needed == 0 ? 1 : workspace_bytes / needed, 1U), std::max(rows, 1U));
    set_rows(*tiling, src, axis(origin, 2));
    tiling->set_reciprocalOfHLength(1.0F / static_cast<float>(std::max(axis(origin, 2), 1U)));
    tiling->set_mainBsLength(fit);
    tiling->set_mainBsLengthAlign((fit + 7) / 8 * 8);
    tiling->set_mainBshLength(fit * row);
    tiling->set_loopRound(rows / fit);
    tiling->set_inputTailPos(rows / fit * fit * row);
    tiling->set_tailBsLength(rows % fit);
    tiling->set_tailBshLength(rows % fit * row);
    return !basic_block || is_basic(src);
}

void GetLayerNormMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool, const bool, const bool,
                               uint32_t &maximum, uint32_t &minimum)
{
    by_rows(axis(src, 1), axis(src, 0), live::LayerNorm.of(type_bytes), maximum, minimum);
}

void GetLayerNormNDTilingInfo(const ge::Shape &src, const uint32_t workspace_bytes, const uint32_t, const bool,
                              const bool, akgen::host::FilledTiling<optiling::LayerNormSeparateTiling> tiling)
{
    tiling->set_aLength(axis(src, 0));
    tiling->set_rLength(axis(src, 1));
    tiling->set_inputXSize(element_count(src));
    tiling->set_meanVarSize(axis(src, 0));
    tiling->set_tmpBufSize(workspace_bytes / float_bytes);
    tiling->set_loopRound(1);
    tiling->set_rValueBack(1.0F / static_cast<float>(std::max(axis(src, 1), 1U)));
}

void GetLayerNormGradMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool, uint32_t &maximum,
                                   uint32_t &minimum)
{
    by_rows(axis(src, 2), axis(src, 0) * axis(src, 1), live::LayerNormGrad.of(type_bytes), maximum, minimum);
}

void GetLayerNormGradNDTilingInfo(const ge::Shape src, const uint32_t workspace_bytes, const uint32_t, const bool,
                                  akgen::host::FilledTiling<optiling::LayerNormGradTiling> tiling)
{
    set_rows(*tiling, src, counted(src));
    tiling->set_stackBufferSize(workspace_bytes / float_bytes);
    tiling->set_loopNum(1);
}

void GetLayerNormGradBetaMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool, uint32_t &maximum,
                                       uint32_t &minimum)
{
    by_rows(axis(src, 2), axis(src, 0) * axis(src, 1), live::LayerNormGradBeta.of(type_bytes), maximum, minimum);
}

void GetLayerNormGradBetaNDTilingInfo(const ge::Shape src, const uint32_t workspace_bytes, const uint32_t, const bool,
                                      akgen::host::FilledTiling<optiling::LayerNormGradBetaTiling> tiling)
{
    set_rows(*tiling, src, counted(src));
    tiling->set_stackBufferSize(workspace_bytes / float_bytes);
    tiling->set_bsLength(axis(src, 0) * axis(src, 1));
    tiling->set_bshLength(axis(src, 0) * axis(src, 1) * axis(src, 2));
    tiling->set_loopRound(1);
}

void GetNormalizeMaxMinTmpSize(const ge::Shape &src, const uint32_t, const uint32_t type_bytes, const bool, const bool,
                               const bool, uint32_t &maximum, uint32_t &minimum)
{
    by_rows(axis(src, 1), axis(src, 0), live::Normalize.of(type_bytes), maximum, minimum);
}

void GetWelfordUpdateMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const uint32_t, const bool,
                                   const bool, uint32_t &maximum, uint32_t &minimum)
{
    by_rows(64, (element_count(src) + 63) / 64, live::WelfordUpdate.of(type_bytes), maximum, minimum);
}

void GetWelfordFinalizeMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool, uint32_t &maximum,
                                     uint32_t &minimum)
{
    by_rows(element_count(src), 1, live::WelfordFinalize.of(type_bytes), maximum, minimum);
}

void GetDropOutMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool, uint32_t &maximum,
                             uint32_t &minimum)
{
    by_rows(64, (element_count(src) + 63) / 64, live::DropOut.of(type_bytes), maximum, minimum);
}

void GetConfusionTransposeMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const uint32_t kind,
                                        uint32_t &maximum, uint32_t &minimum)
{
    // One column of fractals has to be held; a plain transposition needs nothing.
    const uint32_t column = axis(src, 2) * 16 * type_bytes * live::ConfusionTranspose.wide;
    minimum = kind == 7 ? 0 : column;
    maximum = kind == 7 ? 0 : element_count(src) * type_bytes;
    maximum = std::max(maximum, minimum);
}

void GetConfusionTransposeTilingInfo(const ge::Shape &src, const uint32_t, const uint32_t, const uint32_t,
                                     akgen::host::FilledTiling<optiling::ConfusionTransposeTiling> tiling)
{
    tiling->set_param0(axis(src, 0));
    tiling->set_param1(axis(src, 1));
    tiling->set_param2(axis(src, 2));
    tiling->set_param3(axis(src, 3));
}

void GetConfusionTransposeOnlyTilingInfo(const ge::Shape &src, const uint32_t workspace_bytes,
                                         const uint32_t type_bytes,
                                         akgen::host::FilledTiling<optiling::ConfusionTransposeTiling> tiling)
{
    constexpr uint32_t nd2nd_only = 7;
    GetConfusionTransposeTilingInfo(src, workspace_bytes, type_bytes, nd2nd_only, *tiling);
}

void GetTransposeMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const uint32_t kind, uint32_t &maximum,
                               uint32_t &minimum)
{
    GetConfusionTransposeMaxMinTmpSize(src, type_bytes, kind, maximum, minimum);
}

void GetTransposeTilingInfo(const ge::Shape &src, const uint32_t workspace_bytes, const uint32_t type_bytes,
                            const uint32_t kind, akgen::host::FilledTiling<optiling::ConfusionTransposeTiling> tiling)
{
    GetConfusionTransposeTilingInfo(src, workspace_bytes, type_bytes, kind, *tiling);
}

bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const ge::Shape &src, const ge::Shape &dst,
                               const ge::DataType, const TransDataConfig &config, uint32_t &maximum, uint32_t &minimum)
{
    const bool back = config.dstFormat == DataFormat::NCDHW;
    const ge::Shape &plain = back ? dst : src;
    if (plain.GetDimNum() != 5 || (!back && config.srcFormat != DataFormat::NCDHW)) {
        return false;
    }
    // Sixteen channels of one image in both orders.
    minimum = live::TransData.narrow * 16 * (axis(plain, 3) * axis(plain, 4) + 15) / 16 * 16 * 2;
    maximum = minimum;
    return true;
}

void GetPadMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, uint32_t &maximum, uint32_t &minimum)
{
    minimum = live::Pad.wide * 16 * std::max(padded(axis(src, 1), type_bytes) * type_bytes, 32U);
    maximum = std::max(live::Pad.wide * axis(src, 0) * padded(axis(src, 1), type_bytes) * type_bytes, minimum);
}

void PadTilingFunc(const ge::Shape src, const ge::Shape origin, const uint32_t, const uint32_t,
                   akgen::host::FilledTiling<optiling::PadTiling> tiling)
{
    tiling->set_srcHeight(axis(src, 0));
    tiling->set_srcWidth(axis(src, 1));
    tiling->set_srcOriWidth(axis(origin, 1));
}

void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const ge::Shape &src, const uint32_t type_bytes,
                           uint32_t &maximum, uint32_t &minimum)
{
    GetPadMaxMinTmpSize(src, type_bytes, maximum, minimum);
}

void UnPadTilingFunc(const ge::Shape src, const uint32_t, const uint32_t,
                     akgen::host::FilledTiling<optiling::UnPadTiling> tiling)
{
    tiling->set_srcHeight(axis(src, 0));
    tiling->set_srcWidth(axis(src, 1));
}

void GetAscendQuantMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, uint32_t &maximum, uint32_t &minimum)
{
    by_rows(64, (element_count(src) + 63) / 64, live::AscendQuant.of(type_bytes), maximum, minimum);
}

void GetAscendDequantMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, uint32_t &maximum,
                                   uint32_t &minimum)
{
    by_rows(last_axis(src), element_count(src) / std::max(last_axis(src), 1U), live::AscendDequant.of(type_bytes),
            maximum, minimum);
}

void GetAscendAntiQuantMaxMinTmpSize(const ge::Shape &src, const ge::Shape &, const bool, const ge::DataType,
                                     const ge::DataType, uint32_t &maximum, uint32_t &minimum)
{
    by_rows(64, (element_count(src) + 63) / 64, live::AscendAntiQuant.of(float_bytes), maximum, minimum);
}

uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC &, const uint32_t count, const uint32_t)
{
    return count * 8; // one record of 8 bytes for each element
}

uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC &, const uint32_t, const uint32_t)
{
    return 0; // there are no proposals on these chips
}

bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const int32_t inner, const int32_t outter,
                          const bool, const bool init_index, const TopKMode mode, const bool, const uint32_t,
                          uint32_t &maximum, uint32_t &minimum)
{
    if (inner <= 0 || outter <= 0 || inner % 32 != 0) {
        return false;
    }
    const auto records = static_cast<uint32_t>(inner) * 8;
    const uint32_t rows = mode == TopKMode::TOPK_NSMALL ? static_cast<uint32_t>(outter) : 1;
    minimum = 2 * records * rows + (init_index ? 0 : static_cast<uint32_t>(inner) * float_bytes);
    maximum = minimum;
    return true;
}

bool TopKTilingFunc(const platform_ascendc::PlatformAscendC &, const int32_t inner, const int32_t outter,
                    const int32_t k, const uint32_t, const bool, const TopKMode, const bool,
                    akgen::host::FilledTiling<optiling::TopkTiling> tiling)
{
    tiling->set_innerDataSize(inner);
    tiling->set_allDataSize(inner * outter);
    tiling->set_sortRepeat(static_cast<uint32_t>(inner) / 32);
    tiling->set_kAlignFourBytes((k + 7) / 8 * 8);
    tiling->set_kAlignTwoBytes((k + 15) / 16 * 16);
    return inner > 0 && outter > 0 && k > 0 && k <= inner;
}

} // namespace AscendC
