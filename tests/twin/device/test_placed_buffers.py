"""Buffers at addresses of the kernel's choice: queues with given addresses, pools of a kernel's own."""

import numpy as np

ROUND = """
    for (int i = 0; i < 4; ++i) {
        LocalTensor<T> a = qin.AllocTensor<T>();
        DataCopy(a, in[i * 64], 64);
        qin.EnQue(a);
        a = qin.DeQue<T>();
        LocalTensor<T> b = qout.AllocTensor<T>();
        LocalTensor<T> one = ones.Get<T>();
        Duplicate(one, 1.0f, 64);
        Add(b, a, one, 64);
        qout.EnQue(b);
        qin.FreeTensor(a);
        b = qout.DeQue<T>();
        DataCopy(out[i * 64], b, 64);
        qout.FreeTensor(b);
    }
"""
QUEUES = "TQue<TPosition::VECIN, 2> qin; TQue<TPosition::VECOUT, 2> qout; TBuf<TPosition::VECCALC> ones;\n"
POOL = """
class Pool {
public:
    __aicore__ inline Pool() { Init(); }
    template <class Q> __aicore__ inline bool InitBuffer(Q &que, uint8_t num, uint32_t len)
    {
        auto handle = this->GetBufHandle(this->GetCurBufSize());
        uint32_t at = this->GetCurAddr();
        que.InitStartBufHandle(handle, num, len);
        for (int32_t i = 0; i < num; i++) {
            que.InitBufHandle(this, i, handle, at + i * len * 2, len);
        }
        this->SetCurAddr(at + num * len * 2);
        this->SetCurBufSize(this->GetCurBufSize() + num);
        return true;
    }
    template <TPosition pos> __aicore__ inline bool InitBuffer(TBuf<pos> &buf, uint32_t len)
    {
        auto handle = this->GetBufHandle(this->GetCurBufSize());
        buf.InitStartBufHandle(handle, 1, len);
        buf.InitBufHandle(this, 0, handle, this->GetCurAddr(), len);
        this->SetCurAddr(this->GetCurAddr() + len);
        this->SetCurBufSize(this->GetCurBufSize() + 1);
        return true;
    }
    EXTERN_IMPL_BUFPOOL(Pool, TPosition::VECCALC, 16);
};
"""


def test_a_queue_takes_the_addresses_that_it_is_given(probe, numbers):
    x = numbers(256)
    given = """
    pipe.InitBuffer(qin, Std::make_tuple(0, 256), Std::make_tuple(1024, 256));
    pipe.InitBuffer(qout, Std::make_tuple(2048u, 256u));
    pipe.InitBuffer(ones, Std::make_tuple(4096, 256));
    LocalTensor<T> p = qin.AllocTensor<T>(), q = qin.AllocTensor<T>();
    ASCENDC_ASSERT((q.GetPhyAddr() - p.GetPhyAddr() == 1024), {});
    qin.FreeTensor(p);
    qin.FreeTensor(q);
    """
    ran = probe(QUEUES + given + ROUND, x, x)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, x + 1)


def test_an_address_outside_of_the_memory_is_refused(probe, numbers):
    x = numbers(64)
    body = "TQue<TPosition::VECIN, 1> q;\n    pipe.InitBuffer(q, Std::make_tuple(196608, 32)); // HERE"
    assert "do not fit" in probe(body, x, x).assert_stopped("UB_OVERFLOW").text
    body = "TQue<TPosition::VECIN, 1> q;\n    pipe.InitBuffer(q, Std::make_tuple(16, 32)); // HERE"
    probe(body, x, x).assert_stopped("UB_ALIGNMENT")


def test_a_pool_of_the_kernels_own_gives_buffers_and_is_reset(probe, numbers):
    x = numbers(256)
    phases = """
    Pool pool;
    pipe.InitBufPool(pool, 8192);
    for (int phase = 0; phase < 2; ++phase) {
        TQue<TPosition::VECIN, 2> qin; TQue<TPosition::VECOUT, 2> qout; TBuf<TPosition::VECCALC> ones;
        pool.InitBuffer(qin, 2, 256);
        pool.InitBuffer(qout, 2, 256);
        pool.InitBuffer(ones, 256);
        ASCENDC_ASSERT((pool.GetCurBufSize() == 5), {});
    """
    body = phases + ROUND + "    pool.Reset();\n    }"
    ran = probe(body, x, x, before=POOL)
    assert ran.codes == [], ran.launch.diagnostics
    np.testing.assert_array_equal(ran.y, x + 1)
