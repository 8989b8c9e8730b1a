"""A run on a device, packed on one machine and read on another: whole, scrubbed, and nothing that was not ours."""

import hashlib
import io
import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from akgen.bench.device_record.archive import MANIFEST, read_record
from akgen.bench.device_record.pack import pack
from akgen.bench.device_record.replay import replay
from akgen.settings import Environment
from akgen.tools.core.outcome import Diagnostic, InputError
from tests.bench.device_runs import device_run, failed_run
from tests.command import command

BUSY = {"total": 5.0, "MTE2": 2.0, "V": 0.5}
LOG = """$ /home/jane.doe/venv/bin/akgen_sandbox --read /etc/passwd --read=/home/jane.doe/cann -I/data1/jane/include
/data1/jane/build/op_host/x.cpp:3:1: warning: unused
export HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz API_KEY="sk-proj-abcdefghijklmnop0123" password: hunter2hunter2
proxy http://jane:secret@proxy.corp.example:3128 mail jane.doe@corp.example host 10.12.13.14
# status 0, 7.7.0.1 s
"""


@pytest.fixture
def record(tmp_path: Path) -> Path:
    run = device_run(tmp_path / "run", {"small_rows": BUSY}, log=LOG)
    return pack(run, tmp_path / "r.akgen.zip", Environment()).path


def test_no_secret_no_path_and_no_tensor_leaves_the_machine(record: Path) -> None:
    opened = read_record(record)
    whole = b"\n".join((*opened.contents.values(), opened.record.model_dump_json().encode()))
    for word in (b"jane", b"hf_abc", b"sk-proj", b"hunter2", b"corp.example", b"10.12.13", b"of a tensor", b"/data1",
                 b"said to a model", str(record.parent).encode()):  # fmt: skip
        assert word not in whole, word
    log = opened.text("tasks/small_rows/sample-0/attempt-1/build/logs/build.log")
    assert "--read /etc/passwd" in log and "PATH/op_host/x.cpp:3:1" in log and "# status 0, 7.7.0.1 s" in log
    assert any("coder_messages" in text.decode() for text in opened.contents.values()) is False


def test_the_manifest_says_of_every_file_why_it_is_there(record: Path) -> None:
    opened = read_record(record)
    for file in opened.record.files:
        assert file.why and hashlib.sha256(opened.contents[file.path]).hexdigest() == file.sha256
    log = next(file for file in opened.record.files if file.path.endswith("build.log"))
    assert log.scrubbed["secrets"] == 3 and log.scrubbed["addresses"] == 3 and log.scrubbed["paths"] >= 4
    assert [left.what for left in opened.record.left_out if left.why == "tensors"] == ["*.raw"]
    assert opened.record.kind == "rehearsal"


def test_a_record_is_packed_and_checked_on_the_command_line(tmp_path: Path) -> None:
    run = device_run(tmp_path / "run", {"small_rows": BUSY})
    made = command("record", run, "--out", tmp_path / "r.zip", "--json")
    assert made.code == 0 and made.document["kind"] == "rehearsal"
    checked = command("record", "--check", tmp_path / "r.zip")
    assert checked.code == 0 and "no NPU" in checked.out and "left out: tensors" in checked.out
    again = command("record", run, "--out", tmp_path / "r.zip")
    assert again.code == 2 and "is there already" in again.err


def test_files_of_names_that_no_reader_takes_stay_behind(tmp_path: Path) -> None:
    run = device_run(tmp_path / "run", {"small_rows": BUSY})
    worker = run / "tasks/small_rows/sample-0/attempt-1/profile/run"
    (worker / "plog-a b;c.log").write_text("x")
    (worker / "plog-1_2.log").symlink_to("/etc/passwd")
    opened = read_record(pack(run, tmp_path / "r.zip", Environment()).path)
    assert not any("plog" in path for path in opened.contents)
    assert [left.files for left in opened.record.left_out if "odd characters" in left.why] == [1]


def test_the_profilers_files_give_the_recorded_time_again(record: Path) -> None:
    found = replay(read_record(record))
    assert [(one.parser, one.agrees) for one in found.replays] == [("msprof", True)]
    launch = found.launches[0]
    assert (launch.family, launch.measured.time_us) == ("small_rows", 5.0)
    assert launch.request.call is not None and launch.project.files["op_kernel/add_one.cpp"]


