#include "embedding_lookup_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include <algorithm>

namespace optiling {
constexpr uint32_t TILE_BYTES = 40 * 1024; // two tiles are on chip: one is loaded while the other is stored

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAiv();
    if (context->GetInputShape(0)->GetStorageShape().GetShapeSize() == 0 ||
        context->GetInputShape(1)->GetStorageShape().GetShapeSize() == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }
    const uint32_t columns = context->GetInputShape(0)->GetStorageShape().GetDim(1);
    const uint32_t count = context->GetInputShape(1)->GetStorageShape().GetShapeSize();
    const uint32_t typeBytes = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 4 : 2;
    const uint32_t pitch = (columns + 15) / 16 * 16;
    if (pitch * typeBytes > TILE_BYTES) {
        return ge::GRAPH_FAILED; // such a row has to be copied in pieces
    }
    const uint32_t perCore = ((count + cores - 1) / cores + 7) / 8 * 8; // 64 bytes of tokens: aligned copies are faster
    const uint32_t tileRows = std::min(perCore, TILE_BYTES / (pitch * typeBytes));
    EmbeddingLookupTilingData tiling;
    tiling.set_count(count);
    tiling.set_perCore(perCore);
    tiling.set_columns(columns);
    tiling.set_pitch(pitch);
    tiling.set_tileRows(tileRows);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim((count + perCore - 1) / perCore);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class EmbeddingLookup : public OpDef {
public:
    explicit EmbeddingLookup(const char *name) : OpDef(name)
    {
        this->Input("table")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("tokens")
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
OP_ADD(EmbeddingLookup);
} // namespace ops
