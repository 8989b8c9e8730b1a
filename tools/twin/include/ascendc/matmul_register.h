// Registering Matmul objects, and the names that kernels find outside of AscendC.
#pragma once
#include "ascendc/matmul.h"

namespace AscendC {

namespace detail {
// Objects, each with or without its tiling behind it.
AKGEN_INLINE void register_matmul() {}
template <class Object, typename... Rest> AKGEN_INLINE void register_matmul(Object &object, Rest &&...rest);
template <class Object, typename Next, typename... Rest>
AKGEN_INLINE void register_with(Object &object, Next &&next, Rest &&...rest)
{
    if constexpr (std::is_convertible_v<Next, const TCubeTiling *>) {
        object.Init(next);
        register_matmul(static_cast<Rest &&>(rest)...);
    } else {
        object.Init(nullptr);
        register_matmul(static_cast<Next &&>(next), static_cast<Rest &&>(rest)...);
    }
}
template <class Object, typename... Rest> AKGEN_INLINE void register_matmul(Object &object, Rest &&...rest)
{
    if constexpr (sizeof...(Rest) == 0) {
        object.Init(nullptr);
    } else {
        register_with(object, static_cast<Rest &&>(rest)...);
    }
}
// How many of REGIST_MATMUL_OBJ's arguments are objects.
template <typename... Args> constexpr uint32_t count_objects(Args &&...)
{
    return (0u + ... + (std::is_convertible_v<Args, const TCubeTiling *> ? 0u : 1u));
}
} // namespace detail

} // namespace AscendC

namespace matmul {
using namespace AscendC;
using AscendC::Matmul;
using AscendC::MatmulConfig;
using AscendC::MatmulImpl;
using AscendC::MatmulType;
} // namespace matmul

// The vendor has configurations outside of any namespace.
using AscendC::BatchMode;
using AscendC::BatchOutMode;
using AscendC::CFG_IBSHARE_NORM;
using AscendC::CFG_MDL;
using AscendC::CFG_NORM;
using AscendC::CubeFormat;
using AscendC::GetBasicConfig;
using AscendC::GetIBShareNormConfig;
using AscendC::GetMDLConfig;
using AscendC::GetMMConfig;
using AscendC::GetNormalConfig;
using AscendC::GetSpecialBasicConfig;
using AscendC::GetSpecialMDLConfig;
using AscendC::IterateMode;
using AscendC::IterateOrder;
using AscendC::LayoutMode;
using AscendC::MatmulApiStaticTiling;
using AscendC::MatmulBatchParams;
using AscendC::MatmulBiasParams;
using AscendC::MatmulConfig;
using AscendC::MatmulConfigMode;
using AscendC::MatmulFuncParams;
using AscendC::MatmulQuantParams;
using AscendC::MatmulShapeParams;
using AscendC::MatrixOffset;
using AscendC::MM_CFG_BB;
using AscendC::ScheduleType;

// Where cube cores run the kernel as well, only the vector cores own objects, unless the kernel says ASCENDC_CUBE_ONLY.
#ifdef ASCENDC_CUBE_ONLY
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                                                       \
    AKGEN_TASK_TYPE(2L, 0L, static_cast<long>(KERNEL_TYPE_AIC_ONLY));                                                  \
    AscendC::detail::register_matmul(__VA_ARGS__)
#else
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                                                       \
    AKGEN_TASK_TYPE(2L, 0L, static_cast<long>(KERNEL_TYPE_MIX_AIC_1_2));                                               \
    if (ASCEND_IS_AIC) {                                                                                               \
        return;                                                                                                        \
    }                                                                                                                  \
    AscendC::detail::register_matmul(__VA_ARGS__);                                                                     \
    akgen::twin::matmul_objects(AscendC::detail::count_objects(__VA_ARGS__))
#endif
#define REGIST_MATMUL_OBJ_STATIC REGIST_MATMUL_OBJ
