// What a launch moves between global memory and the chip, line by line: how much of it the second-level cache cannot
// give, and how much more than its length a copy moves because its rows straddle lines.
//
// Cores run one after the other here and side by side on a chip: what a core has moved so far, times the number of
// cores, is taken for the time. A line that a core touched less than the cache's size ago is in the cache; so is one
// that another core touched.
#pragma once
#include "akgen/runtime.h"
#include <cstddef>
#include <cstdint>
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

struct GmBuffer;

class Footprint {
public:
    static constexpr uint32_t line_bytes = 512;

    Footprint(const std::vector<GmBuffer> &buffers, std::size_t cores, double cache_bytes);
    ~Footprint();
    Footprint(const Footprint &) = delete;
    Footprint &operator=(const Footprint &) = delete;

    // Enter the global side of a copy by `core`. Returns the lines that it touches beyond what its length needs.
    uint32_t touch(const GmBuffer &buffer, const Access &global, std::size_t core);
    // A tensor that passes by the cache: what is read is not kept, what is written goes on to memory.
    void bypass(const GmBuffer &buffer, bool on);
    uint32_t index(const GmBuffer &buffer) const;

    // Bytes that memory must give for each byte read: whole lines, and those that two rows share for each of them.
    double missed_share(uint32_t buffer) const;
    // Of what was written: 1 where memory must take it during the launch, since the cache is full or passed by.
    double spilled_share(uint32_t buffer) const;
    double memory_bytes() const; // what comes from memory or goes there

private:
    struct Lines {
        uint32_t *last = nullptr; // of each line: core + 1 in the high byte, the time below; 0: never touched
        uint64_t count = 0;
        uint64_t read = 0, missed = 0, written = 0; // bytes; those missed are whole lines
        uint64_t distinct = 0;                      // lines
        bool passed_by = false;
    };
    bool full() const;

    std::vector<Lines> lines_;
    const GmBuffer *first_ = nullptr;
    std::vector<uint64_t> moved_; // bytes, by core
    double cache_bytes_;
};

} // namespace akgen::twin
#pragma GCC visibility pop
