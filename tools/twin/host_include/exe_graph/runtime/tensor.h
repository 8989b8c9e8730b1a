// Shapes, formats and tensors, as the functions of an operator's host code see them.
#ifndef AKGEN_EXE_GRAPH_TENSOR_H
#define AKGEN_EXE_GRAPH_TENSOR_H
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

// How a shape was given more dimensions, as text of the framework; host code passes it on.
class ExpandDimsType {
public:
    ExpandDimsType() = default;
    ExpandDimsType(const char *rule) : rule_(rule) {}
    bool operator==(const ExpandDimsType &o) const { return rule_ == o.rule_; }

private:
    std::string rule_;
};

class StorageFormat {
public:
    StorageFormat() = default;
    StorageFormat(ge::Format origin, ge::Format storage, const ExpandDimsType &) : StorageFormat(origin, storage) {}
    StorageFormat(ge::Format origin, ge::Format storage) : origin_(origin), storage_(storage) {}
    ge::Format GetOriginFormat() const { return origin_; }
    ge::Format GetStorageFormat() const { return storage_; }
    void SetOriginFormat(ge::Format format) { origin_ = format; }
    void SetStorageFormat(ge::Format format) { storage_ = format; }

private:
    ge::Format origin_ = ge::FORMAT_ND;
    ge::Format storage_ = ge::FORMAT_ND;
};

class StorageShape {
public:
    StorageShape() = default;
    StorageShape(const std::initializer_list<int64_t> &origin, const std::initializer_list<int64_t> &storage)
        : origin_(origin), storage_(storage)
    {
    }
    const Shape &GetOriginShape() const { return origin_; }
    const Shape &GetStorageShape() const { return storage_; }
    Shape &MutableOriginShape() { return origin_; }
    Shape &MutableStorageShape() { return storage_; }
    bool operator==(const StorageShape &o) const { return origin_ == o.origin_ && storage_ == o.storage_; }
    bool operator!=(const StorageShape &o) const { return !(*this == o); }

private:
    Shape origin_;
    Shape storage_;
};

template <class T> class Range {
public:
    Range() = default;
    Range(T *min, T *max) : min_(min), max_(max) {}
    explicit Range(T *same) : min_(same), max_(same) {}
    bool operator==(const Range &o) const { return *min_ == *o.min_ && *max_ == *o.max_; }
    const T *GetMin() const { return min_; }
    const T *GetMax() const { return max_; }
    T *GetMin() { return min_; }
    T *GetMax() { return max_; }
    void SetMin(T *min) { min_ = min; }
    void SetMax(T *max) { max_ = max; }

private:
    T *min_ = nullptr;
    T *max_ = nullptr;
};

using TensorAddress = void *;
enum TensorPlacement { kOnDeviceHbm, kOnHost, kFollowing, kTensorPlacementEnd };

// A tensor as the tiling function sees it. Only inputs declared with ValueDepend carry data.
class AKGEN_HOST_API Tensor {
public:
    Tensor() = default;
    Tensor(const StorageShape &shape, const StorageFormat &format, ge::DataType type)
        : shape_(shape), format_(format), type_(type)
    {
    }
    Tensor(const StorageShape &shape, const StorageFormat &format, TensorPlacement, ge::DataType type,
           TensorAddress data = nullptr)
        : shape_(shape), format_(format), type_(type)
    {
        const int64_t bytes = ge::GetSizeInBytes(GetShapeSize(), type);
        SetHostData(data, data == nullptr || bytes < 0 ? 0 : static_cast<size_t>(bytes));
    }
    int64_t GetShapeSize() const { return shape_.GetStorageShape().GetShapeSize(); }
    size_t GetSize() const { return size_; }
    template <class T> const T *GetData() const { return static_cast<const T *>(data_); }
    template <class T> T *GetData() { return static_cast<T *>(data_); }
    const void *GetAddr() const { return data_; }
    void *GetAddr() { return data_; }
    const StorageShape &GetShape() const { return shape_; }
    StorageShape &GetShape() { return shape_; }
    StorageShape &MutableShape() { return shape_; }
    const Shape &GetStorageShape() const { return shape_.GetStorageShape(); }
    const Shape &GetOriginShape() const { return shape_.GetOriginShape(); }
    Shape &MutableStorageShape() { return shape_.MutableStorageShape(); }
    Shape &MutableOriginShape() { return shape_.MutableOriginShape(); }
    const StorageFormat &GetFormat() const { return format_; }
    ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
    ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
    ge::DataType GetDataType() const { return type_; }
    void SetDataType(ge::DataType type) { type_ = type; }
    TensorPlacement GetPlacement() const { return data_ == nullptr ? kOnDeviceHbm : kOnHost; }
    // Bind data that the caller keeps alive.
    void SetHostData(void *data, size_t size_bytes)
    {
        data_ = data;
        size_ = size_bytes;
    }

private:
    StorageShape shape_;
    StorageFormat format_;
    ge::DataType type_ = ge::DT_UNDEFINED;
    void *data_ = nullptr;
    size_t size_ = 0;
};

} // namespace gert
#endif
