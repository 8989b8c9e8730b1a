"""Folders of runs that somebody damaged: every command that reads one ends in a sentence, whatever the damage is."""

import contextlib
import ctypes
import itertools
import json
import os
import platform
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from akgen.bench.store import BenchStore
from akgen.tools.core.outcome import InfraError, InputError
from tests.command import command
from tests.readers.catalogue import bench_run
from tests.sampled import sampled

RUN = Path(__file__).resolve().parents[1] / "graph" / "earlier_run"
TASK = "tasks/softmax_rows"


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _garbage(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 40)


def _other_types(path: Path) -> None:
    path.write_text('[{"format":"x","id":[],"tasks":1e400}]\n{"a":' + "9" * 5000 + "}\n")


def _deep(path: Path) -> None:
    path.write_text("[" * 100_000 + "\n")


def _halves(path: Path) -> None:
    path.write_text(path.read_text().replace('"', '"\\ud800\\u001b[2J', 1))


def _removed(path: Path) -> None:
    path.unlink()


def _looped(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _large(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate((1 << 28) + 1)


DAMAGES = (_emptied, _cut, _garbage, _other_types, _deep, _halves, _removed, _looped, _folder, _pipe, _large)
RUN_FILES = (
    "run.json",
    "calls.jsonl",
    "calls/abc-0.json",
    f"{TASK}/task.json",
    f"{TASK}/result.json",
    f"{TASK}/reference.sha256",
    f"{TASK}/checkpoints.sqlite",
    f"{TASK}/sample-0/attempts.json",
    f"{TASK}/sample-0/events.jsonl",
)
RUN_COMMANDS: tuple[Callable[[Path], tuple[str | Path, ...]], ...] = (
    lambda run: ("show", run),
    lambda run: ("show", run, "--feedback", "--json"),
    lambda run: ("resume", run),
    lambda run: ("replay", run, "--out", run.parent / "again"),
    lambda run: ("optimise", "softmax_rows", "--out", run),
    lambda run: ("harvest", "export", run, "--format", "sft", "--out", run.parent / "sft.jsonl"),
    lambda run: ("harvest", "export", run, "--format", "dpo", "--out", run.parent / "dpo.jsonl"),
    lambda run: ("solve", "softmax_rows", "--model", f"replay:{run}", "--out", run.parent / "new"),
    lambda run: ("bench", "report", run),
    lambda run: ("chat", "--out", run),
)
BENCH_COMMANDS: tuple[Callable[[Path], tuple[str | Path, ...]], ...] = (
    lambda run: ("bench", "report", run),
    lambda run: ("bench", "report", run, "--json"),
    lambda run: ("show", run),
)


def sentence(*arguments: str | Path) -> None:
    """Run a command; it may succeed, or end in one sentence."""
    ended = command(*arguments)
    assert ended.code in (0, 1, 2, 3), ended
    assert "Traceback" not in ended.err + ended.out, ended.err
    if ended.code in (2, 3):
        said = json.loads(ended.out)["error"]["text"] if "--json" in arguments else ended.err
        assert said.strip() and "\x1b" not in said and "\ud800" not in said


@pytest.mark.parametrize(("name", "damage"), sampled(itertools.product(RUN_FILES, DAMAGES), 16))
def test_a_damaged_run_is_read_or_refused(name: str, damage: Callable[[Path], None], tmp_path: Path) -> None:
    for number, arguments in enumerate(RUN_COMMANDS):
        run = tmp_path / str(number) / "run"
        shutil.copytree(RUN, run)
        for extra in ("calls.jsonl", "calls/abc-0.json", f"{TASK}/checkpoints.sqlite"):
            (run / extra).parent.mkdir(exist_ok=True)
            (run / extra).write_text("{}\n")
        damage(run / name)
        sentence(*arguments(run))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("closed", [".", "run.json", "tasks", TASK, f"{TASK}/sample-0"])
@pytest.mark.parametrize("arguments", [RUN_COMMANDS[0], RUN_COMMANDS[1], RUN_COMMANDS[5]])
def test_a_run_that_may_not_be_read_is_refused(
    closed: str, arguments: Callable[[Path], tuple[str | Path, ...]], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(RUN, run)
    sentence(*arguments(run))  # what is imported on the way may be closed to others, too
    (run / closed).chmod(0)
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o777)
    become(65534)
    try:
        sentence(*arguments(run))
    finally:
        become(0)


def become(user: int) -> None:
    """Change the user of this thread alone: os.seteuid takes along the threads that other tests' fixtures run."""
    setresuid = {"x86_64": 117, "aarch64": 147}[platform.machine()]
    assert ctypes.CDLL(None, use_errno=True).syscall(setresuid, -1, user, -1) == 0


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("name", ["bench.json", "results.jsonl"])
def test_going_on_with_a_damaged_bench_run_is_refused_or_works(
    name: str, damage: Callable[[Path], None], tmp_path: Path
) -> None:
    store = bench_run(tmp_path / "run")
    record = store.records()[0]
    damage(store.folder / name)
    with contextlib.suppress(InputError, InfraError):
        again = BenchStore.begin(store.folder, store.config)
        again.done()
        again.append(record)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("name", ["bench.json", "results.jsonl"])
def test_a_damaged_bench_run_is_read_or_refused(
    name: str, damage: Callable[[Path], None], tmp_path: Path
) -> None:
    for number, arguments in enumerate(BENCH_COMMANDS):
        run = bench_run(tmp_path / str(number)).folder
        damage(run / name)
        sentence(*arguments(run))
