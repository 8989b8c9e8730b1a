// Races through global memory: between cores, and within a core between what leaves the chip and what is read back.
//
// A happens-before race detector between cores, with vector clocks of epochs: a set flag or an arrival at a barrier
// releases what a core has done so far, the wait that it answers acquires it, and nothing that was released later. A flag that a pipe sets does not release the copies out of
// another pipe that nothing has ordered before it. Shadow memory keeps, for each 32-byte block, its last
// writer and its last reader, each with a mask of the bytes. What is lost that way (a block shared by several cores) is a race that is not seen, never one that
// is not there. A copy that writes what is there already races with nobody.
//
// Shadow memory of one tensor in global memory: for each 32-byte block its last writer or its last reader. Most copies
// cover more than that, so 512 bytes whose blocks are all alike are kept as one.
#pragma once
#include "akgen/runtime.h"
#include "pages.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

struct Touch {
    uint32_t stamp = 0; // core + 1 in the high byte, epoch below; 0: nobody
    uint32_t bytes = 0; // of the block, one bit each
};
struct LastWriter {
    Touch touch;
    uint32_t number = 0; // of the core's copy by MTE3 or FIX that wrote it, FIX with by_fix; 0: the scalar unit
};

constexpr uint32_t by_fix = 0x80000000;
constexpr uint64_t shadow_block = 32;

// All zeros at first, and no memory until something is entered: most tensors are only read, or only written.
template <typename T> class Shadow {
public:
    static constexpr uint64_t group_bytes = 512;
    static constexpr uint64_t blocks = group_bytes / shadow_block; // in a group

    Shadow() = default;
    explicit Shadow(uint64_t bytes)
        : groups_((bytes + group_bytes - 1) / group_bytes), group_(zeroed<Group>(groups_)),
          block_(group_ ? zeroed<T>(groups_ * blocks) : nullptr)
    {
    }
    Shadow(Shadow &&other) noexcept { *this = std::move(other); }
    Shadow &operator=(Shadow &&other) noexcept
    {
        std::swap(groups_, other.groups_);
        std::swap(group_, other.group_);
        std::swap(block_, other.block_);
        std::swap(used_, other.used_);
        return *this;
    }
    ~Shadow()
    {
        drop_pages(group_, groups_ * sizeof(Group));
        drop_pages(block_, groups_ * blocks * sizeof(T));
    }

    explicit operator bool() const { return block_ != nullptr; }
    uint64_t groups() const { return groups_; }
    // What all blocks of a group have in common, or null.
    const T *common(uint64_t group) const
    {
        return !used_ ? &nobody : group_[group].apart ? nullptr : &group_[group].alike;
    }
    // The same, to be changed.
    T *shared(uint64_t group)
    {
        used_ = true;
        return group_[group].apart ? nullptr : &group_[group].alike;
    }
    const T &of(uint64_t block) const
    {
        if (!used_) {
            return nobody;
        }
        const Group &group = group_[block / blocks];
        return group.apart ? block_[block] : group.alike;
    }
    // A block, which may change without the others of its group from here on.
    T &alone(uint64_t block)
    {
        used_ = true;
        Group &group = group_[block / blocks];
        if (!group.apart) {
            std::fill_n(block_ + block / blocks * blocks, blocks, group.alike);
            group.apart = true;
        }
        return block_[block];
    }
    void set(uint64_t group, const T &value)
    {
        used_ = true;
        group_[group] = {value, false};
    }

private:
    struct Group {
        T alike;
        bool apart;
    };
    template <typename U> static U *zeroed(uint64_t count) { return static_cast<U *>(zeroed_pages(count * sizeof(U))); }

    static constexpr T nobody{};

    bool used_ = false;
    uint64_t groups_ = 0;
    Group *group_ = nullptr;
    T *block_ = nullptr; // read where a group is apart
};

// A part of a range of bytes: the blocks [first, last) of one group.
struct ShadowPart {
    uint64_t group, first, last;
    bool whole; // it covers all bytes of the group
};

// Call `f` with each part of [begin, end) in turn.
template <typename F> void by_group(uint64_t begin, uint64_t end, uint64_t groups, F f)
{
    constexpr uint64_t size = Shadow<Touch>::group_bytes;
    const uint64_t last = std::min((end + size - 1) / size, groups);
    for (uint64_t group = begin / size; group < last; ++group) {
        const uint64_t from = std::max(begin, group * size), to = std::min(end, (group + 1) * size);
        f(ShadowPart{group, from / shadow_block, (to + shadow_block - 1) / shadow_block, to - from == size});
    }
}

