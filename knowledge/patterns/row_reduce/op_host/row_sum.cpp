#include "row_sum_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include <algorithm>

namespace optiling {
constexpr uint32_t MOST_PIECE = 4096;  // longer rows are summed in pieces of this length
constexpr uint32_t TILE_FLOATS = 8192; // of a tile: 32 KB, of which the Unified Buffer holds input, float copy and sums
constexpr uint32_t MOST_ROWS = 248;    // repeats of one instruction are at most 255

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAiv();
    const auto &shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t columns = shape.GetDim(shape.GetDimNum() - 1);
    const uint32_t rows = shape.GetShapeSize() / columns;
    const uint32_t typeBytes = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 4 : 2;
    const uint32_t unit = 32 / typeBytes;
    const uint32_t piece = std::min(columns, MOST_PIECE);
    const uint32_t stride = (piece + unit - 1) / unit * unit;
    uint32_t partialStride = 64;
    while (partialStride * 8 < piece) {
        partialStride *= 8;
    }
    // A core's rows are a multiple of 16, so that its results begin at a block of 32 bytes, whichever type they have.
    const uint32_t perCore = ((rows + cores - 1) / cores + 15) / 16 * 16;
    const uint32_t fitting = std::max(1u, std::min(TILE_FLOATS / stride, TILE_FLOATS / 2 / partialStride));
    const uint32_t tileRows = std::min({perCore, fitting, MOST_ROWS});
    RowSumTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_perCore(perCore);
    tiling.set_columns(columns);
    tiling.set_piece(piece);
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
class RowSum : public OpDef {
public:
    explicit RowSum(const char *name) : OpDef(name)
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
OP_ADD(RowSum);
} // namespace ops
