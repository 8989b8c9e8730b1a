// The high-level matrix product: Matmul objects of a vector core, whose block's cube core works for them.
#pragma once
#include "ascendc/kernel_macros.h"
#include "ascendc/matmul_core.h"

namespace AscendC {

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto &MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
          template <const auto &, typename...> class MATMUL_POLICY = MatmulPolicy>
class Matmul
    : protected detail::MatmulCore<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, detail::part_of<MATMUL_POLICY>, MM_CB> {
    using Core = detail::MatmulCore<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, detail::part_of<MATMUL_POLICY>, MM_CB>;
    static_assert(!detail::config_of(MM_CFG).intraBlockPartSum,
                  "AKGEN:NOT_SIMULATED: the twin gives each owner of a Matmul object its own C; leave "
                  "intraBlockPartSum off");

public:
    using AType = A_TYPE;
    using BType = B_TYPE;
    using CType = C_TYPE;
    using BiasType = BIAS_TYPE;
    using SrcT = typename A_TYPE::T;
    using SrcBT = typename B_TYPE::T;
    using DstT = typename C_TYPE::T;
    using BiasT = typename BIAS_TYPE::T;

    AKGEN_INLINE void Init(const TCubeTiling *__restrict tiling, TPipe * = nullptr)
    {
        akgen::twin::matmul_register(tiling);
        if (tiling == nullptr && !detail::complete(MM_CFG)) {
            return;
        }
        tiling_ = tiling ? *tiling : TCubeTiling{};
        detail::settle(tiling_, MM_CFG);
        registered_ = true;
        with_bias_ = tiling_.isBias != 0 || detail::complete(MM_CFG);
        org_m_ = static_cast<uint32_t>(tiling_.M);
        org_n_ = static_cast<uint32_t>(tiling_.N);
        org_ka_ = static_cast<uint32_t>(tiling_.Ka);
        org_kb_ = static_cast<uint32_t>(tiling_.Kb);
        org_kc_ = org_n_;
        m_ = static_cast<uint32_t>(tiling_.singleCoreM);
        n_ = static_cast<uint32_t>(tiling_.singleCoreN);
        k_ = static_cast<uint32_t>(tiling_.singleCoreK);
        restart();
    }
    AKGEN_INLINE void SetSubBlockIdx(uint8_t) {}
    AKGEN_INLINE uint8_t GetSubBlockIdx() { return static_cast<uint8_t>(akgen::twin::sub_block_idx()); }
    template <typename T> AKGEN_INLINE void SetUserDefInfo(T info) { user_info_ = word_of(info); }
    template <typename T> AKGEN_INLINE void SetSelfDefineData(T data) { user_data_ = word_of(data); }
    AKGEN_INLINE void SetHF32(bool enableHF32 = false, int32_t transMode = 0)
    {
        hf32_ = static_cast<uint8_t>(enableHF32 ? 1 + (transMode == 1) : 0);
    }

    AKGEN_INLINE void SetOrgShape(int orgM, int orgN, int orgK) { SetOrgShape(orgM, orgN, orgK, orgK, orgN); }
    AKGEN_INLINE void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0)
    {
        org_m_ = static_cast<uint32_t>(orgM);
        org_n_ = static_cast<uint32_t>(orgN);
        org_ka_ = static_cast<uint32_t>(orgKa);
        org_kb_ = static_cast<uint32_t>(orgKb);
        org_kc_ = orgKc > 0 ? static_cast<uint32_t>(orgKc) : org_n_;
    }
    AKGEN_INLINE void SetSingleShape(int singleM, int singleN, int singleK) { SetTail(singleM, singleN, singleK); }
    AKGEN_INLINE void SetTail(int tailM = -1, int tailN = -1, int tailK = -1)
    {
        m_ = tailM >= 0 ? static_cast<uint32_t>(tailM) : m_;
        n_ = tailN >= 0 ? static_cast<uint32_t>(tailN) : n_;
        k_ = tailK >= 0 ? static_cast<uint32_t>(tailK) : k_;
        restart();
    }

