#include "record.h"

namespace akgen::twin {

uint64_t Log::cap = 4'000'000;

uint16_t Log::op_index(const char *api, const char *op, DType dtype)
{
    const OpName wanted{api, op, dtype};
    for (size_t i = ops.size(); i-- > 0;) { // few, and the last used are the likeliest
        if (ops[i] == wanted) {
            return static_cast<uint16_t>(i);
        }
    }
    ops.push_back(wanted);
    return static_cast<uint16_t>(ops.size() - 1);
}

void Log::instr(const Instr &in, uint32_t pc, uint32_t work, uint32_t aux)
{
    if (records.size() >= cap) {
        ++dropped;
        dropped_work[static_cast<int>(in.pipe)] += work;
        return;
    }
    records.push_back({pc, op_index(in.api, in.op, in.dtype), Kind::instr, static_cast<uint8_t>(in.pipe), work, aux});
}

void Log::event(Kind kind, uint8_t pipe, uint16_t id, uint32_t pc, uint32_t work, uint32_t aux)
{
    if (records.size() >= cap) {
        ++dropped;
        return;
    }
    records.push_back({pc, id, kind, pipe, work, aux});
}

void Log::scalar(uint32_t pc, bool global)
{
    if (!records.empty()) {
        Record &last = records.back();
        if (last.kind == Kind::scalar && (last.aux != 0) == global && last.work < UINT32_MAX) {
            ++last.work;
            return;
        }
    }
    event(Kind::scalar, 0, 0, pc, 1, global ? 1 : 0);
}

} // namespace akgen::twin
