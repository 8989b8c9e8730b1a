"""Run or go on with a task, noting every payment in a file, and stand still where the test says.

As a program it reads lines `[RUN, SCRIPT, TASK, STAGE, ATTEMPT, WHEN]` of JSON and serves each in a fork, which spares
it the imports; it says the fork's process id, and `ended` after its end. WHEN is `during` (the call to decider or
tool has begun) or `done` (its result is on disk, the checkpoint is not). Standing still means: say `standing` and wait
to be killed.
"""

import dataclasses
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from akgen.agents.run_config import RunConfig
from akgen.bench.resolve import resolve_task
from akgen.graph.deps import Deps
from akgen.graph.run import begin, open_deps, work_on
from akgen.graph.store.records import Event
from akgen.graph.store.run_store import RunStore
from akgen.tools.core.settings import Settings
from akgen.tools.twin.settings import user_cache


class Payments:
    """Wraps deciders and tools: notes when a call begins and ends, and stands still in the middle of one."""

    def __init__(self, run: Path, halt: tuple[str, str, str] | None) -> None:
        self._file, self._halt = run / "paid.jsonl", halt
        self._now = ("", "")

    def note(self, what: str) -> None:
        with self._file.open("a") as handle:
            handle.write(json.dumps({"what": what, "stage": self._now[0], "attempt": self._now[1]}) + "\n")
            handle.flush()
            os.fsync(handle.fileno())

    def paying(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def paid(*args: Any, **kwargs: Any) -> Any:
            self.note("begin")
            self._stand_still("during")
            result = call(*args, **kwargs)
            self.note("end")
            return result

        return paid

    def watch(self, event: Event) -> None:
        self._now = (str(event.stage), str(event.attempt))
        if event.event == "stage" and event.status == "done":
            self._stand_still("done")

    def _stand_still(self, when: str) -> None:
        if self._halt == (*self._now, when):
            print("standing", flush=True)
            signal.pause()


class Wrapped:
    """Anything, with some of its methods paid for."""

    def __init__(self, inner: Any, payments: Payments, methods: tuple[str, ...]) -> None:
        self._inner = inner
        for method in methods:
            setattr(self, method, payments.paying(getattr(inner, method)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def wrapped(deps: Deps, payments: Payments) -> Deps:
    return dataclasses.replace(
        deps,
        planner=Wrapped(deps.planner, payments, ("plan",)),  # type: ignore[arg-type]
        coder=Wrapped(deps.coder, payments, ("write",)),  # type: ignore[arg-type]
        critic=Wrapped(deps.critic, payments, ("criticise",)),  # type: ignore[arg-type]
        workbench=Wrapped(deps.workbench, payments, ("compile", "test", "profile")),  # type: ignore[arg-type]
    )


def main(run: Path, script: Path, task: str, halt: tuple[str, str, str] | None) -> None:
    config = RunConfig(command="solve", model=f"scripted:{script}", seed=1)
    settings = Settings(cache=user_cache(os.environ), path=os.environ["PATH"])
    store = RunStore.open(run) if run.is_dir() else begin(run, config, "twin")
    payments = Payments(run, halt)
    with open_deps(store, settings, lambda _line: None, payments.watch) as deps:
        work_on(resolve_task(task), wrapped(deps, payments))


def serve() -> None:
    for line in sys.stdin:
        run, script, task, *halt = json.loads(line)
        child = os.fork()
        if child == 0:
            main(Path(run), Path(script), task, (halt[0], halt[1], halt[2]))
            os._exit(0)
        print(child, flush=True)
        os.waitpid(child, 0)
        print("ended", flush=True)


if __name__ == "__main__":
    serve()
