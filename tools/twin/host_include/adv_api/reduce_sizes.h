// How much temporary memory reductions, broadcasts and selections want. Bytes.
#ifndef AKGEN_ADV_API_REDUCE_SIZES_H
#define AKGEN_ADV_API_REDUCE_SIZES_H
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
#endif
