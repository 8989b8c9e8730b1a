#include "convert.h"
#include "operand.h"
#include "vector/state.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace akgen::twin {

Scale scale_of(uint64_t word)
{
    const auto offset = static_cast<int32_t>(word >> 37 & 0x1ff);
    return {bits_to_float(static_cast<uint32_t>(word) & 0xffffe000u), offset >= 256 ? offset - 512 : offset,
            (word >> 46 & 1) != 0};
}

bool by_column(uint8_t quant)
{
    return quant == float_to_8_by_column || quant == int_to_half_by_column || quant == int_to_8_by_column;
}

bool converts(uint8_t quant, DType to, DType from)
{
    const bool byte = to == DType::I8 || to == DType::U8;
    switch (quant) {
    case no_quant: return to == from && (from == DType::F32 || from == DType::I32);
    case float_to_half: return from == DType::F32 && to == DType::F16;
    case float_to_brain_16: return from == DType::F32 && to == DType::BF16;
    case float_to_8:
    case float_to_8_by_column: return from == DType::F32 && byte;
    case int_to_half:
    case int_to_half_by_column: return from == DType::I32 && to == DType::F16;
    case int_to_8:
    case int_to_8_by_column: return from == DType::I32 && byte;
    default: return false;
    }
}

namespace {
template <typename T> void put(uint8_t *to, T value) { std::memcpy(to, &value, sizeof value); }

void put_8(uint8_t *to, float value, const Scale &scale, DType type)
{
    const float rounded = std::nearbyint(value * scale.factor) + static_cast<float>(scale.offset);
    if (type == DType::U8) {
        put(to, static_cast<uint8_t>(std::min(255.0f, std::max(0.0f, rounded))));
    } else {
        put(to, static_cast<int8_t>(std::min(127.0f, std::max(-128.0f, rounded))));
    }
}

// Half and bfloat16_t end at their largest numbers where bit 48 of the control register says so.
float limited(float value, float most)
{
    return !vector_state().saturate_floats ? value : std::isnan(value) ? 0.0f : std::clamp(value, -most, most);
}
_Float16 to_half(float value) { return static_cast<_Float16>(limited(value, 65504.0f)); }
} // namespace

void saturate_sums(float *sums, uint64_t count)
{
    if (!vector_state().saturate_floats) {
        return;
    }
    for (uint64_t i = 0; i < count; ++i) {
        sums[i] = limited(sums[i], std::numeric_limits<float>::max());
    }
}

void convert_sum(uint8_t *to, const uint8_t *from, uint8_t quant, bool relu, const Scale &scale, DType type)
{
    if (quant == no_quant && type == DType::I32) {
        int32_t value;
        std::memcpy(&value, from, 4);
        return put(to, relu && value < 0 ? 0 : value);
    }
    float value;
    if (quant == int_to_half || quant == int_to_half_by_column || quant == int_to_8 || quant == int_to_8_by_column) {
        int32_t whole;
        std::memcpy(&whole, from, 4);
        value = static_cast<float>(whole);
    } else {
        std::memcpy(&value, from, 4);
    }
    value = relu && value < 0 ? 0.0f : value;
    switch (quant) {
    case no_quant: return put(to, limited(value, std::numeric_limits<float>::max()));
    case float_to_half: return put(to, to_half(value));
    case float_to_brain_16: return put(to, float_to_brain(limited(value, bits_to_float(0x7f7f0000))));
    case int_to_half:
    case int_to_half_by_column: return put(to, to_half(value * scale.factor));
    default: return put_8(to, value, scale, type);
    }
}

} // namespace akgen::twin
