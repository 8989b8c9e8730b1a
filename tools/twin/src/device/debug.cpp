// What a kernel says: assertions and dumps; and the tiling data that it reads.
#include "akgen/debug.h"
#include "core.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace akgen::twin {

namespace {
template <typename T> std::string numbers(const uint8_t *data, uint64_t count, const char *format)
{
    std::string text;
    for (uint64_t i = 0; i < count; ++i) {
        T value;
        std::memcpy(&value, data + i * sizeof(T), sizeof(T));
        char word[48];
        std::snprintf(word, sizeof word, format, static_cast<double>(value));
        text += word;
    }
    return text;
}
} // namespace

void assert_failed(const char *condition, const char *file, uint32_t line)
{
    constexpr uint64_t most = 1024; // bytes that a finding shows
    const void *pc = __builtin_return_address(0);
    require_guest_text("ASSERT", pc, condition, most);
    require_guest_text("ASSERT", pc, file, most);
    const char *base = std::strrchr(file, '/');
    trap("KERNEL_ASSERT", "ASSERT", pc, "ASSERT(%s) failed at %s:%u.", condition, base ? base + 1 : file, line);
}

void dump(const uint8_t *data, DType dtype, uint64_t count, uint32_t tag)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    const uint64_t bytes = count * dtype_bytes(dtype);
    const Place place = place_of(data);
    if (count > UINT64_MAX / sizeof(uint64_t)) {
        trap("TENSOR_RANGE", "DumpTensor", pc, "DumpTensor: no tensor has so many elements.");
    }
    if (place.region ? data + bytes > place.region->begin + place.region->size_bytes : false) {
        trap("TENSOR_RANGE", "DumpTensor", pc, "DumpTensor: %llu bytes reach past the end of %s.",
             static_cast<unsigned long long>(bytes), space_name(place.space));
    }
    if (!place.region) {
        require_global("DumpTensor", pc, data, bytes, false);
    }
    const uint64_t shown = count < 64 ? count : 64;
    std::string text =
        "DumpTensor " + std::to_string(tag) + " " + dtype_name(dtype) + "[" + std::to_string(count) + "]:";
    switch (dtype) {
    case DType::F32: text += numbers<float>(data, shown, " %g"); break;
    case DType::F16: text += numbers<_Float16>(data, shown, " %g"); break;
    case DType::I8: text += numbers<int8_t>(data, shown, " %.0f"); break;
    case DType::U8: text += numbers<uint8_t>(data, shown, " %.0f"); break;
    case DType::I16: text += numbers<int16_t>(data, shown, " %.0f"); break;
    case DType::U16: text += numbers<uint16_t>(data, shown, " %.0f"); break;
    case DType::I32: text += numbers<int32_t>(data, shown, " %.0f"); break;
    case DType::U32: text += numbers<uint32_t>(data, shown, " %.0f"); break;
    case DType::I64: text += numbers<int64_t>(data, shown, " %.0f"); break;
    default: text += " (not shown)";
    }
    say(text);
}

void read_tiling(void *into, const uint8_t *from, uint64_t bytes)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    const GmBuffer *tiling = from ? place_of(from).buffer : nullptr;
    if (!tiling) {
        trap("TILING_DATA", "GET_TILING_DATA", pc, "GET_TILING_DATA: the host passed no tiling data at this address.");
    }
    const uint64_t offset = static_cast<uint64_t>(from - tiling->data);
    const uint64_t have = offset < tiling->size_bytes ? tiling->size_bytes - offset : 0;
    if (bytes > have) {
        trap("TILING_DATA", "GET_TILING_DATA", pc,
             "GET_TILING_DATA: the kernel reads %llu bytes of tiling data and the host wrote %llu; the two structures "
             "differ.",
             static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(have));
    }
    require_guest("GET_TILING_DATA", pc, into, bytes, true);
    constexpr uint64_t word = 8; // the scalar unit's
    for (uint64_t at = 0; tiling->name != "tiling" && at < bytes; at += word) {
        access_global("GET_TILING_DATA", pc, from + at, static_cast<uint32_t>(std::min(word, bytes - at)), false, true);
    }
    std::memcpy(into, from, bytes);
}

void kernel_trap() { trap("KERNEL_ABORT", "Trap", __builtin_return_address(0), "The kernel called Trap."); }

} // namespace akgen::twin
