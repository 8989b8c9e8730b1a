// Uses within the functions that infer shapes and types: `context` and `types` are their arguments.
// ==== op_host/card_uses.cpp
#include "card_uses_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    CardUsesTilingData data;
    data.set_only(static_cast<int32_t>(*context->GetAttrs()->GetInt(0)));
    context->SetBlockDim(1);
    context->SetTilingKey(1);
    data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ge {
// [function]
static graphStatus CARD(gert::InferShapeContext *context, gert::InferDataTypeContext *types)
{
    if (context != nullptr) { // [context]
    if (types != nullptr) {   // [types]
    SNIPPET
    }                         // [types]
    }                         // [context]
    return GRAPH_SUCCESS;
}
// [end]

static graphStatus InferShape(gert::InferShapeContext *context)
{
    const int64_t only = *context->GetAttrs()->GetInt(0);
    // [calls]
    if ((only == -1 || only == NUMBER) && CARD(context, nullptr) != GRAPH_SUCCESS) {
        return GRAPH_FAILED;
    }
    // [end]
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext *context)
{
    // [calls]
    if (CARD(nullptr, context) != GRAPH_SUCCESS) {
        return GRAPH_FAILED;
    }
    // [end]
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}
} // namespace ge

namespace ops {
class CardUses : public OpDef {
public:
    explicit CardUses(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("only").AttrType(OPTIONAL).Int(-1);
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
    }
};
OP_ADD(CardUses);
} // namespace ops
// ==== op_kernel/card_uses.cpp
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void card_uses(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    if (TILING_KEY_IS(1)) {
        PipeBarrier<PIPE_ALL>();
    }
}
