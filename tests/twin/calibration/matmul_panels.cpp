// Products of TILE_M x TILE_N, TILES of them on each of CORES_DOWN x CORES_ACROSS cube cores, along DEPTH in steps of TILE_K.
// One copy brings STEPS_A steps of the left and STEPS_B of the right operand into L1; L1 has L1_BUFFERS buffers, L0 two. The
// right operand is stored with K along its rows (K_IN_ROWS=1), or DEPTH by WIDTH. ELEMENT_BYTES=1: 8-bit numbers into 32
// bits; else half numbers into half.
#include "kernel_operator.h"
using namespace AscendC;

#if ELEMENT_BYTES == 1
using T = int8_t;
using Total = int32_t;
#else
using T = half;
using Total = float;
#endif
constexpr uint32_t C0 = 32 / sizeof(T);

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    if ASCEND_IS_AIC {
        const uint32_t down = GetBlockIdx() % CORES_DOWN, across = GetBlockIdx() / CORES_DOWN;
        GlobalTensor<T> left, right;
        left.SetGlobalBuffer((__gm__ T *)x + down * TILE_M * DEPTH);
        right.SetGlobalBuffer((__gm__ T *)x + CORES_DOWN * TILE_M * DEPTH +
                              across * TILES * TILE_N * (K_IN_ROWS ? DEPTH : 1));
        TPipe pipe;
        TBuf<TPosition::A1> near_a, near_b;
        TBuf<TPosition::A2> store_a;
        TBuf<TPosition::B2> store_b;
        TBuf<TPosition::CO1> store_c;
        pipe.InitBuffer(near_a, L1_BUFFERS * STEPS_A * TILE_M * TILE_K * sizeof(T));
        pipe.InitBuffer(near_b, L1_BUFFERS * STEPS_B * TILE_N * TILE_K * sizeof(T));
        pipe.InitBuffer(store_a, 2 * TILE_M * TILE_K * sizeof(T));
        pipe.InitBuffer(store_b, 2 * TILE_N * TILE_K * sizeof(T));
        pipe.InitBuffer(store_c, TILE_M * TILE_N * 4);
        LocalTensor<T> l1a = near_a.Get<T>(), l1b = near_b.Get<T>(), l0a = store_a.Get<T>(), l0b = store_b.Get<T>();
        LocalTensor<Total> c = store_c.Get<Total>();
        MmadParams product;
        product.m = TILE_M;
        product.n = TILE_N;
        product.k = TILE_K;
        for (int event = 0; event < 4; ++event) {
            SetFlag<HardEvent::MTE1_MTE2>(event);
        }
        SetFlag<HardEvent::M_MTE1>(0);
        SetFlag<HardEvent::M_MTE1>(1);
        SetFlag<HardEvent::FIX_M>(0);
        constexpr uint32_t steps = DEPTH / TILE_K, a_chunks = steps / STEPS_A, b_chunks = steps / STEPS_B;
        const auto bring_a = [&](uint32_t chunk) {
            const int event = chunk % L1_BUFFERS;
            WaitFlag<HardEvent::MTE1_MTE2>(event);
            DataCopy(l1a[event * STEPS_A * TILE_M * TILE_K], left[chunk % a_chunks * STEPS_A * TILE_K],
                     Nd2NzParams{1, TILE_M, STEPS_A * TILE_K, 0, DEPTH, TILE_M, 1, 0});
            SetFlag<HardEvent::MTE2_MTE1>(event);
        };
        const auto bring_b = [&](uint32_t chunk) {
            const int event = chunk % L1_BUFFERS;
            const uint32_t tile = chunk / b_chunks, from = chunk % b_chunks * STEPS_B * TILE_K;
            LocalTensor<T> to = l1b[event * STEPS_B * TILE_N * TILE_K];
            WaitFlag<HardEvent::MTE1_MTE2>(2 + event);
            if (K_IN_ROWS) {
                DataCopy(to, right[tile * TILE_N * DEPTH + from],
                         Nd2NzParams{1, TILE_N, STEPS_B * TILE_K, 0, DEPTH, TILE_N, 1, 0});
            } else {
                DataCopy(to, right[from * WIDTH + tile * TILE_N],
                         Nd2NzParams{1, STEPS_B * TILE_K, TILE_N, 0, WIDTH, STEPS_B * TILE_K, 1, 0});
            }
            SetFlag<HardEvent::MTE2_MTE1>(2 + event);
        };
        constexpr uint32_t ahead = L1_BUFFERS - 1; // chunks
        for (uint32_t chunk = 0; chunk < ahead; ++chunk) {
            bring_a(chunk);
            bring_b(chunk);
        }
        uint32_t turn = 0;
        for (uint32_t tile = 0; tile < TILES; ++tile) {
            WaitFlag<HardEvent::FIX_M>(0);
            for (uint32_t step = 0; step < steps; ++step, ++turn) {
                const int a_half = turn / STEPS_A % L1_BUFFERS, b_half = turn / STEPS_B % L1_BUFFERS, buffer = turn % 2;
                LocalTensor<T> a1 = l1a[a_half * STEPS_A * TILE_M * TILE_K],
                               b1 = l1b[b_half * STEPS_B * TILE_N * TILE_K];
                if (step % STEPS_B == 0 && turn / STEPS_B + ahead < TILES * b_chunks) {
                    bring_b(turn / STEPS_B + ahead);
                }
                if (step % STEPS_A == 0 && turn / STEPS_A + ahead < TILES * a_chunks) {
                    bring_a(turn / STEPS_A + ahead);
                }
                LocalTensor<T> a2 = l0a[buffer * TILE_M * TILE_K], b2 = l0b[buffer * TILE_N * TILE_K];
                WaitFlag<HardEvent::M_MTE1>(buffer);
                if (step % STEPS_A == 0) {
                    WaitFlag<HardEvent::MTE2_MTE1>(a_half);
                }
                for (uint32_t row = 0; row < TILE_M / 16; ++row) {
                    const uint16_t first = step % STEPS_A * (TILE_K / C0) * (TILE_M / 16) + row;
                    LoadData(a2[row * TILE_K * 16], a1,
                             LoadData2DParams{first, TILE_K / C0, TILE_M / 16, 0, 0, false, 0});
                }
                if (step % STEPS_B == 0) {
                    WaitFlag<HardEvent::MTE2_MTE1>(2 + b_half);
                }
                for (uint32_t deep = 0; deep < TILE_K / C0; ++deep) {
                    const uint16_t from = step % STEPS_B * (TILE_K / C0) + deep;
                    if (K_IN_ROWS) {
                        const uint16_t first = from * (TILE_N / 16);
                        LoadData(b2[deep * TILE_N * C0], b1, LoadData2DParams{first, TILE_N / 16, 1, 0, 0, false, 0});
                    } else {
                        LoadData(b2[deep * TILE_N * C0], b1,
                                 LoadData2DParams{from, TILE_N / 16, STEPS_B * TILE_K / 16, 0, 0, true, 0});
                    }
                }
                if ((step + 1) % STEPS_A == 0) {
                    SetFlag<HardEvent::MTE1_MTE2>(a_half);
                }
                if ((step + 1) % STEPS_B == 0) {
                    SetFlag<HardEvent::MTE1_MTE2>(2 + b_half);
                }
                SetFlag<HardEvent::MTE1_M>(buffer);
                WaitFlag<HardEvent::MTE1_M>(buffer);
                product.cmatrixInitVal = step == 0;
                Mmad(c, a2, b2, product);
                SetFlag<HardEvent::M_MTE1>(buffer);
            }
            SetFlag<HardEvent::M_FIX>(EVENT_ID0);
            WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
            FixpipeParamsV220 fix;
            fix.nSize = TILE_N;
            fix.mSize = TILE_M;
            fix.srcStride = TILE_M;
            fix.dstStride = CORES_ACROSS * TILES * TILE_N;
            const uint32_t to = down * TILE_M * CORES_ACROSS * TILES * TILE_N + (across * TILES + tile) * TILE_N;
#if ELEMENT_BYTES == 1
            GlobalTensor<int32_t> out;
            out.SetGlobalBuffer((__gm__ int32_t *)y + to);
            Fixpipe(out, c, fix);
#else
            GlobalTensor<half> out;
            out.SetGlobalBuffer((__gm__ half *)y + to);
            fix.quantPre = QuantMode_t::F322F16;
            Fixpipe(out, c, fix);
#endif
            SetFlag<HardEvent::FIX_M>(0);
        }
        WaitFlag<HardEvent::FIX_M>(0);
        for (int event = 0; event < 4; ++event) {
            WaitFlag<HardEvent::MTE1_MTE2>(event);
        }
        WaitFlag<HardEvent::M_MTE1>(0);
        WaitFlag<HardEvent::M_MTE1>(1);
    }
}
