// The scalar unit's data cache: which accesses to global memory find their line there. It decides time alone; values
// are always those of global memory.
#pragma once
#include <cstdint>
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

struct Chip;

// Sets of lines, of which the one used longest ago leaves. Addresses are those of GmBuffer::device_address.
class DataCache {
public:
    void shape(const Chip &chip); // empty, as the chip file says it is made
    bool has(uint64_t address);   // and has it from now on
    void forget(uint64_t address);
    void forget_all();

private:
    static constexpr uint64_t nothing = ~uint64_t{0};
    uint64_t *set_of(uint64_t line) { return &lines_[line % sets_ * ways_]; }

    uint64_t line_bytes_ = 1, sets_ = 1, ways_ = 1;
    uint64_t last_ = nothing;     // the line of the last access, which most accesses want again
    std::vector<uint64_t> lines_; // set by set, the last used first; none before an access
};

} // namespace akgen::twin
#pragma GCC visibility pop
