"""Who has a device, and when it may be used: locks between threads as between processes."""

import os
import threading
import time
from pathlib import Path

import pytest

from akgen.tools.cann import device
from akgen.tools.cann.device import Devices, Holder, slot
from akgen.tools.cann.machine_lock import lock_of
from akgen.tools.core.outcome import InfraError


def _healthy(number: int) -> str | None:
    return None


def test_a_device_has_one_holder_and_the_other_run_gets_the_next(tmp_path: Path) -> None:
    with (
        Devices(tmp_path, (0, 1), _healthy).lease() as first,
        Devices(tmp_path, (0, 1), _healthy).lease() as second,
    ):
        assert {first.number, second.number} == {0, 1}
        with (
            pytest.raises(InfraError, match="device0 is held by process"),
            Devices(tmp_path, (0, 1), _healthy).lease(wait_s=0.2),
        ):
            pass


def test_a_holder_that_is_no_longer_heard_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that hangs keeps its lock; what it wrote of itself grows old."""
    monkeypatch.setattr(device, "BEAT_S", 0.01)
    with Devices(tmp_path, (0,), _healthy).lease():
        told = tmp_path / "device0.holder"
        first = Holder.model_validate_json(told.read_text())
        assert first.pid == os.getpid()
        deadline = time.monotonic() + 20
        while Holder.model_validate_json(told.read_text()).beat == first.beat:
            assert time.monotonic() < deadline, "its heart does not beat"
            time.sleep(0.01)
    with slot(tmp_path / "other", 1):  # a lock of this process, and what one that hangs left
        lock = tmp_path / "other/slot0.lock"
        lock.rename(tmp_path / "device0.lock")
        old = first.model_copy(update={"beat": time.time() - 400, "pid": 4711})
        told.write_text(old.model_dump_json())
        with (
            pytest.raises(InfraError, match=r"process 4711, which was last heard 40\d s ago"),
            Devices(tmp_path, (0,), _healthy).lease(wait_s=0),
        ):
            pass


def test_a_device_is_free_again_when_its_holder_is_done(tmp_path: Path) -> None:
    order: list[int] = []

    def hold(name: int) -> None:
        with Devices(tmp_path, (0,), _healthy).lease():
            order.append(name)
            time.sleep(0.05)
            order.append(name)

    threads = [threading.Thread(target=hold, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [order[i] for i in range(0, 6, 2)] == [order[i] for i in range(1, 6, 2)]  # nobody came in between


def test_a_quarantined_device_is_probed_once_and_then_free(tmp_path: Path) -> None:
    probed: list[int] = []

    def probe(number: int) -> str | None:
        probed.append(number)
        return None

    devices = Devices(tmp_path, (3,), probe)
    with devices.lease() as lease:
        lease.quarantine("an exception of its vector core")
    for _ in range(2):
        with devices.lease() as lease:
            assert lease.number == 3
    assert probed == [3]


def test_a_run_goes_on_with_the_device_that_passes_its_probe(tmp_path: Path) -> None:
    devices = Devices(tmp_path, (0, 1), lambda number: "it does not answer" if number == 0 else None)
    with devices.lease() as lease:
        assert lease.number == 0
        lease.quarantine("lost")
    with devices.lease() as lease:
        assert lease.number == 1
    with devices.lease() as again:
        assert again.number == 1
        with pytest.raises(InfraError), devices.lease(wait_s=0.2):
            pass


def test_builds_side_by_side_are_bounded(tmp_path: Path) -> None:
    with slot(tmp_path, 2) as first, slot(tmp_path, 2) as second:
        assert {first, second} == {0, 1}
        with pytest.raises(InfraError), slot(tmp_path, 2, wait_s=0.1):
            pass


def test_two_users_of_a_machine_share_a_device_by_its_node(tmp_path: Path) -> None:
    """Each has locks of its own folder; that of the machine goes by the device's numbers, not by its node's name."""
    (tmp_path / "locks").mkdir()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "a/davinci0").symlink_to("/dev/null")
    (tmp_path / "b/davinci3").symlink_to("/dev/null")
    (tmp_path / "b/davinci4").touch()  # no device: nothing to share
    assert lock_of(tmp_path / "b", 4, tmp_path / "locks") is None
    mine, theirs = (
        lock_of(tmp_path / "a", 0, tmp_path / "locks"),
        lock_of(tmp_path / "b", 3, tmp_path / "locks"),
    )
    assert mine is not None and mine == theirs
    other = Devices(tmp_path / "b", (3,), _healthy, {3: mine})
    with (
        Devices(tmp_path / "a", (0,), _healthy, {0: mine}).lease(),
        pytest.raises(InfraError, match=f"device3 is held by process {os.getpid()} of user"),
        other.lease(0.2),
    ):
        pass
    with other.lease(0.2) as lease:
        assert lease.number == 3


def test_a_lock_of_the_machine_that_is_a_link_or_closed_stops_nobody(tmp_path: Path) -> None:
    victim = tmp_path / "of the user"
    (tmp_path / "x.lock").symlink_to(victim)
    with Devices(tmp_path / "own", (0,), _healthy, {0: tmp_path / "x.lock"}).lease(0.2):
        assert not victim.exists()
