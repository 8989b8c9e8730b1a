#include "row_sum_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include <algorithm>

namespace optiling {
constexpr uint32_t MOST_PIECE = 4096;  // longer rows are summed in pieces of this length
constexpr uint32_t TILE_FLOATS = 8192; // of a tile, 32 KB: two input buffers, a float copy, partial sums and their sums

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAiv();
    const auto &shape = context->GetInputShape(0)->GetStorageShape();
    if (shape.GetShapeSize() == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }
    const uint32_t columns = shape.GetDim(shape.GetDimNum() - 1);
    const uint32_t rows = shape.GetShapeSize() / columns;
    const uint32_t typeBytes = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 4 : 2;
    const uint32_t unit = 32 / typeBytes;
    const uint32_t piece = std::min(columns, MOST_PIECE);
    const uint32_t pitch = (piece + unit - 1) / unit * unit;
    uint32_t partialPitch = 64;
    while (partialPitch * 8 < piece) {
        partialPitch *= 8;
    }
    // Multiples of 16 rows: a core's results fill whole blocks of 32 bytes, so no two cores write to one block.
    const uint32_t perCore = ((rows + cores - 1) / cores + 15) / 16 * 16;
    const uint32_t fitting = std::min(TILE_FLOATS / pitch, TILE_FLOATS / 2 / partialPitch); // 2 to 64
    const uint32_t tileRows = std::min(perCore, fitting);
    RowSumTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_perCore(perCore);
    tiling.set_columns(columns);
    tiling.set_piece(piece);
    tiling.set_pitch(pitch);
    tiling.set_partialPitch(partialPitch);
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
