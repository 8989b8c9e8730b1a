// Landlock by raw system calls, for every ABI from 1 on. Constants are repeated here because old headers lack them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <string>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace akgen::landlock {

constexpr long sys_create_ruleset = 444, sys_add_rule = 445, sys_restrict_self = 446; // the same on every machine

constexpr uint64_t fs_execute = 1ull << 0, fs_write_file = 1ull << 1, fs_read_file = 1ull << 2, fs_read_dir = 1ull << 3,
                   fs_remove_dir = 1ull << 4, fs_remove_file = 1ull << 5, fs_make_dir = 1ull << 7,
                   fs_make_reg = 1ull << 8, fs_make_sym = 1ull << 12, fs_refer = 1ull << 13, fs_truncate = 1ull << 14;
constexpr uint64_t for_files = fs_execute | fs_write_file | fs_read_file | fs_truncate;
constexpr uint64_t reading = fs_execute | fs_read_file | fs_read_dir;
constexpr uint64_t writing = reading | fs_write_file | fs_remove_dir | fs_remove_file | fs_make_dir | fs_make_reg |
                             fs_make_sym | fs_refer | fs_truncate;

struct RulesetAttr {
    uint64_t handled_fs, handled_net, scoped;
};
struct __attribute__((packed)) PathAttr {
    uint64_t allowed;
    int32_t parent_fd;
};

// The ABI that this kernel offers, 0 if none.
inline int abi()
{
    const long version = syscall(sys_create_ruleset, nullptr, 0, 1u);
    return version > 0 ? static_cast<int>(version) : 0;
}

inline uint64_t handled_by(int abi)
{
    if (abi >= 5) {
        return (1ull << 16) - 1; // device ioctls
    }
    if (abi >= 3) {
        return (1ull << 15) - 1; // truncation
    }
    if (abi == 2) {
        return (1ull << 14) - 1; // linking and renaming across folders
    }
    return (1ull << 13) - 1;
}

inline void allow(int ruleset, const std::string &path, uint64_t access, uint64_t handled)
{
    const int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
    if (fd < 0) {
        return; // what is not there need not be allowed
    }
    struct stat info;
    if (fstat(fd, &info) == 0) {
        if (!S_ISDIR(info.st_mode)) {
            access &= for_files;
        }
        const PathAttr rule{access & handled, fd};
        syscall(sys_add_rule, ruleset, 1, &rule, 0);
    }
    close(fd);
}

// Confine this thread, and what it starts, to these paths. Returns the ABI in force, 0 if there is none.
inline int restrict(const std::vector<std::string> &read_paths, const std::vector<std::string> &write_paths)
{
    const int version = abi();
    if (version == 0) {
        return 0;
    }
    const RulesetAttr attr{handled_by(version), version >= 4 ? 3ull : 0ull, version >= 6 ? 3ull : 0ull};
    const std::size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    const int ruleset = static_cast<int>(syscall(sys_create_ruleset, &attr, size, 0));
    if (ruleset < 0) {
        return 0;
    }
    for (const std::string &path : read_paths) {
        allow(ruleset, path, reading, attr.handled_fs);
    }
    for (const std::string &path : write_paths) {
        allow(ruleset, path, writing, attr.handled_fs);
    }
    const long refused = syscall(sys_restrict_self, ruleset, 0);
    close(ruleset);
    return refused == 0 ? version : 0;
}

} // namespace akgen::landlock
