// Lock this process down as the launcher does, load a library, call its attack(), and say that it came back.
//   lockdown_probe LIBRARY REPORT seal|open [extra file to serve]
#include "lockdown.h"
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    akgen::Lockdown wanted;
    wanted.serve = {argv[1]};
    if (argc > 4) wanted.serve.push_back(argv[4]);
    wanted.report_fd = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600);
    wanted.cpu_s = 1;
    wanted.address_bytes = 1ull << 30;
    wanted.file_bytes = 1 << 20;
    const akgen::LockdownState state = akgen::akgen_lockdown(wanted);
    void *library = dlopen(argv[1], RTLD_NOW);
    if (library == nullptr) {
        std::printf("%s\n", dlerror());
        return 3;
    }
    int sum = 0;
    std::thread worker([&sum] { sum = 42; }); // the launcher needs threads
    worker.join();
    if (std::strcmp(argv[3], "seal") == 0) akgen::akgen_lockdown_seal();
    const int result = reinterpret_cast<int (*)()>(dlsym(library, "attack"))();
    std::printf("back %d threads %d missing [%s]\n", result, sum, state.missing.c_str());
    std::fflush(stdout);
    return 0;
}
