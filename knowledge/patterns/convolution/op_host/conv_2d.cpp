#include "conv_2d_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

namespace optiling {
constexpr uint32_t PLANE_BYTES = 44 * 1024; // with the rows of zeros; two buffers of input and of output: 176 of 192 KB
constexpr uint32_t TAPS = 9;                // weights of a filter for each channel

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const auto &shape = context->GetInputShape(0)->GetStorageShape();
    if (shape.GetShapeSize() == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }
    const uint32_t batch = shape.GetDim(0), channels = shape.GetDim(1), height = shape.GetDim(2),
                   width = shape.GetDim(3);
    const auto &filter = context->GetInputShape(1)->GetStorageShape(); // [filters, channels, 3, 3]
    const int32_t filters = filter.GetDim(0);
    if (filter.GetDim(1) != channels || filter.GetDim(2) != 3 || filter.GetDim(3) != 3 || width == 1) {
        return ge::GRAPH_FAILED; // width 1: a row that is shifted by one column would have no element to copy
    }
    const bool isHalf = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT16;
    const uint32_t bytes = isHalf ? 2 : 4, unit = 32 / bytes;
    const uint32_t pitch = (width + unit - 1) / unit * unit;
    if ((height + 2) * pitch * bytes > PLANE_BYTES) {
        return ge::GRAPH_FAILED; // larger planes have to be unfolded in bands
    }
    const auto type = isHalf ? matmul_tiling::DataType::DT_FLOAT16 : matmul_tiling::DataType::DT_FLOAT;
    const int32_t points = height * width, taps = channels * TAPS;
    matmul_tiling::MultiCoreMatmulTiling cut(platform);
    cut.SetDim(platform.GetCoreNumAiv()); // vector cores: each owns a Matmul object
    cut.SetAType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type, false);
    cut.SetBType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type, false);
    cut.SetCType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type);
    cut.SetShape(filters, points, taps);
    cut.SetOrgShape(filters, points, taps);
    cut.SetBias(false);
    cut.SetBufferSpace(-1, -1, -1);
    Conv2dTilingData tiling;
    if (cut.GetTiling(tiling.cube) == -1) {
        return ge::GRAPH_FAILED;
    }
    const uint64_t unfolded = static_cast<uint64_t>(batch) * taps * points * bytes;
    tiling.set_batch(batch);
    tiling.set_channels(channels);
    tiling.set_height(height);
    tiling.set_width(width);
    tiling.set_pitch(pitch);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(platform.GetCoreNumAic());
    context->SetScheduleMode(1); // SyncAll: all blocks start together
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + unfolded;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class Conv2d : public OpDef {
public:
    explicit Conv2d(const char *name) : OpDef(name)
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
        this->AICore().SetTiling(optiling::Tiling);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(Conv2d);
} // namespace ops
