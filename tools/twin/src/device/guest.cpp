#include "guest.h"
#include "core.h"
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>

#define AKGEN_GUEST __attribute__((visibility("default")))

namespace akgen::twin {

static_assert(offsetof(GuestContext, stack_low) == guest_low && offsetof(GuestContext, stack_high) == guest_high &&
              offsetof(GuestContext, work) == guest_work && offsetof(GuestContext, ends) == guest_ends);

namespace {
constexpr uint64_t stack_bytes = 256 << 10; // of a kernel; below, the runtime has the rest of the thread's
constexpr uint64_t stack_gap = 128 << 10;   // above: nothing is there that an offset from the stack pointer could reach

bool inside(uint64_t begin, uint64_t bytes, uint64_t low, uint64_t high)
{
    return begin >= low && begin < high && bytes <= high - begin;
}

uint64_t thread_base() { return reinterpret_cast<uint64_t>(__builtin_thread_pointer()); }

bool own_memory(uint64_t begin, uint64_t bytes, bool write)
{
    const GuestContext &guest = self->guest;
    const GuestImage &image = *launch->guest;
    return inside(begin, bytes, guest.stack_low, guest.stack_high) ||
           inside(begin, bytes, image.write_begin, image.write_end) ||
           (image.of_core_bytes > 0 &&
            inside(begin, bytes, thread_base() + static_cast<uint64_t>(image.of_core),
                   thread_base() + static_cast<uint64_t>(image.of_core) + image.of_core_bytes)) ||
           (!write && inside(begin, bytes, image.read_begin, image.read_end));
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

void access(uint64_t begin, uint64_t bytes, bool write, const void *pc)
{
    const GuestContext &guest = self->guest;
    if (bytes == 0 || own_memory(begin, bytes, write) ||
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
} // namespace

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

#if defined(__x86_64__)
extern "C" {
__attribute__((visibility("hidden"))) void akgen_guest_access(uint64_t address, uint64_t what, const void *pc)
{
    access(address, what >> 1, what & 1, pc);
}

__attribute__((visibility("hidden"))) void akgen_guest_text(uint64_t to, uint64_t from, uint64_t count, uint64_t what,
                                                            const void *pc)
{
    const uint64_t unit = what >> 1 & 15;
    if (count > UINT64_MAX / 16) {
        pointer_fault(to, pc);
    }
    self->guest.work += count;
    access(to, count * unit, true, pc);
    if (what & 1) {
        access(from, count * unit, false, pc);
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
         static_cast<unsigned>((self->guest.stack_high - self->guest.stack_low) >> 10));
}

// What the compiler calls by itself, and __builtin_memcpy and the like: checked, counted in words, and done.
AKGEN_GUEST void *akgen_checked_memcpy(void *to, const void *from, size_t bytes);
AKGEN_GUEST void *akgen_checked_memmove(void *to, const void *from, size_t bytes);
AKGEN_GUEST void *akgen_checked_memset(void *to, int value, size_t bytes);
AKGEN_GUEST int akgen_checked_memcmp(const void *a, const void *b, size_t bytes);

void *akgen_checked_memmove(void *to, const void *from, size_t bytes)
{
    const void *pc = __builtin_return_address(0);
    self->guest.work += bytes / 8;
    access(reinterpret_cast<uint64_t>(from), bytes, false, pc);
    access(reinterpret_cast<uint64_t>(to), bytes, true, pc);
    return std::memmove(to, from, bytes);
}
void *akgen_checked_memcpy(void *to, const void *from, size_t bytes)
{
    const void *pc = __builtin_return_address(0);
    self->guest.work += bytes / 8;
    access(reinterpret_cast<uint64_t>(from), bytes, false, pc);
    access(reinterpret_cast<uint64_t>(to), bytes, true, pc);
    return std::memmove(to, from, bytes);
}
void *akgen_checked_memset(void *to, int value, size_t bytes)
{
    self->guest.work += bytes / 8;
    access(reinterpret_cast<uint64_t>(to), bytes, true, __builtin_return_address(0));
    return std::memset(to, value, bytes);
}
int akgen_checked_memcmp(const void *a, const void *b, size_t bytes)
{
    const void *pc = __builtin_return_address(0);
    self->guest.work += bytes / 8;
    access(reinterpret_cast<uint64_t>(a), bytes, false, pc);
    access(reinterpret_cast<uint64_t>(b), bytes, false, pc);
    return std::memcmp(a, b, bytes);
}

__attribute__((visibility("hidden"))) void akgen_enter_guest(void *entry, uint8_t *const *arguments,
                                                             GuestContext *guest, uint64_t *shadow);
}

// clang-format off
asm(R"(
    .text
    # Keep all that a function may change, call \function with the address and what the stub pushed, put it all back.
    # On entry: (%rsp) is what, 8(%rsp) the kernel's place.
    .macro akgen_slow function
    pushfq
    pushq %rbp
    movq %rsp, %rbp
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    subq $264, %rsp
    andq $-16, %rsp
    .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    movups %xmm\n, \n*16(%rsp)
    .endr
    .ifc \function,akgen_guest_text
    movq 24(%rbp), %r8
    movq 16(%rbp), %rax
    movq %rcx, %rdx
    movq %rax, %rcx
    .else
    movq %r15, %rdi
    movq 16(%rbp), %rsi
    movq 24(%rbp), %rdx
    .endif
    cld
    call \function
    .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    movups \n*16(%rsp), %xmm\n
    .endr
    leaq -72(%rbp), %rsp
    popq %r11
    popq %r10
    popq %r9
    popq %r8
    popq %rdi
    popq %rsi
    popq %rdx
    popq %rcx
    popq %rax
    popq %rbp
    popfq
    leaq 8(%rsp), %rsp
    .endm

akgen_access_slow:
    akgen_slow akgen_guest_access
    ret
akgen_text_slow:
    akgen_slow akgen_guest_text
    ret
    .globl akgen_check_call
    .type akgen_check_call, @function
akgen_check_call:
    pushq $0
    akgen_slow akgen_guest_call
    jmp *%r15

    # The kernel's stack is out of bounds; say so on what is left of it.
    .globl akgen_stack_left
    .type akgen_stack_left, @function
akgen_stack_left:
    movq (%r14), %rsp
    andq $-16, %rsp
    movq %r15, %rdi
    call akgen_guest_stack
    ud2

    .macro akgen_check name bytes write end
    .globl akgen_check_\name
    .type akgen_check_\name, @function
akgen_check_\name:
    cmpq (%r14), %r15
    jb 1f
    cmpq \end(%r14), %r15
    ja 1f
    ret
1:  pushq $(\bytes * 2 + \write)
    jmp akgen_access_slow
    .globl akgen_check_\name\()_flags
    .type akgen_check_\name\()_flags, @function
akgen_check_\name\()_flags:
    pushfq
    cmpq (%r14), %r15
    jb 1f
    cmpq \end(%r14), %r15
    ja 1f
    popfq
    ret
1:  popfq
    pushq $(\bytes * 2 + \write)
    jmp akgen_access_slow
    .endm
    akgen_check load1 1 0 24
    akgen_check load2 2 0 32
    akgen_check load4 4 0 40
    akgen_check load8 8 0 48
    akgen_check load16 16 0 56
    akgen_check store1 1 1 24
    akgen_check store2 2 1 32
    akgen_check store4 4 1 40
    akgen_check store8 8 1 48
    akgen_check store16 16 1 56

    .macro akgen_text name bytes copy
    .globl akgen_check_\name
    .type akgen_check_\name, @function
akgen_check_\name:
    pushq $(\bytes * 2 + \copy)
    jmp akgen_text_slow
    .endm
    .irp n,1,2,4,8
    akgen_text fill\n \n 0
    akgen_text copy\n \n 1
    .endr

    # (entry, arguments, guest, shadow): call entry with 64 pointers, with the registers that sealed code relies on.
    .hidden akgen_enter_guest
    .globl akgen_enter_guest
    .type akgen_enter_guest, @function
akgen_enter_guest:
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rdx, %r14
    movq %rcx, %r13
    movq %rsp, 64(%r14)
    movq %rdi, %r10
    movq %rsi, %r11
    movq 8(%r14), %rsp          # behind the gap
    movl $64, %ecx
1:  cmpl $6, %ecx
    je 2f
    pushq -8(%r11,%rcx,8)
    decl %ecx
    jmp 1b
2:  movq (%r11), %rdi
    movq 8(%r11), %rsi
    movq 16(%r11), %rdx
    movq 24(%r11), %rcx
    movq 32(%r11), %r8
    movq 40(%r11), %r9
    call *%r10
    movq 64(%r14), %rsp         # whatever the kernel made of it
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret
)");
// clang-format on
static_assert(offsetof(GuestContext, host_stack) == 64);

void enter_guest(Core &core, void *entry, uint8_t *const *arguments)
{
    uint64_t shadow[stack_bytes / sizeof(uint64_t)]; // as many calls as the stack holds; goes with this frame
    GuestContext &guest = core.guest;
    guest.stack_high = (reinterpret_cast<uint64_t>(shadow) - stack_gap) & ~uint64_t{63};
    guest.stack_low = guest.stack_high - stack_bytes;
    for (int i = 0; i < 5; ++i) {
        guest.ends[i] = guest.stack_high - (uint64_t{1} << i);
    }
    core.log.work = &guest.work;
    akgen_enter_guest(entry, arguments, &guest, shadow);
}
#else
void enter_guest(Core &, void *, uint8_t *const *) { throw std::runtime_error("sealed code runs on x86-64 only"); }
#endif

} // namespace akgen::twin
