#include "layer_norm_backward_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include <algorithm>

namespace optiling {
constexpr uint32_t RESERVE_BYTES = 8 * 1024; // for rounding the small buffers up
constexpr uint32_t TILE_BYTES = 20 * 1024;   // enough for fast copies; longer tiles delay the first and the last step
constexpr uint32_t MOST_ROWS = 248;          // a multiple of the eight that Brcb takes, below 255 repeats

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    uint64_t ub = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
    const uint32_t cores = platform.GetCoreNumAiv();
    const auto &shape = context->GetInputShape(0)->GetStorageShape();
    if (shape.GetShapeSize() == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }
    const uint32_t columns = shape.GetDim(shape.GetDimNum() - 1);
    const uint32_t rows = shape.GetShapeSize() / columns;
    const uint32_t pitch = (columns + 7) / 8 * 8;
    uint32_t partialPitch = 64;
    while (partialPitch * 8 < columns) {
        partialPitch *= 8;
    }
    // On chip once: the weights. For each row: two buffers of both inputs and of the output, its centred values, its
    // partial sums and their sums, its three scalars, and a block for one of them.
    const uint32_t onceBytes = pitch * 4;
    const uint32_t rowBytes = pitch * (6 * 4 + 4) + partialPitch * 2 * 4 + 3 * 4 + 32;
    if (ub < RESERVE_BYTES + onceBytes + rowBytes) {
        return ge::GRAPH_FAILED; // such a row needs a kernel that takes it in pieces
    }
    const uint32_t perCore = (rows + cores - 1) / cores;
    const uint32_t fitting = (ub - RESERVE_BYTES - onceBytes) / rowBytes;
    const uint32_t tileRows = std::min({perCore, fitting, MOST_ROWS, TILE_BYTES / (pitch * 4) + 1});
    const float epsilon = *context->GetAttrs()->GetFloat(0);
    LayerNormBackwardTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_perCore(perCore);
    tiling.set_columns(columns);
    tiling.set_pitch(pitch);
    tiling.set_partialPitch(partialPitch);
    tiling.set_tileRows(tileRows);
    tiling.set_epsilon(epsilon);
    tiling.set_reciprocal(1.0f / columns);
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
        this->Attr("eps").AttrType(OPTIONAL).Float(1e-5f); // as in the forward operator
        this->AICore().SetTiling(optiling::Tiling);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(LayerNormBackward);
} // namespace ops
