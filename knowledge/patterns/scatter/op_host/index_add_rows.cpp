#include "index_add_rows_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t TILE_BYTES = 40 * 1024; // two tiles are on chip, one filled while the other is written out

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAiv();
    const auto &shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t rows = shape.GetDim(0), columns = shape.GetDim(1);
    const uint32_t count = context->GetInputShape(1)->GetStorageShape().GetShapeSize();
    const uint32_t stride = (columns + 7) / 8 * 8;
    if (stride * 4 > TILE_BYTES) {
        return ge::GRAPH_FAILED; // such a row has to be added in pieces
    }
    // A multiple of 8, so that each tile's indices start at 64 bytes, unless fewer than 8 rows fit: then they come one by one.
    const uint32_t tileRows = TILE_BYTES / (stride * 4) >= 8 ? TILE_BYTES / (stride * 4) / 8 * 8 : 1;
    IndexAddRowsTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_count(count);
    tiling.set_columns(columns);
    tiling.set_stride(stride);
    tiling.set_tileRows(tileRows);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(cores);
    context->SetScheduleMode(1); // SyncAll: all blocks start together
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize();
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class IndexAddRows : public OpDef {
public:
    explicit IndexAddRows(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("index").ParamType(REQUIRED).DataType({ge::DT_INT64}).Format({ge::FORMAT_ND});
        this->Input("rows").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::Tiling);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(IndexAddRows);
} // namespace ops
