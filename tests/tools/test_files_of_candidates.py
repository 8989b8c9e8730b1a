"""Files and words that candidate code leaves behind: sizes, kinds of files, and the messages that it forges."""

import os
import sys
from pathlib import Path

import pytest

from akgen.tools.core.untrusted import FileRefused, read_bytes
from akgen.tools.process.worker import Worker, WorkerDied
from akgen.tools.twin.findings.compiler_ir import DUMP, MOST_DUMP_BYTES, take_dump
from akgen.tools.twin.findings.compiler_text import errors
from akgen.tools.twin.host.host_info import HostOp, column_count, columns
from akgen.tools.twin.host.host_run import HostFailure
from akgen.tools.twin.host.registration import _literal
from akgen.tools.twin.kernel.dialect import initialise, unset_members
from akgen.tools.twin.kernel.elf import MOST_BYTES, ElfRefused, read_elf
from akgen.tools.twin.kernel.library_check import damaged
from akgen.tools.twin.places import frames
from tests.readers.catalogue import report_of_host_code
from tests.readers.seeds import HOST, lines


def test_links_pipes_folders_and_large_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 11)
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "loop", "folder", "pipe", "absent", "file/x"):
        with pytest.raises(FileRefused):
            read_bytes(tmp_path / name)
    with pytest.raises(FileRefused, match="more than 10 bytes"):
        read_bytes(tmp_path / "file", most_bytes=10)
    assert read_bytes(tmp_path / "file", most_bytes=11) == b"x" * 11


def test_a_library_or_a_dump_beyond_its_limit_is_refused(tmp_path: Path) -> None:
    for name, most in (("kernel.so", MOST_BYTES), (DUMP, MOST_DUMP_BYTES)):
        with (tmp_path / name).open("wb") as sparse:
            sparse.truncate(most + 1)
    with pytest.raises(ElfRefused, match="more than"):
        read_elf(tmp_path / "kernel.so")
    with pytest.raises(FileRefused):
        take_dump(tmp_path)
    assert not (tmp_path / DUMP).exists()


@pytest.mark.slow
def test_sections_that_share_their_bytes_are_read_up_to_a_limit(tmp_path: Path) -> None:
    sections, symbols = 60_000, 4000
    table = 24 * symbols
    head = bytearray(64)
    head[:6] = b"\x7fELF\x02\x01"
    head[40:48] = (64 + table).to_bytes(8, "little")
    head[58:62] = (64).to_bytes(2, "little") + sections.to_bytes(2, "little")
    record = bytearray(64)
    record[4] = 11
    record[24:32], record[32:40] = (64).to_bytes(8, "little"), table.to_bytes(8, "little")
    (tmp_path / "kernel.so").write_bytes(bytes(head) + bytes(table) + bytes(record) * sections)
    with pytest.raises(ElfRefused, match="records") as refused:
        read_elf(tmp_path / "kernel.so")
    assert damaged(refused.value, "op_kernel/k.cpp").code == "LIBRARY_FORM"


def test_a_message_changes_no_file_but_the_projects_own_lines(tmp_path: Path) -> None:
    said = (
        "x: error: member 'secret' must be initialized by mem-initializer in 'constexpr' constructor\n"
        f"{tmp_path}/other.h:1:1: note: declared here\n"
    )
    assert unset_members(said) == [(f"{tmp_path}/other.h", 1, "secret")]
    (tmp_path / "own.h").write_text("int secret;")
    assert not initialise(tmp_path / "own.h", 0, "secret")
    assert not initialise(tmp_path / "own.h", 7, "secret")


def test_numbers_and_lines_of_any_length_in_messages_are_read() -> None:
    nines = "9" * 6000
    assert errors(f"k.cpp:{nines}: error: x\nk.cpp:1: error: y\n", "k.cpp".__eq__)[0].text == "y"
    assert errors("A" * 1_000_000, "k.cpp".__eq__) == []
    assert unset_members("member '" + "A" * 1_000_000) == []
    (link,) = errors("ld: op_kernel/k.cpp:7: undefined reference to `f'", "op_kernel/k.cpp".__eq__)
    assert (link.file, link.line, link.text) == ("op_kernel/k.cpp", 7, "undefined reference to 'f'")


def test_names_in_addr2line_are_no_addresses() -> None:
    said = "0x0000000000001139\n0xzz\n/w/op_kernel/k.cpp:2\nop_kernel/k.cpp:3\n??:?\n"
    said += f"0x10\nf\nop_host/h.cpp:{'9' * 6000}\n"
    assert frames(said) == [(0x1139, ("op_kernel/k.cpp", 2))]


def test_lists_of_types_that_multiply_are_counted_before_they_are_made(tmp_path: Path) -> None:
    one = {
        "name": "x", "kind": "required", "dtypes": ["DT_FLOAT", "DT_FLOAT16"] * 10, "formats": [], "each_type": True,
        "follows": "", "scalar": "", "value_depend": False, "init_values": [], "shape_depends_on_compute": False,
    }  # fmt: skip
    op = {
        "op_type": "A", "attrs": [], "socs": [], "supported": True, "has_tiling": True,
        "inputs": [one] * 2, "outputs": [{**one, "each_type": False}],
    }  # fmt: skip
    few = HostOp.model_validate(op)
    assert column_count(few) == len(columns(few)) == 20 * 20 * 20
    many = {**op, "inputs": [one] * 30}
    assert column_count(HostOp.model_validate(many)) > 10**30
    with pytest.raises(HostFailure) as refused:
        report_of_host_code(lines({**HOST, "op": many}), tmp_path)
    assert refused.value.diagnostic.code == "REGISTRATION"


def test_a_worker_whose_answer_has_no_end_has_died(tmp_path: Path) -> None:
    endless = "import sys\nwhile True: sys.stdout.write('x' * (1 << 20))"
    with Worker([sys.executable, "-c", endless], cwd=tmp_path) as worker:
        with pytest.raises(WorkerDied, match="without end"):
            worker.request({}, 60.0)
        assert not worker.running


def test_a_tiling_key_is_read_as_the_compiler_does() -> None:
    assert [_literal(t) for t in ("7", "010", "0x1F", "0", " (12UL) ")] == [7, 8, 31, 0, 12]
    assert [_literal(t) for t in ("08", "9" * 6000, "0x", "k")] == [None] * 4
