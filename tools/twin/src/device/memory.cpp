// The map from addresses to memories, checks of ranges and alignment.
#include "akgen/copy.h"
#include "core.h"
#include <algorithm>
#include <cstring>
#include <cwchar>

namespace akgen::twin {

namespace {
const GmBuffer *buffer_of(const uint8_t *address)
{
    const auto &buffers = launch->buffers; // sorted by address
    if (self->last_buffer && self->last_buffer->holds(address)) {
        return self->last_buffer;
    }
    const auto after = std::upper_bound(buffers.begin(), buffers.end(), address,
                                        [](const uint8_t *a, const GmBuffer &b) { return a < b.data; });
    if (after == buffers.begin() || !std::prev(after)->holds(address)) {
        return nullptr;
    }
    self->last_buffer = &*std::prev(after);
    return self->last_buffer;
}
} // namespace

Place place_of(const uint8_t *address)
{
    if (address >= self->arena && address < self->arena + self->arena_bytes) {
        for (int i = 0; i < local_spaces; ++i) {
            if (self->regions[i].holds(address)) {
                return {static_cast<Space>(i + 1), &self->regions[i], nullptr};
            }
        }
        return {};
    }
    if (const GmBuffer *buffer = buffer_of(address)) {
        return {Space::GM, nullptr, buffer};
    }
    return {};
}

Space space_of(const void *address)
{
    const auto *at = static_cast<const uint8_t *>(address);
    for (int i = 0; i < local_spaces; ++i) {
        if (self->regions[i].holds_overflow(at)) {
            return static_cast<Space>(i + 1); // a buffer that did not fit; issue() says so
        }
    }
    return place_of(at).space;
}

void require_aligned(const char *api, const void *pc, const char *operand, const View &v, uint32_t bytes)
{
    if (reinterpret_cast<uint64_t>(v.data) % bytes == 0) {
        return;
    }
    const Place place = place_of(v.data);
    const char *code = place.space == Space::UB   ? "UB_ALIGNMENT"
                       : place.space == Space::L1 ? "L1_ALIGNMENT"
                                                  : "L0_ALIGNMENT";
    const uint64_t offset = place.region ? static_cast<uint64_t>(v.data - place.region->begin) : 0;
    trap(code, api, pc, "%s: operand %s starts at byte %llu of %s, which is not a multiple of %u.", api, operand,
         static_cast<unsigned long long>(offset), space_name(place.space), bytes);
}

namespace {
[[noreturn]] void outside_global(const char *api, const void *pc, const uint8_t *begin, uint64_t bytes, bool write)
{
    const char *verb = write ? "written" : "read";
    if (!begin) {
        trap("NULL_POINTER", api, pc, "%s: global memory is %s through a null pointer.", api, verb);
    }
    for (int i = 0; i < local_spaces; ++i) {
        const Region &region = self->regions[i];
        if (region.holds_overflow(begin)) {
            trap("UB_OVERFLOW", api, pc,
                 "%s: the tensor lies behind the end of %s, which has %u bytes, of which InitBuffer took %u.", api,
                 space_name(static_cast<Space>(i + 1)), region.size_bytes, region.taken_bytes);
        }
    }
    if (self->arena <= begin && begin < self->arena + self->arena_bytes) {
        trap("WRONG_MEMORY", api, pc, "%s: an on-chip address is given where global memory is meant.", api);
    }
    const GmBuffer *nearest = nullptr;
    int64_t offset = 0;
    for (const GmBuffer &buffer : launch->buffers) {
        const int64_t distance = begin - buffer.data;
        const int64_t past = distance - static_cast<int64_t>(buffer.size_bytes);
        const int64_t away = distance < 0 ? -distance : past;
        const int64_t best = offset < 0 ? -offset
                             : nearest  ? offset - static_cast<int64_t>(nearest->size_bytes)
                                        : INT64_MAX;
        if (!nearest || away < best) {
            nearest = &buffer;
            offset = distance;
        }
    }
    trap("GM_OVERRUN", api, pc, "%s: %llu bytes are %s at byte %lld of '%s', which has %llu bytes.", api,
         static_cast<unsigned long long>(bytes), verb, static_cast<long long>(offset),
         nearest ? nearest->name.c_str() : "nothing",
         static_cast<unsigned long long>(nearest ? nearest->size_bytes : 0));
}

// Whether it moves the bytes that it names, and not the whole blocks of 32 that they lie in.
bool moves_bytes(const char *api)
{
    for (const char *exact : {"DataCopyPad", "pointer access", "GlobalTensor::GetValue", "GlobalTensor::SetValue"}) {
        if (std::strcmp(api, exact) == 0) {
            return true;
        }
    }
    return false;
}

// What a device's allocator gives for a tensor: 32 bytes more, in units of 512.
uint64_t padded_bytes(uint64_t size) { return (size + 32 + 511) / 512 * 512; }
} // namespace

const GmBuffer &require_global(const char *api, const void *pc, const uint8_t *begin, uint64_t bytes, bool write)
{
    const GmBuffer *buffer = buffer_of(begin);
    if (!buffer) {
        outside_global(api, pc, begin, bytes, write);
    }
    const auto offset = static_cast<uint64_t>(begin - buffer->data);
    const uint64_t end = moves_bytes(api) ? buffer->size_bytes : buffer->allowed_bytes;
    if (offset > end || bytes > end - offset) {
        const uint64_t padded = padded_bytes(buffer->size_bytes);
        if (write || offset > padded || bytes > padded - offset) {
            outside_global(api, pc, begin, bytes, write);
        }
        warn(
            "GM_OVERRUN", api, pc,
            "%s: %llu bytes are read at byte %llu of '%s', which has %llu bytes; the rest is what a device's allocator "
            "leaves behind it.",
            api, static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(offset), buffer->name.c_str(),
            static_cast<unsigned long long>(buffer->size_bytes));
    }
    if (write && buffer->read_only) {
        trap("INPUT_OVERWRITTEN", api, pc, "%s: %llu bytes are written at byte %llu of '%s', which is an input.", api,
             static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(offset), buffer->name.c_str());
    }
    buffer->stored_bytes += write ? bytes : 0;
    return *buffer;
}

void fetch(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
    const GmBuffer *buffer = buffer_of(from);
    const uint64_t there = buffer ? static_cast<uint64_t>(buffer->data + buffer->mapped_bytes - from) : 0;
    const uint64_t valid = bytes < there ? bytes : there;
    std::memcpy(to, from, valid);
    std::memset(to + valid, 0xff, bytes - valid);
}

void require_in_buffer(const char *api, const void *pc, const Region &region, const uint8_t *begin, uint64_t bytes,
                       uint32_t limit, bool write, bool harmless)
{
    if (limit == 0 || bytes <= limit) {
        return;
    }
    const char *verb = write ? "writes" : "reads";
    const auto reach = static_cast<unsigned long long>(bytes);
    // A device knows no buffers: it goes on with the neighbour's bytes, and so does the twin.
    if (begin + limit < region.begin + std::max(region.taken_bytes, region.static_bytes) && !harmless) {
        warn("TENSOR_RANGE", api, pc, "%s: %s %llu bytes of a tensor whose buffer ends after %u bytes.", api, verb,
             reach, limit);
    } else {
        remark("TENSOR_RANGE", api, pc,
               "%s: %s %llu bytes of a tensor whose buffer ends after %u bytes; harmless, if it is meant.", api, verb,
               reach, limit);
    }
}

void cache_hint(const uint8_t *address, bool on)
{
    if (const GmBuffer *buffer = buffer_of(address)) {
        launch->footprint->bypass(*buffer, !on);
    }
}

} // namespace akgen::twin
