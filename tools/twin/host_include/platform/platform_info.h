// Chip facts by the graph engine's names.
#ifndef AKGEN_PLATFORM_PLATFORM_INFO_H
#define AKGEN_PLATFORM_PLATFORM_INFO_H
#include "akgen/host_api.h"

// The vendor's header leaks these into every host file that includes it.
using std::map;
using std::string;
using std::vector;

namespace fe {

enum class LocalMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, RESERVED };

class AKGEN_HOST_API PlatFormInfos {
public:
    uint32_t GetCoreNum() const;
    uint32_t GetCoreNumWithLock() const { return GetCoreNum(); }
    uint32_t GetCoreNumByType(const std::string &core_type) const; // "AiCore", "VectorCore"
    void GetLocalMemSize(const LocalMemType &type, uint64_t &size_bytes);
    void GetLocalMemBw(const LocalMemType &type, uint64_t &bytes_per_cycle);
    bool GetPlatformRes(const std::string &label, const std::string &key, std::string &value);
    bool GetPlatformResWithLock(const std::string &label, const std::string &key, std::string &value)
    {
        return GetPlatformRes(label, key, value);
    }
};
using PlatformInfos = PlatFormInfos;

struct OptionalInfo {
    std::string soc_version;
    std::string core_type;
    uint32_t ai_core_num = 0;
};
using OptionalInfos = OptionalInfo;

class AKGEN_HOST_API PlatformInfoManager {
public:
    static PlatformInfoManager &Instance();
    static PlatformInfoManager &GeInstance() { return Instance(); }
    uint32_t InitializePlatformInfo() { return 0; }
    uint32_t GetPlatformInfos(const std::string &soc, PlatFormInfos &platform, OptionalInfos &optional);
    uint32_t GetPlatformInfoWithOutSocVersion(PlatFormInfos &platform, OptionalInfos &optional);
};

} // namespace fe
#endif
