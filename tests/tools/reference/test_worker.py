"""The reference process keeps inputs and expected values apart, survives bad references, and serves many requests."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from akgen.tools.core.call import TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Reference
from akgen.tools.process.program import run
from akgen.tools.reference.client import ReferenceWorker

DOUBLE = """
import torch
print("a reference may print")
class Model(torch.nn.Module):
    def forward(self, x, alpha: float):
        return x * alpha
def get_inputs(params):
    return [torch.randn(params["n"], dtype=getattr(torch, params.get("dtype", "float32"))), 3.0]
"""


@pytest.fixture(scope="module")
def worker() -> Iterator[ReferenceWorker]:
    with ReferenceWorker(timeout_s=120) as started:
        yield started


def reference(folder: Path, text: str) -> Reference:
    path = folder / "reference.py"
    path.write_text(text)
    return Reference(loader="akgen.tools.reference.module_loader", path=path)


def test_a_case_is_described_without_files(worker: ReferenceWorker, tmp_path: Path) -> None:
    call = worker.describe(reference(tmp_path, DOUBLE), Case(id="0", params={"n": 6}))
    assert call.inputs == (TensorMeta(dtype=DType.FLOAT32, shape=(6,)),)
    assert call.outputs[0].meta == TensorMeta(dtype=DType.FLOAT32, shape=(6,))
    assert [(a.name, a.value) for a in call.attrs] == [("alpha", 3.0)]


def test_a_description_needs_no_golden_values(worker: ReferenceWorker, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    noted = f"open({str(seen)!r}, 'a').write(f'{{x.dtype}} ')"
    text = DOUBLE.replace("return x * alpha", f"{noted}\n        return x.outer(x) @ x.outer(x) * alpha")
    case = Case(id="0", params={"n": 6})
    described = worker.describe(reference(tmp_path, text), case)
    assert set(seen.read_text().split()) == {"torch.float32"}
    trial = worker.sample(
        reference(tmp_path, text), case, 1, "task", inputs=tmp_path / "in", expected=tmp_path / "want"
    )
    assert set(seen.read_text().split()) == {"torch.float32", "torch.float64"}
    assert described.outputs == trial.call.outputs
    assert described.products == trial.call.products != ()
    assert described.attrs == trial.call.attrs


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_a_trial_is_two_folders_of_raw_files(worker: ReferenceWorker, tmp_path: Path, dtype: str) -> None:
    case = Case(id="0", params={"n": 100, "dtype": dtype})
    inputs, expected = tmp_path / "in", tmp_path / "want"
    trial = worker.sample(reference(tmp_path, DOUBLE), case, 9, "normal", inputs=inputs, expected=expected)
    x, want = trial.call.inputs[0], trial.expected[0]
    assert isinstance(x, TensorFile) and isinstance(want, TensorFile)
    assert x.path.parent == inputs and want.path.parent == expected
    assert {p.name for p in inputs.iterdir()} == {
        "in0.bin"
    }  # nothing expected lies where the candidate looks
    assert x.path.stat().st_size == x.size_bytes
    if dtype == "float32":
        values = np.fromfile(x.path, np.float32).astype(np.float64)
        assert np.array_equal(np.fromfile(want.path, np.float64), values * 3)


def test_a_changed_file_is_loaded_again(worker: ReferenceWorker, tmp_path: Path) -> None:
    case = Case(id="0", params={"n": 4})
    before = worker.describe(reference(tmp_path, DOUBLE), case)
    changed = reference(tmp_path, DOUBLE.replace("x * alpha", "(x * alpha).sum()"))
    after = worker.describe(changed, case)
    assert before.outputs != after.outputs


def test_a_bad_reference_does_not_end_the_process(worker: ReferenceWorker, tmp_path: Path) -> None:
    bad = reference(tmp_path, DOUBLE.replace("x * alpha", "x.nothing()"))
    with pytest.raises(InputError, match="raises AttributeError in forward"):
        worker.describe(bad, Case(id="0", params={"n": 4}))
    assert worker.describe(reference(tmp_path, DOUBLE), Case(id="0", params={"n": 5}))


def test_a_reference_that_ends_the_process_is_reported_and_the_next_request_works(
    worker: ReferenceWorker, tmp_path: Path
) -> None:
    fatal = reference(tmp_path, "import os, sys\nprint('goodbye', file=sys.stderr, flush=True)\nos._exit(3)")
    with pytest.raises(InputError, match="ended on case 0: goodbye"):
        worker.describe(fatal, Case(id="0", params={"n": 4}))
    assert worker.describe(reference(tmp_path, DOUBLE), Case(id="0", params={"n": 7}))


def test_an_endless_reference_is_stopped(tmp_path: Path) -> None:
    text = DOUBLE.replace("class Model", "import time\ntime.sleep(100)\nclass Model")
    with ReferenceWorker(timeout_s=1) as worker, pytest.raises(InputError, match="did not finish case 0"):
        worker.describe(reference(tmp_path, text), Case(id="0", params={"n": 4}))


PID = """
import os, torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x + os.getpid()
def get_inputs(params):
    return [torch.zeros(1, dtype=torch.float64)]
