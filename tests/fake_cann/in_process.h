// Host code that does more than tile, in the process where CANN calls it. The rehearsal's fault `hostile` says what.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace rehearsal {
int fault(const char *function);
}

static int mode = 0;
static std::atomic<long> spun{0};
static char *room = nullptr;

static void patch(const char *name)
{
    const auto at = reinterpret_cast<unsigned long>(dlsym(RTLD_DEFAULT, name));
    void *page = reinterpret_cast<void *>(at & ~4095ul);
    if (at == 0 || mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        std::abort();
    }
    auto *code = reinterpret_cast<volatile unsigned char *>(at);
    code[0] = code[0]; // written, if only with itself
    mprotect(page, 8192, PROT_READ | PROT_EXEC);
}

static void wait_for_ever()
{
    for (;;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

static void tiling_of_call(int n)
{
    if (n != 1) {
        return;
    }
    mode = rehearsal::fault("hostile");
    switch (mode) {
    case 1: std::thread(wait_for_ever).detach(); break;
    case 2:
        std::thread([] {
            for (;;) {
                ++spun;
            }
        }).detach();
        break;
    case 3: {
        room = static_cast<char *>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        std::memset(room, 0xc3, 4096);
        break;
    }
    case 4: patch("aclrtEventElapsedTime"); break;
    case 8: std::thread([] { usleep(1000); }).join(); break; // it has ended: nothing is left
    default: break;
    }
}

static bool is_empty(int n)
{
    return (mode == 5 && n > 1) || (mode == 6 && n > 1 && n % 2 == 0) || (mode == 7 && n > 1);
}
