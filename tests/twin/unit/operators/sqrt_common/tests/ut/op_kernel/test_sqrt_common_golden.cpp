// From the tiling function to the kernel: inputs from a script, outputs for a script.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include "tikicpulib.h"
#include "base/context_builder/op_tiling_context_builder.h"
#include "tiling/context/context_builder.h"

extern "C" __global__ __aicore__ void sqrt_common(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling);

static bool ReadFile(const std::string &path, void *data, size_t bytes)
{
    std::ifstream file(path, std::ios::binary);
    file.read(static_cast<char *>(data), static_cast<std::streamsize>(bytes));
    return file.gcount() == static_cast<std::streamsize>(bytes);
}

int main(int argc, char *argv[])
{
    if (argc > 1 && std::system(("python3 " + std::string(argv[1])).c_str()) != 0) {
        return 2;
    }
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
    if (tilingFunc == nullptr || tilingFunc(context) != ge::GRAPH_SUCCESS) {
        return 3;
    }
    const size_t total = 4096, tilingBytes = context->GetRawTilingData()->GetDataSize();
    uint8_t *x = (uint8_t *)AscendC::GmAlloc(total * 4);
    uint8_t *z = (uint8_t *)AscendC::GmAlloc(total * 4);
    uint8_t *workspace = (uint8_t *)AscendC::GmAlloc(context->GetWorkspaceSizes(1)[0] + 32);
    uint8_t *tiling = (uint8_t *)AscendC::GmAlloc(tilingBytes);
    memcpy(tiling, context->GetRawTilingData()->GetData(), tilingBytes);
    if (!ReadFile("./input/input_x.bin", x, total * 4)) {
        return 4;
    }
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_SET_TILING_KEY(context->GetTilingKey());
    ICPU_RUN_KF(sqrt_common, context->GetBlockDim(), x, z, workspace, tiling);
    std::ofstream("./output/output_z.bin", std::ios::binary).write((const char *)z, total * 4);
    AscendC::GmFree(x);
    AscendC::GmFree(z);
    AscendC::GmFree(workspace);
    AscendC::GmFree(tiling);
    return 0;
}