    AKGEN_INLINE void SetTensorA(const GlobalTensor<SrcT> &gm, bool isTransposeA = false)
    {
        set(a_, detail::address(gm), 0, isTransposeA);
    }
    AKGEN_INLINE void SetTensorA(const LocalTensor<SrcT> &leftMatrix, bool isTransposeA = false)
    {
        set(a_, leftMatrix.GetAddr().data, leftMatrix.GetAddr().limit, isTransposeA);
    }
    AKGEN_INLINE void SetTensorB(const GlobalTensor<SrcBT> &gm, bool isTransposeB = false)
    {
        set(b_, detail::address(gm), 0, isTransposeB);
    }
    AKGEN_INLINE void SetTensorB(const LocalTensor<SrcBT> &rightMatrix, bool isTransposeB = false)
    {
        set(b_, rightMatrix.GetAddr().data, rightMatrix.GetAddr().limit, isTransposeB);
    }
    template <typename T, std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, SrcT>, int> = 0>
    AKGEN_INLINE void SetTensorA(T)
    {
        static_assert(!sizeof(T *), "AKGEN:NOT_SIMULATED: the twin takes A from memory; give SetTensorA a tensor");
    }
    template <typename T, std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, SrcBT>, int> = 0>
    AKGEN_INLINE void SetTensorB(T)
    {
        static_assert(!sizeof(T *), "AKGEN:NOT_SIMULATED: the twin takes B from memory; give SetTensorB a tensor");
    }
    AKGEN_INLINE void SetBias(const GlobalTensor<BiasT> &biasGlobal)
    {
        detail::matmul_bias_takes<SrcT, BiasT>();
        akgen::twin::matmul_require(registered_, with_bias_);
        bias_ = detail::address(biasGlobal);
        restart();
    }
    AKGEN_INLINE void SetBias(const LocalTensor<BiasT> &inputBias)
    {
        detail::matmul_bias_takes<SrcT, BiasT>();
        akgen::twin::matmul_require(registered_, with_bias_);
        bias_ = inputBias.GetAddr().data;
        restart();
    }
    AKGEN_INLINE void ClearBias() { bias_ = nullptr; }
    AKGEN_INLINE void DisableBias() { bias_ = nullptr; }
    AKGEN_INLINE void SetQuantScalar(const uint64_t quantScalar)
    {
        scale_ = quantScalar;
        scales_ = {nullptr, 0};
    }
    AKGEN_INLINE void SetQuantVector(const GlobalTensor<uint64_t> &quantTensor)
    {
        scales_ = {detail::address(quantTensor), 0};
    }
    AKGEN_INLINE void SetQuantVector(const LocalTensor<uint64_t> &quantTensor) { scales_ = detail::view(quantTensor); }
    template <class T> AKGEN_INLINE void SetWorkspace(GlobalTensor<T> &addr) { workspace_ = detail::address(addr); }
    template <class T> AKGEN_INLINE void SetWorkspace(__gm__ const T *addr, int)
    {
        workspace_ = reinterpret_cast<uint8_t *>(const_cast<T *>(addr));
    }
    AKGEN_INLINE void SetLocalWorkspace(const LocalTensor<uint8_t> &) {}
    AKGEN_INLINE void SetBatchNum(int32_t batchA, int32_t batchB)
    {
        batch_a_ = static_cast<uint32_t>(batchA);
        batch_b_ = static_cast<uint32_t>(batchB);
    }

    // Where the block of C lies that Iterate has gone to: in elements of the C of this core.
    AKGEN_INLINE MatrixOffset GetOffsetC()
    {
        const Block block = this->template current<true>();
        return {static_cast<int32_t>(this->detail_offset(block)), static_cast<int32_t>(block.row),
                static_cast<int32_t>(block.column), static_cast<int32_t>(block.m), static_cast<int32_t>(block.n)};
    }

