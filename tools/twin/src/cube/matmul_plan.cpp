// The instructions of a product, for the timeline: tiles with double buffers in L1, L0A and L0B, one block of L0C at a
// time, of which parts leave early where unit flags are on, columns of blocks from top to bottom. A product goes on with
// the buffers of the one before it. Its memories belong to the library, so that nothing is checked here.
#include "matmul_parts.h"
#include "sums.h"
#include "operand.h"
#include <algorithm>

namespace akgen::twin {

namespace {
class Plan {
public:
    Plan(Core &cube, const void *pc, const char *api)
        : cube_(cube), pc_(static_cast<uint32_t>(so_offset(pc))), api_(api)
    {
    }

    // A block of a stored matrix, between where it is stored and L1 or L0C.
    void copy(const char *op, Pipe pipe, const Stored &s, uint64_t row, uint64_t column, uint64_t rows,
              uint64_t columns, bool write)
    {
        if (s.transposed) {
            std::swap(row, column);
            std::swap(rows, columns);
        }
        row += s.row;
        column += s.column;
        const uint64_t c0 = lanes_of(s.type), high = (s.stride + 15) / 16 * 16;
        const uint64_t at = s.fractal ? (column / c0 * high + row) * c0 : row * s.stride + column;
        const Access runs =
            s.fractal ? Access{s.data + byte_of(at, s.type),          rows * c0_bytes, clipped(blocks_of(columns, c0)),
                               static_cast<int64_t>(high * c0_bytes), write,           0}
                      : Access{s.data + byte_of(at, s.type),
                               bytes_of(columns, s.type),
                               clipped(rows),
                               static_cast<int64_t>(bytes_of(s.stride, s.type)),
                               write,
                               0};
        Shape shape = {};
        shape.count = runs.rows;
        Copied copied;
        if (const GmBuffer *buffer = place_of(runs.begin).buffer) {
            shape.global = true;
            copied = launch->footprint->enter(*buffer, runs, cube_.index);
            shape.extra = Footprint::extra_lines(copied);
            shape.buffer = launch->footprint->index(*buffer);
            (write ? cube_.log.gm_write_bytes : cube_.log.gm_read_bytes) += runs.rows * runs.row_bytes;
        }
        cube_.log.instr(cube_instr(api_, op, nullptr, pipe, s.type), pc_, clipped(runs.rows * runs.row_bytes),
                        pack(shape, false), shape.global ? &copied : nullptr);
    }
    void load(const char *op, DType type, uint64_t bytes) // L1 to L0
    {
        Shape shape = {};
        shape.count = 1;
        cube_.log.instr(cube_instr(api_, op, nullptr, Pipe::MTE1, type), pc_, clipped(bytes), pack(shape, false));
    }
    void multiply(DType type, uint64_t steps)
    {
        cube_.log.instr(cube_instr(api_, "Mmad", nullptr, Pipe::M, type), pc_, clipped(steps), 0);
    }
    void set(Pipe from, Pipe to, int id) { event(Kind::set, from, to, id); }
    void wait(Pipe from, Pipe to, int id) { event(Kind::wait, from, to, id); }

private:
    static uint32_t clipped(uint64_t value) { return static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX)); }
    void event(Kind kind, Pipe from, Pipe to, int id)
    {
        cube_.log.event(kind, static_cast<uint8_t>(static_cast<int>(from) << 4 | static_cast<int>(to)),
                        static_cast<uint16_t>(id), pc_);
    }

    Core &cube_;
    uint32_t pc_;
    const char *api_;
};
} // namespace

namespace {
constexpr int of_products = 9;     // flags from here on belong to the library
constexpr uint32_t flag_parts = 4; // of a block of C, which leave L0C one by one where unit flags tell them apart

// One operand's way into L1: buffers that copies fill in turn, each with the base blocks of several steps along k.
struct Panels {
    uint32_t step, buffers; // base blocks that one copy brings; copies that L1 has room for
    int first_id;           // of the flags between MTE2 and MTE1
    uint32_t loads = 0;

    int id() const { return first_id + static_cast<int>((loads - 1) % buffers); } // of the last copy
};

// With one base block at a time L1 has two of them; how many copies of several fit, depthA1 and depthB1 tell.
Panels panels_of(uint32_t step, uint32_t depth, int first_id)
{
    return {std::max(step, 1u), step == 0 || depth == 0 || depth >= 2 * step ? 2u : 1u, first_id};
}

// Raise or await the flags that say that all buffers are free.
template <typename Event> void for_all_buffers(const Core::Products &kept, const Event &event)
{
    for (uint32_t i = 0; i < kept.buffers_a; ++i) {
        event(Pipe::MTE1, Pipe::MTE2, of_products + static_cast<int>(i));
    }
    for (uint32_t i = 0; i < kept.buffers_b; ++i) {
        event(Pipe::MTE1, Pipe::MTE2, of_products + 2 + static_cast<int>(i));
    }
    for (uint32_t i = 0; i < kept.parts; ++i) {
        event(Pipe::FIX, Pipe::M, of_products + static_cast<int>(i));
    }
    for (int i = 0; i < (kept.parts ? 2 : 0); ++i) {
        event(Pipe::M, Pipe::MTE1, of_products + i);
    }
}
} // namespace

