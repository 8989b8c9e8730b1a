#include "batched_linear_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const auto& left = context->GetInputShape(0)->GetStorageShape();   // x [batches, m, k]
    const auto& right = context->GetInputShape(1)->GetStorageShape();  // w [k, n]
    const int32_t m = static_cast<int32_t>(left.GetDim(1)), k = static_cast<int32_t>(left.GetDim(2));
    const int32_t n = static_cast<int32_t>(right.GetDim(1));
    const bool half = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT16;
    const auto type = half ? matmul_tiling::DataType::DT_FLOAT16 : matmul_tiling::DataType::DT_FLOAT;

    matmul_tiling::MultiCoreMatmulTiling cut(platform);
    cut.SetDim(platform.GetCoreNumAiv());  // who owns Matmul objects: the vector cores, two beside each cube core
    cut.SetAType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type, false);
    cut.SetBType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type, false);
    cut.SetCType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type);
    cut.SetBiasType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
    cut.SetShape(m, n, k);
    cut.SetOrgShape(m, n, k);
    cut.SetBias(true);
    cut.SetBufferSpace(-1, -1, -1);

    BatchedLinearTilingData tiling;
    if (cut.GetTiling(tiling.cube) == -1) {
        return ge::GRAPH_FAILED;
    }
    tiling.set_batches(static_cast<uint32_t>(left.GetDim(0)));
    context->SetBlockDim(platform.GetCoreNumAic());  // counts groups of one cube core and two vector cores
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize();  // the objects need it; add your own bytes
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class BatchedLinear : public OpDef {
public:
    explicit BatchedLinear(const char* name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("w").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("b").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(BatchedLinear);
}  // namespace ops
