#include "simulate.h"
#include "core.h"
#include "simulate_state.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <queue>
#include <set>

namespace akgen::twin {

namespace {
// The cache holds back what it must write up to this part of its size.
constexpr double dirty_parts = 8;

class Machine {
public:
    Machine(const Launch &launch, const Replay &replay, const CostModel &costs, uint64_t most_spans)
        : launch_(launch), replay_(replay), costs_(costs), most_spans_(most_spans), cores_(replay.parts.size()),
          bandwidth_(costs.cache_rate, costs.memory_rate, launch.chip->at("l2_size") / dirty_parts)
    {
        out_.use.resize(cores_.size());
        out_.core_end.resize(cores_.size());
        double traffic = 0;
        for (const auto &core : launch.cores) {
            traffic += static_cast<double>(core->log.gm_read_bytes + core->log.gm_write_bytes);
        }
        out_.memory_cycles = std::max(launch.footprint->memory_bytes() / costs.memory_rate, traffic / costs.cache_rate);
    }

    Simulation run()
    {
        for (uint32_t c = 0; c < cores_.size(); ++c) {
            push({0, 0, Moment::What::scalar, 0, 0, 0, c});
        }
        while (step()) {
        }
        for (uint32_t c = 0; c < cores_.size(); ++c) {
            double end = cores_[c].time;
            for (const PipeState &pipe : cores_[c].pipes) {
                end = std::max({end, pipe.done, pipe.free_at});
                out_.stuck = out_.stuck || !pipe.queue.empty();
            }
            out_.stuck = out_.stuck || !cores_[c].ended;
            out_.core_end[c] = end;
            out_.cycles = std::max(out_.cycles, end);
        }
        return std::move(out_);
    }

private:
    void push(Moment m)
    {
        m.order = ++created_;
        moments_.push(m);
    }

    bool step()
    {
        const double transfer_end = bandwidth_.next_end();
        if (moments_.empty() && transfer_end == INFINITY) {
            return false;
        }
        if (moments_.empty() || transfer_end <= moments_.top().time) {
            const Transfer done = bandwidth_.finish();
            finish(done.core, done.pipe, transfer_end);
            return true;
        }
        const Moment m = moments_.top();
        moments_.pop();
        switch (m.what) {
        case Moment::What::scalar:
            run_on(m.core, m.time);
            break;
        case Moment::What::start:
            try_start(m.core, m.a, m.time);
            break;
        case Moment::What::finish:
            finish(m.core, m.a, m.time);
            break;
        case Moment::What::flag:
            flag_of(m.core, m.a, m.b, m.c, m.buffers).push_back(m.time);
            m.b == scalar ? run_scalar(m.core, m.time) : try_start(m.core, m.b, m.time);
            break;
        case Moment::What::cross:
            cores_[m.core].cross[m.a].push_back(m.time);
            run_scalar(m.core, m.time);
            break;
        }
        return true;
    }

    // -- pipes ---------------------------------------------------------------------------------------------------

    const Record &record(uint32_t core, uint32_t index) const { return (*replay_.parts[core].records)[index]; }
    const Core &of(uint32_t core) const { return *launch_.cores[replay_.parts[core].core]; }

    // Where a flag is kept: by its id, or by the queue that gets more buffers, which counts whatever ids it uses.
    uint8_t place(const Record &r) const
    {
        constexpr uint32_t most = UINT8_MAX - first_queue;
        const bool own = replay_.more != Replay::More::none && r.work > 0 && r.work <= most;
        return static_cast<uint8_t>(own ? first_queue + r.work - 1 : r.op);
    }
    Line<double> &flag_of(uint32_t core, uint32_t from, uint32_t to, uint32_t place, uint32_t buffers)
    {
        CoreProgress &c = cores_[core];
        if (place < first_queue) {
            return c.flags[from][to][place];
        }
        auto &queues = c.queue_flags;
        if (queues.size() <= place - first_queue) {
            queues.resize(place - first_queue + 1);
        }
        auto &flag = queues[place - first_queue];
        for (; flag.given < replay_.more_of(buffers); ++flag.given) {
            flag.line.push_back(0.0); // a buffer that is free from the start
        }
        return flag.line;
    }

