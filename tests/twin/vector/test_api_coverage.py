"""Every vector API has a card, is declared as documented, is tested, and has the host functions that give the size of
its temporary buffer. One that has a row in a table costs what the table of throughput says.

The APIs are what the vector side's headers declare, the rows are in tools/twin/include/akgen/tables, the documented
declarations in the cards' `prototypes`.
"""

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from akgen.knowledge.cards import ApiCard, cards
from akgen.knowledge.chip import vector_rates
from akgen.tools.process.program import run
from akgen.tools.twin.findings.header_names import ApiRow, api_rows
from akgen.tools.twin.precompiled import host_flags
from tests.twin.vector.declarations import Declaration, declarations

ROWS = api_rows()
APIS = {row.api: row for row in reversed(ROWS)}
TESTS = Path(__file__).resolve().parents[1]
HEADERS = r"/ascendc/(?:vector_\w+|copy\w*|global_memory|tensor_operators)\.h$|/akgen/tables/"
# The size for Transpose is a formula in the documents.
WITHOUT_HOST_SIZES = {"Transpose"}
# APIs that share no shape with others, and so have no row.
ALONE = {
    "they read or write a register: no tensor of a type, no loop, no cost": """
        DisableDmaAtomic GetAccVal GetCmpMask GetCtrlSpr GetGatherMaskRemainCount GetMrgSortResult
        GetReduceMaxMinCount GetReduceRepeatMaxMinSpr GetReduceRepeatSumSpr GetSaturationFlag
        GetStoreAtomicConfig ResetMask SetAtomicNone SetAtomicType SetCmpMask SetCtrlSpr SetDeqScale
        SetMaskCount SetMaskNorm SetPadValue SetSaturationFlag SetStoreAtomicConfig SetVectorMask""",
    "they move or fill memory outside the vector unit: any type, a cost by bytes (device/bandwidth.cpp)": """
        DataCopy DataCopyPad Fill InitGlobalMemory InitOutput""",
    "they concern the data cache, one value at a time": """
        DataCacheCleanAndInvalid DataCachePreload ReadGmByPassDCache WriteGmByPassDCache""",
    "their types are pairs, each with a loop for each rounding: vector/cast_table.cpp is their table": """
        Cast CastDeq CastDequant""",
    "they compute a size or a place, or hand a tensor on: no instruction": "Concat GetSortLen GetSortOffset",
    "the older spelling of Broadcast, which has a row": "BroadCast",
    "they hand on to the interface of the operation that they name, which has a row": """
        ReduceDataBlock ReducePairElem ReduceRepeat""",
}
# The twin declares more than the documents: forms for TensorTrait, whose scalar has its element's type, and forms that
# the other APIs of the family have, and specialisations for tensors of 32 bits.
OWN_OVERLOADS = {
    *("Adds", "Muls", "Maxs", "Mins", "LeakyRelu", "ShiftLeft", "Duplicate"),
    *("Log", "Log10", "Floor", "Ceil", "Round", "ReGlu", "And", "Or"),
}
TYPES = ("half", "float", "half")  # what a prototype's typename parameters stand for; no body is compiled


@cache
def _spellings() -> dict[str, ApiCard]:
    """Return the cards by every name that one of their declarations has."""
    return {m[1]: c for c in cards().values() for p in c.prototypes if (m := re.search(r" (\w+)\(", p))}


@cache
def _called() -> frozenset[str]:
    """Return every name that a test on the twin calls."""
    globs = ("vector/test_*.py", "device/test_*.py", "corpus/kernels/**/*.cpp")
    own = Path(__file__).name
    text = "\n".join(f.read_text() for glob in globs for f in TESTS.glob(glob) if f.name != own)
    return frozenset(m[1] or m[2] for m in re.finditer(r'\b(\w+)(?:<[^;\n]*?>)?\(|"(\w+)"', text))


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


def test_every_declared_api_has_a_row_or_a_reason_to_have_none(declared: list[Declaration]) -> None:
    names = {d.name for d in declared}
    alone = [name for listed in ALONE.values() for name in listed.split()]
    assert sorted(names - set(APIS)) == sorted(alone)
    assert set(APIS) <= names
    assert names >= {"Gather", "Select", "DataCopyPad", "SetAtomicAdd", "TopK", "WelfordUpdate", "GetAccVal"}


def test_every_api_has_a_card(declared: list[Declaration]) -> None:
    assert not sorted({d.name for d in declared} - set(_spellings()))


@pytest.mark.parametrize("api", sorted(_spellings()))
def test_the_card_of_an_api_names_header_namespace_and_declarations(api: str) -> None:
    card = _spellings()[api]
    assert (card.header, card.namespace) == ("kernel_operator.h", "AscendC")
    assert card.signatures and card.summary
    assert all(re.search(rf"\b{card.name}\(", p, re.IGNORECASE) for p in card.prototypes)


@pytest.mark.parametrize(
    "card", [c for c in cards().values() if c.family != "other chips" and c.twin], ids=lambda c: c.name
)
def test_the_header_of_a_card_brings_its_name(header_text: Callable[[str], str], card: ApiCard) -> None:
    assert card.header is not None
    words = _words(header_text, card.header)
    assert card.namespace is None or card.namespace in words
    macros = [] if card.namespace else re.findall(r"\b([A-Z_]+)\(", card.signatures[0])
    assert words.issuperset(macros or card.name.split("::"))


@cache
def _words(header_text: Callable[[str], str], header: str) -> frozenset[str]:
    """Return the words of a header and all that it includes."""
    return frozenset(re.findall(r"\w+", header_text(header)))


@pytest.mark.parametrize("row", [r for r in ROWS if r.dtypes], ids=_name)
def test_card_and_row_name_the_same_types(row: ApiRow) -> None:
    assert sorted((cards()[row.api].dtypes or "").split(", ")) == sorted(row.dtypes)


