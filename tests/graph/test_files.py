"""Files that survive a crash."""

import json
import os
from pathlib import Path

import pytest

from akgen.graph.store.files import append_line, make_folder, write_whole
from akgen.tools.core.outcome import InfraError
from akgen.tools.core.untrusted import read_json_lines


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    append_line(path, '{"n": 1}')
    path.write_bytes(path.read_bytes() + b'{"n": 2, "te')
    assert list(read_json_lines(path, "")) == [{"n": 1}]


@pytest.mark.parametrize("torn", [b"", b"{", b'{"n": 2, "te', b'{"n": 2}'])
def test_appending_after_a_crash_keeps_every_whole_line(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "events.jsonl"
    append_line(path, '{"n": 1}')
    path.write_bytes(path.read_bytes() + torn)
    append_line(path, '{"n": 3}')
    assert list(read_json_lines(path, "")) == [{"n": 1}, {"n": 3}]


def test_a_file_that_holds_only_a_torn_line_starts_afresh(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"n"')
    append_line(path, '{"n": 1}')
    assert [json.loads(line) for line in path.read_text().splitlines()] == [{"n": 1}]


def test_an_absent_file_has_no_lines(tmp_path: Path) -> None:
    assert list(read_json_lines(tmp_path / "none", "")) == []


def test_a_half_written_replacement_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    write_whole(path, "old")
    (tmp_path / f".result.json.{os.getpid()}.part").write_text("ne")
    assert path.read_text() == "old"
    write_whole(path, "new")
    assert path.read_text() == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["result.json"]


def test_a_file_in_the_way_is_the_machines_fault_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(InfraError) as fault:
        make_folder(tmp_path / "runs" / "one")
    assert "runs" in fault.value.text and "--out" in fault.value.remedy
