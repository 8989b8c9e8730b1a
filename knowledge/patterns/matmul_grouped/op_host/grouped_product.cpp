#include "grouped_product_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"
#include <algorithm>

namespace optiling {
static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const auto &shape = context->GetInputShape(0)->GetStorageShape(); // x [rows, k]
    if (shape.GetShapeSize() == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }
    const int32_t k = shape.GetDim(1);
    const auto &right = context->GetInputShape(1)->GetStorageShape(); // weight [groups, k, n]
    const uint32_t groups = right.GetDim(0);
    const int32_t n = right.GetDim(2);
    const auto *list = context->GetAttrs()->GetListInt(0);
    if (groups > MOST_GROUPS || list->GetSize() != groups || right.GetDim(1) != k || n == 0) {
        return ge::GRAPH_FAILED;
    }
    const int64_t *sizes = list->GetData();
    uint32_t ends[MOST_GROUPS] = {};
    int64_t end = 0, largest = 1; // the tiling of a product takes no length of 0
    for (uint32_t i = 0; i < groups; ++i) {
        if (sizes[i] < 0 || sizes[i] > shape.GetDim(0) - end) {
            return ge::GRAPH_FAILED; // more rows than x has
        }
        end += sizes[i];
        ends[i] = end;
        largest = std::max(largest, sizes[i]);
    }
    if (end != shape.GetDim(0)) {
        return ge::GRAPH_FAILED; // rows of no group
    }
    const bool isHalf = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT16;
    const auto type = isHalf ? matmul_tiling::DataType::DT_FLOAT16 : matmul_tiling::DataType::DT_FLOAT;
    matmul_tiling::MultiCoreMatmulTiling cut(platform);
    cut.SetDim(platform.GetCoreNumAiv()); // vector cores: each owns a Matmul object
    cut.SetAType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type, false);
    cut.SetBType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type, false);
    cut.SetCType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type);
    cut.SetShape(largest, n, k); // SetTail serves smaller groups
    cut.SetOrgShape(largest, n, k);
    cut.SetBias(false);
    cut.SetBufferSpace(-1, -1, -1);
    GroupedProductTilingData tiling;
    if (cut.GetTiling(tiling.cube) == -1) {
        return ge::GRAPH_FAILED;
    }
    tiling.set_ends(ends);
    tiling.set_groups(groups);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(platform.GetCoreNumAic());
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize();
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class GroupedProduct : public OpDef {
public:
    explicit GroupedProduct(const char *name) : OpDef(name)
    {
        for (const char *input : {"x", "weight"}) {
            this->Input(input)
                .ParamType(REQUIRED)
                .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
                .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        }
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("groups").AttrType(REQUIRED).ListInt();
        this->AICore().SetTiling(optiling::Tiling);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(GroupedProduct);
} // namespace ops
