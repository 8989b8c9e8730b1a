// How much temporary memory device APIs want: GetXxxMaxMinTmpSize and GetXxxTmpBufferFactorSize of mathematical ones, of
// reductions, broadcasts and selections. `maximum` is what speeds nothing up beyond; `minimum` what suffices. Bytes.
#ifndef AKGEN_ADV_API_TEMPORARY_SIZES_H
#define AKGEN_ADV_API_TEMPORARY_SIZES_H
#include "adv_api/tiling_structs.h"
#include "graph/operator.h"
#include "tiling/platform/platform_ascendc.h"

namespace akgen::host {
AKGEN_HOST_API void temporary_sizes(const char *api, const ge::Shape &src, uint32_t type_bytes, bool reuse_source,
                                    uint32_t &maximum, uint32_t &minimum);
AKGEN_HOST_API void temporary_factor(const char *api, uint32_t type_bytes, uint32_t &live, uint32_t &extra_bytes);
} // namespace akgen::host

namespace AscendC {

#ifndef AKGEN_REDUCE_PATTERN // host code and kernels may share a file
#define AKGEN_REDUCE_PATTERN
enum class ReducePattern : uint32_t { AR = 0, RA = 1 };
#endif

#define AKGEN_REDUCE_TMP(Api)                                                                                          \
    inline void Get##Api##MaxMinTmpSize(const ge::Shape &src, const ge::DataType type, ReducePattern, bool,            \
                                        bool reuse_source, uint32_t &maximum, uint32_t &minimum)                       \
    {                                                                                                                  \
        const auto bytes = static_cast<uint32_t>(ge::GetSizeByDataType(type));                                         \
        akgen::host::temporary_sizes(#Api, src, bytes, reuse_source, maximum, minimum);                                \
    }
#define AKGEN_AXIS_REDUCE(Name, ...) AKGEN_REDUCE_TMP(Name)
#define AKGEN_FOLD(Name, ...) AKGEN_REDUCE_TMP(Name)
#include "../../include/akgen/tables/reduce.def"
#undef AKGEN_REDUCE_TMP

inline void GetReduceXorSumMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source,
                                         uint32_t &maximum, uint32_t &minimum)
{
    akgen::host::temporary_sizes("ReduceXorSum", src, type_bytes, reuse_source, maximum, minimum);
}
inline void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t type_bytes, const bool reuse_source, uint32_t &maximum,
                                uint32_t &minimum)
{
    akgen::host::temporary_sizes("Sum", ge::Shape({n}), type_bytes, reuse_source, maximum, minimum);
}
inline void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t type_bytes, const uint32_t accumulator_bytes,
                                 const bool reuse_source, uint32_t &maximum, uint32_t &minimum)
{
    const uint32_t bytes = type_bytes > accumulator_bytes ? type_bytes : accumulator_bytes;
    akgen::host::temporary_sizes("Mean", ge::Shape({n}), bytes, reuse_source, maximum, minimum);
}
inline void GetMeanTmpBufferFactorSize(const uint32_t type_bytes, uint32_t &live, uint32_t &extra_bytes)
{
    akgen::host::temporary_factor("Mean", type_bytes, live, extra_bytes);
}

inline void GetBroadCastMaxMinTmpSize(const ge::Shape &, const ge::Shape &dst, const uint32_t type_bytes,
                                      const bool reuse_source, uint32_t &maximum, uint32_t &minimum)
{
    akgen::host::temporary_sizes("Broadcast", dst, type_bytes, reuse_source, maximum, minimum);
}
inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const ge::Shape &src,
                                      const ge::Shape &dst, uint32_t type_bytes, const bool reuse_source,
                                      uint32_t &maximum, uint32_t &minimum)
{
    GetBroadCastMaxMinTmpSize(src, dst, type_bytes, reuse_source, maximum, minimum);
}