    // A flag that gives a buffer back, as far as its direction or its queue says; all others bring data.
    static Why why_of(const Record &r)
    {
        const auto pair = [&](Pipe from, Pipe to) { return r.pipe == (static_cast<int>(from) << 4 | static_cast<int>(to)); };
        const bool back = r.work > 0 || pair(Pipe::V, Pipe::MTE2) || pair(Pipe::MTE3, Pipe::V) || pair(Pipe::MTE1, Pipe::MTE2) ||
                          pair(Pipe::M, Pipe::MTE1) || pair(Pipe::FIX, Pipe::M);
        return back ? Why::buffer : Why::data;
    }
    void blocked(PipeState &p, double now, const Record &wait)
    {
        if (p.blocked_since < 0) {
            p.blocked_since = now;
            p.blocked_on = wait.pipe >> 4;
            p.blocked_why = why_of(wait);
        }
    }
    static bool at_rest(const PipeState &p) { return !p.busy && p.queue.empty(); }

    void unblocked(uint32_t core, int pipe, double now)
    {
        PipeState &p = cores_[core].pipes[pipe];
        if (p.blocked_since >= 0) {
            // What it had begun may have kept it busy for a while.
            const double stalled = std::max(0.0, now - std::max(p.blocked_since, p.done));
            out_.use[core][pipe].stalled += stalled;
            out_.use[core][pipe].stalled_on[p.blocked_on] += stalled;
            out_.use[core][pipe].waited[static_cast<int>(p.blocked_why)] += stalled;
            p.blocked_since = -1;
        }
    }

    void try_start(uint32_t core, int pipe, double now)
    {
        PipeState &p = cores_[core].pipes[pipe];
        while (!p.busy && !p.queue.empty()) {
            const uint32_t index = p.queue.front();
            const Record &r = record(core, index);
            double at = std::max(now, p.free_at);
            if (r.kind == Kind::instr && unpack(r.aux, true).dependent && pipe == static_cast<int>(Pipe::V)) {
                at = std::max(at, p.done);
            }
            if (r.kind == Kind::barrier) {
                p.free_at = std::max({now, p.free_at, p.done}) + costs_.flag;
                pop(core, pipe, now);
                continue;
            }
            if (at > now && r.kind != Kind::set && r.kind != Kind::cross_set) {
                push({at, 0, Moment::What::start, static_cast<uint8_t>(pipe), 0, 0, core});
                return;
            }
            if (r.kind == Kind::set) {
                push({std::max(now, p.done) + costs_.flag, 0, Moment::What::flag, static_cast<uint8_t>(r.pipe >> 4),
                      static_cast<uint8_t>(r.pipe & 15), place(r), core, r.aux});
                pop(core, pipe, now);
            } else if (r.kind == Kind::wait) {
                auto &flag = flag_of(core, r.pipe >> 4, r.pipe & 15, place(r), r.aux);
                if (flag.empty()) {
                    blocked(p, now, r);
                    return;
                }
                flag.pop_front();
                p.free_at = now;
                unblocked(core, pipe, now);
                pop(core, pipe, now);
            } else if (r.kind == Kind::cross_set) {
                vote(core, r, std::max(now, p.done));
                pop(core, pipe, now);
            } else {
                begin(core, pipe, index, now);
            }
        }
    }

    void pop(uint32_t core, int pipe, double now)
    {
        PipeState &p = cores_[core].pipes[pipe];
        p.queue.pop_front();
        if (at_rest(p)) {
            p.rests_since = std::max(now, p.done);
        }
        if (cores_[core].waiting) {
            run_scalar(core, now); // it may have waited for room in the queue
        }
    }

