#include "what_if.h"
#include "core.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

namespace akgen::twin {

namespace {
using Logs = std::vector<std::vector<Record>>;

class Changes {
public:
    Changes(const Launch &launch, const CostModel &costs) : launch_(launch), costs_(costs)
    {
        for (const auto &core : launch.cores) {
            loops_.push_back(find_tile_loop(core->log.records));
            alone_ = alone_ && !core->cube &&
                     std::none_of(core->log.records.begin(), core->log.records.end(), [](const Record &r) {
                         return r.kind == Kind::cross_set || r.kind == Kind::cross_wait || r.kind == Kind::sync_all;
                     });
            for (const Record &r : core->log.records) {
                const bool freed = (r.kind == Kind::set || r.kind == Kind::wait) && r.work > 0;
                single_ = single_ || (freed && r.aux == 1);
                casts_ = casts_ || (r.kind == Kind::instr && std::string(core->log.ops[r.op].op).rfind("Cast", 0) == 0);
            }
        }
    }

    std::vector<Prediction> all()
    {
        double_buffer();
        double_tiles();
        without_extra("bank_conflicts", true);
        without_extra("aligned_rows", false);
        without_casts();
        evenly("balance", launch_.cores.size());
        const auto most = static_cast<size_t>(launch_.chip->at("core_aiv"));
        if (most > launch_.cores.size()) {
            evenly("more_cores", most);
        }
        return std::move(found_);
    }

private:
    const Region &buffer(const Core &core) const { return core.regions[0]; }
    // Whether the busiest core's Unified Buffer takes so much more.
    bool room_for(const std::function<uint64_t(const Region &)> &more) const
    {
        return std::all_of(launch_.cores.begin(), launch_.cores.end(), [&](const auto &core) {
            const Region &region = buffer(*core);
            return core->cube || std::max(region.most_bytes, region.static_bytes) + more(region) <= region.size_bytes;
        });
    }

    // False: the changed records do not fit together.
    bool add(const char *change, const Replay &replay, bool fits)
    {
        const Simulation then = simulate(launch_, replay, costs_);
        const bool played = !then.stuck && then.cycles > 0;
        if (played) {
            found_.push_back({change, then.cycles, static_cast<uint32_t>(replay.parts.size()), fits});
        }
        return played;
    }
    static Replay playing(const Logs &logs)
    {
        Replay replay;
        for (uint32_t i = 0; i < logs.size(); ++i) {
            replay.parts.push_back({&logs[i], i});
        }
        return replay;
    }

    // Every queue of one buffer gets a second; so do buffers that flags of the kernel's own
    // guard, if these take one id.
    void double_buffer()
    {
        Logs logs;
        bool flags = false;
        for (const auto &core : launch_.cores) {
            logs.push_back(core->log.records);
            for (const uint8_t pair : {back(Pipe::V, Pipe::MTE2), back(Pipe::MTE3, Pipe::V)}) {
                flags = as_queue(logs.back(), pair) || flags;
            }
        }
        if (single_ || flags) {
            Replay replay = playing(logs);
            replay.more = Replay::More::second;
            add("double_buffer", replay,
                room_for([&](const Region &r) { return flags ? r.most_bytes : r.most_single_bytes; }));
        }
    }
    static uint8_t back(Pipe from, Pipe to)
    {
        return static_cast<uint8_t>(static_cast<int>(from) << 4 | static_cast<int>(to));
    }
    static bool as_queue(std::vector<Record> &records, uint8_t pair)
    {
        const auto own = [&](const Record &r) {
            return (r.kind == Kind::set || r.kind == Kind::wait) && r.pipe == pair && r.work == 0;
        };
        uint32_t ids = 0;
        for (const Record &r : records) {
            ids |= own(r) ? 1u << (r.op & 31) : 0;
        }
        if (ids == 0 || (ids & (ids - 1)) != 0) {
            return false;
        }
        for (Record &r : records) {
            if (own(r)) {
                r.work = pair == back(Pipe::V, Pipe::MTE2) ? first_number : first_number + 1;
                r.aux = 1;
            }
        }
        return true;
    }
    static constexpr uint32_t first_number = 200; // beyond the queues of any kernel

