"""Kernels for cube cores, as text: the low-level path with flags, the same with queues, and Matmul objects."""

# One tile: A and B go to L1 in fractal order, to L0, through Mmad, and out through Fixpipe. `x` holds A, then B, then
# the bias. The names in capitals are macros.
TILE = """
    constexpr uint32_t c0 = 32 / sizeof(T), mr = (M + 15) / 16 * 16, nr = (N + 15) / 16 * 16;
    constexpr uint32_t unit = sizeof(T) == 1 ? 32 : 16;
    constexpr uint32_t kr = (K + unit - 1) / unit * unit, nb = (N + unit - 1) / unit * unit;
    GlobalTensor<T> a = in, b = in[M * K];
    TBuf<TPosition::A1> l1;
    TBuf<TPosition::A2> l0a;
    TBuf<TPosition::B2> l0b;
    TBuf<TPosition::CO1> l0c;
    TBuf<TPosition::C2> table;
    pipe.InitBuffer(l1, 256 * 1024);
    pipe.InitBuffer(l0a, 64 * 1024);
    pipe.InitBuffer(l0b, 64 * 1024);
    pipe.InitBuffer(l0c, 128 * 1024);
    pipe.InitBuffer(table, 1024);
    LocalTensor<T> a1 = l1.Get<T>(), b1 = a1[64 * 1024 / sizeof(T)], a2 = l0a.Get<T>(), b2 = l0b.Get<T>();
    LocalTensor<SUM> c1 = l0c.Get<SUM>();

    Nd2NzParams nz;
    nz.ndNum = 1;
    nz.nValue = M;
    nz.dValue = K;
    nz.srcDValue = K;
    nz.dstNzC0Stride = mr;
    nz.dstNzNStride = 1;
    DataCopy(a1, a, nz);
    nz.nValue = K;
    nz.dValue = N;
    nz.srcDValue = N;
    nz.dstNzC0Stride = kr;
    DataCopy(b1, b, nz);
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);

    for (uint32_t i = 0; i < mr / 16; ++i) {
        LoadData2dParams load;
        load.repeatTimes = (K + c0 - 1) / c0;
        load.srcStride = mr / 16;
        LoadData(a2[i * 16 * ((K + c0 - 1) / c0 * c0)], a1[i * 16 * c0], load);
    }
    for (uint32_t k = 0; k < kr / unit; ++k) {
        LOAD_B
    }
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    MmadParams mm;
    mm.m = M;
    mm.n = N_MMAD;
    mm.k = K;
    mm.cmatrixInitVal = true;
    MULTIPLY
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    FixpipeParamsV220 fix;
    fix.nSize = N;
    fix.mSize = M;
    fix.srcStride = mr;
    fix.dstStride = N;
    fix.quantPre = QUANT;
    fix.reluEn = RELU;
    fix.deqScalar = SCALE;
    GlobalTensor<RESULT> c;
    c.SetGlobalBuffer((__gm__ RESULT *)y);
    Fixpipe<RESULT, SUM, CFG_ROW_MAJOR>(c, c1, fix);
"""
LOAD_B = {
    # 16-bit: fractals of 16 x 16 are transposed one by one.
    2: """LoadData2DParams load;
        load.repeatTimes = nr / 16;
        load.srcStride = kr / 16;
        load.ifTranspose = true;
        LoadData(b2[k * 16 * nr], b1[k * 16 * c0], load);""",
    # 8-bit: squares of two fractals, one below the other.
    1: """LoadData2dTransposeParams load;
        load.repeatTimes = nb / 32;
        load.srcStride = kr / 32;
        load.dstGap = 1;
        LoadDataWithTranspose(b2[k * 32 * nb], b1[k * 32 * 32], load);""",
    # Floats: B, of as many rows as columns, comes transposed, and has the fractals of L0B as they are.
    4: """LoadData2DParams load;
        load.repeatTimes = N / 16 * 2;
        load.srcStride = 1;
        LoadData(b2[k * 16 * N], b1[k * 16 * N], load);""",
}

# Vendor-sample style: queues at every position, no flag in sight.
QUEUES = """
    TQue<TPosition::A1, 1> qa1;
    TQue<TPosition::B1, 1> qb1;
    TQue<TPosition::A2, 1> qa2;
    TQue<TPosition::B2, 1> qb2;
    TQue<TPosition::CO1, 1> qc;
    pipe.InitBuffer(qa1, 1, M * K * sizeof(T));
    pipe.InitBuffer(qb1, 1, K * N * sizeof(T));
    pipe.InitBuffer(qa2, 1, M * K * sizeof(T));
    pipe.InitBuffer(qb2, 1, K * N * sizeof(T));
    pipe.InitBuffer(qc, 1, M * N * sizeof(float));
    {
        LocalTensor<T> a1 = qa1.AllocTensor<T>(), b1 = qb1.AllocTensor<T>();
        DataCopy(a1, in, Nd2NzParams{1, M, K, 0, K, M, 1, 0});
        DataCopy(b1, in[M * K], Nd2NzParams{1, K, N, 0, N, K, 1, 0});
        qa1.EnQue(a1);
        qb1.EnQue(b1);
    }
    {
        LocalTensor<T> a1 = qa1.DeQue<T>(), b1 = qb1.DeQue<T>(), a2 = qa2.AllocTensor<T>(), b2 = qb2.AllocTensor<T>();
        for (uint32_t i = 0; i < M / 16; ++i) {
            LoadData(a2[i * 16 * K], a1[i * 256], LoadData2DParams{0, K / 16, M / 16, 0, 0, false, 0});
        }
        for (uint32_t k = 0; k < K / 16; ++k) {
            LoadData(b2[k * 16 * N], b1[k * 256], LoadData2DParams{0, N / 16, K / 16, 0, 0, true, 0});
        }
        qa2.EnQue(a2);
        qb2.EnQue(b2);
        qa1.FreeTensor(a1);
        qb1.FreeTensor(b1);
    }
    {
        LocalTensor<T> a2 = qa2.DeQue<T>(), b2 = qb2.DeQue<T>();
        LocalTensor<float> c = qc.AllocTensor<float>();
        MmadParams mm;
        mm.m = M;
        mm.n = N;
        mm.k = K;
        Mmad(c, a2, b2, mm);
        qc.EnQue(c);
        qa2.FreeTensor(a2);
        qb2.FreeTensor(b2);
    }
    {
        LocalTensor<float> c = qc.DeQue<float>();
        GlobalTensor<float> result;
        result.SetGlobalBuffer((__gm__ float *)y);
        FixpipeParamsV220 fix{N, M, M, N, false};
        Fixpipe<float, float, CFG_ROW_MAJOR>(result, c, fix);
        qc.FreeTensor(c);
    }
"""

