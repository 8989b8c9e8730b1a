// TPipe, TQueBind, TQue, TBuf, TBufPool: on-chip buffers and the hand-over between pipes. State is in the runtime.
#pragma once
#include "akgen/sync.h"
#include "ascendc/spill_buffer.h"

namespace AscendC {

struct TQueConfig {
    bool nd2nz = false;
    bool nz2nd = false;
    bool scmBlockGroup = false;
    uint32_t bufferLen = 0;
    uint32_t bufferNumber = 0;
    uint32_t consumerSize = 0;
    TPosition consumer[8] = {};
    bool enableStaticEvtId = false;
    bool enableLoopQueue = false;
};
constexpr TQueConfig GetTQueConfig(bool nd2nz, bool nz2nd, bool scmBlockGroup, uint32_t bufferLen,
                                   uint32_t bufferNumber, uint32_t consumerSize, const TPosition consumer[],
                                   bool enableStaticEvtId = false, bool enableLoopQueue = false)
{
    TQueConfig config{nd2nz,        nz2nd, scmBlockGroup,     bufferLen,      bufferNumber,
                      consumerSize, {},    enableStaticEvtId, enableLoopQueue};
    for (uint32_t i = 0; i < consumerSize && i < 8; ++i) {
        config.consumer[i] = consumer[i];
    }
    return config;
}

namespace detail {
template <typename T> AKGEN_INLINE LocalTensor<T> tensor_over(const akgen::twin::Buffer &buffer, TPosition position)
{
    TBuffAddr address;
    address.data = buffer.data;
    address.dataLen = buffer.size_bytes;
    address.limit = buffer.size_bytes;
    address.logicPos = static_cast<uint8_t>(position);
    return LocalTensor<T>(address);
}
constexpr uint8_t ANY = static_cast<uint8_t>(TPosition::MAX); // take the queue's own positions
} // namespace detail

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0> class TQueBind {
public:
    static constexpr TPosition srcPosition = src;
    static constexpr TPosition dstPosition = dst;
    static constexpr TPosition bufferPosition =
        (src == TPosition::GM || src == TPosition::CO2) ? dst : src; // the on-chip side holds the buffer

    template <typename T> AKGEN_INLINE LocalTensor<T> AllocTensor()
    {
        return detail::tensor_over<T>(akgen::twin::queue_alloc(queue_), bufferPosition);
    }
    template <typename T> AKGEN_INLINE void AllocTensor(LocalTensor<T> &tensor) { tensor = AllocTensor<T>(); }
    template <typename T> AKGEN_INLINE bool EnQue(const LocalTensor<T> &tensor)
    {
        akgen::twin::queue_enque(queue_, tensor.GetAddr().data, detail::ANY, detail::ANY);
        return true;
    }
    template <TPosition from, TPosition to, typename T> AKGEN_INLINE bool EnQue(const LocalTensor<T> &tensor)
    {
        akgen::twin::queue_enque(queue_, tensor.GetAddr().data, static_cast<uint8_t>(from), static_cast<uint8_t>(to));
        return true;
    }
    template <typename T> AKGEN_INLINE LocalTensor<T> DeQue()
    {
        return detail::tensor_over<T>(akgen::twin::queue_deque(queue_, detail::ANY, detail::ANY), bufferPosition);
    }
    template <typename T> AKGEN_INLINE void DeQue(LocalTensor<T> &tensor) { tensor = DeQue<T>(); }
    template <TPosition from, TPosition to, typename T> AKGEN_INLINE LocalTensor<T> DeQue()
    {
        return detail::tensor_over<T>(
            akgen::twin::queue_deque(queue_, static_cast<uint8_t>(from), static_cast<uint8_t>(to)), bufferPosition);
    }
    template <typename T> AKGEN_INLINE void FreeTensor(LocalTensor<T> &tensor)
    {
        akgen::twin::queue_free(queue_, tensor.GetAddr().data);
    }
    // The same with bare handles.
    AKGEN_INLINE TBufHandle AllocBuffer() { return akgen::twin::queue_alloc(queue_).data; }
    AKGEN_INLINE bool EnQue(TBufHandle buffer)
    {
        akgen::twin::queue_enque(queue_, buffer, detail::ANY, detail::ANY);
        return true;
    }
    AKGEN_INLINE TBufHandle DeQue() { return akgen::twin::queue_deque(queue_, detail::ANY, detail::ANY).data; }
    AKGEN_INLINE void FreeBuffer(TBufHandle buffer) { akgen::twin::queue_free(queue_, buffer); }
    AKGEN_INLINE void FreeAllEvent() { akgen::twin::queue_free_events(queue_); }
    template <typename T> AKGEN_INLINE TBufState GetState(const LocalTensor<T> &tensor) const
    {
        return static_cast<TBufState>(akgen::twin::queue_state(queue_, tensor.GetAddr().data));
    }
    AKGEN_INLINE bool HasTensorInQue() const { return akgen::twin::queue_count(queue_) > 0; }
    AKGEN_INLINE int32_t GetTensorCountInQue() const { return static_cast<int32_t>(akgen::twin::queue_count(queue_)); }
    AKGEN_INLINE bool HasIdleBuffer() const { return akgen::twin::queue_idle(queue_) > 0; }
    AKGEN_INLINE bool VacantInQue() const { return akgen::twin::queue_count(queue_) < (depth > 0 ? depth : 1); }

    // From a pool of the kernel's own: `num` buffers, then where each of them lies.
    AKGEN_INLINE void InitStartBufHandle(TBufHandle, uint8_t num, uint32_t)
    {
        queue_ = akgen::twin::queue_bare(queue_, static_cast<uint8_t>(src), static_cast<uint8_t>(dst),
                                         depth > 0 ? depth : 1, num);
    }
    template <typename Pool>
    AKGEN_INLINE void InitBufHandle(Pool *, uint32_t index, TBufHandle, uint32_t curPoolAddr, uint32_t len)
    {
        akgen::twin::queue_place(queue_, index, curPoolAddr, len);
    }

private:
    friend class TPipe;
    friend class TBufPoolCore;
    AKGEN_INLINE void init(uint32_t count, uint32_t bytes, uint32_t pool)
    {
        queue_ = akgen::twin::queue_init(queue_, static_cast<uint8_t>(src), static_cast<uint8_t>(dst),
                                         depth > 0 ? depth : 1, count, bytes, pool);
    }
    uint32_t queue_ = 0;
};

template <TPosition pos, int32_t depth, auto mask = 0> class TQue : public TQueBind<pos, pos, depth, mask> {};
// Operands of Matmul objects in L1.
template <TPosition pos, int32_t depth, auto mask = 0> using TSCM = TQueBind<pos, TPosition::TSCM, depth, mask>;

template <TPosition pos = TPosition::LCM> class TBuf {
public:
    TBuf() = default;
    template <typename T> AKGEN_INLINE LocalTensor<T> Get()
    {
        akgen::twin::tbuf_get(buffer_.data, buffer_.size_bytes, 0, 0);
        return detail::tensor_over<T>(buffer_, pos);
    }
    template <typename T> AKGEN_INLINE LocalTensor<T> Get(uint32_t len) { return GetWithOffset<T>(len, 0); }
    template <typename T> AKGEN_INLINE LocalTensor<T> GetWithOffset(uint32_t size, uint32_t bufOffset)
    {
        const uint64_t bytes = detail::storage_bytes<PrimT<T>>(size);
        akgen::twin::tbuf_get(buffer_.data, buffer_.size_bytes, bufOffset, bytes);
        TBuffAddr address;
        address.data = buffer_.data + bufOffset;
        address.dataLen = static_cast<uint32_t>(bytes);
        address.limit = buffer_.size_bytes - bufOffset;
        address.logicPos = static_cast<uint8_t>(pos);
        return LocalTensor<T>(address);
    }
    AKGEN_INLINE uint32_t GetBufLen() const { return buffer_.size_bytes; }
    // A TBuf is no queue: these hand out the whole buffer and order nothing.
    template <typename T> AKGEN_INLINE LocalTensor<T> AllocTensor() { return Get<T>(); }
    template <typename T> AKGEN_INLINE bool EnQue(const LocalTensor<T> &) { return true; }
    template <typename T> AKGEN_INLINE LocalTensor<T> DeQue() { return Get<T>(); }
    template <typename T> AKGEN_INLINE void FreeTensor(LocalTensor<T> &) {}
    AKGEN_INLINE void InitStartBufHandle(TBufHandle, uint8_t, uint32_t) {}
    template <typename Pool>
    AKGEN_INLINE void InitBufHandle(Pool *, uint32_t, TBufHandle, uint32_t curPoolAddr, uint32_t len)
    {
        buffer_ = akgen::twin::tbuf_place(static_cast<uint8_t>(pos), curPoolAddr, len);
    }

private:
    friend class TPipe;
    friend class TBufPoolCore;
    AKGEN_INLINE void init(uint32_t bytes, uint32_t pool)
    {
        buffer_ = akgen::twin::tbuf_init(static_cast<uint8_t>(pos), bytes, pool);
    }
    akgen::twin::Buffer buffer_ = {nullptr, 0};
};

class TBufPoolCore {
public:
    template <class Q> AKGEN_INLINE bool InitBuffer(Q &que, uint8_t num, uint32_t len)
    {
        que.init(num, len, pool_);
        return true;
    }
    template <TPosition p> AKGEN_INLINE bool InitBuffer(TBuf<p> &buf, uint32_t len)
    {
        buf.init(len, pool_);
        return true;
    }
    template <class Pool> AKGEN_INLINE bool InitBufPool(Pool &pool, uint32_t len)
    {
        pool.init(len, pool_, 0);
        return true;
    }
    template <class Pool, class Other> AKGEN_INLINE bool InitBufPool(Pool &pool, uint32_t len, Other &shareBuf)
    {
        pool.init(len, pool_, shareBuf.pool_);
        return true;
    }
    AKGEN_INLINE void Reset() { akgen::twin::pool_reset(pool_); }

protected:
    friend class TPipe;
    uint32_t pool_ = 0;
};

template <TPosition pos, uint32_t bufIDSize = 4> class TBufPool : public TBufPoolCore {
private:
    friend class TPipe;
    friend class TBufPoolCore;
    AKGEN_INLINE void init(uint32_t bytes, uint32_t parent, uint32_t share)
    {
        pool_ = akgen::twin::pool_init(pool_, static_cast<uint8_t>(pos), bytes, parent, share);
    }
};

// In a class of the kernel's own: what TPipe needs of a pool, and a count of what the class has given out. Addresses are
// offsets into the memory of POSITION.
#define EXTERN_IMPL_BUFPOOL(EXT_BUFPOOL, POSITION, BUFID_SIZE)                                                         \
public:                                                                                                                \
    AKGEN_INLINE void Init()                                                                                           \
    {                                                                                                                  \
        akgen_taken_ = 0;                                                                                              \
        akgen_address_ = pool_ ? akgen::twin::pool_address(pool_) : 0;                                                 \
    }                                                                                                                  \
    AKGEN_INLINE void Reset()                                                                                          \
    {                                                                                                                  \
        akgen::twin::pool_reset(pool_);                                                                                \
        Init();                                                                                                        \
    }                                                                                                                  \
    AKGEN_INLINE AscendC::TBufHandle GetBufHandle(uint8_t offset) { return akgen_handles_ + offset; }                  \
    AKGEN_INLINE void SetCurAddr(uint32_t curAddr) { akgen_address_ = curAddr; }                                       \
    AKGEN_INLINE uint32_t GetCurAddr() { return akgen_address_; }                                                      \
    AKGEN_INLINE void SetCurBufSize(uint8_t curBufSize) { akgen_taken_ = curBufSize; }                                 \
    AKGEN_INLINE uint8_t GetCurBufSize() { return akgen_taken_; }                                                      \
                                                                                                                       \
private:                                                                                                               \
    friend class AscendC::TPipe;                                                                                       \
    friend class AscendC::TBufPoolCore;                                                                                \
    AKGEN_INLINE void init(uint32_t bytes, uint32_t parent, uint32_t share)                                            \
    {                                                                                                                  \
        pool_ = akgen::twin::pool_init(pool_, static_cast<uint8_t>(POSITION), bytes, parent, share);                   \
        EXT_BUFPOOL::Init();                                                                                           \
    }                                                                                                                  \
    uint32_t pool_ = 0, akgen_address_ = 0;                                                                            \
    uint8_t akgen_taken_ = 0, akgen_handles_[BUFID_SIZE] = {}

class TPipe : public detail::SpillBuffer {
public:
    AKGEN_INLINE TPipe() { akgen::twin::pipe_begin(this); }
    AKGEN_INLINE ~TPipe() { akgen::twin::pipe_destroy(this); }
    TPipe(const TPipe &) = delete;

