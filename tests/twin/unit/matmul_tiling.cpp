// The host part of matmul_test.cpp: a tiling that the library makes. The kernel's header comes first, with its macros.
#include <cstdint>
#include "kernel_operator.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

using namespace matmul_tiling;
static_assert(ge::DataType::DT_BF16 == ge::DT_BF16 && ge::Format::FORMAT_ND == ge::FORMAT_ND, "");

uint32_t make_tiling(uint32_t m, uint32_t n, uint32_t k, uint8_t *buffer)
{
    optiling::TCubeTiling tiling;
    auto *platform = platform_ascendc::PlatformAscendCManager::GetInstance();
    MultiCoreMatmulTiling api(*platform);
    api.SetDim(2);
    api.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    api.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    api.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    api.SetShape(-1, -1, k);
    api.SetOrgShape(m, n, k);
    api.SetMatmulConfigParams(MatmulConfigParams(1, false, ScheduleType::INNER_PRODUCT));
    api.SetBufferSpace(-1, -1, -1);
    if (api.GetTiling(tiling) == -1 || (m == n && tiling.get_singleCoreM() == static_cast<int32_t>(m))) { // cut by rows
        return 0;
    }
    tiling.SaveToBuffer(buffer, tiling.GetDataSize());
    return static_cast<uint32_t>(tiling.GetDataSize());
}
