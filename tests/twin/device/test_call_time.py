"""No library call takes less time than its data takes through the vector unit, nor a scan less than its sums."""

import json

import numpy as np

N = 4096  # floats
WIDTH = 256  # bytes that the vector unit takes of an operand in a cycle
CLOCK_MHZ = 1800
LATENCY = 21  # cycles until a vector instruction's result is there, at least

SOFTMAX = "SoftMaxTiling t{}; t.srcM = 16; t.srcK = 256; "
NORM = "LayerNormPara p = {16, 256, 256}; LayerNormSeparateTiling t{}; "
SCAN = "static constexpr CumSumConfig cfg{%s, false, false}; CumSum<float, cfg>(z, b, a, tmp, CumSumInfo{16, 256});"
PAD = "PadTiling t{}; t.srcHeight = 16; t.srcWidth = 248; t.srcOriWidth = 248; PadParams p(0, 8, 1); "
# By name: the call, the bytes of its larger side, sums that wait for each other.
CALLS = {
    "CumSum of rows": (SCAN % "false", 4 * N, 15),
    "CumSum of columns": (SCAN % "true", 4 * N, 255),
    "SoftMax": (SOFTMAX + "SoftMax(z, a, tmp, t);", 4 * N, 0),
    "LogSoftMax": (
        "LogSoftMaxTiling t{}; t.srcM = 16; t.srcK = 256; LogSoftMax(z, m, v, a, tmp, t);", 4 * N, 0
    ),
    "LayerNorm": (NORM + "LayerNorm<float, float>(z, m, v, a, g, h, 1e-5f, tmp, p, t);", 4 * N, 0),
    "Gelu": ("Gelu(z, a, tmp, N);", 4 * N, 0),
    "FasterGelu": ("FasterGelu(z, a, tmp, N);", 4 * N, 0),
    "Tanh": ("Tanh(z, a, tmp, N);", 4 * N, 0),
    "Sigmoid": ("Sigmoid(z, a, tmp, N);", 4 * N, 0),
    "Erf": ("Erf(z, a, tmp, N);", 4 * N, 0),
    "Sin": ("Sin(z, a, tmp, N);", 4 * N, 0),
    "Power": ("Power(z, a, b, tmp, N);", 4 * N, 0),
    "Silu": ("Silu(z, a, N);", 4 * N, 0),
    "Swish": ("Swish(z, a, N, 1.0f);", 4 * N, 0),
    "ReduceSum": ("ReduceSum<float>(z, a, b, N);", 4 * N, 0),
    "ReduceMax": ("ReduceMax<float>(z, a, b, N);", 4 * N, 0),
    "Sum": ("SumParams p{16, 256, 256}; Sum(z, a, tmp, p);", 4 * N, 0),
    "Sort": (
        "LocalTensor<uint32_t> i = b.ReinterpretCast<uint32_t>(); LocalTensor<float> w = tmp.ReinterpretCast<float>();"
        "Sort<float, true>(w, a, i, w2, N / 32);",
        8 * N, 0,
    ),
    "Pad": (PAD + "Pad(z, a, p, tmp, t);", 4 * N, 0),
    "Transpose": ("Transpose(z.ReinterpretCast<half>(), a.ReinterpretCast<half>());", 512, 0),
}  # fmt: skip

BODY = """
    TBuf<TPosition::VECCALC> memory;
    pipe.InitBuffer(memory, 180 * 1024);
    constexpr uint32_t N = %d;
    LocalTensor<float> a = memory.Get<float>(), b = a[N], z = a[2 * N], m = a[3 * N], v = m[256];
    LocalTensor<float> g = b[512], h = b[1024], w2 = a[6 * N];
    LocalTensor<uint8_t> tmp = a[3 * N + 512].ReinterpretCast<uint8_t>();
    DataCopy(a, in, N);
    DataCopy(b, in, N);
    DataCopy(z, in, N);
    PipeBarrier<PIPE_ALL>();
    switch (GetBlockIdx()) {
    %s
    }
    PipeBarrier<PIPE_ALL>();
    DataCopy(out[GetBlockIdx() * N], z, N);
"""


def test_a_call_takes_its_data_through_the_vector_unit(probe):
    """From a call's first vector instruction to the end of its last; each call on a core of its own."""
    switch = "\n".join(f"case {i}: {{ {call} break; }}" for i, (call, _, _) in enumerate(CALLS.values()))
    x = np.linspace(0.1, 0.9, N, dtype=np.float32)
    ran = probe(BODY % (N, switch), x, np.zeros(N * len(CALLS), np.float32), block_dim=len(CALLS), trace=True)
    assert ran.launch.outcome is None, ran.launch.diagnostics
    events = json.loads(ran.launch.profile.trace.read_text())["traceEvents"]
    for core, (name, (_, data_bytes, sums)) in enumerate(CALLS.items()):
        vector = [e for e in events if e["ph"] == "X" and e["pid"] == core and e["tid"] == 1]
        took = (max(e["ts"] + e["dur"] for e in vector) - min(e["ts"] for e in vector)) * CLOCK_MHZ
        assert took + 2 >= data_bytes / WIDTH + sums * LATENCY, name  # times are whole nanoseconds
