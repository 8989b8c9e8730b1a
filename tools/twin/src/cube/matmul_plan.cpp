// The instructions of a product, for the timeline: tiles with double buffers in L1, L0A and L0B, one block of L0C at a
// time, columns of blocks from top to bottom. Its memories belong to the library, so that nothing is checked here.
#include "matmul_plan.h"
#include "operand.h"
#include <algorithm>

namespace akgen::twin {

namespace {
class Plan {
public:
    Plan(Core &cube, const void *pc, const char *api) : cube_(cube), pc_(static_cast<uint32_t>(so_offset(pc))), api_(api) {}

    void copy(const char *op, Pipe pipe, DType type, uint64_t rows, uint64_t row_bytes, bool global, bool write = false)
    {
        Instr in = cube_instr(api_, op, nullptr, pipe, type);
        const uint32_t flags = (global ? aux_global : 0) | (row_bytes % 512 ? aux_unaligned : 0);
        cube_.log.instr(in, pc_, clipped(rows * row_bytes), (clipped(rows) & aux_rows_mask) | flags);
        if (global) {
            (write ? cube_.log.gm_write_bytes : cube_.log.gm_read_bytes) += rows * row_bytes;
        }
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
        cube_.log.event(kind, static_cast<uint8_t>(static_cast<int>(from) << 4 | static_cast<int>(to)), static_cast<uint16_t>(id), pc_);
    }

    Core &cube_;
    uint32_t pc_;
    const char *api_;
};
} // namespace

void log_product(Core &cube, const Product &p, const void *pc, const char *api)
{
    Plan plan(cube, pc, api);
    const uint32_t size = dtype_bytes(p.a.type), step = p.a.type == DType::I8 ? 32 : p.a.type == DType::F32 ? 4 : 16;
    const uint32_t base_m = p.base_m ? p.base_m : 128, base_n = p.base_n ? p.base_n : 256;
    const uint32_t base_k = p.base_k ? p.base_k : 128 / size;
    // A tile that L1 keeps is loaded once: all of A, or one column of B's blocks.
    const uint64_t tiles_k = blocks_of(p.k, base_k);
    const bool keep_a = p.depth_a >= tiles_k * blocks_of(p.m, base_m), keep_b = p.depth_b >= tiles_k;
    for (int id = 0; id < 2; ++id) {
        plan.set(Pipe::MTE1, Pipe::MTE2, id);
        plan.set(Pipe::M, Pipe::MTE1, id);
    }
    plan.set(Pipe::FIX, Pipe::M, 0);
    uint32_t turn = 0;
    for (uint32_t n = 0; n < p.n; n += base_n) {
        const uint32_t wide = std::min(base_n, p.n - n);
        for (uint32_t m = 0; m < p.m; m += base_m) {
            const uint32_t high = std::min(base_m, p.m - m);
            plan.wait(Pipe::FIX, Pipe::M, 0);
            for (uint32_t k = 0; k < p.k; k += base_k, turn ^= 1) {
                const auto id = static_cast<int>(turn);
                const uint32_t deep = std::min(base_k, p.k - k);
                plan.wait(Pipe::MTE1, Pipe::MTE2, id);
                if (!keep_a || n == 0) {
                    plan.copy("DataCopy nd2nz", Pipe::MTE2, p.a.type, p.a.transposed ? deep : high,
                              uint64_t{p.a.transposed ? high : deep} * size, true);
                }
                if (!keep_b || m == 0) {
                    plan.copy("DataCopy nd2nz", Pipe::MTE2, p.b.type, p.b.transposed ? wide : deep,
                              uint64_t{p.b.transposed ? deep : wide} * size, true);
                }
                plan.set(Pipe::MTE2, Pipe::MTE1, id);
                plan.wait(Pipe::MTE2, Pipe::MTE1, id);
                plan.wait(Pipe::M, Pipe::MTE1, id);
                plan.copy("LoadData L0A", Pipe::MTE1, p.a.type, 1, uint64_t{blocks_of(high, 16)} * 16 * deep * size, false);
                plan.copy("LoadData L0B", Pipe::MTE1, p.b.type, 1, uint64_t{blocks_of(wide, 16)} * 16 * deep * size, false);
                plan.set(Pipe::MTE1, Pipe::MTE2, id);
                plan.set(Pipe::MTE1, Pipe::M, id);
                plan.wait(Pipe::MTE1, Pipe::M, id);
                plan.multiply(p.a.type, uint64_t{blocks_of(high, 16)} * blocks_of(wide, 16) * blocks_of(deep, step));
                plan.set(Pipe::M, Pipe::MTE1, id);
            }
            plan.set(Pipe::M, Pipe::FIX, 0);
            plan.wait(Pipe::M, Pipe::FIX, 0);
            plan.copy("Fixpipe", Pipe::FIX, p.c.type, high, uint64_t{wide} * dtype_bytes(p.c.type), true, true);
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
