#include "linear_layer_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

namespace optiling {
static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const auto &left = context->GetInputShape(0)->GetStorageShape();  // x [m, k]
    const auto &right = context->GetInputShape(1)->GetStorageShape(); // weight [n, k]
    if (left.GetShapeSize() == 0 || right.GetShapeSize() == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }
    const int32_t m = left.GetDim(0), k = left.GetDim(1), n = right.GetDim(0);
    const bool isHalf = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT16;
    const auto type = isHalf ? matmul_tiling::DataType::DT_FLOAT16 : matmul_tiling::DataType::DT_FLOAT;
    matmul_tiling::MultiCoreMatmulTiling cut(platform);
    cut.SetDim(platform.GetCoreNumAiv()); // vector cores: each owns a Matmul object
    cut.SetAType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type, false);
    cut.SetBType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type, true); // transposed
    cut.SetCType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type);
    cut.SetBiasType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type);
    cut.SetShape(m, n, k);
    cut.SetOrgShape(m, n, k);
    cut.SetBias(true);
    cut.SetBufferSpace(-1, -1, -1); // all of L1, L0C and the Unified Buffer
    LinearLayerTilingData tiling;
    if (cut.GetTiling(tiling.cube) == -1) {
        return ge::GRAPH_FAILED;
    }
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(platform.GetCoreNumAic());
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize();
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class LinearLayer : public OpDef {
public:
    explicit LinearLayer(const char *name) : OpDef(name)
    {
        for (const char *input : {"x", "weight", "bias"}) {
            this->Input(input)
                .ParamType(REQUIRED)
                .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
                .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        }
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::Tiling);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(LinearLayer);
} // namespace ops
