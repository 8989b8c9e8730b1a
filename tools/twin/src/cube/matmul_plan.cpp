// The instructions of a product, for the timeline: tiles with double buffers in L1, L0A and L0B, one block of L0C at a
// time, columns of blocks from top to bottom. Its memories belong to the library, so that nothing is checked here.
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
    for (int id = 0; id < 2; ++id) {
        plan.set(Pipe::MTE1, Pipe::MTE2, id);
        plan.set(Pipe::M, Pipe::MTE1, id);
    }
    plan.set(Pipe::FIX, Pipe::M, 0);
    const uint32_t load_k = base_k * std::max(p.step_k, 1u);
    uint32_t turn = 0, loads = 0;
    for (uint32_t n = 0; n < p.n; n += base_n) {
        const uint32_t wide = std::min(base_n, p.n - n);
        for (uint32_t m = 0; m < p.m; m += base_m) {
            const uint32_t high = std::min(base_m, p.m - m);
            plan.wait(Pipe::FIX, Pipe::M, 0);
            for (uint32_t k = 0; k < p.k; k += base_k, turn ^= 1) {
                const auto id = static_cast<int>(turn);
                const uint32_t deep = std::min(base_k, p.k - k);
                if (k % load_k == 0) { // one copy brings the base blocks of several steps
                    const auto load = static_cast<int>(loads++ % 2);
                    const uint32_t far = std::min(load_k, p.k - k);
                    plan.wait(Pipe::MTE1, Pipe::MTE2, load);
                    if (!a_there && (!keep_a || n == 0)) {
                        plan.copy("DataCopy nd2nz", Pipe::MTE2, p.a, m, k, high, far, false);
                    }
                    if (!b_there && (!keep_b || m == 0)) {
                        plan.copy("DataCopy nd2nz", Pipe::MTE2, p.b, k, n, far, wide, false);
                    }
                    plan.set(Pipe::MTE2, Pipe::MTE1, load);
                    plan.wait(Pipe::MTE2, Pipe::MTE1, load);
                }
                plan.wait(Pipe::M, Pipe::MTE1, id);
                plan.load("LoadData L0A", p.a.type, bytes_of(uint64_t{blocks_of(high, 16)} * 16 * deep, p.a.type));
                plan.load("LoadData L0B", p.b.type, bytes_of(uint64_t{blocks_of(wide, 16)} * 16 * deep, p.a.type));
                if (k + base_k >= p.k || (k + base_k) % load_k == 0) {
                    plan.set(Pipe::MTE1, Pipe::MTE2, static_cast<int>((loads - 1) % 2));
                }
                plan.set(Pipe::MTE1, Pipe::M, id);
                plan.wait(Pipe::MTE1, Pipe::M, id);
                plan.multiply(p.a.type, uint64_t{blocks_of(high, 16)} * blocks_of(wide, 16) * blocks_of(deep, step));
                plan.set(Pipe::M, Pipe::MTE1, id);
            }
            plan.set(Pipe::M, Pipe::FIX, 0);
            plan.wait(Pipe::M, Pipe::FIX, 0);
            plan.copy("Fixpipe", Pipe::FIX, p.c, m, n, high, wide, true);
            plan.set(Pipe::FIX, Pipe::M, 0);
        }
    }
    plan.wait(Pipe::FIX, Pipe::M, 0);
    for (int id = 0; id < 2; ++id) {
        plan.wait(Pipe::MTE1, Pipe::MTE2, id);
        plan.wait(Pipe::M, Pipe::MTE1, id);
    }
}

} // namespace akgen::twin
