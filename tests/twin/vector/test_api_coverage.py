"""Every API that has a row in a table has a card, is declared as documented, is tested, costs what the table of
throughput says, and has the host functions that give the size of its temporary buffer.

The rows are in tools/twin/include/akgen/tables, the documented declarations in the cards' `prototypes`.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from akgen.knowledge.cards import ApiCard, cards
from akgen.knowledge.chip import vector_rates
from akgen.tools.process.program import run
from akgen.tools.twin.findings.header_names import ApiRow, api_rows
from akgen.tools.twin.precompiled import HOST_FLAGS

ROWS = api_rows()
APIS = {row.api: row for row in reversed(ROWS)}
TESTS = Path(__file__).resolve().parents[1]
TYPES = ("half", "float")  # what a prototype's typename parameters stand for; no body is compiled


def _name(row: ApiRow) -> str:
    return f"{row.kind}-{row.row}"


def test_the_tables_have_rows_of_every_kind() -> None:
    assert {row.kind for row in ROWS} >= {
        "UNARY",
        "BINARY",
        "SCALAR",
        "VARIANT",
        "MATH",
        "GATED",
        "AXIS_REDUCE",
    }
    assert len({(row.kind, row.row) for row in ROWS}) == len(ROWS) >= 100


@pytest.mark.parametrize("api", sorted(APIS))
def test_an_api_has_a_card_with_header_namespace_and_declarations(api: str) -> None:
    card = cards()[api]
    assert (card.header, card.namespace) == ("kernel_operator.h", "AscendC")
    assert card.prototypes
    assert all(re.search(rf"\b{api}\(", p) for p in card.prototypes)


@pytest.mark.parametrize("row", [r for r in ROWS if r.dtypes], ids=_name)
def test_card_and_row_name_the_same_types(row: ApiRow) -> None:
    assert sorted((cards()[row.api].dtypes or "").split(", ")) == sorted(row.dtypes)


@pytest.mark.parametrize("api", sorted(APIS))
def test_an_api_is_called_by_a_test(api: str) -> None:
    called = re.compile(rf'\b{api}(?:<[^;\n]*?>)?\(|"{api}"')
    files = [*TESTS.glob("vector/test_*.py"), *TESTS.glob("corpus/kernels/**/*.cpp")]
    own = Path(__file__).name
    assert [f.name for f in files if f.name != own and called.search(f.read_text())]


@pytest.mark.parametrize("row", ROWS, ids=_name)
def test_what_a_row_costs_is_in_the_table_of_throughput(row: ApiRow) -> None:
    rates = vector_rates()
    names = {api for api, _ in rates}
    for cost in re.findall(r'"([^"]+)"', row.fields.get("COST", row.fields.get("STEPS", ""))):
        api, _, pair = cost.partition(" ")
        assert (api, pair) in rates if pair else api in names, cost
        assert all((api, t) in rates for t in row.dtypes if row.table == "vector" and not pair), cost


def test_the_declarations_are_those_of_the_documents(bench: Any) -> None:
    checks = [check for api in APIS for check in _checks(cards()[api])]
    assert len(checks) > len(APIS)
    built = bench.build(_kernel(checks))
    assert built.library is not None, [(d.text, _line_of(checks, d.line)) for d in built.diagnostics]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("const int32_t& count", "const uint32_t& count"), ("const LocalTensor<T>& dst", "LocalTensor<T>& dst")],
)
def test_another_declaration_is_told(bench: Any, right: str, wrong: str) -> None:
    card = cards()["Relu"]
    other = card.model_copy(update={"prototypes": (card.prototypes[0].replace(right, wrong),)})
    assert other.prototypes[0] != card.prototypes[0]
    assert bench.build(_kernel(_checks(other))).library is None


def test_the_host_sizes_are_declared(bench: Any, tmp_path: Path) -> None:
    wanted = {row.api for row in ROWS if "LIVE" in row.fields}
    assert not [api for api in wanted if not cards()[api].host_sizes]
    names = sorted({name for api in wanted for name in cards()[api].host_sizes})
    source = tmp_path / "sizes.cpp"
    source.write_text(
        '#include "tiling/tiling_api.h"\n' + "".join(f"using AscendC::{name};\n" for name in names)
    )
    runtime = bench.runtime
    done = run(
        [runtime.compiler.path, *HOST_FLAGS, "-include", runtime.host_prelude, f"-I{runtime.host_include}",
         "-fsyntax-only", source],
        cwd=tmp_path,
        timeout_s=120.0,
    )  # fmt: skip
    assert done.rc == 0, done.stderr


def _checks(card: ApiCard) -> list[str]:
    """Write, for each prototype, a line that compiles only if exactly that function is declared."""
    return [_check(p) for p in card.prototypes]


def _check(prototype: str) -> str:
    parsed = re.fullmatch(r"(?:template <(.*?)> )?void (\w+)\((.*)\)", prototype)
    assert parsed is not None, prototype
    head, name, parameters = parsed.groups()
    types, arguments, aliases = iter(TYPES), [], ""
    for parameter in head.split(", ") if head else ():
        kind, given = parameter.split(" = ")[0].split(" ")
        if kind in ("typename", "class"):
            arguments.append(next(types))
            aliases += f"using {given} = {arguments[-1]}; "
        else:
            arguments.append({"bool": "true", "uint8_t": "1", "int32_t": "-1"}[kind])
    plain = ", ".join(p.split(" = ")[0] for p in parameters.split(", "))
    function = f"AscendC::{name}<{', '.join(arguments)}>" if head else f"AscendC::{name}"
    return f'{{ {aliases}static_assert(sizeof(static_cast<void (*)({plain})>(&{function})) > 0, ""); }}'


def _kernel(checks: list[str]) -> str:
    return (
        '#include "kernel_operator.h"\nusing namespace AscendC;\n'
        'extern "C" __global__ __aicore__ void vector_cases(GM_ADDR x, GM_ADDR y)\n{\n'
        + "\n".join(checks)
        + "\n}\n"
    )


def _line_of(checks: list[str], line: int | None) -> str:
    """Return the check on a line of _kernel()'s text."""
    return checks[line - 5] if line is not None and 0 <= line - 5 < len(checks) else ""