    AKGEN_INLINE void Init() { akgen::twin::pipe_begin(this); }
    AKGEN_INLINE void Reset() { akgen::twin::pipe_reset(this); }
    AKGEN_INLINE void Destroy() { akgen::twin::pipe_destroy(this); }
    AKGEN_INLINE void DestroyWithoutPipeAll() { akgen::twin::pipe_leave(this); }
    template <class Q> AKGEN_INLINE bool InitBuffer(Q &que, uint8_t num, uint32_t len)
    {
        akgen::twin::pipe_use(this);
        que.init(num, len, 0);
        return true;
    }
    // Buffers at addresses of the kernel's choice, each (offset, bytes) in the queue's memory.
    template <class Q, class U, class V, class... Addresses>
    AKGEN_INLINE bool InitBuffer(Q &que, const Std::tuple<U, V> &addr0, const Addresses &...addrs)
    {
        akgen::twin::pipe_use(this);
        que.InitStartBufHandle(nullptr, 1 + sizeof...(addrs), 0);
        uint32_t index = 0;
        const auto place = [&](const auto &address) {
            que.InitBufHandle(this, index++, nullptr, static_cast<uint32_t>(Std::get<0>(address)),
                              static_cast<uint32_t>(Std::get<1>(address)));
        };
        place(addr0);
        (place(addrs), ...);
        return true;
    }
    template <TPosition pos> AKGEN_INLINE bool InitBuffer(TBuf<pos> &buf, uint32_t len)
    {
        akgen::twin::pipe_use(this);
        buf.init(len, 0);
        return true;
    }
    template <class Pool> AKGEN_INLINE bool InitBufPool(Pool &pool, uint32_t len)
    {
        akgen::twin::pipe_use(this);
        pool.init(len, 0, 0);
        return true;
    }
    template <class Pool, class Other> AKGEN_INLINE bool InitBufPool(Pool &pool, uint32_t len, Other &shareBuf)
    {
        akgen::twin::pipe_use(this);
        pool.init(len, 0, shareBuf.pool_);
        return true;
    }
    template <HardEvent event> AKGEN_INLINE TEventID AllocEventID()
    {
        return static_cast<TEventID>(
            akgen::twin::event_alloc(detail::pipes_of(event).from, detail::pipes_of(event).to));
    }
    template <HardEvent event> AKGEN_INLINE void ReleaseEventID(TEventID id)
    {
        akgen::twin::event_release(detail::pipes_of(event).from, detail::pipes_of(event).to, id);
    }
    template <HardEvent event> AKGEN_INLINE TEventID FetchEventID() { return FetchEventID(event); }
    AKGEN_INLINE TEventID FetchEventID(HardEvent event)
    {
        return static_cast<TEventID>(
            akgen::twin::event_fetch(detail::pipes_of(event).from, detail::pipes_of(event).to));
    }
    AKGEN_INLINE uint64_t GetBaseAddr(int8_t logicPos)
    {
        return akgen::twin::position_base(static_cast<uint8_t>(logicPos));
    }
    template <TPosition pos> AKGEN_INLINE TBuffAddr GetAbsAddr(int32_t offset, int32_t len)
    {
        return GetAbsAddr<pos, uint8_t>(offset, len).GetAddr();
    }
    template <TPosition pos, typename T> AKGEN_INLINE LocalTensor<T> GetAbsAddr(int32_t offset, int32_t size)
    {
        return LocalTensor<T>(pos, static_cast<uint32_t>(offset), static_cast<uint32_t>(size));
    }
};

AKGEN_INLINE TPipe *GetTPipePtr() { return static_cast<TPipe *>(akgen::twin::current_pipe()); }

// Scratch memory for an interface that was given none: what no buffer has taken.
template <typename T, TPosition pos> AKGEN_INLINE bool PopStackBuffer(LocalTensor<T> &tensor)
{
    tensor = detail::tensor_over<T>(akgen::twin::stack_buffer(static_cast<uint8_t>(pos), 0, "PopStackBuffer"), pos);
    return true;
}

// An array that is declared with the mark of an on-chip memory, at `place` of the source: one for each core.
namespace detail {
template <typename T, size_t n> AKGEN_INLINE auto static_array(TPosition memory, uint32_t place) -> T (&)[n]
{
    return *reinterpret_cast<T(*)[n]>(akgen::twin::static_buffer(static_cast<uint8_t>(memory), place, sizeof(T) * n));
}
} // namespace detail

} // namespace AscendC

using AscendC::GetTPipePtr; // kernels find it with and without the namespace