    void begin(uint32_t core, int pipe, uint32_t index, double now)
    {
        PipeState &p = cores_[core].pipes[pipe];
        const Record &r = record(core, index);
        const OpName &op = of(core).log.ops[r.op];
        p.cost = replay_.free_casts && std::strncmp(op.op, "Cast", 4) == 0 ? Cost{} : costs_.of(r, op, of(core).cube);
        p.busy = true;
        p.begun = now;
        ++p.number;
        running_record(core, pipe) = index;
        if (p.cost.gm_bytes > 0 && p.cost.occupy > 0) {
            bandwidth_.start({core, static_cast<uint8_t>(pipe), p.cost.occupy, p.cost.gm_bytes, p.cost.memory_bytes}, now);
        } else {
            push({now + p.cost.occupy, 0, Moment::What::finish, static_cast<uint8_t>(pipe), 0, 0, core});
        }
        pop(core, pipe, now);
    }
    uint32_t &running_record(uint32_t core, int pipe)
    {
        if (running_.empty()) {
            running_.resize(cores_.size());
        }
        return running_[core][pipe];
    }

    void finish(uint32_t core, int pipe, double now)
    {
        PipeState &p = cores_[core].pipes[pipe];
        PipeUse &use = out_.use[core][pipe];
        p.busy = false;
        const bool dma = pipe == static_cast<int>(Pipe::MTE2) || pipe == static_cast<int>(Pipe::MTE3);
        p.free_at = dma ? std::max(now, p.begun + costs_.dma_issue) : now;
        const double before = p.done;
        p.done = std::max(p.done, p.free_at + p.cost.latency);
        p.done_at.push_back(p.done);
        use.busy += p.done - std::max(p.begun, before);
        use.work += p.free_at - p.begun;
        if (p.cost.spilled_bytes > 0) {
            bandwidth_.write_back(p.cost.spilled_bytes, now);
        }
        ++use.instructions;
        if (out_.spans.size() < most_spans_ && use.instructions <= most_spans_ / (cores_.size() * 3)) {
            out_.spans.push_back({core, running_record(core, pipe), p.begun, p.free_at});
        } else {
            ++out_.spans_left_out;
        }
        if (at_rest(p)) {
            p.rests_since = p.done;
        }
        try_start(core, pipe, now);
        if (cores_[core].waiting) {
            run_scalar(core, std::max(now, cores_[core].time));
        }
    }

    // -- the scalar unit -----------------------------------------------------------------------------------------

    bool hold(uint32_t core, double now, int cause, double retry = -1, Why why = Why::data)
    {
        CoreProgress &c = cores_[core];
        if (!c.waiting) {
            c.waiting = true;
            c.waiting_since = now;
            c.waiting_on = cause;
            c.waiting_why = why;
        }
        if (retry > now) {
            push({retry, 0, Moment::What::scalar, 0, 0, 0, core});
        }
        return false;
    }

