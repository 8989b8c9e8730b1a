// Shapes as library tilings take them.
#ifndef AKGEN_GRAPH_TENSOR_H
#define AKGEN_GRAPH_TENSOR_H
#include "graph/types.h"

namespace ge {

class AKGEN_HOST_API Shape {
public:
    Shape() = default;
    explicit Shape(const std::vector<int64_t> &dims) : dims_(dims) {}
    size_t GetDimNum() const { return dims_.size(); }
    int64_t GetDim(size_t i) const { return i < dims_.size() ? dims_[i] : 0; }
    graphStatus SetDim(size_t i, int64_t value)
    {
        if (i >= dims_.size()) {
            return GRAPH_FAILED;
        }
        dims_[i] = value;
        return GRAPH_SUCCESS;
    }
    std::vector<int64_t> GetDims() const { return dims_; }
    int64_t GetShapeSize() const
    {
        int64_t size = dims_.empty() ? 0 : 1;
        for (int64_t d : dims_) {
            size *= d;
        }
        return size;
    }

private:
    std::vector<int64_t> dims_;
};

} // namespace ge
#endif
