// Configurations of Matmul objects: how the library cuts, orders and buffers a product. Names and
// defaults are the vendor's.
#pragma once
#include "akgen/runtime.h"
#include "ascendc/types.h"
#include "kernel_tiling/kernel_tiling.h"

namespace AscendC {

enum class BatchMode : uint8_t { NONE = 0, BATCH_LESS_THAN_L1, BATCH_LARGE_THAN_L1, SINGLE_LARGE_THAN_L1 };
enum BatchOutMode : uint8_t { SINGLE_BATCH = 0, MULTI_BATCH };
enum class IterateOrder : uint8_t { ORDER_M = 0, ORDER_N, UNDEF };
enum IterateMode : uint8_t {
    ITERATE_MODE_NORMAL = 1,
    ITERATE_MODE_ALL = 2,
    ITERATE_MODE_BATCH = 4,
    ITERATE_MODE_N_BATCH = 8,
    ITERATE_MODE_DEFAULT = 255
};
enum class ScheduleType : uint8_t { INNER_PRODUCT = 0, OUTER_PRODUCT, N_BUFFER_33 };
enum class MatmulConfigMode : uint8_t { CONFIG_NORM = 0, CONFIG_MDL, CONFIG_SPECIALMDL, CONFIG_IBSHARE };

// How the library cuts and buffers. Most results do not depend on it; the fields that kernels set by name are here.
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
    BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
};
struct MatmulBiasParams {
    bool enableSetBias = true;
};
struct MatmulFuncParams {
    bool intrinsicsLimit = false, enVecND2NZ = false, enableDoubleCache = false, enableL1CacheUB = false;
    uint32_t doMTE2Preload = 0;
    IterateOrder iterateOrder = IterateOrder::UNDEF;
    ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
    bool enableReuse = true, enableUBReuse = true, isPartialOutput = false, isA2B2Shared = false,
         isEnableChannelSplit = false, enableKdimReorderLoad = false, enableL1BankConflictOptimise = false;
};

