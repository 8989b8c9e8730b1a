"""A program that runs ends with its whole group, inside its time, with bounded output."""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from akgen.tools.core.outcome import InfraError
from akgen.tools.process.group import Service
from akgen.tools.process.program import run
from akgen.tools.process.worker import Worker, WorkerDied


def python(code: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", code]


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def test_it_reports_status_output_and_use(tmp_path: Path) -> None:
    done = run(
        python("import sys; print('a'); print('b', file=sys.stderr); sys.exit(3)"), cwd=tmp_path, timeout_s=20
    )
    assert (done.rc, done.signal, done.timed_out, done.out, done.err) == (3, None, False, "a\n", "b\n")
    assert not done.ok
    assert done.cpu_s > 0
    assert done.max_rss_bytes > 1 << 20


def test_a_signal_is_told_apart_from_a_status(tmp_path: Path) -> None:
    done = run(python("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"), cwd=tmp_path, timeout_s=20)
    assert (done.rc, done.signal, done.ending) == (None, signal.SIGSEGV, "signal SIGSEGV")


def test_an_endless_program_is_stopped(tmp_path: Path) -> None:
    done = run(python("while True: pass"), cwd=tmp_path, timeout_s=0.3)
    assert done.timed_out
    assert not done.ok


def test_descendants_end_with_the_program(tmp_path: Path) -> None:
    code = "import os, time\npid = os.fork()\nif pid == 0: time.sleep(60)\nprint(pid)"
    done = run(python(code), cwd=tmp_path, timeout_s=20)
    assert done.ok
    assert not alive(int(done.out))


def test_output_is_bounded_and_the_writer_is_not_blocked(tmp_path: Path) -> None:
    done = run(
        python("import sys; sys.stdout.write('x' * 3_000_000)"),
        cwd=tmp_path,
        timeout_s=20,
        output_limit_bytes=1000,
    )
    assert done.ok
    assert done.truncated
    assert done.stdout == b"x" * 1000


def test_the_environment_holds_only_what_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "hidden")
    done = run(python("import os; print(sorted(os.environ))"), cwd=tmp_path, timeout_s=20)
    assert "SECRET_KEY" not in done.out


def test_stdin_is_closed_unless_given(tmp_path: Path) -> None:
    read = python("import sys; print(repr(sys.stdin.read()))")
    assert run(read, cwd=tmp_path, timeout_s=20).out == "''\n"
    assert run(read, cwd=tmp_path, timeout_s=20, stdin=b"hello").out == "'hello'\n"


def test_a_missing_program_is_a_broken_machine(tmp_path: Path) -> None:
    with pytest.raises(InfraError, match="was not found"):
        run(["no-such-program-anywhere"], cwd=tmp_path, timeout_s=5)
    with pytest.raises(InfraError, match="working folder"):
        run(["/bin/true"], cwd=tmp_path / "gone", timeout_s=5)


ECHO = """
import json, os, sys, time
for line in sys.stdin:
    m = json.loads(line)
    if m.get("sleep"): time.sleep(m["sleep"])
    if m.get("die"): print("last words", file=sys.stderr); sys.stderr.flush(); os._exit(1)
    print(json.dumps({"got": m, "pid": os.getpid()}), flush=True)
"""


def test_a_worker_answers_many_requests(tmp_path: Path) -> None:
    with Worker(python(ECHO), cwd=tmp_path) as worker:
        answers = [worker.request({"n": i, "pad": "y" * 200_000}, timeout_s=20) for i in range(3)]
    assert [a["got"]["n"] for a in answers] == [0, 1, 2]
    assert len({a["pid"] for a in answers}) == 1


def test_a_worker_that_died_is_started_again(tmp_path: Path) -> None:
    with Worker(python(ECHO), cwd=tmp_path) as worker:
        with pytest.raises(WorkerDied) as died:
            worker.request({"die": True}, timeout_s=20)
        assert not died.value.timed_out
        assert "last words" in died.value.tail
        assert worker.request({"n": 1}, timeout_s=20)["got"] == {"n": 1}


