#ifndef AKGEN_EXE_GRAPH_SHAPE_H
#define AKGEN_EXE_GRAPH_SHAPE_H
#include "graph/types.h"

namespace gert {

// Up to 25 dimensions. No dimensions: a scalar, of size 1.
class AKGEN_HOST_API Shape {
public:
    static constexpr size_t kMaxDimNum = 25;
    static constexpr int64_t kInvalidDimValue = std::numeric_limits<int64_t>::min();

    Shape() = default;
    Shape(const std::initializer_list<int64_t> &dims)
    {
        for (int64_t d : dims) {
            AppendDim(d);
        }
    }
    bool operator==(const Shape &o) const { return num_ == o.num_ && std::equal(dims_, dims_ + num_, o.dims_); }
    bool operator!=(const Shape &o) const { return !(*this == o); }
    // Return the number of elements; -1 if a dimension is negative or the product overflows.
    int64_t GetShapeSize() const;
    bool IsScalar() const { return num_ == 0; }
    void SetScalar() { num_ = 0; }
    size_t GetDimNum() const { return num_; }
    void SetDimNum(size_t num) { num_ = num < kMaxDimNum ? num : kMaxDimNum; }
    int64_t GetDim(size_t i) const { return i < num_ ? dims_[i] : kInvalidDimValue; }
    const int64_t &operator[](size_t i) const { return dims_[i < kMaxDimNum ? i : kMaxDimNum - 1]; }
    int64_t &operator[](size_t i) { return dims_[i < kMaxDimNum ? i : kMaxDimNum - 1]; }
    void SetDim(size_t i, int64_t value)
    {
        if (i < kMaxDimNum) {
            dims_[i] = value;
            num_ = num_ > i ? num_ : i + 1;
        }
    }
    Shape &AppendDim(int64_t value)
    {
        if (num_ < kMaxDimNum) {
            dims_[num_++] = value;
        }
        return *this;
    }

private:
    size_t num_ = 0;
    int64_t dims_[kMaxDimNum] = {};
};

} // namespace gert
#endif