"""


def process_of(worker: ReferenceWorker, folder: Path) -> int:
    """Return the id of the process that runs the reference."""
    sample = worker.sample(
        reference(folder, PID),
        Case(id="0", params={}),
        1,
        "normal",
        inputs=folder / "in",
        expected=folder / "want",
    )
    (want,) = sample.expected
    assert isinstance(want, TensorFile)
    return round(
        np.fromfile(want.path, np.float64)[0] - np.fromfile(folder / "in" / "in0.bin", np.float64)[0]
    )


def ended(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] in "ZX"


def test_the_process_of_a_closed_worker_serves_the_next_one(tmp_path: Path) -> None:
    with ReferenceWorker() as first:
        pid = process_of(first, tmp_path)
    with ReferenceWorker() as second:
        assert process_of(second, tmp_path) == pid
        with ReferenceWorker() as third:  # at the same time: one of its own
            other = process_of(third, tmp_path)
            assert other != pid
    assert ended(pid) is not ended(other)  # one of them is kept


def test_a_worker_that_looks_for_loaders_elsewhere_has_a_process_of_its_own_which_is_not_kept(
    tmp_path: Path,
) -> None:
    with ReferenceWorker() as first:
        pid = process_of(first, tmp_path)
    with ReferenceWorker(import_from=(tmp_path,)) as second:
        other = process_of(second, tmp_path)
    assert other != pid
    assert ended(other) and not ended(pid)


def test_a_kept_process_that_was_killed_is_not_taken(tmp_path: Path) -> None:
    with ReferenceWorker() as first:
        pid = process_of(first, tmp_path)
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    with ReferenceWorker() as second:
        assert process_of(second, tmp_path) != pid


def test_a_fork_does_not_talk_to_the_process_that_its_parent_keeps(tmp_path: Path) -> None:
    with ReferenceWorker() as first:
        pid = process_of(first, tmp_path)
    child = os.fork()
    if child == 0:
        with ReferenceWorker() as own:
            os._exit(0 if process_of(own, tmp_path) != pid else 1)
    assert os.waitpid(child, 0)[1] == 0
    with ReferenceWorker() as second:
        assert process_of(second, tmp_path) == pid


def test_an_unknown_loader_is_named(worker: ReferenceWorker, tmp_path: Path) -> None:
    unknown = Reference(loader="akgen.tools.reference.no_such_loader", path=tmp_path)
    with pytest.raises(InputError, match="no_such_loader"):
        worker.describe(unknown, Case(id="0"))


def test_the_process_ends_with_its_parent_in_the_middle_of_a_request(tmp_path: Path) -> None:
    slow = reference(
        tmp_path,
        f"""
import os, time
open({str(tmp_path / "pid")!r}, "w").write(str(os.getpid()))
time.sleep(100)
""",
    )
    code = f"""
import os, signal, sys, threading, time
sys.path[:0] = {sys.path!r}
from pathlib import Path
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.core.task import Case, Reference
worker, mark = ReferenceWorker(), Path({str(tmp_path / "pid")!r})
reference = Reference(loader={slow.loader!r}, path=Path({str(slow.path)!r}))
threading.Thread(target=lambda: worker.describe(reference, Case(id="0")), daemon=True).start()
while not mark.is_file() or not mark.read_text():
    time.sleep(0.01)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = run([sys.executable, "-c", code], cwd=tmp_path, timeout_s=60)
    assert done.signal is not None
    for _ in range(400):
        if ended(int((tmp_path / "pid").read_text())):
            return
        time.sleep(0.01)
    pytest.fail("the reference process outlives its parent")
