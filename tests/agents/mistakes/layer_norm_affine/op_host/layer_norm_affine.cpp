#include "layer_norm_affine_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAiv();
    const auto &shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t rows = shape.GetDim(0), columns = shape.GetDim(1);
    const uint32_t perCore = (rows + cores - 1) / cores;
    LayerNormAffineTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_perCore(perCore);
    tiling.set_columns(columns);
    tiling.set_padded((columns + 63) / 64 * 64);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetTilingKey(columns % 16 == 0 ? 1 : 2);
    context->SetBlockDim((rows + perCore - 1) / perCore);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class LayerNormAffine : public OpDef {
public:
    explicit LayerNormAffine(const char *name) : OpDef(name)
    {
        for (const char *input : {"x", "weight", "bias"}) {
            this->Input(input).ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        }
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::Tiling);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(LayerNormAffine);
} // namespace ops