    // Queues hold as many buffers as before, so that half of the first rounds' waits go.
    void double_tiles()
    {
        if (!alone_ || std::none_of(loops_.begin(), loops_.end(), [](const TileLoop &l) { return l.rounds() > 1; })) {
            return;
        }
        Logs logs;
        for (size_t i = 0; i < loops_.size(); ++i) {
            const Core &core = *launch_.cores[i];
            logs.push_back(loops_[i].rounds() > 1 ? with_double_tiles(core, loops_[i]) : core.log.records);
        }
        Replay replay = playing(logs);
        replay.more = Replay::More::half;
        add("larger_tiles", replay, room_for([](const Region &r) { return r.most_bytes; }));
    }

    void without_extra(const char *change, bool vector)
    {
        bool any = false;
        Logs logs;
        for (const auto &core : launch_.cores) {
            logs.push_back(core->log.records);
            for (Record &r : logs.back()) {
                if (r.kind == Kind::instr && (static_cast<Pipe>(r.pipe) == Pipe::V) == vector) {
                    Shape shape = unpack(r.aux, vector);
                    any = any || shape.extra > 0;
                    shape.extra = 0;
                    r.aux = pack(shape, vector);
                }
            }
        }
        if (any) {
            add(change, playing(logs), true);
        }
    }

    void without_casts()
    {
        if (casts_) {
            Replay replay = as_recorded(launch_);
            replay.free_casts = true;
            add("casts", replay, true);
        }
    }

    // The same work on so many cores, each with as much of it as the others: in whole rounds where all have a loop.
    void evenly(const char *change, size_t cores)
    {
        const size_t have = launch_.cores.size();
        std::vector<double> work;
        for (const auto &core : launch_.cores) {
            work.push_back(static_cast<double>(core->log.gm_read_bytes + core->log.gm_write_bytes));
        }
        const auto heaviest = static_cast<size_t>(std::max_element(work.begin(), work.end()) - work.begin());
        const double mean = std::accumulate(work.begin(), work.end(), 0.0) / static_cast<double>(cores);
        if (!alone_ || cores < have || mean <= 0 || work[heaviest] < 1.05 * mean) {
            return;
        }
        // A core with one round shows no loop; its work tells how many rounds it has.
        const size_t longest = loops_[heaviest].rounds();
        size_t rounds = 0;
        for (size_t i = 0; i < have && longest > 0; ++i) {
            const double like_heaviest = work[i] / work[heaviest] * static_cast<double>(longest);
            rounds += loops_[i].rounds() ? loops_[i].rounds() : static_cast<size_t>(std::lround(like_heaviest));
        }
        if ((rounds + cores - 1) / cores < longest &&
            add(change, Spread(*this, cores, heaviest, rounds, work, mean).replay, true)) {
            return;
        }
        add(change, Spread(*this, cores, heaviest, 0, work, mean).replay, true);
    }

    // Records for so many cores: in whole rounds, or without rounds by shares of every instruction.
    struct Spread {
        Spread(const Changes &of, size_t cores, size_t heaviest, size_t rounds, const std::vector<double> &work,
               double mean)
        {
            replay.more = Replay::More::as_many;
            for (size_t i = 0, left = rounds; i < cores; ++i) {
                const size_t take = (left + cores - i - 1) / (cores - i);
                const bool own = i < work.size() && (rounds ? of.loops_[i].rounds() >= take : work[i] > 0);
                const size_t like = own ? i : heaviest;
                const auto &records = of.launch_.cores[like]->log.records;
                logs.push_back(rounds ? with_rounds(records, of.loops_[like], take)
                                      : with_share(records, mean / work[like]));
                replay.parts.push_back({nullptr, static_cast<uint32_t>(like)});
                left -= take;
            }
            for (size_t i = 0; i < cores; ++i) {
                replay.parts[i].records = &logs[i];
            }
        }
        Logs logs;
        Replay replay;
    };

    const Launch &launch_;
    const CostModel &costs_;
    std::vector<TileLoop> loops_;
    std::vector<Prediction> found_;
    bool alone_ = true;   // vector cores that do not wait for each other
    bool single_ = false; // there is a queue of one buffer
    bool casts_ = false;
};
} // namespace

std::vector<Prediction> what_if(const Launch &launch, const CostModel &costs) { return Changes(launch, costs).all(); }

} // namespace akgen::twin
