// Chip facts as tiling functions ask for them.
#ifndef AKGEN_TILING_PLATFORM_ASCENDC_H
#define AKGEN_TILING_PLATFORM_ASCENDC_H
#include "akgen/host_api.h"

namespace fe {
class PlatFormInfos;
}

enum class NpuArch : uint32_t { DAV_1001 = 1001, DAV_2002 = 2002, DAV_2201 = 2201, DAV_3002 = 3002, DAV_3510 = 3510 };

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, FB = 7, BT = 8, RESERVED };
enum class SocVersion {
    ASCEND910 = 0,
    ASCEND910B,
    ASCEND310P,
    ASCEND310B,
    ASCEND910_95,
    ASCEND910_55,
    AS31XM1,
    ASCEND031,
    MC62CM12A,
    RESERVED_VERSION = 99999
};

// What a kernel leaves to the system at the end of the Unified Buffer.
enum class ReservedSize { RESERVED_SIZE_8K, RESERVED_SIZE_16K, RESERVED_SIZE_32K };

class AKGEN_HOST_API PlatformAscendC {
public:
    PlatformAscendC() = delete;
    explicit PlatformAscendC(fe::PlatFormInfos *platform) : platform_(platform) {}
    uint32_t GetCoreNum() const;
    uint32_t GetCoreNumAic() const;
    uint32_t GetCoreNumAiv() const;
    uint32_t GetCoreNumVector() const { return 0; } // extra vector cores exist on other chips only
    SocVersion GetSocVersion() const;
    NpuArch GetCurNpuArch() const { return NpuArch::DAV_2201; } // of Atlas A2 and A3 alike
    void GetCoreMemSize(const CoreMemType &type, uint64_t &size_bytes) const;
    void GetCoreMemBw(const CoreMemType &type, uint64_t &bytes_per_cycle) const;
    // Return the block dim that covers `slices` work items, given how many cores of each kind one block takes.
    uint32_t CalcTschBlockDim(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores) const;
    uint32_t CalcTschNumBlocks(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores) const // its newer name
    {
        return CalcTschBlockDim(slices, aic_cores, aiv_cores);
    }
    uint32_t GetLibApiWorkSpaceSize() const;
    uint32_t GetResGroupBarrierWorkSpaceSize() const;
    uint32_t GetResCubeGroupWorkSpaceSize() const;
    // The Unified Buffer that GetCoreMemSize tells of is smaller from now on.
    void ReserveLocalMemory(ReservedSize size);
    fe::PlatFormInfos *GetPlatFormInfo() const { return platform_; }

private:
    fe::PlatFormInfos *platform_;
    uint64_t reserved_bytes_ = 0;
};

class AKGEN_HOST_API PlatformAscendCManager {
public:
    static PlatformAscendC *GetInstance();
    // The chip that the twin was started for, whichever of Atlas A2 and A3 is named; nullptr for a name of others.
    static PlatformAscendC *GetInstance(const char *soc);
};

} // namespace platform_ascendc
#endif
