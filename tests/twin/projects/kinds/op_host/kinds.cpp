// Everything that an OpDef can say, for tests of what the twin reads from it; the kernel does nothing.
#include "register/op_def_registry.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(InnerData)
TILING_DATA_FIELD_DEF(uint8_t, flag);
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint16_t, odd);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(InnerDataOp, InnerData)

BEGIN_TILING_DATA_DEF(KindsTilingData)
TILING_DATA_FIELD_DEF(uint8_t, first);
TILING_DATA_FIELD_DEF_STRUCT(InnerData, inner);
TILING_DATA_FIELD_DEF(int32_t, dims);
TILING_DATA_FIELD_DEF(int64_t, axis);
TILING_DATA_FIELD_DEF(float, scale);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Kinds, KindsTilingData)

BEGIN_TILING_DATA_DEF(KindsMatmulData)
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Kinds_7, KindsMatmulData)

static ge::graphStatus Matmul(gert::TilingContext *context)
{
    matmul_tiling::MultiCoreMatmulTiling cube(platform_ascendc::PlatformAscendC(context->GetPlatformInfo()));
    using namespace matmul_tiling;
    cube.SetDim(8);
    cube.SetAType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
    cube.SetBType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
    cube.SetCType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
    cube.SetShape(1024, 640, 512);
    cube.SetOrgShape(1024, 640, 512);
    cube.SetBufferSpace(-1, -1, -1);
    KindsMatmulData tiling;
    SysTilingTempBufSize held;
    if (cube.SetBatchInfoForNormal(0, 3, 1024, 640, 512) != -1 ||
        cube.SetBatchInfoForNormal(3, 1, 1024, 640, 512) != 0 || cube.GetTiling(tiling.cube) == -1 ||
        MultiCoreMatmulGetTmpBufSize(tiling.cube, held) != 0 || held.l1Size != tiling.cube.get_shareL1Size() ||
        held.l0cSize < tiling.cube.get_baseM() * tiling.cube.get_baseN() * 4) {
        return ge::GRAPH_FAILED;
    }
    context->SetTilingKey(7);
    context->SetBlockDim(tiling.cube.get_usedCoreNum());
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    const gert::RuntimeAttrs *attrs = context->GetAttrs();
    const std::string mode = attrs->GetStr(1);
    if (mode == "matmul") {
        return Matmul(context);
    }
    if (mode == "null") {
        return *context->GetAttrs()->GetInt(99) > 0 ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
    }
    if (mode == "zero") {
        const size_t zero = context->GetInputShape(0)->GetStorageShape().GetDimNum() - 1;
        context->SetBlockDim(48 / zero);
    }
    if (mode == "loop") {
        while (context->GetTilingKey() == 0) {
        }
    }
    if (mode == "throw") {
        std::vector<int>().at(3);
    }
    KindsTilingData tiling;
    tiling.set_first(1);
    tiling.inner.set_flag(2);
    tiling.inner.set_rows(static_cast<uint32_t>(attrs->GetListInt(2)->GetSize()));
    tiling.inner.set_odd(4);
    tiling.set_dims(context->GetOptionalInputShape(1) == nullptr ? -1 : 1);
    tiling.set_axis(*attrs->GetInt(0));
    tiling.set_scale(*attrs->GetFloat(3));
    if (mode != "no block dim") {
        context->SetBlockDim(3);
    }
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), mode == "small" ? 8 : context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(mode == "empty" ? 0 : tiling.GetDataSize());
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class Kinds : public OpDef {
public:
    explicit Kinds(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_INT64}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("bias").ParamType(OPTIONAL).DataType({ge::DT_FLOAT, ge::DT_INT32}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_BOOL, ge::DT_INT8}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("axis").Int();
        this->Attr("mode").AttrType(OPTIONAL).String("plain");
        this->Attr("sizes").AttrType(OPTIONAL).ListInt({1, 2, 3});
        this->Attr("scale").AttrType(OPTIONAL).Float(0.25);
        this->AICore().SetTiling(optiling::Tiling);
        OpAICoreConfig config;
        config.DynamicShapeSupportFlag(true).ExtendCfgInfo("opFile.value", "kinds");
        this->AICore().AddConfig("ascend910b", config);
    }
};
OP_ADD(Kinds);
} // namespace ops
