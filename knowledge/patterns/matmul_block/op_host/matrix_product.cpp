#include "matrix_product_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include <algorithm>

namespace optiling {
constexpr uint32_t SIDE = 128;         // of a block of the result, as in the kernel
constexpr uint32_t MOST_PITCH = 65535; // of a row in global memory: Nd2NzParams::srcDValue has 16 bits

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAic();
    const auto &left = context->GetInputShape(0)->GetStorageShape();
    const auto &right = context->GetInputShape(1)->GetStorageShape();
    if (left.GetShapeSize() == 0 || right.GetShapeSize() == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }
    const uint32_t m = left.GetDim(0), k = left.GetDim(1), n = right.GetDim(1);
    if (k > MOST_PITCH || n > MOST_PITCH || right.GetDim(0) != k) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t blocks = ((m + SIDE - 1) / SIDE) * ((n + SIDE - 1) / SIDE);
    MatrixProductTilingData tiling;
    tiling.set_m(m);
    tiling.set_n(n);
    tiling.set_k(k);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(std::min(blocks, cores));
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class MatrixProduct : public OpDef {
public:
    explicit MatrixProduct(const char *name) : OpDef(name)
    {
        for (const char *input : {"a", "b"}) {
            this->Input(input)
                .ParamType(REQUIRED)
                .DataType({ge::DT_FLOAT16, ge::DT_BF16})
                .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        }
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::Tiling);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(MatrixProduct);
} // namespace ops
