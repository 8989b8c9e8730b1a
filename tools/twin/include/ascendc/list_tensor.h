// ListTensorDesc and TensorDesc: the block that a DYNAMIC argument points to. Word 0 is the byte offset of the pointer
// table; before the table stand, for each tensor, a word (index in the high half, dimensions
// in the low half) and sizes.
#pragma once
#include "ascendc/tensor.h"

namespace AscendC {

template <class T> class TensorDesc {
public:
    AKGEN_INLINE void SetShapeAddr(uint64_t *shape) { shape_ = shape; }
    AKGEN_INLINE uint64_t GetDim() { return dims_; }
    AKGEN_INLINE uint64_t GetIndex() { return index_; }
    AKGEN_INLINE uint64_t GetShape(uint32_t axis) { return shape_[axis]; }
    AKGEN_INLINE T *GetDataPtr() { return data_; }
    AKGEN_INLINE GlobalTensor<T> GetDataObj()
    {
        GlobalTensor<T> tensor;
        uint64_t count = 1;
        for (uint64_t i = 0; i < dims_; ++i) {
            count *= shape_[i];
        }
        tensor.SetGlobalBuffer(data_, count);
        return tensor;
    }

private:
    friend class ListTensorDesc;
    uint64_t *shape_ = nullptr;
    uint64_t dims_ = 0;
    uint64_t index_ = 0;
    T *data_ = nullptr;
};

class ListTensorDesc {
public:
    ListTensorDesc() = default;
    AKGEN_INLINE ListTensorDesc(__gm__ void *data, uint64_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff)
    {
        Init(data, length, shapeSize);
    }
    AKGEN_INLINE void Init(__gm__ void *data, uint64_t = 0xffffffff, uint32_t = 0xffffffff)
    {
        words_ = static_cast<uint64_t *>(data);
        table_ = words_ + words_[0] / sizeof(uint64_t);
        size_ = 0;
        for (uint64_t *entry = words_ + 1; entry < table_; entry += 1 + (*entry & 0xffffffff)) {
            ++size_;
        }
    }
    AKGEN_INLINE uint32_t GetSize() const { return size_; }
    template <class T> AKGEN_INLINE T *GetDataPtr(uint32_t index) const { return reinterpret_cast<T *>(table_[index]); }
    template <class T> AKGEN_INLINE void GetDesc(TensorDesc<T> &desc, uint32_t index) const
    {
        uint64_t *entry = words_ + 1;
        for (uint32_t i = 0; i < index; ++i) {
            entry += 1 + (*entry & 0xffffffff);
        }
        desc.dims_ = *entry & 0xffffffff;
        desc.index_ = *entry >> 32;
        desc.data_ = GetDataPtr<T>(index);
        for (uint64_t i = 0; desc.shape_ && i < desc.dims_; ++i) {
            desc.shape_[i] = entry[1 + i];
        }
    }

private:
    uint64_t *words_ = nullptr;
    uint64_t *table_ = nullptr;
    uint32_t size_ = 0;
};

} // namespace AscendC
