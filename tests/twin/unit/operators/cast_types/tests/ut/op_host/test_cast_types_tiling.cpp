// The tiling function alone, with a context that the test builds.
#include <cstdint>
#include <cstdio>
#include "tiling/context/context_builder.h"
#include "../../../op_host/cast_types_tiling.h"

#define CHECK(condition)                                                                                               \
    if (!(condition)) {                                                                                                \
        std::printf("%d: %s\n", __LINE__, #condition);                                                                 \
        return 1;                                                                                                      \
    }

int main()
{
    gert::StorageShape shape({8, 512}, {8, 512});
    auto param = gert::TilingData::CreateCap(4096);
    auto workspaceSize = gert::ContinuousVector::Create<size_t>(4096);
    auto holder = context_ascendc::ContextBuilder()
                      .SetOpNameType("cast_types_name", "CastTypes")
                      .NodeIoNum(1, 1)
                      .IrInstanceNum({1})
                      .AddInputTd(0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_ND, shape)
                      .AddOutputTd(0, ge::DT_FLOAT16, ge::FORMAT_ND, ge::FORMAT_ND, shape)
                      .AddPlatformInfo("Ascend910B1")
                      .TilingData(param.get())
                      .Workspace(reinterpret_cast<gert::ContinuousVector *>(workspaceSize.get()))
                      .BuildTilingContext();
    gert::TilingContext *context = holder->GetContext<gert::TilingContext>();
    context_ascendc::OpTilingRegistry registry;
    context_ascendc::TilingFunc tilingFunc = registry.GetTilingFunc("CastTypes");
    CHECK(tilingFunc != nullptr);
    CHECK(tilingFunc(context) == ge::GRAPH_SUCCESS);
    CHECK(context->GetTilingKey() == 0);
    CHECK(context->GetBlockDim() >= 1 && context->GetBlockDim() <= 8);
    CHECK(context->GetWorkspaceNum() == 1 && context->GetWorkspaceSizes(1)[0] == 0);
    optiling::CastTypesTilingData expected;
    CHECK(context->GetRawTilingData()->GetDataSize() == expected.GetDataSize());
    const uint32_t *fields = static_cast<const uint32_t *>(context->GetRawTilingData()->GetData());
    CHECK(fields[0] == 4096 && fields[1] * context->GetBlockDim() >= 4096);
    return 0;
}
