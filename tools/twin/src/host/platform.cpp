#include "platform/platform_info.h"
#include "chip.h"
#include "tiling/platform/platform_ascendc.h"
#include <cstring>

using akgen::host::chip;

namespace {

constexpr uint32_t system_workspace_bytes = 16 * 1024 * 1024;

using fe::LocalMemType;

// The same memories in the words of the other interface, by the same numbers.
LocalMemType local(platform_ascendc::CoreMemType memory)
{
    using platform_ascendc::CoreMemType;
    static_assert(int(CoreMemType::L0_A) == int(LocalMemType::L0_A) &&
                  int(CoreMemType::L0_B) == int(LocalMemType::L0_B));
    static_assert(int(CoreMemType::L0_C) == int(LocalMemType::L0_C) && int(CoreMemType::L1) == int(LocalMemType::L1));
    static_assert(int(CoreMemType::L2) == int(LocalMemType::L2) && int(CoreMemType::UB) == int(LocalMemType::UB));
    static_assert(int(CoreMemType::HBM) == int(LocalMemType::HBM));
    return static_cast<LocalMemType>(memory);
}

// What an operator may plan with. The platform keeps the last 256 bytes of the Unified Buffer for itself.
uint64_t usable_bytes(LocalMemType memory)
{
    constexpr uint64_t reserved_bytes = 256;
    switch (memory) {
    case LocalMemType::L0_A: return chip().number("l0a_size");
    case LocalMemType::L0_B: return chip().number("l0b_size");
    case LocalMemType::L0_C: return chip().number("l0c_size");
    case LocalMemType::L1: return chip().number("l1_size");
    case LocalMemType::L2: return chip().number("l2_size");
    case LocalMemType::UB: {
        const uint64_t size = chip().number("ub_size");
        return size > reserved_bytes ? size - reserved_bytes : size;
    }
    default: return 0;
    }
}

// Bytes per cycle and core, from the vendor's platform configuration for this generation.
uint64_t bandwidth(LocalMemType memory)
{
    return memory == LocalMemType::L2 ? 110 : memory == LocalMemType::HBM ? 32 : 0;
}

} // namespace

namespace fe {

uint32_t PlatFormInfos::GetCoreNum() const { return static_cast<uint32_t>(chip().number("core_aiv")); }

uint32_t PlatFormInfos::GetCoreNumByType(const std::string &core_type) const
{
    return static_cast<uint32_t>(chip().number(core_type == "VectorCore" ? "core_aiv" : "core_aic"));
}

void PlatFormInfos::GetLocalMemSize(const LocalMemType &type, uint64_t &size_bytes) { size_bytes = usable_bytes(type); }

void PlatFormInfos::GetLocalMemBw(const LocalMemType &type, uint64_t &bytes_per_cycle)
{
    bytes_per_cycle = bandwidth(type);
}

bool PlatFormInfos::GetPlatformRes(const std::string &label, const std::string &key, std::string &value)
{
    static const std::map<std::string, const char *> numbers = {
        {"SoCInfo.ai_core_cnt", "core_aic"},     {"SoCInfo.cube_core_cnt", "core_aic"},
        {"SoCInfo.vector_core_cnt", "core_aiv"}, {"SoCInfo.l2_size", "l2_size"},
        {"AICoreSpec.ub_size", "ub_size"},       {"AICoreSpec.l1_size", "l1_size"},
        {"AICoreSpec.l0_a_size", "l0a_size"},    {"AICoreSpec.l0_b_size", "l0b_size"},
        {"AICoreSpec.l0_c_size", "l0c_size"},    {"AICoreSpec.bt_size", "bt_size"},
        {"AICoreSpec.cube_freq", "clock_mhz"},
    };
    const auto found = numbers.find(label + "." + key);
    if (found != numbers.end()) {
        value = std::to_string(chip().number(found->second));
        return true;
    }
    if (label == "version" && key == "Short_SoC_version") {
        value = chip().short_name;
        return true;
    }
    if (label == "version" && (key == "SoC_version" || key == "NpuArch")) {
        value = key == "SoC_version" ? chip().soc : "2201";
        return true;
    }
    return false;
}

PlatformInfoManager &PlatformInfoManager::Instance()
{
    static PlatformInfoManager manager;
    return manager;
}

uint32_t PlatformInfoManager::GetPlatformInfos(const std::string &, PlatFormInfos &, OptionalInfos &optional)
{
    optional.soc_version = chip().soc;
    optional.core_type = "AiCore";
    optional.ai_core_num = static_cast<uint32_t>(chip().number("core_aic"));
    return 0;
}

uint32_t PlatformInfoManager::GetPlatformInfoWithOutSocVersion(PlatFormInfos &platform, OptionalInfos &optional)
{
    return GetPlatformInfos(chip().soc, platform, optional);
}

} // namespace fe

