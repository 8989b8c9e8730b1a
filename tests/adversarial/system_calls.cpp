// Locked-down code that calls the system, one call for each name: what a filter by number alone would let pass, too.
//   system_calls list                       one line for each: its name and the code that it must be reported under
//   system_calls REPORT open|seal NAME      lock down, make the call, and say that it came back
#include "lockdown.h"
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {
constexpr int report = 3; // opened first
char page[4096];
uint32_t word = 0;
long parent() { return getppid(); }
// The clock that counts another process's time.
long clock_of(long pid) { return (~pid << 3) | 2; }

template <class... T> long call(long number, T... arguments) { return syscall(number, arguments...); }

struct Attack {
    const char *name, *code;
    long (*make)();
};
#define ATTACK(name, code, expression) {name, "SANDBOX_" #code, [] { return static_cast<long>(expression); }}
#define BY(call_name, code, ...) ATTACK(#call_name "(" #__VA_ARGS__ ")", code, call(SYS_##call_name __VA_OPT__(, ) __VA_ARGS__))

const Attack attacks[] = {
    // Descriptors that are open already.
    BY(fcntl, FILE, report, F_SETFL, O_NONBLOCK),
    BY(fcntl, FILE, 1, F_SETFL, 0x2000 /* O_ASYNC */),
    BY(fcntl, FILE, 1, F_SETOWN, parent()),
    BY(fcntl, FILE, 1, 10 /* F_SETSIG */, SIGKILL),
    BY(fcntl, FILE, 1, 15 /* F_SETOWN_EX */, page),
    BY(fcntl, FILE, report, F_SETLK, page),
    BY(fcntl, FILE, report, F_GETLK, page),
    BY(fcntl, FILE, report, 37 /* F_OFD_SETLK */, page),
    BY(fcntl, FILE, report, F_DUPFD, 0),
    BY(fcntl, FILE, report, F_DUPFD_CLOEXEC, 0),
    BY(fcntl, FILE, report, F_SETFD, 0),
    BY(fcntl, FILE, report, 1024 /* F_SETLEASE */, F_WRLCK),
    BY(fcntl, FILE, report, 1026 /* F_NOTIFY */, 1),
    BY(fcntl, FILE, 1, 1031 /* F_SETPIPE_SZ */, 1 << 20),
    BY(fcntl, FILE, report, 1033 /* F_ADD_SEALS */, 15),
    BY(fcntl, FILE, report, 1036 /* F_SET_RW_HINT */, page),
    BY(write, FILE, 0, page, 1),
    BY(write, FILE, 999, page, 1),
    BY(writev, FILE, 999, page, 0),
    BY(read, FILE, report, page, 1),
    BY(read, FILE, 1, page, 1),
    BY(readv, FILE, 0, page, 0),
    BY(pread64, FILE, report, page, 1, 0),
    BY(preadv, FILE, report, page, 0, 0, 0),
    BY(pwrite64, FILE, report, page, 1, 0),
    BY(pwritev, FILE, report, page, 0, 0, 0),
    BY(pwritev2, FILE, report, page, 0, 0, 0, 0),
    BY(lseek, FILE, report, 0, SEEK_SET),
    BY(ftruncate, FILE, report, 0),
    BY(fallocate, FILE, report, 3 /* punch a hole */, 0, 1),
    BY(fsync, FILE, report),
    BY(fdatasync, FILE, report),
    BY(sync_file_range, FILE, report, 0, 0, 0),
    BY(flock, FILE, report, 2),
    BY(fchmod, FILE, report, 0777),
    BY(fchown, FILE, report, 0, 0),
    BY(fsetxattr, FILE, report, "user.a", page, 1, 0),
    BY(fgetxattr, FILE, report, "user.a", page, 1),
    BY(fremovexattr, FILE, report, "user.a"),
    BY(fstatfs, FILE, report, page),
    BY(dup, FILE, report),
    BY(dup3, FILE, report, 1, 0),
    BY(close_range, FILE, 0, ~0u, 0),
    BY(sendfile, FILE, 1, report, 0, 1),
    BY(splice, FILE, report, 0, 1, 0, 1, 0),
    BY(tee, FILE, 0, 1, 1, 0),
    BY(vmsplice, FILE, 1, page, 0, 0),
    BY(copy_file_range, FILE, report, 0, report, 0, 1, 0),
    BY(ioctl, FILE, 0, 0x5412 /* TIOCSTI */, "x"),
    BY(ioctl, FILE, 1, 0x5413 /* TIOCGWINSZ */, page),
    BY(ioctl, FILE, 1, 0x5452 /* FIOASYNC */, page),
    BY(ioctl, FILE, 1, 0x5421 /* FIONBIO */, page),
    BY(ioctl, FILE, report, 0x40049409 /* FICLONE */, 0),
    BY(ioctl, FILE, report, 0x6601 /* FS_IOC_GETFLAGS */, page),
    BY(sync, SYSCALL),
    BY(syncfs, SYSCALL, report),
    BY(epoll_create1, SYSCALL, 0),
    BY(eventfd2, SYSCALL, 0, 0),
    BY(timerfd_create, SYSCALL, 0, 0),
    BY(pipe2, FILE, page, 0),
    BY(ppoll, SYSCALL, page, 0, 0, 0, 8),
    BY(pselect6, SYSCALL, 0, 0, 0, 0, 0, 0),
    // Files, and questions about them.
    BY(openat, FILE, AT_FDCWD, "/etc/passwd", O_RDONLY),
    BY(openat, FILE, AT_FDCWD, "/proc/self/maps", O_RDONLY),
    BY(openat, FILE, AT_FDCWD, ".", O_RDONLY | O_TMPFILE, 0600),
    BY(openat, FILE, 0, "", 0x1000 /* AT_EMPTY_PATH */),
    BY(openat, FILE, AT_FDCWD, 1, O_RDONLY),
    BY(openat, FILE, AT_FDCWD, page + 4096 * 64, O_RDONLY),
    BY(openat2, FILE, AT_FDCWD, "/etc/passwd", page, 24),
    BY(newfstatat, FILE, AT_FDCWD, "/etc/passwd", page, 0),
    BY(newfstatat, FILE, AT_FDCWD, "/etc/passwd", page, 0x1000 /* AT_EMPTY_PATH */),
    BY(newfstatat, FILE, AT_FDCWD, 1, page, 0x1000),
    BY(statx, FILE, AT_FDCWD, "/etc/passwd", 0, 0xfff, page),
    BY(faccessat, FILE, AT_FDCWD, "/etc/passwd", 0),
    BY(faccessat2, FILE, AT_FDCWD, "/etc/passwd", 0, 0),
    BY(readlinkat, FILE, AT_FDCWD, "/proc/self/exe", page, 99),
    BY(statfs, FILE, "/", page),
    BY(unlinkat, FILE, AT_FDCWD, "akgen-none", 0),
    BY(mkdirat, FILE, AT_FDCWD, "akgen-none", 0700),
    BY(mknodat, FILE, AT_FDCWD, "akgen-none", S_IFIFO, 0),
    BY(linkat, FILE, report, "", AT_FDCWD, "akgen-none", 0x1000),
    BY(symlinkat, FILE, "/etc", AT_FDCWD, "akgen-none"),
    BY(renameat2, FILE, AT_FDCWD, "report", AT_FDCWD, "akgen-none", 0),
    BY(fchmodat, FILE, AT_FDCWD, "report", 0777),
    BY(fchownat, FILE, AT_FDCWD, "report", 0, 0, 0),
    BY(truncate, FILE, "report", 0),
    BY(utimensat, FILE, AT_FDCWD, "report", page, 0),
    BY(setxattr, FILE, "report", "user.a", page, 1, 0),
    BY(getxattr, FILE, "/etc/passwd", "user.a", page, 1),
    BY(chdir, FILE, "/"),
    BY(fchdir, FILE, report),
    BY(chroot, SYSCALL, "/"),
    BY(getdents64, FILE, report, page, 4096),
    BY(memfd_create, FILE, "x", 0),
    BY(memfd_secret, SYSCALL, 0),
    BY(inotify_init1, FILE, 0),
    BY(name_to_handle_at, SYSCALL, AT_FDCWD, "/etc", page, page, 0),
    BY(open_tree, SYSCALL, AT_FDCWD, "/", 1),
    BY(umask, SYSCALL, 0),
    BY(mq_open, SYSCALL, "q", O_CREAT, 0600, 0),
    BY(shmget, SYSCALL, 1234, 4096, 0600),
    BY(shmat, SYSCALL, 0, 0, 0),
    BY(semget, SYSCALL, 1234, 1, 0600),
    BY(msgget, SYSCALL, 1234, 0600),
    // Memory.
    BY(mmap, SYSCALL, 0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
    BY(mmap, SYSCALL, 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
    BY(mmap, SYSCALL, 0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
    BY(mmap, SYSCALL, 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0),
    BY(mmap, SYSCALL, 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0),
    BY(mmap, SYSCALL, 0, 4096, PROT_WRITE, MAP_SHARED, report, 0),
    BY(mmap, SYSCALL, 0, 4096, PROT_READ, MAP_PRIVATE, report, 0),
    BY(mmap, SYSCALL, 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, 0, 0),
    BY(mprotect, SYSCALL, page, 4096, PROT_READ | PROT_EXEC),
    BY(mprotect, SYSCALL, page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC),
    BY(pkey_mprotect, SYSCALL, page, 4096, PROT_READ | PROT_EXEC, -1),
    BY(pkey_alloc, SYSCALL, 0, 0),
    BY(mremap, SYSCALL, page, 4096, 8192, MREMAP_MAYMOVE | MREMAP_FIXED, page),
    BY(mremap, SYSCALL, page, 4096, 4096, MREMAP_MAYMOVE | 4 /* MREMAP_DONTUNMAP */),
    BY(remap_file_pages, SYSCALL, page, 4096, 0, 0, 0),
    BY(madvise, SYSCALL, page, 4096, 9 /* MADV_REMOVE */),
    BY(madvise, SYSCALL, page, 4096, 12 /* MADV_MERGEABLE */),
    BY(madvise, SYSCALL, page, 4096, 100 /* MADV_HWPOISON */),
    BY(madvise, SYSCALL, page, 4096, 16 /* MADV_DONTDUMP */),
    BY(mlock, SYSCALL, page, 4096),
    BY(mlockall, SYSCALL, 3),
    BY(mincore, SYSCALL, page, 4096, page),
    BY(msync, SYSCALL, page, 4096, 0),
    BY(mbind, SYSCALL, page, 4096, 0, 0, 0, 0),
    BY(set_mempolicy, SYSCALL, 0, 0, 0),
    BY(userfaultfd, SYSCALL, 0),
    BY(membarrier, SYSCALL, 1, 0, 0),
    BY(futex, SYSCALL, &word, FUTEX_LOCK_PI, 0, 0, 0, 0),
    BY(futex, SYSCALL, &word, FUTEX_TRYLOCK_PI_PRIVATE, 0, 0, 0, 0),
    BY(futex, SYSCALL, &word, FUTEX_CMP_REQUEUE_PI, 0, 0, &word, 0),
    BY(futex, SYSCALL, &word, FUTEX_REQUEUE, 0, 0, &word, 0),
    BY(futex, SYSCALL, &word, FUTEX_WAKE_OP, 0, 0, &word, 0),
    BY(futex, SYSCALL, &word, FUTEX_FD, 0, 0, 0, 0),
    BY(futex, SYSCALL, &word, FUTEX_WAIT | 0x1000, 0, 0, 0, 0),
    BY(futex_waitv, SYSCALL, page, 0, 0, 0, 0),
    // Processes, threads, signals.
    BY(clone, FORK, SIGCHLD, 0, 0, 0, 0),
    BY(clone, FORK, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0),
    BY(clone, FORK, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0),
    BY(clone, FORK, CLONE_THREAD | CLONE_SIGHAND | CLONE_VM, 0, 0, 0, 0),
    BY(clone, FORK, 0x3d0f00 | 0x01000000 /* CLONE_IO's neighbour */, 0, 0, 0, 0),
    BY(execve, FORK, "/bin/true", 0, 0),
    BY(execveat, FORK, report, "", 0, 0, 0x1000),
    BY(unshare, SYSCALL, CLONE_NEWUSER),
    BY(setns, SYSCALL, report, 0),
    BY(wait4, SYSCALL, -1, 0, 0, 0),
    BY(kill, SIGNAL, parent(), 0),
    BY(kill, SIGNAL, 0, 0),
    BY(kill, SIGNAL, -1, 0),
    BY(tgkill, SIGNAL, parent(), parent(), SIGTERM),
    BY(tkill, SIGNAL, parent(), SIGTERM),
    BY(rt_sigqueueinfo, SIGNAL, parent(), SIGTERM, page),
    BY(rt_tgsigqueueinfo, SIGNAL, parent(), parent(), SIGTERM, page),
    BY(pidfd_open, PTRACE, parent(), 0),
    BY(pidfd_send_signal, PTRACE, report, SIGTERM, 0, 0),
    BY(pidfd_getfd, PTRACE, report, 0, 0),
    BY(rt_sigaction, SIGNAL, SIGSYS, page, 0, 8),
    BY(rt_sigaction, SIGNAL, SIGUSR1, page, 0, 8),
    BY(rt_sigtimedwait, SYSCALL, page, 0, 0, 8),
    BY(rt_sigsuspend, SYSCALL, page, 8),
    BY(signalfd4, SIGNAL, -1, page, 8, 0),
    BY(setitimer, SIGNAL, 0, page, 0),
    BY(timer_create, SIGNAL, 0, page, page),
    BY(setsid, SYSCALL),
    BY(setpgid, SYSCALL, 0, 0),
    BY(ptrace, PTRACE, 16, parent(), 0, 0),
    BY(ptrace, PTRACE, 0, 0, 0, 0),
    BY(process_vm_readv, PTRACE, parent(), page, 0, page, 0, 0),
    BY(process_vm_writev, PTRACE, parent(), page, 0, page, 0, 0),
    BY(process_madvise, PTRACE, report, page, 0, 0, 0),
    BY(kcmp, PTRACE, parent(), parent(), 0, 0, 0),
    BY(get_robust_list, SYSCALL, parent(), page, page),
    BY(sched_getaffinity, PTRACE, parent(), 128, page),
    BY(sched_setaffinity, SYSCALL, 0, 128, page),
    BY(sched_setscheduler, SYSCALL, 0, 1, page),
    BY(sched_setattr, SYSCALL, 0, page, 0),
    BY(setpriority, SYSCALL, 0, parent(), 19),
    BY(getpriority, SYSCALL, 0, parent()),
    BY(ioprio_set, SYSCALL, 1, parent(), 0),
    BY(getrusage, SYSCALL, -1, page),
    BY(times, SYSCALL, page),
    BY(clock_gettime, PTRACE, clock_of(parent()), page),
    BY(clock_nanosleep, PTRACE, clock_of(parent()), 0, page, 0),
    BY(clock_settime, SYSCALL, 0, page),
    BY(clock_adjtime, SYSCALL, 0, page),
    BY(prlimit64, SYSCALL, parent(), 7, 0, page),
    BY(prlimit64, SYSCALL, 0, 7, page, 0),
    BY(setrlimit, SYSCALL, 7, page),
    BY(prctl, SYSCALL, 1 /* PR_SET_PDEATHSIG */, 0, 0, 0, 0),
    BY(prctl, SYSCALL, 4 /* PR_SET_DUMPABLE */, 1, 0, 0, 0),
    BY(prctl, SYSCALL, 22 /* PR_SET_SECCOMP */, 2, page, 0, 0),
    BY(prctl, SYSCALL, 35 /* PR_SET_MM */, 1, page, 0, 0),
    BY(prctl, SYSCALL, 36 /* PR_SET_CHILD_SUBREAPER */, 1, 0, 0, 0),
    BY(prctl, SYSCALL, 0x59616d61 /* PR_SET_PTRACER */, -1, 0, 0, 0),
    BY(prctl, SYSCALL, 59 /* PR_SET_SYSCALL_USER_DISPATCH */, 1, 0, 0, 0),
    BY(seccomp, SYSCALL, 0, 0, 0),
    BY(seccomp, SYSCALL, 1, 8 /* a listener */, page),
    BY(seccomp, SYSCALL, 2, 0, page),
    BY(setuid, SYSCALL, 0),
    BY(setresgid, SYSCALL, 0, 0, 0),
    BY(setgroups, SYSCALL, 0, page),
    BY(capset, SYSCALL, page, page),
    BY(capget, SYSCALL, page, page),
    BY(uname, SYSCALL, page),
    // The network, and the kernel's own surface.
    BY(socket, NETWORK, 1, 1, 0),
    BY(socket, NETWORK, 16 /* netlink */, 3, 0),
    BY(socket, NETWORK, 38 /* crypto */, 5, 0),
    BY(socket, NETWORK, 40 /* vsock */, 1, 0),
    BY(socketpair, NETWORK, 1, 1, 0, page),
    BY(connect, NETWORK, 1, page, 16),
    BY(sendto, NETWORK, 1, page, 1, 0, page, 16),
    BY(sendmsg, NETWORK, 1, page, 0),
    BY(recvmsg, NETWORK, 0, page, 0),
    BY(bpf, SYSCALL, 0, page, 0),
    BY(perf_event_open, SYSCALL, page, 0, 0, -1, 0),
    BY(io_uring_setup, SYSCALL, 8, page),
    BY(io_uring_enter, SYSCALL, report, 0, 0, 0, 0, 0),
    BY(io_setup, SYSCALL, 8, page),
    BY(keyctl, SYSCALL, 0, 0, 0, 0, 0),
    BY(add_key, SYSCALL, "user", "x", "y", 1, -3),
    BY(landlock_create_ruleset, SYSCALL, 0, 0, 1),
    BY(mount, SYSCALL, "none", "/", "tmpfs", 0, 0),
    BY(umount2, SYSCALL, "/", 0),
    BY(pivot_root, SYSCALL, "/", "/"),
    BY(personality, SYSCALL, 0xffffffff),
    BY(syslog, SYSCALL, 3, page, 1),
    BY(reboot, SYSCALL, 0, 0, 0, 0),
    BY(kexec_load, SYSCALL, 0, 0, 0, 0),
    BY(init_module, SYSCALL, page, 0, ""),
    BY(fanotify_init, SYSCALL, 0, 0),
    BY(quotactl, SYSCALL, 0, "/", 0, page),
    BY(acct, SYSCALL, "/"),
    BY(swapon, SYSCALL, "/", 0),
    ATTACK("a number that no kernel has", SYSCALL, call(9999)),
    ATTACK("a negative number", SYSCALL, call(-2)),
#if defined(__x86_64__)
    BY(open, FILE, "/etc/passwd", O_RDONLY),
    BY(creat, FILE, "akgen-none", 0600),
    BY(stat, FILE, "/etc/passwd", page),
    BY(lstat, FILE, "/etc/passwd", page),
    BY(access, FILE, "/etc/passwd", 0),
    BY(readlink, FILE, "/proc/self/exe", page, 99),
    BY(unlink, FILE, "report"),
    BY(rename, FILE, "report", "akgen-none"),
    BY(chmod, FILE, "report", 0777),
    BY(dup2, FILE, report, 1),
    BY(pipe, FILE, page),
    BY(poll, SYSCALL, page, 0, 0),
    BY(select, SYSCALL, 0, 0, 0, 0, 0),
    BY(alarm, SIGNAL, 1),
    BY(pause, SYSCALL),
    BY(fork, FORK),
    BY(vfork, FORK),
    BY(arch_prctl, SYSCALL, 0x1001 /* ARCH_SET_GS */, page),
    BY(arch_prctl, SYSCALL, 0x1003 /* ARCH_GET_FS */, page),
    BY(modify_ldt, SYSCALL, 1, page, 16),
    BY(iopl, SYSCALL, 3),
    BY(ioperm, SYSCALL, 0, 1, 1),
    BY(uselib, SYSCALL, "x"),
    ATTACK("getpid of the x32 kind", SYSCALL, call(0x40000000 | SYS_getpid)),
    ATTACK("getpid of 32-bit programs", SYSCALL, [] {
        long r;
        asm volatile("int $0x80" : "=a"(r) : "a"(20) : "memory");
        return r;
    }()),
#endif
};
// What is wanted until all is loaded, and refused from then on.
const Attack sealed[] = {
    BY(clone, FORK, 0x3d0f00, 0, 0, 0, 0),
    BY(clone3, FORK, page, 88),
    BY(seccomp, SYSCALL, 1, 1, page),
    BY(rt_sigaction, SIGNAL, SIGSEGV, page, 0, 8),
    BY(rt_sigaction, SIGNAL, SIGALRM, page, 0, 8),
    BY(getcwd, FILE, page, 4096),
    BY(mmap, SYSCALL, 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, report + 1, 0),
    BY(mmap, SYSCALL, 0, 4096, PROT_READ, MAP_PRIVATE, report + 1, 0),
    BY(read, FILE, report + 1, page, 1),
    BY(pread64, FILE, report + 1, page, 1, 0),
    BY(lseek, FILE, report + 1, 0, SEEK_SET),
    BY(fcntl, FILE, report + 1, F_DUPFD_CLOEXEC, report + 1),
    ATTACK("open what was served", FILE, open("/proc/self/exe", O_RDONLY)),
};
} // namespace

int main(int argc, char **argv)
{
    if (argc == 2) {
        for (const Attack &a : attacks) {
            std::printf("open\t%s\t%s\n", a.code, a.name);
        }
        for (const Attack &a : sealed) {
            std::printf("seal\t%s\t%s\n", a.code, a.name);
        }
        return 0;
    }
    close_range(3, ~0u, 0);
    akgen::Lockdown wanted;
    wanted.serve = {"/proc/self/exe"};
    wanted.report_fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
    wanted.cpu_s = 2;
    const akgen::LockdownState state = akgen::akgen_lockdown(wanted);
    if (std::strcmp(argv[2], "seal") == 0) {
        akgen::akgen_lockdown_seal();
    }
    const auto find = [&](const auto &list) {
        for (const Attack &a : list) {
            if (std::strcmp(a.name, argv[3]) == 0) {
                const long said = a.make();
                std::printf("back %ld landlock %d namespaces %d\n", said, state.landlock_abi, state.network_namespace);
                std::fflush(stdout);
            }
        }
    };
    find(attacks);
    find(sealed);
    return 0;
}
