"""A Chrome trace becomes a page that a browser opens on its own."""

import json
import re
from pathlib import Path

from akgen.tools.core.profile import PipeTime, Prediction, Profile
from akgen.tools.timeline.page import lanes, write_page


def _trace(path: Path, cores: int = 2, tiles: int = 6) -> Path:
    events: list[dict[str, object]] = []
    for core in range(cores):
        events.append({"ph": "M", "name": "process_name", "pid": core, "args": {"name": f"AIV {core}"}})
        for tid, pipe in enumerate(("V", "MTE2", "MTE3")):
            events.append({"ph": "M", "name": "thread_name", "pid": core, "tid": tid, "args": {"name": pipe}})
        for i in range(tiles):
            where = {"source": f"op_kernel/add.cpp:{40 + i}"}
            for tid, (name, start, length) in enumerate(
                [("Add", 1.5, 0.4), ("DataCopy", 0.0, 1.4), ("DataCopy", 2.0, 0.9)]
            ):
                events.append(
                    {"ph": "X", "name": name, "pid": core, "tid": tid, "ts": start + 1.5 * i, "dur": length}
                    | {"args": where | {"bytes": 8192}}
                )
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def _profile() -> Profile:
    return Profile(
        time_source="predicted",
        toolchain="twin",
        time_us=11.0,
        cores=2,
        gm_read_bytes=98304,
        gm_write_bytes=49152,
        pipes=(
            PipeTime(pipe="MTE2", busy_us=8.4, stalled_us=0.6, idle_us=2.0, instructions=12),
            PipeTime(pipe="V", busy_us=2.4, stalled_us=6.6, idle_us=2.0, instructions=12),
            PipeTime(pipe="MTE3", busy_us=5.4, stalled_us=1.6, idle_us=4.0, instructions=12),
        ),
        bound="memory",
        roofline_share=0.42,
        core_imbalance=1.0,
    )


def test_lanes_come_in_the_order_that_data_takes(tmp_path: Path) -> None:
    found = lanes(_trace(tmp_path / "t.json"))
    assert [lane.pipe for lane in found[:3]] == ["MTE2", "V", "MTE3"]
    assert [lane.core for lane in found] == ["AIV 0"] * 3 + ["AIV 1"] * 3
    assert found[0].spans[2].where == "op_kernel/add.cpp:42"
    assert "bytes 8192" in found[0].spans[0].detail


def test_the_page_needs_nothing_from_outside(tmp_path: Path) -> None:
    page = write_page(_profile(), _trace(tmp_path / "t.json"), tmp_path / "t.html", "add on <1 core>")
    text = page.read_text()
    assert not re.search(r"(src|href)=", text)
    assert "add on &lt;1 core&gt;" in text
    assert "predicted" in text
    embedded = re.search(r"const data = (.*);", text)
    assert embedded
    assert len(json.loads(embedded[1])["cores"]) == 2


def test_the_page_tells_what_was_simulated(tmp_path: Path) -> None:
    would = Prediction(change="double_buffer", duration_us=6.6, gain=0.4, cores=2, fits=False)
    profile = _profile().model_copy(update={"what_if": (would,)})
    text = write_page(profile, _trace(tmp_path / "t.json"), tmp_path / "t.html", "add").read_text()
    assert "double buffering" in text and "+40 %" in text and "do not fit" in text
    assert (
        "simulated again"
        not in write_page(_profile(), tmp_path / "t.json", tmp_path / "u.html", "add").read_text()
    )


def test_cores_beyond_the_limit_are_counted_not_dropped_silently(tmp_path: Path) -> None:
    path = _trace(tmp_path / "t.json", cores=3, tiles=6_000)
    text = write_page(_profile(), path, tmp_path / "t.html", "many").read_text()
    assert "1 more cores are in the trace file only" in text
