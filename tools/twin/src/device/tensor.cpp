// What tensors need of the runtime beside their bytes: static placement, shapes kept by number.
#include "akgen/copy.h"
#include "core.h"
#include <algorithm>
#include <cstring>

namespace akgen::twin {

View static_tensor(uint8_t position, uint32_t offset_bytes, uint32_t size_bytes)
{
    const void *pc = __builtin_return_address(0);
    const Space space = space_of_position(position);
    if (space == Space::GM || space == Space::NONE) {
        trap("WRONG_MEMORY", "LocalTensor", pc, "LocalTensor: the position names no on-chip memory.");
    }
    Region &region = region_of(space);
    if (uint64_t{offset_bytes} + size_bytes > region.size_bytes) {
        trap("UB_OVERFLOW", "LocalTensor", pc, "LocalTensor: bytes %u to %llu of %s, which has %u bytes.", offset_bytes,
             static_cast<unsigned long long>(uint64_t{offset_bytes} + size_bytes), space_name(space),
             region.size_bytes);
    }
    region.static_bytes = std::max(region.static_bytes, offset_bytes + size_bytes);
    return {region.begin + offset_bytes, size_bytes};
}

uint16_t keep_shape(const void *info, uint32_t info_bytes)
{
    require_guest("SetShapeInfo", __builtin_return_address(0), info, info_bytes, false);
    self->guest.work += info_bytes / 8;
    const auto *bytes = static_cast<const uint8_t *>(info);
    const auto [found, is_new] = self->shape_numbers.try_emplace({bytes, bytes + info_bytes});
    if (is_new) {
        if (self->shapes.size() == UINT16_MAX) {
            trap("SHAPE_INFO", "SetShapeInfo", __builtin_return_address(0),
                 "SetShapeInfo: more than 65535 different shapes.");
        }
        self->shapes.push_back(&found->first);
        found->second = static_cast<uint16_t>(self->shapes.size());
    }
    return found->second;
}

void recall_shape(uint16_t index, void *info, uint32_t info_bytes)
{
    if (index > 0 && index <= self->shapes.size() && info_bytes <= self->shapes[index - 1]->size()) {
        require_guest("GetShapeInfo", __builtin_return_address(0), info, info_bytes, true);
        self->guest.work += info_bytes / 8;
        std::memcpy(info, self->shapes[index - 1]->data(), info_bytes);
    }
}

} // namespace akgen::twin
