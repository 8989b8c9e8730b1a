// Which system calls each profile lets pass.
#pragma once
#include "filter.h"
#include <csignal>
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

// Code that runs in this process: computing, memory, threads, and the descriptors that are open already.
inline bool install_kernel_profile()
{
    Filter f;
    const uint32_t self = static_cast<uint32_t>(getpid());
    // clang-format off
    f.on({SYS_futex, SYS_sched_yield, SYS_read, SYS_write, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_brk,
          SYS_mremap, SYS_clock_gettime, SYS_gettimeofday, SYS_nanosleep, SYS_clock_nanosleep, SYS_pread64, SYS_pwrite64,
          SYS_readv, SYS_writev, SYS_lseek, SYS_close, SYS_fstat, SYS_fcntl, SYS_ftruncate, SYS_fsync, SYS_fdatasync,
          SYS_fallocate, SYS_msync, SYS_mincore, SYS_rt_sigreturn, SYS_sigaltstack, SYS_getpid,
          SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_exit, SYS_exit_group,
          SYS_set_robust_list, SYS_get_robust_list, SYS_set_tid_address, SYS_getrandom, SYS_sched_getaffinity,
          SYS_sched_setaffinity, SYS_uname, SYS_getcpu, SYS_membarrier, SYS_sysinfo, SYS_getrusage, SYS_times, SYS_dup,
          SYS_ppoll, SYS_seccomp, SYS_restart_syscall, SYS_getcwd,
          334}, // rseq on x86-64
         pass);
    // clang-format on
#if defined(__x86_64__)
    f.on({SYS_time, SYS_poll, SYS_arch_prctl}, pass);
#else
    f.on({293}, pass); // rseq
#endif
    // A no-op that claims success: a thread that could block SIGSYS would die at its next attempt without a report.
    f.on({SYS_rt_sigprocmask}, fail(0));
    f.on_bits(SYS_newfstatat, 3, 0x1000 /* AT_EMPTY_PATH: fstat */, pass, fail(EACCES));
    f.on_value(SYS_rt_sigaction, 0, SIGSYS, kill_process, pass);
    f.on_value(SYS_prlimit64, 0, 0, pass).on_value(SYS_prlimit64, 0, self, pass, fail(EPERM));
    f.on_value(SYS_prctl, 0, PR_SET_NAME, pass, fail(EPERM));
    f.on({SYS_ioctl}, fail(ENOTTY));
    f.on({SYS_statx, SYS_faccessat, 439 /* faccessat2 */, SYS_readlinkat, SYS_statfs, SYS_fstatfs}, fail(EACCES));
    f.on({435 /* clone3 */},
         fail(ENOSYS)); // its flags lie in memory, out of a filter's sight; the library then uses clone
    f.on_bits(SYS_clone, 0, CLONE_THREAD, pass, trap(Attempt::fork));
    f.on({SYS_execve, SYS_execveat}, trap(Attempt::fork));
    f.on_value(SYS_kill, 0, self, pass, trap(Attempt::signal));
    f.on_value(SYS_tgkill, 0, self, pass, trap(Attempt::signal));
    f.on({SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo}, trap(Attempt::signal));
    // clang-format off
    f.on({SYS_openat, 437 /* openat2 */, SYS_unlinkat, SYS_mkdirat, SYS_mknodat, SYS_linkat, SYS_symlinkat, SYS_renameat2,
          SYS_truncate, SYS_fchmodat, SYS_fchmod, SYS_fchownat, SYS_chdir, SYS_fchdir, SYS_getdents64, SYS_memfd_create,
          SYS_utimensat, SYS_setxattr, SYS_inotify_init1},
         trap(Attempt::file));
    // clang-format on
#if defined(__x86_64__)
    f.on({SYS_stat, SYS_lstat, SYS_access, SYS_readlink}, fail(EACCES));
    f.on({SYS_fork, SYS_vfork}, trap(Attempt::fork));
    f.on({SYS_open, SYS_creat, SYS_unlink, SYS_rmdir, SYS_mkdir, SYS_mknod, SYS_link, SYS_symlink, SYS_rename,
          SYS_renameat, SYS_chmod, SYS_chown, SYS_getdents},
         trap(Attempt::file));
#endif
    refuse_network(f, trap(Attempt::network));
    refuse_inspection(f, trap(Attempt::inspect));
    refuse_kernel_surface(f, trap(Attempt::kernel));
    return f.install(fail(EPERM), false);
}

// A compiler and what it starts. Reaching out of its process group would outlive the group's end, so it is refused.
inline bool install_compiler_profile()
{
    Filter f;
    refuse_network(f, fail(EPERM));
    refuse_inspection(f, fail(EPERM));
    refuse_kernel_surface(f, fail(EPERM));
    f.on({SYS_kill, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_setsid, SYS_setpgid}, fail(EPERM));
    return f.install(pass, false);
}

// What a running kernel needs no more once all is loaded and every thread runs.
inline bool install_seal()
{
    Filter f;
    f.on({SYS_clone}, trap(Attempt::fork));
    f.on_bits(SYS_mmap, 2, PROT_EXEC, fail(EPERM), pass);
    f.on_bits(SYS_mprotect, 2, PROT_EXEC, fail(EPERM), pass);
    f.on({SYS_seccomp}, fail(EPERM));
    return f.install(pass, true);
}

} // namespace akgen::seccomp