// The mask's rows become bits, and a whole row of the source is chosen from at once.
inline void GetSelectWithBytesMaskMaxMinTmpSize(const ge::Shape &src0, const ge::Shape &src1, const uint32_t type_bytes,
                                                const ge::Shape &, const uint32_t, const bool reuse_mask,
                                                uint32_t &maximum, uint32_t &minimum)
{
    const ge::Shape &rows = src0.GetShapeSize() > src1.GetShapeSize() ? src0 : src1;
    akgen::host::temporary_sizes("SelectWithBytesMask", rows, type_bytes, reuse_mask, maximum, minimum);
}
inline void GetSelectMaxMinTmpSize(const ge::Shape &src0, const ge::Shape &src1, const uint32_t type_bytes,
                                   const ge::Shape &mask, const uint32_t mask_bytes, const bool reuse_mask,
                                   uint32_t &maximum, uint32_t &minimum)
{
    GetSelectWithBytesMaskMaxMinTmpSize(src0, src1, type_bytes, mask, mask_bytes, reuse_mask, maximum, minimum);
}

} // namespace AscendC

namespace AscendC {

#define AKGEN_MATH_TMP(Api)                                                                                            \
    inline void Get##Api##MaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source,      \
                                        uint32_t &maximum, uint32_t &minimum)                                          \
    {                                                                                                                  \
        akgen::host::temporary_sizes(#Api, src, type_bytes, reuse_source, maximum, minimum);                           \
    }                                                                                                                  \
    inline void Get##Api##TmpBufferFactorSize(const uint32_t type_bytes, uint32_t &live, uint32_t &extra_bytes)        \
    {                                                                                                                  \
        akgen::host::temporary_factor(#Api, type_bytes, live, extra_bytes);                                            \
    }

// What is asked of Round comes behind the platform, as its pages say, and of Exp with an answer: below.
#define GetRoundMaxMinTmpSize round_sizes
#define GetRoundTmpBufferFactorSize round_factor
#define AKGEN_MATH(Name, ...) AKGEN_MATH_TMP(Name)
#define AKGEN_MATH_PAIR(Name, ...) AKGEN_MATH_TMP(Name)
#define AKGEN_GATED(Name, ...) AKGEN_MATH_TMP(Name)
#include "../../include/akgen/tables/math.def"
AKGEN_MATH_TMP(Axpy)
AKGEN_MATH_TMP(CumSum)
AKGEN_MATH_TMP(Xor)
AKGEN_MATH_TMP(Silu)
AKGEN_MATH_TMP(Swish)
AKGEN_MATH_TMP(Gelu)
AKGEN_MATH_TMP(SwiGLU)
#undef AKGEN_MATH_TMP
#undef GetRoundMaxMinTmpSize
#undef GetRoundTmpBufferFactorSize

inline void GetRoundMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const ge::Shape &src,
                                  const uint32_t type_bytes, const bool reuse_source, uint32_t &maximum,
                                  uint32_t &minimum)
{
    round_sizes(src, type_bytes, reuse_source, maximum, minimum);
}
inline void GetRoundTmpBufferFactorSize(const platform_ascendc::PlatformAscendC &, const uint32_t type_bytes,
                                        uint32_t &live, uint32_t &extra_bytes)
{
    round_factor(type_bytes, live, extra_bytes);
}
inline bool GetExpMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source,
                                uint32_t &maximum, uint32_t &minimum)
{
    akgen::host::temporary_sizes("Exp", src, type_bytes, reuse_source, maximum, minimum);
    return true;
}
inline void GetExpTmpBufferFactorSize(const uint32_t type_bytes, uint32_t &live, uint32_t &extra_bytes)
{
    akgen::host::temporary_factor("Exp", type_bytes, live, extra_bytes);
}
inline void GetPowerMaxMinTmpSize(const ge::Shape &base, const ge::Shape &, const bool, const uint32_t type_bytes,
                                  const bool reuse_source, uint32_t &maximum, uint32_t &minimum)
{
    akgen::host::temporary_sizes("Power", base, type_bytes, reuse_source, maximum, minimum);
}
inline void GetClampMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source,
                                  uint32_t &maximum, uint32_t &minimum)
{
    akgen::host::temporary_sizes("ClampMax", src, type_bytes, reuse_source, maximum, minimum);
}
inline void GetClampTmpBufferFactorSize(const uint32_t type_bytes, uint32_t &live, uint32_t &extra_bytes)
{
    akgen::host::temporary_factor("ClampMax", type_bytes, live, extra_bytes);
}
inline void GetPowerTmpBufferFactorSize(const bool, const bool, const bool, const uint32_t type_bytes, uint32_t &live,
                                        uint32_t &extra_bytes)
{
    akgen::host::temporary_factor("Power", type_bytes, live, extra_bytes);
}
// Along the last axis or along the first.
// Along the last axis sixteen rows are turned round, added up, and turned back; half adds up as float.
inline void GetCumSumMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool last_axis, const bool,
                                   uint32_t &maximum, uint32_t &minimum)
{
    const auto outer = static_cast<uint32_t>(src.GetDim(0));
    const uint32_t row = (static_cast<uint32_t>(src.GetDim(1)) * 4 + 31) / 32 * 32;
    minimum = last_axis ? 2 * 16 * row : type_bytes == 2 ? 2 * row : 32;
    maximum = last_axis ? 2 * ((outer + 15) / 16 * 16) * row : type_bytes == 2 ? 2 * outer * row : 32;
}
inline void GetArithProgressionMaxMinTmpSize(uint32_t &maximum, uint32_t &minimum) { maximum = minimum = 0; }

