#include "guest.h"
#include "core.h"
#include "guest_calls.h"
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace akgen::twin {

static_assert(offsetof(GuestContext, stack_low) == guest_low && offsetof(GuestContext, stack_high) == guest_high &&
              offsetof(GuestContext, work) == guest_work && offsetof(GuestContext, ends) == guest_ends &&
              offsetof(GuestContext, shadow_end) == guest_shadow_end && offsetof(GuestContext, host_stack) == 64);

namespace {
constexpr uint64_t kernel_stack_bytes =
    32 << 10; // a core's by default, as the driver says; below, the runtime has the rest of the thread's
constexpr uint64_t stack_gap = 128 << 10; // above: nothing is there that an offset from the stack pointer could reach

bool inside(uint64_t begin, uint64_t bytes, uint64_t low, uint64_t high)
{
    return begin >= low && begin < high && bytes <= high - begin;
}

uint64_t thread_base() { return reinterpret_cast<uint64_t>(__builtin_thread_pointer()); }

// What costs nothing: the stack, and what is compiled in. Variables that outlive a call lie in global memory.
bool free_memory(uint64_t begin, uint64_t bytes, bool write)
{
    const GuestContext &guest = self->guest;
    const GuestImage &image = *launch->guest;
    return inside(begin, bytes, guest.stack_low, guest.stack_high) ||
           (image.of_core_bytes > 0 &&
            inside(begin, bytes, thread_base() + static_cast<uint64_t>(image.of_core),
                   thread_base() + static_cast<uint64_t>(image.of_core) + image.of_core_bytes)) ||
           (!write && inside(begin, bytes, image.read_begin, image.read_end) &&
            (begin >= image.write_end || begin + bytes <= image.write_begin));
}

bool own_memory(uint64_t begin, uint64_t bytes, bool write)
{
    return free_memory(begin, bytes, write) ||
           inside(begin, bytes, launch->guest->write_begin, launch->guest->write_end);
}

// An access of the kernel's own code to a tensor's memory: one scalar access of the chip.
void tensor_access(uint8_t *address, uint64_t bytes, bool write, const void *pc)
{
    const char *api = "pointer access";
    const Place place = place_of(address);
    if (!place.region && !place.buffer) {
        pointer_fault(reinterpret_cast<uint64_t>(address), pc);
    }
    if (place.buffer) {
        access_global(api, pc, address, static_cast<uint32_t>(bytes), write, true);
        return;
    }
    const auto offset = static_cast<uint64_t>(address - place.region->begin);
    if (bytes > place.region->size_bytes - offset) {
        trap("TENSOR_RANGE", api, pc, "A pointer reaches past the end of %s, which has %u bytes.",
             space_name(place.space), place.region->size_bytes);
    }
    RaceDetector &detector = self->detector;
    detector.begin(Pipe::S, launch->auto_sync);
    const int region = static_cast<int>(place.space) - static_cast<int>(Space::UB);
    after_conflict(detector.access(region, static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes), write), api, pc,
                   place);
    const auto at = static_cast<uint32_t>(so_offset(pc));
    log_auto_waits(at);
    self->log.scalar(at, scalar_local);
}

} // namespace

void guest_access(uint64_t begin, uint64_t bytes, bool write, const void *pc)
{
    const GuestContext &guest = self->guest;
    if (bytes == 0 || free_memory(begin, bytes, write) ||
        ((guest.granted_write || !write) && inside(begin, bytes, guest.granted, guest.granted + guest.granted_bytes))) {
        return;
    }
    self->last_pc = pc;
    if (begin + bytes < begin) {
        pointer_fault(begin, pc);
    }
    auto *address = reinterpret_cast<uint8_t *>(begin);
    constexpr uint64_t word = 8; // the scalar unit's
    if (bytes <= word) {
        tensor_access(address, bytes, write, pc);
        return;
    }
    const Place place = place_of(address); // before so much is counted
    const uint64_t there =
        place.region   ? place.region->size_bytes - static_cast<uint64_t>(address - place.region->begin)
        : place.buffer ? place.buffer->mapped_bytes - static_cast<uint64_t>(address - place.buffer->data)
                       : 0;
    if (bytes > there) {
        pointer_fault(begin + there, pc);
    }
    for (uint64_t at = 0; at < bytes; at += word) {
        tensor_access(address + at, std::min(word, bytes - at), write, pc);
    }
}

