"""The tiling function runs for a call: what it reads, what it answers, and how its failures are told."""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.call import Attr, Call
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.host.call_check import column_of
from akgen.tools.twin.host.host_info import HostInfo
from akgen.tools.twin.host.host_run import TilingResult, tile
from akgen.tools.twin.toolchain import BuildRecord, TwinToolchain

Projects = Callable[..., KernelProject]


@pytest.fixture(scope="module")
def info(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path_factory: pytest.TempPathFactory
) -> HostInfo:
    build = twin.compile(project("kinds"), [calls.kinds("plain")], tmp_path_factory.mktemp("kinds"))
    assert build.outcome is None, build.diagnostics
    record = BuildRecord.model_validate_json((build.folder / "twin_build.json").read_bytes())
    assert record.info is not None
    return record.info


def _tile(twin: TwinToolchain, info: HostInfo, call: Call, folder: Path) -> TilingResult:
    assert info.op is not None and twin._runtime is not None
    return tile(info, info.op, column_of(info.op, call), call, twin._runtime, twin._chip_file(), folder)


def test_fields_lie_at_natural_alignment_and_structs_at_eight_bytes(
    twin: TwinToolchain, info: HostInfo, calls: Any, tmp_path: Path
) -> None:
    tiling = _tile(twin, info, calls.kinds("plain"), tmp_path)
    assert tiling.data is not None and len(tiling.data) == 48
    first, flag, rows, odd, dims, axis, scale = struct.unpack("<B7xB3xIH6xi4xqf4x", tiling.data)
    assert (first, flag, rows, odd, dims, axis, scale) == (1, 2, 3, 4, -1, -1, 0.25)
    assert (tiling.block_dim, tiling.tiling_key) == (3, 0)


def test_an_optional_input_is_seen_where_it_is_given(
    twin: TwinToolchain, info: HostInfo, calls: Any, tmp_path: Path
) -> None:
    given = _tile(twin, info, calls.kinds("plain", bias=True), tmp_path).data
    assert given is not None and struct.unpack_from("<i", given, 24) == (1,)


def test_a_matmul_tiling_is_legal(twin: TwinToolchain, info: HostInfo, calls: Any, tmp_path: Path) -> None:
    tiling = _tile(twin, info, calls.kinds("matmul"), tmp_path)
    assert tiling.data is not None and len(tiling.data) == 200
    cores, m, n, ka, kb, core_m, core_n, core_k, base_m, base_n, base_k, depth_a, depth_b = (
        struct.unpack_from("<13i", tiling.data)
    )
    assert (m, n, ka, kb, core_k) == (1024, 640, 512, 512, 512)
    assert tiling.block_dim == cores <= 8
    assert -(-m // core_m) * -(-n // core_n) == cores
    assert base_m % 16 == 0 and base_n % 16 == 0 and base_k % 16 == 0
    assert base_m * base_n * 4 <= 131072
    assert max(base_m, base_n) * base_k * 2 * 2 <= 65536
    assert (depth_a * base_m + depth_b * base_n) * base_k * 2 <= 524288


def test_batches_that_lie_one_after_another_are_layouts_of_single_matrices(
    twin: TwinToolchain, info: HostInfo, calls: Any, tmp_path: Path
) -> None:
    data = _tile(twin, info, calls.kinds("matmul"), tmp_path).data
    assert data is not None
    a, b, c = (struct.unpack_from("<5i", data, 132 + 20 * k) for k in range(3))
    assert (a, b, c) == ((3, 1024, 1, 1, 512), (1, 640, 1, 1, 512), (3, 1024, 1, 1, 640))


@pytest.mark.parametrize(
    ("mode", "code", "part"),
    [
        ("null", "HOST_CRASH", "null or wild pointer"),
        ("zero", "HOST_CRASH", "divided an integer by zero"),
        ("throw", "HOST_EXCEPTION", "threw"),
        ("no block dim", "BLOCK_DIM", "never called SetBlockDim"),
        ("small", "TILING_BUFFER", "KindsTilingData takes 48 bytes, the buffer holds 8"),
        ("empty", "TILING_SIZE", "set 0 bytes of tiling data; KindsTilingData takes 48"),
    ],
)
def test_a_failure_is_told_with_its_cause(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path, mode: str, code: str, part: str
) -> None:
    finding = _refused(twin, project("kinds"), calls.kinds(mode), tmp_path)
    assert finding.code == code
    assert part in finding.text
    assert finding.stage == "tiling"


def test_a_crash_names_the_line(twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path) -> None:
    whole = project("kinds")
    finding = _refused(twin, whole, calls.kinds("null"), tmp_path)
    lines = whole.files["op_host/kinds.cpp"].splitlines()
    assert finding.file == "op_host/kinds.cpp"
    assert finding.line is not None and "GetInt(99)" in lines[finding.line - 1]


def test_types_that_the_opdef_does_not_combine_are_refused_with_what_it_has(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    finding = _refused(twin, project("kinds"), calls.kinds("plain", dtype=DType.FLOAT32), tmp_path)
    assert finding.code == "DTYPE_COMBINATION"
    assert "x DT_FLOAT" in finding.text and "x DT_FLOAT16, bias DT_FLOAT, y DT_BOOL" in finding.text


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("TILING_KEY_IS(1)", "TILING_KEY_IS(3)", "set tiling key 1; the kernel's TILING_KEY_IS name 2, 3"),
        ("TILING_KEY_IS(1)", "TILING_KEY_LIST(3, 1)", None),
        (
            "TILING_KEY_IS(1)",
            "TILING_KEY_LIST(3, 4)",
            "set tiling key 1; the kernel's TILING_KEY_IS name 2, 3, 4",
        ),
        ("TILING_KEY_IS(1)", "TILING_KEY_IS(FLOAT_KEY)", None),
    ],
)
def test_a_tiling_key_that_the_kernel_has_not_is_refused(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path, old: str, new: str, part: str | None
) -> None:
    named = ("using namespace AscendC;", "using namespace AscendC;\n#define FLOAT_KEY 1UL")
    edited = project("scale_add", kernel=(old, new), kernel_2=named)
    x = np.ones(8, np.float32)
    build = twin.compile(edited, [calls.scale_add(x, x, tmp_path)], tmp_path / "build")
    if part is None:
        assert build.outcome is None, build.diagnostics
    else:
        assert build.diagnostics[0].code == "TILING_KEY"
        assert part in build.diagnostics[0].text


