// Lists of tensors, worked on in place.
#include "pytorch_npu_helper.hpp"
#include <torch/extension.h>

void foreach_scale(std::vector<at::Tensor> tensors, const at::Scalar &factor)
{
    TORCH_CHECK(!tensors.empty(), "no tensors");
    for (const auto &t : tensors) {
        TORCH_CHECK(t.device().is_privateuseone(), "a tensor lies on ", t.device());
    }
    at::TensorList list(tensors);
    EXEC_NPU_CMD(aclnnListScale, list, factor);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)
{
    m.def("foreach_scale", [](std::vector<at::Tensor> tensors, double factor) { foreach_scale(tensors, factor); });
}
