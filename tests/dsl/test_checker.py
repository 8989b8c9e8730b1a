"""Every rule of the language is enforced with a code, a line and a remedy."""

import pytest

from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.dsl import DslError, check
from akgen.tools.dsl.parse import parse
from tests.dsl.running import documented

GOOD = """\
@ascend_kernel
def k(x, v, out, rows: int, cols: int, tile: int):
    t = alloc_ub((tile, cols), float32)
    q = alloc_ub((tile, cols), float32)
    s = alloc_ub(tile, float32)
    g = alloc_ub(cols, float32)
    w = alloc_ub(tile, int32)
    p = alloc_ub(tile, mask)
    with copyin():
        load(g, v, 0, cols)
    for r in range(program_id() * tile, rows, num_programs() * tile):
        n = min(tile, rows - r)
        with copyin():
            load(t, x, r * cols, (n, cols))
        with compute():
            reduce_sum(s, t)
            sub(q, t, s[:, None])
            mul(q, q, g[None, :])
        with copyout():
            store(out, r * cols, q)

@ascend_host
def h(x: Tensor, v: Tensor, out: Output):
    cols = x.shape[1]
    rows = x.shape[0]
    tile = fit_tile(k, "tile", cols=cols)
    k[core_num()](x, v, out, rows, cols, tile)
"""


def findings(text: str, **dtypes: DType) -> tuple[Diagnostic, ...]:
    try:
        return check(parse(text), dtypes)
    except DslError as e:
        return e.diagnostics


def test_the_sound_program_has_no_findings() -> None:
    assert findings(GOOD, x=DType.FLOAT16, v=DType.BFLOAT16, out=DType.FLOAT32) == ()


@pytest.mark.parametrize("name", sorted(documented()))
def test_the_documentation_s_programs_are_sound(name: str) -> None:
    assert findings(documented()[name]) == ()


def test_the_documentation_has_its_programs() -> None:
    assert set(documented()) >= {"add", "softmax", "layer_norm", "foreach"}


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ("reduce_sum(s, t)", "reduce_sum(s, t", "DSL_SYNTAX", 16),
        ("n = min(tile, rows - r)", "while n: pass", "DSL_SYNTAX", 12),
        ("reduce_sum(s, t)", "median(s, t)", "DSL_UNKNOWN_OP", 16),
        ("reduce_sum(s, t)", "reduce_sum(s, t, t, t)", "DSL_ARITY", 16),
        ("n = min(tile, rows - r)", "n = min(tile, rest - r)", "DSL_UNKNOWN_NAME", 12),
        ("n = min(tile, rows - r)", "n = min(tile)", "DSL_ARITY", 12),
        ("load(t, x, r * cols, (n, cols))", "load(t, y, r * cols, (n, cols))", "DSL_UNKNOWN_NAME", 14),
        ("reduce_sum(s, t)", "load(t, x, 0, (n, cols))", "DSL_STAGE", 16),
        ("load(g, v, 0, cols)", "fill(g, 0.0)", "DSL_STAGE", 10),
        ("sub(q, t, s[:, None])", "sync_all()", "DSL_STAGE", 17),
        ("sub(q, t, s[:, None])", "sub(q, t, s[None, :])", "DSL_SHAPE", 17),
        ("sub(q, t, s[:, None])", "sub(q, t, s)", "DSL_SHAPE", 17),
        ("sub(q, t, s[:, None])", "exp(q, s[:, None])", "DSL_SHAPE", 17),
        ("mul(q, q, g[None, :])", "sub(q, s[:, None], g[None, :])", "DSL_SHAPE", 18),
        ("reduce_sum(s, t)", "reduce_sum(w, t)", "DSL_DTYPE", 16),
        ("mul(q, q, g[None, :])", "where(q, t, q, 0.0)", "DSL_DTYPE", 18),
        ("mul(q, q, g[None, :])", "lt(q, q, 0.0)", "DSL_DTYPE", 18),
        ("store(out, r * cols, q)", "store(out, r * cols, p)", "DSL_LIFETIME", 20),
        ("reduce_sum(s, t)", "reduce_sum(s, q)", "DSL_LIFETIME", 16),
        ("reduce_sum(s, t)", "reduce_sum(t, t)", "DSL_SHAPE", 16),
        ("s = alloc_ub(tile, float32)", "s = alloc_ub(tile, float8)", "DSL_DTYPE", 5),
        (
            "s = alloc_ub(tile, float32)",
            "s = alloc_ub(tile, float32); s = alloc_ub(tile, float32)",
            "DSL_ALIAS",
            5,
        ),
        ("n = min(tile, rows - r)", "n = min(tile, rows - r); t = 3", "DSL_ALIAS", 12),
        ("s = alloc_ub(tile, float32)", "s = alloc_ub(60000, float32)", "DSL_UB_BUDGET", 2),
        ("store(out, r * cols, q)", "store(x, r * cols, q)", "DSL_NO_STORE", 2),
        ("rows, cols, tile)\n", "rows, cols)\n", "DSL_LAUNCH", 27),
        ("    k[core_num()]", "    if rows > 3:\n        k[core_num()]", "DSL_LAUNCH", 23),
        ("k[core_num()]", "kernel[core_num()]", "DSL_LAUNCH", 27),
        ('fit_tile(k, "tile", cols=cols)', 'fit_tile(k, "tile")', "DSL_LAUNCH", 26),
        ("x: Tensor, v: Tensor, out: Output", "out: Output, x: Tensor, v: Tensor", "DSL_SYNTAX", 23),
    ],
)
def test_a_broken_rule(old: str, new: str, code: str, line: int) -> None:
    assert GOOD.count(old) >= 1
    found = findings(GOOD.replace(old, new, 1))
    assert (code, line) in [(d.code, d.line) for d in found], found
    assert all(d.remedy and d.text.endswith(".") for d in found)


