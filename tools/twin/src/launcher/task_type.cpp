#include "manifest.h"

namespace akgen::twin {

namespace {
struct Entry { // what AKGEN_TASK_TYPE writes
    int64_t whose, key, type;
};
// In the order of KernelTypeTag.
TaskType of_tag(int64_t tag)
{
    switch (tag) {
    case 0: // AIV_ONLY
        return {false, 1, false, false};
    case 1: // AIC_ONLY
        return {true, 0, false, false};
    case 3: // MIX_AIC_1_0
        return {true, 0};
    case 4: // MIX_AIC_1_1
        return {true, 1};
    case 5: // MIX_AIC_1_2
        return {true, 2};
    case 16: // __vector__
        return {false, 1, false, true};
    default: return {false, 1};
    }
}
} // namespace

std::optional<TaskType> task_type_of(const KernelFile &file)
{
    std::optional<TaskType> found;
    for (const Elf64_Shdr &section : file.sections("akgen_task")) {
        Entry entry;
        for (uint64_t at = 0; at + sizeof entry <= section.sh_size; at += sizeof entry) {
            if (!file.read(section.sh_offset + at, &entry, sizeof entry)) {
                break;
            }
            if (entry.whose == 0) { // of this file's key: it stands above what is said of all keys
                return of_tag(entry.type);
            }
            if (entry.whose == 1 || (entry.whose == 2 && !found)) {
                found = of_tag(entry.type);
            }
        }
    }
    return found;
}

} // namespace akgen::twin
