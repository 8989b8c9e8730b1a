// Lines of global memory that cores wrote through their scalar units' data caches. A cache holds whole lines and writes them
// back whole: of two cores that hold one line at the same time, the later one takes the other's values back.
#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

struct Core;

class WrittenLines {
public:
    static constexpr uint64_t line_bytes = 64;

    explicit WrittenLines(std::size_t cores) : mine_(cores) {}
    // The running core is about to write bytes of a line into its data cache.
    void write(uint8_t *address, uint32_t bytes, const void *pc);
    // The running core writes back the line of an address, or all of its lines. Complains CACHE_LINE_SHARED of each line
    // with which values of another core are lost, and loses them.
    void write_back(const uint8_t *address);
    void write_back_all();

private:
    struct Held {
        uint32_t core;
        uint32_t written_back; // when, as GlobalRaceDetector's stamp; 0: it is still in the cache
        uint32_t other;        // a core that holds the line, too; itself: none
        uint64_t bytes;        // which of the line it has written
        uint8_t *line;
        const void *pc;
        uint8_t before[line_bytes]; // the line as it came into the cache
    };
    using Holders = std::vector<Held>;
    static Held take(uint8_t *line, Holders &holders);
    void put_back(Held &held, const Holders &holders) const;

    std::unordered_map<uint64_t, Holders> lines_;
    std::vector<std::vector<uint64_t>> mine_; // by core: lines that it has not written back
};

} // namespace akgen::twin
#pragma GCC visibility pop
