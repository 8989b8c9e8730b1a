#include "manifest.h"
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace akgen::twin {

namespace {
struct Entry { // what AKGEN_TASK_TYPE writes
    int64_t is_default, key,
        type; // is_default: 0 for a key, 1 for all keys, 2 where a library asks and nobody declares
};
// In the order of KernelTypeTag.
TaskType of_tag(int64_t tag)
{
    switch (tag) {
    case 1: // AIC_ONLY
    case 3: // MIX_AIC_1_0
        return {true, 0};
    case 4: // MIX_AIC_1_1
        return {true, 1};
    case 5: // MIX_AIC_1_2
        return {true, 2};
    default: return {false, 1};
    }
}
} // namespace

std::optional<TaskType> task_type_of(const std::string &kernel_file)
{
    std::ifstream file(kernel_file, std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    Elf64_Ehdr header;
    if (bytes.size() < sizeof header || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) {
        throw std::runtime_error("the kernel " + kernel_file + " is not a shared library");
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    const auto section = [&](unsigned index) {
        Elf64_Shdr s = {};
        const uint64_t at = header.e_shoff + uint64_t{index} * sizeof s;
        if (at + sizeof s <= bytes.size()) {
            std::memcpy(&s, bytes.data() + at, sizeof s);
        }
        return s;
    };
    const Elf64_Shdr names = section(header.e_shstrndx);
    std::optional<TaskType> found;
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const Elf64_Shdr s = section(i);
        const uint64_t name_at = names.sh_offset + s.sh_name;
        if (name_at >= bytes.size() || std::strcmp(bytes.data() + name_at, "akgen_task") != 0) {
            continue;
        }
        // The macro leaves a record only for the key that this file was built for, or for all.
        for (uint64_t at = s.sh_offset;
             at + sizeof(Entry) <= s.sh_offset + s.sh_size && at + sizeof(Entry) <= bytes.size(); at += sizeof(Entry)) {
            Entry entry;
            std::memcpy(&entry, bytes.data() + at, sizeof entry);
            if (entry.is_default != 2 || !found) {
                found = of_tag(entry.type);
            }
            if (!entry.is_default) {
                return found;
            }
        }
    }
    return found;
}

} // namespace akgen::twin
