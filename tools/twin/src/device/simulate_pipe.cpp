// How the simulation's pipes run their queues: instructions, flags, what they wait for.
#include "simulate_machine.h"
#include <algorithm>
#include <cstring>

namespace akgen::twin {

namespace {
// A flag that gives a buffer back, as far as its direction or its queue says; all others bring data.
Why why_of(const Record &r)
{
    const auto pair = [&](Pipe from, Pipe to) {
        return r.pipe == (static_cast<int>(from) << 4 | static_cast<int>(to));
    };
    const bool back = r.work > 0 || pair(Pipe::V, Pipe::MTE2) || pair(Pipe::MTE3, Pipe::V) ||
                      pair(Pipe::MTE1, Pipe::MTE2) || pair(Pipe::M, Pipe::MTE1) || pair(Pipe::FIX, Pipe::M);
    return back ? Why::buffer : Why::data;
}
} // namespace

// Where a flag is kept: by its id, or by the queue that gets more buffers, which counts whatever ids it uses.
uint8_t Machine::place(const Record &r) const
{
    constexpr uint32_t most = UINT8_MAX - first_queue;
    const bool own = replay_.more != Replay::More::none && r.work > 0 && r.work <= most;
    return static_cast<uint8_t>(own ? first_queue + r.work - 1 : r.op % queue_operation);
}

Line<double> &Machine::flag_of(uint32_t core, uint32_t from, uint32_t to, uint32_t place, uint32_t buffers)
{
    CoreProgress &c = cores_[core];
    if (place < first_queue) {
        auto &flags = c.flags[from][to];
        if (!flags) {
            flags = std::make_unique<std::array<Line<double>, first_queue>>();
        }
        return (*flags)[place];
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

void Machine::blocked(PipeState &p, double now, const Record &wait)
{
    if (p.blocked_since < 0) {
        p.blocked_since = now;
        p.blocked_on = wait.pipe >> 4;
        p.blocked_why = why_of(wait);
    }
}
void Machine::unblocked(uint32_t core, int pipe, double now)
{
    PipeState &p = cores_[core].pipes[pipe];
    if (p.blocked_since >= 0) {
        // What it had begun may have kept it busy for a while.
        const double since = std::min(now, std::max(p.blocked_since, p.done));
        stalled(core, pipe, p.queue.front(), since, now, p.blocked_on, p.blocked_why);
        p.blocked_since = -1;
    }
}

void Machine::stalled(uint32_t core, int pipe, uint32_t index, double since, double now, int on, Why why)
{
    PipeUse &use = out_.use[core][pipe];
    use.stalled += now - since;
    use.stalled_on[on] += now - since;
    use.waited[static_cast<int>(why)] += now - since;
    if (replay_.trace) {
        replay_.trace->waited(core, pipe, index, since, now);
    }
}

void Machine::try_start(uint32_t core, int pipe, double now)
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
            p.free_at = std::max({now, p.free_at, p.done}) + costs_.barrier;
            pop(core, pipe, now);
            continue;
        }
        if (at > now && r.kind != Kind::set && r.kind != Kind::cross_set) {
            push({at, Moment::What::start, static_cast<uint8_t>(pipe), 0, 0, core});
            return;
        }
        if (r.kind == Kind::set) {
            push({std::max(now, p.done) + costs_.flag, Moment::What::flag, static_cast<uint8_t>(r.pipe >> 4),
                  static_cast<uint8_t>(r.pipe & 15), place(r), core, r.aux});
            if (replay_.trace) {
                replay_.trace->raised(core, r.pipe >> 4, r.pipe & 15, place(r));
                replay_.trace->flag_passed(core, index, std::max(now, p.done));
            }
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
            if (replay_.trace) {
                replay_.trace->taken(core, r.pipe >> 4, r.pipe & 15, place(r), why_of(r) == Why::buffer);
                replay_.trace->flag_passed(core, index, now);
            }
            pop(core, pipe, now);
        } else if (r.kind == Kind::cross_set) {
            vote(core, r, std::max(now, p.done));
            pop(core, pipe, now);
        } else {
            begin(core, pipe, index, now);
        }
    }
}

void Machine::pop(uint32_t core, int pipe, double now)
{
    PipeState &p = cores_[core].pipes[pipe];
    p.queue.pop_front();
    if (at_rest(p)) {
        p.rests_since = std::max(now, p.done);
    }
    if (cores_[core].ended) {
        retire(core);
    }
    if (cores_[core].waiting) {
        run_scalar(core, now); // it may have waited for room in the queue
    }
}

