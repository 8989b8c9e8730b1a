// On-chip memories of a core, the map from addresses to memories, and checked scalar access.
#include "akgen/memory.h"
#include "chip.h"
#include "core.h"
#include <algorithm>
#include <cstring>
#include <cwchar>
#include <stdexcept>
#include <sys/mman.h>

namespace akgen::twin {

namespace {
uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }
} // namespace

// Memories lie one after another with unmapped addresses between, so that a stray pointer faults.
void take_arena(Core &core)
{
    const char *const keys[local_spaces] = {"ub_size",  "l1_size", "l0a_size", "l0b_size",
                                            "l0c_size", "bt_size", "fb_size"};
    const Chip &chip = *launch->chip;
    uint64_t total = page_bytes;
    for (const char *key : keys) {
        total += round_up(chip.bytes(key), page_bytes) + overflow_bytes;
    }
    auto &spare = launch->spare_arenas[core.cube];
    const bool used = !spare.empty();
    if (used) {
        core.arena = spare.back().begin;
        spare.pop_back();
    } else {
        void *memory = mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            throw std::runtime_error("no memory for the on-chip buffers of a core");
        }
        core.arena = static_cast<uint8_t *>(memory);
    }
    core.arena_bytes = total;
    core.matmul = core.tscm = false;
    uint8_t *next = core.arena + page_bytes;
    for (int i = 0; i < local_spaces; ++i) {
        Region &region = core.regions[i];
        region.size_bytes = chip.bytes(keys[i]);
        region.begin = next;
        const uint64_t whole = round_up(region.size_bytes, page_bytes);
        next += whole + overflow_bytes;
        const bool mine = core.cube ? i != 0 : i == 0; // vector cores have the Unified Buffer, cube cores the rest
        if (mine && used && core.cube) {
            madvise(region.begin, whole, MADV_DONTNEED); // zeros again
        } else if (mine && !used) {
            mprotect(region.begin, whole, PROT_READ | PROT_WRITE);
            if (i == 0) {
                have_pages(region.begin, whole);
            }
        }
        if (mine) {
            core.hazards.watch(i, region.size_bytes, launch->spare_numbers);
        }
        if (i == 0 && mine) {
            // NaN in every floating-point type, and none that an output holds before it is written.
            std::wmemset(reinterpret_cast<wchar_t *>(region.begin), static_cast<wchar_t>(0xfffefffe),
                         region.size_bytes / sizeof(wchar_t));
        }
    }
}

void give_arena(Core &core)
{
    if (core.arena) {
        launch->spare_arenas[core.cube].push_back({core.arena, core.arena_bytes});
        core.arena = nullptr;
        core.hazards.end();
    }
}

Space space_of_position(uint8_t position)
{
    // GM A1 A2 B1 B2 C1 C2 CO1 CO2 VECIN VECOUT VECCALC SPM TSCM C2PIPE2GM C2PIPE2LOCAL
    static const Space spaces[] = {Space::GM, Space::L1,  Space::L0A, Space::L1, Space::L0B, Space::L1,
                                   Space::BT, Space::L0C, Space::GM,  Space::UB, Space::UB,  Space::UB,
                                   Space::L1, Space::L1,  Space::FB,  Space::FB};
    return position < sizeof spaces / sizeof spaces[0] ? spaces[position] : Space::NONE;
}

Region &region_of(Space space) { return self->regions[static_cast<int>(space) - static_cast<int>(Space::UB)]; }

// What a vector core keeps in the L1 of its block's cube core has its addresses here, and memory from its first use on.
void open_tscm(const char *api, const void *pc)
{
    if (self->cube || self->tscm) {
        return;
    }
    uint64_t taken = region_of(Space::L1).taken_bytes;
    for (const auto &core : launch->cores) {
        taken += core->tscm && core->block == self->block
                     ? core->regions[static_cast<int>(Space::L1) - static_cast<int>(Space::UB)].taken_bytes
                     : 0;
    }
    Region &region = region_of(Space::L1);
    if (!self->matmul) {
        trap("WRONG_MEMORY", api, pc,
             "%s: vector core %s has no access to L1 but for operands of a Matmul object, and has none.", api,
             self->name.c_str());
    }
    if (taken > region.size_bytes) {
        trap("UB_OVERFLOW", api, pc, "%s: the vector cores of block %u take %llu bytes of L1, which has %u.", api,
             self->block, static_cast<unsigned long long>(taken), region.size_bytes);
    }
    const uint64_t whole = round_up(region.size_bytes, page_bytes);
    mprotect(region.begin, whole, PROT_READ | PROT_WRITE);
    madvise(region.begin, whole, MADV_DONTNEED);
    self->hazards.watch(static_cast<int>(Space::L1) - static_cast<int>(Space::UB), region.size_bytes,
                        launch->spare_numbers);
    self->tscm = true;
}

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
} // namespace

