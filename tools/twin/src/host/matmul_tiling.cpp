// How a matrix product is cut: over cores, then into base blocks that fill L0 with double buffering, then into
// what L1 holds. The result is legal for the device (every block fits its buffer), not tuned.
#include "adv_api/matmul_tiling.h"

#include "chip.h"

namespace matmul_tiling {

namespace {

constexpr int32_t kFractal = 16;
constexpr int32_t kBlockBytes = 32;
constexpr int32_t kDoubleBuffer = 2;
constexpr int32_t kAccumulatorBytes = 4;
constexpr int32_t kPreferredBaseM = 128;
constexpr int32_t kPreferredBaseN = 256;
constexpr int32_t kMostDepth = 16;

int32_t ceil_div(int32_t a, int32_t b) { return (a + b - 1) / b; }

int32_t align_up(int32_t a, int32_t b) { return ceil_div(a, b) * b; }

int32_t bytes_of(DataType type)
{
    switch (type) {
    case DataType::DT_FLOAT:
    case DataType::DT_INT32:
    case DataType::DT_UINT32: return 4;
    case DataType::DT_INT8:
    case DataType::DT_UINT8:
    case DataType::DT_BOOL:
    case DataType::DT_INT4: return 1;
    default: return 2;
    }
}

int32_t take(int32_t wanted, int32_t otherwise) { return wanted > 0 ? wanted : otherwise; }

} // namespace

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
    return m > 0 && n > 0 && k > 0 ? 0 : -1;
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

int64_t MatmulApiTilingBase::Fill(optiling::TCubeTiling &tiling, int32_t cores)
{
    if (m_ <= 0 || n_ <= 0 || k_ <= 0) {
        return -1;
    }
    const int32_t single_m = take(single_m_, m_);
    const int32_t single_n = take(single_n_, n_);
    const int32_t single_k = take(single_k_, k_);
    const int32_t a_bytes = bytes_of(a_.type);
    const int32_t b_bytes = bytes_of(b_.type);
    const int32_t k_step = std::max(kBlockBytes / a_bytes, kBlockBytes / b_bytes);

    base_m_ = take(fix_m_, std::min({align_up(single_m, kFractal), kPreferredBaseM, take(max_m_, kPreferredBaseM)}));
    base_n_ = take(fix_n_, std::min({align_up(single_n, kFractal), kPreferredBaseN, take(max_n_, kPreferredBaseN)}));
    while (fix_n_ <= 0 && base_n_ > kFractal && int64_t{base_m_} * base_n_ * kAccumulatorBytes > l0c_bytes_) {
        base_n_ = align_up(base_n_ / 2, kFractal);
    }
    while (fix_m_ <= 0 && base_m_ > kFractal && int64_t{base_m_} * base_n_ * kAccumulatorBytes > l0c_bytes_) {
        base_m_ = align_up(base_m_ / 2, kFractal);
    }
    const int64_t k_of_a = l0a_bytes_ / kDoubleBuffer / (int64_t{base_m_} * a_bytes);
    const int64_t k_of_b = l0b_bytes_ / kDoubleBuffer / (int64_t{base_n_} * b_bytes);
    const auto k_fits = static_cast<int32_t>(std::min(k_of_a, k_of_b) / k_step * k_step);
    base_k_ = take(fix_k_, std::min({align_up(single_k, k_step), std::max(k_fits, k_step), take(max_k_, k_fits)}));
    const bool legal = int64_t{base_m_} * base_n_ * kAccumulatorBytes <= l0c_bytes_ &&
                       int64_t{base_m_} * base_k_ * a_bytes <= l0a_bytes_ &&
                       int64_t{base_n_} * base_k_ * b_bytes <= l0b_bytes_;
    if (!legal) {
        return -1;
    }

    // L1 holds `step` base blocks along K of each operand, twice if they fit.
    const int32_t k_blocks = ceil_div(single_k, base_k_);
    const int64_t pair_bytes = int64_t{base_k_} * (int64_t{base_m_} * a_bytes + int64_t{base_n_} * b_bytes);
    const int64_t bias_bytes = has_bias_ ? int64_t{base_n_} * kAccumulatorBytes * kDoubleBuffer : 0;
    auto pairs = static_cast<int32_t>(std::min<int64_t>((l1_bytes_ - bias_bytes) / pair_bytes, kMostDepth));
    if (pairs < 1) {
        return -1;
    }
    const int32_t step_k = std::max(1, std::min(pairs / kDoubleBuffer, k_blocks));
    const int32_t depth = k_blocks > step_k && pairs >= kDoubleBuffer * step_k ? kDoubleBuffer * step_k : step_k;

    tiling.set_usedCoreNum(cores);
    tiling.set_M(take(org_m_, m_));
    tiling.set_N(take(org_n_, n_));
    tiling.set_Ka(take(org_ka_, k_));
    tiling.set_Kb(take(org_kb_, k_));
    tiling.set_singleCoreM(single_m);
    tiling.set_singleCoreN(single_n);
    tiling.set_singleCoreK(single_k);
    tiling.set_baseM(base_m_);
    tiling.set_baseN(base_n_);
    tiling.set_baseK(base_k_);
    tiling.set_depthA1(depth);
    tiling.set_depthB1(depth);
    tiling.set_stepM(1);
    tiling.set_stepN(1);
    tiling.set_stepKa(step_k);
    tiling.set_stepKb(step_k);
    tiling.set_isBias(has_bias_ ? 1 : 0);
    tiling.set_transLength(std::max(base_m_ * base_k_ * a_bytes, base_n_ * base_k_ * b_bytes));
    tiling.set_iterateOrder(traverse_ == MatrixTraverse::FIRSTN ? 1 : 0);
    tiling.set_shareMode(0);
    tiling.set_shareL1Size(static_cast<int32_t>(pair_bytes * depth + bias_bytes));
    tiling.set_shareL0CSize(base_m_ * base_n_ * kAccumulatorBytes);
    tiling.set_shareUbSize(0);
    tiling.set_batchM(1);
    tiling.set_batchN(1);
    tiling.set_singleBatchM(1);
    tiling.set_singleBatchN(1);
    tiling.set_dbL0A(kDoubleBuffer);
    tiling.set_dbL0B(kDoubleBuffer);
    tiling.set_dbL0C(int64_t{base_m_} * base_n_ * kAccumulatorBytes * kDoubleBuffer <= l0c_bytes_ ? kDoubleBuffer : 1);
    tiling.set_ALayoutInfoB(a_layout_[0]);
    tiling.set_ALayoutInfoS(a_layout_[1]);
    tiling.set_ALayoutInfoN(a_layout_[2]);
    tiling.set_ALayoutInfoG(a_layout_[3]);
    tiling.set_ALayoutInfoD(a_layout_[4]);
    tiling.set_BLayoutInfoB(b_layout_[0]);
    tiling.set_BLayoutInfoS(b_layout_[1]);
    tiling.set_BLayoutInfoN(b_layout_[2]);
    tiling.set_BLayoutInfoG(b_layout_[3]);
    tiling.set_BLayoutInfoD(b_layout_[4]);
    tiling.set_CLayoutInfoB(c_layout_[0]);
    tiling.set_CLayoutInfoS1(c_layout_[1]);
    tiling.set_CLayoutInfoN(c_layout_[2]);
    tiling.set_CLayoutInfoG(c_layout_[3]);
    tiling.set_CLayoutInfoS2(c_layout_[4]);
    tiling.set_BatchNum(batch_);
    return 0;
}

int64_t MatmulApiTiling::GetTiling(optiling::TCubeTiling &tiling) { return Fill(tiling, 1); }

int32_t MultiCoreMatmulTiling::SetDim(int32_t cores)
{
    cores_ = cores;
    return cores > 0 ? 0 : -1;
}
int32_t MultiCoreMatmulTiling::SetSingleShape(int32_t m, int32_t n, int32_t k)
{
    single_m_ = m;
    single_n_ = n;
    single_k_ = k;
    return 0;
}
int32_t MultiCoreMatmulTiling::SetSingleRange(int32_t, int32_t, int32_t, int32_t, int32_t, int32_t) { return 0; }
int32_t MultiCoreMatmulTiling::SetAlignSplit(int32_t, int32_t, int32_t) { return 0; }

// Choose how many cores go to rows and how many to columns: least work for the busiest core, then least traffic.
void MultiCoreMatmulTiling::Split()
{
    if (single_m_ > 0 || single_n_ > 0) {
        m_cores_ = ceil_div(m_, take(single_m_, m_));
        n_cores_ = ceil_div(n_, take(single_n_, n_));
        return;
    }
    const int32_t m_blocks = ceil_div(m_, kFractal);
    const int32_t n_blocks = ceil_div(n_, kFractal);
    int64_t best_work = std::numeric_limits<int64_t>::max();
    int64_t best_traffic = std::numeric_limits<int64_t>::max();
    for (int32_t rows = 1; rows <= std::min(cores_, m_blocks); ++rows) {
        const int32_t columns = std::min(cores_ / rows, n_blocks);
        const int64_t height = ceil_div(m_blocks, rows);
        const int64_t width = ceil_div(n_blocks, columns);
        const int64_t work = height * width;
        const int64_t traffic = height + width;
        if (work < best_work || (work == best_work && traffic < best_traffic)) {
            best_work = work;
            best_traffic = traffic;
            m_cores_ = rows;
            n_cores_ = columns;
        }
    }
    single_m_ = std::min(m_, ceil_div(m_blocks, m_cores_) * kFractal);
    single_n_ = std::min(n_, ceil_div(n_blocks, n_cores_) * kFractal);
    m_cores_ = ceil_div(m_, single_m_);
    n_cores_ = ceil_div(n_, single_n_);
}

int32_t MultiCoreMatmulTiling::GetCoreNum(int32_t &cores, int32_t &m_cores, int32_t &n_cores)
{
    m_cores = m_cores_;
    n_cores = n_cores_;
    cores = m_cores_ * n_cores_;
    return 0;
}
int32_t MultiCoreMatmulTiling::GetSingleShape(int32_t &m, int32_t &n, int32_t &k)
{
    m = single_m_;
    n = single_n_;
    k = take(single_k_, k_);
    return 0;
}

int64_t MultiCoreMatmulTiling::GetTiling(optiling::TCubeTiling &tiling)
{
    if (m_ <= 0 || n_ <= 0 || k_ <= 0 || cores_ <= 0) {
        return -1;
    }
    Split();
    return Fill(tiling, std::min(cores_, m_cores_ * n_cores_));
}

int64_t BatchMatmulTiling::GetTiling(optiling::TCubeTiling &tiling) { return Fill(tiling, 1); }

} // namespace matmul_tiling
