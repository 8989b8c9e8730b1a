// The one stream of the one device.
#pragma once
#include "acl/acl_rt.h"
#include <c10/core/Device.h>

namespace c10_npu {

class NPUStream {
public:
    aclrtStream stream(bool = true) const { return const_cast<char *>("stream"); }
    operator aclrtStream() const { return stream(); }
    c10::DeviceIndex device_index() const { return 0; }
    void synchronize() const {}
    bool query() const { return true; }
};
inline NPUStream getCurrentNPUStream(c10::DeviceIndex = -1) { return {}; }
inline NPUStream getDefaultNPUStream(c10::DeviceIndex = -1) { return {}; }
inline NPUStream getNPUStreamFromPool(c10::DeviceIndex = -1) { return {}; }
inline void setCurrentNPUStream(NPUStream) {}
inline int current_device() { return 0; }
inline int device_count() { return 1; }

} // namespace c10_npu
