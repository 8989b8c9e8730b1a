"""Forms of the host side that the vendor documents: sizes of temporary buffers, the platform, the OpDef."""

import struct
from pathlib import Path
from typing import Any

from akgen.tools.core.call import Call, OutputMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.twin.host.call_check import column_of
from akgen.tools.twin.host.host_run import tile
from akgen.tools.twin.toolchain import BuildRecord, TwinToolchain


def test_documented_forms_compile_and_answer(
    twin: TwinToolchain, project: Any, calls: Any, tmp_path: Path
) -> None:
    meta = calls.meta(DType.FLOAT32, 16)
    call = Call(inputs=(meta,), outputs=(OutputMeta(meta=meta),))
    build = twin.compile(project("host_forms"), [call], tmp_path / "build")
    assert build.outcome is None, build.diagnostics
    record = BuildRecord.model_validate_json((build.folder / "twin_build.json").read_bytes())
    assert record.info is not None and record.info.op is not None and twin._runtime is not None
    op = record.info.op
    tiling = tile(
        record.info, op, column_of(op, call), call, twin._runtime, twin._chip_file(), tmp_path / "tile"
    )
    assert tiling.data is not None
    whole, reserved, asked, sensible, plain = struct.unpack("<QQIII4x", tiling.data)
    assert whole - reserved == 16 * 1024
    assert asked == sensible == 34
    assert plain == 4
