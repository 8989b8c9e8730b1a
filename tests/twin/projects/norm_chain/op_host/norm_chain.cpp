// One tensor of [8, 8, 32] through norm after norm, each with the tiling and the least buffer that the host library says.
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(NormChainTilingData)
TILING_DATA_FIELD_DEF(uint32_t, groupBytes);
TILING_DATA_FIELD_DEF(uint32_t, deepBytes);
TILING_DATA_FIELD_DEF(uint32_t, batchBytes);
TILING_DATA_FIELD_DEF(uint32_t, rootBytes);
TILING_DATA_FIELD_DEF(uint32_t, layerBytes);
TILING_DATA_FIELD_DEF(uint32_t, turnBytes);
TILING_DATA_FIELD_DEF_STRUCT(GroupNormTiling, groupTiling);
TILING_DATA_FIELD_DEF_STRUCT(DeepNormTiling, deepTiling);
TILING_DATA_FIELD_DEF_STRUCT(BatchNormTiling, batchTiling);
TILING_DATA_FIELD_DEF_STRUCT(RmsNormTiling, rootTiling);
TILING_DATA_FIELD_DEF_STRUCT(LayerNormSeparateTiling, layerTiling);
TILING_DATA_FIELD_DEF_STRUCT(ConfusionTransposeTiling, turnTiling);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(NormChain, NormChainTilingData)

static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    const ge::Shape image({8, 8, 4, 8}), rows({8, 8, 32}), matrix({64, 32});
    NormChainTilingData t;
    uint32_t most = 0, least = 0;
    AscendC::GetGroupNormMaxMinTmpSize(image, 4, false, 2, most, least);
    AscendC::GetGroupNormNDTilingInfo(image, least, 4, false, 2, t.groupTiling);
    t.set_groupBytes(least);
    if (!AscendC::GetDeepNormMaxMinTmpSize(rows, 4, false, false, most, least) ||
        !AscendC::GetDeepNormTilingInfo(rows, rows, least, 4, false, false, t.deepTiling)) {
        return ge::GRAPH_FAILED;
    }
    t.set_deepBytes(least);
    if (!AscendC::GetBatchNormMaxMinTmpSize(rows, rows, 4, false, most, least) ||
        !AscendC::GetBatchNormNDTilingInfo(rows, rows, least, 4, false, t.batchTiling)) {
        return ge::GRAPH_FAILED;
    }
    t.set_batchBytes(least);
    AscendC::GetRmsNormMaxMinTmpSize(rows, 4, most, least);
    AscendC::GetRmsNormTilingInfo(rows, rows, least, 4, t.rootTiling);
    t.set_rootBytes(least);
    AscendC::GetLayerNormMaxMinTmpSize(matrix, 4, false, true, false, most, least);
    AscendC::GetLayerNormNDTilingInfo(matrix, least, 4, false, true, t.layerTiling);
    t.set_layerBytes(least);
    AscendC::GetTransposeMaxMinTmpSize(matrix, 4, 7, most, least);
    AscendC::GetTransposeTilingInfo(matrix, least, 4, 7, t.turnTiling);
    t.set_turnBytes(least + 32);
    context->SetBlockDim(1);
    t.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(t.GetDataSize());
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class NormChain : public OpDef {
public:
    explicit NormChain(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
    }
};
OP_ADD(NormChain);
} // namespace ops
