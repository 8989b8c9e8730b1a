// Tiling of the high-level Matmul: how a product is cut over cores and through L1 and L0.
#ifndef AKGEN_ADV_API_MATMUL_TILING_H
#define AKGEN_ADV_API_MATMUL_TILING_H
#include "adv_api/matmul_data_type.h"
#include "adv_api/tiling_structs.h"
#include "tiling/platform/platform_ascendc.h"

namespace matmul_tiling {

enum class TPosition : int32_t {
    GM = 0,
    A1,
    A2,
    B1,
    B2,
    C1,
    C2,
    CO1,
    CO2,
    VECIN,
    VECOUT,
    VECCALC,
    LCM = VECCALC,
    SPM,
    SHM = SPM,
    TSCM,
    MAX
};
enum class CubeFormat { ND = 1, NZ, ZN, ZZ, NN, VECTOR, SCALAR, ND_ALIGN, ROW_MAJOR, COLUMN_MAJOR };
enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };
enum class MatrixMadType : int32_t { NORMAL = 0, HF32 = 1, MXMODE = 2 };
enum class DequantType { SCALAR = 0, TENSOR = 1 };
enum class ScheduleType { INNER_PRODUCT = 0, OUTER_PRODUCT = 1, N_BUFFER_33 = 2 };

struct PlatformInfo {
    platform_ascendc::SocVersion socVersion = platform_ascendc::SocVersion::ASCEND910B;
    uint64_t l1Size = 0;
    uint64_t l0CSize = 0;
    uint64_t ubSize = 0;
    uint64_t l0ASize = 0;
    uint64_t l0BSize = 0;
};

struct SysTilingTempBufSize {
    int32_t ubSize = 0;
    int32_t l1Size = 0;
    int32_t l0cSize = 0;
};

// One operand as the kernel will hand it over.
struct MatmulOperand {
    TPosition position = TPosition::GM;
    CubeFormat format = CubeFormat::ND;
    DataType type = DataType::DT_FLOAT16;
    bool transposed = false;
};

struct MatmulConfigParams {
    int32_t mmConfigType;
    bool enableL1CacheUB;
    ScheduleType scheduleType;
    MatrixTraverse traverse;
    bool enVecND2NZ;
    MatmulConfigParams(int32_t type = 1, bool l1_cache_ub = false, ScheduleType schedule = ScheduleType::INNER_PRODUCT,
                       MatrixTraverse order = MatrixTraverse::NOSET, bool nd2nz = false)
        : mmConfigType(type), enableL1CacheUB(l1_cache_ub), scheduleType(schedule), traverse(order), enVecND2NZ(nd2nz)
    {
    }
};

class AKGEN_HOST_API MatmulApiTilingBase {
public:
    MatmulApiTilingBase();
    explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC &platform);
    explicit MatmulApiTilingBase(const PlatformInfo &platform);
    virtual ~MatmulApiTilingBase() = default;

    int32_t SetAType(TPosition position, CubeFormat format, DataType type, bool transposed = false);
    int32_t SetBType(TPosition position, CubeFormat format, DataType type, bool transposed = true);
    int32_t SetCType(TPosition position, CubeFormat format, DataType type);
    int32_t SetBiasType(TPosition position, CubeFormat format, DataType type);
    int32_t SetDequantType(DequantType type);
    int32_t SetShape(int32_t m, int32_t n, int32_t k);
    int32_t SetOrgShape(int32_t m, int32_t n, int32_t k);
    int32_t SetOrgShape(int32_t m, int32_t n, int32_t ka, int32_t kb);
    int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t SetBatchNum(int32_t batch);
    // Batches that lie one after another (LayoutMode::NORMAL); -1 if a size is not positive.
    int32_t SetBatchInfoForNormal(int32_t batch_a, int32_t batch_b, int32_t m, int32_t n, int32_t k);
    int32_t EnableBias(bool bias = false);
    int32_t SetBias(bool bias = false);
    int32_t SetFixSplit(int32_t base_m = -1, int32_t base_n = -1, int32_t base_k = -1);
    int32_t SetBufferSpace(int32_t l1_bytes = -1, int32_t l0c_bytes = -1, int32_t ub_bytes = -1, int32_t bt_bytes = -1);
    int32_t SetTraverse(MatrixTraverse traverse);
    int32_t SetMadType(MatrixMadType type);
    int32_t SetSplitRange(int32_t max_m = -1, int32_t max_n = -1, int32_t max_k = -1, int32_t min_m = -1,
                          int32_t min_n = -1, int32_t min_k = -1);
    int32_t SetDoubleBuffer(bool a, bool b, bool c, bool bias, bool trans_nd2nz = true, bool trans_nz2nd = true);
    int32_t SetMatmulConfigParams(int32_t mm_config_type = 1, bool enable_l1_cache_ub = false,
                                  ScheduleType schedule = ScheduleType::INNER_PRODUCT,
                                  MatrixTraverse traverse = MatrixTraverse::NOSET, bool en_vec_nd2nz = false);
    int32_t SetMatmulConfigParams(const MatmulConfigParams &params);
    int32_t GetBaseM() const { return base_m_; }
    int32_t GetBaseN() const { return base_n_; }
    int32_t GetBaseK() const { return base_k_; }
    // Fill the tiling; -1 if shapes are missing or nothing fits, else 0.
    virtual int64_t GetTiling(akgen::host::FilledTiling<optiling::TCubeTiling> tiling) = 0;