def test_a_tile_loaded_in_a_loop_is_not_there_after_it() -> None:
    late = GOOD.replace(
        "            store(out, r * cols, q)\n",
        "            store(out, r * cols, q)\n    with compute():\n        exp(t, t)\n",
    )
    assert [(d.code, d.line) for d in findings(late)] == [("DSL_SHAPE", 22)]


def test_rows_of_a_store_do_not_overlap_and_those_of_a_load_may() -> None:
    def few(load: int, store: int) -> list[tuple[str, int | None]]:
        text = GOOD.replace("(n, cols))", f"(n, 8), stride={load})")
        text = text.replace("load(g, v, 0, cols)", "load(g, v, 0, 8)")
        return [(d.code, d.line) for d in findings(text.replace("cols, q)", f"cols, q, stride={store})"))]

    assert few(3, 8) == [] and few(8, 3) == [("DSL_SHAPE", 20)]


def test_parts_between_constants_have_constant_lengths() -> None:
    line = "            mul(q, q, g[None, :])\n"
    text = GOOD.replace(line, line + "            add(s[8 : 16], s[8 : 16], g[24 : 32])\n")
    assert findings(text) == ()


def test_a_conversion_that_does_not_exist() -> None:
    assert [d.code for d in findings(GOOD, x=DType.UINT64)] == ["DSL_DTYPE"]


def test_the_budget_of_a_call_is_checked_with_its_numbers() -> None:
    text = GOOD.replace('fit_tile(k, "tile", cols=cols)', "8")
    metas = {
        n: TensorMeta(dtype=DType.FLOAT32, shape=s)
        for n, s in (("x", (64, 9000)), ("v", (9000,)), ("out", (64, 9000)))
    }
    (found,) = check(parse(text), metas=metas)
    assert found.code == "DSL_UB_BUDGET"
    assert "q_out_out 576000" in found.text and "188160 of 196608" in found.text


def test_a_tile_that_is_loaded_again_within_its_life() -> None:
    again = """\
        for j in range(2):
            with copyin():
                load(t, x, 0, (n, cols))
            with compute():
                reduce_sum(s, t)
        with compute():
"""
    text = GOOD.replace("        with compute():\n", again, 1)
    assert "DSL_LIFETIME" in [d.code for d in findings(text)]


def test_more_loaded_tiles_than_the_chip_has_events() -> None:
    names = [f"v{i}" for i in range(9)]
    lines = [f"    t{n} = alloc_ub(64, float32)" for n in names]
    lines += [
        "    with copyin():",
        *(f"        load(t{n}, {n}, 0, 64)" for n in names),
        "    with compute():",
    ]
    lines += [f"        add(tv0, tv0, t{n})" for n in names[1:]]
    kernel = [
        f"@ascend_kernel\ndef k({', '.join(names)}, out):",
        *lines,
        "    with copyout():\n        store(out, 0, tv0)",
    ]
    host = f"@ascend_host\ndef h({', '.join(n + ': Tensor' for n in names)}, out: Output):\n"
    text = "\n".join(kernel) + "\n\n" + host + f"    k[1]({', '.join(names)}, out)\n"
    assert [d.code for d in findings(text)] == ["DSL_QUEUES"]


