"""Pairs of calls for the rules that the vendor's reference gives each API: one that breaks the rule, one that keeps it.

Those of many APIs (types, operands, masks, strides, overlaps, temporary memory) are made from the tables of the
twin's headers, one template for each form of call; those of one API stand in documented.txt, whose calls
tests/twin/vector/test_documented_rules.py runs in rules.cpp. `python -m tests.twin.corpus.rules` counts them.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from akgen.tools.twin.findings.header_names import ApiRow, api_rows

COUNT = 64  # elements of a call
CUBE = "cube:"  # before a type: a call on a cube core
LEFT_BY_BENCH = 12288  # bytes of the Unified Buffer that tests/twin/corpus/rules.cpp leaves
NOTHING_LEFT = f"TBuf<> rest; pipe.InitBuffer(rest, {LEFT_BY_BENCH}); "
SMALL = "TBuf<> small; pipe.InitBuffer(small, 32); "
# Calls by the kind of their row: {d}, {s}, {r} are operands, {w} a temporary buffer with its comma, {t} the type.
FORMS = {
    "UNARY": "{api}({d}, {s}, 64);",
    "BINARY": "{api}({d}, {s}, {r}, 64);",
    "SCALAR": "{api}({d}, {s}, ({t})1, 64);",
    "MATH": "{api}({d}, {s}, {w}64);",
    "MATH_PAIR": "{api}({d}, {s}, {r}, {w}64);",
    "CLAMP": "{api}({d}, {s}, {w}({t})1, 64);",
    "GELU": "{api}({d}, {s}, {w}64);",
    "GATED": "{api}({d}, {s}, {r}, {w}64);",
    "REDUCE_EXTREME": "{api}({d}, {s}, c, 64);",
    "REDUCE_SUM": "{api}({d}, {s}, c, 64);",
    "WHOLE_EXTREME": "{api}({d}, {s}, 32, 1, 1, 1, 8);",
    "WHOLE_SUM": "{api}({d}, {s}, 32, 1, 1, 1, 8);",
    "BLOCK_REDUCE": "{api}({d}, {s}, 1, 32, 1, 1, 8);",
    "COMPARE_SCALAR": "{api}(tmp, {s}, ({t})1, CMPMODE::EQ, 64);",
}
SINGLE = {  # APIs with a form of their own
    "MulAddDst": ("BINARY", "{api}({d}, {s}, {r}, 64);"),
    "Axpy": ("SCALAR", "{api}({d}, {s}, ({t})1, 64);"),
    "ShiftRight": ("SCALAR", "{api}({d}, {s}, ({t})1, 64);"),
    "Duplicate": ("FILL", "{api}({d}, ({t})1, 64);"),
    "Silu": ("UNARY", "{api}({d}, {s}, 64);"),
    "Swish": ("UNARY", "{api}({d}, {s}, 64, ({t})1);"),
    "Power": ("MATH_PAIR", "{api}({d}, {s}, {r}, {w}64);"),
    "Compare": ("COMPARE_SCALAR", "{api}(tmp, {s}, {r}, CMPMODE::EQ, 64);"),
    "Copy": ("UNARY", "{api}({d}, {s}, 64, 1, {{1, 1, 8, 8}});"),
}
VARIANT_TYPES = {
    "Axpy": "half, float",
    "Duplicate": "half, float",
    "MulAddDst": "half, float",
    "Power": "half, float, int32_t",
    "ShiftRight": "int16_t, uint16_t, int32_t, uint32_t",
    "Silu": "half, float",
    "Swish": "half, float",
}
WITHOUT_TEMPORARY = {"Log", "Log10"}
# Where the results of reductions must start, in bytes of float; half of it in half. What is not here: the type's size.
RESULT_BYTES = {"REDUCE_EXTREME": 8, "WHOLE_EXTREME": 8, "BLOCK_REDUCE": 32}
ONE_RESULT = {"REDUCE_EXTREME", "REDUCE_SUM", "WHOLE_EXTREME", "WHOLE_SUM", "BLOCK_REDUCE", "COMPARE_SCALAR"}
BYTES = {"half": 2, "int16_t": 2, "uint16_t": 2, "bfloat16_t": 2, "int8_t": 1, "uint8_t": 1, "int64_t": 8}


# The forms with a mask {m}, repeats {n} and strides from repeat to repeat {j}, {k}.
REPEATS = {
    "UNARY": "{api}({d}, {s}, {m}, {n}, {{1, 1, {j}, {k}}});",
    "BINARY": "{api}({d}, {s}, {r}, {m}, {n}, {{1, 1, 1, {j}, {k}, {k}}});",
    "SCALAR": "{api}({d}, {s}, ({t})1, {m}, {n}, {{1, 1, {j}, {k}}});",
}
COUNT_ALONE = {"Copy", "Silu", "Swish"}  # no form of REPEATS
TAKES_ITS_SOURCE = {"Gelu", "FasterGelu", "FasterGeluV2", "ReGlu", "GeGLU"}  # as destination


class RulePair(NamedTuple):
    """`code` is what the breaking call must be told; both calls see operands a, b, c and out of type `dtype`."""

    api: str
    rule: str  # what it is about: alignment, scratch, dtype, mask, overlap, range, ...
    dtype: str
    breaking: str
    keeping: str
    code: str
    severity: str = "error"

    @property
    def name(self) -> str:
        return f"{self.api}-{self.rule}-{self.breaking}"


class Form(NamedTuple):
    api: str
    kind: str
    text: str
    dtypes: tuple[str, ...]
    live: int  # vectors of float in a temporary buffer

    @property
    def dtype(self) -> str:
        return "float" if "float" in self.dtypes else self.dtypes[0]

    @property
    def temporary(self) -> bool:
        return "{w}" in self.text and self.api not in WITHOUT_TEMPORARY

    def call(self, **given: str) -> str:
        work = "tmp, " if self.temporary else ""
        words = {"d": "out", "s": "a", "r": "b", "w": work, "t": self.dtype}
        return self.text.format(api=self.api, **{**words, **given})


def forms() -> list[Form]:
    """Return every API that has a template, once."""
    found: dict[str, Form] = {}
    for row in api_rows():
        if row.api not in found and (form := _form(row)) is not None:
            found[row.api] = form
    return list(found.values())


def _form(row: ApiRow) -> Form | None:
    dtypes = row.dtypes or tuple(VARIANT_TYPES.get(row.api, "").split(", "))
    if row.api in SINGLE:
        kind, text = SINGLE[row.api]
    elif row.kind in FORMS:
        kind, text = row.kind, FORMS[row.kind]
    else:
        return None
    return (
        Form(row.api, kind, text, dtypes, int(row.fields.get("LIVE", "0").split(",")[0]))
        if dtypes[0]
        else None
    )


def rule_pairs() -> list[RulePair]:
    made = [
        pair
        for form in forms()
        for rule in (_alignment, _scratch, _dtype, _count, _repeats, _overlap)
        for pair in rule(form)
    ]
    return [*made, *documented()]


def documented() -> list[RulePair]:
    """Read documented.txt, whose head says what a line holds."""
    pairs = []
    for line in Path(__file__).with_name("documented.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            api, rule, dtype, code, breaking, keeping = (part.strip() for part in line.split(" | "))
            severity = "warning" if code.endswith("?") else "error"
            calls = (breaking, keeping.split(" // ")[0])
            pairs.append(RulePair(api, rule, dtype, *calls, code.removesuffix("?"), severity))
    return pairs


def _alignment(form: Form) -> Iterator[RulePair]:
    block = 32 // BYTES.get(form.dtype, 4)
    for word, operand in (("d", "out"), ("s", "a"), ("r", "b")):
        if f"{{{word}}}" not in form.text or (word == "d" and form.kind in ONE_RESULT):
            continue
        calls = (form.call(**{word: f"{operand}[{offset}]"}) for offset in (1, block))
        yield RulePair(form.api, "alignment", form.dtype, *calls, "UB_ALIGNMENT")
    if form.kind in RESULT_BYTES:
        good = RESULT_BYTES[form.kind] // 4
        calls = (form.call(d=f"out[{offset}]") for offset in (1, good))
        yield RulePair(form.api, "alignment", form.dtype, *calls, "UB_ALIGNMENT")


def _scratch(form: Form) -> Iterator[RulePair]:
    if not form.temporary:
        return
    little = SMALL + form.call(w="small.Get<uint8_t>(), ")
    # One vector of floats fits, if not all elements at once.
    severity = "warning" if form.live == 1 else "error"
    yield RulePair(form.api, "scratch", form.dtype, little, form.call(), "TEMPORARY_SIZE", severity)
    nothing = NOTHING_LEFT + form.call(w="")
    yield RulePair(form.api, "scratch", form.dtype, nothing, form.call(w=""), "UB_OVERFLOW")


def _dtype(form: Form) -> Iterator[RulePair]:
    for wrong in ("int64_t", "bfloat16_t", "int32_t", "int8_t"):
        if wrong not in form.dtypes:
            yield RulePair(form.api, "dtype", wrong, form.call(t=wrong), form.call(), "DTYPE_UNSUPPORTED")
            return


def _count(form: Form) -> Iterator[RulePair]:
    if form.text.endswith("64);") and form.kind not in {"MATH", "MATH_PAIR", "CLAMP", "GELU", "GATED"}:
        breaking = form.call().replace("64);", "-1);")
        yield RulePair(form.api, "count", form.dtype, breaking, form.call(), "VECTOR_COUNT")


def _repeats(form: Form) -> Iterator[RulePair]:
    """Masks and, where the field holds more than eight bits, strides between repeats."""
    if form.kind not in REPEATS or form.api in COUNT_ALONE:
        return
    lanes = 256 // BYTES.get(form.dtype, 4)
    yield RulePair(form.api, "mask", form.dtype, _high(form, m=lanes + 1), _high(form, m=lanes), "MASK_RANGE")
    if form.kind != "BINARY":
        breaking, keeping = _high(form, j=256), _high(form, j=255)
        yield RulePair(form.api, "range", form.dtype, breaking, keeping, "STRIDE_RANGE")


def _overlap(form: Form) -> Iterator[RulePair]:
    if form.kind in REPEATS and form.api not in COUNT_ALONE:
        lanes = 256 // BYTES.get(form.dtype, 4)
        breaking = _high(form, d=f"a[{lanes}]", n=2)
        yield RulePair(form.api, "overlap", form.dtype, breaking, _high(form, d="a", n=2), "PARTIAL_OVERLAP")
    if form.temporary:
        shared = form.call(w="a.ReinterpretCast<uint8_t>(), ")
        yield RulePair(form.api, "overlap", form.dtype, shared, form.call(), "TEMPORARY_OVERLAP", "warning")
    library = form.temporary or form.api in {"Silu", "Swish", "Log", "Log10"}
    if library and form.api not in TAKES_ITS_SOURCE:
        breaking = form.call(d="a")
        yield RulePair(form.api, "overlap", form.dtype, breaking, form.call(), "PARTIAL_OVERLAP", "warning")


def _high(form: Form, **given: object) -> str:
    """Return the call with a mask, repeats and strides: one repeat of all lanes."""
    lanes = 256 // BYTES.get(form.dtype, 4)
    words = {"d": "out", "s": "a", "r": "b", "t": form.dtype, "m": lanes, "n": 1, "j": 8, "k": 8}
    return REPEATS[form.kind].format(api=form.api, **{**words, **given})


if __name__ == "__main__":
    pairs = rule_pairs()
    by_rule = Counter(pair.rule for pair in pairs)
    print(f"{len(pairs)} pairs of {len({p.api for p in pairs})} APIs: {dict(by_rule)}")
