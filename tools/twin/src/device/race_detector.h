// Races between pipes: who wrote and read which 32-byte block, and what each pipe knows of the others.
//
// A happens-before race detector with vector clocks and shadow memory. Every instruction of a pipe gets the pipe's
// next number, its time. clock_[q] is pipe q's vector clock: clock_[q][p] is the last instruction of pipe p that
// happens before pipe q's next one. Setting a flag releases a clock, waiting for the flag acquires it; barriers and
// the scalar unit's issue order join clocks, and the compiler's automatic synchronisation does so on demand for the
// pairs it covers (V-V, V-S, MTE2-S, MTE3-S). Shadow memory keeps, for each block, the time of each pipe's last write
// and last read.
#pragma once
#include "akgen/runtime.h"
#include "pages.h"
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

struct Region;

class RaceDetector {
public:
    static constexpr int pipes = 7;
    struct Conflict {
        bool found = false;
        Pipe other = Pipe::S;
        bool other_wrote = false;
        bool more = false;   // there are others, on another pipe or of another kind
        uint32_t number = 0; // of the other pipe's instruction
        uint32_t block = 0;  // first conflicting 32-byte block of the region
    };
    // Numbers of other pipes that the automatic synchronisation makes this instruction wait for; 0: none.
    struct Waits {
        uint32_t number[pipes] = {};
        bool same_pipe = false; // depends on an earlier instruction of its own pipe
        bool overtakes = false; // a copy into the Unified Buffer over one that nothing has waited for
    };

    // Start shadow memory for region index, out of `spare`, to which end() gives it back.
    void watch(int region, uint32_t size_bytes, SpareNumbers &spare);
    void end();
    // Enter one instruction: begin() once, then access() per operand range, then the number is the pipe's.
    void begin(Pipe pipe, bool auto_sync);
    Conflict access(int region, uint32_t first_byte, uint32_t bytes, bool write);
    // The first 32-byte block in a range that nothing has ever written, or -1.
    int64_t unwritten(int region, uint32_t first_byte, uint32_t bytes) const;
    bool bare(int region, uint32_t first_byte, uint32_t bytes) const; // none of it was written
    const Waits &waits() const { return waits_; }
    // Whether instruction `number` of pipe `other` happens before the next one of pipe `of`.
    bool happens_before(Pipe of, Pipe other, uint32_t number) const { return clock_[int(of)][int(other)] >= number; }
    // The last instruction of pipe `other` that happens before what pipe `from` is given now; all, if that is all of them.
    uint32_t before(Pipe from, Pipe other) const;
    uint32_t number() const { return number_; }
    // Those of pipe `other` that the instruction is not ordered after: numbers above the first, up to the second.
    std::pair<uint32_t, uint32_t> unordered(Pipe other) const { return {clock_[pipe_][int(other)], time_[int(other)]}; }

    // A flag counts: the vector clock that each set released, oldest first.
    struct Release {
        uint32_t clock[pipes];
        const void *pc; // of the set
    };
    void release(Pipe from, Pipe to, int id, const void *pc);
    const void *released_by(Pipe from, Pipe to, int id) const { return (*flags_[int(from)][int(to)])[id].back().pc; }
    bool acquire(Pipe from, Pipe to, int id); // false: nobody set it
    uint32_t pending(Pipe from, Pipe to, int id) const
    {
        const auto &flags = flags_[int(from)][int(to)];
        return flags ? static_cast<uint32_t>((*flags)[id].size()) : 0;
    }
    void barrier(Pipe pipe);
    // Whether a pipe's next instruction begins after its own instruction `number` has ended: a barrier, or a flag of a pipe
    // that waited for it. (Elsewhere any wait counts as a barrier.)
    bool ended(Pipe pipe, uint32_t number) const { return ended_[int(pipe)] >= number; }
    // Order what `later` does next behind all that `earlier` did; returns the number of earlier's last instruction.
    uint32_t follow(Pipe later, Pipe earlier);

private:
    struct ShadowMemory {
        uint32_t blocks = 0;
        uint32_t *written[pipes] = {};
        uint32_t *read[pipes] = {};
        std::vector<uint64_t> ever; // blocks that any pipe has written, one bit each
    };
    void check_against(ShadowMemory &shadow, int other, uint32_t first, uint32_t last, bool write, Conflict &conflict);

    ShadowMemory shadows_[7];
    SpareNumbers *spare_ = nullptr;
    uint32_t time_[pipes] = {};
    uint32_t clock_[pipes][pipes] = {};
    uint32_t ended_[pipes] = {}; // of each pipe, its last instruction that it knows to have ended
    std::unique_ptr<std::array<std::vector<Release>, 8>> flags_[pipes][pipes]; // none: never set
    Waits waits_;
    int pipe_ = 0;
    uint32_t number_ = 0;
    bool auto_sync_ = true;
};

} // namespace akgen::twin
#pragma GCC visibility pop
