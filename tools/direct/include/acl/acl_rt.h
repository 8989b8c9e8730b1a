// The vendor's runtime as programs call it that launch kernels themselves: device, streams, events, memory.
// Device memory cannot be read by the host; what is copied into it and out of it is checked.
// Not covered: models, several devices, virtual memory, callbacks, loading of kernel binaries.
#pragma once
#include "acl/acl_base.h"
#include <cstddef>
#include <cstdint>

using aclrtStream = void *;
using aclrtContext = void *;
using aclrtEvent = void *;

enum aclrtMemMallocPolicy {
    ACL_MEM_MALLOC_HUGE_FIRST,
    ACL_MEM_MALLOC_HUGE_ONLY,
    ACL_MEM_MALLOC_NORMAL_ONLY,
    ACL_MEM_MALLOC_HUGE_FIRST_P2P,
    ACL_MEM_MALLOC_HUGE_ONLY_P2P,
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P,
    ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x0100,
    ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000,
};
enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE,
    ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_DEVICE_TO_DEVICE,
    ACL_MEMCPY_DEFAULT,
};
enum aclrtMemAttr { ACL_DDR_MEM, ACL_HBM_MEM };
enum aclrtRunMode { ACL_DEVICE, ACL_HOST };
enum aclrtEventStatus { ACL_EVENT_STATUS_COMPLETE, ACL_EVENT_STATUS_NOT_READY, ACL_EVENT_STATUS_RESERVED };
enum aclrtEventRecordedStatus { ACL_EVENT_RECORDED_STATUS_NOT_READY, ACL_EVENT_RECORDED_STATUS_COMPLETE };
enum aclrtStreamStatus {
    ACL_STREAM_STATUS_COMPLETE,
    ACL_STREAM_STATUS_NOT_READY,
    ACL_STREAM_STATUS_RESERVED = 0xFFFF,
};
constexpr uint32_t ACL_STREAM_FAST_LAUNCH = 1;
constexpr uint32_t ACL_STREAM_FAST_SYNC = 2;
constexpr uint32_t ACL_EVENT_SYNC = 1;
constexpr uint32_t ACL_EVENT_CAPTURE_STREAM_PROGRESS = 2;
constexpr uint32_t ACL_EVENT_TIME_LINE = 8;

extern "C" {
aclError aclInit(const char *config);
aclError aclFinalize();
const char *aclGetRecentErrMsg();
const char *aclrtGetSocName();
aclError aclrtGetVersion(int32_t *major, int32_t *minor, int32_t *patch); // of the interface, as in CANN 8 and 9
aclError aclrtGetRunMode(aclrtRunMode *mode);
aclError aclrtGetDeviceCount(uint32_t *count);
aclError aclrtSetDevice(int32_t device);
aclError aclrtGetDevice(int32_t *device);
aclError aclrtResetDevice(int32_t device);
aclError aclrtSynchronizeDevice();
aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout_ms);
aclError aclrtCreateContext(aclrtContext *context, int32_t device);
aclError aclrtDestroyContext(aclrtContext context);
aclError aclrtSetCurrentContext(aclrtContext context);
aclError aclrtGetCurrentContext(aclrtContext *context);
aclError aclrtCreateStream(aclrtStream *stream);
aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag);
aclError aclrtDestroyStream(aclrtStream stream);
aclError aclrtDestroyStreamForce(aclrtStream stream);
aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status);
aclError aclrtSynchronizeStream(aclrtStream stream);
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout_ms);
aclError aclrtCreateEvent(aclrtEvent *event);
aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag);
aclError aclrtDestroyEvent(aclrtEvent event);
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);
aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);
aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status);
aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status);
aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventStatus *status);
aclError aclrtSynchronizeEvent(aclrtEvent event);
aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout_ms);
aclError aclrtEventElapsedTime(float *ms, aclrtEvent from, aclrtEvent to); // of kernels, as predicted
aclError aclrtMalloc(void **memory, size_t bytes, aclrtMemMallocPolicy policy);
aclError aclrtMallocAlign32(void **memory, size_t bytes, aclrtMemMallocPolicy policy);
aclError aclrtFree(void *memory);
aclError aclrtMallocHost(void **memory, size_t bytes);
aclError aclrtFreeHost(void *memory);
aclError aclrtGetMemInfo(aclrtMemAttr kind, size_t *free_bytes, size_t *bytes);
aclError aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, aclrtMemcpyKind kind);
aclError aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t bytes, aclrtMemcpyKind kind,
                          aclrtStream stream);
aclError aclrtMemcpy2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                       aclrtMemcpyKind kind);
aclError aclrtMemcpy2dAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream stream);
aclError aclrtMemset(void *memory, size_t room, int32_t value, size_t bytes);
aclError aclrtMemsetAsync(void *memory, size_t room, int32_t value, size_t bytes, aclrtStream stream);
aclFloat16 aclFloatToFloat16(float value);
float aclFloat16ToFloat(aclFloat16 value);
size_t aclDataTypeSize(aclDataType type);
}
