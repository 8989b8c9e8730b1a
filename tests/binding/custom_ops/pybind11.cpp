// The one-operator form: a module whose name the build decides, EXEC_NPU_CMD, a check of the device.
#include <torch/csrc/autograd/custom_function.h>
#include "pytorch_npu_helper.hpp"
#include <torch/extension.h>

at::Tensor scale_add_impl_npu(const at::Tensor &self, const at::Tensor &other, double alpha)
{
    TORCH_CHECK(self.is_privateuseone(), "self must be a tensor of the NPU");
    TORCH_CHECK(other.device().type() == at::kPrivateUse1, "other must be a tensor of the NPU");
    at::Tensor result = at::Tensor(self);
    result = at::empty_like(self);
    EXEC_NPU_CMD(aclnnScaleAdd, self, other, alpha, result);
    return result;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)
{
    m.def("scale_add", &scale_add_impl_npu, "x + alpha * y", pybind11::arg("x"), pybind11::arg("y"),
          pybind11::arg("alpha") = 1.5);
}
