"""Twenty kernels, each once with vector instructions and once with scalars and pointers: both right, the second slow.

`SCALAR` states for each what its scalar way has to touch: accesses to global memory and to the Unified Buffer for
each element of the last input, and rows of 64 bytes that no access can find in an empty data cache. Documented costs of
these accesses, over the cores and the clock, are the least time that the twin may predict.
"""

from pathlib import Path
from typing import NamedTuple

import pytest

from akgen.knowledge.chip import DEFAULT_CHIP, chip, timing
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.core.verdict import Verdict
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.twin.toolchain import TwinToolchain
from tests.sampled import sampled

HERE = Path(__file__).parent / "scalar_twice"
CORES, ROWS = 8, 128
FLOAT, HALF, INT = "DT_FLOAT", "DT_FLOAT16", "DT_INT32"


class Pair(NamedTuple):
    """One pair: dtypes of its inputs and output, and what an element of the last input costs the scalar way."""

    inputs: tuple[str, ...]
    output: str
    category: str
    cols: int  # of the last input
    gm: float  # accesses to global memory
    ub: float  # accesses to the Unified Buffer
    new: float  # bytes of global memory that it touches for the first time


SCALAR = {
    "add": Pair((FLOAT, FLOAT), FLOAT, "elementwise", 64, 3, 0, 12),
    "scale_half": Pair((HALF,), HALF, "elementwise", 64, 2, 0, 4),
    "row_sum": Pair((FLOAT,), FLOAT, "reduction", 64, 1, 0, 4),
    "row_max": Pair((FLOAT,), FLOAT, "reduction", 64, 1, 0, 4),
    "softmax": Pair((FLOAT,), FLOAT, "softmax", 64, 2, 0, 8),
    "layer_norm": Pair((FLOAT,), FLOAT, "normalization", 64, 0, 4, 0),
    "rms_norm": Pair((FLOAT, FLOAT), FLOAT, "normalization", 64, 1, 3, 0),
    "transpose": Pair((FLOAT,), FLOAT, "other", 64, 2, 0, 8),
    "gather": Pair((FLOAT, INT), FLOAT, "other", 64, 3, 0, 8),
    "cumsum": Pair((FLOAT,), FLOAT, "other", 64, 2, 0, 8),
    "argmax": Pair((FLOAT,), INT, "reduction", 64, 1, 0, 4),
    "select": Pair((FLOAT, FLOAT), FLOAT, "elementwise", 64, 3, 0, 12),
    "to_half": Pair((FLOAT,), HALF, "cast", 64, 2, 0, 6),
    "every_second": Pair((FLOAT,), FLOAT, "other", 64, 1, 0, 6),
    "average_pool": Pair((FLOAT,), FLOAT, "other", 64, 0, 1.5, 0),
    "histogram": Pair((INT,), INT, "other", 64, 1 + 8 / 64, 0, 4 + 32 / 64),
    "matmul": Pair((FLOAT, FLOAT), FLOAT, "other", 32, 1 + 32 + 1, 0, 8),
    "bias": Pair((FLOAT, FLOAT), FLOAT, "elementwise", 64, 0, 3, 0),
    "clamp_int": Pair((INT,), INT, "elementwise", 64, 0, 2, 0),
    "row_dot": Pair((FLOAT, FLOAT), FLOAT, "reduction", 64, 2, 0, 8),
}
TILING = """#include "register/tilingdata_base.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(TwiceTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, cols);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Twice, TwiceTilingData)
}
"""
HOST = """#include "twice_tiling.h"
#include "register/op_def_registry.h"
namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    TwiceTilingData tiling;
    auto shape = context->GetInputShape(%(last)d)->GetStorageShape();
    tiling.set_rows(shape.GetDim(0));
    tiling.set_cols(shape.GetDim(1));
    context->SetBlockDim(%(cores)d);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}
namespace ops {
class Twice : public OpDef {
public:
    explicit Twice(const char *name) : OpDef(name)
    {
%(tensors)s
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(Twice);
}
"""
ENTRY = """
extern "C" __global__ __aicore__ void twice(%(parameters)s, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(t, tiling);
    TPipe pipe;
    %(way)s(pipe, %(arguments)s, y, ShareOf(t.rows, t.cols));
    GlobalTensor<float> all = Global<float>(y);
    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(all);
}
"""
TENSOR = '        this->%s("%s").ParamType(REQUIRED).DataType({ge::%s}).Format({ge::FORMAT_ND});'


def project(name: str, way: str) -> KernelProject:
    pair = SCALAR[name]
    names = "ab"[-len(pair.inputs) :]
    tensors = [TENSOR % ("Input", n, dtype) for n, dtype in zip(names, pair.inputs, strict=True)]
    tensors.append(TENSOR % ("Output", "y", pair.output))
    entry = ENTRY % {
        "parameters": ", ".join(f"GM_ADDR {n}" for n in names),
        "arguments": ", ".join(n if n in names else "nullptr" for n in "ab"),
        "way": way,
    }
    source = '#include "rows.h"\n' + (HERE / "kernels" / f"{name}.cpp").read_text() + entry
    host = {"last": len(names) - 1, "cores": CORES, "tensors": "\n".join(tensors)}
    files = {
        "op_host/twice.cpp": HOST % host,
        "op_host/twice_tiling.h": TILING,
        "op_kernel/rows.h": (HERE / "rows.h").read_text(),
        "op_kernel/twice.cpp": source,
    }
    return KernelProject(op_type="Twice", kernel="twice", files=files)


def least_us(pair: Pair) -> float:
    """Return the least time of the scalar way: what one core's share of the accesses costs."""
    costs = timing()
    elements = ROWS * pair.cols / CORES
    missed = elements * pair.new / costs["scalar_cache_line_bytes"]
    cycles = (elements * pair.gm - missed) * costs["scalar_gm_hit_cycles"]
    cycles += missed * costs["scalar_gm_miss_cycles"] + elements * pair.ub * costs["scalar_ub_access_cycles"]
    return cycles / chip(DEFAULT_CHIP).clock_mhz


def judged(judge: Judge, name: str, way: str, folder: Path) -> Verdict:
    task = Task(
        name=f"twice_{name}",
        suite="file",
        category=SCALAR[name].category,
        op_type="Twice",
        kernel="twice",
        reference=Reference(loader="akgen.tools.reference.module_loader", path=HERE / "reference.py"),
        cases=(Case(id="0", params={"name": name}),),
    )
    return judge.judge(project(name, way), task, work=folder, trials=3, seed=11)


def test_there_are_twenty_pairs() -> None:
    assert len(SCALAR) >= 20
    assert {p.stem for p in (HERE / "kernels").iterdir()} == set(SCALAR)


@pytest.mark.parametrize("name", sampled(SCALAR, 8))
def test_both_ways_are_right_and_the_scalar_one_is_slow(
    twin: TwinToolchain, reference: ReferenceWorker, tmp_path: Path, name: str
) -> None:
    judge = Judge(twin, reference)
    vector = judged(judge, name, "Vector", tmp_path / "vector")
    scalar = judged(judge, name, "Scalar", tmp_path / "scalar")
    assert (vector.outcome, vector.findings) == (Outcome.CORRECT, ())
    assert (scalar.outcome, scalar.findings) == (Outcome.CORRECT, ())
    fast, slow = vector.total_us, scalar.total_us
    assert fast and slow
    print(
        f"{name:14} vector {fast:8.2f} us  scalar {slow:8.2f} us  at least {least_us(SCALAR[name]):8.2f} us"
    )
    assert slow >= least_us(SCALAR[name])
    assert slow > 1.5 * fast
