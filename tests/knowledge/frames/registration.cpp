// Uses within an operator's definition: statements of its constructor.
// ==== op_host/card_uses.cpp
#include "card_uses_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    CardUsesTilingData data;
    data.set_only(-1);
    context->SetBlockDim(1);
    context->SetTilingKey(1);
    data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
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
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
    }
};
OP_ADD(CardUses);
// [function]
class CARD : public OpDef {
public:
    explicit CARD(const char *name) : OpDef(name)
    {
        SNIPPET
    }
};
OP_ADD(CARD);
// [end]
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
