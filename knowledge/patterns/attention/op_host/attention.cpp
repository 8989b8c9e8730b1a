#include "attention_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"
#include <algorithm>
#include <cmath>

namespace optiling {
constexpr uint32_t ROWS = 64;          // rows of q at a time: four fractals, and 2 MB of workspace for 8192 scores each
constexpr uint32_t MOST_LENGTH = 8192; // 32 KB of float: two rows in, two rows out and one of work are 160 KB
constexpr int32_t L1_BYTES = 512 * 1024;
constexpr int32_t L0C_BYTES = 128 * 1024;

static ge::graphStatus Tiling(gert::TilingContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const auto &shape = context->GetInputShape(0)->GetStorageShape();
    if (shape.GetShapeSize() == 0) {
        return ge::GRAPH_FAILED; // an empty tensor leaves nothing to launch
    }
    const uint32_t batch = shape.GetDim(0), length = shape.GetDim(1), width = shape.GetDim(2);
    if (length > MOST_LENGTH) {
        return ge::GRAPH_FAILED; // a whole row of scores has to fit on chip
    }
    const uint32_t rows = std::min(length, ROWS);
    const float scale = 1.0f / std::sqrt(static_cast<float>(width));
    const bool isHalf = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT16;
    const auto type = isHalf ? matmul_tiling::DataType::DT_FLOAT16 : matmul_tiling::DataType::DT_FLOAT;
    AttentionTilingData tiling;
    // Each object gets half of L1 and of L0C. Scores stay float, probabilities have the operands' type.
    matmul_tiling::MatmulApiTiling scores(platform), values(platform);
    for (auto *cut : {&scores, &values}) {
        const bool first = cut == &scores;
        const int32_t n = first ? length : width, k = first ? width : length;
        cut->SetAType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type, false);
        cut->SetBType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, type, first);
        cut->SetCType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND,
                      first ? matmul_tiling::DataType::DT_FLOAT : type);
        cut->SetShape(rows, n, k);
        cut->SetOrgShape(length, n, k);
        cut->SetBias(false);
        cut->SetBufferSpace(L1_BYTES / 2, L0C_BYTES / 2, -1);
        if (cut->GetTiling(first ? tiling.scores : tiling.values) == -1) {
            return ge::GRAPH_FAILED;
        }
    }
    const uint32_t cores = platform.GetCoreNumAiv(); // each has its own scores and probabilities
    const uint64_t room = static_cast<uint64_t>(rows) * length * 2 * sizeof(float);
    tiling.set_batch(batch);
    tiling.set_length(length);
    tiling.set_width(width);
    tiling.set_rows(rows);
    tiling.set_scale(scale);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(platform.GetCoreNumAic());
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + cores * room;
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ops {
class Attention : public OpDef {
public:
    explicit Attention(const char *name) : OpDef(name)
    {
        for (const char *input : {"q", "k", "v"}) {
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
OP_ADD(Attention);
} // namespace ops