void log_product(Core &cube, const Product &p, const void *pc, const char *api)
{
    Plan plan(cube, pc, api);
    const uint32_t step = step_along_k(p.a.type, p.hf32 != 0);
    const uint32_t base_m = p.base_m ? p.base_m : 128, base_n = p.base_n ? p.base_n : 256;
    const uint32_t base_k = p.base_k ? p.base_k : 4 * lanes_of(p.a.type); // 128 bytes
    // A tile that L1 keeps is loaded once: all of A, or one column of B's blocks.
    const uint64_t tiles_k = blocks_of(p.k, base_k);
    const bool a_there = place_of(p.a.data).space == Space::L1,
               b_there = place_of(p.b.data).space == Space::L1; // as TSCM
    const bool keep_a = p.depth_a >= tiles_k * blocks_of(p.m, base_m), keep_b = p.depth_b >= tiles_k;
    Panels of_a = panels_of(p.step_a, p.depth_a, of_products), of_b = panels_of(p.step_b, p.depth_b, of_products + 2);
    const uint32_t parts = p.unit_flag ? flag_parts : 1;
    Core::Products &kept = cube.products;
    if (kept.buffers_a != of_a.buffers || kept.buffers_b != of_b.buffers || kept.parts != parts) {
        for_all_buffers(kept, [&](Pipe from, Pipe to, int id) { plan.wait(from, to, id); });
        kept = {of_a.buffers, of_b.buffers, parts, 0, 0, 0};
        for_all_buffers(kept, [&](Pipe from, Pipe to, int id) { plan.set(from, to, id); });
    }
    of_a.loads = kept.loads_a;
    of_b.loads = kept.loads_b;
    const bool leaves = !p.kept && place_of(p.c.data).space != Space::L0C;
    uint32_t turn = kept.turn;
    for (uint32_t n = 0; n < p.n; n += base_n) {
        const uint32_t wide = std::min(base_n, p.n - n);
        for (uint32_t m = 0; m < p.m; m += base_m) {
            const uint32_t high = std::min(base_m, p.m - m);
            const uint32_t rows = blocks_of(blocks_of(high, 16), parts) * 16; // of each part
            for (uint32_t k = 0; k < p.k; k += base_k, turn ^= 1) {
                const int id = of_products + static_cast<int>(turn);
                const uint32_t deep = std::min(base_k, p.k - k);
                const auto begins = [&](const Panels &panels) { return k % (base_k * panels.step) == 0; };
                const auto ends = [&](const Panels &panels) {
                    return k + base_k >= p.k || (k + base_k) % (base_k * panels.step) == 0;
                };
                const auto bring = [&](Panels &panels, const Stored &s, bool there, bool of_left) {
                    if (!begins(panels)) {
                        return;
                    }
                    ++panels.loads;
                    const uint32_t far = std::min(base_k * panels.step, p.k - k);
                    plan.wait(Pipe::MTE1, Pipe::MTE2, panels.id());
                    if (!there) {
                        of_left ? plan.copy("DataCopy nd2nz", Pipe::MTE2, s, m, k, high, far, false)
                                : plan.copy("DataCopy nd2nz", Pipe::MTE2, s, k, n, far, wide, false);
                    }
                    plan.set(Pipe::MTE2, Pipe::MTE1, panels.id());
                    plan.wait(Pipe::MTE2, Pipe::MTE1, panels.id());
                };
                bring(of_a, p.a, a_there || (keep_a && n > 0), true);
                bring(of_b, p.b, b_there || (keep_b && m > 0), false);
                plan.wait(Pipe::M, Pipe::MTE1, id);
                plan.load("LoadData L0A", p.a.type, bytes_of(uint64_t{blocks_of(high, 16)} * 16 * deep, p.a.type));
                plan.load("LoadData L0B", p.b.type, bytes_of(uint64_t{blocks_of(wide, 16)} * 16 * deep, p.a.type));
                for (const Panels &panels : {of_a, of_b}) {
                    if (ends(panels)) {
                        plan.set(Pipe::MTE1, Pipe::MTE2, panels.id());
                    }
                }
                plan.set(Pipe::MTE1, Pipe::M, id);
                plan.wait(Pipe::MTE1, Pipe::M, id);
                const bool first = k == 0, last = k + base_k >= p.k;
                const uint32_t at_once = first || last ? rows : high;
                for (uint32_t row = 0; row < parts * rows; row += at_once) {
                    const int part = of_products + static_cast<int>(row / rows);
                    const uint32_t count = row < high ? std::min(at_once, high - row) : 0;
                    if (first) {
                        plan.wait(Pipe::FIX, Pipe::M, part);
                    }
                    if (count > 0) {
                        plan.multiply(p.a.type,
                                      uint64_t{blocks_of(count, 16)} * blocks_of(wide, 16) * blocks_of(deep, step));
                    }
                    if (last) {
                        plan.set(Pipe::M, Pipe::FIX, part);
                    }
                    if (!first && !last) {
                        break;
                    }
                }
                plan.set(Pipe::M, Pipe::MTE1, id);
            }
            for (uint32_t part = 0; part < parts; ++part) {
                const uint32_t row = part * rows;
                plan.wait(Pipe::M, Pipe::FIX, of_products + static_cast<int>(part));
                if (row < high && leaves) {
                    plan.copy("Fixpipe", Pipe::FIX, p.c, m + row, n, std::min(rows, high - row), wide, true);
                }
                plan.set(Pipe::FIX, Pipe::M, of_products + static_cast<int>(part));
            }
        }
    }
    kept.loads_a = of_a.loads;
    kept.loads_b = of_b.loads;
    kept.turn = turn;
}

} // namespace akgen::twin
