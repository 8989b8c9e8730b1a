#ifndef AKGEN_EXE_GRAPH_RUNTIME_ATTRS_H
#define AKGEN_EXE_GRAPH_RUNTIME_ATTRS_H
#include "exe_graph/runtime/continuous_vector.h"

namespace gert {

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
