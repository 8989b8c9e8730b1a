"""The run store reads back what was kept, and says what is wrong with what it cannot read."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from akgen.agents.run_config import RunConfig
from akgen.graph.deps import EventLog
from akgen.graph.store.records import Event, RunInfo
from akgen.graph.store.run_store import RunStore, TaskStore
from akgen.tools.core.outcome import InputError

INFO = RunInfo(
    id="one",
    created_at=datetime(2026, 1, 2, tzinfo=UTC),
    config=RunConfig(command="solve", seed=7),
    versions={"akgen": "0"},
    toolchain="twin",
)


def test_a_run_reads_back_as_it_was_made(tmp_path: Path) -> None:
    RunStore.create(tmp_path / "one", INFO)
    assert RunStore.open(tmp_path / "one").info == INFO


def test_a_folder_with_a_run_is_not_overwritten(tmp_path: Path) -> None:
    RunStore.create(tmp_path / "one", INFO)
    with pytest.raises(InputError, match="already holds a run"):
        RunStore.create(tmp_path / "one", INFO)


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no run"):
        RunStore.open(tmp_path)


@pytest.mark.parametrize("text", ["{", "{}", '{"format": 1, "id": 3}'])
def test_a_damaged_run_names_the_file_and_the_place(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(InputError, match=r"run\.json"):
        RunStore.open(tmp_path)


def test_a_tasks_name_cannot_leave_the_run(tmp_path: Path) -> None:
    store = RunStore.create(tmp_path / "one", INFO)
    folder = store.task("../../level1/Sqrt").folder.resolve()
    assert folder.parent == (tmp_path / "one" / "tasks").resolve()


def test_events_reach_the_file_and_then_the_watcher(tmp_path: Path) -> None:
    sample = TaskStore(tmp_path).sample(2)
    seen: list[Event] = []
    log = EventLog(sample.events_file, "softmax", 2, seen.append)
    log.say("stage", attempt=1, stage="compile", status="done", seconds=0.5, text="[in] 0.5 s")
    assert list(sample.events()) == seen
    assert (seen[0].task, seen[0].sample, seen[0].stage) == ("softmax", 2, "compile")


CLAIM = """
import sys
from pathlib import Path
from akgen.graph.store.run_store import TaskStore
with TaskStore(Path(sys.argv[1])).claimed():
    print("mine", flush=True)
    sys.stdin.read()
"""


def test_a_task_is_worked_on_by_one_process_and_freed_when_that_dies(tmp_path: Path) -> None:
    store = TaskStore(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", CLAIM, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "mine\n"
        with pytest.raises(InputError, match="Another process"), store.claimed():
            pass
        other.kill()
    with store.claimed():
        pass
