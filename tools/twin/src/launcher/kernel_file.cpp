#include "manifest.h"
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace akgen::twin {

KernelFile::KernelFile(const std::string &path)
{
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (const std::streamoff size = file.tellg(); size > 0) {
        bytes_.resize(static_cast<size_t>(size));
        file.seekg(0).read(bytes_.data(), size);
    }
    if (!file || bytes_.size() < sizeof(Elf64_Ehdr) || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0) {
        throw std::runtime_error("the kernel " + path + " is not a shared library");
    }
    bytes_.push_back('\0'); // ends a name that the file does not end
}

bool KernelFile::read(uint64_t offset, void *into, uint64_t bytes) const
{
    if (offset > bytes_.size() || bytes > bytes_.size() - offset) {
        return false;
    }
    std::memcpy(into, bytes_.data() + offset, bytes);
    return true;
}

std::vector<Elf64_Shdr> KernelFile::sections(const std::string &name) const
{
    Elf64_Ehdr header;
    read(0, &header, sizeof header);
    const auto section = [&](unsigned index) {
        Elf64_Shdr s = {};
        read(header.e_shoff + uint64_t{index} * sizeof s, &s, sizeof s);
        return s;
    };
    const Elf64_Shdr names = section(header.e_shstrndx);
    std::vector<Elf64_Shdr> found;
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const Elf64_Shdr s = section(i);
        const uint64_t at = names.sh_offset + s.sh_name;
        if (at < bytes_.size() && name == bytes_.data() + at) {
            found.push_back(s);
        }
    }
    return found;
}

} // namespace akgen::twin