TWO_PHASES = """\
@ascend_kernel
def k(x, out, n: int, tile: int, wide: int):
    t = alloc_ub(tile, float32)
    with copyin():
        load(t, x, 0, n)
    with copyout():
        store(out, 0, t)
    sync_all()
    u = alloc_ub(wide, float32)
    with copyin():
        load(u, x, 0, n)
    with compute():
        add(u, u, 1.0)
    with copyout():
        store(out, 0, u)

@ascend_host
def h(x: Tensor, out: Output):
    declare(out, x.shape, x.dtype)
    tile = fit_tile(k, "tile")
    wide = fit_tile(k, "wide")
    k[1](x, out, x.numel, tile, wide)
"""


def test_phases_share_the_unified_buffer() -> None:
    metas = {"x": TensorMeta(dtype=DType.FLOAT32, shape=(64,))}
    assert check(parse(TWO_PHASES), metas=metas) == ()


def test_a_tile_of_the_phase_before_is_dead() -> None:
    (found,) = findings(TWO_PHASES.replace("add(u, u, 1.0)", "add(u, u, t)"))
    assert (found.code, found.line) == ("DSL_LIFETIME", 13)


def test_a_kernel_that_meets_without_new_tiles_keeps_its_tiles() -> None:
    text = TWO_PHASES.replace("    u = alloc_ub(wide, float32)\n", "").replace(
        "sync_all()", "sync_all()\n    pass"
    )
    text = (
        text.replace("u, ", "t, ").replace(", u)", ", t)").replace(", wide: int", "").replace(", wide)", ")")
    )
    assert findings(text.replace('    wide = fit_tile(k, "wide")\n', "")) == ()


STEPS = """\
@ascend_kernel
def k(x, out, n: int, steps: int):
    for step in range(steps):
        sync_all()
        t = alloc_ub(64, float32)
        with copyin():
            load(t, x, 0, n)
        with copyout():
            store(out, 0, t)

@ascend_host
def h(x: Tensor, out: Output):
    declare(out, x.shape, x.dtype)
    k[1](x, out, x.numel, 3)
"""


def test_cores_may_meet_in_a_loop() -> None:
    assert findings(STEPS) == ()


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("range(steps)", "range(program_id())", 3),
        ("range(steps)", "range(read(x, 0))", 3),
        ("        sync_all()\n", "        m = n\n        sync_all()\n", 3),
        ("        sync_all()\n", "        if n > 3:\n            sync_all()\n", 5),
        ("        sync_all()\n", "        sync_all()\n        m = n\n", 6),
        ("        sync_all()\n", "", 4),
    ],
)
def test_cores_meet_in_a_loop_equally_often(old: str, new: str, line: int) -> None:
    found = findings(STEPS.replace(old, new, 1))
    assert ("DSL_STAGE", line) in [(d.code, d.line) for d in found], found


@pytest.mark.parametrize(
    "keyword",
    ["axis=axis", "axis=[0]", "axis={}", "axis=1j", "axis=-n", "axis='x'", "axis=(0, (1,))"],
)
def test_a_keyword_wants_a_written_value(keyword: str) -> None:
    with pytest.raises(DslError) as refused:
        parse(GOOD.replace("reduce_sum(s, t)", f"reduce_sum(s, t, {keyword})"))
    assert refused.value.diagnostics[0].code == "DSL_SYNTAX"


@pytest.mark.parametrize("buffers", ["n", "'1'", "1.0", "{}", "[1]", "True"])
def test_the_number_of_buffers_is_written(buffers: str) -> None:
    with pytest.raises(DslError) as refused:
        parse(GOOD.replace("alloc_ub(tile, float32)", f"alloc_ub(tile, float32, buffers={buffers})"))
    assert refused.value.diagnostics[0].code == "DSL_SYNTAX"


@pytest.mark.parametrize("default", ["{}", "1j", "x", "[[1]]", "b'1'"])
def test_a_default_is_written(default: str) -> None:
    with pytest.raises(DslError) as refused:
        parse(GOOD.replace("out: Output):", f"out: Output, a: float = {default}):"))
    assert refused.value.diagnostics[0].code == "DSL_SYNTAX"
