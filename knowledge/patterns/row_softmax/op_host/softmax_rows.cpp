#include "softmax_rows_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include <algorithm>

namespace optiling {
constexpr uint32_t RESERVE_BYTES = 8 * 1024; // for rounding the small buffers up
constexpr uint32_t TILE_BYTES = 32 * 1024;   // longer tiles delay the first and the last step
constexpr uint32_t MOST_ROWS = 1000;         // one Brcb spreads four rows a repeat, with at most 255 repeats

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    uint64_t ub = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
    const uint32_t cores = platform.GetCoreNumAiv();
    const auto &shape = context->GetInputShape(0)->GetStorageShape();
    if (shape.GetShapeSize() == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }
    const uint32_t columns = shape.GetDim(shape.GetDimNum() - 1);
    const uint32_t rows = shape.GetShapeSize() / columns;
    const uint32_t typeBytes = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 4 : 2;
    const uint32_t unit = 32 / typeBytes;
    const uint32_t pitch = (columns + unit - 1) / unit * unit;
    // On chip once: the partial results of one row, pitch / 2 floats. For each row: two buffers of input and of output,
    // of 16-bit types a float copy, and two floats (a result needs 8 bytes), alone and filling a block each.
    const uint32_t rowBytes = pitch * (4 * typeBytes + (typeBytes == 4 ? 0 : 4)) + 2 * (4 + 32);
    if (ub < RESERVE_BYTES + rowBytes + pitch * 2) {
        return ge::GRAPH_FAILED; // such a row needs a kernel that takes it in pieces, as an online softmax does
    }
    const uint32_t perCore = (rows + cores - 1) / cores;
    const uint32_t fitting = (ub - RESERVE_BYTES - pitch * 2) / rowBytes;
    const uint32_t tileRows = std::min({perCore, fitting, MOST_ROWS, TILE_BYTES / (pitch * typeBytes) + 1});
    SoftmaxRowsTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_perCore(perCore);
    tiling.set_columns(columns);
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
class SoftmaxRows : public OpDef {
public:
    explicit SoftmaxRows(const char *name) : OpDef(name)
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
OP_ADD(SoftmaxRows);
} // namespace ops
