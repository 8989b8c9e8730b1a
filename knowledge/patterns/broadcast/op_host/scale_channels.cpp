#include "scale_channels_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include <algorithm>

namespace optiling {
constexpr uint32_t TILE = 6144; // elements, 24 KB of float: two buffers of input and of output, and a float copy
constexpr uint32_t MOST_CHANNELS = 4096;

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAiv();
    const auto &shape = context->GetInputShape(0)->GetStorageShape();
    if (shape.GetShapeSize() == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }
    const uint32_t channels = shape.GetDim(1);
    const uint32_t rows = shape.GetDim(0) * channels;
    const uint32_t columns = shape.GetShapeSize() / rows;
    const uint32_t piece = std::min(columns, TILE);
    const uint32_t pitch = (piece + 15) / 16 * 16; // 32 bytes of 16-bit types, 64 of float
    const uint32_t perCore = (rows + cores - 1) / cores;
    const uint32_t tileRows = std::min(perCore, TILE / pitch);
    if (channels > MOST_CHANNELS) {
        return ge::GRAPH_FAILED; // all scales are kept on chip
    }
    ScaleChannelsTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_perCore(perCore);
    tiling.set_channels(channels);
    tiling.set_columns(columns);
    tiling.set_piece(piece);
    tiling.set_pitch(pitch);
    tiling.set_tileRows(tileRows);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim((rows + perCore - 1) / perCore);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class ScaleChannels : public OpDef {
public:
    explicit ScaleChannels(const char *name) : OpDef(name)
    {
        for (const char *input : {"x", "scale"}) {
            this->Input(input)
                .ParamType(REQUIRED)
                .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
                .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        }
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::Tiling);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(ScaleChannels);
} // namespace ops
