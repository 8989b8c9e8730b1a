// The tiling function alone, with a context that the test builds.
#include <cstdint>
#include <cstdio>
#include "base/context_builder/op_tiling_context_builder.h"
#include "tiling/context/context_builder.h"
#include "base/context_builder/op_infer_shape_context_builder.h"
#include "base/context_builder/op_infer_datatype_context_builder.h"
#include "../../../op_host/sub_half_tiling.h"

#define CHECK(condition)                                                                                               \
    if (!(condition)) {                                                                                                \
        std::printf("%d: %s\n", __LINE__, #condition);                                                                 \
        return 1;                                                                                                      \
    }

static int infer()
{
    gert::StorageShape shape({8, 512}, {8, 512});
    gert::Tensor x(shape, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnDeviceHbm, ge::DT_FLOAT16, nullptr);
    gert::OpInferShapeContextBuilder shapes;
    shapes.OpType("SubHalf").OpName("sub_half").IONum(2, 1);
    auto shapeHolder = shapes.InputTensors({&x, &x}).OutputTensorDesc(0, ge::FORMAT_ND, ge::FORMAT_ND).Build();
    gert::InferShapeContext *context = shapeHolder.GetContext();
    CHECK(*context->GetInputShape(0) == x.GetStorageShape());
    CHECK(context->GetOutputShape(0) != nullptr && context->GetOutputShape(1) == nullptr);
    gert::OpInferDataTypeContextBuilder types;
    types.OpType("SubHalf").IONum(2, 1);
    auto typeHolder = types.InputTensorDesc(0, ge::DT_FLOAT16, ge::FORMAT_ND, ge::FORMAT_ND)
                          .OutputTensorDesc(0, ge::DT_UNDEFINED, ge::FORMAT_ND, ge::FORMAT_ND)
                          .Build();
    CHECK(typeHolder.GetContext()->GetInputDataType(0) == ge::DT_FLOAT16);
    CHECK(typeHolder.GetContext()->SetOutputDataType(0, ge::DT_FLOAT16) == ge::GRAPH_SUCCESS);
    CHECK(typeHolder.GetContext()->GetOutputDataType(0) == ge::DT_FLOAT16);
    return 0;
}

int main()
{
    gert::StorageShape shape({8, 512}, {8, 512});
    gert::Tensor in0(shape, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnDeviceHbm, ge::DT_FLOAT16, nullptr);
    gert::Tensor in1(shape, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnDeviceHbm, ge::DT_FLOAT16, nullptr);
    gert::Tensor out(shape, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnDeviceHbm, ge::DT_FLOAT16, nullptr);
    auto workspaceSize = gert::ContinuousVector::Create<size_t>(8);
    gert::OpTilingContextBuilder builder;
    builder.OpType("SubHalf").OpName("sub_half").IONum(2, 1);
    auto holder = builder.TilingDataSize(2048)
                      .Workspace(reinterpret_cast<gert::ContinuousVector *>(workspaceSize.get()))
                      .InputTensors({&in0, &in1})
                      .OutputTensors({&out})
                      .Build();
    gert::TilingContext *context = holder.GetContext();
    auto tilingFunc = context_ascendc::OpTilingRegistry().GetTilingFunc("SubHalf");
    CHECK(tilingFunc != nullptr);
    CHECK(tilingFunc(context) == ge::GRAPH_SUCCESS);
    CHECK(context->GetTilingKey() == 2);
    CHECK(context->GetBlockDim() >= 1 && context->GetBlockDim() <= 8);
    CHECK(context->GetWorkspaceNum() == 1 && context->GetWorkspaceSizes(1)[0] == 0);
    optiling::SubHalfTilingData expected;
    CHECK(context->GetRawTilingData()->GetDataSize() == expected.GetDataSize());
    const uint32_t *fields = static_cast<const uint32_t *>(context->GetRawTilingData()->GetData());
    CHECK(fields[0] == 4096 && fields[1] * context->GetBlockDim() >= 4096);
    return infer();
}
