"""The page of runs in a real browser: every view, deep links, two runs, hostile texts, news without reload."""

import base64
import gzip
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from akgen.agents.roles import TuningMove
from akgen.bench.launch import report_of, write_report
from akgen.bench.metrics import tuning_steps
from akgen.bench.page import render
from akgen.bench.page.data import ReportedRun, detail
from akgen.bench.page.data import recorded as attempts_of
from akgen.bench.page.live import PageServer
from akgen.bench.page.render import page
from akgen.bench.record import CaseRow, Record
from akgen.bench.report import report
from akgen.bench.store import BenchStore
from akgen.cli import app
from akgen.graph.store.records import AttemptRow
from akgen.tools.core.frozen import json_text
from akgen.tools.core.outcome import InputError, Outcome
from tests.bench.recorded_run import KERNEL, RIGHT_LINE, TRAP_LINE, recorded
from tests.bench.test_report import LEVELS, RECORDS, config, record
from tests.browser import Page, browser
from tests.command import command

HOSTILE = (
    """<script>alert('s')</script><img src=x onerror="alert('i')"><a href="javascript:alert('a')">a</a>"""
    """</script></pre></td><svg onload=alert('o')>"'`${alert('t')}{{7*7}}&lt;b&gt;"""
)


@pytest.fixture(scope="module")
def tab() -> Iterator[Page]:
    with browser() as page:
        page.size(1280, 900)
        yield page


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> BenchStore:
    return recorded(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def address(run: BenchStore) -> str:
    return write_report([run])[1].as_uri()


def shown(tmp_path: Path, tab: Page, records: list[Record], samples: int = 1) -> None:
    """Open the page of a run that has records alone."""
    store = BenchStore.begin(tmp_path / "run", config(samples=samples))
    found = report(store.config, records, LEVELS)
    run = ReportedRun(name="run", report=found, records=tuple(records), levels=LEVELS)
    (tmp_path / "page.html").write_text(page([run], [store]))
    tab.open((tmp_path / "page.html").as_uri())


def test_the_page_names_every_task_and_asks_nothing_of_the_network(tmp_path: Path, tab: Page) -> None:
    shown(tmp_path, tab, RECORDS)
    tab.wait("document.querySelectorAll('.chart:not(.drawn)').length === 0")
    assert "An instruction reaches past the end" in tab.text(), "the catalogue's sentence for the code"
    assert "disk </script> full" in tab.text()
    assert "Repair by code" not in tab.text() and "Tuning by kind" not in tab.text()
    tab.go("view=tasks")
    rows = tab.run(
        "[...document.querySelectorAll('.row')].map(r => `${r.dataset.task} ${r.dataset.outcome}`)"
    )
    assert sorted(rows) == ["<e> error", "a correct", "b compile_error", "c trap", "d not_run"]
    tab.go("task=b")
    assert tab.wait("document.querySelector('.tab')") is not None
    assert "API_UNKNOWN: no such API" in tab.text(".task")
    assert [a for a in tab.asked if not a.startswith(("file:", "blob:", "data:"))] == []
    assert tab.said == []


def test_repairs_and_tuning_are_told_where_there_were_any(tmp_path: Path, tab: Page) -> None:
    rows = (
        AttemptRow(
            number=1, outcome=Outcome.CORRECT, time_us=10.0, hypothesis=TuningMove(kind="casts", predicted_gain=0.5)
        ),
        AttemptRow(number=2, outcome=Outcome.CORRECT, time_us=8.0),
    )  # fmt: skip
    made = record("a", Outcome.CORRECT).model_copy(
        update={"course": ("TENSOR_RANGE", "correct"), "tuning": tuning_steps(rows)}
    )
    shown(tmp_path, tab, [made])
    assert "Repair by code" in tab.text() and "1 (100.0 %)" in tab.text()
    assert "Tuning by kind of change" in tab.text() and "casts" in tab.text()


def test_the_same_records_give_the_same_page(run: BenchStore) -> None:
    assert page([report_of(run, "a")], [run]) == page([report_of(run, "a")], [run])


def test_a_deep_link_opens_an_attempts_code_with_its_finding_at_its_line_and_what_changed(
    address: str, tab: Page
) -> None:
    tab.open(f"{address}#task=halve&sample=0&attempt=2&tab=code")
    assert tab.wait("document.querySelector('.listing')") is not None
    assert tab.texts(".attempts b") == [f"Attempt {n}" for n in (1, 2, 3, 4)]
    assert tab.text(".attempts a.on b") == "Attempt 2"
    assert tab.texts("tr.new .src") == [TRAP_LINE] and len(tab.texts("tr.gone .src")) == 1
    assert tab.run("document.querySelector('tr.has-error').dataset.line") == "8"
    assert "TENSOR_RANGE Line 8 is at fault." in tab.text("tr.has-error + tr.note-row")
    tab.go("task=halve&sample=0&attempt=4&tab=code&diff=no")
    assert tab.wait("document.querySelector('.attempts a.on b')?.innerText === 'Attempt 4'")
    lines = tab.texts(".src")
    assert [line for line in lines if line.strip("\u200b")] == [
        line.strip() for line in KERNEL.format(line=RIGHT_LINE, said="said").splitlines() if line.strip()
    ]


def test_an_attempt_shows_its_plan_heat_map_timeline_and_conversation(address: str, tab: Page) -> None:
    tab.open(f"{address}#task=halve&attempt=3")
    tab.wait("document.querySelector('.heat')")
    assert (len(tab.texts(".heat .hot")), len(tab.texts(".heat .cold"))) == (9, 23)
    assert "cause axis" in tab.text(".task")
    tab.go("task=halve&attempt=3&tab=plan")
    assert "Half of it." in tab.wait("document.querySelector('[data-shown=plan]')?.innerText")
    tab.go("task=halve&attempt=3&tab=talk")
    said = tab.wait("document.querySelector('[data-shown=talk]')?.innerText")
    assert all(
        words in said
        for words in ("Mend it.", "You write kernels.", "Write it.", "Let me see.", "Here it is.")
    )
    assert tab.text(".thought") == "Let me see. said"
    tab.go("task=halve&tab=timeline")
    assert tab.wait("document.querySelector('canvas')?.dataset.drawn") == "yes"
    pixels = "document.querySelector('canvas').getContext('2d').getImageData(0, 0, 900, 60).data"
    assert tab.run(f"[...{pixels}].filter(x => x).length") > 1000


def test_several_runs_are_reported_by_the_command_on_one_page(run: BenchStore, tmp_path: Path) -> None:
    done = command("bench", "report", run.folder, run.folder, "--out", tmp_path / "page.html", "--json")
    assert done.code == 0 and [one["seed"] for one in done.document["runs"]] == [0, 0]
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    empty = CliRunner().invoke(app, ["view", str(tmp_path)]).exception
    assert isinstance(empty, InputError) and "holds no bench run" in str(empty)


def test_the_list_of_tasks_is_sieved_by_text_and_outcome(address: str, tab: Page) -> None:
    tab.open(f"{address}#view=tasks")
    assert tab.texts(".row .name") == ["halve", "double"]
    tab.run(
        "(e => { e.value = 'doub'; e.dispatchEvent(new Event('input')); })(document.getElementById('find'))"
    )
    assert tab.texts(".row .name") == ["double"]
    tab.run(
        "(e => { e.value = 'correct'; e.dispatchEvent(new Event('change')); })(document.getElementById('kind'))"
    )
    assert tab.texts(".row .name") == [] and "No task fits." in tab.text(".list")


def test_two_runs_stand_side_by_side(run: BenchStore, tmp_path: Path, tab: Page) -> None:
    other = recorded(tmp_path / "other", said="otherwise", tasks=("double", "halve"))
    tab.open(write_report([run, other], tmp_path / "both.html")[1].as_uri())
    assert len(tab.texts("#leaderboard tbody tr")) == 2
    assert "no difference shown" in tab.text("#leaderboard")
    tab.go("view=sides&run=0&with=1")
    assert "1 : 1" in tab.texts(".tile b") and len(tab.texts("#sides tbody tr")) == 2
    tab.go("view=sides&run=0&with=1&task=halve")
    tab.wait("document.querySelectorAll('.columns .listing').length === 2")
    assert tab.texts(".columns .outcome") == ["correct", "wrong"]
    assert any("otherwise" in line for line in tab.texts(".columns tr.new .src"))


def test_times_of_two_runs_are_compared_over_the_cases_that_both_have(tmp_path: Path, tab: Page) -> None:
    stores = []
    for name, times in (("first", (4.0,)), ("second", (2.0, 50.0))):
        cases = tuple(
            CaseRow(id=str(n), outcome=Outcome.CORRECT, time_us=us, time_source="predicted")
            for n, us in enumerate(times)
        )
        stores.append(BenchStore.begin(tmp_path / name, config()))
        stores[-1].append(
            record("a", Outcome.CORRECT).model_copy(update={"cases": cases, "time_us": times[-1]})
        )
    tab.open(write_report(stores, tmp_path / "both.html")[1].as_uri())
    tab.go("view=sides&run=0&with=1")
    told = {row.split()[0]: row.split() for row in tab.texts("#sides tbody tr")}
    assert told["a"][3:] == ["4.00", "µs", "2.00", "µs", "2.00"]


TABS = ((2, "verdict"), (3, "verdict"), (1, "plan"), (2, "code"), (4, "timeline"), (2, "talk"), (1, "task"))
SIDES = "view=sides&run=0&with=1"
PLACES = (
    "view=runs", "view=tasks", SIDES, f"{SIDES}&task=NAME", *(f"task=NAME&attempt={n}&tab={tab}" for n, tab in TABS)
)  # fmt: skip
DRAWN = "document.querySelectorAll('.chart:not(.drawn)').length === 0 && !document.body.innerText.includes('loading')"


def test_no_text_of_a_task_or_a_model_ever_runs(tmp_path: Path, tab: Page) -> None:
    stores = [
        recorded(tmp_path / name, said=HOSTILE, samples=1, tasks=(HOSTILE, "other"))
        for name in ("a", "<b>b<")
    ]
    tab.open(write_report(stores, tmp_path / "page.html")[1].as_uri())
    first = tab.run("document.querySelector('#leaderboard tbody tr') !== null")
    assert first
    name = tab.run(f"encodeURIComponent({json.dumps(HOSTILE)})")
    for place in PLACES:
        tab.go(place.replace("NAME", name))
        tab.wait(DRAWN)
        if place != "view=runs":
            assert HOSTILE[:60] in tab.text() + tab.run("document.title"), place
        assert (
            tab.run(
                "document.querySelectorAll('img, svg[onload], [onerror], a[href^=javascript], iframe').length"
            )
            == 0
        ), place
        assert tab.run("document.querySelectorAll('body script:not([type])').length") == 1, place
    assert HOSTILE in tab.text(), "the task's description, whole"
    assert (tab.dialogs, tab.said) == ([], [])


def test_the_page_makes_no_markup_of_texts() -> None:
    scripts = Path(render.__file__).parent / "script"
    text = "".join(file.read_text() for file in scripts.glob("*.js"))
    for way in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "srcdoc",
    ):
        assert way not in text