const GmBuffer &require_global(const char *api, const void *pc, const uint8_t *begin, uint64_t bytes, bool write)
{
    const GmBuffer *buffer = buffer_of(begin);
    if (!buffer) {
        outside_global(api, pc, begin, bytes, write);
    }
    const auto offset = static_cast<uint64_t>(begin - buffer->data);
    if (offset + bytes <= buffer->allowed_bytes) {
        return *buffer;
    }
    const bool starts_inside = offset < buffer->padded_bytes;
    if (!starts_inside || (write && offset + bytes > buffer->padded_bytes)) {
        outside_global(api, pc, begin, bytes, write);
    }
    remark("GM_PADDING", api, pc, "%s: %llu bytes are %s at byte %llu of '%s', which has %llu bytes; the rest is %s.",
           api, static_cast<unsigned long long>(bytes), write ? "written" : "read",
           static_cast<unsigned long long>(offset), buffer->name.c_str(),
           static_cast<unsigned long long>(buffer->size_bytes), write ? "the allocator's padding" : "undefined");
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
    if (begin + limit < region.begin + std::max(region.taken_bytes, region.static_bytes) && !harmless) {
        trap("TENSOR_RANGE", api, pc, "%s: %s %llu bytes of a tensor whose buffer ends after %u bytes.", api, verb,
             static_cast<unsigned long long>(bytes), limit);
    }
    remark("TENSOR_RANGE", api, pc,
           "%s: %s %llu bytes of a tensor whose buffer ends after %u bytes; harmless, if it is meant.", api, verb,
           static_cast<unsigned long long>(bytes), limit);
}

uint8_t *local_scalar(uint8_t *data, uint64_t offset_bytes, uint32_t bytes, uint32_t limit_bytes, bool write)
{
    const void *pc = __builtin_return_address(0);
    const char *api = write ? "SetValue" : "GetValue";
    self->last_pc = pc;
    uint8_t *address = data + offset_bytes;
    const Place place = place_of(address);
    if (!place.region) {
        trap("TENSOR_RANGE", api, pc, "%s: the tensor lies in no on-chip memory; was it allocated?", api);
    }
    require_in_buffer(api, pc, *place.region, data, offset_bytes + bytes, limit_bytes, write);
    Hazards &hazards = self->hazards;
    hazards.begin(Pipe::S, launch->auto_sync);
    const int region = static_cast<int>(place.space) - static_cast<int>(Space::UB);
    const auto conflict = hazards.access(region, static_cast<uint32_t>(address - place.region->begin), bytes, write);
    after_hazard(conflict, api, pc, place);
    const uint32_t at = static_cast<uint32_t>(so_offset(pc));
    log_auto_waits(at);
    self->log.scalar(at, false);
    return address;
}

uint8_t *global_scalar(uint8_t *address, uint32_t bytes, bool write)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    const char *api = write ? "GlobalTensor::SetValue" : "GlobalTensor::GetValue";
    launch->global->scalar(address, bytes, write, require_global(api, pc, address, bytes, write), pc);
    self->log.scalar(static_cast<uint32_t>(so_offset(pc)), true);
    return address;
}

uint8_t *global_scalar_direct(uint8_t *address, uint32_t bytes, bool write)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    const char *api = write ? "WriteGmByPassDCache" : "ReadGmByPassDCache";
    launch->global->scalar(address, bytes, write, require_global(api, pc, address, bytes, write), pc);
    if (write) {
        launch->global->clean(*self, address, false);
    }
    self->log.scalar(static_cast<uint32_t>(so_offset(pc)), true);
    return address;
}

void cache_hint(const uint8_t *address, bool on)
{
    if (const GmBuffer *buffer = buffer_of(address)) {
        launch->footprint->bypass(*buffer, !on);
    }
}

void set_nibble(uint8_t *data, uint64_t index, uint8_t value, uint32_t limit_bytes)
{
    if (limit_bytes && index / 2 >= limit_bytes) {
        trap("TENSOR_RANGE", "SetValue", __builtin_return_address(0),
             "SetValue: element %llu of a tensor of %u elements.", static_cast<unsigned long long>(index),
             limit_bytes * 2);
    }
    const int shift = index % 2 ? 4 : 0;
    data[index / 2] = static_cast<uint8_t>((data[index / 2] & (0xf0 >> shift)) | ((value & 0xf) << shift));
}

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
    auto &shapes = self->shapes;
    const auto *bytes = static_cast<const uint8_t *>(info);
    std::vector<uint8_t> wanted(bytes, bytes + info_bytes);
    const auto found = std::find(shapes.begin(), shapes.end(), wanted);
    if (found != shapes.end()) {
        return static_cast<uint16_t>(found - shapes.begin() + 1);
    }
    if (shapes.size() == UINT16_MAX) {
        trap("SHAPE_INFO", "SetShapeInfo", __builtin_return_address(0),
             "SetShapeInfo: more than 65535 different shapes.");
    }
    shapes.push_back(std::move(wanted));
    return static_cast<uint16_t>(shapes.size());
}

void recall_shape(uint16_t index, void *info, uint32_t info_bytes)
{
    if (index > 0 && index <= self->shapes.size()) {
        std::memcpy(info, self->shapes[index - 1].data(), info_bytes);
    }
}

} // namespace akgen::twin
