// Profiling as programs switch it on: nothing is written, `akgen direct` tells each launch's predicted time.
#pragma once
#include "acl/acl_base.h"
#include <cstddef>
#include <cstdint>

struct aclprofConfig {
    uint64_t types;
};
enum aclprofAicoreMetrics {
    ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
    ACL_AICORE_PIPE_UTILIZATION = 1,
    ACL_AICORE_MEMORY_BANDWIDTH = 2,
    ACL_AICORE_L0B_AND_WIDTH = 3,
    ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4,
    ACL_AICORE_MEMORY_UB = 5,
    ACL_AICORE_L2_CACHE = 6,
    ACL_AICORE_NONE = 0xff,
};
struct aclprofAicoreEvents;
constexpr uint64_t ACL_PROF_ACL_API = 1, ACL_PROF_TASK_TIME = 2, ACL_PROF_AICORE_METRICS = 4, ACL_PROF_AICPU = 8;

inline aclError aclprofInit(const char *, size_t) { return ACL_SUCCESS; }
inline aclError aclprofFinalize() { return ACL_SUCCESS; }
inline aclprofConfig *aclprofCreateConfig(uint32_t *, uint32_t, aclprofAicoreMetrics, const aclprofAicoreEvents *,
                                          uint64_t types)
{
    return new aclprofConfig{types};
}
inline aclError aclprofDestroyConfig(const aclprofConfig *config)
{
    delete config;
    return ACL_SUCCESS;
}
inline aclError aclprofStart(const aclprofConfig *) { return ACL_SUCCESS; }
inline aclError aclprofStop(const aclprofConfig *) { return ACL_SUCCESS; }
