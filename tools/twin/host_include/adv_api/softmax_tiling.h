// Workspace sizes and tilings of SoftMax and its relatives. Sizes in bytes.
#ifndef AKGEN_ADV_API_SOFTMAX_TILING_H
#define AKGEN_ADV_API_SOFTMAX_TILING_H
#include "adv_api/tiling_structs.h"
#include "graph/operator.h"

namespace AscendC {

AKGEN_HOST_API uint32_t GetSoftMaxMaxTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source);
AKGEN_HOST_API uint32_t GetSoftMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source);
AKGEN_HOST_API void SoftMaxTilingFunc(const ge::Shape &src, const uint32_t type_bytes, const uint32_t workspace_bytes,
                                      akgen::host::FilledTiling<optiling::SoftMaxTiling> tiling);

AKGEN_HOST_API uint32_t GetSoftMaxFlashMaxTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool update,
                                                  const bool reuse_source);
AKGEN_HOST_API uint32_t GetSoftMaxFlashMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool update,
                                                  const bool reuse_source);
AKGEN_HOST_API void SoftMaxFlashTilingFunc(const ge::Shape &src, const uint32_t type_bytes,
                                           const uint32_t workspace_bytes,
                                           akgen::host::FilledTiling<optiling::SoftMaxTiling> tiling,
                                           const bool update = false);

AKGEN_HOST_API uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape &src, const uint32_t type_bytes,
                                                    const uint32_t max_type_bytes, const bool update,
                                                    const bool basic_block = false, const bool broadcast = false);
AKGEN_HOST_API uint32_t GetSoftMaxFlashV2MinTmpSize(const ge::Shape &src, const uint32_t type_bytes,
                                                    const uint32_t max_type_bytes, const bool update,
                                                    const bool basic_block = false, const bool broadcast = false);
AKGEN_HOST_API void SoftMaxFlashV2TilingFunc(const ge::Shape &src, const uint32_t type_bytes,
                                             const uint32_t max_type_bytes, const uint32_t workspace_bytes,
                                             akgen::host::FilledTiling<optiling::SoftMaxTiling> tiling,
                                             const bool update, const bool basic_block = false,
                                             const bool broadcast = false);

AKGEN_HOST_API void GetSoftMaxFlashV3MaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes,
                                                   const uint32_t statistic_bytes, uint32_t &maximum, uint32_t &minimum,
                                                   const bool update, const bool basic_block = false);
AKGEN_HOST_API void SoftMaxFlashV3TilingFunc(const ge::Shape &src, const uint32_t type_bytes,
                                             const uint32_t statistic_bytes, const uint32_t workspace_bytes,
                                             akgen::host::FilledTiling<optiling::SoftMaxTiling> tiling,
                                             const bool update, const bool basic_block = false);

AKGEN_HOST_API uint32_t GetSoftMaxGradMaxTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool front,
                                                 const bool reuse_source);
AKGEN_HOST_API uint32_t GetSoftMaxGradMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool front,
                                                 const bool reuse_source);
AKGEN_HOST_API void SoftMaxGradTilingFunc(const ge::Shape &src, const uint32_t type_bytes,
                                          const uint32_t workspace_bytes,
                                          akgen::host::FilledTiling<optiling::SoftMaxTiling> tiling,
                                          const bool front = false);

AKGEN_HOST_API uint32_t GetLogSoftMaxMaxTmpSize(const ge::Shape &src, const uint32_t type_bytes,
                                                const bool reuse_source);
AKGEN_HOST_API uint32_t GetLogSoftMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes,
                                                const bool reuse_source);
AKGEN_HOST_API void LogSoftMaxTilingFunc(const ge::Shape &src, const uint32_t type_bytes,
                                         const uint32_t workspace_bytes,
                                         akgen::host::FilledTiling<optiling::LogSoftMaxTiling> tiling);

AKGEN_HOST_API bool IsBasicBlockInSoftMax(akgen::host::FilledTiling<optiling::SoftMaxTiling> tiling,
                                          const uint32_t type_bytes = 2);

} // namespace AscendC
#endif
