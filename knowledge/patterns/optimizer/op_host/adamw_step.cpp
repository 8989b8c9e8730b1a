#include "adamw_step_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t TILE = 2560; // elements, 10 KB of float: two buffers of four inputs and of three outputs are 140 KB

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAiv();
    const uint64_t length = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    const uint32_t tile = TILE;
    if (length == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }
    // Multiples of 16 elements for each core: whole blocks of 32 bytes of any type.
    const uint64_t perCore = ((length + cores - 1) / cores + 15) / 16 * 16;
    const gert::RuntimeAttrs *attrs = context->GetAttrs();
    const float lr = *attrs->GetFloat(0);
    const float beta1 = *attrs->GetFloat(1);
    const float beta2 = *attrs->GetFloat(2);
    const float eps = *attrs->GetFloat(3);
    const float decay = *attrs->GetFloat(4);
    const float correction1 = *attrs->GetFloat(5);
    const float correction2 = *attrs->GetFloat(6);
    AdamwStepTilingData tiling;
    tiling.set_length(length);
    tiling.set_perCore(perCore);
    tiling.set_tile(tile);
    tiling.set_lr(lr);
    tiling.set_beta1(beta1);
    tiling.set_beta2(beta2);
    tiling.set_eps(eps);
    tiling.set_decay(decay);
    tiling.set_correction1(correction1);
    tiling.set_correction2(correction2);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim((length + perCore - 1) / perCore);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class AdamwStep : public OpDef {
public:
    explicit AdamwStep(const char *name) : OpDef(name)
    {
        for (const char *input : {"weight", "grad", "first", "second"}) {
            this->Input(input)
                .ParamType(REQUIRED)
                .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
                .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        }
        for (const char *output : {"new_weight", "new_first", "new_second"}) {
            this->Output(output)
                .ParamType(REQUIRED)
                .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
                .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        }
        this->Attr("lr").AttrType(REQUIRED).Float();
        this->Attr("beta1").AttrType(REQUIRED).Float();
        this->Attr("beta2").AttrType(REQUIRED).Float();
        this->Attr("eps").AttrType(REQUIRED).Float();
        this->Attr("decay").AttrType(REQUIRED).Float();
        this->Attr("correction1").AttrType(REQUIRED).Float();
        this->Attr("correction2").AttrType(REQUIRED).Float();
        this->AICore().SetTiling(optiling::Tiling);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(AdamwStep);
} // namespace ops
