// An operator of a library of its own, with a shape function, on the vendor's generated interface.
#include <torch/extension.h>
#include <torch/library.h>
#include "pytorch_npu_helper.hpp"

using torch::Tensor;

Tensor scale_add_npu(const Tensor &x, const Tensor &z, double alpha)
{
    TORCH_CHECK(x.sizes() == z.sizes(), "x and z differ in shape");
    const c10::OptionalDeviceGuard guard(x.device());
    Tensor y = at::empty(x.sizes(), x.options());
    EXEC_NPU_CMD(aclnnScaleAdd, x, z, alpha, y);
    return y;
}
Tensor scale_add_meta(const Tensor &x, const Tensor &, double) { return at::empty_like(x); }

TORCH_LIBRARY(scale_lib, m) { m.def("scale_add(Tensor x, Tensor z, float alpha=1.0) -> Tensor"); }
TORCH_LIBRARY_IMPL(scale_lib, PrivateUse1, m) { m.impl("scale_add", &scale_add_npu); }
TORCH_LIBRARY_IMPL(scale_lib, Meta, m) { m.impl("scale_add", &scale_add_meta); }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}
