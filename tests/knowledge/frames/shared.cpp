// What every frame has that brings no file of the same name.
// ==== op_host/card_uses.cpp
#include "card_uses_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    CardUsesTilingData tiling;
    tiling.set_only(*context->GetAttrs()->GetInt(0));
    context->SetBlockDim(1);
    context->SetTilingKey(1);
    context->SetScheduleMode(1);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = (16 << 20) + 65536;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class CardUses : public OpDef {
public:
    explicit CardUses(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("only").AttrType(OPTIONAL).Int(-1);
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
    }
};
OP_ADD(CardUses);
} // namespace ops
// ==== op_host/card_uses_tiling.h
#ifndef CARD_USES_TILING_H
#define CARD_USES_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(CardUsesTilingData)
TILING_DATA_FIELD_DEF(int32_t, only);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(CardUses, CardUsesTilingData)
} // namespace optiling
#endif
