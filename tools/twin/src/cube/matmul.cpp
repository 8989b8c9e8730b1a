// The high-level matrix product. Its owner is a vector core (the cube core of its block does the work and answers) or a
// cube core itself. Results are computed at once; who waits for them, and when, is told to the timeline.
#include "akgen/cube.h"
#include "convert.h"
#include "device/of_core.h"
#include "matmul_parts.h"
#include "operand.h"
#include "sums.h"
#include <algorithm>
#include <deque>
#include <map>

namespace akgen::twin {

namespace {
// Flags between a vector core and the server on its cube core, beyond those that kernels can name.
constexpr uint16_t ask_flag = 11, answer_flag = 13; // + number of the vector core in its block
constexpr uint32_t single_vote = 3;

struct Owner { // of products
    Core *cube = nullptr;
    std::deque<const void *> waiting; // objects whose answers are not yet waited for, in the order of asking
    std::map<const void *, std::vector<uint8_t>> sums; // of each object's last product, for enPartialSum
};
thread_local OfCore<Owner> owner;

Core &cube_core(const char *api, const void *pc)
{
    if (!owner->cube) {
        if (self->cube) {
            owner->cube = self;
        }
        for (const auto &core : launch->cores) {
            if (!owner->cube && core->cube && core->block == self->block) {
                owner->cube = core.get();
            }
        }
    }
    if (!owner->cube) {
        trap("MATMUL_CORES", api, pc,
             "%s: this launch has vector cores only; a Matmul object needs the block's cube core.", api);
    }
    return *owner->cube;
}

void note(Core &core, Kind kind, Pipe pipe, uint16_t id, const void *pc)
{
    core.log.event(kind, static_cast<uint8_t>(pipe), id, static_cast<uint32_t>(so_offset(pc)),
                   kind == Kind::cross_set ? single_vote : 0);
}

// Before and after it copies from or to its owner's memory, the library waits for the owner's pipes.
void drain(const void *pc)
{
    self->detector.barrier(Pipe::ALL);
    self->log.event(Kind::barrier, static_cast<uint8_t>(Pipe::ALL), 0, static_cast<uint32_t>(so_offset(pc)));
}

// What the multiplications leave in the kernel's own part of L0C.
void enter_in_l0c(const Product &p, const char *api, const void *pc)
{
    require_space(api, pc, "localCmatrix", {p.c.data, p.c.limit_bytes}, Space::L0C);
    Instr in = cube_instr(api, "Mmad", pc, Pipe::M, p.a.type);
    const uint64_t bytes = uint64_t{blocks_of(p.m, fractal_rows)} * blocks_of(p.n, lanes) * 1024;
    in.access[in.n_access++] = one_run(p.c.data, bytes, true, p.c.limit_bytes);
    if (p.add_to_last) {
        in.access[in.n_access++] = one_run(p.c.data, bytes, false, p.c.limit_bytes);
    }
    issue(in);
}

// A product takes longer than what the owner's pipes have in hand: public kernels take the wait for a barrier.
void wait_for_answers(const void *object, const void *pc)
{
    const auto last = std::find(owner->waiting.rbegin(), owner->waiting.rend(), object);
    if (last == owner->waiting.rend()) {
        return;
    }
    self->detector.barrier(Pipe::ALL);
    for (auto count = owner->waiting.rend() - last; count > 0; --count) {
        owner->waiting.pop_front();
        note(*self, Kind::cross_wait, Pipe::S, static_cast<uint16_t>(answer_flag + self->sub_block), pc);
    }
}
} // namespace

void matmul_register(const void *)
{
    const void *pc = __builtin_return_address(0);
    cube_core("REGIST_MATMUL_OBJ", pc);
    self->matmul = true;
    if (launch->mixed && !launch->library_workspace) {
        complain("MATMUL_WORKSPACE", "REGIST_MATMUL_OBJ", pc,
                 "The host asked for less workspace than the 16 MB that the library needs for a Matmul object.");
    }
}

void matmul_objects(uint32_t count)
{
    constexpr uint32_t most = 4; // pages of REGIST_MATMUL_OBJ and CrossCoreSetFlag, here and below
    const void *pc = __builtin_return_address(0);
    self->objects += count;
    if (self->objects > most) {
        warn("MATMUL_OBJECT", "REGIST_MATMUL_OBJ", pc, "REGIST_MATMUL_OBJ: %u Matmul objects; %u are the most.",
             self->objects, most);
    }
    if (self->buffers > 0) {
        warn("MATMUL_OBJECT", "REGIST_MATMUL_OBJ", pc,
             "REGIST_MATMUL_OBJ behind InitBuffer: its reference asks for it before the first one.");
    }
}

void matmul_require(bool registered, bool bias_announced)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (!registered) {
        trap("MATMUL_OBJECT", "Matmul", pc, "Matmul: the object was neither registered nor initialised with a tiling.");
    }
    if (!bias_announced) {
        complain("MATMUL_BIAS", "Matmul::SetBias", pc,
                 "Matmul::SetBias: the object's tiling has no bias (isBias is 0).");
    }
}

