#include "operand.h"
#include "device/of_core.h"
#include "vector/half.h"
#include <array>
#include <cstring>

namespace akgen::twin {

namespace {
uint32_t alignment_of(Space space)
{
    switch (space) {
    case Space::L0A:
    case Space::L0B: return 512;
    case Space::L0C:
    case Space::BT: return 64;
    case Space::FB: return 128;
    default: return 32;
    }
}

Space locate(const char *api, const void *pc, const char *operand, const View &v)
{
    self->last_pc = pc;
    if (!self->cube) {
        trap("WRONG_MEMORY", api, pc, "%s: a vector core has no cube unit; call it where ASCEND_IS_AIC holds.", api);
    }
    if (!v.data) {
        trap("TENSOR_RANGE", api, pc, "%s: tensor %s was never allocated.", api, operand);
    }
    const Place place = place_of(v.data);
    if (!place.region) {
        for (int i = 0; i < local_spaces; ++i) {
            const Region &region = self->regions[i];
            if (region.holds_overflow(v.data)) {
                trap("UB_OVERFLOW", api, pc,
                     "%s: tensor %s lies behind the end of %s, which has %u bytes, of which InitBuffer took %u.", api,
                     operand, space_name(static_cast<Space>(i + 1)), region.size_bytes, region.taken_bytes);
            }
        }
        trap("WRONG_MEMORY", api, pc, "%s: tensor %s lies in no on-chip memory of this core.", api, operand);
    }
    return place.space;
}
} // namespace

void require_space(const char *api, const void *pc, const char *operand, const View &v, Space wanted)
{
    const Space space = locate(api, pc, operand, v);
    if (space != wanted) {
        trap("WRONG_MEMORY", api, pc, "%s: tensor %s lies in %s; it must lie in %s.", api, operand, space_name(space),
             space_name(wanted));
    }
    require_aligned(api, pc, operand, v, alignment_of(wanted));
}

Space require_either(const char *api, const void *pc, const char *operand, const View &v, Space first, Space second)
{
    const Space space = locate(api, pc, operand, v);
    if (space != first && space != second) {
        trap("WRONG_MEMORY", api, pc, "%s: tensor %s lies in %s; it must lie in %s or %s.", api, operand,
             space_name(space), space_name(first), space_name(second));
    }
    require_aligned(api, pc, operand, v, alignment_of(space));
    return space;
}

void require_limit(const char *api, const void *pc, const char *what, uint64_t have, uint64_t most)
{
    if (have > most) {
        trap("CUBE_RANGE", api, pc, "%s: %s is %llu; the most is %llu.", api, what,
             static_cast<unsigned long long>(have), static_cast<unsigned long long>(most));
    }
}

Instr cube_instr(const char *api, const char *op, const void *pc, Pipe pipe, DType dtype)
{
    Instr in = {};
    in.api = api;
    in.op = op;
    in.pc = pc;
    in.pipe = pipe;
    in.dtype = dtype;
    return in;
}

void unit_order(Pipe later, Pipe earlier, const void *pc)
{
    static thread_local OfCore<std::array<uint32_t, pipe_count>> seen;
    const uint32_t number = self->detector.follow(later, earlier);
    uint32_t &last = (*seen)[static_cast<size_t>(later)];
    if (number == last) {
        return;
    }
    last = number;
    const auto pair = static_cast<uint8_t>(static_cast<int>(earlier) << 4 | static_cast<int>(later));
    const auto at = static_cast<uint32_t>(so_offset(pc));
    self->log.event(Kind::set, pair, event_ids, at); // an id that no kernel can name
    self->log.event(Kind::wait, pair, event_ids, at);
}

float bits_to_float(uint32_t bits)
{
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

float brain_to_float(uint16_t bits) { return widen_bfloat(bits); }
uint16_t float_to_brain(float value) { return narrow_bfloat(value); }

} // namespace akgen::twin
