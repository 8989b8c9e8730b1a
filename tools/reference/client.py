"""Talk to the reference process: describe a case, make a trial's files, apply a task's own check."""

import atexit
import os
import sys
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

import akgen
from akgen.tools.cache.content import ContentCache
from akgen.tools.core.call import Call, TensorFile
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.task import Case, Distribution, Reference
from akgen.tools.process.group import MINIMAL_ENV
from akgen.tools.process.worker import Worker, WorkerDied
from akgen.tools.reference.kept_trials import fetch_trial, keeps

DESCRIBING_SEED = 0

Values = tuple[TensorFile | tuple[TensorFile, ...] | None, ...]


class SampleFiles(Frozen):
    """One trial's files. `call` may be shown to the candidate; `expected` and `returned` never."""

    call: Call
    expected: Values  # golden, float64 where the reference runs in it; None: not compared
    returned: Values  # the reference's own result in its own dtype
    computed: tuple[bool, ...] | None = None  # per output: made by arithmetic; None: nobody looked
    least_operations: int = 0  # on up to eight bytes each, that no algorithm can do without
    bytes_read: int | None = None  # of the inputs, that no algorithm can leave unread; None: nobody looked
    gives_places: bool = False  # places in an order are among the outputs: others may be as good (`choose`)
    bounds: Values = ()  # per output, how far a sound computation may be off, float32; None: not known

    def bounds_of(self, output: int, tensor: int = 0) -> TensorFile | None:
        """Return the bounds of an output, or of one tensor of an output that is a list."""
        found = self.bounds[output] if self.bounds else None
        return found[tensor] if isinstance(found, tuple) else found


class AlteredOperation(Frozen):
    """What of the reference, done otherwise, gives a wrong output: a cause's name, words, and the reference's line."""

    cause: str
    what: str
    line: str  # "" if it is not known


# The idle process of a worker that was closed, for the next worker, so that a program that judges again does not import
# PyTorch again. By the program's process id, since a fork must not talk to its parent's.
_KEPT: dict[int, Worker] = {}