// Activations whose functions have another order of parameters.
inline void GetGeluMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, uint32_t &maximum, uint32_t &minimum)
{
    akgen::host::temporary_sizes("Gelu", src, type_bytes, false, maximum, minimum);
}
inline uint32_t GetGeluMaxTmpSize(const ge::Shape &src, const uint32_t type_bytes)
{
    uint32_t maximum = 0, minimum = 0;
    GetGeluMaxMinTmpSize(src, type_bytes, maximum, minimum);
    return maximum;
}
inline uint32_t GetGeluMinTmpSize(const ge::Shape &src, const uint32_t type_bytes)
{
    uint32_t maximum = 0, minimum = 0;
    GetGeluMaxMinTmpSize(src, type_bytes, maximum, minimum);
    return minimum;
}
inline void GetSwiGLUMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, uint32_t &maximum,
                                   uint32_t &minimum, const bool reuse_source = false)
{
    akgen::host::temporary_sizes("SwiGLU", src, type_bytes, reuse_source, maximum, minimum);
}
inline void GetSiluTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source, uint32_t &maximum,
                           uint32_t &minimum)
{
    akgen::host::temporary_sizes("Silu", src, type_bytes, reuse_source, maximum, minimum);
}
inline void GetSwishTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source, uint32_t &maximum,
                            uint32_t &minimum)
{
    akgen::host::temporary_sizes("Swish", src, type_bytes, reuse_source, maximum, minimum);
}
inline void GetAscendQuantTmpBufferFactorSize(const uint32_t type_bytes, uint32_t &live, uint32_t &extra_bytes)
{
    akgen::host::temporary_factor("AscendQuant", type_bytes, live, extra_bytes);
}
inline void GetAscendDequantTmpBufferFactorSize(const uint32_t type_bytes, uint32_t &live, uint32_t &extra_bytes)
{
    akgen::host::temporary_factor("AscendDequant", type_bytes, live, extra_bytes);
}
inline void GetAscendAntiQuantTmpBufferFactorSize(const ge::Shape &, const ge::Shape &, const bool, const ge::DataType,
                                                  const ge::DataType output_type, uint32_t &live, uint32_t &extra_bytes)
{
    const auto bytes = static_cast<uint32_t>(ge::GetSizeByDataType(output_type));
    akgen::host::temporary_factor("AscendAntiQuant", bytes, live, extra_bytes);
}

AKGEN_HOST_API void GetLayerNormMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source,
                                              uint32_t &maximum, uint32_t &minimum);
AKGEN_HOST_API void GetLayerNormNDTillingInfo(const ge::Shape &src, const uint32_t workspace_bytes,
                                              const uint32_t type_bytes, const bool reuse_source,
                                              akgen::host::FilledTiling<optiling::LayerNormTiling> tiling);
AKGEN_HOST_API void GetLayerNormNDTilingInfo(const ge::Shape &src, const uint32_t workspace_bytes,
                                             const uint32_t type_bytes, const bool reuse_source,
                                             akgen::host::FilledTiling<optiling::LayerNormTiling> tiling);

} // namespace AscendC

#endif
