// The runtime's documented C interface. Device memory is host memory; kernels run on the twin, which the driver holds.
// A file `faults` in the exchange has lines `function code [after]`: the code that a function returns, after so many calls.
#include "runtime.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {
double clock_us = 0;
int stream_failed = 0;
std::string said;
std::map<const uint8_t *, size_t> memory;
std::map<std::string, int> calls;
int users_device = -1;

std::string exchange()
{
    const char *folder = std::getenv("AKGEN_REHEARSAL");
    return folder == nullptr ? "" : folder;
}

void nap(long us)
{
    timespec t{us / 1000000, us % 1000000 * 1000};
    nanosleep(&t, nullptr);
}

// As the runtime writes them: [LEVEL] MODULE(pid,program):time [file:line]thread function:text
void plog(int code, const std::string &text)
{
    const char *folder = std::getenv("ASCEND_PROCESS_LOG_PATH");
    if (folder == nullptr) {
        return;
    }
    const std::string base = folder;
    mkdir(base.c_str(), 0755);
    mkdir((base + "/debug").c_str(), 0755);
    mkdir((base + "/debug/plog").c_str(), 0755);
    std::ofstream out(base + "/debug/plog/plog-" + std::to_string(getpid()) + "_1.log", std::ios::app);
    out << "[ERROR] RUNTIME(" << getpid() << ",python):2025-01-01-00:00:00.000.000 [engine.cc:1123]" << getpid()
        << " ReportExceptProc:Task exception! retCode=0x" << std::hex << code << std::dec << ", " << text << "\n";
}

int answer(const char *function)
{
    const int code = rehearsal::fault(function);
    if (code != 0) {
        said = std::string("EZ9999: ") + function + " failed";
        plog(code, said);
    }
    return code;
}
} // namespace

namespace rehearsal {
std::string request_folder()
{
    static std::atomic<int> count{0};
    const std::string folder = exchange() + "/" + std::to_string(getpid()) + "-" + std::to_string(count++);
    mkdir(folder.c_str(), 0755);
    return folder;
}

Answer ask(const std::string &folder, const std::string &json)
{
    std::ofstream(folder + "/request.json") << json;
    std::ofstream(exchange() + "/queue" + folder.substr(folder.rfind('/'))).flush();
    const std::string reply = folder + "/reply";
    for (;;) {
        if (access(reply.c_str(), R_OK) == 0) {
            std::ifstream in(reply);
            Answer a;
            in >> a.code >> a.number;
            in.ignore();
            std::getline(in, a.text);
            return a;
        }
        if (access(exchange().c_str(), R_OK) != 0) {
            return {507899, 0, "the driver is gone"};
        }
        nap(1000);
    }
}

void passed(double us)
{
    const int percent = fault("clock"); // of its speed
    clock_us += percent == 0 ? us : us * 100 / percent;
}

void failed(int code, const std::string &text)
{
    if (stream_failed == 0) {
        stream_failed = code;
        said = text;
        plog(code, text);
    }
}

int fault(const char *function)
{
    std::ifstream in(exchange() + "/faults");
    std::string line;
    const int count = calls[function]++;
    while (std::getline(in, line)) {
        std::istringstream words(line);
        std::string name;
        int code = 0, after = 0;
        words >> name >> code >> after;
        if (name == function && count >= after) {
            return code;
        }
    }
    return 0;
}

size_t element_bytes(int type)
{
    switch (type) {
    case 2:
    case 4:
    case 12: return 1;
    case 1:
    case 6:
    case 7:
    case 27: return 2;
    case 9:
    case 10:
    case 11:
    case 16: return 8;
    default: return 4;
    }
}

bool known_memory(const void *address, size_t bytes)
{
    const auto *at = static_cast<const uint8_t *>(address);
    auto next = memory.upper_bound(at);
    if (next == memory.begin()) {
        return false;
    }
    --next;
    return at + bytes <= next->first + next->second;
}
} // namespace rehearsal

extern "C" {
int aclInit(const char *) { return answer("aclInit"); }
int aclFinalize() { return 0; }
const char *aclGetRecentErrMsg() { return said.empty() ? nullptr : said.c_str(); }
const char *aclrtGetSocName() { return "Ascend910B2"; }
int aclrtGetDeviceCount(uint32_t *count)
{
    *count = 1;
    return 0;
}
int aclrtSetDevice(int32_t number)
{
    if (number != 0) {
        return 107001; // one device
    }
    users_device = number;
    return answer("aclrtSetDevice");
}
int aclrtResetDevice(int32_t) { return 0; }
int aclrtSetOpExecuteTimeOut(uint32_t) { return 0; }
int aclrtCreateStream(void **stream)
{
    if (users_device < 0) {
        return 107002; // no context
    }
    *stream = new int(0);
    return answer("aclrtCreateStream");
}
int aclrtDestroyStream(void *stream)
{
    delete static_cast<int *>(stream);
    return 0;
}
int aclrtMalloc(void **place, size_t size, int)
{
    const int code = answer("aclrtMalloc");
    if (code != 0) {
        return code;
    }
    *place = std::aligned_alloc(512, (size + 511) / 512 * 512);
    memory[static_cast<uint8_t *>(*place)] = size;
    return *place == nullptr ? 207001 : 0;
}
int aclrtFree(void *place)
{
    memory.erase(static_cast<uint8_t *>(place));
    std::free(place);
    return 0;
}
int aclrtGetMemInfo(int kind, size_t *free, size_t *total)
{
    const int left_mb = rehearsal::fault("left"); // on the device, for this process
    *total = kind == 1 ? size_t{64} << 30 : 0;    // ACL_HBM_MEM; it has no other
    *free = kind != 1 ? 0 : left_mb != 0 ? size_t(left_mb) << 20 : size_t{60} << 30;
    return answer("aclrtGetMemInfo");
}
int aclrtMemcpy(void *to, size_t room, const void *from, size_t size, int kind)
{
    const void *device_side = kind == 1 ? to : from; // 1: host to device, 2: device to host
    if (size > room || ((kind == 1 || kind == 2) && !rehearsal::known_memory(device_side, size))) {
        return 107000;
    }
    std::memcpy(to, from, size);
    return answer("aclrtMemcpy");
}
int aclrtMemsetAsync(void *place, size_t room, int32_t value, size_t size, void *)
{
    if (size > room || !rehearsal::known_memory(place, size)) {
        return 107000;
    }
    std::memset(place, value, size < 65536 ? size : 65536); // what flushes a cache need not be touched
    return 0;
}
int aclrtSynchronizeStreamWithTimeout(void *, int32_t timeout_ms)
{
    if (rehearsal::fault("disk") != 0) { // from now on this process cannot write
        const rlimit none{0, 0};
        std::signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &none);
    }
    const int code = answer("aclrtSynchronizeStreamWithTimeout");
    if (code == 507046 || stream_failed == 507046) { // as when what was launched does not end
        nap(static_cast<long>(timeout_ms) * 1000);
    }
    return code != 0 ? code : stream_failed;
}
int aclrtSynchronizeStream(void *stream) { return aclrtSynchronizeStreamWithTimeout(stream, -1); }
int aclrtCreateEventWithFlag(void **event, uint32_t)
{
    *event = new double(0);
    return 0;
}
int aclrtRecordEvent(void *event, void *)
{
    *static_cast<double *>(event) = clock_us;
    return 0;
}
int aclrtEventElapsedTime(float *ms, void *first, void *last)
{
    *ms = static_cast<float>((*static_cast<double *>(last) - *static_cast<double *>(first)) / 1000);
    return 0;
}
}
