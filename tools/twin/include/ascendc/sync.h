// SetFlag, WaitFlag, PipeBarrier, SyncAll, cross-core flags, barriers between groups of cores, and who the running core is.
#pragma once
#include "akgen/sync.h"
#include "ascendc/tensor.h"

namespace AscendC {
namespace detail {
using akgen::twin::Pipe;

struct EventPipes {
    HardEvent key;
    Pipe from;
    Pipe to;
};
#define AKGEN_EVENT(From, To) {HardEvent::From##_##To, Pipe::From, Pipe::To}
constexpr EventPipes EVENT_PIPES[] = {
    AKGEN_EVENT(MTE2, MTE1), AKGEN_EVENT(MTE1, MTE2), AKGEN_EVENT(MTE1, M),  AKGEN_EVENT(M, MTE1),
    AKGEN_EVENT(MTE2, V),    AKGEN_EVENT(V, MTE2),    AKGEN_EVENT(MTE3, V),  AKGEN_EVENT(V, MTE3),
    AKGEN_EVENT(M, V),       AKGEN_EVENT(V, M),       AKGEN_EVENT(V, V),     AKGEN_EVENT(MTE3, MTE1),
    AKGEN_EVENT(MTE1, MTE3), AKGEN_EVENT(MTE1, V),    AKGEN_EVENT(MTE2, M),  AKGEN_EVENT(M, MTE2),
    AKGEN_EVENT(V, MTE1),    AKGEN_EVENT(M, FIX),     AKGEN_EVENT(FIX, M),   AKGEN_EVENT(MTE3, MTE2),
    AKGEN_EVENT(MTE2, MTE3), AKGEN_EVENT(S, V),       AKGEN_EVENT(V, S),     AKGEN_EVENT(S, MTE2),
    AKGEN_EVENT(MTE2, S),    AKGEN_EVENT(S, MTE3),    AKGEN_EVENT(MTE3, S),  AKGEN_EVENT(MTE2, FIX),
    AKGEN_EVENT(FIX, MTE2),  AKGEN_EVENT(FIX, S),     AKGEN_EVENT(M, S),     AKGEN_EVENT(FIX, MTE3),
    AKGEN_EVENT(MTE1, FIX),  AKGEN_EVENT(FIX, MTE1),  AKGEN_EVENT(FIX, FIX), AKGEN_EVENT(FIX, V),
    AKGEN_EVENT(V, FIX),
};
#undef AKGEN_EVENT
constexpr bool each_event_has_its_row()
{
    uint8_t row = 0;
    for (const EventPipes &pipes : EVENT_PIPES) {
        if (pipes.key != static_cast<HardEvent>(row++)) {
            return false;
        }
    }
    return row == static_cast<uint8_t>(HardEvent::MAX);
}
static_assert(each_event_has_its_row());
constexpr EventPipes pipes_of(HardEvent event) { return EVENT_PIPES[static_cast<uint8_t>(event)]; }

constexpr Pipe pipe_of(pipe_t pipe)
{
    return pipe == PIPE_S      ? Pipe::S
           : pipe == PIPE_V    ? Pipe::V
           : pipe == PIPE_M    ? Pipe::M
           : pipe == PIPE_MTE1 ? Pipe::MTE1
           : pipe == PIPE_MTE2 ? Pipe::MTE2
           : pipe == PIPE_MTE3 ? Pipe::MTE3
           : pipe == PIPE_FIX  ? Pipe::FIX
                               : Pipe::ALL;
}
} // namespace detail

template <HardEvent event> AKGEN_INLINE void SetFlag(int32_t eventID)
{
    akgen::twin::set_flag(detail::pipes_of(event).from, detail::pipes_of(event).to, eventID);
}
template <HardEvent event> AKGEN_INLINE void WaitFlag(int32_t eventID)
{
    akgen::twin::wait_flag(detail::pipes_of(event).from, detail::pipes_of(event).to, eventID);
}
template <pipe_t pipe> AKGEN_INLINE void PipeBarrier() { akgen::twin::pipe_barrier(detail::pipe_of(pipe)); }
template <MemDsbT arg> AKGEN_INLINE void DataSyncBarrier() { akgen::twin::pipe_barrier(akgen::twin::Pipe::ALL); }

template <bool isAIVOnly = true> AKGEN_INLINE void SyncAll() { akgen::twin::sync_all(isAIVOnly); }
template <bool isAIVOnly = true>
AKGEN_INLINE void SyncAll(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace,
                          const int32_t usedCores = 0)
{
    akgen::twin::sync_all_soft(detail::address(gmWorkspace), detail::view(ubWorkspace), usedCores);
}
template <uint8_t modeId, pipe_t pipe> AKGEN_INLINE void CrossCoreSetFlag(uint16_t flagId)
{
    akgen::twin::cross_core_set(modeId, detail::pipe_of(pipe), flagId);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S> AKGEN_INLINE void CrossCoreWaitFlag(uint16_t flagId)
{
    akgen::twin::cross_core_wait(flagId);
}
template <bool isAIVOnly = true>
AKGEN_INLINE void IBSet(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace,
                        int32_t blockIdx, int32_t eventID)
{
    akgen::twin::block_set(detail::address(gmWorkspace), detail::view(ubWorkspace), blockIdx, eventID, isAIVOnly);
}
template <bool isAIVOnly = true>
AKGEN_INLINE void IBWait(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace,
                         int32_t blockIdx, int32_t eventID)
{
    akgen::twin::block_wait(detail::address(gmWorkspace), detail::view(ubWorkspace), blockIdx, eventID, isAIVOnly);
}

AKGEN_INLINE void InitDetermineComputeWorkspace(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &ubWorkspace)
{
    akgen::twin::order_begin(detail::address(gmWorkspace), detail::view(ubWorkspace));
}
AKGEN_INLINE void WaitPreBlock(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &ubWorkspace)
{
    akgen::twin::order_wait(detail::address(gmWorkspace), detail::view(ubWorkspace));
}
AKGEN_INLINE void NotifyNextBlock(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &ubWorkspace)
{
    akgen::twin::order_notify(detail::address(gmWorkspace), detail::view(ubWorkspace));
}
// Flags between two pipes without TPipe.
template <pipe_t src, pipe_t dst> class TQueSync {
public:
    AKGEN_INLINE void SetFlag(TEventID id) { akgen::twin::set_flag(detail::pipe_of(src), detail::pipe_of(dst), id); }
    AKGEN_INLINE void WaitFlag(TEventID id) { akgen::twin::wait_flag(detail::pipe_of(src), detail::pipe_of(dst), id); }
};

// Cores that arrive and cores that wait for them, within one kernel. Which pipe carries the
// message decides nothing here.
template <PipeMode pipeMode> class GroupBarrier {
public:
    AKGEN_INLINE GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn)
        : workspace_(groupWorkspace), arrivers_(arriveSizeIn), waiters_(waitSizeIn)
    {
    }
    AKGEN_INLINE void Arrive(uint32_t arriveIndex) { akgen::twin::group_arrive(workspace_, arrivers_, arriveIndex); }
    AKGEN_INLINE void Wait(uint32_t waitIndex) { akgen::twin::group_wait(workspace_, arrivers_, waitIndex); }
    AKGEN_INLINE uint64_t GetWorkspaceLen()
    {
        return uint64_t{512} * (arrivers_ + waiters_);
    } // a cache line for each core

private:
    GM_ADDR workspace_;
    uint32_t arrivers_;
    uint32_t waiters_;
};

// Where tasks of one launch follow each other they may overlap; a launch of one task has nothing to overlap with.
template <pipe_t pipe = PIPE_MTE3, pipe_t other = PIPE_MTE3> AKGEN_INLINE void SetNextTaskStart() {}
AKGEN_INLINE void WaitPreTaskEnd() {}
// Loading of instructions takes no time here.
AKGEN_INLINE void ICachePreLoad(const int64_t) {}
AKGEN_INLINE int64_t GetICachePreloadStatus() { return 0; }

AKGEN_INLINE int64_t GetBlockIdx() { return akgen::twin::block_idx(); }
AKGEN_INLINE int64_t GetBlockNum() { return akgen::twin::block_num(); }
AKGEN_INLINE int64_t GetSubBlockIdx() { return akgen::twin::sub_block_idx(); }
AKGEN_INLINE int64_t GetSubBlockNum() { return akgen::twin::sub_block_num(); }
AKGEN_INLINE int64_t GetTaskRation() { return akgen::twin::task_ratio(); }
AKGEN_INLINE int64_t GetTaskRatio() { return akgen::twin::task_ratio(); }
AKGEN_INLINE int64_t GetSystemCycle() { return akgen::twin::system_cycle(); }
AKGEN_INLINE void GetArchVersion(uint32_t &coreVersion)
{
    coreVersion = 0x220;
} // as documented, to be read as hexadecimal
// Where in the kernel's code the call stands.
AKGEN_INLINE int64_t GetProgramCounter() { return akgen::twin::program_counter(); }
AKGEN_INLINE constexpr int32_t GetDataBlockSizeInBytes() { return 32; }
AKGEN_INLINE constexpr uint32_t GetUBSizeInBytes() { return TOTAL_UB_SIZE; }
AKGEN_INLINE constexpr uint32_t GetRuntimeUBSize() { return TOTAL_UB_SIZE; }
AKGEN_INLINE __gm__ uint8_t *GetSysWorkSpacePtr() { return akgen::twin::system_workspace(); }
AKGEN_INLINE void SetSysWorkspace(GM_ADDR workspace) { akgen::twin::set_system_workspace(workspace); }
AKGEN_INLINE void SetSysWorkspaceForce(GM_ADDR workspace) { akgen::twin::set_system_workspace(workspace); }
#ifdef ASCENDC_CPU_DEBUG // a unit test gives the kernel its own part alone
AKGEN_INLINE GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace; }
#else
AKGEN_INLINE GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return akgen::twin::user_workspace(workspace); }
#endif
template <typename T> AKGEN_INLINE void OOMCheckAddrRange(T *, uint64_t) {}
AKGEN_INLINE void InitSocState() {}
AKGEN_INLINE void SetMaskNormal() {}

} // namespace AscendC

