// How much temporary memory the mathematical device APIs want: GetXxxMaxMinTmpSize and GetXxxTmpBufferFactorSize.
// `maximum` is what speeds nothing up beyond; `minimum` what suffices. Bytes.
#ifndef AKGEN_ADV_API_TEMPORARY_SIZES_H
#define AKGEN_ADV_API_TEMPORARY_SIZES_H
#include "adv_api/reduce_sizes.h"

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
