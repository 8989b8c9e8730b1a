// Forms of the host side that the vendor documents and that kinds.cpp does not use. The kernel does nothing.
#include "graph/utils/type_utils.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"
#include "utils/log/asc_cpu_log.h"
#include <functional>

namespace optiling {
BEGIN_TILING_DATA_DEF(HostFormsTilingData)
TILING_DATA_FIELD_DEF(uint64_t, whole);    // bytes of the Unified Buffer
TILING_DATA_FIELD_DEF(uint64_t, reserved); // the same after ReserveLocalMemory
TILING_DATA_FIELD_DEF(uint32_t, asked);    // functions that tell sizes of temporary buffers
TILING_DATA_FIELD_DEF(uint32_t, sensible); // of those, with 0 < minimum <= maximum
TILING_DATA_FIELD_DEF(uint32_t, plain);    // plain structures that hold what the classes of optiling write
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(HostForms, HostFormsTilingData)

struct CompileInfo {
    int64_t cores = 0;
};

static void AskSizes(HostFormsTilingData &data)
{
    using namespace AscendC;
    const ge::Shape shape({4, 64});
    const ge::Shape one({1});
    const platform_ascendc::PlatformAscendC *platform = platform_ascendc::PlatformAscendCManager::GetInstance();
    uint32_t asked = 0;
    uint32_t sensible = 0;
    const auto sizes = [&](const std::function<void(uint32_t &, uint32_t &)> &function) {
        uint32_t maximum = 0;
        uint32_t minimum = 0;
        function(maximum, minimum);
        ++asked;
        sensible += minimum > 0 && minimum <= maximum ? 1 : 0;
    };
    const auto factors = [&](const std::function<void(uint32_t &, uint32_t &)> &function) {
        uint32_t live = 0;
        uint32_t extra = 0;
        function(live, extra);
        ++asked;
        sensible += live > 0 ? 1 : 0;
    };
#define SIZES(...) sizes([&](uint32_t &maximum, uint32_t &minimum) { __VA_ARGS__; })
#define FACTORS(...) factors([&](uint32_t &live, uint32_t &extra) { __VA_ARGS__; })
    SIZES(GetLog2MaxMinTmpSize(shape, 4, false, maximum, minimum));
    SIZES(GetSoftMaxFlashV3MaxMinTmpSize(shape, 2, 4, maximum, minimum, false));
    SIZES(GetLog10MaxMinTmpSize(shape, 4, false, maximum, minimum));
    SIZES(GetRoundMaxMinTmpSize(*platform, shape, 4, false, maximum, minimum));
    SIZES(if (!GetExpMaxMinTmpSize(shape, 4, false, maximum, minimum)) { minimum = 0; });
    SIZES(GetCumSumMaxMinTmpSize(shape, 4, true, false, maximum, minimum));
    SIZES(GetPowerMaxMinTmpSize(shape, one, false, 4, false, maximum, minimum));
    SIZES(GetGeluMaxMinTmpSize(shape, 4, maximum, minimum));
    SIZES(maximum = GetGeluMaxTmpSize(shape, 4); minimum = GetGeluMinTmpSize(shape, 4));
    SIZES(maximum = GetDropOutMaxTmpSize(shape, 4, false); minimum = GetDropOutMinTmpSize(shape, 4, false));
    SIZES(GetSwiGLUMaxMinTmpSize(shape, 4, maximum, minimum, false));
    SIZES(GetGeGLUMaxMinTmpSize(shape, 4, false, maximum, minimum));
    SIZES(GetSiluTmpSize(shape, 4, false, maximum, minimum));
    SIZES(GetSwishTmpSize(shape, 4, false, maximum, minimum));
    SIZES(GetReduceSumMaxMinTmpSize(shape, ge::DT_FLOAT, ReducePattern::AR, true, false, maximum, minimum));
    SIZES(GetReduceMeanMaxMinTmpSize(shape, ge::DT_FLOAT, ReducePattern::RA, true, false, maximum, minimum));
    SIZES(GetReduceMaxMaxMinTmpSize(shape, ge::DT_FLOAT, ReducePattern::AR, true, false, maximum, minimum));
    SIZES(GetReduceMinMaxMinTmpSize(shape, ge::DT_FLOAT, ReducePattern::RA, true, false, maximum, minimum));
    SIZES(GetReduceProdMaxMinTmpSize(shape, ge::DT_FLOAT, ReducePattern::AR, true, false, maximum, minimum));
    SIZES(GetReduceAnyMaxMinTmpSize(shape, ge::DT_UINT8, ReducePattern::RA, true, false, maximum, minimum));
    SIZES(GetReduceAllMaxMinTmpSize(shape, ge::DT_UINT8, ReducePattern::AR, true, false, maximum, minimum));
    SIZES(GetReduceXorSumMaxMinTmpSize(shape, 2, false, maximum, minimum));
    SIZES(GetSumMaxMinTmpSize(64, 4, false, maximum, minimum));
    SIZES(GetMeanMaxMinTmpSize(64, 2, 4, false, maximum, minimum));
    SIZES(GetBroadCastMaxMinTmpSize(*platform, one, shape, 4, false, maximum, minimum));
    SIZES(GetSelectWithBytesMaskMaxMinTmpSize(shape, one, 4, shape, 1, false, maximum, minimum));
    SIZES(GetSelectMaxMinTmpSize(one, shape, 4, shape, 1, false, maximum, minimum));
    FACTORS(GetRoundTmpBufferFactorSize(*platform, 4, live, extra));
    FACTORS(GetClampTmpBufferFactorSize(4, live, extra));
    FACTORS(GetPowerTmpBufferFactorSize(true, true, false, 4, live, extra));
    FACTORS(GetMeanTmpBufferFactorSize(4, live, extra));
    FACTORS(GetAscendQuantTmpBufferFactorSize(2, live, extra));
    FACTORS(GetAscendDequantTmpBufferFactorSize(4, live, extra));
    FACTORS(GetAscendAntiQuantTmpBufferFactorSize(shape, shape, false, ge::DT_INT8, ge::DT_FLOAT16, live, extra));
    data.set_asked(asked);
    data.set_sensible(sensible);
}

// Plain structures of the kernel's headers take what the classes take.
template <class Class, class Plain> static uint32_t Same(Class &written, const Plain &plain)
{
    std::vector<uint8_t> bytes(written.GetDataSize());
    written.SaveToBuffer(bytes.data(), bytes.size());
    return sizeof(plain) == bytes.size() && std::memcmp(&plain, bytes.data(), bytes.size()) == 0 ? 1 : 0;
}

static uint32_t FillPlain()
{
    const ge::Shape shape({2, 16, 64});
    SoftMaxTiling soft;
    AscendC::tiling::SoftMaxTiling plain_soft = {};
    AscendC::SoftMaxTilingFunc(shape, 4, 32768, soft);
    AscendC::SoftMaxTilingFunc(shape, 4, 32768, plain_soft);
    RmsNormTiling rms;
    ::RmsNormTiling plain_rms = {};
    AscendC::GetRmsNormTilingInfo(shape, shape, 32768, 4, rms);
    AscendC::GetRmsNormTilingInfo(shape, shape, 32768, 4, plain_rms);
    DeepNormTiling deep;
    AscendC::tiling::DeepNormTiling plain_deep;
    AscendC::GetDeepNormTilingInfo(shape, shape, 32768, 4, false, false, deep);
    AscendC::GetDeepNormTilingInfo(shape, shape, 32768, 4, false, false, plain_deep);
    matmul_tiling::MultiCoreMatmulTiling product(*platform_ascendc::PlatformAscendCManager::GetInstance());
    using matmul_tiling::CubeFormat;
    using matmul_tiling::TPosition;
    product.SetDim(4);
    product.SetSplitK(false);
    product.SetAType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
    product.SetBType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
    product.SetCType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
    product.SetShape(128, 256, 64);
    product.SetOrgShape(128, 256, 64);
    TCubeTiling cube;
    AscendC::tiling::TCubeTiling plain_cube = {};
    matmul_tiling::SysTilingTempBufSize sizes, plain_sizes;
    if (product.GetTiling(cube) == -1 || product.GetTiling(plain_cube) == -1 ||
        MatmulGetTmpBufSize(cube, sizes) != 0 || MatmulGetTmpBufSizeV2(plain_cube, plain_sizes) != 0 ||
        sizes.l1Size != plain_sizes.l1Size || plain_cube.usedCoreNum < 1 || plain_soft.srcK != 64) {
        return 0;
    }
    return Same(soft, plain_soft) + Same(rms, plain_rms) + Same(deep, plain_deep) + Same(cube, plain_cube);
}

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    HostFormsTilingData data;
    using Manager = platform_ascendc::PlatformAscendCManager; // one instance, whichever chip of the family is named
    if (Manager::GetInstance("Ascend910B4") != Manager::GetInstance() || Manager::GetInstance("Ascend310P3") != nullptr) {
        return ge::GRAPH_FAILED;
    }
    const auto memory = gert::TilingData::CreateCap(16);
    gert::TilingData *raw = reinterpret_cast<gert::TilingData *>(memory.get());
    const int32_t three[3] = {1, 2, 3};
    *raw << int64_t{5};
    if (raw->Append(three, 3) == ge::GRAPH_SUCCESS || raw->Append(three, 2) != ge::GRAPH_SUCCESS ||
        raw->GetDataSize() != 16 || memset_s(raw->GetData(), 16, 0, 16) != EOK) { // bounded forms without securec.h
        return ge::GRAPH_FAILED;
    }
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    ASC_CPU_LOG_INFO("%d blocks", 1);
    if (platform.CalcTschNumBlocks(7, 24, 48) != platform.CalcTschBlockDim(7, 24, 48) ||
        platform.GetCurNpuArch() != NpuArch::DAV_2201) {
        return ge::GRAPH_FAILED;
    }
    uint64_t bytes = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, bytes);
    data.set_whole(bytes);
    platform.ReserveLocalMemory(platform_ascendc::ReservedSize::RESERVED_SIZE_16K);
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, bytes);
    data.set_reserved(bytes);
    AskSizes(data);
    data.set_plain(FillPlain());
    uint32_t length = 0;
    const int32_t format = ge::GetFormatFromSub(context->GetInputDesc(0)->GetStorageFormat(), 3);
    if (ge::GetPrimaryFormat(format) != ge::FORMAT_ND || ge::GetSubFormat(format) != 3 || ge::HasC0Format(format)) {
        return ge::GRAPH_FAILED;
    }
    if (!ge::TypeUtils::GetDataTypeLength(context->GetInputDesc(0)->GetDataType(), length) || length != 4) {
        return ge::GRAPH_FAILED;
    }
    context->SetBlockDim(1);
    context->SetScheduleMode(1);
    data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
    size_t *workspaces = context->GetWorkspaceSizes(1);
    workspaces[0] = platform.GetLibApiWorkSpaceSize();
    return ge::GRAPH_SUCCESS;
}
static ge::graphStatus Parse(gert::TilingParseContext *context)
{
    auto *info = context->GetCompiledInfo<CompileInfo>();
    info->cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(HostForms).Tiling(Tiling).TilingParse<CompileInfo>(Parse);
} // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext *context)
{
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}
static graphStatus InferDataType(gert::InferDataTypeContext *context)
{
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}
} // namespace ge

