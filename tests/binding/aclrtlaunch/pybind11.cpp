// The form of a kernel that CMake compiles: its launch function comes from a generated header.
#include <pybind11/pybind11.h>
#include <torch/extension.h>

#include "aclrtlaunch_leaky_relu.h"
#include "torch_npu/csrc/core/npu/NPUStream.h"

namespace my_relu {
at::Tensor run_leaky_relu(const at::Tensor &x, double slope)
{
    auto acl_stream = c10_npu::getCurrentNPUStream().stream(false);
    at::Tensor y = at::empty_like(x);
    uint32_t blockDim = 4;
    uint32_t length = x.numel();
    ACLRT_LAUNCH_KERNEL(leaky_relu)
    (blockDim, acl_stream, const_cast<void *>(x.storage().data()), const_cast<void *>(y.storage().data()), length, slope);
    return y;
}
} // namespace my_relu

PYBIND11_MODULE(leaky_relu_custom, m)
{
    m.doc() = "leaky_relu_custom pybind11 interfaces";
    m.def("run_leaky_relu", &my_relu::run_leaky_relu, "");
}