    // Go to the next block of C; false when there is none. GetTensorC then gives the block. With enPartialSum it is added
    // to the one before, which is made here if GetTensorC did not ask for it.
    template <bool sync = true> AKGEN_INLINE bool Iterate(bool enPartialSum = false)
    {
        if constexpr (!MM_CB::none) {
            akgen::twin::matmul_refuse(enPartialSum, "Iterate(true)");
        }
        if (enPartialSum && untaken_.object != nullptr) {
            akgen::twin::matmul(untaken_, "Iterate", sync);
        }
        untaken_.object = nullptr;
        partial_ = enPartialSum;
        if (!this->next_block()) {
            return false;
        }
        if (MM_CB::none && a_.data != nullptr && b_.data != nullptr) {
            untaken_ = product(this->block_of(static_cast<uint32_t>(step_)),
                               {nullptr, type_c, fractal(C_TYPE::format), false, 0, 0}, 0);
            untaken_.kept = true;
        }
        return true;
    }
    // The next block into the kernel's own memory in L0C, whence Fixpipe takes it.
    template <bool sync = true, typename T>
    AKGEN_INLINE bool Iterate(bool enPartialSum, const LocalTensor<T> &localCmatrix)
    {
        static_assert(C_TYPE::pos == TPosition::CO1 && fractal(C_TYPE::format) && std::is_same_v<PrimT<T>, DstT> &&
                          detail::matmul_one_of<DstT, float, int32_t>,
                      "AKGEN:WRONG_ARGUMENTS: Iterate into a tensor of L0C takes a C of MatmulType<TPosition::CO1, "
                      "CubeFormat::NZ, float or int32_t>");
        static_assert(MM_CB::none, "AKGEN:NOT_SIMULATED: the twin calls no MatmulCallBackFunc for sums in L0C");
        if (!this->next_block()) {
            return false;
        }
        partial_ = enPartialSum;
        const Block block = this->block_of(static_cast<uint32_t>(step_));
        akgen::twin::matmul(
            product(block, {localCmatrix.GetAddr().data, type_c, true, false, block.m, localCmatrix.GetAddr().limit},
                    0),
            "Iterate", sync);
        return true;
    }
    template <bool sync = true>
    AKGEN_INLINE void GetTensorC(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false)
    {
        const Block block = this->template current<sync>();
        if constexpr (Core::sliced) {
            akgen::twin::matmul_sliced(enSequentialWrite, bias_ != nullptr);
        }
        const uint64_t offset = enSequentialWrite ? 0 : detail_offset(block);
        this->ask(block,
                  {detail::address(gm) + offset * sizeof(DstT), type_c, fractal(C_TYPE::format), false,
                   enSequentialWrite ? base_stride(block) : c_stride(), 0},
                  enAtomic, "GetTensorC", sync);
    }
    template <bool sync = true>
    AKGEN_INLINE void GetTensorC(const LocalTensor<DstT> &co2Local, uint8_t enAtomic = 0,
                                 [[maybe_unused]] bool enSequentialWrite = false)
    {
        const Block block = this->template current<sync>();
        this->ask(block,
                  {co2Local.GetAddr().data, type_c, fractal(C_TYPE::format), false, base_stride(block),
                   co2Local.GetAddr().limit},
                  enAtomic, "GetTensorC", sync);
    }
    template <bool sync = true>
    AKGEN_INLINE void GetTensorC(const GlobalTensor<DstT> &gm, const LocalTensor<DstT> &co2Local, uint8_t enAtomic = 0,
                                 bool enSequentialWrite = false)
    {
        const int32_t step = step_;
        GetTensorC<sync>(gm, enAtomic, enSequentialWrite);
        step_ = step;
        GetTensorC<sync>(co2Local, enAtomic, enSequentialWrite);
    }

    // The block in the workspace, where one block lies behind the other.
    template <bool sync = true>
    AKGEN_INLINE GlobalTensor<DstT> GetTensorC(uint8_t enAtomic = 0, [[maybe_unused]] bool enSequentialWrite = false)
    {
        const uint64_t size = uint64_t{base_m()} * base_n(),
                       offset = (step_ > 0 ? static_cast<uint64_t>(step_) : 0) * size;
        const Block block = this->template current<sync>();
        this->ask(block,
                  {workspace_ + (workspace_ ? offset * sizeof(DstT) : 0), type_c, fractal(C_TYPE::format), false,
                   base_stride(block), 0},
                  enAtomic, "GetTensorC", true);
        GlobalTensor<DstT> c;
        c.SetGlobalBuffer(reinterpret_cast<__gm__ DstT *>(workspace_) + offset, size);
        return c;
    }
    // An older form, whose sizes and gaps nobody gives.
    template <bool sync, bool doPad>
    AKGEN_INLINE void GetTensorC(const LocalTensor<DstT> &c, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                                 uint32_t = 0, uint32_t = 0, uint32_t = 0, uint32_t = 0)
    {
        GetTensorC<sync>(c, enAtomic, enSequentialWrite);
    }
    AKGEN_INLINE void AsyncGetTensorC(const LocalTensor<DstT> &c) { GetTensorC<false>(c); }

