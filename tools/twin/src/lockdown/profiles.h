// Which system calls each profile lets pass.
#pragma once
#include "descriptors.h"
#include "filter.h"
#include <csignal>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>

namespace akgen::seccomp {

// Calls that neither profile has a use for, whatever they are named on this machine.
inline void refuse_kernel_surface(Filter &filter, uint32_t action)
{
    // clang-format off
    filter.on({SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_bpf, SYS_perf_event_open,
               SYS_keyctl, SYS_add_key, SYS_request_key, SYS_init_module, SYS_finit_module, SYS_delete_module,
               SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_open_by_handle_at, SYS_name_to_handle_at,
               SYS_userfaultfd, SYS_fanotify_init, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_sethostname,
               SYS_setdomainname, SYS_quotactl, SYS_acct, SYS_syslog, SYS_personality, SYS_lookup_dcookie, SYS_mbind,
               SYS_migrate_pages, SYS_move_pages, SYS_vhangup,
               425, 426, 427,           // io_uring: setup, enter, register
               428, 429, 430, 431, 432, // open_tree, move_mount, fsopen, fsconfig, fsmount
               433, 442},               // fspick, mount_setattr
              action);
    // clang-format on
#if defined(__x86_64__)
    filter.on({SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_uselib, SYS_create_module}, action);
#endif
}

inline void refuse_network(Filter &filter, uint32_t action)
{
    filter.on({SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_sendto,
               SYS_recvfrom, SYS_sendmsg, SYS_recvmsg, SYS_sendmmsg, SYS_recvmmsg, SYS_shutdown},
              action);
}

inline void refuse_inspection(Filter &filter, uint32_t action)
{
    filter.on({SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, 424, 434, 438, 440,
               448}, // pidfd_send_signal, pidfd_open, pidfd_getfd, process_madvise, process_mrelease
              action);
}

// The signals whose handlers a runtime sets, and those that the C library sets by itself.
inline Any handled_signals()
{
    return is_one_of(0, {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGXCPU, SIGALRM, SIGINT, SIGQUIT,
                         32 /* ends a thread */, 33 /* changes its user; pthread_create sets it */});
}

// Memory of its own, readable and writable: no file, nothing shared, never executable.
inline All own_memory()
{
    return {without(2, PROT_EXEC), bits(3, MAP_SHARED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_LOCKED,
                                        MAP_PRIVATE | MAP_ANONYMOUS)};
}

// What of a kernel's calls is decided by their arguments.
inline void by_argument(Filter &f, const Descriptors &open, uint32_t self)
{
    constexpr uint32_t any_clock = FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME;
    const uint32_t no = trap(Attempt::kernel), no_file = trap(Attempt::file);
    const uint32_t from = open.first_served, to = from + most_served;
    const All served = {at_least(0, from), below(0, to)};
    Any readable = is_one_of(0, open.readable);
    readable.push_back(served);
    const All file_mapped = {without(3, MAP_SHARED), without(2, PROT_WRITE), at_least(4, from), below(4, to)};
    const All data_mapped = {without(3, MAP_SHARED), without(2, PROT_EXEC), at_least(4, from), below(4, to)};
    f.on(SYS_futex,
         {{bits(1, ~any_clock, FUTEX_WAIT)},
          {bits(1, ~any_clock, FUTEX_WAKE)},
          {bits(1, ~any_clock, FUTEX_WAIT_BITSET)},
          {bits(1, ~any_clock, FUTEX_WAKE_BITSET)}},
         pass, no);
    f.on(SYS_mmap, {own_memory(), file_mapped, data_mapped}, pass, no);
    f.on(SYS_mprotect, {{without(2, PROT_EXEC)}}, pass, no);
    f.on(SYS_mremap, {{without(3, ~uint32_t{MREMAP_MAYMOVE})}}, pass, no);
    f.on(SYS_madvise,
         is_one_of(2, {MADV_NORMAL, MADV_DONTNEED, MADV_FREE, MADV_HUGEPAGE, MADV_NOHUGEPAGE, 22, 23 /* populate */,
                       102, 103 /* guard pages */}),
         pass, no);
    f.on(SYS_write, is_one_of(0, open.writable), pass, no_file);
    f.on(SYS_writev, is_one_of(0, open.writable), pass, no_file);
    f.on(SYS_read, readable, pass, no_file);
    f.on(SYS_pread64, readable, pass, no_file);
    f.on(SYS_lseek, {{is(0, 1)}, {is(0, 2)}, served}, pass, no_file);
    f.on(SYS_fcntl, {{is(1, F_GETFL)}, {is(1, F_GETFD)}, {is(1, F_DUPFD_CLOEXEC), served[0], served[1], is(2, from)}},
         pass, no_file);
    f.on(SYS_clone, {{is(0, 0x3d0f00)}, {is(0, 0x7d0f00)}}, pass,
         trap(Attempt::fork));                                              // pthread_create of glibc, of musl
    f.on(SYS_rt_sigaction, handled_signals(), pass, trap(Attempt::signal)); // SIGSYS keeps the handler that reports
    f.on(SYS_clock_gettime, {{below(0, 12)}}, pass,
         trap(Attempt::inspect)); // other numbers are clocks of other processes
    f.on(SYS_clock_nanosleep, {{below(0, 12)}}, pass, trap(Attempt::inspect));
    f.on(SYS_getrusage, {{is(0, 0)}, {is(0, 1)}}, pass, no);
    f.on(SYS_sched_getaffinity, {{is(0, 0)}, {is(0, self)}}, pass, trap(Attempt::inspect));
    All ask_own = null_pointer(2), ask_self = null_pointer(2);
    ask_own.push_back(is(0, 0));
    ask_self.push_back(is(0, self));
    f.on(SYS_prlimit64, {ask_own, ask_self}, pass, no);
    f.on(SYS_seccomp, {{is(0, SECCOMP_SET_MODE_FILTER), is(1, SECCOMP_FILTER_FLAG_TSYNC)}}, pass, no);
    f.on(SYS_kill, {{is(0, self)}}, pass, trap(Attempt::signal));
    f.on(SYS_tgkill, {{is(0, self)}}, pass, trap(Attempt::signal));
    // What the C library asks by itself, and takes a refusal for: is this a terminal, may this mapping have a name.
    f.on(SYS_ioctl, {{is(1, 0x5401)}, {is(1, 0x802c542a)}, {is(1, 0x541b)}}, fail(ENOTTY), no_file);
    f.on(SYS_prctl, {{is(0, PR_SET_NAME)}, {is(0, 0x53564d41)}}, fail(EINVAL), no);
}

// Code that runs in this process: computing, memory, threads, and the descriptors that are open already. What is not
// allowed is trapped, so that it is reported; an errno without a word is left to what the C library does by itself.
inline bool install_kernel_profile(const Descriptors &open)
{
    Filter f(trap(Attempt::kernel));
    by_argument(f, open, static_cast<uint32_t>(getpid()));
    // clang-format off
    f.on({SYS_sched_yield, SYS_munmap, SYS_brk, SYS_gettimeofday, SYS_nanosleep, SYS_close, SYS_fstat,
          SYS_rt_sigreturn, SYS_sigaltstack, SYS_getpid, SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid,
          SYS_getegid, SYS_exit, SYS_exit_group, SYS_set_robust_list, SYS_getrandom, SYS_getcpu, SYS_sysinfo,
          SYS_restart_syscall, SYS_getcwd},
         pass);
    // clang-format on
#if defined(__x86_64__)
    f.on({SYS_time, 334 /* rseq */}, pass);
#else
    f.on({293 /* rseq */}, pass);
#endif
    // A no-op that claims success: a thread that could block SIGSYS would die at its next attempt without a report.
    f.on({SYS_rt_sigprocmask}, fail(0));
    // clone3: its flags lie in memory, out of a filter's sight; the library then uses clone. map_shadow_stack, mseal:
    // newer libraries try them.
    f.on({435, 453, 462}, fail(ENOSYS));
    f.on({SYS_execve, SYS_execveat}, trap(Attempt::fork));
    f.on({SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_setitimer, SYS_timer_create, SYS_signalfd4},
         trap(Attempt::signal));
    // clang-format off
    f.on({SYS_openat, 437 /* openat2 */, SYS_newfstatat, SYS_statx, SYS_faccessat, 439 /* faccessat2 */, SYS_readlinkat,
          SYS_statfs, SYS_fstatfs, SYS_unlinkat, SYS_mkdirat, SYS_mknodat, SYS_linkat, SYS_symlinkat, SYS_renameat2,
          SYS_truncate, SYS_ftruncate, SYS_fallocate, SYS_fsync, SYS_fdatasync, SYS_sync_file_range, SYS_flock,
          SYS_fchmodat, SYS_fchmod, SYS_fchown, SYS_fchownat, SYS_chdir, SYS_fchdir, SYS_getdents64,
          SYS_memfd_create, SYS_utimensat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_getxattr, SYS_fgetxattr,
          SYS_removexattr, SYS_fremovexattr, SYS_inotify_init1, SYS_readv, SYS_preadv, SYS_preadv2, SYS_pwrite64,
          SYS_pwritev, SYS_pwritev2, SYS_sendfile, SYS_copy_file_range, SYS_splice, SYS_tee, SYS_vmsplice, SYS_dup,
          SYS_dup3, SYS_pipe2, 436 /* close_range */},
         trap(Attempt::file));
    // clang-format on
#if defined(__x86_64__)
    f.on({SYS_fork, SYS_vfork}, trap(Attempt::fork));
    f.on({SYS_alarm}, trap(Attempt::signal));
    f.on({SYS_open,   SYS_creat, SYS_stat,   SYS_lstat,    SYS_access, SYS_readlink, SYS_unlink, SYS_rmdir,
          SYS_mkdir,  SYS_mknod, SYS_link,   SYS_symlink,  SYS_rename, SYS_renameat, SYS_chmod,  SYS_chown,
          SYS_lchown, SYS_utime, SYS_utimes, SYS_getdents, SYS_dup2,   SYS_pipe},
         trap(Attempt::file));
#endif
    refuse_network(f, trap(Attempt::network));
    refuse_inspection(f, trap(Attempt::inspect));
    return f.install(trap(Attempt::kernel), false);
}

// A compiler and what it starts. Reaching out of its process group would outlive the group's end, so it is refused.
inline bool install_compiler_profile()
{
    Filter f(kill_process);
    refuse_network(f, fail(EPERM));
    refuse_inspection(f, fail(EPERM));
    refuse_kernel_surface(f, fail(EPERM));
    f.on({SYS_kill, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_setsid, SYS_setpgid}, fail(EPERM));
    return f.install(pass, false);
}

// A program that calls candidate code, and is no compiler: what the other profile refuses ends it, for whoever reads
// how it ended to see. Without `processes` it starts none; with them, a runtime's own questions (uname, ldconfig) pass.
inline bool install_candidate_profile(bool processes)
{
    Filter f(kill_process);
    const auto self = static_cast<uint32_t>(getpid());                       // akgen_sandbox does not fork
    f.on(SYS_socket, {{is(0, 1 /* AF_UNIX */)}}, fail(EPERM), kill_process); // the C library asks a name service
    f.on(SYS_kill, {{is(0, self)}}, pass, kill_process);
    f.on(SYS_tgkill, {{is(0, self)}}, pass, kill_process);
    f.on({SYS_mbind}, fail(EPERM)); // PyTorch asks where memory lies
    refuse_network(f, kill_process);
    refuse_inspection(f, kill_process);
    refuse_kernel_surface(f, kill_process);
    f.on({SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_setsid, SYS_setpgid}, kill_process);
    if (!processes) {
        constexpr uint32_t thread = 0x10000; // CLONE_THREAD
        f.on(SYS_clone, {{bits(0, thread, thread)}}, pass, kill_process);
        f.on({435 /* clone3 */}, fail(ENOSYS)); // its flags lie in memory; the library then uses clone
#if defined(__x86_64__)
        f.on({SYS_fork, SYS_vfork}, kill_process);
#endif
    }
    return f.install(pass, false);
}

// What a running kernel needs no more once all is loaded and every thread runs.
inline bool install_seal(const Descriptors &open)
{
    Filter f(trap(Attempt::kernel));
    const uint32_t no = trap(Attempt::kernel), no_file = trap(Attempt::file);
    f.on(SYS_mmap, {own_memory()}, pass, no);
    f.on(SYS_read, is_one_of(0, open.readable), pass, no_file);
    f.on(SYS_pread64, is_one_of(0, open.readable), pass, no_file);
    f.on(SYS_lseek, {{is(0, 1)}, {is(0, 2)}}, pass, no_file);
    f.on(SYS_fcntl, {{is(1, F_GETFL)}, {is(1, F_GETFD)}}, pass, no_file);
    f.on({SYS_getcwd}, no_file); // dlopen asks
    f.on(SYS_rt_sigaction, is_one_of(0, {SIGINT, SIGQUIT}), pass, trap(Attempt::signal));
    f.on({SYS_clone, 435 /* clone3 */}, trap(Attempt::fork));
    f.on({SYS_seccomp}, no);
    return f.install(pass, true);
}

} // namespace akgen::seccomp
