// akgen_sandbox: run a program under the compiler profile, or another that needs files.
//
//   akgen_sandbox [--name TEXT] [--profile compiler|candidate|candidate-host] [--read PATH]... [--write PATH]...
//                 [--cpu-s N] [--address-bytes N] [--file-bytes N] [--open-files N]
//                 [--chdir DIR] -- PROGRAM ARGUMENT...
//   akgen_sandbox --state        say what this machine grants, as JSON
//
// Does not fork: the program takes this process's place. Status 125: the sandbox failed; 126: the program cannot start.
#include "../lockdown.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <unistd.h>

namespace {

const char *name = "akgen_sandbox: "; // before what it says

int usage(const char *why)
{
    std::fprintf(stderr, "%s%s\n", name, why);
    return 125;
}

int print_state()
{
    akgen::Lockdown wanted;
    wanted.profile = akgen::SandboxProfile::compiler;
    const akgen::LockdownState state = akgen::akgen_lockdown(wanted);
    std::printf(
        "{\"no_new_privs\":%s,\"seccomp\":%s,\"landlock_abi\":%d,\"user_namespace\":%s,\"network_namespace\":%s,"
        "\"ipc_namespace\":%s,\"missing\":\"%s\"}\n",
        state.no_new_privs ? "true" : "false", state.seccomp ? "true" : "false", state.landlock_abi,
        state.user_namespace ? "true" : "false", state.network_namespace ? "true" : "false",
        state.ipc_namespace ? "true" : "false", state.missing.c_str());
    return 0;
}

int run(int argc, char **argv)
{
    akgen::Lockdown wanted;
    wanted.profile = akgen::SandboxProfile::compiler;
    const char *folder = nullptr;
    int i = 1;
    for (; i < argc && std::strcmp(argv[i], "--") != 0; i += 2) {
        if (std::strcmp(argv[i], "--state") == 0) {
            return print_state();
        }
        if (i + 1 >= argc) {
            return usage("an option lacks its value");
        }
        const std::string option = argv[i];
        const char *value = argv[i + 1];
        if (option == "--name") {
            name = value;
        } else if (option == "--profile") {
            const std::string profile = value;
            wanted.profile = profile == "candidate"        ? akgen::SandboxProfile::candidate
                             : profile == "candidate-host" ? akgen::SandboxProfile::candidate_host
                                                           : akgen::SandboxProfile::compiler;
        } else if (option == "--read") {
            wanted.read_paths.push_back(value);
        } else if (option == "--write") {
            wanted.write_paths.push_back(value);
        } else if (option == "--cpu-s") {
            wanted.cpu_s = std::strtoull(value, nullptr, 10);
        } else if (option == "--address-bytes") {
            wanted.address_bytes = std::strtoull(value, nullptr, 10);
        } else if (option == "--file-bytes") {
            wanted.file_bytes = std::strtoull(value, nullptr, 10);
        } else if (option == "--open-files") {
            wanted.open_files = std::strtoull(value, nullptr, 10);
        } else if (option == "--chdir") {
            folder = value;
        } else {
            return usage("an option is unknown");
        }
    }
    if (i + 1 >= argc) {
        return usage("no program is given after --");
    }
    if (folder != nullptr && chdir(folder) != 0) {
        return usage("the working folder cannot be entered");
    }
    akgen::akgen_lockdown(wanted);
    execvp(argv[i + 1], argv + i + 1);
    std::fprintf(stderr, "%s%s: %s\n", name, argv[i + 1], std::strerror(errno));
    return 126;
}

} // namespace

int main(int argc, char **argv)
{
    try {
        return run(argc, argv);
    } catch (const std::exception &error) {
        return usage(error.what());
    }
}
