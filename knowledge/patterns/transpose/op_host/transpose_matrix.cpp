#include "transpose_matrix_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include <algorithm>

namespace optiling {
// Rows and columns of a tile: 64 KB of float in the input and in the output buffer. Copies are fastest where rows start
// at multiples of 512 bytes, 128 floats.
constexpr uint32_t SIDE = 128;

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAiv();
    const auto &shape = context->GetInputShape(0)->GetStorageShape();
    if (shape.GetShapeSize() == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }
    const size_t axes = shape.GetDimNum();
    const uint32_t rows = shape.GetDim(axes - 2), columns = shape.GetDim(axes - 1);
    const uint32_t batch = shape.GetShapeSize() / (static_cast<uint64_t>(rows) * columns);
    const uint32_t side = SIDE;
    const uint32_t tilesDown = (rows + side - 1) / side, tilesAcross = (columns + side - 1) / side;
    TransposeMatrixTilingData tiling;
    tiling.set_batch(batch);
    tiling.set_rows(rows);
    tiling.set_columns(columns);
    tiling.set_side(side);
    tiling.set_tilesDown(tilesDown);
    tiling.set_tilesAcross(tilesAcross);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(std::min(batch * tilesDown * tilesAcross, cores));
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class TransposeMatrix : public OpDef {
public:
    explicit TransposeMatrix(const char *name) : OpDef(name)
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
OP_ADD(TransposeMatrix);
} // namespace ops
