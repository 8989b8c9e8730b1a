#ifndef AKGEN_EXE_GRAPH_TILING_DATA_H
#define AKGEN_EXE_GRAPH_TILING_DATA_H
#include "graph/types.h"

namespace gert {

// The bytes that the kernel receives as its tiling argument.
class AKGEN_HOST_API TilingData {
public:
    TilingData(void *data, size_t capacity) : data_(data), capacity_(capacity) {}
    size_t GetCapacity() const { return capacity_; }
    size_t GetDataSize() const { return size_; }
    void SetDataSize(size_t size) { size_ = size; }
    const void *GetData() const { return data_; }
    void *GetData() { return data_; }
    template <class T> ge::graphStatus Append(const T &value)
    {
        if (size_ + sizeof(T) > capacity_) {
            return 0xFFFFFFFFU;
        }
        std::memcpy(static_cast<uint8_t *>(data_) + size_, &value, sizeof(T));
        size_ += sizeof(T);
        return 0U;
    }

private:
    void *data_;
    size_t capacity_;
    size_t size_ = 0;
};

} // namespace gert
#endif
