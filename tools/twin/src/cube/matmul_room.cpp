// Whether a product, cut as its tiling says, fits into the cube core's memories.
#include "matmul_parts.h"
#include "operand.h"
#include <algorithm>

namespace akgen::twin {

namespace {
uint64_t up(uint64_t count, uint64_t unit) { return (count + unit - 1) / unit * unit; }

void require_room(const char *api, const void *pc, const char *what, uint64_t high, uint64_t wide, uint64_t bytes,
                  Space space)
{
    if (bytes > size_of(space)) {
        trap("MATMUL_ROOM", api, pc, "%s: %s of %llu x %llu elements takes %llu bytes of %s, which has %u.", api, what,
             static_cast<unsigned long long>(high), static_cast<unsigned long long>(wide),
             static_cast<unsigned long long>(bytes), space_name(space), size_of(space));
    }
}
} // namespace

void require_room_for(const Product &p, const char *api, const void *pc)
{
    if (p.base_m == 0 || p.base_n == 0 || p.base_k == 0) { // no tiling says how it is cut
        return;
    }
    const uint64_t lanes = lanes_of(p.a.type);
    // Blocks at the edge are smaller; a product that is smaller than one block has no other.
    const uint64_t high = std::min(p.base_m, p.m), wide = std::min(p.base_n, p.n), deep = std::min(p.base_k, p.k);
    require_room(api, pc, "a block of A", high, deep, bytes_of(up(high, 16) * up(deep, lanes), p.a.type), Space::L0A);
    require_room(api, pc, "a block of B", deep, wide, bytes_of(up(deep, lanes) * up(wide, 16), p.b.type), Space::L0B);
    require_room(api, pc, "a block of C", high, wide, up(high, 16) * up(wide, 16) * 4, Space::L0C);
    const bool a_there = place_of(p.a.data).space == Space::L1, b_there = place_of(p.b.data).space == Space::L1;
    const uint64_t a = a_there ? 0 : p.depth_a * bytes_of(up(p.base_m, 16) * up(p.base_k, lanes), p.a.type);
    const uint64_t b = b_there ? 0 : p.depth_b * bytes_of(up(p.base_n, 16) * up(p.base_k, lanes), p.b.type);
    if (a + b > size_of(Space::L1)) {
        trap("MATMUL_ROOM", api, pc, "%s: depthA1 %u and depthB1 %u ask for %llu bytes of L1, which has %u.", api,
             p.depth_a, p.depth_b, static_cast<unsigned long long>(a + b), size_of(Space::L1));
    }
}

} // namespace akgen::twin
