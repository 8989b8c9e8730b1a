#ifndef AKGEN_EXE_GRAPH_TENSOR_H
#define AKGEN_EXE_GRAPH_TENSOR_H
#include "exe_graph/runtime/storage_format.h"
#include "exe_graph/runtime/storage_shape.h"

namespace gert {

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