def test_a_silent_worker_is_stopped_and_started_again(tmp_path: Path) -> None:
    with Worker(python(ECHO), cwd=tmp_path) as worker:
        first = worker.request({}, timeout_s=20)["pid"]
        with pytest.raises(WorkerDied) as died:
            worker.request({"sleep": 60}, timeout_s=0.2)
        assert died.value.timed_out
        assert not alive(first)
        assert worker.request({}, timeout_s=20)["pid"] != first


def test_threads_share_a_worker_in_turns(tmp_path: Path) -> None:
    wrong: list[int] = []
    with Worker(python(ECHO), cwd=tmp_path) as worker:

        def ask(n: int) -> None:
            for _ in range(20):
                if worker.request({"n": n}, timeout_s=20)["got"]["n"] != n:
                    wrong.append(n)

        threads = [threading.Thread(target=ask, args=(n,)) for n in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert wrong == []


def test_a_worker_sees_the_death_of_its_parent(tmp_path: Path) -> None:
    code = f"""
import os, signal, sys
sys.path[:0] = {json.dumps(sys.path)}
from pathlib import Path
from akgen.tools.process.worker import Worker
w = Worker({json.dumps([sys.executable, "-c", ECHO])}, cwd=Path("."))
print(w.request({{}}, timeout_s=20)["pid"], flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    # The outer run would kill the group; a worker has its own, so that only the closed stdin ends it.
    pid = int(run([sys.executable, "-c", code], cwd=tmp_path, timeout_s=30).out)
    for _ in range(400):
        if not alive(pid):
            break
        time.sleep(0.01)
    assert not alive(pid), os.kill(pid, signal.SIGKILL)


def test_a_busy_worker_ends_with_its_parent(tmp_path: Path) -> None:
    busy = f"""
import sys, time
sys.path[:0] = {json.dumps(sys.path)}
from akgen.tools.process.worker import end_with_parent
end_with_parent()
sys.stdin.readline()
open("started", "w").close()
time.sleep(60)
"""
    code = f"""
import os, signal, sys, threading, time
sys.path[:0] = {json.dumps(sys.path)}
from pathlib import Path
from akgen.tools.process.worker import Worker
worker = Worker({json.dumps(python(busy))}, cwd=Path("."))
threading.Thread(target=lambda: worker.request({{}}, timeout_s=60), daemon=True).start()
while not Path("started").exists():
    time.sleep(0.01)
print(worker._process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    pid = int(run([sys.executable, "-c", code], cwd=tmp_path, timeout_s=30).out)
    deadline = time.monotonic() + 20
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(pid), os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("disposition", ["SIG_DFL", "SIG_IGN"])
def test_a_service_does_not_outlive_its_parent(tmp_path: Path, disposition: str) -> None:
    """A parent killed by SIGKILL, with a service and its child that both end when told to, or do not."""
    server = f"""
import os, signal, time
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.{disposition})
child = os.fork()
if child:
    print(os.getpid(), child, flush=True)
time.sleep(60)
"""
    code = f"""
import os, signal, sys, time
sys.path[:0] = {json.dumps(sys.path)}
from pathlib import Path
from akgen.tools.process.group import Service
log = Path("service.log")
service = Service({json.dumps(python(server))}, cwd=Path("."), env={{}}, output=log, patience_s=0.2)
while not log.read_text().endswith("\\n"):
    time.sleep(0.01)
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert run([sys.executable, "-c", code], cwd=tmp_path, timeout_s=30).signal == signal.SIGKILL
    pids = [int(word) for word in (tmp_path / "service.log").read_text().split()]
    deadline = time.monotonic() + 20
    while any(alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(pids) == 2
    for pid in pids:
        assert not alive(pid), os.kill(pid, signal.SIGKILL)


def test_a_service_that_cannot_be_started_leaves_no_keeper(tmp_path: Path) -> None:
    children = Path(f"/proc/{os.getpid()}/task/{threading.get_native_id()}/children")
    before = children.read_text()
    with pytest.raises(InfraError, match="was not found"):
        Service(["no-such-program-anywhere"], cwd=tmp_path, env={}, output=tmp_path / "log", patience_s=1)
    assert children.read_text() == before
