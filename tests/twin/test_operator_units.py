"""Thirty unit tests of ten operators pass unmodified: headers of the build, context builders, golden scripts."""

import json
from pathlib import Path
from typing import Any

import pytest

from akgen.tools.cache.content import ContentCache
from akgen.tools.core.call import Call, OutputMeta, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.project import read_project
from akgen.tools.twin.toolchain import TwinToolchain
from akgen.tools.twin.unit_test import UnitTest, run_unit_test

ROOT = Path(__file__).parent / "unit" / "operators"
TESTS: list[dict[str, Any]] = json.loads((ROOT / "tests.json").read_text())
FAST = ("test_mul_int_tiling", "test_cast_types_golden")


def name(test: dict[str, Any]) -> str:
    return Path(test["sources"][0]).stem


def cases() -> list[Any]:
    marks = {name(t): () if name(t) in FAST else (pytest.mark.slow,) for t in TESTS}
    return [pytest.param(t, id=name(t), marks=marks[name(t)]) for t in TESTS]


@pytest.mark.parametrize("given", cases())
def test_an_operators_unit_test_passes_unmodified(
    twin: TwinToolchain, given: dict[str, Any], tmp_path: Path
) -> None:
    test = UnitTest(
        sources=tuple(ROOT / s for s in given["sources"]),
        folder=tmp_path,
        include=tuple(ROOT / i for i in given.get("include", ())),
        options=tuple(f"-D{d}" for d in given.get("define", ())),
        arguments=tuple(str(ROOT / a) for a in given.get("arguments", ())),
        forced=tuple(given.get("forced", ())),
        before=ROOT / given["before"] if "before" in given else None,
        after=ROOT / given["after"] if "after" in given else None,
    )
    hosts = ContentCache(twin.settings.cache / "host")
    result = run_unit_test(test, twin.runtime, twin.chip_file, tmp_path / "build", hosts=hosts)
    assert result.passed, result
    assert len(result.kernels) == given["kernels"]


def test_there_are_thirty() -> None:
    assert len(TESTS) == 30 and set(FAST) <= {name(t) for t in TESTS}


def test_a_project_may_add_its_operator_by_a_macro_and_keep_no_shapes(
    twin: TwinToolchain, tmp_path: Path
) -> None:
    project = read_project(ROOT / "maximum_macro", "NotThis", "maximum_macro")
    assert project.op_type == "MaximumMacro"
    x = TensorMeta(dtype=DType.FLOAT32, shape=(8, 512))
    build = twin.compile(project, [Call(inputs=(x, x), outputs=(OutputMeta(meta=x),))], tmp_path)
    assert (build.outcome, build.diagnostics) == (None, ())
