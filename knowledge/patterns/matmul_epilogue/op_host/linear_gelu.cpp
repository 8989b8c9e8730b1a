#include "linear_gelu_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

namespace optiling {
constexpr int32_t BASE_M = 64; // a base block of float is 32 KB of the Unified Buffer
constexpr int32_t BASE_N = 128;

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const auto &left = context->GetInputShape(0)->GetStorageShape();  // x [m, k]
    const auto &right = context->GetInputShape(1)->GetStorageShape(); // weight [n, k]
    if (left.GetShapeSize() == 0 || right.GetShapeSize() == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }
    const int32_t m = left.GetDim(0), k = left.GetDim(1), n = right.GetDim(0);
    const ge::DataType given = context->GetInputDesc(0)->GetDataType();
    const auto type = given == ge::DT_FLOAT16 ? matmul_tiling::DataType::DT_FLOAT16
                      : given == ge::DT_BF16  ? matmul_tiling::DataType::DT_BF16
                                              : matmul_tiling::DataType::DT_FLOAT;
    matmul_tiling::MultiCoreMatmulTiling cut(platform);
    cut.SetDim(platform.GetCoreNumAiv()); // vector cores: each owns a Matmul object
    cut.SetAType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type, false);
    cut.SetBType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type, true); // transposed
    cut.SetCType(matmul_tiling::TPosition::VECIN, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
    cut.SetShape(m, n, k);
    cut.SetOrgShape(m, n, k);
    cut.SetBias(false);
    cut.SetFixSplit(BASE_M, BASE_N, -1);
    cut.SetTraverse(matmul_tiling::MatrixTraverse::FIRSTM);      // the kernel counts base blocks down M first
    cut.SetBufferSpace(-1, -1, BASE_M * BASE_N * sizeof(float)); // the rest of the Unified Buffer is the epilogue's
    LinearGeluTilingData tiling;
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
class LinearGelu : public OpDef {
public:
    explicit LinearGelu(const char *name) : OpDef(name)
    {
        for (const char *input : {"x", "weight", "bias"}) {
            this->Input(input)
                .ParamType(REQUIRED)
                .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
                .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        }
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::Tiling);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(LinearGelu);
} // namespace ops
