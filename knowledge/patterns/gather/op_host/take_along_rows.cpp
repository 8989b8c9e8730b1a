#include "take_along_rows_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include <algorithm>

namespace optiling {
constexpr uint32_t MOST_COLUMNS = 16384; // elements of up to 4 bytes: two buffers of a row are 128 KB
constexpr uint32_t MOST_PIECE = 1536;    // indices: two buffers of 8 bytes and two of results, offsets of 4: 42 KB

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAiv();
    const auto &shape = context->GetInputShape(0)->GetStorageShape();
    if (shape.GetShapeSize() == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }
    const uint32_t rows = shape.GetDim(0), columns = shape.GetDim(1);
    const auto &index = context->GetInputShape(1)->GetStorageShape();
    const uint32_t indices = index.GetDim(1);
    if (columns > MOST_COLUMNS || index.GetDim(0) != rows || indices == 0) {
        return ge::GRAPH_FAILED; // a whole row of x has to fit on chip, and each has indices of its own
    }
    const uint32_t piece = std::min((indices + 15) / 16 * 16, MOST_PIECE);
    const uint32_t perCore = (rows + cores - 1) / cores;
    TakeAlongRowsTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_perCore(perCore);
    tiling.set_columns(columns);
    tiling.set_indices(indices);
    tiling.set_piece(piece);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim((rows + perCore - 1) / perCore);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class TakeAlongRows : public OpDef {
public:
    explicit TakeAlongRows(const char *name) : OpDef(name)
    {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("index")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT64, ge::DT_INT64, ge::DT_INT64})
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
OP_ADD(TakeAlongRows);
} // namespace ops
