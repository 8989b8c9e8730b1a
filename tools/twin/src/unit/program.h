// The process of a CPU unit test: the program or library that holds the kernel, and global memory.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>
#include "device/launch.h"

namespace akgen::twin {

struct UnitProgram {
    std::string file;
    uint64_t base = 0, end = 0; // addresses
    bool asks_for_cube = false; // names the cube unit, or asks which kind of core it runs on

    // Throws std::runtime_error if no loaded file holds this address.
    static UnitProgram holding(const void *address);
};

// "file:line" of code offsets in the program, without frames of the twin's own headers; what is not known is left out.
std::map<uint64_t, std::string> lines_of(const UnitProgram &program, const std::vector<uint64_t> &offsets);

// Global memory of CPU unit tests: what GmAlloc gave and GmFree has not taken back.
std::vector<const GmMapping *> unit_memory();

} // namespace akgen::twin
