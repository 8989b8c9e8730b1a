// How operators of the vendor's plugin allocate: here all formats are plain.
#pragma once
#include "torch_npu/csrc/framework/OpCommand.h"
#include <ATen/ATen.h>

namespace at_npu::native {

struct OpPreparation {
    static at::Tensor apply_tensor_without_format(const at::Tensor &like) { return at::empty_like(like); }
    static at::Tensor apply_tensor_without_format(at::IntArrayRef sizes, const at::TensorOptions &options)
    {
        return at::empty(sizes, options);
    }
    static at::Tensor apply_tensor(const at::Tensor &like) { return at::empty_like(like); }
    static at::Tensor apply_tensor(const at::Tensor &like, at::IntArrayRef sizes)
    {
        return at::empty(sizes, like.options());
    }
};

} // namespace at_npu::native
