// The chip that the host code is told about.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace akgen::host {

struct ChipFacts {
    std::string soc;        // "Ascend910B2"
    std::string short_name; // "Ascend910B"
    std::map<std::string, double> numbers;

    // Return a fact; a missing one ends the program, for a chip file without it is a broken installation.
    uint64_t number(const std::string &key) const;
    // Read the tab-separated `key value` lines of a chip file.
    static ChipFacts read(const std::string &path);
};

ChipFacts &chip(); // the one that main() read

} // namespace akgen::host
