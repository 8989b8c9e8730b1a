// The documented functions that make what an operator's entry takes.
#include "nnopbase.h"

extern "C" {
aclTensor *aclCreateTensor(const int64_t *dims, uint64_t rank, int type, const int64_t *strides, int64_t, int format,
                           const int64_t *, uint64_t, void *data)
{
    return new aclTensor{{dims, dims + rank}, {strides, strides + rank}, type, format, data};
}
aclTensorList *aclCreateTensorList(aclTensor *const *parts, uint64_t size)
{
    return new aclTensorList{{parts, parts + size}};
}
aclIntArray *aclCreateIntArray(const int64_t *values, uint64_t size) { return new aclIntArray{{values, values + size}}; }
aclFloatArray *aclCreateFloatArray(const float *values, uint64_t size)
{
    return new aclFloatArray{{values, values + size}};
}
aclBoolArray *aclCreateBoolArray(const bool *values, uint64_t size) { return new aclBoolArray{std::vector<bool>(values, values + size)}; }
}
