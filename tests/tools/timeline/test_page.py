"""A Chrome trace becomes a page that a browser opens on its own: one launch, or two beside each other."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from akgen.tools.core.outcome import InputError
from akgen.tools.core.profile import DeviceCounters, PipeTime, Prediction, Profile
from akgen.tools.timeline.page import DrawnLaunch, write_page
from akgen.tools.timeline.trace import read_trace

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
SOURCE = (
    "\n".join(f"// line {n}" for n in range(1, 45))
    + "\n    Add(y, x, x, 2048);\n    DataCopy(out, y, 2048);\n"
)


def _lane(pid: int, tid: int, name: str) -> dict[str, object]:
    return {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}}


def _trace(
    path: Path, cores: int = 2, tiles: int = 6, *, name: str = "Add", file: str = "op_kernel/add.cpp"
) -> Path:
    events: list[dict[str, object]] = []
    for core in range(cores):
        named = {"name": f"aiv{core}", "block": core}
        events.append({"ph": "M", "name": "process_name", "pid": core, "args": named})
        events += [_lane(core, tid, pipe) for tid, pipe in enumerate(("V", "MTE2", "MTE3"))]
        for i in range(tiles):
            args = {"source": f"{file}:{40 + i}", "bytes": 8192}
            for tid, (what, start, length) in enumerate(
                [(name, 1.5, 0.4), ("DataCopy", 0.0, 1.4), ("DataCopy", 2.0, 0.9)]
            ):
                at = {"pid": core, "tid": tid, "ts": start + 1.5 * i}
                events.append({"ph": "X", "name": what, "dur": length, "args": args} | at)
            head = {"cat": "flag", "name": "data", "id": 1 + i + core * tiles, "pid": core}
            events.append(head | {"ph": "s", "tid": 1, "ts": 1.399 + 1.5 * i})
            events.append(head | {"ph": "f", "bp": "e", "tid": 0, "ts": 1.5 + 1.5 * i})
            held = {"cat": "buffer", "ph": "X", "name": "UB", "pid": core, "tid": 100}
            events.append(
                held
                | {"ts": 1.5 * i, "dur": 1.45, "args": {"offset": 0, "bytes": 8192, "source": f"{file}:2"}}
            )
        events.append(
            {
                "ph": "X",
                "cat": "wait",
                "name": "waits for MTE2",
                "pid": core,
                "tid": 0,
                "ts": 0,
                "dur": 1.5,
                "args": {},
            }
        )
    lines = [
        {"pipe": "V", "busy": 400.0, "stalled": 30.0, "instructions": 12, "source": f"{file}:45"},
        {"pipe": "MTE3", "busy": 900.0, "stalled": 0.0, "instructions": 12, "source": f"{file}:46"},
        {"pipe": "S", "busy": 7.0, "stalled": 0.0, "instructions": 3},
    ]
    other = {"clock_mhz": 1800.0, "memories": {"UB": 196608}, "events_left_out": 0}
    path.write_text(json.dumps({"traceEvents": events, "lines": lines, "otherData": other}))
    return path


def _profile(**changed: Any) -> Profile:
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
    ).model_copy(update=changed)


def _drawn(trace: Path, title: str = "add", source: str = SOURCE, **changed: Any) -> DrawnLaunch:
    return DrawnLaunch(
        title=title, profile=_profile(**changed), trace=trace, sources={"op_kernel/add.cpp": source}
    )


def _page(tmp_path: Path, first: DrawnLaunch, second: DrawnLaunch | None = None) -> str:
    return write_page(first, tmp_path / "page.html", second).read_text()


def _data(page: str) -> dict[str, Any]:
    embedded = re.search(r"const data = (.*);", page)
    assert embedded
    found: dict[str, Any] = json.loads(embedded[1])
    return found


def test_lanes_come_in_the_order_that_data_takes(tmp_path: Path) -> None:
    found = read_trace(_trace(tmp_path / "t.json")).lanes
    assert [lane.pipe for lane in found[:3]] == ["MTE2", "V", "MTE3"]
    assert [lane.core for lane in found] == ["aiv0"] * 3 + ["aiv1"] * 3
    assert found[0].spans[2].where == "op_kernel/add.cpp:42"
    assert "bytes 8192" in found[0].spans[0].detail
    assert [len(lane.waits) for lane in found[:3]] == [0, 1, 0]


def test_the_page_needs_nothing_from_outside(tmp_path: Path) -> None:
    text = _page(tmp_path, _drawn(_trace(tmp_path / "t.json"), "add on <1 core>"))
    assert not re.search(r"(src|href)=|url\(|@import|fetch\(|XMLHttp|https?:", text)
    assert "add on &lt;1 core&gt;" in text
    assert "predicted" in text
    (run,) = _data(text)["runs"]
    assert run["cores"] == ["aiv0", "aiv1"] and run["blocks"] == [[0], [1]]


def test_arrows_join_lanes_and_buffers_have_the_names_of_the_source(tmp_path: Path) -> None:
    source = SOURCE.replace("// line 2\n", "    pipe.InitBuffer(inQueue, 1, 8192);\n")
    (run,) = _data(_page(tmp_path, _drawn(_trace(tmp_path / "t.json"), source=source)))["runs"]
    assert len(run["arrows"]) == 12
    for source_lane, left, target_lane, reached, cause in run["arrows"]:
        lanes = run["lanes"][source_lane], run["lanes"][target_lane]
        assert [lane["pipe"] for lane in lanes] == ["MTE2", "V"] and lanes[0]["core"] == lanes[1]["core"]
        assert any(s <= left <= s + d for s, d, *_ in lanes[0]["spans"])
        assert any(s == reached for s, *_ in lanes[1]["spans"])
        assert cause == "data"
    assert [(b["core"], b["memory"], b["name"], len(b["uses"])) for b in run["buffers"]] == [
        (0, "UB", "inQueue", 6),
        (1, "UB", "inQueue", 6),
    ]


def test_the_code_stands_beside_its_cost(tmp_path: Path) -> None:
    text = _page(tmp_path, _drawn(_trace(tmp_path / "t.json")))
    row = next(row for row in re.findall(r"<tr.*?</tr>", text, re.DOTALL) if "Add(y, x, x, 2048);" in row)
    assert ">45<" in row and ">200<" in row and ">15<" in row  # cycles of one of two cores
    assert "V waited 15 cycles" in row
    assert "41 lines without cost" in text
    assert "3.5 busy cycles of a core stand at no line" in text


def test_two_launches_stand_on_one_page(tmp_path: Path) -> None:
    changed = SOURCE.replace("Add(y, x, x, 2048);", "Adds(y, x, 1.0f, 2048);")
    first = _drawn(_trace(tmp_path / "a.json"), "before")
    second = _drawn(_trace(tmp_path / "b.json", tiles=3), "after", changed, time_us=5.5, bound="vector")
    text = _page(tmp_path, first, second)
    assert "A: before" in text and "B: after" in text
    assert "11.00 µs" in text and "5.50 µs" in text and "-50 %" in text
    assert [len(run["lanes"][0]["spans"]) for run in _data(text)["runs"]] == [6, 3]
    gone = next(row for row in re.findall(r'<tr class="gone.*?</tr>', text, re.DOTALL))
    new = next(row for row in re.findall(r'<tr class="new.*?</tr>', text, re.DOTALL))
    assert "Add(y, x, x, 2048);" in gone and "Adds(y, x, 1.0f, 2048);" in new
    assert "Lines that changed most" in text
    assert "Lines that changed most" not in _page(tmp_path, first)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]


def test_nothing_that_a_kernel_calls_itself_becomes_markup(tmp_path: Path) -> None:
    trace = _trace(tmp_path / "t.json", name=HOSTILE, file="op_kernel/add.cpp")
    document = json.loads(trace.read_text())
    for event in document["traceEvents"]:
        if event["ph"] == "M" and event["name"] == "process_name":
            event["args"]["name"] = HOSTILE
    for event in document["traceEvents"]:
        if event.get("cat") == "wait":
            event["name"] = event["args"]["source"] = HOSTILE
    trace.write_text(json.dumps(document))
    hostile = _drawn(
        trace, HOSTILE, SOURCE.replace("// line 44", HOSTILE).replace("// line 43", '" onclick="alert(3)')
    )
    tags = _Tags()
    tags.feed(_page(tmp_path, hostile, hostile))
    assert tags.tags.count("script") == 1 and "img" not in tags.tags and tags.handlers == []


def test_a_pipe_that_there_is_not_is_no_trace(tmp_path: Path) -> None:
    """Names of pipes stand in styles."""
    trace = _trace(tmp_path / "t.json")
    trace.write_text(trace.read_text().replace('"pipe": "V"', '"pipe": "V);background:url(http://x)"'))
    with pytest.raises(InputError, match="not a trace"):
        read_trace(trace)


def test_the_page_tells_what_was_simulated(tmp_path: Path) -> None:
    would = Prediction(change="double_buffer", duration_us=6.6, gain=0.4, cores=2, fits=False)
    trace = _trace(tmp_path / "t.json")
    text = _page(tmp_path, _drawn(trace, what_if=(would,)))
    assert "double buffering" in text and "+40 %" in text and "do not fit" in text
    assert "simulated again" not in _page(tmp_path, _drawn(trace))


@pytest.mark.slow
def test_cores_beyond_the_limit_are_counted_not_dropped_silently(tmp_path: Path) -> None:
    path = _trace(tmp_path / "t.json", cores=3, tiles=6_000)
    assert "1 more cores are in the trace file only" in _page(tmp_path, _drawn(path))
    assert "2 more cores are in the trace file only" in _page(tmp_path, _drawn(path), _drawn(path))


def test_what_the_trace_left_out_is_said(tmp_path: Path) -> None:
    path = _trace(tmp_path / "t.json")
    path.write_text(path.read_text().replace('"events_left_out": 0', '"events_left_out": 1234'))
    assert "1,234 later instructions and waits are not in the trace" in _page(tmp_path, _drawn(path))
    assert "Left out" not in _page(tmp_path, _drawn(_trace(path)))


def test_a_device_and_the_twin_stand_side_by_side_with_the_error(tmp_path: Path) -> None:
    trace = _trace(tmp_path / "t.json")
    twin = DrawnLaunch(title="twin: add", profile=_profile(trace=trace, warm_us=9.0), trace=trace)
    measured = {"time_source": "measured", "measured_by": "msprof", "toolchain": "cann 8.1", "time_us": 12.0}
    counters = DeviceCounters(l2_hit_share=0.25, clock_mhz=1650.0)
    device = DrawnLaunch(
        title="cann: add",
        profile=_profile(**measured, counters=counters, notes=("half is missing",)),
        trace=None,
    )
    page = write_page(device, tmp_path / "two.html", twin).read_text()
    assert "A: cann 8.1 · measured on the device by msprof · half is missing" in page
    assert "twin beside cann 8.1, msprof; warm cache" in page and "-25.0 %" in page
    assert "Lines that changed most" not in page and "have no timeline" in page
    alone = write_page(device, tmp_path / "one.html").read_text()
    assert "25 %</b>" in alone and "1650 MHz" in alone and "predicted" not in alone
