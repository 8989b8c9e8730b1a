#include "chip.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

// Set by programs that call host code in their own process, such as CPU unit tests.
extern "C" __attribute__((weak)) const char *akgen_twin_chip_file;

namespace akgen::host {

ChipFacts &chip()
{
    static ChipFacts facts = &akgen_twin_chip_file != nullptr ? ChipFacts::read(akgen_twin_chip_file) : ChipFacts{};
    return facts;
}

uint64_t ChipFacts::number(const std::string &key) const
{
    const auto found = numbers.find(key);
    if (found == numbers.end()) {
        std::fprintf(stderr, "akgen_twin_host: the chip file has no %s\n", key.c_str());
        std::_Exit(70);
    }
    return static_cast<uint64_t>(found->second);
}

ChipFacts ChipFacts::read(const std::string &path)
{
    ChipFacts facts;
    std::ifstream in(path);
    std::string line;
    while (std::getline(in, line)) {
        const size_t tab = line.find('\t');
        if (tab == std::string::npos || line.compare(0, tab, "vec") == 0) {
            continue;
        }
        const std::string key = line.substr(0, tab);
        const std::string value = line.substr(tab + 1);
        if (key == "soc") {
            facts.soc = value;
        } else if (key == "short_name") {
            facts.short_name = value;
        } else {
            facts.numbers[key] = std::strtod(value.c_str(), nullptr);
        }
    }
    return facts;
}

} // namespace akgen::host
