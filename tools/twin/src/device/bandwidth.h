// Transfers to and from global memory, which share what memory and the second-level cache give. Each transfer has a
// rate that it would reach alone; where all together ask for more than there is, all are slowed down alike.
#pragma once
#include <cstdint>
#include <queue>
#include <vector>

namespace akgen::twin {

struct Transfer {
    uint32_t core;
    uint8_t pipe;
    double cycles;       // with all bandwidth to itself
    double cache_bytes;  // moved through the cache
    double memory_bytes; // of which memory must give or take
};

class Bandwidth {
public:
    // In bytes per cycle.
    Bandwidth(double cache, double memory, double most_backlog_bytes)
        : cache_(cache), memory_(memory), most_backlog_(most_backlog_bytes)
    {
    }
    void start(const Transfer &transfer, double now);
    // Lines that the cache passes on to memory, when transfers leave room. Nobody waits, until there are too many.
    void write_back(double bytes, double now);
    double next_end() const; // infinity: nothing runs
    Transfer finish();       // the one that ends next, at next_end()

private:
    struct Running {
        double virtual_end;
        uint64_t order;
        Transfer transfer;
        bool operator>(const Running &o) const
        {
            return virtual_end != o.virtual_end ? virtual_end > o.virtual_end : order > o.order;
        }
    };
    struct Lane { // in virtual time, in which each transfer runs at its own full rate
        double now = 0;
        std::priority_queue<Running, std::vector<Running>, std::greater<>> running;
    };
    double speed(int lane) const;
    double end_of(int lane) const;
    void advance(double to);
    double memory_for_transfers() const { return backlog_ < most_backlog_ ? memory_ : memory_ / 2; }

    Lane lanes_[2]; // 0: all comes from the cache; 1: some from memory
    double cache_, memory_, most_backlog_, backlog_ = 0;
    double cache_demand_ = 0, memory_demand_ = 0;
    double now_ = 0;
    uint64_t started_ = 0;
};

} // namespace akgen::twin
