// One way out for every check, and the signal handlers that turn faults of the kernel's own code into diagnostics.
#include "chip.h"
#include "core.h"
#include "report.h"
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <csignal>
#include <new>
#include <ucontext.h>
#include <unistd.h>

namespace akgen::twin {

Launch *launch = nullptr;
__attribute__((tls_model("initial-exec"))) __thread Core *self = nullptr;

uint64_t so_offset(const void *pc)
{
    const auto address = reinterpret_cast<uint64_t>(pc);
    // A return address is the instruction after the call, which may belong to the next line already.
    return address > launch->kernel_base && address <= launch->kernel_end ? address - 1 - launch->kernel_base : 0;
}

namespace {
std::string formatted(const char *format, va_list arguments)
{
    char text[1024];
    std::vsnprintf(text, sizeof text, format, arguments);
    return text;
}

void note(const char *code, const char *api, const void *pc, const char *severity, const std::string &text)
{
    launch->report->add({code, api ? api : "", text, severity, self ? self->name : "", so_offset(pc), 1});
}
} // namespace

void leave_core() { siglongjmp(self->escape, 1); }

void trap(const char *code, const char *api, const void *pc, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(code, api, pc, "error", formatted(format, arguments));
    va_end(arguments);
    launch->ended = true;
    leave_core();
}

void warn(const char *code, const char *api, const void *pc, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(code, api, pc, "warning", formatted(format, arguments));
    va_end(arguments);
}

void remark(const char *code, const char *api, const void *pc, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(code, api, pc, "note", formatted(format, arguments));
    va_end(arguments);
}

void complain(const char *code, const char *api, const void *pc, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(code, api, pc, "error", formatted(format, arguments));
    va_end(arguments);
}

namespace {
const GmBuffer *nearest_buffer(const uint8_t *address)
{
    const GmBuffer *best = nullptr;
    uint64_t best_distance = uint64_t{1} << 20;
    for (const GmBuffer &buffer : launch->buffers) {
        const uint64_t distance = address < buffer.data
                                      ? static_cast<uint64_t>(buffer.data - address)
                                      : static_cast<uint64_t>(address - buffer.data - buffer.size_bytes);
        if (distance < best_distance) {
            best = &buffer;
            best_distance = distance;
        }
    }
    return best;
}

const void *program_counter(const ucontext_t *context)
{
#if defined(__x86_64__)
    return reinterpret_cast<const void *>(context->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void *>(context->uc_mcontext.pc);
#else
#error "the twin runs on x86-64 and AArch64"
#endif
}

} // namespace

void pointer_fault(uint64_t at, const void *pc)
{
    const auto *address = reinterpret_cast<const uint8_t *>(at);
    if (const GmBuffer *buffer = nearest_buffer(address)) {
        trap("GM_OVERRUN", "pointer access", pc,
             "A pointer reaches %lld bytes from the start of '%s', which has %llu bytes.",
             static_cast<long long>(address - buffer->data), buffer->name.c_str(),
             static_cast<unsigned long long>(buffer->size_bytes));
    }
    if (address >= self->arena && address < self->arena + self->arena_bytes) {
        trap("TENSOR_RANGE", "pointer access", pc, "A pointer reaches outside the core's on-chip memories.");
    }
    if (at < 4096) {
        trap("NULL_POINTER", "pointer access", pc, "A null pointer is read or written (address 0x%llx).",
             static_cast<unsigned long long>(at));
    }
    trap("BAD_POINTER", "pointer access", pc, "A pointer that belongs to no tensor is read or written (0x%llx).",
         static_cast<unsigned long long>(at));
}

namespace {
constexpr int time_is_up = 76; // the status that tools/twin/launch.py reads

// Go on behind a division whose result the chip does not document: quotient and remainder are 0. The chip's scalar unit
// raises nothing, and public kernels divide by zero where nobody looks at the result. False: no division stands there.
bool skip_division(ucontext_t *context)
{
#if defined(__x86_64__)
    greg_t *const registers = context->uc_mcontext.gregs;
    const auto *code = reinterpret_cast<const uint8_t *>(registers[REG_RIP]);
    const auto *const begin = code;
    while (*code == 0x66 || (*code & 0xf0) == 0x40) { // operand size, REX
        ++code;
    }
    const uint8_t opcode = *code++, mode = *code++;
    if ((opcode != 0xf6 && opcode != 0xf7) || (mode >> 3 & 7) < 6) {
        return false;
    }
    const uint8_t address = mode >> 6, base = mode & 7;
    const bool scaled = address != 3 && base == 4;
    const bool wide_base = address == 0 && (base == 5 || (scaled && (*code & 7) == 5));
    code += (scaled ? 1 : 0) + (address == 1 ? 1 : address == 2 || wide_base ? 4 : 0);
    registers[REG_RAX] = 0;
    registers[REG_RDX] = opcode == 0xf6 ? registers[REG_RDX] : 0; // a byte's remainder is in AH
    registers[REG_RIP] += code - begin;
    return true;
#else
    (void)context;
    return false;
#endif
}

void on_fault(int signal, siginfo_t *info, void *context)
{
    if (!self || !launch) {
        _exit(70);
    }
    const auto *unblocked = static_cast<const ucontext_t *>(context);
    const void *pc = program_counter(unblocked);
    const auto at = reinterpret_cast<uint64_t>(pc);
    if (at < launch->kernel_base || at >= launch->kernel_end) {
        pc = self->last_pc; // inside the runtime, on behalf of this call
    } else {
        pc = static_cast<const uint8_t *>(pc) + 2; // so_offset and who reads its result take one off each
    }
    if (signal == SIGFPE) {
        const bool own = at >= launch->kernel_base && at < launch->kernel_end;
        if (own && skip_division(static_cast<ucontext_t *>(context))) {
            warn("SCALAR_DIVISION", "division", pc,
                 "An integer is divided by zero; what the chip makes of it is not documented (0 here).");
            return;
        }
        trap("SCALAR_DIVISION", "division", pc, "An integer is divided by zero.");
    }
    if (signal == SIGILL || signal == SIGTRAP || signal == SIGABRT) {
        trap("KERNEL_ABORT", "trap", pc, "The kernel ended itself.");
    }
    pointer_fault(reinterpret_cast<uint64_t>(info->si_addr), pc);
}

// Say one last thing, without allocating, and end the process: `sentence` has a place for the core's name.
[[noreturn]] void end_at_once(const char *code, const char *sentence)
{
    static volatile sig_atomic_t entered = 0;
    const Core *core = launch ? launch->running : nullptr;
    if (entered || !launch) {
        _exit(75);
    }
    entered = 1;
    const char *name = core ? core->name.c_str() : "";
    char said[256], text[512];
    std::snprintf(said, sizeof said, sentence, name);
    const int length =
        std::snprintf(text, sizeof text,
                      "{\"kind\":\"diagnostic\",\"code\":\"%s\",\"api\":\"\",\"text\":\"%s\",\"severity\":"
                      "\"error\",\"core\":\"%s\",\"so_offset\":%llu,\"count\":1}\n{\"kind\":\"end\"}\n",
                      code, said, name, static_cast<unsigned long long>(core ? so_offset(core->last_pc) : 0));
    const ssize_t wrote = ::write(launch->report->fd, text, static_cast<size_t>(length));
    _exit(wrote == length ? 0 : 75);
}

void on_timeout(int, siginfo_t *, void *)
{
    if (!launch || !launch->running) {
        _exit(time_is_up); // between cores: somebody else may be writing the report
    }
    end_at_once("TIMEOUT", "The kernel did not end in time; core %s was at this call last.");
}

void on_no_memory()
{
    if (!launch || launch->report->fd < 0) {
        throw std::bad_alloc();
    }
    end_at_once("LAUNCH_MEMORY", launch && launch->running
                                     ? "The launch needs more memory than it has; core %s was at this call last."
                                     : "The launch needs more memory than it has for what it did%s.");
}
} // namespace

void catch_faults()
{
    std::set_new_handler(on_no_memory);
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
        sigaction(signal, &action, nullptr);
    }
    action.sa_sigaction = on_timeout;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK; // one says its sentence before the other may come
    sigaddset(&action.sa_mask, SIGXCPU);
    sigaddset(&action.sa_mask, SIGALRM);
    sigaction(SIGXCPU, &action, nullptr);
    sigaction(SIGALRM, &action, nullptr);
}

} // namespace akgen::twin
