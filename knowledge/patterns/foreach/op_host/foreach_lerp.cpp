#include "foreach_lerp_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include <algorithm>

namespace optiling {
constexpr uint32_t TILE = 4096; // elements: two buffers of x, y and z, and of 16-bit types x and y as float

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAiv();
    for (uint32_t list = 0; list < 2; ++list) {
        if (context->GetComputeNodeInfo()->GetInputInstanceInfo(list)->GetInstanceNum() != TENSORS) {
            return ge::GRAPH_FAILED; // there are as many outputs
        }
    }
    uint64_t lengths[TENSORS] = {};
    uint64_t tiles = 0;
    const uint32_t tile = TILE;
    for (uint32_t i = 0; i < TENSORS; ++i) {
        lengths[i] = context->GetDynamicInputTensor(0, i)->GetStorageShape().GetShapeSize();
        if (lengths[i] !=
            static_cast<uint64_t>(context->GetDynamicInputTensor(1, i)->GetStorageShape().GetShapeSize())) {
            return ge::GRAPH_FAILED; // x and y differ in length
        }
        tiles += (lengths[i] + tile - 1) / tile;
    }
    if (tiles == 0) {
        return ge::GRAPH_FAILED; // empty tensors leave nothing to launch
    }
    const float weight = *context->GetAttrs()->GetFloat(0);
    ForeachLerpTilingData tiling;
    tiling.set_lengths(lengths);
    tiling.set_tile(tile);
    tiling.set_weight(weight);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(std::min<uint64_t>(tiles, cores));
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class ForeachLerp : public OpDef {
public:
    explicit ForeachLerp(const char *name) : OpDef(name)
    {
        this->Input("x")
            .ParamType(DYNAMIC)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("y")
            .ParamType(DYNAMIC)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        for (const char *output : {"z0", "z1"}) {
            this->Output(output)
                .ParamType(REQUIRED)
                .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
                .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        }
        this->Attr("weight").AttrType(REQUIRED).Float();
        this->AICore().SetTiling(optiling::Tiling);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(ForeachLerp);
} // namespace ops
