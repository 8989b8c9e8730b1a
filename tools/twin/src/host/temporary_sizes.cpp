#include "adv_api/temporary_sizes.h"

#include "live.h"

namespace akgen::host {

namespace {

constexpr uint32_t repeat_bytes = 256;

struct LiveRow {
    const char *api;
    uint32_t vectors; // of float
};
constexpr LiveRow live_rows[] = {
#define AKGEN_MATH(Name, dtypes, value, live, ...) {#Name, live},
#define AKGEN_MATH_PAIR(Name, dtypes, value, live, ...) {#Name, live},
#define AKGEN_CLAMP(Name, dtypes, value, live, ...) {#Name, live},
#define AKGEN_GELU(Name, dtypes, value, live, ...) {#Name, live},
#define AKGEN_GATED(Name, dtypes, value, live, ...) {#Name, live},
#define AKGEN_MATH_VARIANT(Name, sources, value, live, ...) {#Name, live},
#include "../../include/akgen/tables/math.def"
#define AKGEN_AXIS_REDUCE(Name, op, mean, live) {#Name, live},
#define AKGEN_FOLD(Name, dtypes, op, live, ...) {#Name, live},
#include "../../include/akgen/tables/reduce.def"
#define AKGEN_LIBRARY(Name, ...) {#Name, live::Name.wide},
#include "../../include/akgen/tables/library.def"
    {"Axpy", 1},
    {"Sum", 1},
    {"Mean", 1},
};
constexpr uint32_t default_live = 2; // of an API that has no row

uint32_t live_of(const char *api)
{
    for (const LiveRow &row : live_rows) {
        if (std::strcmp(row.api, api) == 0) {
            return row.vectors;
        }
    }
    return default_live;
}

} // namespace

void temporary_factor(const char *api, uint32_t type_bytes, uint32_t &live, uint32_t &extra_bytes)
{
    // In units of the source's type: a 16-bit source is worked on in float.
    live = live_of(api) * (type_bytes == 0 ? 1 : std::max(1U, float_bytes / type_bytes));
    extra_bytes = repeat_bytes;
}

void temporary_sizes(const char *api, const ge::Shape &src, uint32_t type_bytes, bool, uint32_t &maximum,
                     uint32_t &minimum)
{
    uint32_t live = 0;
    uint32_t extra = 0;
    temporary_factor(api, type_bytes, live, extra);
    const auto source = static_cast<uint32_t>(src.GetShapeSize()) * type_bytes;
    const uint32_t padded = (source + repeat_bytes - 1) / repeat_bytes * repeat_bytes;
    minimum = live * repeat_bytes + extra;
    maximum = std::max(live * padded + extra, minimum);
}

} // namespace akgen::host

namespace AscendC {

namespace {
uint32_t dim(const ge::Shape &src, size_t axis)
{
    return axis < src.GetDimNum() ? static_cast<uint32_t>(src.GetDim(axis)) : 1;
}
} // namespace

// Source is [B, S, H, original H].
void GetLayerNormMaxMinTmpSize(const ge::Shape &src, const uint32_t, const bool, uint32_t &maximum, uint32_t &minimum)
{
    const uint32_t row = dim(src, 2) * akgen::host::float_bytes;
    minimum = 3 * row + akgen::host::repeat_bytes;
    maximum = dim(src, 0) * dim(src, 1) * minimum;
}

void GetLayerNormNDTilingInfo(const ge::Shape &src, const uint32_t workspace_bytes, const uint32_t, const bool,
                              akgen::host::FilledTiling<optiling::LayerNormTiling> tiling)
{
    const uint32_t b = dim(src, 0);
    const uint32_t s = dim(src, 1);
    const uint32_t h = dim(src, 2);
    const uint32_t original = src.GetDimNum() > 3 ? dim(src, 3) : h;
    tiling->set_bLength(b);
    tiling->set_sLength(s);
    tiling->set_hLength(h);
    tiling->set_originalHLength(original);
    tiling->set_inputXSize(b * s * h);
    tiling->set_meanVarSize(b * s);
    tiling->set_tmpBufSize(workspace_bytes / akgen::host::float_bytes);
    tiling->set_loopRound(1);
    tiling->set_lastDimValueBack(1.0F / static_cast<float>(std::max(original, 1U)));
}

void GetLayerNormNDTillingInfo(const ge::Shape &src, const uint32_t workspace_bytes, const uint32_t type_bytes,
                               const bool reuse_source, akgen::host::FilledTiling<optiling::LayerNormTiling> tiling)
{
    GetLayerNormNDTilingInfo(src, workspace_bytes, type_bytes, reuse_source, *tiling);
}

} // namespace AscendC
