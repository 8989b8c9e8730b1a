// The tiling function alone, with a context that the test builds.
#include <cstdint>
#include <cstdio>
#include "tiling/context/context_builder.h"
#include "base/context_builder/op_infer_shape_context_builder.h"
#include "base/context_builder/op_infer_datatype_context_builder.h"
#include "../../../op_host/exp_rows_tiling.h"

#define CHECK(condition)                                                                                               \
    if (!(condition)) {                                                                                                \
        std::printf("%d: %s\n", __LINE__, #condition);                                                                 \
        return 1;                                                                                                      \
    }

static int infer()
{
    gert::StorageShape shape({8, 512}, {8, 512});
    gert::Tensor x(shape, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnDeviceHbm, ge::DT_FLOAT, nullptr);
    gert::OpInferShapeContextBuilder shapes;
    shapes.OpType("ExpRows").OpName("exp_rows").IONum(1, 1);
    auto shapeHolder = shapes.InputTensors({&x}).OutputTensorDesc(0, ge::FORMAT_ND, ge::FORMAT_ND).Build();
    gert::InferShapeContext *context = shapeHolder.GetContext();
    CHECK(*context->GetInputShape(0) == x.GetStorageShape());
    CHECK(context->GetOutputShape(0) != nullptr && context->GetOutputShape(1) == nullptr);
    gert::OpInferDataTypeContextBuilder types;
    types.OpType("ExpRows").IONum(1, 1);
    auto typeHolder = types.InputTensorDesc(0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_ND)
                          .OutputTensorDesc(0, ge::DT_UNDEFINED, ge::FORMAT_ND, ge::FORMAT_ND)
                          .Build();
    CHECK(typeHolder.GetContext()->GetInputDataType(0) == ge::DT_FLOAT);
    CHECK(typeHolder.GetContext()->SetOutputDataType(0, ge::DT_FLOAT) == ge::GRAPH_SUCCESS);
    CHECK(typeHolder.GetContext()->GetOutputDataType(0) == ge::DT_FLOAT);
    return 0;
}

int main()
{
    gert::StorageShape shape({8, 512}, {8, 512});
    auto param = gert::TilingData::CreateCap(4096);
    auto workspaceSize = gert::ContinuousVector::Create<size_t>(4096);
    auto holder = context_ascendc::ContextBuilder()
                      .SetOpNameType("exp_rows_name", "ExpRows")
                      .NodeIoNum(1, 1)
                      .IrInstanceNum({1})
                      .AddInputTd(0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_ND, shape)
                      .AddOutputTd(0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_ND, shape)
                      .AddPlatformInfo("Ascend910B1")
                      .TilingData(param.get())
                      .Workspace(reinterpret_cast<gert::ContinuousVector *>(workspaceSize.get()))
                      .BuildTilingContext();
    gert::TilingContext *context = holder->GetContext<gert::TilingContext>();
    context_ascendc::OpTilingRegistry registry;
    context_ascendc::TilingFunc tilingFunc = registry.GetTilingFunc("ExpRows");
    CHECK(tilingFunc != nullptr);
    CHECK(tilingFunc(context) == ge::GRAPH_SUCCESS);
    CHECK(context->GetTilingKey() == 0);
    CHECK(context->GetBlockDim() >= 1 && context->GetBlockDim() <= 8);
    CHECK(context->GetWorkspaceNum() == 1 && context->GetWorkspaceSizes(1)[0] == 0);
    optiling::ExpRowsTilingData expected;
    CHECK(context->GetRawTilingData()->GetDataSize() == expected.GetDataSize());
    const uint32_t *fields = static_cast<const uint32_t *>(context->GetRawTilingData()->GetData());
    CHECK(fields[0] == 4096 && fields[1] * context->GetBlockDim() >= 4096);
    return infer();
}
