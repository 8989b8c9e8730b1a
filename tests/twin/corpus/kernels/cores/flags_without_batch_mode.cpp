// Every core waits for a flag of all others, and the host did not ask that they start together.
// warning: SCHEDULE_MODE
// x: float32 128
// blocks: 2
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 64);
    DataCopy(a, in[GetBlockIdx() * 64], 64);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out[GetBlockIdx() * 64], a, 64);
    CrossCoreSetFlag<0, PIPE_MTE3>(3); // [here]
    CrossCoreWaitFlag(3);
}
// ==== op_host/corpus.cpp
// The host side that every kernel of the corpus shares: the attributes say how many blocks and how much workspace.
#include "corpus_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    const uint32_t total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    const int64_t blocks = *context->GetAttrs()->GetInt(0);
    CorpusTilingData tiling;
    tiling.set_total(total);
    tiling.set_perCore((total + blocks - 1) / blocks);
    context->SetBlockDim(blocks);
    context->SetScheduleMode(1); // [correct]
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = (16 << 20) + *context->GetAttrs()->GetInt(1);
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
#define TYPES ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32, ge::DT_INT16, ge::DT_INT8, ge::DT_UINT8
#define SIX(type) type, type, type, type, type, type
#define FORMATS SIX(ge::FORMAT_ND)
#define ALL(each) each, each, each, each, each, each
class Corpus : public OpDef {
public:
    explicit Corpus(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ALL(TYPES)}).Format({ALL(FORMATS)});
        this->Output("y").ParamType(REQUIRED).DataType({SIX(ge::DT_FLOAT), SIX(ge::DT_FLOAT16), SIX(ge::DT_INT32),
            SIX(ge::DT_INT16), SIX(ge::DT_INT8), SIX(ge::DT_UINT8)}).Format({ALL(FORMATS)});
        this->Attr("blocks").AttrType(OPTIONAL).Int(1);
        this->Attr("workspace").AttrType(OPTIONAL).Int(0);
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
    }
};
OP_ADD(Corpus);
} // namespace ops
