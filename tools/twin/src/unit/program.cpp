#include "program.h"
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <link.h>
#include <stdexcept>
#include <unistd.h>

namespace akgen::twin {

namespace {
struct Search {
    uint64_t address;
    UnitProgram found;
};
int look(dl_phdr_info *info, size_t, void *data)
{
    auto *search = static_cast<Search *>(data);
    uint64_t end = 0;
    bool inside = false;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto &segment = info->dlpi_phdr[i];
        if (segment.p_type == PT_LOAD) {
            const uint64_t from = info->dlpi_addr + segment.p_vaddr, to = from + segment.p_memsz;
            end = to > end ? to : end;
            inside = inside || (search->address >= from && search->address < to);
        }
    }
    if (inside) {
        search->found = {info->dlpi_name, info->dlpi_addr, end, false};
    }
    return inside;
}

std::string own_program()
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length > 0 ? std::string(path, static_cast<size_t>(length)) : "";
}

bool cube_word(const char *symbol)
{
    static const char *const words[] = {"on_cube_core", "nd_to_nz",     "load_fractals", "load_squares", "load_sparse",
                                        "load_image",   "fill_cube",    "multiply",      "fix_out",      "fix_to_l1",
                                        "fix_scale",    "fix_matrices", "fix_legacy"};
    if (std::strncmp(symbol, "_ZN5akgen4twin", 14) != 0) {
        return false;
    }
    const char *name = symbol + 14 + std::strspn(symbol + 14, "0123456789");
    for (const char *word : words) {
        if (std::strncmp(name, word, std::strlen(word)) == 0) {
            return true;
        }
    }
    return false;
}

// Whether the file's table of dynamic symbols names something of the cube core.
bool read_names_cube(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    Elf64_Ehdr header;
    if (bytes.size() < sizeof header || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) {
        return true;
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    const auto at = [&](uint64_t offset, auto &into) {
        const bool there = offset + sizeof into <= bytes.size();
        if (there) {
            std::memcpy(&into, bytes.data() + offset, sizeof into);
        }
        return there;
    };
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        Elf64_Shdr section = {}, names = {};
        if (!at(header.e_shoff + i * sizeof section, section) || section.sh_type != SHT_DYNSYM ||
            !at(header.e_shoff + section.sh_link * sizeof names, names)) {
            continue;
        }
        Elf64_Sym symbol;
        for (uint64_t s = section.sh_offset; s < section.sh_offset + section.sh_size && at(s, symbol);
             s += sizeof symbol) {
            const uint64_t name = names.sh_offset + symbol.st_name;
            if (symbol.st_shndx == SHN_UNDEF && name < bytes.size() && cube_word(bytes.data() + name)) {
                return true;
            }
        }
    }
    return false;
}

bool names_cube(const std::string &path)
{
    static std::map<std::string, bool> known; // a test may have a thousand launches; they take turns
    const auto found = known.find(path);
    return found != known.end() ? found->second : known.emplace(path, read_names_cube(path)).first->second;
}

std::string own_folder()
{
    Dl_info info = {};
    if (!dladdr(reinterpret_cast<void *>(lines_of), &info) || !info.dli_fname) {
        return "/";
    }
    const std::string file = info.dli_fname;
    return file.substr(0, file.rfind('/') + 1);
}
} // namespace

UnitProgram UnitProgram::holding(const void *address)
{
    Search search{reinterpret_cast<uint64_t>(address), {}};
    if (!dl_iterate_phdr(look, &search)) {
        throw std::runtime_error("the kernel belongs to no loaded file");
    }
    if (search.found.file.empty()) {
        search.found.file = own_program();
    }
    search.found.asks_for_cube = names_cube(search.found.file);
    return search.found;
}

std::map<uint64_t, std::string> lines_of(const UnitProgram &program, const std::vector<uint64_t> &offsets)
{
    std::map<uint64_t, std::string> places;
    std::string command = "addr2line -a -i -e '" + program.file + "'";
    for (const uint64_t offset : offsets) {
        char text[24];
        std::snprintf(text, sizeof text, " 0x%llx", static_cast<unsigned long long>(offset));
        command += offset ? text : "";
    }
    FILE *pipe =
        program.file.find('\'') == std::string::npos ? popen((command + " 2>/dev/null").c_str(), "r") : nullptr;
    if (!pipe) {
        return places;
    }
    const std::string ours = own_folder();
    char line[4096];
    uint64_t current = 0;
    while (std::fgets(line, sizeof line, pipe)) {
        line[std::strcspn(line, "\n")] = 0;
        char *note = std::strstr(line, " (discriminator");
        if (note) {
            *note = 0;
        }
        if (std::strncmp(line, "0x", 2) == 0) {
            current = std::strtoull(line, nullptr, 16);
        } else if (std::strncmp(line, "??", 2) != 0 && std::strncmp(line, ours.c_str(), ours.size()) != 0) {
            places.emplace(current, line); // innermost first
        }
    }
    pclose(pipe);
    return places;
}

} // namespace akgen::twin