void matmul_refuse(bool called, const char *call)
{
    if (called) {
        trap("MATMUL_OBJECT", "Matmul", __builtin_return_address(0),
             "%s: the twin does not add to sums of a Matmul object with MatmulCallBackFunc.", call);
    }
}

void matmul_sliced(bool alone, bool bias)
{
    const void *pc = __builtin_return_address(0);
    if (!alone) {
        trap("MATMUL_OBJECT", "GetTensorC", pc,
             "GetTensorC: with isPartialOutput each block of C is written by itself: enSequentialWrite is true.");
    }
    if (bias) {
        trap("MATMUL_BIAS", "GetTensorC", pc, "GetTensorC: isPartialOutput and a bias do not go together.");
    }
}

void matmul(const Product &asked_for, const char *api, bool wait)
{
    Product p = asked_for;
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    Core &cube = cube_core(api, pc);
    if (p.m == 0 || p.n == 0 || p.k == 0) {
        return;
    }
    if (!p.a.data || !p.b.data) {
        trap("NULL_POINTER", api, pc, "%s: %s is not set.", api, !p.a.data ? "A (SetTensorA)" : "B (SetTensorB)");
    }
    if (p.a.type != p.b.type || !converts(quant_of(p), p.c.type, adds_int32(p) ? DType::I32 : DType::F32)) {
        trap("DTYPE_SUPPORT", api, pc, "%s: %s x %s into %s does not exist.", api, dtype_name(p.a.type),
             dtype_name(p.b.type), dtype_name(p.c.type));
    }
    if (p.a.type == DType::I4 && ((!p.a.fractal && p.a.stride % 2 != 0) || (!p.b.fractal && p.b.stride % 2 != 0))) {
        trap("CUBE_RANGE", api, pc,
             "%s: rows of int4b_t begin at whole bytes; those of A have %llu elements, those of B %llu.", api,
             static_cast<unsigned long long>(p.a.stride), static_cast<unsigned long long>(p.b.stride));
    }
    require_room_for(p, api, pc);
    const bool in_l0c = !p.kept && place_of(p.c.data).space == Space::L0C;
    const bool local = place_of(p.a.data).region || place_of(p.b.data).region || (place_of(p.c.data).region && !in_l0c);
    if (local) {
        drain(pc);
    }
    const bool split = p.split_channels && p.c.type == DType::F32;
    const uint32_t c0 = p.c.fractal ? (dtype_bytes(p.c.type) == 1 ? 32 : split ? 8 : 16) : 1;
    check_stored(p.a, p.m, p.k, false, lanes_of(p.a.type), api, pc);
    check_stored(p.b, p.k, p.n, false, lanes_of(p.b.type), api, pc);
    if (!p.kept && !in_l0c) {
        check_stored(p.c, p.m, p.n, true, c0, api, pc);
    }
    if (p.bias_type != DType::NONE && place_of(p.bias.data).region == nullptr) {
        require_global(api, pc, p.bias.data, uint64_t{p.n} * dtype_bytes(p.bias_type), false);
    }
    const bool asked = &cube != self;
    if (p.a.type != DType::F32) {
        p.hf32 = 0;
    } else if (p.hf32 == 0 && !asked && hf32().on) {
        p.hf32 = static_cast<uint8_t>(1 + hf32().away);
    }
    if (asked) {
        note(*self, Kind::cross_set, Pipe::S, static_cast<uint16_t>(ask_flag + self->sub_block), pc);
        note(cube, Kind::cross_wait, Pipe::S, static_cast<uint16_t>(ask_flag + self->sub_block), pc);
    }
    log_product(cube, p, pc, api);
    if (in_l0c) {
        enter_in_l0c(p, api, pc);
    }
    if (asked) {
        note(cube, Kind::cross_set, Pipe::FIX, static_cast<uint16_t>(answer_flag + self->sub_block), pc);
        owner->waiting.push_back(p.object);
        if (wait || place_of(p.c.data).region) {
            wait_for_answers(p.object, pc);
        }
    }
    if (!launch->chip->numbers.count("timed_only")) {
        compute_product(p, owner->sums[p.object], api, pc, c0);
    }
    if (local) {
        drain(pc);
    }
    if (asked) {
        pause_here(); // so that the requests of a block's cores reach its cube core in turns
    }
}

void matmul_told(uint32_t told, uint32_t silent)
{
    const void *pc = __builtin_return_address(0);
    if (told > 1) {
        warn("MATMUL_WAIT", "WaitIterateAll", pc,
             "WaitIterateAll takes one of %u products that are under way: each IterateAll<false> with waitIterateAll "
             "has a WaitIterateAll of its own.",
             told);
    } else if (told == 0 && silent > 0) {
        warn("MATMUL_WAIT", "WaitIterateAll", pc,
             "WaitIterateAll waits for a product that was asked for without waitIterateAll: the cube core does not say "
             "that it is done.");
    }
}

void matmul_wait(const void *object)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    wait_for_answers(object, pc);
}

} // namespace akgen::twin
