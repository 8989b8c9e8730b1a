#include "pytorch_npu_helper.hpp"

at::Tensor custom_pybind_api(at::Tensor x, at::Tensor mask, int64_t times)
{
    EXEC_NPU_CMD(aclnnCustomOp, x, mask, times);
    return x;
}

PYBIND11_MODULE(kernel_gen_ops, m) {
    m.def("custom_pybind_api", &custom_pybind_api, "");
}