Traffic Machine::traffic_of(uint32_t core, int pipe, const Record &r)
{
    if (pipe < static_cast<int>(Pipe::MTE1) || !unpack(r.aux, false).global) {
        return {};
    }
    const uint32_t tensor = unpack(r.aux, false).buffer;
    const PipeState &reads = cores_[core].pipes[static_cast<int>(Pipe::MTE2)];
    const bool in = pipe == static_cast<int>(Pipe::MTE2), out = pipe == static_cast<int>(Pipe::MTE3);
    if (!cache_) {
        Traffic known = tensor < costs_.shares.size() ? costs_.shares[tensor] : Traffic{};
        known.reads_too = out && reads.busy;
        known.reads_past = known.reads_too && reads.past_cache;
        return known;
    }
    const Copied &copy = of(core).log.copies[pipe][copied_[core][pipe]++];
    const SecondCache::Passed passed = cache_->pass(copy);
    const double moved =
        double(copy.row_bytes) * copy.rows + double(unpack(r.aux, false).extra) * Footprint::line_bytes;
    Sum &sum = sums_[tensor];
    const double bytes = double(copy.row_bytes) * copy.rows;
    sum.moved += moved;
    sum.handled += r.work;
    sum.bytes += bytes;
    sum.missed += passed.missed;
    sum.back += passed.written_back;
    sum.uncached = sum.uncached || copy.uncached;
    const bool odd = copy.rows > 1 && ((copy.begin | static_cast<uint64_t>(copy.stride)) & 31) != 0;
    sum.odd = sum.odd || odd;
    if (in) {
        cores_[core].pipes[pipe].past_cache = copy.uncached;
    }
    return {moved > 0 ? passed.missed / moved : 0,
            moved > 0 ? passed.written_back / moved : 0,
            r.work > 0 ? bytes / r.work : 1,
            launch_.footprint->crowd(copy),
            copy.uncached,
            odd,
            out && reads.busy,
            out && reads.busy && reads.past_cache};
}

void Machine::begin(uint32_t core, int pipe, uint32_t index, double now)
{
    PipeState &p = cores_[core].pipes[pipe];
    const Record &r = record(core, index);
    const OpName &op = of(core).log.ops[r.op];
    p.cost = replay_.free_casts && std::strncmp(op.op, "Cast", 4) == 0
                 ? Cost{}
                 : costs_.of(r, op, of(core).cube, traffic_of(core, pipe, r));
    p.busy = true;
    p.begun = now;
    ++p.number;
    running_[core][pipe] = index;
    if (p.cost.gm_bytes > 0 && p.cost.occupy > 0) {
        bandwidth_.start({core, static_cast<uint8_t>(pipe), p.cost.occupy, p.cost.gm_bytes, p.cost.memory_bytes}, now);
    } else {
        push({now + p.cost.occupy, Moment::What::finish, static_cast<uint8_t>(pipe), 0, 0, core});
    }
    pop(core, pipe, now);
}
void Machine::finish(uint32_t core, int pipe, double now)
{
    PipeState &p = cores_[core].pipes[pipe];
    PipeUse &use = out_.use[core][pipe];
    p.busy = false;
    const bool dma = pipe == static_cast<int>(Pipe::MTE2) || pipe == static_cast<int>(Pipe::MTE3);
    p.free_at = dma ? std::max(now, p.begun + costs_.dma_issue) : now;
    const double before = p.done;
    p.done = std::max(p.done, p.free_at + p.cost.latency);
    p.done_at.push_back(p.done);
    const double busy = p.done - std::max(p.begun, before);
    use.busy += busy;
    use.work += p.free_at - p.begun;
    if (p.cost.spilled_bytes > 0) {
        bandwidth_.write_back(p.cost.spilled_bytes, now);
    }
    ++use.instructions;
    if (replay_.trace) {
        replay_.trace->busy(core, pipe, running_[core][pipe], busy, true);
        replay_.trace->ran(core, pipe, running_[core][pipe], p.begun, p.free_at);
    }
    if (at_rest(p)) {
        p.rests_since = p.done;
    }
    try_start(core, pipe, now);
    if (cores_[core].ended) {
        retire(core);
    }
    if (cores_[core].waiting) {
        run_scalar(core, std::max(now, cores_[core].time));
    }
}

} // namespace akgen::twin