    template <bool sync = true>
    AKGEN_INLINE void IterateAll(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0,
                                 [[maybe_unused]] bool enSequentialWrite = false, bool waitIterateAll = false,
                                 [[maybe_unused]] bool fakeMsg = false)
    {
        this->all_blocks({detail::address(gm), type_c, fractal(C_TYPE::format), false, c_stride(), 0}, enAtomic, sync);
        if constexpr (!sync) {
            (waitIterateAll ? told_ : silent_)++;
        }
        restart();
    }
    template <bool sync = true> AKGEN_INLINE void IterateAll(const LocalTensor<DstT> &ubCmatrix, uint8_t enAtomic = 0)
    {
        const Block block{0, 0, m_, n_};
        this->all_blocks({ubCmatrix.GetAddr().data, type_c, fractal(C_TYPE::format), false, base_stride(block),
                          ubCmatrix.GetAddr().limit},
                         enAtomic, sync);
        restart();
    }
    AKGEN_INLINE void WaitIterateAll()
    {
        akgen::twin::matmul_told(told_, silent_);
        told_ -= told_ > 0;
        silent_ = 0;
        akgen::twin::matmul_wait(this);
    }
    AKGEN_INLINE void WaitGetTensorC() { akgen::twin::matmul_wait(this); }
    AKGEN_INLINE void WaitIterateBatch() { akgen::twin::matmul_wait(this); }

    // As many products as the larger batch has matrices; the smaller one's serve for several. Matrices follow each
    // other as their layouts say.
    template <bool sync = true, bool waitIterateBatch = false>
    AKGEN_INLINE void IterateBatch(const GlobalTensor<DstT> &gm, uint32_t batchA, uint32_t batchB,
                                   [[maybe_unused]] bool enSequentialWrite = false, const uint32_t matrixStrideA = 0,
                                   const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0,
                                   [[maybe_unused]] const bool enPartialSum = false, const uint8_t enAtomic = 0)
    {
        batches({detail::address(gm), 0, batchA, batchB, matrixStrideA, matrixStrideB, matrixStrideC, enAtomic, sync,
                 "IterateBatch"});
        restart();
    }
    template <bool sync = true>
    AKGEN_INLINE void IterateBatch(const LocalTensor<DstT> &ubCmatrix, uint32_t batchA, uint32_t batchB,
                                   bool enSequentialWrite = false, const uint32_t matrixStrideA = 0,
                                   const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0,
                                   const bool enPartialSum = false, const uint8_t enAtomic = 0)
    {
        batches({ubCmatrix.GetAddr().data, ubCmatrix.GetAddr().limit, batchA, batchB, matrixStrideA, matrixStrideB,
                 matrixStrideC, enAtomic, sync, "IterateBatch"});
        restart();
    }
    // The same after SetBatchNum.
    template <typename Flag, std::enable_if_t<std::is_same_v<Flag, bool>, int> = 0>
    AKGEN_INLINE void IterateBatch(const GlobalTensor<DstT> &gm, Flag enPartialSum, uint8_t enAtomic,
                                   bool enSequentialWrite, const uint32_t matrixStrideA = 0,
                                   const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0)
    {
        IterateBatch(gm, batch_a_, batch_b_, enSequentialWrite, matrixStrideA, matrixStrideB, matrixStrideC,
                     enPartialSum, enAtomic);
    }
    template <typename Flag, std::enable_if_t<std::is_same_v<Flag, bool>, int> = 0>
    AKGEN_INLINE void IterateBatch(const LocalTensor<DstT> &ubCmatrix, Flag enPartialSum, uint8_t enAtomic,
                                   bool enSequentialWrite, const uint32_t matrixStrideA = 0,
                                   const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0)
    {
        IterateBatch(ubCmatrix, batch_a_, batch_b_, enSequentialWrite, matrixStrideA, matrixStrideB, matrixStrideC,
                     enPartialSum, enAtomic);
    }
    // `batchLoop` batches into the workspace, where GetBatchTensorC finds one after another.
    template <bool sync = true, bool waitIterateBatch = false>
    AKGEN_INLINE void IterateNBatch(const uint32_t batchLoop, uint32_t batchA, uint32_t batchB,
                                    [[maybe_unused]] bool enSequentialWrite, const uint32_t matrixStrideA = 0,
                                    const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0)
    {
        Batch batch{workspace_,    0, batchA, batchB,         matrixStrideA, matrixStrideB,
                    matrixStrideC, 0, sync,   "IterateNBatch"};
        for (; batch.turn < batchLoop; ++batch.turn) {
            batches(batch);
        }
        restart();
        step_ = 0;
    }
    template <bool sync = true>
    AKGEN_INLINE GlobalTensor<DstT> GetBatchTensorC(uint32_t batchA, uint32_t batchB,
                                                    [[maybe_unused]] bool enSequentialWrite = false)
    {
        akgen::twin::matmul_wait(this);
        const uint64_t size = uint64_t{batchA > batchB ? batchA : batchB} * m_ * n_;
        GlobalTensor<DstT> c;
        c.SetGlobalBuffer(reinterpret_cast<__gm__ DstT *>(workspace_) + (step_++) * size, size);
        return c;
    }
    template <bool sync = true>
    AKGEN_INLINE void GetBatchTensorC(const LocalTensor<DstT> &c, uint32_t batchA, uint32_t batchB,
                                      bool enSequentialWrite = false)
    {
        const GlobalTensor<DstT> from = GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite);
        PipeBarrier<PIPE_ALL>();
        const uint32_t row = n_ * sizeof(DstT), rows = (batchA > batchB ? batchA : batchB) * m_;
        if (row % 32 == 0) {
            DataCopy(c, from, rows * n_);
        } else {
            DataCopyPad(c, from, {static_cast<uint16_t>(rows), row, 0, 0, 0}, {});
        }
        PipeBarrier<PIPE_ALL>();
    }
    // The same under their newer name.
    template <bool sync = true>
    AKGEN_INLINE GlobalTensor<DstT> GetBatchC(uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false)
    {
        return GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite);
    }
    template <bool sync = true>
    AKGEN_INLINE void GetBatchC(const LocalTensor<DstT> &c, uint32_t batchA, uint32_t batchB,
                                bool enSequentialWrite = false)
    {
        GetBatchTensorC<sync>(c, batchA, batchB, enSequentialWrite);
    }
    AKGEN_INLINE void End() { restart(); }

