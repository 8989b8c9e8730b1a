// Races through global memory: between cores, and within a core between what leaves the chip and what is read back.
//
// A happens-before race detector between cores, with vector clocks of epochs: a set flag or an arrival at a barrier
// releases what a core has done so far, a wait acquires it. A flag that a pipe sets does not release the copies out of
// another pipe that nothing has ordered before it. Shadow memory keeps, for each 32-byte block, its last
// writer and its last reader, each with a mask of the bytes. What is lost that way (a block shared by several cores) is a race that is not seen, never one that
// is not there. A copy that writes what is there already races with nobody.
#pragma once
#include "akgen/runtime.h"
#include "shadow_memory.h"
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

struct GmBuffer;
struct Core;

class GlobalRaceDetector {
public:
    GlobalRaceDetector(const std::vector<GmBuffer> &buffers, std::size_t cores);

    // `where`: one number for each flag or barrier; `through`: the last copy out that is released, by its number.
    void release(const Core &core, uint64_t where, uint32_t through = all_copies);
    void acquire(const Core &core, uint64_t where);

    // Enter the global side of a copy before its bytes move. `other` is its on-chip side, or null.
    void copy(const Instr &in, const Access &global, const Access *other, const GmBuffer &buffer);
    void scalar(const uint8_t *address, uint32_t bytes, bool write, const GmBuffer &buffer, const void *pc);
    // Write back and forget the data cache's line of an address, or all of the core's lines.
    void clean(const Core &core, const uint8_t *address, bool whole);
    // Whether what a core had done at `stamp` is ordered before the running core.
    bool happens_before(uint32_t stamp, uint32_t number = 0) const;
    uint32_t own_stamp() const;

    static constexpr uint32_t all_copies = ~0u;

private:
    struct Known { // of another core
        uint32_t epoch = 0;
        uint32_t through = all_copies;

        bool operator<(const Known &o) const { return epoch != o.epoch ? epoch < o.epoch : through < o.through; }
    };
    struct ShadowMemory {
        Shadow<LastWriter> writers;
        Shadow<Touch> readers;
    };
    struct Race {
        const char *what = nullptr;
        uint32_t core = 0;
        uint64_t byte = 0;
        bool early = false; // a flag orders the cores, and its pipe did not wait for the copy
    };

    ShadowMemory *shadow_of(const GmBuffer &buffer);
    Race read(ShadowMemory &shadow, uint64_t begin, uint64_t end, Pipe pipe);
    Race write(ShadowMemory &shadow, uint64_t begin, uint64_t end, uint32_t number, bool atomic);
    // Whether a core's data cache holds a byte of the range that it wrote last; `own`: or the running core's.
    bool stale(const ShadowMemory &shadow, const GmBuffer &buffer, uint64_t begin, uint64_t end, bool own,
               uint32_t &core) const;
    void tell(const Race &race, const char *api, const void *pc, const GmBuffer &buffer) const;

    std::vector<ShadowMemory> shadows_;
    const GmBuffer *first_ = nullptr;
    std::vector<uint32_t> epoch_; // by core
    std::vector<std::vector<Known>>
        clocks_; // by core: its vector clock, the last epoch of each core that happens before
    std::map<uint64_t, std::vector<Known>> released_;
    std::vector<std::set<uint64_t>> dirty_; // by core: lines of 64 bytes that its data cache has not written back
    std::size_t dirty_lines_ = 0;
};

} // namespace akgen::twin
#pragma GCC visibility pop