struct GmBuffer;
struct Core;

class GlobalRaceDetector {
public:
    GlobalRaceDetector(const std::vector<GmBuffer> &buffers, std::size_t cores);

    // A flag or a barrier, and which of its rounds: what was released there by all who took part in it.
    using Where = std::pair<uint64_t, uint64_t>;
    // `through`: the last copy out that is released, by its number.
    void release(const Core &core, Where where, uint32_t through = all_copies) { release(core, &where, 1, through); }
    void release(const Core &core, const Where *where, std::size_t count, uint32_t through);
    void acquire(const Core &core, Where where);
    // The same, by the only one who waits there.
    void take(const Core &core, Where where);

    // Enter the global side of a copy before its bytes move. `other` is its on-chip side, or null.
    void copy(const Instr &in, const Access &global, const Access *other, const GmBuffer &buffer);
    // The same of a range that is filled with repetitions of a value, ahead of the copies that do so.
    void fill(const Instr &in, const uint8_t *begin, uint64_t bytes, uint64_t value, uint32_t value_bytes,
              const GmBuffer &buffer);
    void scalar(const uint8_t *address, uint32_t bytes, bool write, const GmBuffer &buffer, const void *pc);
    // Write back and forget the data cache's line of an address, or all of the core's lines. What the core has done so far,
    // its copies out up to `through`, is released in each line that it wrote; where it wrote none, it looks for what
    // others write: the next scalar reads of the line acquire what they released.
    // True: it looks.
    bool clean(const Core &core, const uint8_t *address, bool whole, uint32_t through = all_copies);
    // The same of a scalar access past the data cache: a write releases, a read acquires.
    void direct(const Core &core, const uint8_t *address, bool write, uint32_t through = all_copies);
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

    // What a row's bytes are and shall be; null: not known, so that all of them change.
    struct Change {
        const uint8_t *old_bytes = nullptr, *new_bytes = nullptr;
    };
    // Scalar writes, whose values are in memory once the core reads or another one goes on.
    struct Pending {
        uint32_t core = 0;
        std::vector<std::pair<uint64_t, uint64_t>> ranges; // offset, bytes
    };

    void release_line(const Core &core, uint64_t line, uint32_t through);
    ShadowMemory *shadow_of(const GmBuffer &buffer);
    uint32_t core_of(uint32_t stamp) const { return (stamp >> core_shift_) - 1; }
    uint32_t atomic_bit() const { return 1u << (core_shift_ - 1); }
    uint32_t epoch_mask() const { return atomic_bit() - 1; }
    Race read(ShadowMemory &shadow, uint64_t begin, uint64_t end, Pipe pipe);
    Race write(ShadowMemory &shadow, uint64_t begin, uint64_t end, uint32_t number, bool atomic, Change change);
    // The kernel's variables as the cores' own data caches have them.
    void enter(const GmBuffer &variables, uint64_t offset, uint32_t bytes, bool write);
    void settle(const GmBuffer &variables);
    void learn(const GmBuffer &variables, uint32_t core, uint64_t offset, uint64_t bytes);
    bool as_in_own_cache(const GmBuffer &variables, uint64_t offset, uint32_t bytes) const;
    // Whether a core's data cache holds a byte of the range that it wrote last; `own`: or the running core's.
    bool stale(const ShadowMemory &shadow, const GmBuffer &buffer, uint64_t begin, uint64_t end, bool own,
               uint32_t &core) const;
    void tell(const Race &race, const char *api, const void *pc, const GmBuffer &buffer, bool harmless = false) const;

    std::vector<ShadowMemory> shadows_;
    const GmBuffer *first_ = nullptr;
    uint32_t core_shift_;         // of a stamp: core + 1 above it, then the bit of atomic copies, then the epoch
    std::vector<uint32_t> epoch_; // by core
    // By core: its vector clock, the last epoch of each core that happens before; empty before it has acquired anything.
    std::vector<std::vector<Known>> clocks_;
    std::map<Where, std::vector<Known>> released_;
    std::vector<std::set<uint64_t>> dirty_; // by core: lines of 64 bytes that its data cache has not written back
    std::size_t dirty_lines_ = 0;
    std::vector<std::set<uint64_t>> watched_; // by core: lines that it has forgotten to see what others write
    std::set<uint64_t> released_lines_;
    std::vector<uint8_t> first_variables_;            // as they were at the launch's first access to them
    std::vector<std::vector<uint8_t>> own_variables_; // by core; empty: as they were first
    Pending pending_;
};

} // namespace akgen::twin
#pragma GCC visibility pop
