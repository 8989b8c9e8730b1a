#include "walk.h"
#include <cstring>

namespace akgen::twin {
namespace {

uint64_t low_bits(uint32_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

void mark_prefix(Walk &w, uint32_t each, uint32_t repeats)
{
    w.prefix = true;
    w.each = w.last = each;
    w.repeats = each ? repeats : 0;
    w.active = static_cast<uint64_t>(each) * repeats;
}

void walk_counter(Walk &w, const char *api, const void *pc, uint64_t total)
{
    constexpr uint64_t most = 1 << 24; // elements: more than any memory of a core holds, and what 32 bits can count
    if (total > most) {
        trap("VECTOR_COUNT", api, pc, "%s is called for %llu elements; no memory of a core holds so many", api,
             static_cast<unsigned long long>(total));
    }
    w.prefix = true;
    w.each = w.lanes;
    w.repeats = static_cast<uint32_t>((total + w.lanes - 1) / w.lanes);
    w.last = total ? static_cast<uint32_t>(total - static_cast<uint64_t>(w.repeats - 1) * w.lanes) : 0;
    w.active = total;
}

void walk_bits(Walk &w, uint64_t lo, uint64_t hi, uint32_t repeats)
{
    w.lo = lo;
    w.hi = hi;
    const uint32_t on = static_cast<uint32_t>(__builtin_popcountll(lo) + __builtin_popcountll(hi));
    if (on <= 64 ? (hi == 0 && lo == low_bits(on)) : (lo == ~uint64_t{0} && hi == low_bits(on - 64))) {
        mark_prefix(w, on, repeats);
        return;
    }
    w.prefix = false;
    w.repeats = repeats;
    w.active = static_cast<uint64_t>(on) * repeats;
}

void require_lanes(const char *api, const void *pc, const Walk &w, uint64_t lo, uint64_t hi)
{
    const bool beyond = w.lanes >= 128 ? false : w.lanes >= 64 ? hi != 0 : (hi != 0 || (lo >> w.lanes) != 0);
    if (beyond) {
        trap("MASK_RANGE", api, pc,
             "%s: the bit mask {0x%llx, 0x%llx} names lanes past %u, but one repeat of this type has %u elements", api,
             static_cast<unsigned long long>(lo), static_cast<unsigned long long>(hi), w.lanes - 1, w.lanes);
    }
}

} // namespace

uint32_t dtype_bits(DType type) { return type == DType::I4 ? 4 : dtype_bytes(type) * 8; }

void require_operand(const char *api, const void *pc, const char *operand, const View &v, uint32_t bytes)
{
    if (!v.data) {
        trap("WRONG_MEMORY", api, pc, "%s: operand %s has no memory; the tensor was never allocated.", api, operand);
    }
    if (space_of(v.data) != Space::UB) {
        trap("WRONG_MEMORY", api, pc, "%s: operand %s does not lie in the Unified Buffer, where the vector unit works.",
             api, operand);
    }
    require_aligned(api, pc, operand, v, bytes);
}

Walk walk_count(const char *api, const void *pc, uint32_t lanes, int64_t count)
{
    if (count < 0) {
        trap("VECTOR_COUNT", api, pc, "%s is called with a negative count (%lld elements)", api,
             static_cast<long long>(count));
    }
    Walk w{};
    w.lanes = lanes;
    walk_counter(w, api, pc, static_cast<uint64_t>(count));
    mask_state() = MaskState{false, ~uint64_t{0}, ~uint64_t{0}}; // the count form ends with normal mode and a full mask
    return w;
}

Walk walk_repeat(const char *api, const void *pc, uint32_t lanes, const MaskArg &mask, int64_t repeat)
{
    if (repeat < 0 || repeat > 255) {
        trap("REPEAT_RANGE", api, pc, "%s is called with %lld repeats; one instruction takes 0 to 255", api,
             static_cast<long long>(repeat));
    }
    MaskState &state = mask_state();
    Walk w{};
    w.lanes = lanes;
    if (mask.form == MaskForm::LENGTH) {
        if (state.counter) {
            state.lo = mask.lo;
            state.hi = 0;
        } else {
            if (mask.lo > lanes) {
                trap("MASK_RANGE", api, pc, "%s: mask %llu exceeds the %u elements of one repeat of this type", api,
                     static_cast<unsigned long long>(mask.lo), lanes);
            }
            const uint32_t n = static_cast<uint32_t>(mask.lo);
            state.lo = low_bits(n);
            state.hi = n > 64 ? low_bits(n - 64) : 0;
        }
    } else if (mask.form == MaskForm::BITS) {
        if (!state.counter) {
            require_lanes(api, pc, w, mask.lo, mask.hi);
        }
        state.lo = mask.lo;
        state.hi = mask.hi;
    }
    if (state.counter) {
        walk_counter(w, api, pc, state.lo);
    } else {
        // A register left by a wider lane count is cut to the lanes of this type, as the hardware does.
        walk_bits(w, lanes >= 64 ? state.lo : state.lo & low_bits(lanes), lanes >= 128 ? state.hi : 0,
                  static_cast<uint32_t>(repeat));
    }
    return w;
}

void execute(const Walk &w, const Operand *dst, const Operand *src0, const Operand *src1, Loop loop, uint64_t scalar)
{
    if (w.active == 0) {
        return;
    }
    const Operand *const ops[3] = {dst, src0, src1};
    bool straight = w.prefix && (w.each == w.lanes || w.repeats == 1);
    for (const Operand *o : ops) {
        straight = straight && (!o || (o->block == 1 && (w.repeats == 1 || packed(w, *o))));
    }
    const auto at = [](const Operand *o, uint32_t r, uint32_t lane) { return o ? lane_address(*o, r, lane) : nullptr; };
    if (straight) {
        loop(dst->view.data, src0 ? src0->view.data : nullptr, src1 ? src1->view.data : nullptr, scalar, w.active);
        return;
    }
    if (w.prefix && dst->block == 1 && (!src0 || src0->block <= 1) && (!src1 || src1->block <= 1)) {
        // A source of one block for all of a repeat, spread out first: one loop takes the whole repeat.
        alignas(64) uint8_t spread[2][8 * block_bytes];
        const uint8_t *from[2] = {};
        for (uint32_t r = 0; r < w.repeats; ++r) {
            for (int i = 0; i < 2; ++i) {
                const Operand *o = ops[i + 1];
                if (!o) {
                    continue;
                }
                const uint8_t *begin = o->view.data + uint64_t{block_bytes} * r * o->repeat;
                if (o->block == 0 && (r == 0 || o->repeat != 0)) {
                    for (uint32_t b = 0; b < 8; ++b) {
                        std::memcpy(spread[i] + b * block_bytes, begin, block_bytes);
                    }
                }
                from[i] = o->block == 0 ? spread[i] : begin;
            }
            loop(at(dst, r, 0), from[0], from[1], scalar, r + 1 == w.repeats ? w.last : w.each);
        }
        return;
    }
    uint32_t widest = 0;
    for (const Operand *o : ops) {
        widest = o && o->bits > widest ? o->bits : widest;
    }
    const uint32_t step = block_bytes * 8 / widest; // lanes that share a block in every operand
    const uint32_t step_bytes = step * dst->bits / 8;
    for (uint32_t r = 0; r < w.repeats; ++r) {
        const uint32_t n = w.prefix ? (r + 1 == w.repeats ? w.last : w.each) : w.lanes;
        for (uint32_t lane = 0; lane < n; lane += step) {
            uint8_t *to = at(dst, r, lane);
            const uint8_t *a = at(src0, r, lane);
            const uint8_t *b = at(src1, r, lane);
            if (w.prefix) {
                loop(to, a, b, scalar, n - lane < step ? n - lane : step);
                continue;
            }
            uint32_t on = 0;
            for (uint32_t i = 0; i < step; ++i) {
                on += lane_on(w, lane + i) ? 1 : 0;
            }
            if (on == step) {
                loop(to, a, b, scalar, step);
            } else if (on != 0) { // masked lanes keep the old destination
                alignas(32) uint8_t fresh[block_bytes];
                std::memcpy(fresh, to, step_bytes);
                loop(fresh, a, b, scalar, step);
                for (uint32_t i = 0; i < step; ++i) {
                    if (lane_on(w, lane + i)) {
                        std::memcpy(to + i * dst->bits / 8, fresh + i * dst->bits / 8, (dst->bits + 7) / 8);
                    }
                }
            }
        }
    }
}

} // namespace akgen::twin
