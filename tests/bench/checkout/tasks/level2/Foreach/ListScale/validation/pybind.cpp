#include "pytorch_npu_helper.hpp"

std::vector<at::Tensor> custom_pybind_api(std::vector<at::Tensor> &x, at::Tensor &factors)
{
    std::vector<at::Scalar> numbers;
    numbers.reserve(factors.size(0));
    if (factors.scalar_type() == at::ScalarType::Float) {
        auto values = factors.accessor<float, 1>();
        for (int i = 0; i < factors.size(0); i++) {
            numbers.push_back(at::Scalar(values[i]));
        }
    } else {
        throw std::runtime_error("the factors must be float");
    }
    std::vector<at::Tensor> result;
    for (const auto &tensor : x) {
        result.push_back(torch::empty_like(tensor));
    }
    at::TensorList inputs = at::TensorList(x);
    at::TensorList outputs = at::TensorList(result);
    at::ArrayRef<at::Scalar> list(numbers);
    EXEC_NPU_CMD(aclnnCustomOp, inputs, list, outputs);
    return result;
}

PYBIND11_MODULE(kernel_gen_ops, m) {
    m.def("custom_pybind_api", &custom_pybind_api, "");
}