    // True when the record is dealt with; false when the scalar unit must wait.
    bool handle(uint32_t core, const Record &r, uint32_t index, double now)
    {
        CoreProgress &c = cores_[core];
        switch (r.kind) {
        case Kind::scalar:
            c.time = now + r.work * (r.aux ? costs_.scalar_gm : costs_.scalar_ub);
            out_.use[core][scalar].busy += c.time - now;
            return true;
        case Kind::auto_wait: {
            if (r.pipe != scalar) {
                return true; // the scalar unit is in order: what it did is done
            }
            const PipeState &p = c.pipes[r.work];
            if (p.done_at.size() < r.aux) {
                return hold(core, now, static_cast<int>(r.work));
            }
            const double done = p.done_at[r.aux - 1];
            return done <= now || hold(core, now, static_cast<int>(r.work), done);
        }
        case Kind::barrier:
            if (r.pipe == static_cast<uint8_t>(Pipe::ALL)) {
                return drained(core, now);
            }
            return r.pipe == scalar || enter(core, r.pipe, index, now);
        case Kind::sync_all:
            return drained(core, now) && meet(core, r, now);
        case Kind::set:
            if (r.pipe >> 4 == scalar) {
                c.time = now + costs_.scalar_op;
                push({now + costs_.flag, 0, Moment::What::flag, 0, static_cast<uint8_t>(r.pipe & 15), place(r), core, r.aux});
                return true;
            }
            return enter(core, r.pipe >> 4, index, now);
        case Kind::wait: {
            if ((r.pipe & 15) != scalar) {
                return enter(core, r.pipe & 15, index, now);
            }
            auto &flag = flag_of(core, r.pipe >> 4, scalar, place(r), r.aux);
            if (flag.empty()) {
                return hold(core, now, r.pipe >> 4);
            }
            flag.pop_front();
            return true;
        }
        case Kind::cross_set:
            if (r.pipe == scalar) {
                vote(core, r, now);
                return true;
            }
            return enter(core, r.pipe, index, now);
        case Kind::cross_wait:
            if (c.cross[r.op].empty()) {
                return hold(core, now, other_cause);
            }
            c.cross[r.op].pop_front();
            return true;
        default:
            if (r.pipe == scalar) {
                c.time = now + costs_.scalar_op;
                return true;
            }
            return enter(core, r.pipe, index, now);
        }
    }

    bool enter(uint32_t core, int pipe, uint32_t index, double now)
    {
        CoreProgress &c = cores_[core];
        PipeState &p = c.pipes[pipe];
        if (p.queue.size() >= costs_.queue_depth) {
            return hold(core, now, pipe, -1, Why::issue);
        }
        if (at_rest(p)) {
            out_.use[core][pipe].waited[static_cast<int>(Why::issue)] += std::max(0.0, now - p.rests_since);
        }
        p.queue.push_back(index);
        c.time = now + costs_.scalar_op;
        out_.use[core][scalar].busy += costs_.scalar_op;
        ++out_.use[core][scalar].instructions;
        if (!p.busy && p.blocked_since < 0) { // else the end of what it does or waits for starts it
            push({c.time, 0, Moment::What::start, static_cast<uint8_t>(pipe), 0, 0, core});
        }
        return true;
    }

    bool drained(uint32_t core, double now)
    {
        double done = now;
        int last = other_cause;
        for (int i = 1; i < 7; ++i) {
            const PipeState &p = cores_[core].pipes[i];
            if (p.busy || !p.queue.empty()) {
                return hold(core, now, i);
            }
            if (p.done > done) {
                done = p.done;
                last = i;
            }
        }
        return done <= now || hold(core, now, last, done);
    }

    bool meet(uint32_t core, const Record &r, double now)
    {
        CoreProgress &c = cores_[core];
        if (c.rounds == 0 || arrived_.count({core, c.next}) == 0) {
            arrived_.insert({core, c.next});
            ++c.rounds;
        }
        double open = now;
        for (uint32_t other = 0; other < cores_.size(); ++other) {
            const bool takes_part = !(r.op && of(other).cube);
            if (takes_part && cores_[other].rounds < c.rounds && !cores_[other].ended) {
                return hold(core, now, other_cause);
            }
        }
        if (met_[c.rounds] == 0) { // the last one to arrive opens the gate for all
            met_[c.rounds] = open + costs_.sync_all;
            for (uint32_t other = 0; other < cores_.size(); ++other) {
                push({met_[c.rounds], 0, Moment::What::scalar, 0, 0, 0, other});
            }
        }
        return met_[c.rounds] <= now || hold(core, now, other_cause);
    }

