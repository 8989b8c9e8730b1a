"""The tasks on which sound programs must pass and wrong ones must fail: references, inputs, and a judge of arrays."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from akgen.tools.core.call import TensorFile
from akgen.tools.core.dtypes import DType
from akgen.tools.core.task import Case, Distribution, Reference
from akgen.tools.core.task import Task as JudgedTask
from akgen.tools.judge import raw
from akgen.tools.judge.compare import Comparison, compare
from akgen.tools.judge.judge import TRIALS
from akgen.tools.judge.tolerance import rule_for
from akgen.tools.judge.trials import ORDER, plan
from akgen.tools.reference import tensors
from akgen.tools.reference.module_loader import ModuleCase
from akgen.tools.reference.protocol import Sample
from akgen.tools.reference.variants.other_formula import other_formula

Array = Any  # numpy.ndarray
functional = torch.nn.functional


class Model(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


@dataclass(frozen=True)
class FairTask:
    """A reference, its inputs, and their dtype."""

    name: str
    dtype: torch.dtype
    function: Callable[..., Any]
    inputs: Callable[[], list[torch.Tensor]]
    gives: torch.dtype | None = None  # None: the inputs' dtype
    own_values: bool = False  # only the task's own inputs make sense

    @property
    def case(self) -> ModuleCase:
        return _case(self)

    @property
    def kind(self) -> DType:
        return tensors.dtype_of(self.gives or self.dtype)


@lru_cache(maxsize=4)
def _case(task: FairTask) -> ModuleCase:
    def inputs() -> list[torch.Tensor]:
        return [t.to(task.dtype) if t.is_floating_point() else t for t in task.inputs()]

    module: Any = SimpleNamespace(
        __file__=f"{task.name}.py", Model=lambda: Model(task.function), get_inputs=inputs
    )
    return ModuleCase(module, Case(id="0"))


@dataclass(frozen=True)
class FairTrial:
    """One trial's inputs, as arrays (bfloat16 as float32), and what the judge compares with."""

    dtype: DType
    inputs: list[Array]
    want: TensorFile
    own: TensorFile
    bounds: TensorFile | None
    folder: Path
    case: ModuleCase
    sample: Sample

    def compare(self, output: Array) -> Comparison:
        """Judge an output, rounded to the task's dtype."""
        given = self.folder / "got.bin"
        raw.encode(np.asarray(output), self.dtype).tofile(given)
        got = TensorFile(dtype=self.dtype, shape=np.shape(output), path=given)
        found = compare(0, got, self.want, self.own, rule_for(self.dtype, ()), bounds=self.bounds)
        if found.mismatch is None or found.malformed or not self.sample.gives_places:
            return found
        chosen = self.case.chosen(self.sample, [tensors.read(got)])
        if chosen is None:
            return found
        want, own, bounds = _written(chosen, self.folder, "chosen_")
        return compare(0, got, want, own, rule_for(self.dtype, ()), bounds=bounds)

    def other_formula(self) -> str | None:
        """Say which other formula the output that was compared last is taken for."""
        got = tensors.read(TensorFile(dtype=self.dtype, shape=self.want.shape, path=self.folder / "got.bin"))
        found = other_formula(self.case.model, self.sample, self.case.binding, None, 0, got)
        return found and found["what"]


def draw(task: FairTask, seed: int, distribution: Distribution, folder: Path) -> FairTrial:
    sample = task.case.sample(seed, "task" if task.own_values else distribution)
    inputs = [(i.float() if i.dtype == torch.bfloat16 else i).numpy() for i in sample.inputs]  # type: ignore[union-attr]
    return FairTrial(task.kind, inputs, *_written(sample, folder), folder, task.case, sample)


def _written(
    sample: Sample, folder: Path, prefix: str = ""
) -> tuple[TensorFile, TensorFile, TensorFile | None]:
    """Write what is expected, what the reference returns, and the bound."""
    written = [
        tensors.write_value(None if v is None else v[0], folder, prefix + name)
        for v, name in ((sample.expected, "want"), (sample.returned, "own"), (sample.bounds, "bound"))
    ]
    want, own, bounds = written
    assert isinstance(want, TensorFile) and isinstance(own, TensorFile) and not isinstance(bounds, tuple)
    return want, own, bounds


def distributions(seed: int) -> Distribution:
    """Take all kinds of inputs in turn."""
    return ("task", *ORDER)[seed % (1 + len(ORDER))]


def verdict(task: FairTask, seed: int, folder: Path) -> list[FairTrial]:
    """Draw the trials that a verdict of this seed has."""
    judged = JudgedTask(
        name=task.name, suite="fairness", op_type="Fair", kernel="fair",
        reference=Reference(loader="none", path=Path("none")), cases=(Case(id="0"),),
    )  # fmt: skip
    trials = []
    for p in plan(judged, judged.cases[0], TRIALS, f"seed {seed}"):
        place = folder / str(p.number)
        place.mkdir(exist_ok=True)
        trials.append(draw(task, p.seed, p.distribution, place))
    return trials


