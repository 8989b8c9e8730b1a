// Tilings and temporary sizes of high-level device APIs. Bytes; `maximum` is what speeds nothing
// up beyond, `minimum` what suffices.
#ifndef AKGEN_ADV_API_LIBRARY_TILING_H
#define AKGEN_ADV_API_LIBRARY_TILING_H
#include "../../include/kernel_tiling/data_format.h"
#include "../../include/kernel_tiling/library_fields.h"
#include "adv_api/tiling_structs.h"
#include "graph/operator.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {
using TensorShape = ge::Shape;
using TensorDataType = ge::DataType;
} // namespace AscendC

namespace optiling {
#define AKGEN_FIELD(Type, name) TILING_DATA_FIELD_DEF(Type, name)
#define AKGEN_STRUCT(Name, Fields)                                                                                     \
    BEGIN_TILING_DATA_DEF(Name)                                                                                        \
    Fields(AKGEN_FIELD) END_TILING_DATA_DEF
AKGEN_LIBRARY_TILINGS(AKGEN_STRUCT)
#undef AKGEN_STRUCT
#undef AKGEN_FIELD
} // namespace optiling
AKGEN_LIBRARY_TILINGS(AKGEN_REGISTERED_TILING)

namespace AscendC {

AKGEN_HOST_API void GetGroupNormMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source,
                                              const uint32_t groups, uint32_t &maximum, uint32_t &minimum);
AKGEN_HOST_API void GetGroupNormNDTilingInfo(const ge::Shape &src, const uint32_t workspace_bytes,
                                             const uint32_t type_bytes, const bool reuse_source, const uint32_t groups,
                                             akgen::host::FilledTiling<optiling::GroupNormTiling> tiling);
AKGEN_HOST_API bool GetBatchNormMaxMinTmpSize(const ge::Shape &src, const ge::Shape &origin, const uint32_t type_bytes,
                                              const bool reuse_source, uint32_t &maximum, uint32_t &minimum,
                                              const bool basic_block = false);
AKGEN_HOST_API bool GetBatchNormNDTilingInfo(const ge::Shape &src, const ge::Shape &origin,
                                             const uint32_t workspace_bytes, const uint32_t type_bytes,
                                             const bool reuse_source,
                                             akgen::host::FilledTiling<optiling::BatchNormTiling> tiling,
                                             const bool basic_block = false);
AKGEN_HOST_API bool GetDeepNormMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source,
                                             const bool basic_block, uint32_t &maximum, uint32_t &minimum);
AKGEN_HOST_API bool GetDeepNormTilingInfo(const ge::Shape &src, const ge::Shape &origin, const uint32_t workspace_bytes,
                                          const uint32_t type_bytes, const bool reuse_source, const bool basic_block,
                                          akgen::host::FilledTiling<optiling::DeepNormTiling> tiling);
AKGEN_HOST_API bool GetRmsNormMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, uint32_t &maximum,
                                            uint32_t &minimum, const bool basic_block = false);
AKGEN_HOST_API bool GetRmsNormTilingInfo(const ge::Shape &src, const ge::Shape &origin, const uint32_t workspace_bytes,
                                         const uint32_t type_bytes,
                                         akgen::host::FilledTiling<optiling::RmsNormTiling> tiling,
                                         const bool basic_block = false);
// LayerNorm of [A, R] with mean and reciprocals.
AKGEN_HOST_API void GetLayerNormMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source,
                                              const bool compute_reciprocal, const bool only_output, uint32_t &maximum,
                                              uint32_t &minimum);
AKGEN_HOST_API void GetLayerNormNDTilingInfo(const ge::Shape &src, const uint32_t workspace_bytes,
                                             const uint32_t type_bytes, const bool reuse_source,
                                             const bool compute_reciprocal,
                                             akgen::host::FilledTiling<optiling::LayerNormSeparateTiling> tiling);
AKGEN_HOST_API void GetLayerNormGradMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes,
                                                  const bool reuse_source, uint32_t &maximum, uint32_t &minimum);
AKGEN_HOST_API void GetLayerNormGradNDTilingInfo(const ge::Shape src, const uint32_t workspace_bytes,
                                                 const uint32_t type_bytes, const bool reuse_source,
                                                 akgen::host::FilledTiling<optiling::LayerNormGradTiling> tiling);
AKGEN_HOST_API void GetLayerNormGradBetaMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes,
                                                      const bool reuse_source, uint32_t &maximum, uint32_t &minimum);
AKGEN_HOST_API void
GetLayerNormGradBetaNDTilingInfo(const ge::Shape src, const uint32_t workspace_bytes, const uint32_t type_bytes,
                                 const bool reuse_source,
                                 akgen::host::FilledTiling<optiling::LayerNormGradBetaTiling> tiling);
AKGEN_HOST_API void GetNormalizeMaxMinTmpSize(const ge::Shape &src, const uint32_t factor_bytes,
                                              const uint32_t type_bytes, const bool reuse_source,
                                              const bool compute_reciprocal, const bool only_output, uint32_t &maximum,
                                              uint32_t &minimum);
