// The log of a core: one compact record per instruction, flag and barrier, from which the timeline is computed.
#pragma once
#include "akgen/runtime.h"
#include "footprint.h"
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

enum class Kind : uint8_t { instr, set, wait, barrier, auto_wait, cross_set, cross_wait, sync_all, scalar };
struct Record {
    uint32_t pc; // offset in kernel.so
    uint16_t op; // index into Log::ops (instr), event id (set, wait; and queue_operation), flag id (cross)
    Kind kind;
    uint8_t pipe; // instr: where it runs; set, wait: (from << 4) | to; auto_wait: the waiting pipe
    uint32_t
        work; // V: elements; MTE, FIX: bytes; M: fractal steps; scalar: count; auto_wait: the other pipe; set, wait
              // that give a queue's buffer back: the queue's number
    uint32_t
        aux; // instr: packed by Shape, below; scalar: what it counts, below, and above its two bits those of them that
             // missed the data cache; auto_wait: the other pipe's instruction number; set, wait as above: the
             // queue's buffers
};
// In Record::op of a flag: EnQue, DeQue, AllocTensor or FreeTensor set it or wait for it.
constexpr uint16_t queue_operation = 256;
// What a scalar record counts, in Record::aux: accesses to a memory, operations of the kernel's own code,
// or pipes that begin.
constexpr uint32_t scalar_local = 0, scalar_global = 1, scalar_work = 2, scalar_pipe = 3;
constexpr uint32_t scalar_what = 3, scalar_missed = 4; // the mask of these, and one that missed
// The shape of an instruction in Record::aux.
struct Shape {
    uint32_t count; // V: repeats; others: rows
    uint32_t extra; // V: cycles lost to bank conflicts; others: lines of 512 bytes touched beyond what the length needs
    bool dependent; // needs the result of its own pipe's previous instructions
    bool global;    // one side is global memory
    uint32_t buffer; // global: number of the tensor in the launch
};
constexpr uint32_t most_buffers = 63; // further tensors share the last number
uint32_t pack(const Shape &shape, bool vector);
Shape unpack(uint32_t aux, bool vector);

struct OpName {
    const char *api;
    const char *op;
    DType dtype;
    bool operator==(const OpName &o) const { return api == o.api && op == o.op && dtype == o.dtype; }
};

class Log {
public:
    void instr(const Instr &in, uint32_t pc, uint32_t work, uint32_t aux, const Copied *copied = nullptr);
    void event(Kind kind, uint8_t pipe, uint16_t id, uint32_t pc, uint32_t work = 0, uint32_t aux = 0);
    void scalar(uint32_t pc, uint32_t what, bool missed = false); // runs of scalar accesses share one record
    // Account for the kernel's own arithmetic since the last record, beyond `included`, which comes with what it was for.
    void settle_work(uint32_t pc, uint64_t included);
    void end(); // what was computed behind the last record takes its time as well
    uint16_t op_index(const char *api, const char *op, DType dtype);

    static constexpr uint32_t events_before_calls = 64; // that may come in a row with what is computed around them

    uint64_t *work = nullptr; // scalar operations since; none: they are not counted
    // All that could have made a number, on up to eight bytes each: lanes of vector instructions, multiplications of the
    // cube, bytes that a copy adds or converts on its way, operations and accesses of the scalar unit.
    uint64_t operations = 0;
    std::vector<Record> records;
    std::vector<OpName> ops;
    // Where the last instructions of each pipe came from, for messages: index = number % ring.
    static constexpr uint32_t ring = 256;
    struct Origin {
        uint32_t number;
        uint32_t pc;
        uint16_t op;
    };
    Origin &origin_of(Pipe pipe, uint32_t number)
    {
        return kept(origins_[static_cast<int>(pipe)], ring)[number % ring];
    }
    // What the last copies of each pipe from MTE1 on read on the chip; no rows: nothing.
    static constexpr uint32_t few = 32;
    struct Read {
        uint32_t number;
        Access access;
    };
    Read &read_of(Pipe pipe, uint32_t number)
    {
        return kept(reads_[static_cast<int>(pipe) - static_cast<int>(Pipe::MTE1)], few)[number % few];
    }
    uint64_t gm_read_bytes = 0, gm_write_bytes = 0;
    std::vector<Copied> copies[7]; // of each pipe's instructions that touch global memory, in their order

    // Which on-chip buffers are in use, from which record to which: noted only for a trace.
    struct LocalBuffer {
        Space space;
        uint32_t offset, bytes;
        uint32_t pc; // of its InitBuffer
    };
    struct Held {
        uint32_t record; // the flag that gives it, or takes it back; else the next record of all
        uint32_t buffer; // index into `buffers`
        bool taken, by_flag;
    };
    std::vector<LocalBuffer> buffers;
    std::vector<Held> held;
    uint64_t held_left_out = 0;
    size_t most_held = 0; // 0: no trace
    uint32_t add_buffer(const LocalBuffer &buffer);
    void hold(uint32_t buffer, bool taken, bool by_flag);
    void let_go(); // of all of them: the pipe is reset
    size_t let_go_before = 0;
    uint64_t dropped = 0; // records beyond the cap
    uint64_t dropped_work[7] = {};
    static uint64_t cap; // records per core

private:
    // No memory until a pipe is used: most cores use three.
    template <typename T> static T *kept(std::unique_ptr<T[]> &of_pipe, uint32_t count)
    {
        if (!of_pipe) {
            of_pipe.reset(new T[count]());
        }
        return of_pipe.get();
    }

    std::unique_ptr<Origin[]> origins_[7];
    std::unique_ptr<Read[]> reads_[4];
    uint32_t events_left_ = events_before_calls;
};

} // namespace akgen::twin
#pragma GCC visibility pop
