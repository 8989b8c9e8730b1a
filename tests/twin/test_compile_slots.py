"""Never more compilers than cores, whichever process starts them; who dies gives its slot back."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from akgen.tools.twin.compiler import CompileSlots, compile_slots
from akgen.tools.twin.sandboxed import compile_in
from akgen.tools.twin.toolchain import TwinToolchain

WORKER = """
import os, sys, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from akgen.tools.twin.compiler import CompileSlots
slots, inside = CompileSlots(folder=Path(sys.argv[1]), count=2), Path(sys.argv[2])
print("ready", flush=True); sys.stdin.readline()
def compile_one(i):
    with slots.one():
        mine = inside / f"{os.getpid()}-{i}"
        mine.touch()
        most = len(list(inside.iterdir()))
        time.sleep(0.01)
        mine.unlink()
    return most
with ThreadPoolExecutor(3) as pool:
    print(max(pool.map(compile_one, range(10))))
"""


def test_threads_of_many_processes_share_the_slots(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    command = [sys.executable, "-c", WORKER, tmp_path / "slots", tmp_path / "inside"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    workers = [subprocess.Popen(command, **pipes) for _ in range(4)]  # type: ignore[call-overload]
    for worker in workers:
        assert worker.stdout.readline() == b"ready\n"
    for worker in workers:
        worker.stdin.write(b"go\n")
        worker.stdin.flush()
    most = [int(worker.communicate()[0]) for worker in workers]
    assert max(most) <= 2
    assert [w.returncode for w in workers] == [0] * 4


def test_a_process_that_is_killed_gives_its_slot_back(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from akgen.tools.twin.compiler import CompileSlots\n"
        "with CompileSlots(folder=Path(sys.argv[1]), count=1).one():\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
    holder.kill()
    holder.communicate()
    with CompileSlots(folder=tmp_path, count=1).one():
        pass


def test_a_compile_waits_while_every_slot_is_taken(twin: TwinToolchain, tmp_path: Path) -> None:
    slots = CompileSlots(folder=tmp_path / "slots", count=1)
    runtime = twin.runtime.model_copy(update={"slots": slots})
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.cpp").write_text("int a;\n")
    said = []
    job = threading.Thread(target=lambda: said.append(compile_in(runtime, ["-c", "a.cpp"], folder)))
    with contextlib.ExitStack() as held:
        held.enter_context(slots.one())
        job.start()
        time.sleep(0.5)  # a compile that did not wait would be done, or at least would have begun
        assert not said and not (folder / "a.o").exists()
    job.join()
    assert said[0].ok and (folder / "a.o").exists()


def test_there_are_as_many_as_cores(tmp_path: Path) -> None:
    assert compile_slots(tmp_path).count == len(os.sched_getaffinity(0))
