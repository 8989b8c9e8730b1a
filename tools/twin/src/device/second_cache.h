// The second-level cache while a launch is simulated: which of a copy's lines it has at that moment.
//
// Lines leave in the order in which they came. That is least recently used but for lines that are read again, which a
// chip keeps a little longer.
#pragma once
#include "footprint.h"

#pragma GCC visibility push(hidden)
namespace akgen::twin {

class SecondCache {
public:
    // `part`: what memory gives up for each byte where a copy takes part of a line.
    SecondCache(uint64_t lines, double bytes, double part);
    ~SecondCache();
    SecondCache(const SecondCache &) = delete;
    SecondCache &operator=(const SecondCache &) = delete;

    struct Passed {
        double missed = 0;       // bytes of a read that memory must give; where a row straddles lines, one line more
        double written_back = 0; // bytes that memory must take to make room, or since the copy passes by the cache
    };
    Passed pass(const Copied &copy);
    // Whether all that was copied so far is still there.
    bool holds_all() const { return clock_ <= size_; }

private:
    double insert(uint64_t line);

    static constexpr uint32_t sector_bytes = 128; // what a miss brings; a line has four
    static constexpr uint32_t time_bits = 27, time_mask = (1u << time_bits) - 1, dirty = 1u << 31;
    uint32_t *stamps_ = nullptr; // by line: when it came, from 1 on; its sectors; whether it was written; 0: not there
    uint32_t *order_ = nullptr;  // by time modulo the size: the line that came
    double part_;
    uint64_t lines_, size_;
    uint64_t clock_ = 0; // lines that came
};

} // namespace akgen::twin
#pragma GCC visibility pop
