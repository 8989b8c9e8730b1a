#include "lockdown.h"
#include "lockdown/attempts.h"
#include "lockdown/landlock.h"
#include "lockdown/profiles.h"
#include <linux/capability.h>
#include <cstdlib>
#include <sched.h>
#include <stdexcept>
#include <sys/resource.h>

namespace akgen {
namespace {

Descriptors descriptors; // as they were at the lockdown; the seal needs them again

void write_text(const char *path, const std::string &text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    const ssize_t written = write(fd, text.data(), text.size());
    static_cast<void>(written);
    close(fd);
}

// Leave the network and System V IPC of the machine, through a user namespace where privilege is lacking.
void enter_namespaces(LockdownState &state)
{
    const uid_t uid = geteuid();
    const gid_t gid = getegid();
    if (uid == 0 && unshare(CLONE_NEWNET | CLONE_NEWIPC) == 0) {
        state.network_namespace = state.ipc_namespace = true;
        return;
    }
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) != 0) {
        state.missing += " namespaces";
        return;
    }
    write_text("/proc/self/setgroups", "deny");
    write_text("/proc/self/uid_map", std::to_string(uid) + " " + std::to_string(uid) + " 1");
    write_text("/proc/self/gid_map", std::to_string(gid) + " " + std::to_string(gid) + " 1");
    state.user_namespace = state.network_namespace = state.ipc_namespace = true;
}

void limit(int resource, uint64_t value)
{
    rlimit now;
    if (getrlimit(static_cast<__rlimit_resource_t>(resource), &now) != 0) {
        return;
    }
    if (now.rlim_max != RLIM_INFINITY && value > now.rlim_max) {
        value = now.rlim_max;
    }
    now.rlim_cur = now.rlim_max = value;
    setrlimit(static_cast<__rlimit_resource_t>(resource), &now);
}

// The address space in use, 0 if the machine does not say.
uint64_t address_space_in_use()
{
    char text[64] = {};
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    const ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    return got > 0 ? std::strtoull(text, nullptr, 10) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

void set_limits(const Lockdown &wanted)
{
    const bool for_kernel = wanted.profile == SandboxProfile::kernel;
    uint64_t address_bytes = wanted.address_bytes, file_bytes = wanted.file_bytes;
    if (for_kernel && address_bytes == 0) {
        const uint64_t used = address_space_in_use();
        address_bytes = used > 0 ? used + default_headroom_bytes : 0;
    }
    if (for_kernel && file_bytes == 0) {
        file_bytes = default_file_bytes;
    }
    limit(RLIMIT_CORE, 0);
    if (wanted.cpu_s > 0) {
        limit(RLIMIT_CPU, wanted.cpu_s);
    }
    if (address_bytes > 0) {
        limit(RLIMIT_AS, address_bytes);
    }
    if (file_bytes > 0) {
        limit(RLIMIT_FSIZE, file_bytes);
    }
    if (wanted.open_files > 0) {
        limit(RLIMIT_NOFILE, wanted.open_files);
    }
    if (wanted.processes > 0) {
        limit(RLIMIT_NPROC, wanted.processes);
    }
    write_text("/proc/self/oom_score_adj", "1000"); // short of memory, the machine ends this process first
}

// A compiler run by root keeps the right to write into folders of other users: Landlock says which.
void drop_capabilities(bool keep_file_access)
{
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    if (keep_file_access && syscall(SYS_capget, &header, data) == 0) {
        const uint32_t kept = (1u << CAP_DAC_OVERRIDE) | (1u << CAP_DAC_READ_SEARCH);
        data[0].effective &= kept;
        data[0].permitted &= kept;
        data[0].inheritable = 0;
        data[1] = {};
    }
    syscall(SYS_capset, &header, data);
}

} // namespace

LockdownState akgen_lockdown(const Lockdown &wanted)
{
    LockdownState state;
    const bool for_kernel = wanted.profile == SandboxProfile::kernel;
    const pid_t parent = getppid();
    const bool old_kernel = std::getenv("AKGEN_SECCOMP_ONLY") != nullptr;
    if (for_kernel) {
        descriptors = descriptors_now();
        attempts::prepare(wanted.serve, descriptors, wanted.report_fd, sandbox_exit_status);
    }
    if (old_kernel) {
        state.missing += " namespaces";
    } else if (wanted.namespaces) {
        enter_namespaces(state);
    }
    set_limits(wanted);
    state.no_new_privs = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    if (old_kernel) {
        state.landlock_abi = 0;
    } else if (for_kernel) {
        state.landlock_abi = landlock::restrict({}, {});
    } else {
        std::vector<std::string> readable = wanted.read_paths, writable = wanted.write_paths;
        readable.insert(readable.end(), {"/dev/urandom", "/dev/zero"});
        writable.push_back("/dev/null");
        state.landlock_abi = landlock::restrict(readable, writable);
    }
    if (state.landlock_abi == 0) {
        state.missing += " Landlock";
    }
    drop_capabilities(!for_kernel && !state.user_namespace);
    if (wanted.die_with_parent) { // after the change of credentials, which clears it
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (getppid() != parent) {
            _exit(sandbox_exit_status);
        }
    }
    state.seccomp = for_kernel ? seccomp::install_kernel_profile(descriptors)
                    : wanted.profile == SandboxProfile::compiler
                        ? seccomp::install_compiler_profile()
                        : seccomp::install_candidate_profile(wanted.profile == SandboxProfile::candidate);
    if (!state.seccomp || !state.no_new_privs) {
        throw std::runtime_error("this machine offers no seccomp filter, and generated code does not run without one");
    }
    if (!state.missing.empty()) {
        state.missing.erase(0, 1);
    }
    return state;
}

void akgen_lockdown_seal()
{
    attempts::serving = false;
    seccomp::install_seal(descriptors);
}

} // namespace akgen