// The compiler's own intrinsics, as older kernels use them.
namespace akgen::twin {
struct BlockIdxWord { // a variable on the chip; an object here, so that a kernel may shadow the name
    AKGEN_INLINE operator int64_t() const { return raw_block_idx(); }
};
struct BlockNumWord {
    AKGEN_INLINE operator int64_t() const { return block_num(); }
};
} // namespace akgen::twin
static constexpr akgen::twin::BlockIdxWord block_idx{};
static constexpr akgen::twin::BlockNumWord block_num{};
AKGEN_INLINE void set_flag(pipe_t from, pipe_t to, int32_t id)
{
    akgen::twin::set_flag(AscendC::detail::pipe_of(from), AscendC::detail::pipe_of(to), id);
}
AKGEN_INLINE void wait_flag(pipe_t from, pipe_t to, int32_t id)
{
    akgen::twin::wait_flag(AscendC::detail::pipe_of(from), AscendC::detail::pipe_of(to), id);
}
// config: 1, the mode from bit 4, the flag from bit 8.
AKGEN_INLINE void ffts_cross_core_sync(pipe_t pipe, uint64_t config)
{
    akgen::twin::cross_core_set(static_cast<uint32_t>(config >> 4 & 3), AscendC::detail::pipe_of(pipe),
                                static_cast<uint32_t>(config >> 8 & 15));
}
AKGEN_INLINE void wait_flag_dev(int64_t id) { akgen::twin::cross_core_wait(static_cast<uint32_t>(id)); }
AKGEN_INLINE void pipe_barrier(pipe_t pipe) { akgen::twin::pipe_barrier(AscendC::detail::pipe_of(pipe)); }
AKGEN_INLINE int64_t get_block_idx() { return akgen::twin::raw_block_idx(); }
AKGEN_INLINE int64_t get_block_num() { return akgen::twin::block_num(); }
AKGEN_INLINE int64_t get_subblockid() { return akgen::twin::sub_block_idx(); }
AKGEN_INLINE int64_t get_subblockdim() { return akgen::twin::sub_block_num(); }
using AscendC::GetSysWorkSpacePtr; // the vendor has it outside of any namespace
