// The program's half: inputs in host memory of the runtime, a context, a kernel in another file.
#include <cstdio>
#include "acl/acl.h"

extern void sub_custom_do(uint32_t blockDim, void *stream, uint8_t *x, uint8_t *y, uint8_t *z);

int32_t main(int32_t argc, char *argv[])
{
    const uint32_t blockDim = 4, length = 4 * 512;
    const size_t bytes = length * sizeof(int32_t);
    aclInit(nullptr);
    aclrtContext context;
    aclrtSetDevice(0);
    aclrtCreateContext(&context, 0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    int32_t *xHost, *yHost, *zHost;
    uint8_t *xDevice, *yDevice, *zDevice;
    aclrtMallocHost((void **)&xHost, bytes);
    aclrtMallocHost((void **)&yHost, bytes);
    aclrtMallocHost((void **)&zHost, bytes);
    aclrtMalloc((void **)&xDevice, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc((void **)&yDevice, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc((void **)&zDevice, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    for (uint32_t i = 0; i < length; ++i) {
        xHost[i] = static_cast<int32_t>(i * 3);
        yHost[i] = static_cast<int32_t>(i);
    }
    aclrtMemcpy(xDevice, bytes, xHost, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemcpy(yDevice, bytes, yHost, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    sub_custom_do(blockDim, stream, xDevice, yDevice, zDevice);
    aclrtSynchronizeStream(stream);
    aclrtMemcpy(zHost, bytes, zDevice, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    int wrong = 0;
    for (uint32_t i = 0; i < length; ++i) {
        wrong += zHost[i] != static_cast<int32_t>(2 * i);
    }
    std::printf("%d wrong\n", wrong);
    aclrtFree(xDevice);
    aclrtFree(yDevice);
    aclrtFree(zDevice);
    aclrtFreeHost(xHost);
    aclrtFreeHost(yHost);
    aclrtFreeHost(zHost);
    aclrtDestroyStream(stream);
    aclrtDestroyContext(context);
    aclrtResetDevice(0);
    aclFinalize();
    return wrong != 0;
}