def test_even_markup_that_came_into_the_page_would_not_run(address: str, tab: Page) -> None:
    tab.open(address)
    tab.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"alert(1)\">')")
    tab.run("new Promise(done => setTimeout(done, 50))")
    assert tab.dialogs == [] and any("Content Security Policy" in line for line in tab.said)
    tab.said.clear()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[PageServer]:
    with PageServer([recorded(tmp_path / "run")]) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


def test_new_results_appear_without_a_reload(served: PageServer, tab: Page) -> None:
    tab.open(f"{served.address}#task=double&tab=code")
    tab.wait("document.querySelector('.listing')")
    assert tab.texts(".row .soft") == ["1/2", "0/2"]
    tab.run("window.kept = document.querySelector('.listing')")
    late = served.stores[0].records()[0].model_copy(update={"sample": 2})
    served.stores[0].append(late)
    tab.wait("document.querySelector('.row .soft').innerText === '2/3'")
    assert tab.run("window.kept.isConnected"), "what is being read stays"
    assert tab.said == []


def test_a_served_page_is_for_those_who_have_its_token(served: PageServer) -> None:
    whole = served.address
    bare = whole.partition("?")[0]

    def status(address: str, host: str | None = None) -> int:
        asked = urllib.request.Request(address, headers={"Host": host} if host else {})
        try:
            with urllib.request.urlopen(asked, timeout=20) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as refused:
            return refused.code

    assert served.server_address[0] == "127.0.0.1"
    token = f"token={served.token}"
    found = [status(a) for a in (whole, f"{bare}overview?{token}", f"{bare}task?{token}&run=0&task=halve")]
    assert found == [200, 200, 200]
    paths = (
        "",
        "?token=",
        "?token=wrong",
        "overview",
        f"overview?token={served.token[:-1]}",
        "task?run=0&task=halve",
    )
    assert {status(bare + path) for path in paths} == {403}
    assert status(whole, host="evil.example:80") == 403, "a name that somebody else points at the loopback"
    for path in (f"task?{token}&run=0&task=../../x", f"task?{token}&run=9&task=halve", f"etc?{token}"):
        assert status(bare + path) == 404


def test_what_does_not_fit_into_a_file_is_left_out_and_said(run: BenchStore) -> None:
    kept, records = attempts_of(run, "halve"), run.records()
    whole, less = (detail("halve", kept, records, timelines=on, conversations=on) for on in (True, False))
    assert whole["left_out"] == [] and less["left_out"] == ["timelines", "conversations"]
    last = less["samples"][0][-1]
    assert last["timeline"] is None and last["messages"] == [] and last["files"]
    assert whole["samples"][0][-1]["timeline"]["lanes"][0]["spans"]
    packed = render.fitted("halve", kept, records, 10)
    assert json.loads(gzip.decompress(base64.b64decode(packed))) == json.loads(json_text(less))
    assert whole["texts"].count("You write kernels. said") == 1, "what many attempts share stands once"
