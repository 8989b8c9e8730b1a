// Locking a process down before hostile code runs in it: no new privileges, resource limits, capabilities dropped,
// namespaces where the machine grants them, Landlock, and a seccomp filter written by hand. Linux, x86-64 and AArch64.
// Needs no privilege, no bubblewrap and no libseccomp; what the machine refuses is left out and reported.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace akgen {

enum class SandboxProfile {
    // For a program that loads candidate code: threads yes; no process, no network, no file that was not opened
    // before (`serve` excepted), no signal to others. An attempt is reported on `report_fd` and ends the process.
    kernel,
    // For a compiler, through akgen_sandbox: processes and programs yes; files below read_paths and write_paths only;
    // no network, no new session. An attempt fails with EPERM or EACCES.
    compiler,
    // For a program that calls candidate code and needs files, through akgen_sandbox: as for a compiler, but an attempt
    // ends it by SIGSYS. `candidate_host` starts no processes either.
    candidate,
    candidate_host,
};

struct Lockdown {
    SandboxProfile profile = SandboxProfile::kernel;

    // Compiler profile: files and folders. The kernel profile ignores both and opens nothing.
    std::vector<std::string> read_paths;
    std::vector<std::string> write_paths;

    // Kernel profile: absolute paths that may still be opened for reading, such as the kernel's .so and the libraries
    // that it needs. They are opened here; a later open() of exactly this path is answered with that descriptor.
    std::vector<std::string> serve;

    uint64_t cpu_s = 0;         // CPU seconds of all threads; 0 leaves a limit as it is
    uint64_t address_bytes = 0; // address space; 0 in the kernel profile: what is in use now and default_headroom_bytes
    uint64_t file_bytes = 0;    // size of any file written; 0 in the kernel profile: default_file_bytes
    uint64_t open_files = 0;
    uint64_t processes = 0; // per user, threads counted; does not bind root

    // Kernel profile: where an attempt is reported, as one JSON line of the launcher's report:
    // {"kind":"diagnostic","code":"SANDBOX_NETWORK","api":"socket","text":"...","severity":"error","core":"",
    //  "so_offset":0,"count":1}. -1: nowhere. The process then ends with status `sandbox_exit_status`.
    int report_fd = -1;
    bool namespaces = true;      // try user, network and IPC namespaces
    bool die_with_parent = true; // SIGKILL when the thread that started this process ends
};

constexpr int sandbox_exit_status = 86;
constexpr uint64_t default_headroom_bytes = uint64_t{4}
                                            << 30;         // stacks of threads, timelines, buffers of the simulation
constexpr uint64_t default_file_bytes = uint64_t{2} << 30; // a large output, or the trace of a long kernel

// What is in force.
struct LockdownState {
    bool no_new_privs = false;
    bool seccomp = false;
    int landlock_abi = 0; // 0: the machine has no Landlock
    bool user_namespace = false;
    bool network_namespace = false;
    bool ipc_namespace = false;
    std::string missing; // names of what was refused, for people; empty if all is in force
};

// Lock this process down, for good. Call it while the process has one thread, with every file open that will be
// needed. Raises std::runtime_error if seccomp and no_new_privs cannot be had: then nothing hostile may run.
// In the kernel profile signal masks can no longer be changed: the calls claim success and do nothing. Regular files and
// pipes that are open keep their use, as they were opened: reading, or writing at the end of what was written.
// With AKGEN_SECCOMP_ONLY in the environment, namespaces and Landlock are left out, as on kernels that have none.
LockdownState akgen_lockdown(const Lockdown &wanted);

// Tighten the kernel profile once everything is loaded and every thread has been started: no further thread, no
// served file, no executable memory. Applies to all threads. Optional.
void akgen_lockdown_seal();

} // namespace akgen
