#include "index_add_rows_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t TILE_BYTES = 40 * 1024; // two tiles are on chip: one is loaded while the other is stored

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAiv();
    const auto &shape = context->GetInputShape(0)->GetStorageShape();
    if (shape.GetShapeSize() == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }
    const uint32_t rows = shape.GetDim(0), columns = shape.GetDim(1);
    const uint32_t added = context->GetInputShape(1)->GetStorageShape().GetShapeSize();
    const uint32_t pitch = (columns + 7) / 8 * 8;
    if (pitch * 4 > TILE_BYTES) {
        return ge::GRAPH_FAILED; // such a row has to be added in pieces
    }
    const uint32_t fitting = TILE_BYTES / (pitch * 4);
    const uint32_t tileRows =
        fitting >= 8 ? fitting / 8 * 8 : fitting; // tiles of 8 indices start at multiples of 64 bytes
    IndexAddRowsTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_added(added);
    tiling.set_columns(columns);
    tiling.set_pitch(pitch);
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
