// The runtime of a host function: it writes down what is allocated, set and launched, and does nothing of it. Device
// memory is address space without contents, so that host code can neither read inputs nor write results.
#include "acl/acl.h"
#include "akgen/direct_launch.h"
#include "akgen/host_call.h"
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sys/mman.h>

namespace {

constexpr size_t alignment = 512, device_bytes = size_t(32) << 30, most_copied = 1 << 20;

struct Area {
    size_t bytes;
    int number; // among all memory, in the order in which it was given
};

struct Device {
    uint8_t *address = nullptr;
    size_t next = alignment;
    int count = 0;
    size_t copied = 0;
    std::map<uint8_t *, Area> used;
    FILE *out = nullptr;
    std::string said;
};

Device &device()
{
    static Device *one = new Device;
    return *one;
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

bool on_device(const void *p)
{
    const auto *at = static_cast<const uint8_t *>(p);
    return at >= device().address && at < device().address + device_bytes;
}

// Name the memory that holds these bytes, for a line of the record.
std::string place(const void *p, size_t bytes, const char *what)
{
    auto *at = const_cast<uint8_t *>(static_cast<const uint8_t *>(p));
    auto next = device().used.upper_bound(at);
    if (next != device().used.begin()) {
        --next;
        const auto offset = static_cast<size_t>(at - next->first);
        if (offset <= next->second.bytes && bytes <= next->second.bytes - offset) {
            return "\"memory\":" + std::to_string(next->second.number) + ",\"offset\":" + std::to_string(offset);
        }
    }
    akgen::launched::refuse("HOST_MEMORY", std::string(what) + " reaches beyond the memory that it names.");
}

uint8_t *allocate(size_t bytes)
{
    Device &d = device();
    const size_t whole = (bytes + alignment) / alignment * alignment;
    if (whole > device_bytes - d.next) {
        akgen::launched::refuse("HOST_MEMORY", "The device has no memory left.");
    }
    uint8_t *at = d.address + d.next;
    d.next += whole;
    d.used[at] = {bytes, d.count++};
    return at;
}

} // namespace

namespace akgen::launched {

void begin_record(const char *file)
{
    device().out = std::fopen(file, "w");
    void *hidden = mmap(nullptr, device_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (device().out == nullptr || hidden == MAP_FAILED) {
        std::perror("akgen: the record cannot be written");
        std::exit(70);
    }
    device().address = static_cast<uint8_t *>(hidden);
}

void begin_next_call() { std::fputs("{\"kind\":\"next\"}\n", device().out); }

void end_record()
{
    std::fputs("{\"kind\":\"end\"}\n", device().out);
    std::fclose(device().out);
}

uint8_t *reserve(size_t bytes) { return allocate(bytes); }

[[noreturn]] void refuse(const char *code, const std::string &text)
{
    std::fprintf(device().out, "{\"kind\":\"refused\",\"code\":\"%s\",\"text\":%s}\n", code, quoted(text).c_str());
    std::fclose(device().out);
    std::_Exit(71);
}

} // namespace akgen::launched

namespace akgen::direct {

bool find_memory(const void *address, Memory &found)
{
    auto *at = const_cast<uint8_t *>(static_cast<const uint8_t *>(address));
    auto next = device().used.upper_bound(at);
    if (next == device().used.begin()) {
        return false;
    }
    --next;
    found = {next->first, next->second.bytes};
    return at <= next->first + next->second.bytes;
}

void launch(Request r)
{
    if (!r.wrong.empty()) {
        launched::refuse("HOST_MEMORY", "The launch of " + r.kernel + " cannot be made: " + r.wrong + ".");
    }
    std::string text = "{\"kind\":\"launch\",\"kernel\":" + quoted(r.kernel) + ",\"line\":" + std::to_string(r.line) +
                       ",\"blocks\":" + std::to_string(r.blocks) + ",\"blob\":\"";
    for (const uint8_t byte : r.blob) {
        char hex[3];
        std::snprintf(hex, sizeof hex, "%02x", byte);
        text += hex;
    }
    text += "\",\"memory\":[";
    for (size_t i = 0; i < r.memory.size(); ++i) {
        text += (i ? "," : "") + std::to_string(device().used[r.memory[i].base].number);
    }
    std::fprintf(device().out, "%s]}\n", text.c_str());
}

} // namespace akgen::direct

extern "C" {

aclError aclInit(const char *) { return ACL_SUCCESS; }
aclError aclFinalize() { return ACL_SUCCESS; }
const char *aclGetRecentErrMsg() { return nullptr; }
const char *aclrtGetSocName()
{
    const char *name = std::getenv("AKGEN_SOC");
    return name ? name : "";
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
aclError aclrtSetDevice(int32_t) { return ACL_SUCCESS; }
aclError aclrtGetDevice(int32_t *number)
{
    *number = 0;
    return ACL_SUCCESS;
}
aclError aclrtResetDevice(int32_t) { return ACL_SUCCESS; }
aclError aclrtSynchronizeDevice() { return ACL_SUCCESS; }
aclError aclrtSynchronizeStream(aclrtStream) { return ACL_SUCCESS; }
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream, int32_t) { return ACL_SUCCESS; }
aclError aclrtCreateStream(aclrtStream *stream)
{
    *stream = nullptr;
    return ACL_SUCCESS;
}
aclError aclrtDestroyStream(aclrtStream) { return ACL_SUCCESS; }
aclError aclrtMalloc(void **memory, size_t bytes, aclrtMemMallocPolicy)
{
    if (memory == nullptr || bytes == 0) {
        akgen::launched::refuse("HOST_MEMORY", "aclrtMalloc takes a place for the address and more than 0 bytes.");
    }
    *memory = allocate(bytes);
    std::fprintf(device().out, "{\"kind\":\"allocate\",\"bytes\":%zu}\n", bytes);
    return ACL_SUCCESS;
}
aclError aclrtMallocAlign32(void **memory, size_t bytes, aclrtMemMallocPolicy policy)
{
    return aclrtMalloc(memory, bytes, policy);
}
aclError aclrtFree(void *) { return ACL_SUCCESS; } // of a stream's memory: once its work is done
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
aclError aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, aclrtMemcpyKind)
{
    if (bytes > room) {
        akgen::launched::refuse("HOST_MEMORY", "aclrtMemcpy: more bytes than the destination has room for.");
    }
    if (on_device(from)) {
        akgen::launched::refuse(
            "HOST_MEMORY", "aclrtMemcpy reads the device's memory: a host function launches, and does not see values.");
    }
    if (!on_device(to)) {
        std::memmove(to, from, bytes);
        return ACL_SUCCESS;
    }
    device().copied += bytes;
    if (device().copied > most_copied) {
        akgen::launched::refuse("HOST_MEMORY", "The host hands over more than a megabyte.");
    }
    std::string hex;
    for (size_t i = 0; i < bytes; ++i) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x", static_cast<const uint8_t *>(from)[i]);
        hex += two;
    }
    std::fprintf(device().out, "{\"kind\":\"copy\",%s,\"bytes\":\"%s\"}\n", place(to, bytes, "aclrtMemcpy").c_str(),
                 hex.c_str());
    return ACL_SUCCESS;
}
aclError aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t bytes, aclrtMemcpyKind kind, aclrtStream)
{
    return aclrtMemcpy(to, room, from, bytes, kind);
}
aclError aclrtMemset(void *memory, size_t room, int32_t value, size_t bytes)
{
    if (bytes > room) {
        akgen::launched::refuse("HOST_MEMORY", "aclrtMemset: more bytes than the destination has room for.");
    }
    if (!on_device(memory)) {
        std::memset(memory, value, bytes);
        return ACL_SUCCESS;
    }
    std::fprintf(device().out, "{\"kind\":\"fill\",%s,\"value\":%d,\"count\":%zu}\n",
                 place(memory, bytes, "aclrtMemset").c_str(), value & 255, bytes);
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