void grant(const uint8_t *address, uint64_t bytes, bool write)
{
    constexpr uint64_t element = 8; // a longer one is counted again where it is used
    self->guest.granted = reinterpret_cast<uint64_t>(address);
    self->guest.granted_bytes = bytes <= element ? bytes : 0;
    self->guest.granted_write = write;
}

void require_guest(const char *api, const void *pc, const void *begin, uint64_t bytes, bool write)
{
    if (!launch->guest || bytes == 0) {
        return;
    }
    const auto at = reinterpret_cast<uint64_t>(begin);
    if (at + bytes < at || !own_memory(at, bytes, write)) {
        trap("BAD_POINTER", api, pc, "%s: a pointer that belongs to no variable of the kernel's is %s (0x%llx).", api,
             write ? "written" : "read", static_cast<unsigned long long>(at));
    }
}

void require_guest_text(const char *api, const void *pc, const char *text, uint64_t most)
{
    if (!launch || !launch->guest) { // or a unit test's host part
        return;
    }
    for (uint64_t at = 0; at < most; ++at) {
        require_guest(api, pc, text + at, 1, false);
        if (text[at] == '\0') {
            return;
        }
    }
}

#if defined(__x86_64__)
extern "C" {
__attribute__((visibility("hidden"))) void akgen_guest_access(uint64_t address, uint64_t what, const void *pc)
{
    guest_access(address, what >> 1, what & 1, pc);
}

__attribute__((visibility("hidden"))) void akgen_guest_text(uint64_t to, uint64_t from, uint64_t count, uint64_t what,
                                                            const void *pc)
{
    const uint64_t unit = what >> 1 & 15;
    if (count > UINT64_MAX / 16) {
        pointer_fault(to, pc);
    }
    self->guest.work += count;
    guest_access(to, count * unit, true, pc);
    if (what & 1) {
        guest_access(from, count * unit, false, pc);
    }
}

__attribute__((visibility("hidden"))) void akgen_guest_call(uint64_t target, uint64_t, const void *pc)
{
    const auto &functions = launch->guest->functions;
    if (!std::binary_search(functions.begin(), functions.end(), target)) {
        trap("BAD_POINTER", "call", pc, "What is called is no function of the kernel's (0x%llx).",
             static_cast<unsigned long long>(target));
    }
}

__attribute__((visibility("hidden"), noreturn)) void akgen_guest_stack(const void *pc)
{
    trap("STACK_OVERFLOW", "call", pc, "The kernel's variables and calls need more than %u KB of stack.",
         static_cast<unsigned>(kernel_stack_bytes >> 10));
}

__attribute__((visibility("hidden"))) void akgen_enter_guest(void *entry, uint8_t *const *arguments,
                                                             GuestContext *guest, uint64_t *shadow, size_t count);
}

void enter_guest(Core &core, void *entry, uint8_t *const *arguments, size_t count)
{
    // A kernel may have more parameters than it is given: they are null. A chip keeps none of them on the stack.
    const size_t pushed = std::max<size_t>(64, (count + 1) & ~size_t{1});
    uint64_t shadow[kernel_stack_bytes / sizeof(uint64_t)]; // as many calls as the stack holds; goes with this frame
    GuestContext &guest = core.guest;
    guest.stack_high = (reinterpret_cast<uint64_t>(shadow) - stack_gap) & ~uint64_t{63};
    guest.stack_low = guest.stack_high - kernel_stack_bytes - pushed * sizeof(uint64_t);
    for (int i = 0; i < 5; ++i) {
        guest.ends[i] = guest.stack_high - (uint64_t{1} << i);
    }
    guest.shadow_end = reinterpret_cast<uint64_t>(shadow + kernel_stack_bytes / sizeof(uint64_t));
    core.log.work = &guest.work;
    if (core.worker->served) { // its stack begins as zeros, as on a thread that has run nothing
        std::memset(reinterpret_cast<void *>(guest.stack_low), 0, guest.stack_high - guest.stack_low);
    }
    akgen_enter_guest(entry, arguments, &guest, shadow, pushed);
}
#else
void enter_guest(Core &, void *, uint8_t *const *, size_t)
{
    throw std::runtime_error("sealed code runs on x86-64 only");
}
#endif

} // namespace akgen::twin
