#include "layer_norm_backward_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include <algorithm>

namespace optiling {
constexpr uint32_t RESERVE_BYTES = 8 * 1024; // rounding of the small buffers
constexpr uint32_t TILE_BYTES =
    20 * 1024;                      // copies are efficient from 16 KB on; longer tiles delay the first and last step
constexpr uint32_t MOST_ROWS = 248; // repeats of one instruction are at most 255

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    uint64_t ub = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
    const uint32_t cores = platform.GetCoreNumAiv();
    const auto &shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t columns = shape.GetDim(shape.GetDimNum() - 1);
    const uint32_t rows = shape.GetShapeSize() / columns;
    const uint32_t stride = (columns + 7) / 8 * 8;
    uint32_t partialStride = 64;
    while (partialStride * 8 < columns) {
        partialStride *= 8;
    }
    // Once: the weights. Of a row: two copies of both inputs and of the output, one row of float, its partial
    // sums and the sums of these; 144 bytes for its three scalars, one of them spread over a block, rounded up.
    const uint32_t onceBytes = stride * 4;
    const uint32_t rowBytes = stride * (6 * 4 + 4) + partialStride * 2 * 4 + 4 * 36;
    if (ub < RESERVE_BYTES + onceBytes + rowBytes) {
        return ge::GRAPH_FAILED; // such a row needs a kernel that takes it in pieces
    }
    const uint32_t perCore = (rows + cores - 1) / cores;
    const uint32_t fitting = (ub - RESERVE_BYTES - onceBytes) / rowBytes;
    const uint32_t tileRows = std::min({perCore, fitting, MOST_ROWS, TILE_BYTES / (stride * 4) + 1});
    LayerNormBackwardTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_perCore(perCore);
    tiling.set_columns(columns);
    tiling.set_stride(stride);
    tiling.set_partialStride(partialStride);
    tiling.set_tileRows(tileRows);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim((rows + perCore - 1) / perCore);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class LayerNormBackward : public OpDef {
public:
    explicit LayerNormBackward(const char *name) : OpDef(name)
    {
        for (const char *input : {"grad", "x", "weight"}) {
            this->Input(input).ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        }
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::Tiling);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(LayerNormBackward);
} // namespace ops
