// The runtime's documented C interface over host memory. AKGEN_STUB_FAIL names a function and the code that it returns:
// "aclrtSynchronizeStreamWithTimeout=507035".
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {
int answer(const char *function)
{
    const char *wanted = std::getenv("AKGEN_STUB_FAIL");
    const std::string key = std::string(function) + "=";
    if (wanted != nullptr && std::strncmp(wanted, key.c_str(), key.size()) == 0) {
        return std::atoi(wanted + key.size());
    }
    return 0;
}
} // namespace

extern "C" {
int aclInit(const char *) { return answer("aclInit"); }
int aclFinalize() { return 0; }
int aclrtSetDevice(int32_t) { return answer("aclrtSetDevice"); }
int aclrtResetDevice(int32_t) { return 0; }
int aclrtSetOpExecuteTimeOut(uint32_t) { return 0; }
const char *aclGetRecentErrMsg() { return "the stub's own words"; }
int aclrtCreateStream(void **stream)
{
    *stream = new int(0);
    return 0;
}
int aclrtDestroyStream(void *stream)
{
    delete static_cast<int *>(stream);
    return 0;
}
int aclrtMalloc(void **place, size_t size, int)
{
    *place = std::aligned_alloc(512, (size + 511) / 512 * 512);
    return answer("aclrtMalloc");
}
int aclrtMemcpy(void *to, size_t, const void *from, size_t size, int)
{
    std::memcpy(to, from, size);
    return 0;
}
int aclrtMemsetAsync(void *place, size_t, int32_t value, size_t size, void *)
{
    std::memset(place, value, size < 65536 ? size : 65536);
    return 0;
}
int aclrtSynchronizeStreamWithTimeout(void *, int32_t) { return answer("aclrtSynchronizeStreamWithTimeout"); }
int aclrtCreateEventWithFlag(void **event, uint32_t)
{
    *event = new double(0);
    return 0;
}
int aclrtRecordEvent(void *event, void *)
{
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    *static_cast<double *>(event) = std::chrono::duration<double, std::milli>(now).count();
    return 0;
}
int aclrtEventElapsedTime(float *ms, void *first, void *last)
{
    *ms = static_cast<float>(*static_cast<double *>(last) - *static_cast<double *>(first));
    return 0;
}
}
