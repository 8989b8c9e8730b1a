// What is to happen in a simulation, first things first: a heap whose nodes have four children and 16 bytes each, since a
// simulation spends much of its time here. What happens lies beside it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

struct Moment {
    double time; // from 0 on
    enum class What : uint8_t { scalar, start, finish, flag, cross } what;
    uint8_t a, b, c; // pipe; or flag from, to, id
    uint32_t core;
    uint32_t buffers = 0; // flag: of the queue that it belongs to
};

class MomentQueue {
public:
    bool empty() const { return heap_.empty(); }
    double first_time() const { return time_of(heap_.front()); }

    // Of two at the same time the one that was pushed first comes first: the same way in every run.
    void push(const Moment &m)
    {
        uint32_t slot;
        if (free_.empty()) {
            slot = static_cast<uint32_t>(moments_.size());
            moments_.push_back(m);
        } else {
            slot = free_.back();
            free_.pop_back();
            moments_[slot] = m;
        }
        heap_.push_back(0);
        rise(heap_.size() - 1, key_of(m.time, slot));
    }

    Moment pop()
    {
        const auto slot = static_cast<uint32_t>(heap_.front()) & most_slots;
        const Key last = heap_.back();
        heap_.pop_back();
        if (!heap_.empty()) {
            sink(last);
        }
        free_.push_back(slot);
        return moments_[slot];
    }

private:
    // A time's bits, whose order is that of times from 0 on; then the number of the push, then the place of the moment.
    using Key = unsigned __int128;
    static constexpr uint32_t slot_bits = 24, most_slots = (1u << slot_bits) - 1;
    static constexpr size_t children = 4;

    Key key_of(double time, uint32_t slot)
    {
        uint64_t bits;
        const double from_zero = time + 0.0; // no negative zero
        std::memcpy(&bits, &from_zero, sizeof bits);
        return Key{bits} << 64 | (++pushed_ << slot_bits | slot);
    }
    static double time_of(Key key)
    {
        const auto bits = static_cast<uint64_t>(key >> 64);
        double time;
        std::memcpy(&time, &bits, sizeof time);
        return time;
    }
    void rise(size_t at, Key key)
    {
        while (at > 0) {
            const size_t parent = (at - 1) / children;
            if (heap_[parent] <= key) {
                break;
            }
            heap_[at] = heap_[parent];
            at = parent;
        }
        heap_[at] = key;
    }
    void sink(Key key)
    {
        size_t at = 0;
        for (;;) {
            const size_t first = at * children + 1;
            if (first >= heap_.size()) {
                break;
            }
            const size_t end = first + children < heap_.size() ? first + children : heap_.size();
            size_t least = first;
            Key lowest = heap_[first];
            for (size_t child = first + 1; child < end; ++child) {
                const Key other = heap_[child];
                least = other < lowest ? child : least;
                lowest = other < lowest ? other : lowest;
            }
            if (key <= lowest) {
                break;
            }
            heap_[at] = lowest;
            at = least;
        }
        heap_[at] = key;
    }

    std::vector<Key> heap_;
    std::vector<Moment> moments_;
    std::vector<uint32_t> free_; // places in `moments_`
    uint64_t pushed_ = 0;
};

} // namespace akgen::twin
#pragma GCC visibility pop
