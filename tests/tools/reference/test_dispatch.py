"""Seeing PyTorch's calls imports nothing that compiles."""

import subprocess
import sys

PROGRAM = """
import sys
import torch
from akgen.bench import builtin
from akgen.tools.compose.front.trace import trace
from akgen.tools.model_new.dispatch import Watch
from akgen.tools.reference.module_loader import load

task = builtin.describe(builtin.TASKS / "relu")
loaded = load(task.reference, task.cases[0])
loaded.sample(1, "extreme")
trace(loaded)
seen = []
with Watch(seen.append, lambda source, target, run: run(), lambda tensor, values: None):
    torch.relu(torch.ones(1 << 16))
assert seen, "nothing was seen"
print([name for name in ("torch._dynamo", "torch._inductor") if name in sys.modules])
"""


def test_a_reference_is_run_traced_and_watched_without_pytorchs_compiler() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
