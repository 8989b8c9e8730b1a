#include "what_if.h"
#include "core.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace akgen::twin {

namespace {
bool is_vector(const Record &r) { return static_cast<Pipe>(r.pipe) == Pipe::V; }
bool is_instr(const Record &r) { return r.kind == Kind::instr; }
bool copies_in(const Record &r)
{
    return is_instr(r) && static_cast<Pipe>(r.pipe) == Pipe::MTE2 && unpack(r.aux, false).global;
}

// A wait, or what the compiler or the scalar unit waits for, belongs to the instruction behind it.
bool leads(const Record &r) { return r.kind == Kind::wait || r.kind == Kind::auto_wait || r.kind == Kind::scalar; }

uint64_t signature(const std::vector<Record> &records, size_t begin, size_t end)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t i = begin; i < end; ++i) {
        if (is_instr(records[i])) {
            hash = (hash ^ (uint64_t{records[i].pc} << 24 ^ uint64_t{records[i].op} << 8 ^ records[i].pipe)) *
                   1099511628211u;
        }
    }
    return hash;
}

size_t instructions(const std::vector<Record> &records, size_t begin, size_t end)
{
    return static_cast<size_t>(std::count_if(records.begin() + static_cast<std::ptrdiff_t>(begin),
                                             records.begin() + static_cast<std::ptrdiff_t>(end), is_instr));
}

// Where the round that starts at `begin` ends, if it has `count` instructions and the flags they set.
size_t end_of_round(const std::vector<Record> &records, size_t begin, size_t count)
{
    size_t at = begin;
    for (size_t seen = 0; at < records.size() && seen < count; ++at) {
        seen += is_instr(records[at]);
    }
    while (at < records.size() && !is_instr(records[at]) && !leads(records[at])) {
        ++at;
    }
    return at;
}

// Rounds of `period` anchors each, from the anchors of one source line.
TileLoop loop_of(const std::vector<Record> &records, const std::vector<size_t> &anchors, size_t period)
{
    std::vector<uint64_t> signs; // of the stretch behind each anchor
    for (size_t i = 0; i + 1 < anchors.size(); ++i) {
        signs.push_back(signature(records, anchors[i], anchors[i + 1]));
    }
    // What follows the last anchor may be one more stretch, and then the end of the kernel.
    const size_t last = anchors.size() - 1;
    const size_t count = instructions(records, anchors[last - period], anchors[last - period + 1]);
    const size_t end = end_of_round(records, anchors[last], count);
    signs.push_back(signature(records, anchors[last], end));
    // The longest run in which each stretch equals the one a period later.
    size_t best = 0, best_from = 0, from = 0;
    for (size_t i = 0; i < signs.size(); ++i) {
        const bool same = i + period < signs.size() && signs[i] == signs[i + period];
        if (same && i + 1 - from > best) {
            best = i + 1 - from;
            best_from = from;
        }
        from = same ? from : i + 1;
    }
    TileLoop loop;
    const size_t rounds = best ? (best + period) / period : 0;
    for (size_t i = 0; rounds > 0 && i <= rounds; ++i) {
        const size_t anchor = best_from + i * period;
        loop.starts.push_back(anchor < anchors.size() ? anchors[anchor] : end);
    }
    return loop;
}

// Appends records and keeps the numbers that automatic waits refer to right.
class Writer {
public:
    explicit Writer(const std::vector<Record> &from) : from_(from)
    {
        std::array<uint32_t, 7> count{};
        for (const Record &r : from) {
            before_.push_back(count);
            count[r.pipe & 7] += is_instr(r);
        }
        for (size_t pipe = 0; pipe < 7; ++pipe) {
            renumbered_[pipe].resize(count[pipe] + 1, 0);
        }
    }
    // An automatic wait keeps its distance, or follows the instruction that it is for.
    void copy(size_t index)
    {
        Record r = from_[index];
        if (r.kind == Kind::auto_wait && r.work < 7) {
            const uint32_t known = r.aux < renumbered_[r.work].size() ? renumbered_[r.work][r.aux] : 0;
            const uint32_t back = before_[index][r.work] - std::min(before_[index][r.work], r.aux);
            r.aux = known ? known : written_[r.work] - std::min(written_[r.work], back);
            if (r.aux == 0) {
                return;
            }
        }
        if (is_instr(r)) {
            renumbered_[r.pipe][before_[index][r.pipe] + 1] = ++written_[r.pipe];
        }
        out.push_back(r);
    }
    void copy(size_t begin, size_t end)
    {
        for (size_t i = begin; i < end; ++i) {
            copy(i);
        }
    }
    // One instruction for two.
    void fold(size_t first, size_t second)
    {
        copy(first);
        Record &r = out.back();
        const Record &other = from_[second];
        Shape a = unpack(r.aux, is_vector(r));
        const Shape b = unpack(other.aux, is_vector(r));
        const bool one_row = !is_vector(r) && a.count == 1 && b.count == 1;
        a.count += one_row ? 0 : b.count;
        a.extra += b.extra;
        r.work += other.work;
        r.aux = pack(a, is_vector(r));
        renumbered_[r.pipe][before_[second][r.pipe] + 1] = written_[r.pipe];
    }
    // From here on, numbers are told by distance: rounds may come again.
    void forget()
    {
        for (auto &numbers : renumbered_) {
            std::fill(numbers.begin(), numbers.end(), 0);
        }
    }
    std::vector<Record> out;

private:
    const std::vector<Record> &from_;
    std::vector<std::array<uint32_t, 7>> before_; // instructions of each pipe before a record
    std::array<std::vector<uint32_t>, 7> renumbered_;
    std::array<uint32_t, 7> written_{};
};

