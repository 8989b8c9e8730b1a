#include "rms_norm_rows_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include <algorithm>

namespace optiling {
constexpr uint32_t RESERVE_BYTES = 8 * 1024; // for rounding the small buffers up
constexpr uint32_t TILE_BYTES = 20 * 1024;   // enough for fast copies; longer tiles delay the first and the last step
constexpr uint32_t MOST_ROWS = 248;          // a multiple of the eight that Brcb takes, below 255 repeats

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
    uint32_t partialPitch = 64;
    while (partialPitch * 8 < columns) {
        partialPitch *= 8;
    }
    // On chip once: the weights as float. For each row: two buffers of input and of output, its squares and (of 16-bit
    // types) its float copy, its partial sums and their sums, its scalar alone and filling a block.
    const uint32_t onceBytes = pitch * 4;
    const uint32_t floatRows = typeBytes == 4 ? 1 : 2;
    const uint32_t rowBytes = pitch * (4 * typeBytes + floatRows * 4) + partialPitch * 2 * 4 + 4 + 32;
    if (ub < RESERVE_BYTES + onceBytes + rowBytes) {
        return ge::GRAPH_FAILED; // such a row needs a kernel that takes it in pieces
    }
    const uint32_t perCore = (rows + cores - 1) / cores;
    const uint32_t fitting = (ub - RESERVE_BYTES - onceBytes) / rowBytes;
    const uint32_t tileRows = std::min({perCore, fitting, MOST_ROWS, TILE_BYTES / (pitch * typeBytes) + 1});
    const float epsilon = *context->GetAttrs()->GetFloat(0);
    RmsNormRowsTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_perCore(perCore);
    tiling.set_columns(columns);
    tiling.set_pitch(pitch);
    tiling.set_partialPitch(partialPitch);
    tiling.set_tileRows(tileRows);
    tiling.set_epsilon(epsilon);
    tiling.set_reciprocal(1.0f / columns);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim((rows + perCore - 1) / perCore);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class RmsNormRows : public OpDef {
public:
    explicit RmsNormRows(const char *name) : OpDef(name)
    {
        for (const char *input : {"x", "weight"}) {
            this->Input(input)
                .ParamType(REQUIRED)
                .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
                .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        }
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("eps").AttrType(REQUIRED).Float();
        this->AICore().SetTiling(optiling::Tiling);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(RmsNormRows);
} // namespace ops