AKGEN_HOST_API void GetWelfordUpdateMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes,
                                                  const uint32_t statistic_bytes, const bool reuse_source,
                                                  const bool in_place, uint32_t &maximum, uint32_t &minimum);
AKGEN_HOST_API void GetWelfordFinalizeMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes,
                                                    const bool reuse_source, uint32_t &maximum, uint32_t &minimum);

AKGEN_HOST_API void GetDropOutMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source,
                                            uint32_t &maximum, uint32_t &minimum);
inline uint32_t GetDropOutMaxTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source)
{
    uint32_t maximum = 0, minimum = 0;
    GetDropOutMaxMinTmpSize(src, type_bytes, reuse_source, maximum, minimum);
    return maximum;
}
inline uint32_t GetDropOutMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source)
{
    uint32_t maximum = 0, minimum = 0;
    GetDropOutMaxMinTmpSize(src, type_bytes, reuse_source, maximum, minimum);
    return minimum;
}
AKGEN_HOST_API void GetConfusionTransposeMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes,
                                                       const uint32_t kind, uint32_t &maximum, uint32_t &minimum);
AKGEN_HOST_API void
GetConfusionTransposeTilingInfo(const ge::Shape &src, const uint32_t workspace_bytes, const uint32_t type_bytes,
                                const uint32_t kind,
                                akgen::host::FilledTiling<optiling::ConfusionTransposeTiling> tiling);
AKGEN_HOST_API void
GetConfusionTransposeOnlyTilingInfo(const ge::Shape &src, const uint32_t workspace_bytes, const uint32_t type_bytes,
                                    akgen::host::FilledTiling<optiling::ConfusionTransposeTiling> tiling);
// The same under the names that replace them.
AKGEN_HOST_API void GetTransposeMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const uint32_t kind,
                                              uint32_t &maximum, uint32_t &minimum);
AKGEN_HOST_API void GetTransposeTilingInfo(const ge::Shape &src, const uint32_t workspace_bytes,
                                           const uint32_t type_bytes, const uint32_t kind,
                                           akgen::host::FilledTiling<optiling::ConfusionTransposeTiling> tiling);
AKGEN_HOST_API bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC &platform, const ge::Shape &src,
                                              const ge::Shape &dst, const ge::DataType type,
                                              const TransDataConfig &config, uint32_t &maximum, uint32_t &minimum);
AKGEN_HOST_API void GetPadMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, uint32_t &maximum,
                                        uint32_t &minimum);
AKGEN_HOST_API void PadTilingFunc(const ge::Shape src, const ge::Shape origin, const uint32_t workspace_bytes,
                                  const uint32_t type_bytes, akgen::host::FilledTiling<optiling::PadTiling> tiling);
AKGEN_HOST_API void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC &platform, const ge::Shape &src,
                                          const uint32_t type_bytes, uint32_t &maximum, uint32_t &minimum);
AKGEN_HOST_API void UnPadTilingFunc(const ge::Shape src, const uint32_t workspace_bytes, const uint32_t type_bytes,
                                    akgen::host::FilledTiling<optiling::UnPadTiling> tiling);

AKGEN_HOST_API void GetAscendQuantMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, uint32_t &maximum,
                                                uint32_t &minimum);
AKGEN_HOST_API void GetAscendDequantMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, uint32_t &maximum,
                                                  uint32_t &minimum);
AKGEN_HOST_API void GetAscendAntiQuantMaxMinTmpSize(const ge::Shape &src, const ge::Shape &scale, const bool transposed,
                                                    const ge::DataType input_type, const ge::DataType output_type,
                                                    uint32_t &maximum, uint32_t &minimum);
// Bytes that Sort and Concat need for `count` elements with their indices.
AKGEN_HOST_API uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC &platform, const uint32_t count,
                                       const uint32_t type_bytes);
AKGEN_HOST_API uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC &platform, const uint32_t count,
                                         const uint32_t type_bytes);
#ifndef AKGEN_TOPK_MODE // host code and kernels may share a file
#define AKGEN_TOPK_MODE
enum class TopKMode { TOPK_NORMAL = 0, TOPK_NSMALL = 1 };
#endif
AKGEN_HOST_API bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC &platform, const int32_t inner,
                                         const int32_t outter, const bool reuse_source, const bool init_index,
                                         const TopKMode mode, const bool largest, const uint32_t type_bytes,
                                         uint32_t &maximum, uint32_t &minimum);
AKGEN_HOST_API bool TopKTilingFunc(const platform_ascendc::PlatformAscendC &platform, const int32_t inner,
                                   const int32_t outter, const int32_t k, const uint32_t type_bytes,
                                   const bool init_index, const TopKMode mode, const bool largest,
                                   akgen::host::FilledTiling<optiling::TopkTiling> tiling);

} // namespace AscendC
#endif
