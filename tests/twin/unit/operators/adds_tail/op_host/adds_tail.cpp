#include "adds_tail_tiling.h"
#include "register/op_def_registry.h"
#include "platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t kTile = 512;
static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    AddsTailTilingData tiling;
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const uint32_t total = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    const uint32_t most = (total + 511) / 512;
    const uint32_t cores = std::max(1U, std::min({platform.GetCoreNumAiv(), most, 8U}));
    context->SetBlockDim(cores);
    tiling.set_totalLength(total);
    tiling.set_perCore(((total + cores - 1) / cores + 7) / 8 * 8);
    tiling.set_tileLength(256);
    const float *scalar = context->GetAttrs()->GetFloat(0);
    if (scalar == nullptr) {
        return ge::GRAPH_FAILED;
    }
    tiling.set_scalar(*scalar);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    size_t *workspaces = context->GetWorkspaceSizes(1);
    workspaces[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext *context)
{
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}
static graphStatus InferDataType(gert::InferDataTypeContext *context)
{
    context->SetOutputDataType(0, ge::DT_FLOAT);
    return GRAPH_SUCCESS;
}
} // namespace ge

namespace ops {
class AddsTail : public OpDef {
public:
    explicit AddsTail(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("scalar").AttrType(OPTIONAL).Float(-1.5f);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(AddsTail);
} // namespace ops
