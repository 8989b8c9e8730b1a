// The tiling function alone, with a context that the test builds.
#include <cstdint>
#include <cstdio>
#include "base/context_builder/op_tiling_context_builder.h"
#include "tiling/context/context_builder.h"
#include "../../../op_host/sqrt_common_tiling.h"

#define CHECK(condition)                                                                                               \
    if (!(condition)) {                                                                                                \
        std::printf("%d: %s\n", __LINE__, #condition);                                                                 \
        return 1;                                                                                                      \
    }

int main()
{
    gert::StorageShape shape({8, 512}, {8, 512});
    gert::Tensor in0(shape, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnDeviceHbm, ge::DT_FLOAT, nullptr);
    gert::Tensor out(shape, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, gert::kOnDeviceHbm, ge::DT_FLOAT, nullptr);
    auto workspaceSize = gert::ContinuousVector::Create<size_t>(8);
    gert::OpTilingContextBuilder builder;
    builder.OpType("SqrtCommon").OpName("sqrt_common").IONum(1, 1);
    auto holder = builder.TilingDataSize(2048)
                      .Workspace(reinterpret_cast<gert::ContinuousVector *>(workspaceSize.get()))
                      .InputTensors({&in0})
                      .OutputTensors({&out})
                      .Build();
    gert::TilingContext *context = holder.GetContext();
    auto tilingFunc = context_ascendc::OpTilingRegistry().GetTilingFunc("SqrtCommon");
    CHECK(tilingFunc != nullptr);
    CHECK(tilingFunc(context) == ge::GRAPH_SUCCESS);
    CHECK(context->GetTilingKey() == 0);
    CHECK(context->GetBlockDim() >= 1 && context->GetBlockDim() <= 8);
    CHECK(context->GetWorkspaceNum() == 1 && context->GetWorkspaceSizes(1)[0] == 0);
    optiling::SqrtCommonTilingData expected;
    CHECK(context->GetRawTilingData()->GetDataSize() == expected.GetDataSize());
    const uint32_t *fields = static_cast<const uint32_t *>(context->GetRawTilingData()->GetData());
    CHECK(fields[0] == 4096 && fields[1] * context->GetBlockDim() >= 4096);
    return 0;
}
