// Formats of tensors, and the conversion between two of them that TransData and its host function take.
#pragma once
#include <cstdint>

namespace AscendC {

enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D };
struct TransDataConfig {
    DataFormat srcFormat;
    DataFormat dstFormat;
};

} // namespace AscendC
