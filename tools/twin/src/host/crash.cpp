#include "crash.h"

#include <csignal>
#include <initializer_list>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <execinfo.h>
#include <cstring>
#include <ucontext.h>
#include <unistd.h>

namespace akgen::host {

namespace {

int g_report_fd = -1;
const char *g_library = "";
alignas(16) char g_stack[64 * 1024];

long offset_in_library(const void *address)
{
    Dl_info info{};
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr || std::strcmp(info.dli_fname, g_library) != 0) {
        return -1;
    }
    return static_cast<const char *>(address) - static_cast<const char *>(info.dli_fbase);
}

void on_signal(int signal, siginfo_t *, void *context)
{
    const auto *machine = static_cast<const ucontext_t *>(context);
    void *frames[32];
#if defined(__x86_64__)
    frames[0] = reinterpret_cast<void *>(machine->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    frames[0] = reinterpret_cast<void *>(machine->uc_mcontext.pc);
#endif
    long offset = offset_in_library(frames[0]);
    if (offset < 0) {
        const int count = backtrace(frames, 32);
        for (int i = 0; i < count && offset < 0; ++i) {
            offset = offset_in_library(frames[i]);
            offset = offset > 0 ? offset - 1 : offset; // a return address lies behind its call
        }
    }
    char text[96];
    const int length = std::snprintf(text, sizeof(text), "{\"signal\":%d,\"so_offset\":%ld}\n", signal, offset);
    if (write(g_report_fd, text, static_cast<size_t>(length)) < 0) {
        _exit(128 + signal);
    }
    _exit(128 + signal);
}

} // namespace

void report_crashes_to(int report_fd, const char *library)
{
    g_report_fd = report_fd;
    g_library = library;
    void *warm[1];
    backtrace(warm, 1); // loads its library now, while files may still be opened
    stack_t stack{};
    stack.ss_sp = g_stack;
    stack.ss_size = sizeof(g_stack);
    sigaltstack(&stack, nullptr);
    struct sigaction action{};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        sigaction(signal, &action, nullptr);
    }
}

} // namespace akgen::host