def test_a_time_that_its_csv_does_not_say_is_no_launch(tmp_path: Path) -> None:
    run = device_run(tmp_path / "run", {"small_rows": BUSY})
    path = run / "tasks/small_rows/sample-0/attempts.json"
    path.write_text(path.read_text().replace('"time_us": 5.0', '"time_us": 0.5'))
    found = replay(read_record(pack(run, tmp_path / "r.zip", Environment()).path))
    assert [one.agrees for one in found.replays] == [False] and not found.launches


@pytest.mark.parametrize(("code", "agrees"), [("UNKNOWN_NAME", False), ("BUILD_FAILED", True)])
def test_a_build_log_is_parsed_again(code: str, agrees: bool, tmp_path: Path) -> None:
    log = "/w/op_kernel/add_one.cpp:9:5: error: something that no pattern of ours knows\n"
    run = failed_run(tmp_path / "run", log, Diagnostic(code=code, text="said"))
    found = replay(read_record(pack(run, tmp_path / "r.zip", Environment()).path))
    builds = [one for one in found.replays if one.parser == "build log"]
    assert [one.agrees for one in builds] == [agrees] and "add_one.cpp:9" in builds[0].said


Change = Callable[[dict[str, bytes], zipfile.ZipFile], None]


def _rewritten(record: Path, change: Change) -> Path:
    """Write the record anew; `change` alters its entries, or adds some of its own to the archive."""
    with zipfile.ZipFile(record) as old:
        entries = {name: old.read(name) for name in old.namelist()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        change(entries, new)
        for name, data in entries.items():
            new.writestr(name, data)
    record.write_bytes(out.getvalue())
    return record


def _link(entries: dict[str, bytes], new: zipfile.ZipFile) -> None:
    entry = zipfile.ZipInfo("stage")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    new.writestr(entry, "/etc/passwd")


def _twice(entries: dict[str, bytes], new: zipfile.ZipFile) -> None:
    new.writestr(MANIFEST, b"{}")


def _manifest(**changed: object) -> Change:
    def change(entries: dict[str, bytes], new: zipfile.ZipFile) -> None:
        del new
        entries[MANIFEST] = json.dumps(json.loads(entries[MANIFEST]) | changed).encode()

    return change


def _added(name: str, data: bytes = b"x") -> Change:
    def change(entries: dict[str, bytes], new: zipfile.ZipFile) -> None:
        del new
        entries[name] = data

    return change


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (_added("../../evil"), "leads elsewhere"),
        (_added("/etc/evil"), "leads elsewhere"),
        (_added("tasks/a b"), "odd characters"),
        (_added("tasks/.ssh"), "leads elsewhere"),
        (_added("more"), "not in the manifest"),
        (_added("bomb", bytes(33 << 20)), "unpacks to more"),
        (_link, "a link"),
        pytest.param(_twice, "twice", marks=pytest.mark.filterwarnings("ignore:Duplicate name")),
        (_manifest(files=[]), "not in the manifest"),
        (_manifest(format=2), "reads 1"),
        (_manifest(surprise=1), "not of the form"),
        (_added(MANIFEST, b"[" * 100_000), "nested"),
        (_added(MANIFEST, b'{"format": ' + b"9" * 5000 + b"}"), "digits"),
        (_added(MANIFEST, b"\xff\xfe"), "manifest cannot be read"),
    ],
)
def test_a_hostile_record_is_refused_in_one_sentence(record: Path, change: Change, word: str) -> None:
    with pytest.raises(InputError) as refused:
        read_record(_rewritten(record, change))
    assert word in refused.value.text and "\n" not in refused.value.text


@pytest.mark.parametrize("cut", [0, 10, 400, -30])
def test_a_torn_record_is_refused(record: Path, cut: int) -> None:
    record.write_bytes(record.read_bytes()[:cut])
    with pytest.raises(InputError, match="is no record"):
        read_record(record)


def test_a_changed_byte_is_refused(record: Path) -> None:
    def change(entries: dict[str, bytes], new: zipfile.ZipFile) -> None:
        del new
        name = next(name for name in entries if name.endswith(".csv"))
        entries[name] = entries[name].replace(b"5.0", b"0.5")

    with pytest.raises(InputError, match="not what the manifest says"):
        read_record(_rewritten(record, change))
