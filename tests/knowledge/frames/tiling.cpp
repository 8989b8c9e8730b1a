// Uses within a tiling function: `context` is its argument.
// ==== op_host/card_uses.cpp
#include "card_uses_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"
#include "graph/utils/type_utils.h"

namespace optiling {
// [function]
static ge::graphStatus CARD(gert::TilingContext *context)
{
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo()); // [platform]
    const gert::Shape &shape = context->GetInputShape(0)->GetStorageShape(); // [shape]
    ge::Shape tile({16, 64});                                               // [tile]
    uint32_t maximum = 0, minimum = 0;                                      // [maximum minimum]
    uint32_t factor = 0, extra = 0;                                         // [factor extra]
    optiling::TCubeTiling cube;                                             // [cube]
    matmul_tiling::MultiCoreMatmulTiling product(platform_ascendc::PlatformAscendC(context->GetPlatformInfo())); // [product]
    CardUsesTilingData tiling;                                              // [tiling]
    SNIPPET
    return ge::GRAPH_SUCCESS;
}
// [end]

static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    const int64_t only = *context->GetAttrs()->GetInt(0);
    // [calls]
    if ((only == -1 || only == NUMBER) && CARD(context) != ge::GRAPH_SUCCESS) {
        return ge::GRAPH_FAILED;
    }
    // [end]
    CardUsesTilingData data;
    data.set_only(static_cast<int32_t>(only));
    context->SetBlockDim(1);
    context->SetTilingKey(1);
    context->SetScheduleMode(0);
    data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 16 << 20;
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
        this->Attr("scale").AttrType(OPTIONAL).Float(0.5f);
        this->Attr("flag").AttrType(OPTIONAL).Bool(true);
        this->Attr("mode").AttrType(OPTIONAL).String("linear");
        this->Attr("axes").AttrType(OPTIONAL).ListInt({0, 1});
        this->Attr("weights").AttrType(OPTIONAL).ListFloat({1.0f});
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
