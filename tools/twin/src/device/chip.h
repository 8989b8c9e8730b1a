// Chip facts and the time model's numbers, read from the text that the launcher is given. No number stands in code.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace akgen::twin {

struct __attribute__((visibility("default"))) Chip {
    std::string soc;
    std::map<std::string, double> numbers;
    struct Rate {
        double elements_per_cycle;
        double fixed_cycles;
    };
    std::map<std::string, Rate> rates; // "Add\thalf"

    // Throws std::runtime_error with the file and the line.
    static Chip read(const std::string &path);
    // Throws std::runtime_error that names the missing key.
    double at(const std::string &key) const;
    uint32_t bytes(const std::string &key) const { return static_cast<uint32_t>(at(key)); }
};

} // namespace akgen::twin
