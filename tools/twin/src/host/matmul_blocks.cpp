// How one core's product is cut: into base blocks that fill L0 with double buffering, then into what L1 holds. The result
// is legal for the device (every block fits its buffer), not tuned.
#include "adv_api/matmul_tiling.h"

#include "matmul_cut.h"

namespace matmul_tiling {

namespace {

constexpr int32_t block_bytes = 32;
constexpr int32_t line_bytes = 512;
constexpr int32_t double_buffer = 2;
constexpr int32_t accumulator_bytes = 4;
constexpr int32_t most_depth = 16;

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

} // namespace

bool MatmulApiTilingBase::choose_base_blocks(int32_t single_m, int32_t single_n, int32_t single_k)
{
    const int32_t a_bytes = bytes_of(a_.type);
    const int32_t b_bytes = bytes_of(b_.type);
    const int32_t k_step = std::max(block_bytes / a_bytes, block_bytes / b_bytes);

    base_m_ =
        take(fix_m_, std::min({align_up(single_m, fractal_edge), preferred_base_m, take(max_m_, preferred_base_m)}));
    base_n_ =
        take(fix_n_, std::min({align_up(single_n, fractal_edge), preferred_base_n, take(max_n_, preferred_base_n)}));
    while (fix_n_ <= 0 && base_n_ > fractal_edge && int64_t{base_m_} * base_n_ * accumulator_bytes > l0c_bytes_) {
        base_n_ = align_up(base_n_ / 2, fractal_edge);
    }
    while (fix_m_ <= 0 && base_m_ > fractal_edge && int64_t{base_m_} * base_n_ * accumulator_bytes > l0c_bytes_) {
        base_m_ = align_up(base_m_ / 2, fractal_edge);
    }
    const int64_t k_of_a = l0a_bytes_ / double_buffer / (int64_t{base_m_} * a_bytes);
    const int64_t k_of_b = l0b_bytes_ / double_buffer / (int64_t{base_n_} * b_bytes);
    const auto k_fits = static_cast<int32_t>(std::min(k_of_a, k_of_b) / k_step * k_step);
    base_k_ = take(fix_k_, std::min({align_up(single_k, k_step), std::max(k_fits, k_step), take(max_k_, k_fits)}));
    return int64_t{base_m_} * base_n_ * accumulator_bytes <= l0c_bytes_ &&
           int64_t{base_m_} * base_k_ * a_bytes <= l0a_bytes_ && int64_t{base_n_} * base_k_ * b_bytes <= l0b_bytes_;
}

void MatmulApiTilingBase::take_whole()
{
    m_ = m_ < 0 ? org_m_ : m_;
    n_ = n_ < 0 ? org_n_ : n_;
    k_ = k_ < 0 ? org_ka_ : k_;
}

int64_t MatmulApiTilingBase::fill(optiling::TCubeTiling &tiling, int32_t cores)
{
    take_whole();
    if (m_ <= 0 || n_ <= 0 || k_ <= 0) {
        return -1;
    }
    const int32_t single_m = take(single_m_, m_);
    const int32_t single_n = take(single_n_, n_);
    const int32_t single_k = take(single_k_, k_);
    if (!choose_base_blocks(single_m, single_n, single_k)) {
        return -1;
    }
    const int32_t a_bytes = bytes_of(a_.type);
    const int32_t b_bytes = bytes_of(b_.type);

    // L1 holds `step` base blocks along K of each operand, twice if they fit.
    const int32_t k_blocks = ceil_div(single_k, base_k_);
    const int64_t pair_bytes = int64_t{base_k_} * (int64_t{base_m_} * a_bytes + int64_t{base_n_} * b_bytes);
    const int64_t bias_bytes = has_bias_ ? int64_t{base_n_} * accumulator_bytes * double_buffer : 0;
    auto pairs = static_cast<int32_t>(std::min<int64_t>((l1_bytes_ - bias_bytes) / pair_bytes, most_depth));
    if (pairs < 1) {
        return -1;
    }
    int32_t step_k = std::max(1, std::min(pairs / double_buffer, k_blocks));
    const int32_t line = line_bytes / std::min(line_bytes, base_k_ * a_bytes);
    step_k -= step_k > line ? step_k % line : 0; // rows of A end where lines of the second-level cache do
    const int32_t depth = k_blocks > step_k && pairs >= double_buffer * step_k ? double_buffer * step_k : step_k;

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
    tiling.set_shareL0CSize(base_m_ * base_n_ * accumulator_bytes);
    tiling.set_shareUbSize(0);
    tiling.set_batchM(1);
    tiling.set_batchN(1);
    tiling.set_singleBatchM(1);
    tiling.set_singleBatchN(1);
    tiling.set_dbL0A(double_buffer);
    tiling.set_dbL0B(double_buffer);
    tiling.set_dbL0C(int64_t{base_m_} * base_n_ * accumulator_bytes * double_buffer <= l0c_bytes_ ? double_buffer : 1);
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

int64_t MatmulApiTiling::GetTiling(akgen::host::FilledTiling<optiling::TCubeTiling> tiling) { return fill(*tiling, 1); }

int64_t BatchMatmulTiling::GetTiling(akgen::host::FilledTiling<optiling::TCubeTiling> tiling)
{
    return fill(*tiling, 1);
}

} // namespace matmul_tiling