def numbers(*shape: int, scale: float = 1.0, offset: float = 0.0) -> torch.Tensor:
    return torch.randn(*shape) * scale + offset


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return torch.softmax(q @ k.T * q.shape[-1] ** -0.5, -1) @ v


def causal(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]


def rms_norm(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * w


def mlp(x: torch.Tensor, w1: torch.Tensor, w2: torch.Tensor) -> torch.Tensor:
    return torch.relu(x @ w1) @ w2


F32, F16, BF16 = torch.float32, torch.float16, torch.bfloat16
EPS = 1e-5


def _qkv(queries: int, keys: int, width: int) -> Callable[[], list[torch.Tensor]]:
    return lambda: [numbers(queries, width), numbers(keys, width), numbers(keys, width)]


def _affine(rows: int, n: int, **how: float) -> Callable[[], list[torch.Tensor]]:
    return lambda: [numbers(rows, n, **how), numbers(n, scale=0.3, offset=1.0), numbers(n)]


def _rows(rows: int, n: int, **how: float) -> Callable[[], list[torch.Tensor]]:
    return lambda: [numbers(rows, n, **how)]


TASKS = {
    t.name: t
    for t in (
        FairTask("cumsum32", F32, lambda x: torch.cumsum(x, -1), _rows(4, 65536)),
        FairTask("cumsum16", F16, lambda x: torch.cumsum(x, -1), _rows(8, 2048)),
        FairTask("cumprod32", F32, lambda x: torch.cumprod(x, -1), _rows(8, 500, scale=0.1, offset=1.0)),
        FairTask("sum32", F32, lambda x: x.sum(-1), _rows(16, 65536)),
        FairTask("sum16", F16, lambda x: x.sum(-1), _rows(32, 4096)),
        FairTask("sum_bf16", BF16, lambda x: x.sum(-1), _rows(32, 4096)),
        FairTask("mean_exp32", F32, lambda x: x.exp().mean(-1), _rows(4, 65536)),
        FairTask("dot32", F32, lambda x, y: (x * y).sum(), lambda: [numbers(65536), numbers(65536)]),
        FairTask("mse32", F32, functional.mse_loss, lambda: [numbers(256, 256), numbers(256, 256)]),
        FairTask("variance32", F32, lambda x: x.var(-1), _rows(8, 65536, offset=3.0)),
        FairTask("softmax32", F32, lambda x: torch.softmax(x, -1), _rows(16, 2048, scale=40.0)),
        FairTask("softmax16", F16, lambda x: torch.softmax(x, -1), _rows(16, 1024, scale=5.0)),
        FairTask("logsumexp32", F32, lambda x: torch.logsumexp(x, -1), _rows(16, 4096, scale=40.0)),
        FairTask(
            "cross_entropy32",
            F32,
            functional.cross_entropy,
            lambda: [numbers(64, 1000, scale=40.0), torch.randint(0, 1000, (64,))],
        ),
        FairTask("attention16", F16, attention, _qkv(64, 512, 64)),
        FairTask("attention_bf16", BF16, attention, _qkv(64, 512, 64)),
        FairTask("attention32", F32, causal, _qkv(128, 128, 64)),
        FairTask(
            "layer_norm32",
            F32,
            lambda x, w, b: functional.layer_norm(x, w.shape, w, b, EPS),
            _affine(16, 4096, offset=2.0),
        ),
        FairTask(
            "layer_norm16",
            F16,
            lambda x, w, b: functional.layer_norm(x, w.shape, w, b, EPS),
            _affine(16, 1024),
        ),
        FairTask(
            "rms_norm32",
            F32,
            rms_norm,
            lambda: [numbers(16, 4096, scale=0.01), numbers(4096, scale=0.3, offset=1.0)],
        ),
        FairTask("normalize32", F32, lambda x: functional.normalize(x, dim=-1), _rows(16, 4096)),
        FairTask(
            "group_norm32",
            F32,
            lambda x, w, b: functional.group_norm(x, 4, w, b),
            lambda: [numbers(4, 16, 256), numbers(16, offset=1.0), numbers(16)],
        ),
        FairTask(
            "matmul32",
            F32,
            lambda a, b, c: a @ b + c,
            lambda: [numbers(32, 1000), numbers(1000, 48), numbers(48)],
        ),
        FairTask(
            "matmul16",
            F16,
            lambda a, b, c: a @ b + c,
            lambda: [numbers(32, 1000), numbers(1000, 48), numbers(48)],
        ),
        FairTask(
            "mlp16",
            F16,
            mlp,
            lambda: [numbers(32, 256), numbers(256, 512, scale=1 / 16), numbers(512, 64, scale=1 / 16)],
        ),
        FairTask(
            "conv32",
            F32,
            lambda x, w, b: functional.conv1d(x, w, b, padding=2),
            lambda: [numbers(2, 16, 256), numbers(24, 16, 5), numbers(24)],
        ),
        FairTask(
            "cosine32",
            F32,
            lambda x, y: functional.cosine_similarity(x, y, dim=-1),
            lambda: [numbers(64, 4096), numbers(64, 4096)],
        ),
    )
}
