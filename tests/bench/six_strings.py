project_json_src = """
[{"op": "ShiftCustom", "language": "cpp",
  "input_desc": [{"name": "x", "param_type": "required", "format": ["ND"], "type": ["float"]}],
  "output_desc": [{"name": "y", "param_type": "required", "format": ["ND"], "type": ["float"]}]}]
"""

host_tiling_src = """
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ShiftCustomTilingData)
TILING_DATA_FIELD_DEF(uint32_t, count);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ShiftCustom, ShiftCustomTilingData)
}
"""

_CORES = 8
host_operator_src = """
#include "shift_custom_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    ShiftCustomTilingData tiling;
    tiling.set_count(context->GetInputShape(0)->GetOriginShape().GetShapeSize());
    context->SetBlockDim(@CORES@);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}
namespace ge {
static ge::graphStatus InferShape(gert::InferShapeContext *context)
{
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}
static ge::graphStatus InferDataType(gert::InferDataTypeContext *context)
{
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}
}
namespace ops {
class ShiftCustom : public OpDef {
public:
    explicit ShiftCustom(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(ShiftCustom);
}
""".replace("@CORES@", f"{_CORES}")

kernel_src = """
#include "kernel_operator.h"

constexpr uint32_t TILE = 512;

extern "C" __global__ __aicore__ void shift_custom(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> out;
    AscendC::GlobalTensor<float> from, to;
    pipe.InitBuffer(in, 2, TILE * sizeof(float));
    pipe.InitBuffer(out, 2, TILE * sizeof(float));
    from.SetGlobalBuffer((__gm__ float *)x, data.count);
    to.SetGlobalBuffer((__gm__ float *)y, data.count);
    for (uint32_t at = AscendC::GetBlockIdx() * TILE; at < data.count; at += AscendC::GetBlockNum() * TILE) {
        const uint32_t n = data.count - at < TILE ? data.count - at : TILE;
        const AscendC::DataCopyExtParams row{1, static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0};
        auto a = in.AllocTensor<float>();
        AscendC::DataCopyPad(a, from[at], row, AscendC::DataCopyPadExtParams<float>{false, 0, 0, 0});
        in.EnQue(a);
        a = in.DeQue<float>();
        auto b = out.AllocTensor<float>();
        AscendC::Adds(b, a, 1.5f, static_cast<int32_t>(n));
        out.EnQue(b);
        in.FreeTensor(a);
        b = out.DeQue<float>();
        AscendC::DataCopyPad(to[at], b, row);
        out.FreeTensor(b);
    }
}
"""

python_bind_src = """
#include <torch/library.h>
#include <torch/csrc/autograd/custom_function.h>
#include "pytorch_npu_helper.hpp"
#include <torch/extension.h>

at::Tensor shift_custom_impl_npu(const at::Tensor &self)
{
    at::Tensor result = at::empty_like(self);
    EXEC_NPU_CMD(aclnnShiftCustom, self, result);
    return result;
}

TORCH_LIBRARY_IMPL(myops, PrivateUse1, m) { m.impl("shift_custom", &shift_custom_impl_npu); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("shift_custom", &shift_custom_impl_npu, "x + 1.5"); }
"""

model_src = """
import torch
import torch_npu
import custom_ops_lib


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return custom_ops_lib.shift_custom(x)
"""
