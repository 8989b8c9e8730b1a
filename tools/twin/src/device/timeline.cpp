#include "core.h"
#include "report.h"
#include "second_cache.h"
#include "simulate.h"
#include "trace.h"
#include "trace_writer.h"
#include "what_if.h"
#include <algorithm>
#include <cstdio>
#include <optional>

namespace akgen::twin {

namespace {
constexpr size_t most_for_both = 10'000; // records; a simulation takes about a microsecond for each
constexpr uint64_t most_replayed =
    1'000'000; // records; each change that is simulated takes about a microsecond for each

struct Verdict {
    const char *bound;
    double share;
};

// The resource that alone would take longest is the bound, if it explains half of the time; else it is latency.
Verdict judge(const Launch &l, const Simulation &s, double imbalance)
{
    double vector = 0, cube = 0, scalar = 0;
    double vector_sum = 0, cube_sum = 0;
    for (const auto &use : s.use) {
        vector = std::max(vector, use[1].work);
        cube = std::max(cube, use[2].work);
        scalar = std::max(scalar, use[0].busy);
        vector_sum += use[1].work;
        cube_sum += use[2].work;
    }
    const double cores = s.at_once;
    vector = std::max(vector, vector_sum / cores); // where blocks follow one another
    cube = std::max(cube, cube_sum / cores);
    const double ideal = std::max({s.memory_cycles, vector_sum / cores, cube_sum / cores});
    const double share = s.cycles > 0 ? std::min(1.0, ideal / s.cycles) : 0;
    const double top = std::max({s.memory_cycles, vector, cube, scalar});
    if (imbalance > 1.5 && l.cores.size() > 1) {
        return {"imbalance", share};
    }
    if (top < 0.5 * s.cycles) {
        return {"latency", share};
    }
    return {top == s.memory_cycles ? "memory" : top == vector ? "vector" : top == cube ? "cube" : "scalar", share};
}
} // namespace

std::string timeline_report(const Launch &l, int trace_fd, bool with_predictions)
{
    CostModel costs(*l.chip);
    SecondCache cache(l.footprint->lines(), l.chip->at("l2_size"), l.chip->at("part_line_times"));
    std::optional<Trace> trace;
    Replay replay = as_recorded(l), traced = replay;
    replay.cache = traced.cache = &cache;
    if (trace_fd >= 0) {
        traced.trace = &trace.emplace(l);
    }
    // The first launch finds nothing in the second-level cache, a further one what the one before left behind.
    const bool tell_warm = l.chip->at("tell_warm") > 0;
    const Simulation cold = simulate(l, tell_warm ? replay : traced, costs);
    // A long launch is simulated again only where its profile was asked for.
    size_t records = 0;
    for (const auto &core : l.cores) {
        records += core->log.records.size();
    }
    const bool both = tell_warm || with_predictions || trace_fd >= 0 || records <= most_for_both;
    const std::optional<Simulation> warm =
        both ? std::optional(simulate(l, tell_warm ? traced : replay, costs)) : std::nullopt;
    const Simulation &s = tell_warm ? *warm : cold;
    costs.shares = s.shares;
    uint64_t read = 0, written = 0, dropped = 0, logged = 0, operations = 0;
    double sum = 0;
    for (const auto &core : l.cores) {
        read += core->log.gm_read_bytes;
        written += core->log.gm_write_bytes;
        dropped += core->log.dropped;
        logged += core->log.records.size();
        operations += core->log.operations + core->guest.work;
        sum += s.core_end[core->index] - s.core_begin[core->index];
    }
    if (trace) {
        trace->write(l, s.core_begin, s.core_end, trace_fd);
    }
    const double mean = sum / s.at_once;
    const double imbalance = mean > 0 ? s.cycles / mean : 1;
    // Beyond the log's cap the kernel is taken to go on as it did before.
    const double stretch = logged ? 1.0 + static_cast<double>(dropped) / static_cast<double>(logged) : 1.0;
    const Verdict verdict = judge(l, s, imbalance);
    // What the task needs at least, on the whole chip: so that the share tells kernels of one task apart. What is written
    // stays in the cache as far as it fits, and so does what an earlier launch has read.
    const double l2 = l.chip->at("l2_size"), all = l.must_read_bytes + l.must_write_bytes;
    const double from_memory = tell_warm && all <= l2 ? 0 : l.must_read_bytes;
    const double memory = from_memory + std::max(0.0, l.must_write_bytes - l2);
    const double must =
        std::max({memory / costs.memory_rate, all / costs.cache_rate, l.must_multiply_cycles / l.chip->at("core_aic")});
    const double share = must > 0 && s.cycles > 0 ? std::min(1.0, must / (s.cycles * stretch)) : verdict.share;
    const double start = costs.start(s.at_once); // before the first instruction
    std::string pipes;
    for (int pipe = 0; pipe < pipe_count; ++pipe) {
        PipeUse total;
        for (size_t core = 0; core < s.use.size(); ++core) {
            const PipeUse &use = s.use[core][pipe];
            total.busy += use.busy;
            total.stalled += use.stalled;
            total.instructions += use.instructions;
            for (int cause = 0; cause < 8; ++cause) {
                total.stalled_on[cause] += use.stalled_on[cause];
            }
            for (size_t why = 0; why < total.waited.size(); ++why) {
                total.waited[why] += use.waited[why];
            }
        }
        const double idle = std::max(0.0, s.at_once * s.cycles - total.busy - total.stalled);
        if (total.instructions == 0 && total.busy == 0) {
            continue;
        }
        std::string causes;
        for (int cause = 0; cause < 8; ++cause) {
            if (total.stalled_on[cause] > 0) {
                causes += (causes.empty() ? "\"" : ",\"") +
                          std::string(cause == 7 ? "other" : pipe_name(static_cast<Pipe>(cause))) +
                          "\":" + number(total.stalled_on[cause] * stretch);
            }
        }
        pipes += (pipes.empty() ? "\"" : ",\"") + std::string(pipe_name(static_cast<Pipe>(pipe))) +
                 "\":{\"busy\":" + number(total.busy * stretch) + ",\"stalled\":" + number(total.stalled * stretch) +
                 ",\"idle\":" + number(idle * stretch) + ",\"instructions\":" + std::to_string(total.instructions) +
                 ",\"waited\":{\"data\":" + number(total.waited[0] * stretch) +
                 ",\"buffer\":" + number(total.waited[1] * stretch) +
                 ",\"issue\":" + number(total.waited[2] * stretch) + "},\"stalled_on\":{" + causes + "}}";
    }
    std::string predictions;
    if (with_predictions && dropped == 0 && logged <= most_replayed) {
        for (const Prediction &p : what_if(l, costs)) {
            predictions += (predictions.empty() ? "" : ",") + std::string("{\"change\":\"") + p.change +
                           "\",\"cycles\":" + number(p.cycles + costs.start(p.cores)) +
                           ",\"cores\":" + std::to_string(p.cores) + ",\"fits\":" + (p.fits ? "true" : "false") + "}";
        }
    }
    std::string stored; // bytes by tensor; of code that is not sealed, some stores are seen by nobody
    for (const GmBuffer &buffer : l.buffers) {
        if (buffer.stored_bytes > 0) {
            stored += (stored.empty() ? "" : ",") + json_quote(buffer.name) + ":" + std::to_string(buffer.stored_bytes);
        }
    }
    return "{\"kind\":\"launch\",\"cores\":" + std::to_string(l.cores.size()) +
           ",\"at_once\":" + std::to_string(s.at_once) + ",\"cycles\":" + number(s.cycles * stretch + start) +
           ",\"start_cycles\":" + number(start) + ",\"cold_cycles\":" + number(cold.cycles * stretch + start) +
           ",\"warm_cycles\":" + (warm ? number(warm->cycles * stretch + start) : "null") +
           ",\"clock_mhz\":" + number(l.chip->at("clock_mhz")) + ",\"gm_read_bytes\":" + std::to_string(read) +
           ",\"gm_write_bytes\":" + std::to_string(written) +
           ",\"operations\":" + (l.guest ? std::to_string(operations) : "null") +
           ",\"stored\":" + (l.guest ? "{" + stored + "}" : "null") + ",\"pipes\":{" + pipes + "},\"bound\":\"" +
           verdict.bound + "\",\"roofline_share\":" + number(share) + ",\"roofline_cycles\":" + number(must) +
           ",\"own_share\":" + number(verdict.share) + ",\"core_imbalance\":" + number(imbalance) + ",\"what_if\":[" +
           predictions + "],\"extrapolated_records\":" + std::to_string(dropped) +
           ",\"timeline_incomplete\":" + (s.stuck ? "true" : "false") + "}";
}

} // namespace akgen::twin