namespace ops {
static ge::graphStatus Check(const ge::Operator &, ge::AscendString &) { return ge::GRAPH_SUCCESS; }

class HostForms : public OpDef {
public:
    explicit HostForms(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataTypeList({ge::DT_FLOAT}).FormatList({ge::FORMAT_ND}).AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND})
            .Follow("x", FollowType::ALL)
            .InitValue({ScalarVar(ScalarType::FLOAT32, 2)});
        this->Attr("lists").AttrType(OPTIONAL).ListListInt({{1, 2}, {3}}).Version(1).Comment("rows");
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->Comment(CommentSection::CATEGORY, "forms").Comment(CommentSection::BRIEF, "does nothing").Comment(CommentSection::CONSTRAINTS, "none");
        this->FormatMatchMode(FormatCheckOption::STRICT);
        this->AICore().SetTiling(optiling::Tiling).LaunchWithZeroEleOutputTensors(true).SetCheckSupport(Check).SetOpSelectFormat(Check);
        OpAICoreConfig config;
        config.Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        config.Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND}).InitValue({ScalarVar(ScalarType::FLOAT32, 2)});
        config.DynamicCompileStaticFlag(true).DynamicFormatFlag(true).DynamicRankSupportFlag(true).NeedCheckSupportFlag(false);
        this->AICore().AddConfig("ascend910b", config);
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(HostForms);
} // namespace ops
