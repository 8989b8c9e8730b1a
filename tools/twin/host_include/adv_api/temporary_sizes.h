// How much temporary memory the mathematical device APIs want: GetXxxMaxMinTmpSize and GetXxxTmpBufferFactorSize.
// `maximum` is what speeds nothing up beyond; `minimum` what suffices. Bytes.
#ifndef AKGEN_ADV_API_TEMPORARY_SIZES_H
#define AKGEN_ADV_API_TEMPORARY_SIZES_H
#include "adv_api/tiling_structs.h"
#include "graph/tensor.h"

namespace akgen::host {
// `live` vectors of the source's type are alive at once while the function named `api` runs.
AKGEN_HOST_API void temporary_sizes(const char *api, const ge::Shape &src, uint32_t type_bytes, bool reuse_source,
                                    uint32_t &maximum, uint32_t &minimum);
AKGEN_HOST_API void temporary_factor(const char *api, uint32_t type_bytes, uint32_t &live, uint32_t &extra_bytes);
} // namespace akgen::host

namespace AscendC {

#define AKGEN_MATH_TMP(Api)                                                                                          \
    inline void Get##Api##MaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source,    \
                                        uint32_t &maximum, uint32_t &minimum)                                        \
    {                                                                                                                \
        akgen::host::temporary_sizes(#Api, src, type_bytes, reuse_source, maximum, minimum);                         \
    }                                                                                                                \
    inline void Get##Api##TmpBufferFactorSize(const uint32_t type_bytes, uint32_t &live, uint32_t &extra_bytes)      \
    {                                                                                                                \
        akgen::host::temporary_factor(#Api, type_bytes, live, extra_bytes);                                          \
    }

AKGEN_MATH_TMP(Acos)
AKGEN_MATH_TMP(Acosh)
AKGEN_MATH_TMP(Asin)
AKGEN_MATH_TMP(Asinh)
AKGEN_MATH_TMP(Atan)
AKGEN_MATH_TMP(Atanh)
AKGEN_MATH_TMP(Axpy)
AKGEN_MATH_TMP(Ceil)
AKGEN_MATH_TMP(Cos)
AKGEN_MATH_TMP(Cosh)
AKGEN_MATH_TMP(CumSum)
AKGEN_MATH_TMP(Digamma)
AKGEN_MATH_TMP(Erf)
AKGEN_MATH_TMP(Erfc)
AKGEN_MATH_TMP(Exp)
AKGEN_MATH_TMP(Floor)
AKGEN_MATH_TMP(Fmod)
AKGEN_MATH_TMP(Frac)
AKGEN_MATH_TMP(Lgamma)
AKGEN_MATH_TMP(Log)
AKGEN_MATH_TMP(Round)
AKGEN_MATH_TMP(Sigmoid)
AKGEN_MATH_TMP(Sign)
AKGEN_MATH_TMP(Sin)
AKGEN_MATH_TMP(Sinh)
AKGEN_MATH_TMP(Tan)
AKGEN_MATH_TMP(Tanh)
AKGEN_MATH_TMP(Trunc)
AKGEN_MATH_TMP(Xor)
AKGEN_MATH_TMP(Gelu)
AKGEN_MATH_TMP(Silu)
AKGEN_MATH_TMP(Swish)
AKGEN_MATH_TMP(GeGLU)
AKGEN_MATH_TMP(SwiGLU)
AKGEN_MATH_TMP(ReGlu)
#undef AKGEN_MATH_TMP

inline void GetPowerMaxMinTmpSize(const ge::Shape &base, const ge::Shape &, const bool, const uint32_t type_bytes,
                                  const bool reuse_source, uint32_t &maximum, uint32_t &minimum)
{
    akgen::host::temporary_sizes("Power", base, type_bytes, reuse_source, maximum, minimum);
}
inline void GetClampMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source,
                                  uint32_t &maximum, uint32_t &minimum)
{
    akgen::host::temporary_sizes("Clamp", src, type_bytes, reuse_source, maximum, minimum);
}
inline void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t type_bytes, const uint32_t accumulator_bytes,
                                 const bool reuse_source, uint32_t &maximum, uint32_t &minimum)
{
    const uint32_t bytes = type_bytes > accumulator_bytes ? type_bytes : accumulator_bytes;
    akgen::host::temporary_sizes("Mean", ge::Shape({n}), bytes, reuse_source, maximum, minimum);
}
inline void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t type_bytes, const bool reuse_source,
                                uint32_t &maximum, uint32_t &minimum)
{
    akgen::host::temporary_sizes("Sum", ge::Shape({n}), type_bytes, reuse_source, maximum, minimum);
}
inline void GetReduceSumMaxMinTmpSize(const ge::Shape &src, const ge::DataType type, bool, bool, bool reuse_source,
                                      uint32_t &maximum, uint32_t &minimum)
{
    const auto bytes = static_cast<uint32_t>(ge::GetSizeByDataType(type));
    akgen::host::temporary_sizes("ReduceSum", src, bytes, reuse_source, maximum, minimum);
}
inline void GetBroadCastMaxMinTmpSize(const ge::Shape &, const ge::Shape &dst, const uint32_t type_bytes,
                                      const bool reuse_source, uint32_t &maximum, uint32_t &minimum)
{
    akgen::host::temporary_sizes("BroadCast", dst, type_bytes, reuse_source, maximum, minimum);
}

AKGEN_HOST_API void GetLayerNormMaxMinTmpSize(const ge::Shape &src, const uint32_t type_bytes, const bool reuse_source,
                                              uint32_t &maximum, uint32_t &minimum);
AKGEN_HOST_API void GetLayerNormNDTillingInfo(const ge::Shape &src, const uint32_t workspace_bytes,
                                              const uint32_t type_bytes, const bool reuse_source,
                                              optiling::LayerNormTiling &tiling);
AKGEN_HOST_API void GetLayerNormNDTilingInfo(const ge::Shape &src, const uint32_t workspace_bytes,
                                             const uint32_t type_bytes, const bool reuse_source,
                                             optiling::LayerNormTiling &tiling);

} // namespace AscendC
#endif