// What the parameters of the functions that make configurations have in common.
namespace detail {
constexpr MatmulConfig config_with(bool intrinsics, bool n_batch, BatchMode mode)
{
    MatmulConfig config;
    config.intrinsicsCheck = intrinsics;
    config.isNBatch = n_batch;
    config.batchMode = mode;
    return config;
}
constexpr MatmulConfig large_blocks(MatmulConfig config, uint32_t preload, bool nd_to_nz, bool per_tensor, bool offset)
{
    config.doNorm = false;
    config.doMTE2Preload = preload;
    config.enVecND2NZ = nd_to_nz;
    config.isPerTensor = per_tensor;
    config.hasAntiQuantOffset = offset;
    return config;
}
} // namespace detail
constexpr MatmulConfig GetNormalConfig(bool intrinsicsLimit = false, bool batchLoop = false, bool isVecND2NZ = false,
                                       BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1, bool isMsgReuse = true,
                                       IterateOrder iterateOrder = IterateOrder::UNDEF,
                                       ScheduleType scheduleType = ScheduleType::INNER_PRODUCT, bool enUnitFlag = true,
                                       bool enableMixDualMaster = false,
                                       BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH)
{
    MatmulConfig config = detail::config_with(intrinsicsLimit, batchLoop, bmmMode);
    config.enVecND2NZ = isVecND2NZ;
    config.enableReuse = isMsgReuse;
    config.iterateOrder = iterateOrder;
    config.scheduleType = scheduleType;
    config.enUnitFlag = enUnitFlag;
    config.enableMixDualMaster = enableMixDualMaster;
    config.batchOutMode = bmmOutMode;
    return config;
}
constexpr MatmulConfig GetMDLConfig(bool intrinsicsLimit = false, bool batchLoop = false, uint32_t doMTE2Preload = 0,
                                    bool isVecND2NZ = false, bool isPerTensor = false, bool hasAntiQuantOffset = false,
                                    bool enUnitFlag = false, bool isMsgReuse = true, bool enableUBReuse = true,
                                    bool enableL1CacheUB = false, bool enableMixDualMaster = false,
                                    bool enableKdimReorderLoad = false)
{
    MatmulConfig config = detail::large_blocks(detail::config_with(intrinsicsLimit, batchLoop, BatchMode::NONE),
                                               doMTE2Preload, isVecND2NZ, isPerTensor, hasAntiQuantOffset);
    config.doMultiDataLoad = true;
    config.enUnitFlag = enUnitFlag;
    config.enableReuse = isMsgReuse;
    config.enableUBReuse = enableUBReuse;
    config.enableL1CacheUB = enableL1CacheUB;
    config.enableMixDualMaster = enableMixDualMaster;
    config.enableKdimReorderLoad = enableKdimReorderLoad;
    return config;
}
constexpr MatmulConfig GetSpecialMDLConfig(bool intrinsicsLimit = false, bool batchLoop = false,
                                           uint32_t doMTE2Preload = 0, bool isVecND2NZ = false,
                                           bool isPerTensor = false, bool hasAntiQuantOffset = false)
{
    MatmulConfig config = detail::large_blocks(detail::config_with(intrinsicsLimit, batchLoop, BatchMode::NONE),
                                               doMTE2Preload, isVecND2NZ, isPerTensor, hasAntiQuantOffset);
    config.doSpecialMDL = true;
    return config;
}
constexpr MatmulConfig GetIBShareNormConfig(bool intrinsicsLimit = false, bool batchLoop = false,
                                            bool isVecND2NZ = false, BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1,
                                            bool isDoubleCache = false, bool enUnitFlag = true)
{
    MatmulConfig config = detail::config_with(intrinsicsLimit, batchLoop, bmmMode);
    config.doIBShareNorm = true;
    config.enVecND2NZ = isVecND2NZ;
    config.enableDoubleCache = isDoubleCache;
    config.enUnitFlag = enUnitFlag;
    return config;
}
constexpr MatmulConfig GetBasicConfig(uint32_t basicM, uint32_t basicN, uint32_t basicK, bool intrinsicsLimit = false,
                                      bool batchLoop = false, BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1)
{
    MatmulConfig config = detail::config_with(intrinsicsLimit, batchLoop, bmmMode);
    config.doNorm = false;
    config.doBasicBlock = true;
    config.basicM = basicM;
    config.basicN = basicN;
    config.basicK = basicK;
    return config;
}
constexpr MatmulConfig GetSpecialBasicConfig(uint32_t basicM, uint32_t basicN, uint32_t basicK, uint32_t singleCoreM,
                                             uint32_t singleCoreN, uint32_t singleCoreK, uint32_t stepM, uint32_t stepN,
                                             bool intrinsicsLimit = false, bool batchLoop = false,
                                             BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1)
{
    MatmulConfig config = GetBasicConfig(basicM, basicN, basicK, intrinsicsLimit, batchLoop, bmmMode);
    config.doSpecialBasicBlock = true;
    config.singleCoreM = singleCoreM;
    config.singleCoreN = singleCoreN;
    config.singleCoreK = singleCoreK;
    config.stepM = stepM;
    config.stepN = stepN;
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
constexpr void put(MatmulConfig &config, const MatmulQuantParams &p)
{
    config.isPerTensor = p.isPerTensor;
    config.hasAntiQuantOffset = p.hasAntiQuantOffset;
}
constexpr void put(MatmulConfig &config, const MatmulBatchParams &p)
{
    config.isNBatch = p.isNBatch;
    config.batchMode = p.batchMode;
    config.isBiasBatch = p.isBiasBatch;
    config.batchOutMode = p.bmmOutMode;
}
constexpr void put(MatmulConfig &config, const MatmulBiasParams &p) { config.enableSetBias = p.enableSetBias; }
constexpr void put(MatmulConfig &config, const MatmulFuncParams &p)
{
    config.intrinsicsCheck = p.intrinsicsLimit;
    config.enVecND2NZ = p.enVecND2NZ;
    config.enableDoubleCache = p.enableDoubleCache;
    config.enableL1CacheUB = p.enableL1CacheUB;
    config.doMTE2Preload = p.doMTE2Preload;
    config.iterateOrder = p.iterateOrder;
    config.scheduleType = p.scheduleType;
    config.enableReuse = p.enableReuse;
    config.enableUBReuse = p.enableUBReuse;
    config.isPartialOutput = p.isPartialOutput;
    config.isA2B2Shared = p.isA2B2Shared;
    config.isEnableChannelSplit = p.isEnableChannelSplit;
    config.enableKdimReorderLoad = p.enableKdimReorderLoad;
}
} // namespace detail
template <MatmulConfigMode mode, typename... Parts> constexpr MatmulConfig GetMMConfig(Parts &&...parts)
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
// Whether an object needs no tiling structure, since all its shapes are constants.
constexpr bool complete(const MatmulConfig &) { return false; }
constexpr bool complete(const MatmulApiStaticTiling &t)
{
    return t.singleCoreM > 0 && t.singleCoreN > 0 && t.singleCoreK > 0 && t.baseM > 0 && t.baseN > 0 && t.baseK > 0;
}
AKGEN_INLINE void known(int32_t &field, int32_t value)
{
    if (value != -1) {
        field = value;
    }
}
// Constants take the place of what the structure says.
AKGEN_INLINE void settle(TCubeTiling &tiling, const MatmulConfig &config)
{
    if (config.doBasicBlock) {
        tiling.baseM = static_cast<int32_t>(config.basicM);
        tiling.baseN = static_cast<int32_t>(config.basicN);
        tiling.baseK = static_cast<int32_t>(config.basicK);
    }
}
AKGEN_INLINE void settle(TCubeTiling &tiling, const MatmulApiStaticTiling &c)
{
    known(tiling.singleCoreM, c.singleCoreM);
    known(tiling.singleCoreN, c.singleCoreN);
    known(tiling.singleCoreK, c.singleCoreK);
    known(tiling.M, c.M != -1 || tiling.M ? c.M : c.singleCoreM);
    known(tiling.N, c.N != -1 || tiling.N ? c.N : c.singleCoreN);
    known(tiling.Ka, c.Ka != -1 || tiling.Ka ? c.Ka : c.singleCoreK);
    known(tiling.Kb, c.Kb != -1 || tiling.Kb ? c.Kb : c.singleCoreK);
    known(tiling.baseM, c.baseM);
    known(tiling.baseN, c.baseN);
    known(tiling.baseK, c.baseK);
    known(tiling.depthA1, c.depthA1);
    known(tiling.depthB1, c.depthB1);
    known(tiling.iterateOrder, c.iterateOrder);
}
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
} // namespace AscendC
