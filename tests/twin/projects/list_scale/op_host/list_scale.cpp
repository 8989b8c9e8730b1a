// A list of tensors, scaled in place by a factor from a scalar input; IMPL_OP_OPTILING with compile info.
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ListScaleTilingData)
TILING_DATA_FIELD_DEF(bool, wide);
TILING_DATA_FIELD_DEF(uint32_t, tensors);
TILING_DATA_FIELD_DEF_ARR(int64_t, 8, counts);
TILING_DATA_FIELD_DEF(float, factor);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ListScale, ListScaleTilingData)

struct ListScaleCompileInfo {
    uint32_t cores;
};

static ge::graphStatus Prepare(gert::TilingParseContext *context)
{
    auto *info = context->GetCompiledInfo<ListScaleCompileInfo>();
    info->cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    const auto *info = reinterpret_cast<const ListScaleCompileInfo *>(context->GetCompileInfo());
    const size_t tensors = context->GetComputeNodeInfo()->GetInputInstanceInfo(0)->GetInstanceNum();
    int64_t counts[8] = {};
    for (size_t i = 0; i < tensors; ++i) {
        counts[i] = context->GetDynamicInputTensor(0, i)->GetStorageShape().GetShapeSize();
    }
    const gert::Tensor *factor = context->GetInputTensor(tensors);
    ListScaleTilingData tiling;
    tiling.set_wide(true);
    tiling.set_tensors(tensors);
    tiling.set_counts(counts);
    tiling.set_factor(factor->GetData<float>()[0]);
    context->SetBlockDim(std::min<uint32_t>(info->cores, tensors));
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(ListScale).Tiling(Tiling).TilingParse<ListScaleCompileInfo>(Prepare);
} // namespace optiling

namespace ops {
class ListScale : public OpDef {
public:
    explicit ListScale(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("factor").ParamType(REQUIRED).ValueDepend(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("x").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(ListScale);
} // namespace ops
