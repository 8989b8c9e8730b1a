#include "mean_all_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t TILE = 8192;     // elements, 32 KB of float: two input buffers, the sums and a float copy
constexpr uint32_t SUMS_BYTES = 32; // of each core in the workspace: the kernel's PARTIAL_SUMS floats

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAiv();
    const uint64_t length = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    if (length == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }
    // Whole tiles for each core, so that only the last core's last tile is ragged; small tensors take fewer cores.
    const uint32_t tile = TILE;
    const uint64_t perCore = ((length + cores - 1) / cores + tile - 1) / tile * tile;
    const uint32_t blocks = (length + perCore - 1) / perCore;
    MeanAllTilingData tiling;
    tiling.set_length(length);
    tiling.set_perCore(perCore);
    tiling.set_tile(tile);
    tiling.set_reciprocal(1.0f / length);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(blocks);
    context->SetScheduleMode(1); // SyncAll: all blocks start together
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + blocks * SUMS_BYTES;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class MeanAll : public OpDef {
public:
    explicit MeanAll(const char *name) : OpDef(name)
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
OP_ADD(MeanAll);
} // namespace ops
