// Shadow memory of one tensor in global memory: for each 32-byte block its last writer or its last reader. Most copies
// cover more than that, so 512 bytes whose blocks are all alike are kept as one.
#pragma once
#include "pages.h"
#include <algorithm>
#include <cstdint>
#include <utility>

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

} // namespace akgen::twin
#pragma GCC visibility pop
