// The host part of matmul_test.cpp: a tiling that the library makes. The kernel's header comes first, with its macros.
#include <cstdint>
#include "kernel_operator.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

using namespace matmul_tiling;
static_assert(ge::DataType::DT_BF16 == ge::DT_BF16 && ge::Format::FORMAT_ND == ge::FORMAT_ND, "");

// What each core gets, as the vendor's samples and tuning cases print it: cores, M, N, fixed base blocks (0: none), and the shape.
constexpr int32_t printed[][7] = {
    {2, 512, 512, 0, 0, 256, 512},    {2, 512, 128, 128, 64, 512, 64},   {24, 128, 30720, 0, 0, 128, 1280},
    {48, 128, 30720, 0, 0, 128, 640}, {20, 128, 30720, 0, 0, 128, 1536}, {24, 128, 24576, 0, 0, 128, 1024},
    {24, 64, 64, 0, 0, 64, 64},
};
bool cut_as_printed(platform_ascendc::PlatformAscendC &platform)
{
    for (const auto &one : printed) {
        optiling::TCubeTiling tiling;
        MultiCoreMatmulTiling api(platform);
        api.SetDim(one[0]);
        api.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
        api.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
        api.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
        api.SetShape(one[1], one[2], 128);
        api.SetOrgShape(one[1], one[2], 128);
        if (one[3] > 0) {
            api.SetFixSplit(one[3], one[4], 128);
        }
        if (api.GetTiling(tiling) == -1 || tiling.get_singleCoreM() != one[5] || tiling.get_singleCoreN() != one[6]) {
            return false;
        }
    }
    return true;
}

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
    if (!cut_as_printed(*platform) || api.GetTiling(tiling) == -1 ||
        (m == n && tiling.get_singleCoreM() == static_cast<int32_t>(m))) { // cut by rows
        return 0;
    }
    tiling.SaveToBuffer(buffer, tiling.GetDataSize());
    return static_cast<uint32_t>(tiling.GetDataSize());
}
