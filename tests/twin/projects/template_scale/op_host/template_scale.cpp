#include "../op_kernel/template_scale_key.h"
#include "../op_kernel/template_scale_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    TemplateScaleTiling *tiling = context->GetTilingData<TemplateScaleTiling>();
    tiling->length = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    tiling->factor = 2.0f;
    const uint32_t D_T_X = static_cast<uint32_t>(context->GetInputDesc(0)->GetDataType());
    const uint32_t TILES = static_cast<uint32_t>(*context->GetAttrs()->GetInt(0));
    const uint32_t ADD_ONE = *context->GetAttrs()->GetBool(1) ? 1 : 0;
    ASCENDC_TPL_SEL_PARAM(context, D_T_X, TILES, ADD_ONE);
    context->SetBlockDim(1);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class TemplateScale : public OpDef {
public:
    explicit TemplateScale(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("tiles").Int();
        this->Attr("add_one").AttrType(OPTIONAL).Bool(true);
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
    }
};
OP_ADD(TemplateScale);
} // namespace ops