# The cube core writes A x B to the workspace; its two vector cores add 1 and write the rows, half each.
MIXED = """
    GlobalTensor<float> half_way, result;
    half_way.SetGlobalBuffer((__gm__ float *)GetUserWorkspace(workspace));
    result.SetGlobalBuffer((__gm__ float *)y);
    if ASCEND_IS_AIC {
        TBuf<TPosition::A1> l1;
        TBuf<TPosition::A2> l0a;
        TBuf<TPosition::B2> l0b;
        TBuf<TPosition::CO1> l0c;
        pipe.InitBuffer(l1, 64 * 1024);
        pipe.InitBuffer(l0a, 32 * 1024);
        pipe.InitBuffer(l0b, 32 * 1024);
        pipe.InitBuffer(l0c, 64 * 1024);
        LocalTensor<T> a1 = l1.Get<T>(), b1 = a1[M * K], a2 = l0a.Get<T>(), b2 = l0b.Get<T>();
        LocalTensor<float> c1 = l0c.Get<float>();
        DataCopy(a1, in, Nd2NzParams{1, M, K, 0, K, M, 1, 0});
        DataCopy(b1, in[M * K], Nd2NzParams{1, K, N, 0, N, K, 1, 0});
        SetFlag<HardEvent::MTE2_MTE1>(0);
        WaitFlag<HardEvent::MTE2_MTE1>(0);
        for (uint32_t i = 0; i < M / 16; ++i) {
            LoadData(a2[i * 16 * K], a1[i * 256], LoadData2DParams{0, K / 16, M / 16, 0, 0, false, 0});
        }
        for (uint32_t k = 0; k < K / 16; ++k) {
            LoadData(b2[k * 16 * N], b1[k * 256], LoadData2DParams{0, N / 16, K / 16, 0, 0, true, 0});
        }
        SetFlag<HardEvent::MTE1_M>(0);
        WaitFlag<HardEvent::MTE1_M>(0);
        MmadParams mm;
        mm.m = M;
        mm.n = N;
        mm.k = K;
        mm.unitFlag = 3;
        Mmad(c1, a2, b2, mm);
        FixpipeParamsV220 fix{N, M, M, N, false};
        fix.unitFlag = 3;
        Fixpipe<float, float, CFG_ROW_MAJOR>(half_way, c1, fix);
        CrossCoreSetFlag<2, PIPE_FIX>(3);
    }
    if ASCEND_IS_AIV {
        constexpr uint32_t part = M * N / 2;
        TBuf<TPosition::VECCALC> ub;
        pipe.InitBuffer(ub, part * sizeof(float));
        LocalTensor<float> v = ub.Get<float>();
        WAIT_FOR_CUBE
        DataCopy(v, half_way[GetSubBlockIdx() * part], part);
        SetFlag<HardEvent::MTE2_V>(0);
        WaitFlag<HardEvent::MTE2_V>(0);
        Adds(v, v, 1.0f, part);
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        DataCopy(result[GetSubBlockIdx() * part], v, part);
    }
"""

# A Matmul object. Each vector core of two blocks computes a quarter of the rows.
OBJECT = """
    using A = MatmulType<TPosition::GM, CubeFormat::ND, T, TRANS_A, LayoutMode::NONE, false, TPosition::GM>;
    using B = MatmulType<TPosition::GM, CubeFormat::ND, T, TRANS_B>;
    using C = MatmulType<TPosition::C_POSITION, CubeFormat::ND, RESULT>;
    using Bias = MatmulType<TPosition::GM, CubeFormat::ND, float>;
    Matmul<A, B, C, Bias, CFG_NORM> mm;
    TCubeTiling cut{};
    cut.M = ROWS;
    cut.N = COLUMNS;
    cut.Ka = cut.Kb = DEPTH;
    cut.singleCoreM = ROWS / 4;
    cut.singleCoreN = COLUMNS;
    cut.singleCoreK = DEPTH;
    cut.baseM = 16;
    cut.baseN = 32;
    cut.baseK = 32;
    cut.isBias = 1;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &cut);
    const uint32_t row = GetBlockIdx() * (ROWS / 4);
    GlobalTensor<T> a = in[TRANS_A ? row : row * DEPTH], b = in[ROWS * DEPTH];
    GlobalTensor<RESULT> c;
    c.SetGlobalBuffer((__gm__ RESULT *)y);
    mm.SetTensorA(a, TRANS_A);
    mm.SetTensorB(b, TRANS_B);
    BIAS
    RUN
    mm.End();
"""
