// The runtime of a program that launches kernels: device memory in a file that the other side holds, too, and launches
// as lines through a pipe. The other side believes nothing of what it reads there.
#include "acl/acl.h"
#include "akgen/direct_launch.h"
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

constexpr size_t alignment = 512;

struct Device {
    std::recursive_mutex mutex;
    uint8_t *address = nullptr; // what programs see; nothing there can be read
    uint8_t *contents = nullptr;
    size_t bytes = 0;
    std::map<uint8_t *, size_t> used;
    int request = -1, reply = -1;
    double clock_us = 0; // of kernels that ran
    aclError failed = ACL_SUCCESS;
    std::string said;
};

const char *told(const char *name)
{
    const char *value = std::getenv(name);
    if (value == nullptr) {
        std::fprintf(stderr, "akgen: this program runs under `akgen direct` only\n");
        std::exit(70);
    }
    return value;
}

Device &device()
{
    static Device *one = [] {
        auto *d = new Device;
        const int memory = open(told("AKGEN_DEVICE_MEMORY"), O_RDWR | O_CLOEXEC);
        d->request = open(told("AKGEN_LAUNCH_REQUESTS"), O_WRONLY | O_CLOEXEC);
        d->reply = open(told("AKGEN_LAUNCH_REPLIES"), O_RDONLY | O_CLOEXEC);
        struct stat facts = {};
        fstat(memory, &facts);
        d->bytes = static_cast<size_t>(facts.st_size);
        void *hidden = mmap(nullptr, d->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        void *mapped = mmap(nullptr, d->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
        if (memory < 0 || d->request < 0 || d->reply < 0 || hidden == MAP_FAILED || mapped == MAP_FAILED) {
            std::perror("akgen: the device cannot be reached");
            std::exit(70);
        }
        d->address = static_cast<uint8_t *>(hidden);
        d->contents = static_cast<uint8_t *>(mapped);
        return d;
    }();
    return *one;
}

aclError refuse(aclError code, const std::string &text)
{
    device().said = text;
    std::fprintf(stderr, "akgen: %s\n", text.c_str());
    return code;
}

bool on_device(const void *p)
{
    const auto *at = static_cast<const uint8_t *>(p);
    return at >= device().address && at < device().address + device().bytes;
}

// Return where the bytes lie that a copy may touch; nullptr if they do not belong to one allocation.
uint8_t *reach(const void *p, size_t bytes)
{
    akgen::direct::Memory whole;
    if (!akgen::direct::find_memory(p, whole)) {
        return nullptr;
    }
    const auto offset = static_cast<size_t>(static_cast<const uint8_t *>(p) - whole.base);
    return bytes <= whole.bytes - offset ? device().contents + (whole.base - device().address) + offset : nullptr;
}

std::string quoted(const std::string &text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
    }
    return out + "\"";
}

bool write_all(int fd, const std::string &text)
{
    size_t done = 0;
    while (done < text.size()) {
        const ssize_t n = write(fd, text.data() + done, text.size() - done);
        if (n <= 0) {
            return false;
        }
        done += static_cast<size_t>(n);
    }
    return true;
}

std::string read_line(int fd)
{
    std::string line;
    char c = 0;
    while (read(fd, &c, 1) == 1 && c != '\n') {
        line += c;
    }
    return line;
}

struct Event {
    double us = 0;
};

} // namespace

namespace akgen::direct {

bool find_memory(const void *address, Memory &found)
{
    Device &d = device();
    const std::lock_guard lock(d.mutex);
    auto *at = const_cast<uint8_t *>(static_cast<const uint8_t *>(address));
    auto next = d.used.upper_bound(at);
    if (next == d.used.begin()) {
        return false;
    }
    --next;
    found = {next->first, next->second};
    return at < next->first + next->second;
}

void launch(Request r)
{
    Device &d = device();
    const std::lock_guard lock(d.mutex);
    if (!r.wrong.empty()) {
        const std::string place = std::string(r.file) + ":" + std::to_string(r.line);
        d.failed = refuse(ACL_ERROR_RT_PARAM_INVALID, place + ": " + r.kernel + " is not launched: " + r.wrong);
        return;
    }
    std::string text = "{\"kernel\":" + quoted(r.kernel) + ",\"file\":" + quoted(r.file) +
                       ",\"line\":" + std::to_string(r.line) + ",\"blocks\":" + std::to_string(r.blocks) +
                       ",\"blob\":\"";
    for (const uint8_t byte : r.blob) {
        char hex[3];
        std::snprintf(hex, sizeof hex, "%02x", byte);
        text += hex;
    }
    text += "\",\"memory\":[";
    for (size_t i = 0; i < r.memory.size(); ++i) {
        text += (i ? ",[" : "[") + std::to_string(r.memory[i].base - d.address) + "," +
                std::to_string(r.memory[i].bytes) + "]";
    }
    std::fflush(nullptr);
    if (!write_all(d.request, text + "]}\n")) {
        std::exit(70);
    }
    const std::string answer = read_line(d.reply); // microseconds, or a sentence
    char *end = nullptr;
    const double us = std::strtod(answer.c_str(), &end);
    if (end != answer.c_str() && *end == '\0') {
        d.clock_us += us;
        return;
    }
    d.failed = refuse(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, r.kernel + " failed: " + answer);
}

} // namespace akgen::direct