    void vote(uint32_t core, const Record &r, double at)
    {
        const Core &from = *launch_.cores[core];
        const uint32_t mode = r.work;
        const auto addressed = [&](const Core &to) {
            return mode == 0 ? to.cube == from.cube
                   : mode == 1 ? !to.cube && to.block == from.block
                               : to.cube != from.cube && to.block == from.block;
        };
        uint32_t group = 0;
        for (const auto &to : launch_.cores) {
            group += addressed(*to);
        }
        // Mode 3 is the library's own: one vote is enough.
        const uint32_t needed = mode == 3 || (mode == 2 && from.cube) ? 1 : mode == 2 ? launch_.vector_per_block : group;
        for (const auto &to : launch_.cores) {
            if (addressed(*to) && ++cores_[to->index].cross_votes[r.op] % needed == 0) {
                push({at + costs_.flag, 0, Moment::What::cross, static_cast<uint8_t>(r.op), 0, 0, to->index});
            }
        }
    }

    // The scalar unit goes on from record to record for as long as nothing else happens before.
    void run_on(uint32_t core, double now)
    {
        for (bool again = true; again;) {
            goes_on_ = false;
            run_scalar(core, now, true);
            now = cores_[core].time;
            again = goes_on_ && (moments_.empty() || moments_.top().time > now) && bandwidth_.next_end() > now;
        }
        if (goes_on_) {
            goes_on_ = false;
            push({now, 0, Moment::What::scalar, 0, 0, 0, core});
        }
    }

    void run_scalar(uint32_t core, double now, bool alone = false)
    {
        CoreProgress &c = cores_[core];
        if (c.ended || in_scalar_ == core + 1) {
            return;
        }
        if (now < c.time) {
            if (c.waiting) { // woken early: look again when its own clock is there
                push({c.time, 0, Moment::What::scalar, 0, 0, 0, core});
            }
            return;
        }
        const uint32_t outer = in_scalar_;
        in_scalar_ = core + 1;
        const auto &records = *replay_.parts[core].records;
        c.time = now;
        if (c.next < records.size()) {
            const bool was_waiting = c.waiting;
            const double since = c.waiting_since;
            const int cause = c.waiting_on;
            const Why why = c.waiting_why;
            if (handle(core, records[c.next], static_cast<uint32_t>(c.next), now)) {
                if (was_waiting) {
                    out_.use[core][scalar].stalled += now - since;
                    out_.use[core][scalar].stalled_on[cause] += now - since;
                    out_.use[core][scalar].waited[static_cast<int>(why)] += now - since;
                }
                c.waiting = false;
                ++c.next;
                if (alone) {
                    goes_on_ = true;
                } else {
                    push({c.time, 0, Moment::What::scalar, 0, 0, 0, core});
                }
            }
        } else {
            c.ended = true;
            for (uint32_t other = 0; other < cores_.size(); ++other) { // some may have waited for this one
                if (cores_[other].waiting && cores_[other].rounds > c.rounds) {
                    push({now, 0, Moment::What::scalar, 0, 0, 0, other});
                }
            }
        }
        in_scalar_ = outer;
    }

    const Launch &launch_;
    const Replay &replay_;
    const CostModel &costs_;
    const uint64_t most_spans_;
    std::vector<CoreProgress> cores_;
    std::vector<std::array<uint32_t, 7>> running_;
    Simulation out_;
    std::priority_queue<Moment, std::vector<Moment>, std::greater<>> moments_;
    Bandwidth bandwidth_;
    std::map<int64_t, double> met_;
    std::set<std::pair<uint32_t, size_t>> arrived_;
    uint64_t created_ = 0;
    uint32_t in_scalar_ = 0;
    bool goes_on_ = false;
};
} // namespace

Replay as_recorded(const Launch &launch)
{
    Replay replay;
    for (const auto &core : launch.cores) {
        replay.parts.push_back({&core->log.records, core->index});
    }
    return replay;
}

Simulation simulate(const Launch &launch, const Replay &replay, const CostModel &costs, uint64_t most_spans)
{
    return Machine(launch, replay, costs, most_spans).run();
}

} // namespace akgen::twin