def test_without_tiling_key_is_there_is_only_key_zero(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    edited = project("scale_add", kernel=("TILING_KEY_IS(1)", "true"), kernel_2=("TILING_KEY_IS(2)", "true"))
    x = np.ones(8, np.float32)
    finding = _refused(twin, edited, calls.scale_add(x, x, tmp_path), tmp_path / "build")
    assert finding.code == "TILING_KEY"
    assert "only key 0" in finding.text


def test_a_byte_type_stands_in_for_another_one_in_an_output(
    twin: TwinToolchain, info: HostInfo, calls: Any, tmp_path: Path
) -> None:
    assert _tile(twin, info, calls.kinds("plain", out=DType.UINT8), tmp_path).block_dim == 3


def test_host_code_cannot_open_files(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    reading = project(
        "kinds",
        host=(
            "    KindsTilingData tiling;",
            '    std::fopen("/etc/passwd", "r");\n    KindsTilingData tiling;',
        ),
    )
    finding = _refused(twin, reading, calls.kinds("plain"), tmp_path)
    assert finding.code == "SANDBOX_FILE"
    assert "/etc/passwd" in finding.text


def _refused(twin: TwinToolchain, whole: KernelProject, call: Call, folder: Path) -> Diagnostic:
    build = twin.compile(whole, [call], folder)
    assert build.outcome is Outcome.TILING_ERROR, build
    return build.diagnostics[0]


def test_the_number_of_cores_has_a_later_name(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    later = "context->SetSimdNumBlocks({}); if (context->GetSimdNumBlocks() == 7) context->SetTilingKey(99)"
    for cores, code in ((0, "BLOCK_DIM"), (7, "TILING_KEY")):
        renamed = project("kinds", host=("context->SetBlockDim(3)", later.format(cores)))
        finding = _refused(twin, renamed, calls.kinds("plain"), tmp_path / str(cores))
        assert finding.code == code, finding


def test_a_list_of_lists_arrives_row_by_row(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    edited = project(
        "kinds",
        host=("ListInt({1, 2, 3})", "ListListInt({{1, 2}, {3}})"),
        host_2=(
            "static_cast<uint32_t>(attrs->GetListInt(2)->GetSize())",
            "static_cast<uint32_t>([&] { uint64_t n = 0; const auto *rows = attrs->GetListListInt(2); "
            "for (size_t i = 0; i < rows->GetSize(); ++i) { n = n * 100 + rows->Get(i)->GetSize() * 10; "
            "for (size_t k = 0; k < rows->Get(i)->GetSize(); ++k) { "
            "n += static_cast<const int64_t *>(rows->Get(i)->GetData())[k]; } } return n; }())",
        ),
    )
    plain = calls.kinds("plain")
    build = twin.compile(edited, [plain], tmp_path / "build")
    assert build.outcome is None, build.diagnostics
    assert build.op is not None and build.op.attrs[2].default == ((1, 2), (3,))
    record = BuildRecord.model_validate_json((build.folder / "twin_build.json").read_bytes())
    assert record.info is not None
    given = plain.model_copy(update={"attrs": (*plain.attrs, Attr(name="sizes", value=((), (4,), (5, 6))))})
    rows = []
    for i, call in enumerate((plain, given)):
        data = _tile(twin, record.info, call, tmp_path / str(i)).data
        assert data is not None
        rows.append(struct.unpack_from("<I", data, 12)[0])
    assert rows == [(20 + 3) * 100 + 10 + 3, (10 + 4) * 100 + 20 + 11]
