// What the stub's tensors and arrays hold.
#pragma once
#include <cstdint>
#include <vector>

struct aclTensor {
    std::vector<int64_t> dims, strides;
    int type, format;
    void *data;
};
struct aclTensorList {
    std::vector<aclTensor *> parts;
};
struct aclIntArray {
    std::vector<int64_t> values;
};
struct aclFloatArray {
    std::vector<float> values;
};
struct aclBoolArray {
    std::vector<bool> values;
};
struct aclOpExecutor {
    std::vector<void *> arguments;
};
