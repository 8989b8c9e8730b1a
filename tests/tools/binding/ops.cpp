// A binding of three operators, with an argument of every kind.
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>
#include "pytorch_npu_helper.hpp"

at::Tensor scale_add(const at::Tensor &x, const at::Tensor &z, double alpha)
{
    at::Tensor y = torch::empty_like(x);
    EXEC_NPU_CMD(aclnnScaleAdd, x, z, alpha, y);
    return y;
}

// In place: the operator has no output of its own name.
void list_scale(std::vector<at::Tensor> &x, double value)
{
    const at::Scalar factor(value);
    at::TensorList list(x);
    EXEC_NPU_CMD(aclnnListScale, list, factor);
}

void every_kind(const at::Tensor &x, const c10::optional<at::Tensor> &bias, std::vector<at::Tensor> list, std::string mode,
                at::IntArrayRef sizes, bool flag, int64_t axis, const std::vector<double> &scales)
{
    const char *text = mode.c_str();
    aclIntArray *converted = ConvertType(sizes);
    aclScalar *number = ConvertTensorToAclScaler(scales.empty() ? x : x.flatten()[0]);
    std::vector<at::Scalar> scalars{at::Scalar(2.5), at::Scalar(int64_t{3})};
    c10::optional<at::IntArrayRef> nothing;
    EXEC_NPU_CMD(aclnnEveryKind, x, bias, at::TensorList(list), text, converted, sizes, nothing, number,
                 at::ArrayRef<at::Scalar>(scalars), std::array<bool, 2>{true, false}, flag, axis, scales, x.scalar_type(), mode,
                 at::Tensor(), nullptr);
}

PYBIND11_MODULE(kernel_gen_ops, m)
{
    m.doc() = "three operators";
    m.def("scale_add", &scale_add, "");
    m.def("list_scale", &list_scale, "");
    m.def("every_kind", &every_kind, "");
}
