"""A driver or a whole host is killed: no verdict is lost, and none is judged or written twice."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from akgen.bench.record import Record
from akgen.bench.store import BenchStore
from akgen.tools.core.outcome import Outcome
from tests.conformance.test_executors import ENV, begun, lines, logged, wait_for

ROOT = Path(__file__).resolve().parents[2]
DRIVER = [sys.executable, "-m", "tests.conformance.bench_driver"]
HOSTS = ("a", "b")


TOGETHER = {"PYTHONPATH": f"{ROOT}:{ENV['PYTHONPATH']}", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "1" * 64}


def drive(*args: str | Path, inside: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
    env = dict(os.environ) | TOGETHER
    return subprocess.Popen([*inside, *DRIVER, *map(str, args)], cwd=ROOT, env=env, stdout=subprocess.DEVNULL)


def all_once(store: BenchStore, log: Path, count: int) -> None:
    assert set(lines(store).values()) == {1} and len(lines(store)) == count
    assert all(r.solved for r in store.records())
    ended = [(e["task"], *e["samples"]) for e in logged(log, "end")]
    assert len(ended) - len(set(ended)) <= 2, "what two workers were about to put on disk may be done again"


def test_a_killed_driver_leaves_no_worker_and_the_same_command_goes_on(tmp_path: Path) -> None:
    store, log = begun(tmp_path / "run", "g1", "g2", samples=10), tmp_path / "log"
    first = drive(store.folder, log, "0.1", "local")
    wait_for(lambda: len(logged(log, "end")) >= 6, 60)
    first.kill()
    first.wait()
    pids = {e["pid"] for e in logged(log)}
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))
    assert drive(store.folder, log, "0.02", "local").wait(120) == 0
    all_once(store, log, 20)


def test_a_verdict_that_the_killed_driver_had_not_written_is_not_judged_again(tmp_path: Path) -> None:
    store, log = begun(tmp_path / "run", "s1", "g1"), tmp_path / "log"
    kept = Record(task="s1", sample=0, level=1, category="scripted", outcome=Outcome.CORRECT)
    assert store.settle(kept) == kept == store.settle(kept.model_copy(update={"why": "another's"}))
    assert drive(store.folder, log, "0.02", "local").wait(120) == 0
    assert [e["task"] for e in logged(log)] == ["g1"]
    assert store.records()[0] == kept and len(lines(store)) == 2


def _ip(*args: str) -> None:
    subprocess.run(["ip", *args], check=True, capture_output=True)


@pytest.fixture
def hosts() -> Iterator[dict[str, tuple[str, ...]]]:
    """Make two network namespaces on one bridge: hosts with an address of their own, which can be killed whole."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("needs root and iproute2")
    tag = f"{os.getpid() % 100000}"
    names = {h: f"ak{tag}{h}" for h in HOSTS}
    bridge = f"akb{tag}"
    try:
        try:
            _ip("link", "add", bridge, "type", "bridge")
            _ip("link", "set", bridge, "up")
            for number, (host, name) in enumerate(names.items(), start=1):
                _ip("netns", "add", name)
                _ip("link", "add", f"v{tag}{host}", "type", "veth", "peer", "name", "eth0", "netns", name)
                _ip("link", "set", f"v{tag}{host}", "master", bridge, "up")
                for command in (
                    ["addr", "add", f"10.99.77.{number}/24", "dev", "eth0"],
                    ["link", "set", "eth0", "up"],
                ):
                    _ip("-n", name, *command)
                _ip("-n", name, "link", "set", "lo", "up")
        except subprocess.CalledProcessError as refused:
            pytest.skip(f"no network namespaces here: {refused.stderr.decode().strip()}")
        yield {host: ("ip", "netns", "exec", name) for host, name in names.items()}
    finally:
        for name in names.values():
            kill_host(name)
            subprocess.run(["ip", "netns", "del", name], capture_output=True)
        subprocess.run(["ip", "link", "del", bridge], capture_output=True)


def kill_host(name: str) -> None:
    """Kill every process of a namespace, as a power cut does."""
    for _ in range(50):
        pids = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True).stdout.split()
        if not pids:
            return
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        time.sleep(0.05)


@pytest.mark.slow
def test_a_host_of_the_cluster_that_is_cut_off_costs_no_verdict(
    tmp_path: Path, hosts: dict[str, tuple[str, ...]]
) -> None:
    pytest.importorskip("ray")
    ray = [
        sys.executable,
        "-m",
        "ray.scripts.scripts",
        "start",
        "--block",
        "--disable-usage-stats",
        "--num-cpus",
        "1",
    ]
    ray += ["--object-store-memory", str(100 << 20)]
    env = dict(os.environ) | TOGETHER | {"RAY_health_check_period_ms": "500"}
    env |= {"RAY_health_check_initial_delay_ms": "500", "RAY_health_check_failure_threshold": "3"}
    address, temporary = "10.99.77.1:6399", f"/tmp/akgen-ray-{os.getpid()}"
    head = [
        "--head",
        "--include-dashboard=false",
        "--port",
        "6399",
        "--node-ip-address",
        "10.99.77.1",
        "--temp-dir",
        temporary,
    ]
    other = ["--address", address, "--node-ip-address", "10.99.77.2"]
    started: list[subprocess.Popen[bytes]] = []
    store, log = begun(tmp_path / "run", "g1", "g2", "g3", samples=20), tmp_path / "log"
    try:
        for host, options in (("a", head), ("b", other)):
            out = (tmp_path / host).open("wb")
            started.append(subprocess.Popen([*hosts[host], *ray, *options], env=env, stdout=out, stderr=out))
            wait_for(lambda: b"runtime started" in (tmp_path / host).read_bytes(), 60)  # noqa: B023
        driver = drive(store.folder, log, "0.3", address, inside=hosts["a"])
        wait_for(lambda: len({e["pid"] for e in logged(log, "end")}) == 2, 90)
        before = len(logged(log, "end"))
        kill_host(hosts["b"][-1])
        assert driver.wait(180) == 0
        assert before < 60
        all_once(store, log, 60)
        assert any(r.tries == 2 for r in store.records())
    finally:
        for host in HOSTS:
            kill_host(hosts[host][-1])
        for process in started:
            process.wait()
        shutil.rmtree(temporary, ignore_errors=True)
