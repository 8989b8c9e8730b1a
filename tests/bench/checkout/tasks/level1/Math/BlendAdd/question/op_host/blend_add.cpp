#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    context->SetBlockDim(platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAiv());
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
inline ge::DataType WeightType(ge::DataType dtype)
{
    switch (dtype) {
        case ge::DT_FLOAT16:
        case ge::DT_FLOAT:
            return ge::DT_FLOAT;
        case ge::DT_INT32:
            return ge::DT_INT64;
        default:
            return ge::DT_UNDEFINED;
    }
}

class BlendAdd : public OpDef {
#define ALL_ND {ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND}
public:
    explicit BlendAdd(const char *name) : OpDef(name)
    {
        std::vector<ge::DataType> tensor_types = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32};
        std::vector<ge::DataType> weight_types;
        std::for_each(tensor_types.cbegin(), tensor_types.cend(),
            [&weight_types](ge::DataType dtype) { weight_types.push_back(WeightType(dtype)); });
        this->Input("x").ParamType(REQUIRED).DataType(tensor_types).Format(ALL_ND);
        this->Input("y").ParamType(REQUIRED).DataType(tensor_types).Format(ALL_ND);
        this->Input("weight").Scalar().ParamType(REQUIRED).DataType(weight_types).Format(ALL_ND);
        this->Output("z").ParamType(REQUIRED).DataType(tensor_types).Format(ALL_ND);
        this->Attr("shift").AttrType(OPTIONAL).Float(0.5);
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
    }
};
OP_ADD(BlendAdd);
}  // namespace ops
