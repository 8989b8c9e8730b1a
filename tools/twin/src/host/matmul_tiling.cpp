// What op_host code says of a matrix product before it asks for the tiling.
#include "adv_api/matmul_tiling.h"

#include "chip.h"

namespace matmul_tiling {

MatmulApiTilingBase::MatmulApiTilingBase()
{
    using akgen::host::chip;
    l1_bytes_ = static_cast<int64_t>(chip().number("l1_size"));
    l0a_bytes_ = static_cast<int64_t>(chip().number("l0a_size"));
    l0b_bytes_ = static_cast<int64_t>(chip().number("l0b_size"));
    l0c_bytes_ = static_cast<int64_t>(chip().number("l0c_size"));
    ub_bytes_ = static_cast<int64_t>(chip().number("ub_size"));
}
MatmulApiTilingBase::MatmulApiTilingBase(const platform_ascendc::PlatformAscendC &) : MatmulApiTilingBase() {}
MatmulApiTilingBase::MatmulApiTilingBase(const PlatformInfo &platform) : MatmulApiTilingBase()
{
    l1_bytes_ = platform.l1Size > 0 ? static_cast<int64_t>(platform.l1Size) : l1_bytes_;
    l0c_bytes_ = platform.l0CSize > 0 ? static_cast<int64_t>(platform.l0CSize) : l0c_bytes_;
}

int32_t MatmulApiTilingBase::SetAType(TPosition position, CubeFormat format, DataType type, bool transposed)
{
    a_ = {position, format, type, transposed};
    return 0;
}
int32_t MatmulApiTilingBase::SetBType(TPosition position, CubeFormat format, DataType type, bool transposed)
{
    b_ = {position, format, type, transposed};
    return 0;
}
int32_t MatmulApiTilingBase::SetCType(TPosition position, CubeFormat format, DataType type)
{
    c_ = {position, format, type, false};
    return 0;
}
int32_t MatmulApiTilingBase::SetBiasType(TPosition position, CubeFormat format, DataType type)
{
    bias_type_ = {position, format, type, false};
    return 0;
}
int32_t MatmulApiTilingBase::SetDequantType(DequantType) { return 0; }
int32_t MatmulApiTilingBase::SetShape(int32_t m, int32_t n, int32_t k)
{
    m_ = m;
    n_ = n;
    k_ = k;
    return m != 0 && n != 0 && k != 0 ? 0 : -1; // -1: as the whole matrices are
}
int32_t MatmulApiTilingBase::SetOrgShape(int32_t m, int32_t n, int32_t k) { return SetOrgShape(m, n, k, k); }
int32_t MatmulApiTilingBase::SetOrgShape(int32_t m, int32_t n, int32_t ka, int32_t kb)
{
    org_m_ = m;
    org_n_ = n;
    org_ka_ = ka;
    org_kb_ = kb;
    return 0;
}
int32_t MatmulApiTilingBase::SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d)
{
    const int32_t values[5] = {b, s, n, g, d};
    std::copy(values, values + 5, a_layout_);
    return 0;
}
int32_t MatmulApiTilingBase::SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d)
{
    const int32_t values[5] = {b, s, n, g, d};
    std::copy(values, values + 5, b_layout_);
    return 0;
}
int32_t MatmulApiTilingBase::SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d)
{
    const int32_t values[5] = {b, s, n, g, d};
    std::copy(values, values + 5, c_layout_);
    return 0;
}
int32_t MatmulApiTilingBase::SetBatchNum(int32_t batch)
{
    batch_ = batch;
    return 0;
}
int32_t MatmulApiTilingBase::SetBatchInfoForNormal(int32_t batch_a, int32_t batch_b, int32_t m, int32_t n, int32_t k)
{
    if (std::min({batch_a, batch_b, m, n, k}) <= 0) {
        return -1;
    }
    SetALayout(batch_a, m, 1, 1, k);
    SetBLayout(batch_b, n, 1, 1, k);
    SetCLayout(std::max(batch_a, batch_b), m, 1, 1, n);
    return 0;
}
int32_t MatmulApiTilingBase::EnableBias(bool bias) { return SetBias(bias); }
int32_t MatmulApiTilingBase::SetBias(bool bias)
{
    has_bias_ = bias;
    return 0;
}
int32_t MatmulApiTilingBase::SetFixSplit(int32_t base_m, int32_t base_n, int32_t base_k)
{
    fix_m_ = base_m;
    fix_n_ = base_n;
    fix_k_ = base_k;
    return 0;
}
int32_t MatmulApiTilingBase::SetBufferSpace(int32_t l1_bytes, int32_t l0c_bytes, int32_t ub_bytes, int32_t)
{
    using akgen::host::chip;
    const auto limit = [](int64_t &space, int32_t wanted, const char *key) {
        const auto whole = static_cast<int64_t>(chip().number(key));
        space = wanted < 0 ? whole : wanted;
        return space <= whole;
    };
    const bool fits = limit(l1_bytes_, l1_bytes, "l1_size") && limit(l0c_bytes_, l0c_bytes, "l0c_size") &&
                      limit(ub_bytes_, ub_bytes, "ub_size");
    return fits ? 0 : -1;
}
int32_t MatmulApiTilingBase::SetTraverse(MatrixTraverse traverse)
{
    traverse_ = traverse;
    return 0;
}
int32_t MatmulApiTilingBase::SetMadType(MatrixMadType) { return 0; }
int32_t MatmulApiTilingBase::SetSplitRange(int32_t max_m, int32_t max_n, int32_t max_k, int32_t, int32_t, int32_t)
{
    max_m_ = max_m;
    max_n_ = max_n;
    max_k_ = max_k;
    return 0;
}
int32_t MatmulApiTilingBase::SetDoubleBuffer(bool, bool, bool, bool, bool, bool) { return 0; }
int32_t MatmulApiTilingBase::SetMatmulConfigParams(int32_t, bool, ScheduleType, MatrixTraverse, bool) { return 0; }
int32_t MatmulApiTilingBase::SetMatmulConfigParams(const MatmulConfigParams &) { return 0; }

int32_t MatmulGetTmpBufSize(akgen::host::FilledTiling<optiling::TCubeTiling> tiling, SysTilingTempBufSize &sizes)
{
    sizes = SysTilingTempBufSize();
    sizes.ubSize = tiling->get_shareUbSize();
    sizes.l1Size = tiling->get_shareL1Size();
    sizes.l0cSize = tiling->get_shareL0CSize();
    return 0;
}
int32_t MultiCoreMatmulGetTmpBufSize(akgen::host::FilledTiling<optiling::TCubeTiling> tiling,
                                     SysTilingTempBufSize &sizes)
{
    return MatmulGetTmpBufSize(*tiling, sizes);
}
int32_t BatchMatmulGetTmpBufSize(akgen::host::FilledTiling<optiling::TCubeTiling> tiling, SysTilingTempBufSize &sizes)
{
    return MatmulGetTmpBufSize(*tiling, sizes);
}

} // namespace matmul_tiling