// Sums and the like give one result for each row or tile: two tiles have two.
bool reduces(const char *op)
{
    for (const char *word : {"Reduce", "Sum", "Sort", "Gather", "TopK", "Mean", "Softmax", "SoftMax", "Norm"}) {
        if (std::strstr(op, word)) {
            return true;
        }
    }
    return false;
}

bool reads_scalars(const std::vector<Record> &records, size_t begin, size_t end)
{
    return std::any_of(records.begin() + static_cast<std::ptrdiff_t>(begin),
                       records.begin() + static_cast<std::ptrdiff_t>(end),
                       [](const Record &r) { return r.kind == Kind::scalar && r.aux == scalar_local; });
}

bool for_scalar(const Record &r)
{
    return r.kind == Kind::scalar || (r.kind == Kind::auto_wait && r.pipe == 0) ||
           ((r.kind == Kind::set || r.kind == Kind::wait) && (r.pipe >> 4 == 0 || (r.pipe & 15) == 0));
}
} // namespace

TileLoop find_tile_loop(const std::vector<Record> &records)
{
    std::vector<uint32_t> lines; // that copy in, in the order of their first use
    for (const Record &r : records) {
        if (copies_in(r) && std::find(lines.begin(), lines.end(), r.pc) == lines.end()) {
            lines.push_back(r.pc);
        }
    }
    TileLoop best;
    size_t covered = 0;
    for (const uint32_t line : lines) {
        std::vector<size_t> anchors;
        for (size_t i = 0; i < records.size(); ++i) {
            if (copies_in(records[i]) && records[i].pc == line) {
                size_t at = i;
                while (at > 0 && leads(records[at - 1])) {
                    --at;
                }
                anchors.push_back(at);
            }
        }
        for (size_t period = 1; period <= 4 && anchors.size() > period; ++period) {
            const TileLoop loop = loop_of(records, anchors, period);
            const size_t reach = loop.rounds() ? loop.starts.back() - loop.starts.front() : 0;
            if (reach > covered + covered / 8) { // a longer period only if it explains more
                covered = reach;
                best = loop;
            }
        }
    }
    return best;
}

std::vector<Record> with_double_tiles(const Core &core, const TileLoop &loop)
{
    const std::vector<Record> &records = core.log.records;
    Writer writer(records);
    writer.copy(0, loop.starts.front());
    const bool scalars = reads_scalars(records, loop.starts.front(), loop.starts.back());
    size_t round = 0;
    for (; round + 1 < loop.rounds(); round += 2) {
        size_t a = loop.starts[round], b = loop.starts[round + 1];
        const size_t a_end = b, b_end = loop.starts[round + 2];
        while (a < a_end) {
            for (; a < a_end && !is_instr(records[a]); ++a) {
                writer.copy(a);
            }
            const size_t first = a;
            size_t again = b;
            while (again < b_end && !is_instr(records[again])) {
                ++again;
            }
            const bool pairs = first < a_end && again < b_end;
            const bool together =
                pairs && (!is_vector(records[first]) || (!scalars && !reduces(core.log.ops[records[first].op].op)));
            if (together) {
                writer.fold(first, again);
            } else if (first < a_end) {
                writer.copy(first);
            }
            for (; b < again; ++b) {
                if (for_scalar(records[b])) {
                    writer.copy(b);
                }
            }
            if (pairs && !together) {
                writer.copy(again);
            }
            a = first < a_end ? first + 1 : a_end;
            b = again < b_end ? again + 1 : b_end;
        }
    }
    writer.copy(loop.starts[round], records.size());
    return std::move(writer.out);
}

std::vector<Record> with_rounds(const std::vector<Record> &records, const TileLoop &loop, size_t rounds)
{
    Writer writer(records);
    writer.copy(0, loop.starts.front());
    for (size_t i = 0; i < rounds; ++i) {
        writer.forget();
        const size_t round = std::min(i, loop.rounds() - 1);
        writer.copy(loop.starts[round], loop.starts[round + 1]);
    }
    writer.forget();
    writer.copy(loop.starts.back(), records.size());
    return std::move(writer.out);
}

std::vector<Record> with_share(const std::vector<Record> &records, double factor)
{
    std::vector<Record> out = records;
    for (Record &r : out) {
        if (is_instr(r)) {
            Shape shape = unpack(r.aux, is_vector(r));
            const auto scaled = [&](uint32_t value) { return static_cast<uint32_t>(std::lround(value * factor)); };
            r.work = std::max(1u, scaled(r.work));
            shape.count = shape.count ? std::max(1u, scaled(shape.count)) : 0;
            shape.extra = scaled(shape.extra);
            r.aux = pack(shape, is_vector(r));
        }
    }
    return out;
}

} // namespace akgen::twin
