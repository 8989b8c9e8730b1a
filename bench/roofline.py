"""How near the composer's kernels come to what their tasks need: one row for each of ten built-in tasks, or of the
modules of `large.json`, with tensors of 16 MB and more and products whose numbers nobody computes."""

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from akgen.bench.resolve import resolve_task
from akgen.bench.speed_parts import composed
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError
from akgen.tools.core.toolchain import Toolchain
from akgen.tools.judge.judge import open_judge

Say = Callable[[str], None]

TASKS = (
    "relu", "add_row_bias", "gelu_tanh", "softmax_rows", "layer_norm", "rms_norm", "row_sum", "mean_all",
    "float_to_half", "adamw_step",
)  # fmt: skip

_MODULE = """import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, {arguments}):
        return {returns}


def get_inputs():
    return [{inputs}]
"""


def large_tasks(folder: Path, only: str = "") -> tuple[str, ...]:
    """Write the modules with large tensors whose names contain `only` below the folder; return their files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    known = json.loads(Path(__file__).with_name("large.json").read_text())
    for name in sorted(n for n in known if only in n):
        files.append(folder / f"{name}.py")
        files[-1].write_text(_MODULE.format(**known[name]))
    return tuple(map(str, files))


class Nearness(Frozen):
    """One kernel on its task's largest case. Times in microseconds, predicted for a first launch unless warm."""

    task: str
    cores: int
    time_us: float
    warm_us: float | None
    roofline_us: (
        float | None
    )  # what the task needs: its tensors moved once, its products made, by the whole chip
    share: float
    own_share: float | None
    moved_bytes: int  # by the kernel
    bound: str


def measure(toolchain: Toolchain, say: Say, tasks: Sequence[str] = TASKS) -> tuple[Nearness, ...]:
    """Profile the composer's kernel for each task. Raises InfraError for one that does not run, a bug of ours."""
    found = []
    with open_judge(toolchain, say) as judge, tempfile.TemporaryDirectory(prefix="akgen-roofline-") as work:
        for name in tasks:
            task = resolve_task(name)
            folder = Path(work) / task.name
            build = judge.compile(composed(task), task, folder / "build")
            profile = judge.profile(build, task, folder / "run")
            if profile is None:
                raise InfraError(f"The composer's kernel for {name} does not run.", "This is a bug of ours.")
            found.append(
                Nearness(
                    task=task.name,
                    cores=profile.cores,
                    time_us=profile.time_us,
                    warm_us=profile.warm_us,
                    roofline_us=profile.roofline_us,
                    share=profile.roofline_share,
                    own_share=profile.own_share,
                    moved_bytes=profile.gm_read_bytes + profile.gm_write_bytes,
                    bound=profile.bound,
                )
            )
            say(f"{name}: {profile.summary()}")
    return tuple(found)
