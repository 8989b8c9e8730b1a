// Where in global memory a launch copies: what each copy touches, in lines of all tensors one behind the other.
#pragma once
#include "akgen/runtime.h"
#include <cstddef>
#include <cstdint>
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

struct GmBuffer;

// The global side of one copy.
struct Copied {
    uint64_t begin = 0; // byte, from the first tensor's first line
    int64_t stride = 0; // bytes from row to row
    uint32_t row_bytes = 0, rows = 0;
    bool write = false;
    bool uncached = false; // passes by the second-level cache
};

class Footprint {
public:
    static constexpr uint32_t line_bytes = 512;

    Footprint(const std::vector<GmBuffer> &buffers, std::size_t cores);
    ~Footprint();
    Footprint(const Footprint &) = delete;
    Footprint &operator=(const Footprint &) = delete;

    // The global side of a copy by `core`.
    Copied enter(const GmBuffer &buffer, const Access &global, std::size_t core);
    // A tensor that passes by the cache: what is read is not kept, what is written goes on to memory.
    void bypass(const GmBuffer &buffer, bool on);
    uint32_t index(const GmBuffer &buffer) const;
    uint64_t lines() const { return lines_; } // of all tensors
    // Cores that read the same lines past the cache at the same point of their work; memory serves them one by one.
    uint32_t crowd(const Copied &copy) const;
    // Lines that the rows touch beyond what their length needs.
    static uint32_t extra_lines(const Copied &copy);

private:
    struct Seen { // the first line of an uncached read
        uint32_t progress = 0;
        uint16_t cores = 0, last = 0;
    };
    const GmBuffer *first_;
    std::vector<uint64_t> first_line_; // by tensor
    std::vector<bool> passed_by_;
    uint64_t lines_ = 0;
    Seen *seen_ = nullptr;
    std::vector<uint64_t> moved_; // bytes read past the cache, by core
};

} // namespace akgen::twin
#pragma GCC visibility pop
