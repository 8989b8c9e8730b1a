#include "silu_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint64_t RESERVE_BYTES =
    8 * 1024;                 // of the Unified Buffer, left free for what the compiler and libraries keep there
constexpr uint64_t STEP = 64; // elements: 256 bytes of float, a multiple of 32 bytes in every type
// Bytes per element: input and output of at most 4 bytes, two copies each, and two float temporaries.
constexpr uint64_t BYTES_PER_ELEMENT = 2 * 4 + 2 * 4 + 2 * 4;

static uint64_t RoundUp(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    uint64_t ub = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
    const uint64_t cores = platform.GetCoreNumAiv();
    const uint64_t total = static_cast<uint64_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    if (total == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }

    const uint64_t perCore = RoundUp((total + cores - 1) / cores, STEP);
    const uint64_t fits = (ub - RESERVE_BYTES) / BYTES_PER_ELEMENT / STEP * STEP;
    SiluTilingData tiling;
    tiling.set_total(total);
    tiling.set_perCore(perCore);
    tiling.set_tileLength(static_cast<uint32_t>(perCore < fits ? perCore : fits));
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(static_cast<uint32_t>((total + perCore - 1) / perCore));
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class Silu : public OpDef {
public:
    explicit Silu(const char *name) : OpDef(name)
    {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::Tiling);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(Silu);
} // namespace ops