private:
    template <typename T> static AKGEN_INLINE uint64_t word_of([[maybe_unused]] const T &value)
    {
        if constexpr (std::is_pointer_v<T>) {
            return reinterpret_cast<uint64_t>(value);
        } else if constexpr (std::is_integral_v<T>) {
            return static_cast<uint64_t>(value);
        } else {
            return reinterpret_cast<uint64_t>(&value);
        }
    }
    using Core::user_data_;
    using Core::user_info_;
    using Block = typename Core::Block;
    using Batch = typename Core::Batch;
    using Core::a_;
    using Core::b_;
    using Core::base_m;
    using Core::base_n;
    using Core::base_stride;
    using Core::batch_a_;
    using Core::batch_b_;
    using Core::batches;
    using Core::bias_;
    using Core::blocks_m;
    using Core::blocks_n;
    using Core::c_stride;
    using Core::detail_offset;
    using Core::fractal;
    using Core::hf32_;
    using Core::k_;
    using Core::m_;
    using Core::n_;
    using Core::org_ka_;
    using Core::org_kb_;
    using Core::org_kc_;
    using Core::org_m_;
    using Core::org_n_;
    using Core::partial_;
    using Core::product;
    using Core::registered_;
    using Core::restart;
    using Core::scale_;
    using Core::scales_;
    using Core::set;
    using Core::step_;
    using Core::tiling_;
    using Core::type_c;
    using Core::untaken_;
    using Core::with_bias_;
    using Core::workspace_;
    uint32_t told_ = 0,
             silent_ = 0; // products under way: those that the cube core tells of, others since the last wait
};

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto &MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
          template <const auto &, typename...> class MATMUL_POLICY = MatmulPolicy>
using MatmulImpl = Matmul<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;

} // namespace AscendC

#include "ascendc/matmul_register.h"
