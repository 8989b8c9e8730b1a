#include "chip.h"
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace akgen::twin {

namespace {
std::vector<std::string> fields(const std::string &line)
{
    std::vector<std::string> parts;
    std::istringstream stream(line);
    for (std::string part; std::getline(stream, part, '\t');) {
        parts.push_back(part);
    }
    return parts;
}
} // namespace

Chip Chip::read(const std::string &path)
{
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error("the chip file " + path + " cannot be read");
    }
    Chip chip;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        const auto parts = fields(line);
        if (parts.empty()) {
            continue;
        }
        if (parts[0] == "vec" && parts.size() == 5) {
            chip.rates[parts[1] + "\t" + parts[2]] = {std::strtod(parts[3].c_str(), nullptr),
                                                      std::strtod(parts[4].c_str(), nullptr)};
        } else if (parts[0] == "soc" && parts.size() == 2) {
            chip.soc = parts[1];
        } else if (parts.size() == 2) {
            chip.numbers[parts[0]] = std::strtod(parts[1].c_str(), nullptr);
        } else {
            throw std::runtime_error("the chip file " + path + " has a broken line " + std::to_string(number));
        }
    }
    return chip;
}

double Chip::at(const std::string &key) const
{
    const auto found = numbers.find(key);
    if (found == numbers.end()) {
        throw std::runtime_error("the chip file has no " + key);
    }
    return found->second;
}

} // namespace akgen::twin