class ReferenceWorker:
    """A reference process, started at the first request and again after it died.

    Once closed, one that finds its loaders in the package stays for the program's next worker, and ends with the
    program. Requests take a few milliseconds plus the reference's own time. Raises InputError for a reference that
    cannot be used, InfraError when the process cannot be had.
    """

    def __init__(
        self,
        *,
        timeout_s: float = 300.0,
        import_from: tuple[Path, ...] = (),
        kept: ContentCache | None = None,
    ) -> None:
        """`import_from` holds further folders where loader modules are found; `kept`, what is asked for again."""
        self._kept = kept
        self.kept_keys: set[str] = set()  # of the trials that were asked for
        self._timeout_s = timeout_s
        self._folders = tuple(f.resolve() for f in (Path(akgen.__file__).parent.parent, *import_from))
        self._shared = not import_from
        self._turn = threading.Lock()
        self._worker = _unstarted(self._folders)
        self._described: dict[str, Call] = {}

    def start(self) -> None:
        """Start the process without waiting for it, so that its imports overlap with other work."""
        self._taken().start()

    def describe(self, reference: Reference, case: Case) -> Call:
        """Return the case's call with shapes, dtypes and attributes only."""
        key = reference.model_dump_json() + case.model_dump_json() + _modified(reference.path)
        if key not in self._described:
            answer = self._ask("describe", reference, case, DESCRIBING_SEED, "task")
            self._described[key] = Call.model_validate(answer["call"])
        return self._described[key]

    def sample(
        self,
        reference: Reference,
        case: Case,
        seed: int,
        distribution: Distribution,
        *,
        inputs: Path,
        expected: Path,
        again: bool = False,
    ) -> SampleFiles:
        """Write inputs and expected values of one trial below the two folders.

        A trial that others will ask for `again` lies in the cache instead, if there is one.
        """

        def make(inputs: Path, expected: Path) -> dict[str, Any]:
            where = {"inputs": str(inputs.resolve()), "expected": str(expected.resolve())}
            return self._ask("sample", reference, case, seed, distribution, **where)

        if not again or self._kept is None or not keeps(reference, self.describe(reference, case)):
            return SampleFiles.model_validate(make(inputs, expected))
        key, answer = fetch_trial(
            self._kept, reference, case, seed, distribution, lambda f: make(f / "in", f / "expected")
        )
        self.kept_keys.add(key)
        return SampleFiles.model_validate(answer)

    def check(
        self,
        reference: Reference,
        case: Case,
        seed: int,
        distribution: Distribution,
        outputs: Sequence[TensorFile | Sequence[TensorFile]],
    ) -> str | None:
        """Apply the task's own precision check; return None if it passes, else one sentence."""
        dumped: list[Any] = [
            o.model_dump(mode="json") if isinstance(o, TensorFile) else [t.model_dump(mode="json") for t in o]
            for o in outputs
        ]
        answer = self._ask("check", reference, case, seed, distribution, outputs=dumped)
        failed = answer["failed"]
        return None if failed is None else str(failed)

    def choose(
        self,
        reference: Reference,
        case: Case,
        seed: int,
        distribution: Distribution,
        outputs: Sequence[TensorFile],
        trial: SampleFiles,
        folder: Path,
    ) -> SampleFiles:
        """Return a trial with what is expected of a candidate that chose places of its own, written to the folder.

        As it was where its places are not as good as the reference's, or cannot be told.
        """
        where = {"outputs": [o.model_dump(mode="json") for o in outputs], "folder": str(folder.resolve())}
        found = self._ask("choose", reference, case, seed, distribution, **where)["chosen"]
        if found is None:
            return trial
        return SampleFiles.model_validate({**trial.model_dump(), **found})

    def halved(
        self, reference: Reference, case: Case, seed: int, distribution: Distribution, axis: int, folder: Path
    ) -> tuple[TensorFile, ...] | None:
        """Write what the reference returns where the first half of an axis of its inputs stands for the second, too.

        None where the inputs have no such axis, the reference cannot tell, or returns the same.
        """
        where = {"axis": axis, "folder": str(folder.resolve())}
        found = self._ask("halved", reference, case, seed, distribution, **where)["halved"]
        return None if found is None else tuple(TensorFile.model_validate(f) for f in found)

    def explain(
        self,
        reference: Reference,
        case: Case,
        seed: int,
        distribution: Distribution,
        got: TensorFile,
        index: int,
        tolerance: tuple[float, float, bool] | None = None,
    ) -> AlteredOperation | None:
        """Return which operation of the reference, done otherwise, gives this wrong output; None if none is known.

        `tolerance` is atol, rtol, and whether atol is literal: else it shrinks with small outputs. Without one, the
        output is accepted, and asked about is whether it has another formula's numbers all the same.
        """
        said: dict[str, Any] = {"got": got.model_dump(mode="json"), "index": index}
        if tolerance is not None:
            said["tolerance"] = tolerance
        found = self._ask("explain", reference, case, seed, distribution, **said)["found"]
        return None if found is None else AlteredOperation.model_validate(found)

    def read(self, reference: Reference, case: Case, reader: str) -> dict[str, Any]:
        """Return what the module `reader` reads off the loaded case: its `read(loaded)`, called in the process."""
        answer = self._ask("read", reference, case, DESCRIBING_SEED, "task", reader=reader)
        found: dict[str, Any] = answer["read"]
        return found

    def close(self) -> None:
        """Keep the process for the program's next worker, or end it if it works or another one is kept already."""
        with self._turn:
            worker, self._worker = self._worker, _unstarted(self._folders)
        _end_with_the_program()
        if not (self._shared and worker.idle and _KEPT.setdefault(os.getpid(), worker) is worker):
            worker.close()

    def _taken(self) -> Worker:
        """Return this worker's process; where it does not run, one that was kept."""
        with self._turn:
            if self._shared and not self._worker.running:
                kept = _KEPT.pop(os.getpid(), None)
                if kept is not None and kept.idle:
                    self._worker = kept
                elif kept is not None:
                    kept.close()
            return self._worker

    def __enter__(self) -> "ReferenceWorker":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(
        self, op: str, reference: Reference, case: Case, seed: int, distribution: Distribution, **more: Any
    ) -> dict[str, Any]:
        message = {
            "op": op,
            "reference": reference.model_copy(update={"path": reference.path.resolve()}).model_dump(
                mode="json"
            ),
            "case": case.model_dump(mode="json"),
            "seed": seed,
            "distribution": distribution,
            **more,
        }
        try:
            answer = self._taken().request(message, self._timeout_s)
        except WorkerDied as e:
            raise self._explain(e, case) from e
        if "error" in answer:
            raise InputError(answer["error"]["text"], answer["error"]["remedy"])
        return answer

    def _explain(self, died: WorkerDied, case: Case) -> InputError | InfraError:
        if died.timed_out:
            return InputError(
                f"The reference did not finish case {case.id} within {self._timeout_s:.0f} s.",
                "Take a smaller case, or raise the reference's time limit.",
            )
        lines = [line for line in died.tail.splitlines() if line.strip()]
        last = lines[-1].strip() if lines else "no message"
        if "No module named 'torch'" in died.tail:
            return InfraError("PyTorch is not installed, and references run on it.", "pip install torch")
        return InputError(
            f"The reference process ended on case {case.id}: {last[:300].rstrip('.')}.",
            "Run the reference by itself with this case; out of memory is the usual cause.",
        )


def _unstarted(folders: tuple[Path, ...]) -> Worker:
    env = {
        **MINIMAL_ENV,
        "PYTHONPATH": os.pathsep.join(map(str, folders)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",  # torch_npu without CANN breaks the import of torch
    }
    return Worker([sys.executable, "-m", "akgen.tools.reference.worker"], cwd=Path("/"), env=env)


@cache
def _end_with_the_program() -> None:
    atexit.register(_end_kept, os.getpid())


def _end_kept(program: int) -> None:
    if program == os.getpid() and program in _KEPT:
        _KEPT.pop(program).close()


def _modified(path: Path) -> str:
    return str(path.stat().st_mtime_ns) if path.exists() else "-"
