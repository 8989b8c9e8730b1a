"""Put mistakes into the recorded kernels, for measuring what feedback is worth.

    AKGEN_NPUKB_ROOT=... AKGEN_MKB_ROOT=... make recordings PYTEST_ADDOPTS=--basetemp=PLAYED
    python tests/end_to_end/recordings/mistaken.py PLAYED/test_* OUT

OUT/SUITE/TASK/0 has a slip of tools/faults (it does not compile, mostly), OUT/SUITE/TASK/1 a mistake of meaning of
mistakes.toml; each is drawn by its task's name and judged, and drawn again while it is correct. They are where `akgen
bench run SUITE --start OUT/SUITE --samples 2 --critic rules`, or `--critic compiler`, begins.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from akgen.tools.core.project import KernelProject, write_files
from akgen.tools.faults.programs import faults, mutants

HERE = Path(__file__).parent
ROOTS = {"npukb": "AKGEN_NPUKB_ROOT", "mkb": "AKGEN_MKB_ROOT"}
MOST_DRAWN = 8


def slips(project: KernelProject) -> Iterator[KernelProject]:
    """Yield the project with one fault of the table of kernels, or, one time in five, of hosts."""
    source = random.Random(project.op_type)
    drawn = {side: list(faults(side)) for side in ("kernel", "host")}
    for pool in drawn.values():
        source.shuffle(pool)
    while any(drawn.values()):
        side = "host" if drawn["host"] and (source.random() < 0.2 or not drawn["kernel"]) else "kernel"
        found = list(mutants(project, drawn[side].pop()))
        if found:
            yield source.choice(found).project


def mistakes(project: KernelProject) -> Iterator[KernelProject]:
    """Yield the project with one mistake of meaning."""
    source = random.Random(project.op_type)
    table = tomllib.loads((HERE / "mistakes.toml").read_text())["mistake"]
    source.shuffle(table)
    for row in table:
        places = [
            (path, match)
            for path, text in sorted(project.files.items())
            if path.startswith("op_kernel/")
            for match in re.finditer(row["find"], text)
        ]
        for path, match in source.sample(places, min(1, len(places))):
            text = project.files[path]
            put = text[: match.start()] + match.expand(row["put"]) + text[match.end() :]
            if put != text:
                yield project.model_copy(update={"files": {**project.files, path: put}})


def played(run: Path) -> dict[str, KernelProject]:
    """Return the last kernel of each task of a run."""
    found = {}
    for folder in run.glob("tasks/*/sample-0"):
        names = json.loads((folder.parent / "task.json").read_text())
        last = max(folder.glob("attempt-*"), key=lambda p: int(p.name.partition("-")[2]))
        found[folder.parent.name] = KernelProject.read_from(
            last / "project", op_type=names["op_type"], kernel=names["kernel"]
        )
    return found


def failing(suite: str, starts: Path, tasks: set[str], run: Path, more: list[str]) -> set[tuple[str, str]]:
    """Return task and sample of the starts that are not correct."""
    shutil.rmtree(run, ignore_errors=True)
    root = [] if suite not in ROOTS else ["--root", os.environ[ROOTS[suite]]]
    nobody = run.with_suffix(".jsonl")
    nobody.write_text('{"role": "coder", "text": "nothing"}\n')
    subprocess.run(
        ["akgen", "bench", "run", suite, "--tasks", ",".join(sorted(tasks)), "--source", "model", "--model",
         f"scripted:{nobody}", "--start", str(starts), "--samples", "2", "--attempts", "1", "--trials", "1",
         "--out", str(run), *root, *more],
        check=False,
    )  # fmt: skip
    found = set()
    for task in tasks:
        for sample in run.glob(f"tasks/{task}/sample-*"):
            attempts = json.loads((sample / "attempts.json").read_text())
            if attempts and attempts[0]["verdict"]["outcome"] != "correct":
                found.add((task, sample.name.removeprefix("sample-")))
    return found


def main(runs: list[Path], out: Path) -> None:
    """Draw the starts of all tasks of the played runs."""
    suites: dict[str, dict[str, KernelProject]] = defaultdict(dict)
    said: dict[str, list[str]] = {}
    for run in runs:
        made = json.loads((run / "bench.json").read_text())
        if made["route"] == "ascendc":
            suites[made["suite"]].update(played(run))
            said[made["suite"]] = ["--mode", made["mode"], "--max-mb", str(made["max_mb"])]
    for suite, projects in suites.items():
        pools = {(t, n): draw(p) for t, p in projects.items() for n, draw in (("0", slips), ("1", mistakes))}
        open_ = set(pools)
        for _ in range(MOST_DRAWN):
            for task, sample in sorted(open_):
                project = next(pools[task, sample], None)
                folder = out / suite / task / sample
                shutil.rmtree(folder, ignore_errors=True)
                if project is not None:
                    write_files(project.files, folder)
            open_ -= failing(suite, out / suite, {t for t, _ in open_}, out / f"{suite}-judged", said[suite])
            if not open_:
                break
        print(f"{suite}: {len(pools) - len(open_)} starts that fail; correct still: {sorted(open_)}")


if __name__ == "__main__":
    *given, last = map(Path, sys.argv[1:])
    main([g / "run" for g in given], last)
