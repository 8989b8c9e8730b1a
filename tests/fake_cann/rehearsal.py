"""The rehearsal as one command: twenty tasks by the whole graph with --toolchain cann, then every fault, as a table.

Exit status 0 if all tasks were solved by kernels that ran, and every fault ended as stated.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain as chain_of
from pathlib import Path

from akgen.settings import Environment
from akgen.tools.toolchains import make_twin
from tests.fake_cann.faults import FAULTS, happens
from tests.fake_cann.machine import rehearsal_machine
from tests.fake_cann.scene import Scene, chain_on, project
from tests.fake_cann.tasks import TWENTY, solve
from tests.fake_cann.tree import VERSION, build_libraries

Row = tuple[str, str, str, str, float, list[str]]  # what, outcome, words, remedy, seconds, what is wrong


def tasks(scene: Scene, names: list[str]) -> Iterator[Row]:
    for task in names:
        started, before = time.monotonic(), len(scene.machine.driver.launched)
        done = solve(scene.machine, task, scene.folder / task)
        ran = len(scene.machine.driver.launched) - before
        wrong = [] if done.code == 0 and ran and VERSION in done.out else [(done.err or done.out)[-300:]]
        outcome = "correct" if done.code == 0 else f"exit {done.code}"
        yield f"task {task}", outcome, f"{ran} launches", "", time.monotonic() - started, wrong


def faults(scene: Scene, word: str) -> Iterator[Row]:
    for fault in FAULTS:
        if word in fault.name:
            started = time.monotonic()
            found, wrong = happens(fault, scene)
            yield fault.name, found.outcome, found.text, found.remedy, time.monotonic() - started, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", default=",".join(TWENTY), help="which tasks, by commas; none if empty")
    parser.add_argument("--faults", default="", help="only faults with this word in their name")
    asked = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    twin = make_twin(Environment())
    twin.prepare(print)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="akgen-rehearsal-") as work:
        folder = Path(work)
        (folder / "libraries").mkdir()
        libraries = build_libraries(folder / "libraries")
        (folder / "machine").mkdir()
        with rehearsal_machine(twin, libraries, folder / "machine") as machine:
            chain = chain_on(machine.env)
            chain.prepare(print)
            built = chain.compile(project(""), [], folder / "known_good")
            scene = Scene(machine, chain, built, folder / "scene")
            names = [t for t in asked.tasks.split(",") if t]
            count, started = 0, time.monotonic()
            for what, outcome, words, remedy, seconds, wrong in chain_of(
                tasks(scene, names), faults(scene, asked.faults)
            ):
                count, failed = count + 1, failed + bool(wrong)
                mark = "ok" if not wrong else "WRONG"
                print(f"{mark:5}  {what:52}  {outcome:15}  {seconds:6.1f} s  {_short(words)}", flush=True)
                if remedy:
                    print(f"{'':60}  -> {_short(remedy)}")
                for line in wrong:
                    print(f"       {line}")
            spent = time.monotonic() - started
            print(f"{count - failed} of {count} as stated, {spent:.0f} s, on {chain.version()}")
    return 1 if failed else 0


def _short(text: str) -> str:
    return " ".join(text.split())[:150]


if __name__ == "__main__":
    sys.exit(main())
