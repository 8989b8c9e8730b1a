"""The whole graph with --toolchain cann, unmodified, over the tree: what it judges correct was run there."""

from pathlib import Path

from tests.command import command
from tests.fake_cann.machine import Rehearsal
from tests.fake_cann.tasks import solve
from tests.fake_cann.tree import VERSION


def test_a_task_is_solved_on_cann(machine: Rehearsal, tmp_path: Path) -> None:
    """`make rehearsal` solves twenty."""
    done = solve(machine, "softmax_rows", tmp_path / "run")
    assert done.code == 0, done.err
    assert VERSION in done.out  # nobody takes it for a device's
    assert any(name.startswith("SoftmaxRows") for name in machine.driver.launched)
    # the same run, packed here and read as anywhere else
    made = command("record", tmp_path / "run", "--out", tmp_path / "r.zip", "--json", env=machine.env)
    assert made.code == 0 and made.document["kind"] == "rehearsal", made.err
    whys = " ".join(file["why"] for file in made.document["files"])
    for word in ("msprof's times", "what pipes of each core did", "npu-smi", "build", "sources"):
        assert word in whys
    read = command("record", "--import", tmp_path / "r.zip", "--json")
    assert read.code == 0, read.out
    assert [one["parser"] for one in read.document["replays"]] == ["msprof and msprof op"]
    assert read.document["launches"][0]["times"][0]["measured_us"] > 0
    refused = command("calibrate", "--from-run", tmp_path / "run", "--out", tmp_path / "t.json")
    assert refused.code == 2 and "fake device" in refused.err
