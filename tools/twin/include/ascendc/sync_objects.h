// Synchronisation as objects: flags between two pipes without TPipe, and barriers between groups of cores.
#pragma once
#include "ascendc/sync.h"

namespace AscendC {

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

} // namespace AscendC
