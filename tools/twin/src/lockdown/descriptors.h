// Which descriptors a locked-down process may use, and for what: those that were open before, as they were opened.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace akgen {

struct Descriptors {
    std::vector<uint32_t> readable = {0};    // read from the front or at a position
    std::vector<uint32_t> writable = {1, 2}; // appended to; no position, no size
    uint32_t first_served = 3;               // served files have numbers from here on, most_served of them
};
constexpr uint32_t most_served = 64;

inline std::vector<int> open_descriptors()
{
    std::vector<int> found;
    if (DIR *folder = opendir("/proc/self/fd")) {
        while (const dirent *entry = readdir(folder)) {
            const int fd = std::atoi(entry->d_name);
            if (entry->d_name[0] != '.' && fd != dirfd(folder)) {
                found.push_back(fd);
            }
        }
        closedir(folder);
        return found;
    }
    for (int fd = 0; fd < 4096; ++fd) { // no /proc
        if (fcntl(fd, F_GETFD) >= 0) {
            found.push_back(fd);
        }
    }
    return found;
}

// Regular files and pipes only: no use is made of a socket, a folder or a device beyond the standard streams.
inline Descriptors descriptors_now()
{
    Descriptors now;
    for (const int fd : open_descriptors()) {
        if (static_cast<uint32_t>(fd) >= now.first_served) {
            now.first_served = static_cast<uint32_t>(fd) + 1;
        }
        struct stat info;
        const int flags = fcntl(fd, F_GETFL);
        if (fd <= 2 || flags < 0 || (flags & O_PATH) != 0 || fstat(fd, &info) != 0 ||
            !(S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode))) {
            continue;
        }
        ((flags & O_ACCMODE) == O_RDONLY ? now.readable : now.writable).push_back(static_cast<uint32_t>(fd));
    }
    return now;
}

} // namespace akgen
