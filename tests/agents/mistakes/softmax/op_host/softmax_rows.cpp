#include "softmax_rows_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint64_t RESERVE_BYTES = 8 * 1024;
// Bytes per column: input and output of at most 4 bytes, two copies each, one float row and one work row.
constexpr uint64_t BYTES_PER_COLUMN = 2 * 4 + 2 * 4 + 4 + 4;

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    uint64_t ub = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
    const uint64_t cores = platform.GetCoreNumAiv();
    const auto &shape = context->GetInputShape(0)->GetStorageShape();
    const uint64_t columns = static_cast<uint64_t>(shape.GetDim(shape.GetDimNum() - 1));
    const uint64_t rows = static_cast<uint64_t>(shape.GetShapeSize()) / columns;
    const uint64_t padded = (columns + 63) / 64 * 64;
    if (padded * BYTES_PER_COLUMN > ub - RESERVE_BYTES) {
        return ge::GRAPH_FAILED; // a row that does not fit needs a kernel that passes over it three times
    }
    const uint64_t perCore = (rows + cores - 1) / cores;
    SoftmaxRowsTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_perCore(perCore);
    tiling.set_columns(static_cast<uint32_t>(columns));
    tiling.set_padded(static_cast<uint32_t>(padded));
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(static_cast<uint32_t>((rows + perCore - 1) / perCore));
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
