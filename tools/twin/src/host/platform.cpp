#include "platform/platform_info.h"
#include "chip.h"
#include "tiling/platform/platform_ascendc.h"

using akgen::host::chip;

namespace {

constexpr uint32_t system_workspace_bytes = 16 * 1024 * 1024;

const char *size_key(int memory)
{
    static const char *const keys[] = {"l0a_size", "l0b_size", "l0c_size", "l1_size", "l2_size", "ub_size"};
    return memory >= 0 && memory < 6 ? keys[memory] : nullptr;
}

// What an operator may plan with. The platform keeps the last 256 bytes of the Unified Buffer for itself.
uint64_t usable_bytes(int memory)
{
    constexpr int ub_kind = 5;
    constexpr uint64_t reserved_bytes = 256;
    const char *key = size_key(memory);
    const uint64_t size = key == nullptr ? 0 : chip().number(key);
    return memory == ub_kind && size > reserved_bytes ? size - reserved_bytes : size;
}

// Bytes per cycle and core, from the vendor's platform configuration for this generation.
uint64_t bandwidth(int memory)
{
    constexpr int l2_kind = 4;
    constexpr int hbm_kind = 6;
    return memory == l2_kind ? 110 : memory == hbm_kind ? 32 : 0;
}

} // namespace

namespace fe {

uint32_t PlatFormInfos::GetCoreNum() const { return static_cast<uint32_t>(chip().number("core_aiv")); }

uint32_t PlatFormInfos::GetCoreNumByType(const std::string &core_type) const
{
    return static_cast<uint32_t>(chip().number(core_type == "VectorCore" ? "core_aiv" : "core_aic"));
}

void PlatFormInfos::GetLocalMemSize(const LocalMemType &type, uint64_t &size_bytes)
{
    size_bytes = usable_bytes(static_cast<int>(type));
}

void PlatFormInfos::GetLocalMemBw(const LocalMemType &type, uint64_t &bytes_per_cycle)
{
    bytes_per_cycle = bandwidth(static_cast<int>(type));
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
    size_bytes = usable_bytes(static_cast<int>(type));
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
    bytes_per_cycle = bandwidth(static_cast<int>(type));
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
    return soc == nullptr || chip().soc == soc ? GetInstance() : nullptr;
}

} // namespace platform_ascendc
