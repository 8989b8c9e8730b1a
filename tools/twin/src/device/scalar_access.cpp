// Single elements of tensors: what GetValue, SetValue and references check and count.
#include "akgen/copy.h"
#include "core.h"

namespace akgen::twin {

namespace {
// Where an element lies; a trap if that is in no on-chip memory or past its tensor's buffer.
Place place_of_element(const char *api, const void *pc, uint8_t *data, uint64_t offset_bytes, uint32_t bytes,
                       uint32_t limit_bytes, bool write)
{
    self->last_pc = pc;
    const Place place = place_of(data + offset_bytes);
    if (!place.region) {
        trap("TENSOR_RANGE", api, pc, "%s: the tensor lies in no on-chip memory; was it allocated?", api);
    }
    require_in_buffer(api, pc, *place.region, data, offset_bytes + bytes, limit_bytes, write);
    return place;
}

uint8_t *scalar_of_element(const char *api, const void *pc, const Place &place, uint8_t *address, uint32_t bytes,
                           bool write)
{
    RaceDetector &detector = self->detector;
    detector.begin(Pipe::S, launch->auto_sync);
    const int region = static_cast<int>(place.space) - static_cast<int>(Space::UB);
    const auto conflict = detector.access(region, static_cast<uint32_t>(address - place.region->begin), bytes, write);
    after_conflict(conflict, api, pc, place);
    const uint32_t at = static_cast<uint32_t>(so_offset(pc));
    log_auto_waits(at);
    self->log.scalar(at, scalar_local);
    grant(address, bytes, write);
    return address;
}
} // namespace

uint8_t *local_scalar(uint8_t *data, uint64_t offset_bytes, uint32_t bytes, uint32_t limit_bytes, bool write)
{
    const void *pc = __builtin_return_address(0);
    const char *api = write ? "SetValue" : "GetValue";
    const Place place = place_of_element(api, pc, data, offset_bytes, bytes, limit_bytes, write);
    return scalar_of_element(api, pc, place, data + offset_bytes, bytes, write);
}

void set_nibble(uint8_t *data, uint64_t index, uint8_t value, uint32_t limit_bytes)
{
    const void *pc = __builtin_return_address(0);
    const char *api = "SetValue";
    const Place place = place_of_element(api, pc, data, index / 2, 1, limit_bytes, true);
    uint8_t &pair = *scalar_of_element(api, pc, place, data + index / 2, 1, true);
    const int shift = index % 2 ? 4 : 0;
    pair = static_cast<uint8_t>((pair & (0xf0 >> shift)) | ((value & 0xf) << shift));
}

uint8_t *local_reference(uint8_t *data, uint64_t offset_bytes, uint32_t bytes, uint32_t limit_bytes)
{
    const void *pc = __builtin_return_address(0);
    const char *api = "LocalTensor::operator()";
    const Place place = place_of_element(api, pc, data, offset_bytes, bytes, limit_bytes, false);
    return launch->guest ? data + offset_bytes : scalar_of_element(api, pc, place, data + offset_bytes, bytes, true);
}

void access_global(const char *api, const void *pc, const uint8_t *address, uint32_t bytes, bool write, bool cached)
{
    const GmBuffer &buffer = require_global(api, pc, address, bytes, write);
    launch->global->scalar(address, bytes, write, buffer, pc);
    if (write && cached && launch->written_lines && !buffer.variables) { // few answers keep their cores' lines apart
        launch->written_lines->write(const_cast<uint8_t *>(address), bytes, pc);
    }
    const uint64_t there = buffer.device_address + static_cast<uint64_t>(address - buffer.data);
    self->log.scalar(static_cast<uint32_t>(so_offset(pc)), scalar_global, !cached || !self->data_cache.has(there));
}

uint8_t *global_scalar(uint8_t *address, uint32_t bytes, bool write)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    access_global(write ? "GlobalTensor::SetValue" : "GlobalTensor::GetValue", pc, address, bytes, write, true);
    grant(address, bytes, write);
    return address;
}

uint8_t *global_reference(uint8_t *address, uint32_t bytes)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (!launch->guest) {
        const GmBuffer *buffer = place_of(address).buffer;
        access_global("GlobalTensor::operator()", pc, address, bytes, !buffer || !buffer->read_only, true);
    }
    return address;
}

uint8_t *global_scalar_direct(uint8_t *address, uint32_t bytes, bool write)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    require_global(write ? "WriteGmByPassDCache" : "ReadGmByPassDCache", pc, address, bytes, write);
    if (!write) {
        look_for_others();
        launch->global->direct(*self, address, false);
    }
    access_global(write ? "WriteGmByPassDCache" : "ReadGmByPassDCache", pc, address, bytes, write, false);
    if (write) {
        launch->global->direct(*self, address, true, self->detector.before(Pipe::S, Pipe::MTE3));
    }
    grant(address, bytes, write);
    return address;
}

} // namespace akgen::twin
