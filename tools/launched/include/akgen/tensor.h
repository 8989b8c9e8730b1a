// What a host function is given for each tensor of its task: an address on the device, a type and a shape. The host
// knows no values. Copy this header beside the kernel to build it with the vendor's compiler.
#pragma once
#include "acl/acl.h"
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace akgen {

struct Tensor {
    uint8_t *data = nullptr; // on the device; null for an optional input that is absent
    aclDataType dtype = ACL_DT_UNDEFINED;
    std::vector<int64_t> shape; // contiguous, row-major

    bool defined() const { return data != nullptr; }
    int64_t dim() const { return static_cast<int64_t>(shape.size()); }
    int64_t size(int64_t axis) const // counted from the end if negative
    {
        const int64_t at = axis < 0 ? axis + dim() : axis;
        if (at < 0 || at >= dim()) {
            throw std::out_of_range("size(" + std::to_string(axis) + ") of a tensor of " + std::to_string(dim()) +
                                    " axes");
        }
        return shape[static_cast<size_t>(at)];
    }
    int64_t numel() const
    {
        int64_t product = 1;
        for (const int64_t one : shape) {
            product *= one;
        }
        return product;
    }
};

} // namespace akgen
