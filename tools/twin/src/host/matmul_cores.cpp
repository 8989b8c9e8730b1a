// How a matrix product is cut over cores.
#include "adv_api/matmul_tiling.h"

#include "matmul_cut.h"

namespace matmul_tiling {

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

// What a core reads, in fractals: A again for each column of its base blocks, B for each row, unless it has one only.
static int64_t traffic_of(int64_t height, int64_t width, int32_t base_m, int32_t base_n)
{
    if (base_m <= 0 || base_n <= 0) {
        return height + width;
    }
    const int64_t rows = ceil_div(static_cast<int32_t>(height) * fractal_edge, base_m),
                  columns = ceil_div(static_cast<int32_t>(width) * fractal_edge, base_n);
    return (rows == 1 ? height : height * columns) + (columns == 1 ? width : width * rows);
}

// Choose how many cores go to rows and how many to columns: least work for the busiest core, then least
// traffic, then rows. No core gets less than a base block; where each has one of the preferred size, rows come before
// traffic. Source: the shapes that the vendor's samples and tuning cases print.
void MultiCoreMatmulTiling::split()
{
    if (single_m_ > 0 || single_n_ > 0) {
        m_cores_ = ceil_div(m_, take(single_m_, m_));
        n_cores_ = ceil_div(n_, take(single_n_, n_));
        return;
    }
    const int32_t m_blocks = ceil_div(m_, fractal_edge);
    const int32_t n_blocks = ceil_div(n_, fractal_edge);
    const int32_t most_rows = ceil_div(m_, take(fix_m_, preferred_base_m)),
                  most_columns = ceil_div(n_, take(fix_n_, preferred_base_n));
    int64_t best_work = std::numeric_limits<int64_t>::max();
    int64_t best_traffic = std::numeric_limits<int64_t>::max();
    for (int32_t rows = 1; rows <= std::min(cores_, most_rows); ++rows) {
        const int32_t columns = std::min(cores_ / rows, most_columns);
        const int64_t height = ceil_div(m_blocks, rows);
        const int64_t width = ceil_div(n_blocks, columns);
        const int64_t work = height * width;
        const bool large = fix_m_ <= 0 && fix_n_ <= 0 && height * fractal_edge >= preferred_base_m &&
                           width * fractal_edge >= preferred_base_n;
        const int64_t traffic = large ? 0 : traffic_of(height, width, fix_m_, fix_n_);
        if (work < best_work || (work == best_work && traffic <= best_traffic)) {
            best_work = work;
            best_traffic = traffic;
            m_cores_ = rows;
            n_cores_ = columns;
        }
    }
    single_m_ = std::min(m_, ceil_div(m_blocks, m_cores_) * fractal_edge);
    single_n_ = std::min(n_, ceil_div(n_blocks, n_cores_) * fractal_edge);
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

int64_t MultiCoreMatmulTiling::GetTiling(akgen::host::FilledTiling<optiling::TCubeTiling> tiling)
{
    take_whole();
    if (m_ <= 0 || n_ <= 0 || k_ <= 0 || cores_ <= 0) {
        return -1;
    }
    split();
    return fill(*tiling, std::min(cores_, m_cores_ * n_cores_));
}

} // namespace matmul_tiling
