// The SPM buffer of a TPipe: part of the workspace where a kernel keeps local tensors that do not fit on the chip.
// On Ascend910B it lies in global memory alone; the form that takes room in L1 is other chips'.
#pragma once
#include "ascendc/sync.h"

namespace AscendC {
namespace detail {

template <HardEvent event> AKGEN_INLINE void pass(uint8_t id)
{
    SetFlag<event>(id);
    WaitFlag<event>(id);
}

class SpillBuffer {
public:
    template <typename T> AKGEN_INLINE void InitSpmBuffer(const GlobalTensor<T> &workspace, const int32_t bufferSize)
    {
        begin_ = reinterpret_cast<__gm__ uint8_t *>(workspace.GetPhyAddr(0));
        size_bytes_ = bufferSize;
    }
    template <typename Bytes> AKGEN_INLINE void InitSpmBuffer(Bytes)
    {
        static_assert(sizeof(Bytes) == 0, "AKGEN:OTHER_CHIP: on Ascend910B the SPM buffer does not lie in L1; write "
                                          "InitSpmBuffer(workspace, bytes) with a GlobalTensor");
    }
    // Offsets in bytes, sizes in elements. What computes is done with the tensor before it is copied, and waits for it.
    template <typename T>
    AKGEN_INLINE void WriteSpmBuffer(const LocalTensor<T> &writeLocal, const DataCopyParams &copyParams,
                                     int32_t writeOffset = 0)
    {
        write(writeLocal, copyParams, writeOffset);
    }
    template <typename T>
    AKGEN_INLINE void WriteSpmBuffer(const LocalTensor<T> &writeLocal, const int32_t writeSize, int32_t writeOffset = 0)
    {
        write(writeLocal, static_cast<uint32_t>(writeSize), writeOffset);
    }
    template <typename T>
    AKGEN_INLINE void ReadSpmBuffer(const LocalTensor<T> &readLocal, const DataCopyParams &copyParams,
                                    int32_t readOffset = 0)
    {
        read(readLocal, copyParams, readOffset);
    }
    template <typename T>
    AKGEN_INLINE void ReadSpmBuffer(const LocalTensor<T> &readLocal, const int32_t readSize, int32_t readOffset = 0)
    {
        read(readLocal, static_cast<uint32_t>(readSize), readOffset);
    }

private:
    template <HardEvent event> static AKGEN_INLINE uint8_t flag()
    {
        return static_cast<uint8_t>(akgen::twin::event_fetch(pipes_of(event).from, pipes_of(event).to));
    }
    template <typename T> AKGEN_INLINE GlobalTensor<T> at(int32_t offset) const
    {
        GlobalTensor<T> memory;
        memory.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(begin_ + offset),
                               static_cast<uint64_t>(size_bytes_ - offset) / sizeof(T));
        return memory;
    }
    template <typename T, typename What> AKGEN_INLINE void write(const LocalTensor<T> &local, What what, int32_t offset)
    {
        pass<HardEvent::V_MTE3>(flag<HardEvent::V_MTE3>());
        DataCopy(at<T>(offset), local, what);
        pass<HardEvent::MTE3_V>(flag<HardEvent::MTE3_V>());
        pass<HardEvent::MTE3_MTE2>(flag<HardEvent::MTE3_MTE2>());
    }
    template <typename T, typename What> AKGEN_INLINE void read(const LocalTensor<T> &local, What what, int32_t offset)
    {
        pass<HardEvent::V_MTE2>(flag<HardEvent::V_MTE2>());
        DataCopy(local, at<T>(offset), what);
        pass<HardEvent::MTE2_V>(flag<HardEvent::MTE2_V>());
    }
    __gm__ uint8_t *begin_ = nullptr;
    int32_t size_bytes_ = 0;
};

} // namespace detail
} // namespace AscendC
