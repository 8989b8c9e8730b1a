#ifndef AKGEN_EXE_GRAPH_CONTINUOUS_VECTOR_H
#define AKGEN_EXE_GRAPH_CONTINUOUS_VECTOR_H
#include "akgen/host_api.h"

namespace gert {

// A list attribute's values.
class ContinuousVector {
public:
    ContinuousVector() = default;
    ContinuousVector(const void *data, size_t size) : data_(data), size_(size) {}
    size_t GetSize() const { return size_; }
    size_t GetCapacity() const { return size_; }
    const void *GetData() const { return data_; }

protected:
    const void *data_ = nullptr;
    size_t size_ = 0;
};

template <class T> class TypedContinuousVector : public ContinuousVector {
public:
    using ContinuousVector::ContinuousVector;
    const T *GetData() const { return static_cast<const T *>(data_); }
};

// A list of lists.
class ContinuousVectorVector {
public:
    size_t GetSize() const { return rows_.size(); }
    const ContinuousVector *Get(size_t i) const { return i < rows_.size() ? &rows_[i] : nullptr; }
    void Append(const ContinuousVector &row) { rows_.push_back(row); }

private:
    std::vector<ContinuousVector> rows_;
};

} // namespace gert
#endif