@pytest.mark.parametrize("api", sorted(_spellings()))
def test_an_api_is_called_by_a_test(api: str) -> None:
    assert api in _called()


@pytest.mark.parametrize("row", ROWS, ids=_name)
def test_what_a_row_costs_is_in_the_table_of_throughput(row: ApiRow) -> None:
    rates = vector_rates()
    names = {api for api, _ in rates}
    for cost in re.findall(r'"([^"]+)"', row.fields.get("COST", row.fields.get("STEPS", ""))):
        api, _, pair = cost.partition(" ")
        assert (api, pair) in rates if pair else api in names, cost
        assert all((api, t) in rates for t in row.dtypes if row.table == "vector" and not pair), cost


def test_the_declarations_are_those_of_the_documents(bench: Any, declared: list[Declaration]) -> None:
    apis = {_spellings()[d.name].name for d in declared}
    checks = [check for api in sorted(apis) for check in _checks(cards()[api])]
    assert len(checks) > 2 * len(apis)
    built = bench.build(_kernel(checks))
    assert built.library is not None, [(d.text, _line_of(checks, d.line)) for d in built.diagnostics]


def test_every_overload_has_a_documented_declaration(declared: list[Declaration]) -> None:
    overloads = Counter(_spellings()[d.name].name for d in declared)
    without = {name for name, count in overloads.items() if count > len(cards()[name].prototypes)}
    assert without == OWN_OVERLOADS


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("const int32_t& count", "const uint32_t& count"), ("const LocalTensor<T>& dst", "LocalTensor<T>& dst")],
)
def test_another_declaration_is_told(bench: Any, right: str, wrong: str) -> None:
    card = cards()["Relu"]
    other = card.model_copy(update={"prototypes": (card.prototypes[0].replace(right, wrong),)})
    assert other.prototypes[0] != card.prototypes[0]
    assert bench.build(_kernel(_checks(other))).library is None


def test_the_host_sizes_are_declared(bench: Any, tmp_path: Path, declared: list[Declaration]) -> None:
    wanted = {_spellings()[d.name].name for d in declared if "sharedTmpBuffer" in d.parameters}
    wanted |= {row.api for row in ROWS if "LIVE" in row.fields}
    assert {api for api in wanted if not cards()[api].host_sizes} == WITHOUT_HOST_SIZES
    names = sorted({name for card in cards().values() for name in card.host_sizes})
    source = tmp_path / "sizes.cpp"
    source.write_text(
        '#include "tiling/tiling_api.h"\n' + "".join(f"using AscendC::{name};\n" for name in names)
    )
    runtime = bench.runtime
    done = run(
        [runtime.compiler.path, *host_flags(), "-include", runtime.host_prelude, f"-I{runtime.host_include}",
         "-fsyntax-only", source],
        cwd=tmp_path,
        timeout_s=120.0,
    )  # fmt: skip
    assert done.rc == 0, done.stderr


@pytest.fixture(scope="module")
def header_text(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Return a function that gives a header's text, with all that it includes, as the preprocessor leaves it."""
    folder, runtime = tmp_path_factory.mktemp("headers"), bench.runtime

    @cache
    def read(header: str) -> str:
        includes = (runtime.device_include, runtime.host_include)
        include = next(i for i in includes if (i / header).is_file())
        out = folder / (header.replace("/", "_") + ".ii")
        command = [
            runtime.compiler.path,
            "-std=c++17",
            "-E",
            "-dD",
            f"-I{include}",
            "-o",
            out,
            include / header,
        ]
        done = run(command, cwd=folder, timeout_s=120.0)
        assert done.rc == 0, done.stderr
        return out.read_text()

    return read


@pytest.fixture(scope="module")
def declared(header_text: Callable[[str], str]) -> list[Declaration]:
    """Return the functions that compute on local memory, or copy to and from it, as a kernel sees them."""
    text = re.sub(r"^#(?:define|undef) .*$", "", header_text("kernel_operator.h"), flags=re.MULTILINE)
    found = declarations(text, lambda path: re.search(HEADERS, path) is not None)
    return [d for d in found if not d.name.endswith("Impl")]  # the vendor's ending for what is its own


def _checks(card: ApiCard) -> list[str]:
    """Write, for each prototype, a line that compiles only if exactly that function is declared."""
    return [_check(p) for p in card.prototypes]


def _check(prototype: str) -> str:
    parsed = re.fullmatch(r"(?:template <(.*?)> )?(\w+) (\w+)\((.*)\)", prototype)
    assert parsed is not None, prototype
    head, result, name, parameters = parsed.groups()
    types, arguments, aliases = iter(TYPES), [], ""
    for parameter in head.split(", ") if head else ():
        kind, given = parameter.split(" = ")[0].rsplit(" ", 1)
        if kind in ("typename", "class"):
            arguments.append(next(types))
            aliases += f"using {given} [[maybe_unused]] = {arguments[-1]}; "
        elif " = " in parameter:
            arguments.append(parameter.split(" = ")[1])
        elif kind.endswith("&"):
            arguments.append(given)
            aliases += f"static {kind.replace('const', 'constexpr').rstrip('&')} {given}{{}}; "
        else:
            arguments.append(f"static_cast<{kind}>(1)")
            aliases += f"[[maybe_unused]] constexpr {kind} {given} = {arguments[-1]}; "
    plain = ", ".join(p.split(" = ")[0] for p in parameters.split(", "))
    function = f"AscendC::{name}<{', '.join(arguments)}>" if head else f"AscendC::{name}"
    return f'{{ {aliases}static_assert(sizeof(static_cast<{result} (*)({plain})>(&{function})) > 0, ""); }}'


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
