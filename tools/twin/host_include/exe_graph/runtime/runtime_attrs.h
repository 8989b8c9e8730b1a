// Attributes of a call, lists among them.
#ifndef AKGEN_EXE_GRAPH_RUNTIME_ATTRS_H
#define AKGEN_EXE_GRAPH_RUNTIME_ATTRS_H
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

// A call's attributes by their index in the OpDef. Integers are int64_t, floats float, strings char[].
class AKGEN_HOST_API RuntimeAttrs {
public:
    explicit RuntimeAttrs(const akgen::host::Node *node) : node_(node) {}
    template <class T> const T *GetAttrPointer(size_t index) const { return static_cast<const T *>(Address(index)); }
    const int64_t *GetInt(size_t index) const { return GetAttrPointer<int64_t>(index); }
    const float *GetFloat(size_t index) const { return GetAttrPointer<float>(index); }
    const bool *GetBool(size_t index) const { return GetAttrPointer<bool>(index); }
    const char *GetStr(size_t index) const { return GetAttrPointer<char>(index); }
    const TypedContinuousVector<int64_t> *GetListInt(size_t index) const
    {
        return GetAttrPointer<TypedContinuousVector<int64_t>>(index);
    }
    const TypedContinuousVector<float> *GetListFloat(size_t index) const
    {
        return GetAttrPointer<TypedContinuousVector<float>>(index);
    }
    const TypedContinuousVector<bool> *GetListBool(size_t index) const
    {
        return GetAttrPointer<TypedContinuousVector<bool>>(index);
    }
    const ContinuousVectorVector *GetListListInt(size_t index) const
    {
        return GetAttrPointer<ContinuousVectorVector>(index);
    }
    size_t GetAttrNum() const;

private:
    const void *Address(size_t index) const; // nullptr: no such attribute, or absent
    const akgen::host::Node *node_;
};

} // namespace gert
#endif
