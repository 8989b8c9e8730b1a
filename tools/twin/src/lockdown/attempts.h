// Reporting what locked-down code attempted: the SIGSYS handler that seccomp calls, and the files that it serves.
#pragma once
#include "descriptors.h"
#include "filter.h"
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <linux/futex.h>
#include <string>
#include <sys/stat.h>
#include <ucontext.h>
#include <vector>

namespace akgen::attempts {

struct Served {
    char path[1024];
    int fd;
};
inline Served served[32];
inline int served_count = 0;
inline volatile bool serving = false;
inline int report_fd = -1;
inline uint32_t first_served = 3;
inline int exit_status = 86;

// The C library asks for these by itself; they are answered with "no such file".
inline bool is_library_probe(const char *path)
{
    static const char *const prefixes[] = {"/proc/sys/vm/overcommit_memory",
                                           "/sys/devices/system/cpu",
                                           "/proc/cpuinfo",
                                           "/proc/stat",
                                           "/proc/meminfo",
                                           "/etc/ld.so.cache",
                                           "/etc/localtime",
                                           "/usr/lib/locale/",
                                           "/usr/share/locale/",
                                           "/sys/fs/cgroup/"};
    for (const char *prefix : prefixes) {
        if (std::strncmp(path, prefix, std::strlen(prefix)) == 0) {
            return true;
        }
    }
    return false;
}

inline const char *code_of(seccomp::Attempt what)
{
    switch (what) {
    case seccomp::Attempt::network: return "SANDBOX_NETWORK";
    case seccomp::Attempt::fork: return "SANDBOX_FORK";
    case seccomp::Attempt::file: return "SANDBOX_FILE";
    case seccomp::Attempt::signal: return "SANDBOX_SIGNAL";
    case seccomp::Attempt::inspect: return "SANDBOX_PTRACE";
    case seccomp::Attempt::kernel: break;
    }
    return "SANDBOX_SYSCALL";
}

inline const char *sentence_of(seccomp::Attempt what)
{
    switch (what) {
    case seccomp::Attempt::network: return "Candidate code tried to use the network";
    case seccomp::Attempt::fork: return "Candidate code tried to start a process, a program or a thread";
    case seccomp::Attempt::file: return "Candidate code tried to reach a file";
    case seccomp::Attempt::signal: return "Candidate code tried to send a signal to another process";
    case seccomp::Attempt::inspect: return "Candidate code tried to look into another process";
    case seccomp::Attempt::kernel: break;
    }
    return "Candidate code made a system call that a kernel has no use for";
}

// A line of text on the stack; what does not fit is cut. Async-signal-safe.
struct Line {
    char text[1400];
    std::size_t length = 0;
    void add(const char *piece)
    {
        for (; *piece != '\0' && length < sizeof text - 1; ++piece) {
            text[length++] = *piece;
        }
    }
    void add_quoted(const char *piece, std::size_t most)
    { // as much of JSON as a path needs
        for (; *piece != '\0' && most > 0 && length < sizeof text - 64; ++piece, --most) {
            const unsigned char c = static_cast<unsigned char>(*piece);
            text[length++] = c < 0x20 || c >= 0x7f || c == '"' || c == '\\' ? '?' : *piece;
        }
    }
    void add_number(unsigned long value)
    {
        char digits[24];
        int n = 0;
        do {
            digits[n++] = static_cast<char>('0' + value % 10);
        } while ((value /= 10) > 0);
        while (n > 0 && length < sizeof text - 1) {
            text[length++] = digits[--n];
        }
    }
};

[[noreturn]] inline void report(seccomp::Attempt what, long call, const char *path)
{
    if (report_fd >= 0) {
        Line line;
        line.add("\n{\"kind\":\"diagnostic\",\"code\":\"");
        line.add(code_of(what));
        line.add("\",\"api\":\"\",\"text\":\"");
        line.add(sentence_of(what));
        if (path != nullptr) {
            line.add(": ");
            line.add_quoted(path, 200);
        } else {
            line.add(" (system call ");
            line.add_number(static_cast<unsigned long>(call));
            line.add(")");
        }
        line.add(".\",\"severity\":\"error\",\"core\":\"\",\"so_offset\":0,\"count\":1}\n");
        const ssize_t written = write(report_fd, line.text, line.length);
        static_cast<void>(written);
    }
    _exit(exit_status);
}

// Whether a byte can be read, without faulting: a futex that waits for no time says so. Async-signal-safe.
inline bool is_readable(uint64_t address)
{
    const timespec no_time = {};
    errno = 0;
    syscall(SYS_futex, address & ~uint64_t{3}, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, &no_time, nullptr, 0);
    return errno != EFAULT;
}

// A path as the caller gave it, cut to 1023 bytes. None if it cannot be read to its end.
struct Path {
    char text[1024];
    bool known = false;
    explicit Path(uint64_t from)
    {
        for (std::size_t i = 0; i + 1 < sizeof text; ++i) {
            if ((i == 0 || (from + i) % 4096 == 0) && !is_readable(from + i)) {
                break;
            }
            text[i] = reinterpret_cast<const char *>(from)[i];
            text[i + 1] = '\0';
            if (text[i] == '\0') {
                known = true;
                return;
            }
        }
        known = from != 0 && is_readable(from); // a long one
    }
};

// Which argument of a call that asks about a file, and changes nothing, is its path: 1 or 2. 0: no such call.
inline int path_argument(long call)
{
    switch (call) {
#if defined(__x86_64__)
    case SYS_open:
    case SYS_stat:
    case SYS_lstat:
    case SYS_access:
    case SYS_readlink: return 1;
#endif
    case SYS_statfs: return 1;
    case SYS_openat:
    case SYS_newfstatat:
    case SYS_statx:
    case SYS_faccessat:
    case 439: // faccessat2
    case SYS_readlinkat: return 2;
    default: return 0;
    }
}

inline bool opens(long call)
{
#if defined(__x86_64__)
    if (call == SYS_open) {
        return true;
    }
#endif
    return call == SYS_openat;
}

// -EACCES: nothing that may be answered.
inline long answer(long call, long first, long third, const Path &path)
{
    if (call == SYS_newfstatat && path.text[0] == '\0') { // how newer libraries write fstat
        return syscall(SYS_fstat, first, third) == 0 ? 0 : -errno;
    }
    for (int i = 0; i < served_count && serving && opens(call); ++i) {
        if (std::strcmp(served[i].path, path.text) == 0) {
            lseek(served[i].fd, 0, SEEK_SET);
            return fcntl(served[i].fd, F_DUPFD_CLOEXEC, first_served);
        }
    }
    return is_library_probe(path.text) ? -ENOENT : -EACCES;
}

inline void on_sigsys(int, siginfo_t *info, void *context)
{
    ucontext_t *machine = static_cast<ucontext_t *>(context);
#if defined(__x86_64__)
    greg_t *registers = machine->uc_mcontext.gregs;
    const long first = registers[REG_RDI], second = registers[REG_RSI], third = registers[REG_RDX];
#else
    auto *registers = machine->uc_mcontext.regs;
    const long first = static_cast<long>(registers[0]), second = static_cast<long>(registers[1]),
               third = static_cast<long>(registers[2]);
#endif
    const seccomp::Attempt what = static_cast<seccomp::Attempt>(info->si_errno);
    const int error_before = errno;
    const int place = info->si_arch == AKGEN_AUDIT_ARCH ? path_argument(info->si_syscall) : 0;
    if (place == 0) {
        report(what, info->si_syscall, nullptr);
    }
    const Path path(static_cast<uint64_t>(place == 1 ? first : second));
    if (!path.known) {
        report(what, info->si_syscall, nullptr);
    }
    const long said = answer(info->si_syscall, first, third, path);
    if (said == -EACCES) {
        report(what, info->si_syscall, path.text);
    }
    errno = error_before;
#if defined(__x86_64__)
    registers[REG_RAX] = said;
#else
    registers[0] = static_cast<unsigned long long>(said);
#endif
}

// Open what is to be served and take over SIGSYS. Files that cannot be opened are not served.
inline void prepare(const std::vector<std::string> &paths, const Descriptors &now, int fd, int status)
{
    first_served = now.first_served;
    for (const std::string &path : paths) {
        if (served_count == 32 || path.size() >= sizeof served[0].path) {
            break;
        }
        const int found = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        const int opened = found < 0 ? -1 : fcntl(found, F_DUPFD_CLOEXEC, static_cast<int>(first_served));
        close(found);
        if (opened < 0) {
            continue;
        }
        std::strcpy(served[served_count].path, path.c_str());
        served[served_count++].fd = opened;
    }
    serving = true;
    report_fd = fd;
    exit_status = status;
    struct sigaction action = {};
    action.sa_sigaction = on_sigsys;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigaction(SIGSYS, &action, nullptr);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGSYS);
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

} // namespace akgen::attempts
