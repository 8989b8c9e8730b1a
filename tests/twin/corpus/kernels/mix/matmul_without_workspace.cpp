// The host asks for no workspace, and the kernel has a Matmul object.
// code: MATMUL_WORKSPACE
// x: float32 32 32
// want: x @ x
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    TPipe pipe;
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    using Operand = MatmulType<TPosition::GM, CubeFormat::ND, float>;
    Matmul<Operand, Operand, Operand> mm;
    TCubeTiling cut{};
    cut.M = cut.N = cut.Ka = cut.Kb = 32;
    cut.singleCoreM = cut.singleCoreN = cut.singleCoreK = 32;
    cut.baseM = cut.baseN = cut.baseK = 16;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &cut); // [here]
    mm.SetTensorA(in);
    mm.SetTensorB(in);
    mm.IterateAll(out);
    mm.End();
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
    context->SetScheduleMode(1); // for the kernels whose cores meet
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0; // [faulty]
    context->GetWorkspaceSizes(1)[0] = (16 << 20) + *context->GetAttrs()->GetInt(1); // [correct]
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
