#include "embedding_rows_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAiv();
    const uint32_t count = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    const uint32_t columns = context->GetInputShape(1)->GetStorageShape().GetDim(1);
    const uint32_t perCore = (count + cores - 1) / cores;
    EmbeddingRowsTilingData tiling;
    tiling.set_count(count);
    tiling.set_perCore(perCore);
    tiling.set_columns(columns);
    tiling.set_padded((columns + 7) / 8 * 8);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim((count + perCore - 1) / perCore);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class EmbeddingRows : public OpDef {
public:
    explicit EmbeddingRows(const char *name) : OpDef(name)
    {
        this->Input("index").ParamType(REQUIRED).DataType({ge::DT_INT64}).Format({ge::FORMAT_ND});
        this->Input("table").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::Tiling);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(EmbeddingRows);
} // namespace ops
