// What a Matmul object is made of: operand types and configurations. Names and defaults are the vendor's.
#pragma once
#include "ascendc/types.h"
#include "kernel_tiling/kernel_tiling.h"

enum class CubeFormat { ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, ROW_MAJOR = ND, COLUMN_MAJOR = 8 };
enum class LayoutMode { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };

namespace AscendC {
using ::CubeFormat;
using ::LayoutMode;

enum class BatchMode : uint8_t { NONE = 0, BATCH_LESS_THAN_L1, BATCH_LARGE_THAN_L1, SINGLE_LARGE_THAN_L1 };
enum class BatchOutMode : uint8_t { SINGLE_BATCH = 0, MULTI_BATCH };
enum class IterateOrder : uint8_t { ORDER_M = 0, ORDER_N, UNDEF };
enum class IterateMode : uint8_t { ITERATE_MODE_NORMAL = 1, ITERATE_MODE_ALL = 2, ITERATE_MODE_BATCH = 4, ITERATE_MODE_N_BATCH = 8, ITERATE_MODE_DEFAULT = 255 };
enum class ScheduleType : uint8_t { INNER_PRODUCT = 0, OUTER_PRODUCT, N_BUFFER_33 };
enum class MatmulConfigMode : uint8_t { CONFIG_NORM = 0, CONFIG_MDL, CONFIG_SPECIALMDL, CONFIG_IBSHARE };

template <TPosition POSITION, CubeFormat FORMAT, typename TYPE, bool ISTRANS = false, LayoutMode LAYOUT = LayoutMode::NONE,
          bool IBSHARE = false>
struct MatmulType {
    static constexpr TPosition pos = POSITION;
    static constexpr CubeFormat format = FORMAT;
    static constexpr bool isTrans = ISTRANS;
    static constexpr LayoutMode layout = LAYOUT;
    static constexpr bool ibShare = IBSHARE;
    using T = TYPE;
};

// How the library cuts and buffers. Results do not depend on it; the fields that kernels set by name are here.
struct MatmulConfig {
    bool doNorm = true;
    bool doBasicBlock = false;
    bool doMultiDataLoad = false;
    uint32_t basicM = 0, basicN = 0, basicK = 0;
    bool intrinsicsCheck = false;
    bool isNBatch = false;
    bool enVecND2NZ = false;
    bool doSpecialBasicBlock = false;
    uint32_t doMTE2Preload = 0;
    uint32_t singleCoreM = 0, singleCoreN = 0, singleCoreK = 0;
    uint32_t stepM = 0, stepN = 0;
    uint32_t baseMN = 0;
    uint32_t singleCoreMN = 0;
    bool enUnitFlag = true;
    bool isPerTensor = false;
    bool hasAntiQuantOffset = false;
    bool doIBShareNorm = false;
    bool doSpecialMDL = false;
    bool enableInit = true;
    BatchMode batchMode = BatchMode::NONE;
    bool enableEnd = true;
    bool enableGetTensorC = true;
    bool enableSetOrgShape = true;
    bool enableSetBias = true;
    bool enableSetTail = true;
    bool enableQuantVector = true;
    bool enableSetDefineData = true;
    uint8_t iterateMode = 255;
    bool enableReuse = true;
    bool enableUBReuse = true;
    bool enableL1CacheUB = false;
    bool intraBlockPartSum = false;
    IterateOrder iterateOrder = IterateOrder::UNDEF;
    ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
    bool enableDoubleCache = false;
    bool isBiasBatch = true;
    bool enableStaticPadZeros = false;
    bool isPartialOutput = false;
    bool enableMixDualMaster = false;
    bool isA2B2Shared = false;
    bool isEnableChannelSplit = false;
    bool enableKdimReorderLoad = false;
    BatchOutMode batchOutMode = BatchOutMode::SINGLE_BATCH;
};
struct MatmulShapeParams {
    uint32_t singleCoreM = 0, singleCoreN = 0, singleCoreK = 0, basicM = 0, basicN = 0, basicK = 0;
};
struct MatmulQuantParams {
    bool isPerTensor = false, hasAntiQuantOffset = false;
};
struct MatmulBatchParams {
    bool isNBatch = false;
    BatchMode batchMode = BatchMode::NONE;
    bool isBiasBatch = true;
};
struct MatmulFuncParams {
    bool intrinsicsLimit = false, enVecND2NZ = false, enableDoubleCache = false, enableL1CacheUB = false;
    uint32_t doMTE2Preload = 0;
    IterateOrder iterateOrder = IterateOrder::UNDEF;
    ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
    bool enableReuse = true, enableUBReuse = true, isPartialOutput = false, isA2B2Shared = false, isEnableChannelSplit = false,
         enableKdimReorderLoad = false;
};

// The vendor's functions take up to thirty switches of buffering; none changes a result.
template <typename... Switches> constexpr MatmulConfig GetNormalConfig(Switches...) { return {}; }
template <typename... Switches> constexpr MatmulConfig GetMDLConfig(Switches...)
{
    MatmulConfig config;
    config.doNorm = false;
    config.doMultiDataLoad = true;
    return config;
}
template <typename... Switches> constexpr MatmulConfig GetSpecialMDLConfig(Switches...)
{
    MatmulConfig config;
    config.doNorm = false;
    config.doSpecialMDL = true;
    return config;
}
template <typename... Switches> constexpr MatmulConfig GetIBShareNormConfig(Switches...)
{
    MatmulConfig config;
    config.doIBShareNorm = true;
    return config;
}
template <typename... Switches>
constexpr MatmulConfig GetBasicConfig(uint32_t basicM, uint32_t basicN, uint32_t basicK, Switches...)
{
    MatmulConfig config;
    config.doNorm = false;
    config.doBasicBlock = true;
    config.basicM = basicM;
    config.basicN = basicN;
    config.basicK = basicK;
    return config;
}
template <typename... Switches>
constexpr MatmulConfig GetSpecialBasicConfig(uint32_t basicM, uint32_t basicN, uint32_t basicK, uint32_t singleCoreM,
                                             uint32_t singleCoreN, uint32_t singleCoreK, Switches...)
{
    MatmulConfig config = GetBasicConfig(basicM, basicN, basicK);
    config.doSpecialBasicBlock = true;
    config.singleCoreM = singleCoreM;
    config.singleCoreN = singleCoreN;
    config.singleCoreK = singleCoreK;
    return config;
}
namespace detail {
constexpr void put(MatmulConfig &config, const MatmulShapeParams &p)
{
    config.singleCoreM = p.singleCoreM;
    config.singleCoreN = p.singleCoreN;
    config.singleCoreK = p.singleCoreK;
    config.basicM = p.basicM;
    config.basicN = p.basicN;
    config.basicK = p.basicK;
}
constexpr void put(MatmulConfig &config, const MatmulQuantParams &p) { config.isPerTensor = p.isPerTensor; }
constexpr void put(MatmulConfig &config, const MatmulBatchParams &p)
{
    config.isNBatch = p.isNBatch;
    config.batchMode = p.batchMode;
    config.isBiasBatch = p.isBiasBatch;
}
constexpr void put(MatmulConfig &config, const MatmulFuncParams &p)
{
    config.intrinsicsCheck = p.intrinsicsLimit;
    config.enVecND2NZ = p.enVecND2NZ;
    config.iterateOrder = p.iterateOrder;
    config.scheduleType = p.scheduleType;
    config.doMTE2Preload = p.doMTE2Preload;
}
} // namespace detail
template <MatmulConfigMode mode, typename... Parts> constexpr MatmulConfig GetMMConfig(Parts... parts)
{
    MatmulConfig config;
    config.doNorm = mode == MatmulConfigMode::CONFIG_NORM;
    config.doMultiDataLoad = mode == MatmulConfigMode::CONFIG_MDL;
    config.doSpecialMDL = mode == MatmulConfigMode::CONFIG_SPECIALMDL;
    config.doIBShareNorm = mode == MatmulConfigMode::CONFIG_IBSHARE;
    (detail::put(config, parts), ...);
    return config;
}
constexpr MatmulConfig CFG_NORM = GetNormalConfig();
constexpr MatmulConfig CFG_MDL = GetMDLConfig();
constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();
constexpr MatmulConfig MM_CFG_BB = GetBasicConfig(128, 128, 128);

// A configuration whose shapes are known at compile time; -1 where the tiling structure tells.
struct MatmulApiStaticTiling {
    int32_t usedCoreNum = -1, M = -1, N = -1, Ka = -1, Kb = -1;
    int32_t singleCoreM = -1, singleCoreN = -1, singleCoreK = -1;
    int32_t baseM = -1, baseN = -1, baseK = -1;
    int32_t depthA1 = -1, depthB1 = -1, stepM = -1, stepN = -1, stepKa = -1, stepKb = -1;
    int32_t isBias = -1, transLength = -1, iterateOrder = -1, dbL0A = -1, dbL0B = -1, dbL0C = -1;
    int32_t shareMode = -1, shareL1Size = -1, shareL0CSize = -1, shareUbSize = -1;
    int32_t batchM = -1, batchN = -1, singleBatchM = -1, singleBatchN = -1, depthAL1CacheUB = -1, depthBL1CacheUB = -1;
    MatmulConfig cfg = {};
};
namespace detail {
constexpr const MatmulConfig &config_of(const MatmulConfig &config) { return config; }
constexpr const MatmulConfig &config_of(const MatmulApiStaticTiling &tiling) { return tiling.cfg; }
} // namespace detail
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig &mmCFG, int32_t = 0)
{
    MatmulApiStaticTiling tiling;
    tiling.cfg = mmCFG;
    const auto known = [](uint32_t value) { return value ? static_cast<int32_t>(value) : -1; };
    tiling.singleCoreM = known(mmCFG.singleCoreM);
    tiling.singleCoreN = known(mmCFG.singleCoreN);
    tiling.singleCoreK = known(mmCFG.singleCoreK);
    tiling.baseM = known(mmCFG.basicM);
    tiling.baseN = known(mmCFG.basicN);
    tiling.baseK = known(mmCFG.basicK);
    return tiling;
}
template <void (*DataCopyOut)(const __gm__ void *, const void *, const void *, const uint64_t, const uint64_t) = nullptr,
          void (*CopyA1)(const void *, const __gm__ void *, int, int, int, int, const uint64_t, const uint64_t) = nullptr,
          void (*CopyB1)(const void *, const __gm__ void *, int, int, int, int, const uint64_t, const uint64_t) = nullptr>
struct MatmulCallBackFunc {
    static_assert(DataCopyOut == nullptr && CopyA1 == nullptr && CopyB1 == nullptr, "copies of a kernel's own within Matmul are not simulated");
};

} // namespace AscendC
