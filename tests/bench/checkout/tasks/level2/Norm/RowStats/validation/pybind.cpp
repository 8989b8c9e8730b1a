#include "pytorch_npu_helper.hpp"

std::vector<at::Tensor> row_stats(at::Tensor x, at::Tensor gamma, c10::optional<at::Tensor> bias, std::string mode, bool keep)
{
    torch::IntArrayRef sizes = x.sizes();
    std::vector<int64_t> mean_shape(sizes.begin(), sizes.end());
    for (int i = 0; i < gamma.sizes().size(); i++) {
        mean_shape[mean_shape.size() - i - 1] = 1;
    }
    auto options = torch::TensorOptions().dtype(torch::kFloat).device(x.device());
    at::Tensor scaled = torch::empty_like(x);
    at::Tensor mean = torch::zeros(mean_shape, options);
    at::Tensor positive = torch::empty_like(x, x.options().dtype(at::kBool));
    const char* mode_text = mode.c_str();
    TORCH_CHECK(x.dim() > 0, "x needs an axis");
    if (bias.has_value()) {
        EXEC_NPU_CMD(aclnnRowStats, x, gamma, bias, mode_text, keep, scaled, mean, positive);
    } else {
        at::Tensor nothing = at::Tensor();
        EXEC_NPU_CMD(aclnnRowStats, x, gamma, nothing, mode_text, keep, scaled, mean, positive);
    }
    at::Tensor numbers = positive.to(x.dtype());
    std::vector<at::Tensor> result;
    result.push_back(numbers);
    result.push_back(scaled);
    return result;
}

PYBIND11_MODULE(kernel_gen_ops, m) {
    m.def("row_stats", &row_stats, "");
}
