#include "max_pool_2d_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include <algorithm>

namespace optiling {
constexpr uint32_t TILE = 6144;       // elements of x that are on chip together: 24 KB of float, two copies
constexpr uint32_t MOST_PITCH = 1016; // 127 blocks of float: a repeat stride, here of two rows, is at most 255
constexpr uint32_t MOST_ROWS = 255;   // of a band, each a repeat: at most 255

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAiv();
    const auto &shape = context->GetInputShape(0)->GetStorageShape();
    if (shape.GetShapeSize() == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }
    const uint32_t height = shape.GetDim(2), width = shape.GetDim(3);
    const uint32_t planes = shape.GetDim(0) * shape.GetDim(1);
    const uint32_t outHeight = (height - 1) / 2 + 1, outWidth = (width - 1) / 2 + 1;
    const uint32_t unit = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 8 : 16; // elements in 32 bytes
    const uint32_t pitch = (width + 2 + unit - 1) / unit * unit;
    const uint32_t outPitch = (outWidth + unit - 1) / unit * unit;
    if (pitch > MOST_PITCH) {
        return ge::GRAPH_FAILED; // wider planes have to be cut into columns, too
    }
    const uint32_t bandRows = std::min({outHeight, (TILE / pitch - 1) / 2, MOST_ROWS});
    const uint32_t bands = (outHeight + bandRows - 1) / bandRows;
    MaxPool2dTilingData tiling;
    tiling.set_planes(planes);
    tiling.set_height(height);
    tiling.set_width(width);
    tiling.set_outHeight(outHeight);
    tiling.set_outWidth(outWidth);
    tiling.set_pitch(pitch);
    tiling.set_outPitch(outPitch);
    tiling.set_bandRows(bandRows);
    tiling.set_bands(bands);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(std::min(planes * bands, cores));
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class MaxPool2d : public OpDef {
public:
    explicit MaxPool2d(const char *name) : OpDef(name)
    {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::Tiling);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(MaxPool2d);
} // namespace ops