extern "C" {

aclError aclInit(const char *)
{
    device();
    return ACL_SUCCESS;
}
aclError aclFinalize() { return ACL_SUCCESS; }
const char *aclGetRecentErrMsg() { return device().said.empty() ? nullptr : device().said.c_str(); }
const char *aclrtGetSocName() { return told("AKGEN_SOC"); }
aclError aclrtGetVersion(int32_t *major, int32_t *minor, int32_t *patch)
{
    *major = 1;
    *minor = 1;
    *patch = 0;
    return ACL_SUCCESS;
}
aclError aclrtGetRunMode(aclrtRunMode *mode)
{
    *mode = ACL_HOST;
    return ACL_SUCCESS;
}
aclError aclrtGetDeviceCount(uint32_t *count)
{
    *count = 1;
    return ACL_SUCCESS;
}
aclError aclrtSetDevice(int32_t number)
{
    return number == 0 ? ACL_SUCCESS : refuse(ACL_ERROR_RT_PARAM_INVALID, "there is one device, with number 0");
}
aclError aclrtGetDevice(int32_t *number)
{
    *number = 0;
    return ACL_SUCCESS;
}
aclError aclrtResetDevice(int32_t) { return ACL_SUCCESS; }
aclError aclrtSynchronizeDevice() { return device().failed; }
aclError aclrtSynchronizeDeviceWithTimeout(int32_t) { return device().failed; }
aclError aclrtCreateContext(aclrtContext *context, int32_t)
{
    *context = &device();
    return ACL_SUCCESS;
}
aclError aclrtDestroyContext(aclrtContext) { return ACL_SUCCESS; }
aclError aclrtSetCurrentContext(aclrtContext) { return ACL_SUCCESS; }
aclError aclrtGetCurrentContext(aclrtContext *context) { return aclrtCreateContext(context, 0); }
aclError aclrtCreateStream(aclrtStream *stream)
{
    *stream = new Event;
    return ACL_SUCCESS;
}
aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t, uint32_t) { return aclrtCreateStream(stream); }
aclError aclrtDestroyStream(aclrtStream stream)
{
    delete static_cast<Event *>(stream);
    return ACL_SUCCESS;
}
aclError aclrtDestroyStreamForce(aclrtStream stream) { return aclrtDestroyStream(stream); }
// A launch has ended when its call returns.
aclError aclrtStreamQuery(aclrtStream, aclrtStreamStatus *status)
{
    *status = ACL_STREAM_STATUS_COMPLETE;
    return ACL_SUCCESS;
}
aclError aclrtSynchronizeStream(aclrtStream) { return device().failed; }
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream, int32_t) { return device().failed; }
aclError aclrtCreateEvent(aclrtEvent *event) { return aclrtCreateStream(event); }
aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t) { return aclrtCreateStream(event); }
aclError aclrtDestroyEvent(aclrtEvent event) { return aclrtDestroyStream(event); }
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream)
{
    static_cast<Event *>(event)->us = device().clock_us;
    return ACL_SUCCESS;
}
aclError aclrtStreamWaitEvent(aclrtStream, aclrtEvent) { return ACL_SUCCESS; }
aclError aclrtResetEvent(aclrtEvent, aclrtStream) { return ACL_SUCCESS; }
aclError aclrtQueryEvent(aclrtEvent, aclrtEventStatus *status)
{
    *status = ACL_EVENT_STATUS_COMPLETE;
    return ACL_SUCCESS;
}
aclError aclrtQueryEventStatus(aclrtEvent, aclrtEventRecordedStatus *status)
{
    *status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
    return ACL_SUCCESS;
}
aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventStatus *status)
{
    return aclrtQueryEvent(event, status);
}
aclError aclrtSynchronizeEventWithTimeout(aclrtEvent, int32_t) { return device().failed; }
aclError aclrtSynchronizeEvent(aclrtEvent) { return device().failed; }
aclError aclrtEventElapsedTime(float *ms, aclrtEvent from, aclrtEvent to)
{
    *ms = static_cast<float>((static_cast<Event *>(to)->us - static_cast<Event *>(from)->us) / 1000);
    return ACL_SUCCESS;
}
aclError aclrtMalloc(void **memory, size_t bytes, aclrtMemMallocPolicy)
{
    Device &d = device();
    const std::lock_guard lock(d.mutex);
    if (memory == nullptr || bytes == 0) {
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "aclrtMalloc takes a place for the address and more than 0 bytes");
    }
    uint8_t *at = d.address;
    for (const auto &[base, size] : d.used) { // the first gap that is wide enough
        if (static_cast<size_t>(base - at) >= bytes + alignment) {
            break;
        }
        at = base + (size + alignment) / alignment * alignment;
    }
    if (bytes > d.bytes - static_cast<size_t>(at - d.address)) {
        return refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "the device has no memory left");
    }
    d.used[at] = bytes;
    std::memset(d.contents + (at - d.address), 0xff, bytes); // memory of a device may hold anything
    *memory = at;
    return ACL_SUCCESS;
}
aclError aclrtMallocAlign32(void **memory, size_t bytes, aclrtMemMallocPolicy policy)
{
    return aclrtMalloc(memory, bytes, policy);
}
aclError aclrtFree(void *memory)
{
    const std::lock_guard lock(device().mutex);
    return device().used.erase(static_cast<uint8_t *>(memory)) == 1
               ? ACL_SUCCESS
               : refuse(ACL_ERROR_RT_PARAM_INVALID, "aclrtFree: aclrtMalloc gave no such address");
}
aclError aclrtMallocHost(void **memory, size_t bytes)
{
    *memory = std::calloc(bytes == 0 ? 1 : bytes, 1);
    return *memory != nullptr ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC;
}
aclError aclrtFreeHost(void *memory)
{
    std::free(memory);
    return ACL_SUCCESS;
}
aclError aclrtGetMemInfo(aclrtMemAttr, size_t *free_bytes, size_t *bytes)
{
    size_t used = 0;
    for (const auto &[base, size] : device().used) {
        used += size;
    }
    *bytes = device().bytes;
    *free_bytes = device().bytes - used;
    return ACL_SUCCESS;
}
aclError aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, aclrtMemcpyKind kind)
{
    if (bytes > room) {
        return refuse(ACL_ERROR_INVALID_PARAM, "aclrtMemcpy: more bytes than the destination has room for");
    }
    const bool from_device = on_device(from), to_device = on_device(to);
    const bool says_from = kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    const bool says_to = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    if (kind != ACL_MEMCPY_DEFAULT && (from_device != says_from || to_device != says_to)) {
        return refuse(ACL_ERROR_INVALID_PARAM, "aclrtMemcpy: an address does not lie where the kind of copy says");
    }
    const void *source = from_device ? reach(from, bytes) : from;
    void *target = to_device ? reach(to, bytes) : to;
    if (source == nullptr || target == nullptr) {
        return refuse(ACL_ERROR_INVALID_PARAM, "aclrtMemcpy: the bytes reach beyond the memory that aclrtMalloc gave");
    }
    std::memmove(target, source, bytes);
    return ACL_SUCCESS;
}
aclError aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t bytes, aclrtMemcpyKind kind, aclrtStream)
{
    return aclrtMemcpy(to, room, from, bytes, kind);
}
aclError aclrtMemcpy2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                       aclrtMemcpyKind kind)
{
    if (width > to_pitch || width > from_pitch) {
        return refuse(ACL_ERROR_INVALID_PARAM, "aclrtMemcpy2d: a row is wider than what lies between two rows");
    }
    for (size_t row = 0; row < height; ++row) {
        const aclError done = aclrtMemcpy(static_cast<uint8_t *>(to) + row * to_pitch, width,
                                          static_cast<const uint8_t *>(from) + row * from_pitch, width, kind);
        if (done != ACL_SUCCESS) {
            return done;
        }
    }
    return ACL_SUCCESS;
}
aclError aclrtMemcpy2dAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream)
{
    return aclrtMemcpy2d(to, to_pitch, from, from_pitch, width, height, kind);
}
aclError aclrtMemset(void *memory, size_t room, int32_t value, size_t bytes)
{
    void *target = on_device(memory) ? reach(memory, bytes) : memory;
    if (target == nullptr || bytes > room) {
        return refuse(ACL_ERROR_INVALID_PARAM, "aclrtMemset: the bytes reach beyond the memory");
    }
    std::memset(target, value, bytes);
    return ACL_SUCCESS;
}
aclError aclrtMemsetAsync(void *memory, size_t room, int32_t value, size_t bytes, aclrtStream)
{
    return aclrtMemset(memory, room, value, bytes);
}
aclFloat16 aclFloatToFloat16(float value)
{
    const auto half = static_cast<_Float16>(value);
    aclFloat16 bits;
    std::memcpy(&bits, &half, sizeof bits);
    return bits;
}
float aclFloat16ToFloat(aclFloat16 value)
{
    _Float16 half;
    std::memcpy(&half, &value, sizeof half);
    return static_cast<float>(half);
}
size_t aclDataTypeSize(aclDataType type)
{
    switch (type) {
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_BOOL: return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16: return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32: return 4;
    case ACL_COMPLEX128: return 16;
    default: return type == ACL_DT_UNDEFINED ? 0 : 8;
    }
}
}
