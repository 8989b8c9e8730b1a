#include "simulate_machine.h"
#include <algorithm>
#include <cmath>

namespace akgen::twin {

double Bandwidth::speed(int lane, bool behind) const
{
    const double memory = behind ? memory_ * while_behind : memory_;
    const double cache = cache_demand_ > cache_ ? cache_ / cache_demand_ : 1.0;
    return lane == 1 ? std::min(cache, memory_demand_ > memory ? memory / memory_demand_ : 1.0) : cache;
}

// How long transfers still wait for what the cache must write first; 0: they do not.
double Bandwidth::behind_for() const
{
    const double drain = memory_ - std::min(memory_ * while_behind, memory_demand_ * speed(1, true));
    return std::max(0.0, backlog_ - most_backlog_) / drain;
}

void Bandwidth::run(double cycles, bool behind)
{
    for (int i = 0; i < 2; ++i) {
        lanes_[i].now += cycles * speed(i, behind);
    }
    backlog_ = std::max(0.0, backlog_ - (memory_ - memory_demand_ * speed(1, behind)) * cycles);
}

void Bandwidth::advance(double to)
{
    const double behind = std::min(to - now_, behind_for());
    if (behind > 0) {
        run(behind, true);
    }
    run(to - now_ - behind, false);
    now_ = to;
}

void Bandwidth::write_back(double bytes, double now)
{
    advance(now);
    backlog_ += bytes;
    foresee();
}

void Bandwidth::start(const Transfer &transfer, double now)
{
    advance(now);
    Lane &lane = lanes_[transfer.memory_bytes > 0];
    lane.running.push({lane.now + transfer.cycles, ++started_, transfer});
    cache_demand_ += transfer.cache_bytes / transfer.cycles;
    memory_demand_ += transfer.memory_bytes / transfer.cycles;
    foresee();
}

double Bandwidth::end_of(int i) const
{
    const Lane &lane = lanes_[i];
    if (lane.running.empty()) {
        return INFINITY;
    }
    const double left = std::max(0.0, lane.running.top().virtual_end - lane.now);
    const double behind = behind_for(), meanwhile = behind * speed(i, true);
    return left < meanwhile ? now_ + left / speed(i, true) : now_ + behind + (left - meanwhile) / speed(i, false);
}

void Bandwidth::foresee()
{
    ends_[0] = end_of(0);
    ends_[1] = end_of(1);
}

Transfer Bandwidth::finish()
{
    const double end = next_end();
    const int i = ends_[1] <= ends_[0];
    advance(end);
    Lane &lane = lanes_[i];
    const Running done = lane.running.top();
    lane.running.pop();
    lane.now = std::max(lane.now, done.virtual_end);
    cache_demand_ = std::max(0.0, cache_demand_ - done.transfer.cache_bytes / done.transfer.cycles);
    memory_demand_ = std::max(0.0, memory_demand_ - done.transfer.memory_bytes / done.transfer.cycles);
    if (lanes_[0].running.empty() && lanes_[1].running.empty()) {
        cache_demand_ = memory_demand_ = 0; // rounding does not add up
    }
    foresee();
    return done.transfer;
}

} // namespace akgen::twin
