#include "column_sum_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include <algorithm>

namespace optiling {
constexpr uint32_t LEAST_WIDTH = 128; // elements: a whole repeat of 16-bit types, two of float
constexpr uint32_t MOST_WIDTH = 2048;
constexpr uint32_t TILE_FLOATS =
    10240; // of a tile, 40 KB of float: two input buffers and, of 16-bit types, a float copy

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
    // Each core sums all rows of its own columns, so nothing is added across cores; fewer than 128 columns per core
    // leave cores idle.
    const uint32_t share = ((columns + cores - 1) / cores + LEAST_WIDTH - 1) / LEAST_WIDTH * LEAST_WIDTH;
    const uint32_t width = std::min(share, MOST_WIDTH);
    const uint32_t strips = (columns + width - 1) / width;
    const uint32_t tileRows = std::min(rows, TILE_FLOATS / width);
    ColumnSumTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_columns(columns);
    tiling.set_width(width);
    tiling.set_strips(strips);
    tiling.set_tileRows(tileRows);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(std::min(strips, cores));
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class ColumnSum : public OpDef {
public:
    explicit ColumnSum(const char *name) : OpDef(name)
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
OP_ADD(ColumnSum);
} // namespace ops