namespace platform_ascendc {

// On a chip with separate cube and vector cores this is the number of vector cores
// (vendor's API reference, PlatformAscendC, GetCoreNum).
uint32_t PlatformAscendC::GetCoreNum() const { return GetCoreNumAiv(); }

uint32_t PlatformAscendC::GetCoreNumAic() const { return static_cast<uint32_t>(chip().number("core_aic")); }

uint32_t PlatformAscendC::GetCoreNumAiv() const { return static_cast<uint32_t>(chip().number("core_aiv")); }

// Both short names of this generation (Ascend910B, Ascend910_93) answer to one value.
SocVersion PlatformAscendC::GetSocVersion() const { return SocVersion::ASCEND910B; }

void PlatformAscendC::GetCoreMemSize(const CoreMemType &type, uint64_t &size_bytes) const
{
    if (type == CoreMemType::FB || type == CoreMemType::BT) {
        size_bytes = chip().number(type == CoreMemType::FB ? "fb_size" : "bt_size");
        return;
    }
    size_bytes = usable_bytes(local(type));
    if (type == CoreMemType::UB) {
        size_bytes -= std::min(size_bytes, reserved_bytes_);
    }
}

void PlatformAscendC::ReserveLocalMemory(ReservedSize size)
{
    reserved_bytes_ = uint64_t{8192} << static_cast<int>(size);
}

void PlatformAscendC::GetCoreMemBw(const CoreMemType &type, uint64_t &bytes_per_cycle) const
{
    bytes_per_cycle = bandwidth(local(type));
}

uint32_t PlatformAscendC::CalcTschBlockDim(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores) const
{
    if (aic_cores == 0 || aiv_cores == 0 || aic_cores > aiv_cores) {
        return slices;
    }
    const uint32_t vector_per_cube = aiv_cores / aic_cores;
    return (slices + vector_per_cube - 1) / vector_per_cube;
}

uint32_t PlatformAscendC::GetLibApiWorkSpaceSize() const { return system_workspace_bytes; }

uint32_t PlatformAscendC::GetResGroupBarrierWorkSpaceSize() const
{
    constexpr uint32_t bytes_per_core = 512;
    return GetCoreNumAiv() * bytes_per_core;
}

uint32_t PlatformAscendC::GetResCubeGroupWorkSpaceSize() const
{
    constexpr uint32_t bytes_per_core = 1024;
    return GetCoreNumAiv() * bytes_per_core;
}

PlatformAscendC *PlatformAscendCManager::GetInstance()
{
    static fe::PlatFormInfos infos;
    static PlatformAscendC platform(&infos);
    return &platform;
}

PlatformAscendC *PlatformAscendCManager::GetInstance(const char *soc)
{
    // One instance: a name counts where no chip is known. Other families have other numbers than this one tells.
    return soc == nullptr || std::strncmp(soc, "Ascend910B", 10) == 0 || std::strncmp(soc, "Ascend910_93", 12) == 0
               ? GetInstance()
               : nullptr;
}

} // namespace platform_ascendc
