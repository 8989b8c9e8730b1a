// LocalTensor::Print and ToFile: a tensor as the simulated core has it at that moment, in CPU unit tests alone.
#pragma once
#include "ascendc/tensor.h"
#ifdef ASCENDC_CPU_DEBUG
#include <algorithm>
#include <cstdio>

namespace AscendC {

// One line for each 32 bytes; two int4b_t are shown as the byte that holds them.
template <typename T> void LocalTensor<T>::Print(uint32_t len) const
{
    using Shown = std::conditional_t<std::is_same_v<PrimType, int4b_t>, uint8_t, PrimType>;
    constexpr uint32_t in_line = 32 / sizeof(Shown);
    const uint64_t bytes = std::min<uint64_t>(detail::storage_bytes<PrimType>(len), address_.limit);
    const Shown *values = reinterpret_cast<const Shown *>(address_.data);
    for (uint32_t i = 0; i < bytes / sizeof(Shown); ++i) {
        const char *end = (i + 1) % in_line == 0 ? "\n" : " ";
        if constexpr (std::is_integral_v<Shown>) {
            std::printf("%lld%s", static_cast<long long>(values[i]), end);
        } else {
            std::printf("%g%s", static_cast<double>(static_cast<float>(values[i])), end);
        }
    }
    std::printf("\n");
}

template <typename T> void LocalTensor<T>::ToFile(const std::string &fileName) const
{
    if (std::FILE *file = std::fopen(fileName.c_str(), "wb")) {
        std::fwrite(address_.data, 1, std::min(address_.dataLen, address_.limit), file);
        std::fclose(file);
    } else {
        std::perror(fileName.c_str());
    }
}

} // namespace AscendC
#endif