protected:
    // Choose the base blocks of one core's product; false if they do not fit into L0.
    bool choose_base_blocks(int32_t single_m, int32_t single_n, int32_t single_k);
    int64_t fill(optiling::TCubeTiling &tiling, int32_t cores);
    void take_whole(); // a shape of -1 is that of the whole matrices
    MatmulOperand a_, b_, c_, bias_type_;
    bool has_bias_ = false;
    int32_t m_ = 0, n_ = 0, k_ = 0;
    int32_t org_m_ = 0, org_n_ = 0, org_ka_ = 0, org_kb_ = 0;
    int32_t single_m_ = -1, single_n_ = -1, single_k_ = -1;
    int32_t fix_m_ = -1, fix_n_ = -1, fix_k_ = -1;
    int32_t max_m_ = -1, max_n_ = -1, max_k_ = -1;
    int32_t base_m_ = 0, base_n_ = 0, base_k_ = 0;
    int32_t batch_ = 0;
    int32_t a_layout_[5] = {}, b_layout_[5] = {}, c_layout_[5] = {};
    MatrixTraverse traverse_ = MatrixTraverse::FIRSTM;
    int64_t l1_bytes_ = 0, l0a_bytes_ = 0, l0b_bytes_ = 0, l0c_bytes_ = 0, ub_bytes_ = 0;
};

// One core's product.
class AKGEN_HOST_API MatmulApiTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;
    int64_t GetTiling(akgen::host::FilledTiling<optiling::TCubeTiling> tiling) override;
};

// A product cut over several cores.
class AKGEN_HOST_API MultiCoreMatmulTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;
    int32_t SetDim(int32_t cores);
    int32_t SetSingleShape(int32_t m = -1, int32_t n = -1, int32_t k = -1);
    int32_t SetSingleRange(int32_t max_m = -1, int32_t max_n = -1, int32_t max_k = -1, int32_t min_m = -1,
                           int32_t min_n = -1, int32_t min_k = -1);
    int32_t SetAlignSplit(int32_t m, int32_t n, int32_t k);
    void EnableMultiCoreSplitK(bool on) { split_k_ = on; }
    void SetSplitK(bool on) { EnableMultiCoreSplitK(on); } // its older name
    int32_t GetCoreNum(int32_t &cores, int32_t &m_cores, int32_t &n_cores);
    int32_t GetSingleShape(int32_t &m, int32_t &n, int32_t &k);
    int64_t GetTiling(akgen::host::FilledTiling<optiling::TCubeTiling> tiling) override;

private:
    void split();
    int32_t cores_ = 1, m_cores_ = 1, n_cores_ = 1;
    bool split_k_ = false;
};

class AKGEN_HOST_API BatchMatmulTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;
    int64_t GetTiling(akgen::host::FilledTiling<optiling::TCubeTiling> tiling) override;
};

// What a product of this tiling holds on one core, in bytes of each memory.
AKGEN_HOST_API int32_t MatmulGetTmpBufSize(akgen::host::FilledTiling<optiling::TCubeTiling> tiling,
                                           SysTilingTempBufSize &sizes);
AKGEN_HOST_API int32_t MultiCoreMatmulGetTmpBufSize(akgen::host::FilledTiling<optiling::TCubeTiling> tiling,
                                                    SysTilingTempBufSize &sizes);
AKGEN_HOST_API int32_t BatchMatmulGetTmpBufSize(akgen::host::FilledTiling<optiling::TCubeTiling> tiling,
                                                SysTilingTempBufSize &sizes);
// The same under the names that take the plain structure.
inline int32_t MatmulGetTmpBufSizeV2(akgen::host::FilledTiling<optiling::TCubeTiling> tiling,
                                     SysTilingTempBufSize &sizes)
{
    return MatmulGetTmpBufSize(*tiling, sizes);
}
inline int32_t MultiCoreMatmulGetTmpBufSizeV2(akgen::host::FilledTiling<optiling::TCubeTiling> tiling,
                                              SysTilingTempBufSize &sizes)
{
    return MultiCoreMatmulGetTmpBufSize(*tiling, sizes);
}
inline int32_t BatchMatmulGetTmpBufSizeV2(akgen::host::FilledTiling<optiling::TCubeTiling> tiling,
                                          SysTilingTempBufSize &sizes)
{
    return BatchMatmulGetTmpBufSize(*tiling, sizes);
}

} // namespace matmul_tiling
#endif
