"""The small C++ of binding files: read and run as C++ would."""

from typing import Any

import pytest

from akgen.bench.npukb.cpp.interpreter import Interpreter
from akgen.bench.npukb.cpp.parser import parse
from akgen.bench.npukb.operators import TorchLibrary
from akgen.tools.core.outcome import InputError


def run(body: str, *args: Any, signature: str = "int64_t f()", before: str = "") -> Any:
    unit = parse(f"{before}\n{signature}\n{{\n{body}\n}}\n", "file.cpp")
    launches: list[Any] = []
    interpreter = Interpreter(
        unit, TorchLibrary(lambda name, values: launches.append((name, values))), "file.cpp"
    )
    if "f" in unit.refused:
        raise unit.refused["f"]
    result = interpreter.call(unit.functions["f"], list(args))
    return launches if launches else result


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("-7 / 2", -3), ("-7 % 2", -1), ("7.0 / 2", 3.5), ("1 + 2 * 3 - 4", 3), ("(1 + 2) * 3", 9), ("0x10 + 010", 24),
        ("1 < 2 && !(3 < 2)", True), ("5 > 4 ? 6 : 7", 6), ("static_cast<int64_t>(2.9) + (int)1.5", 3),
        ("1e-3f * 1000", 1.0), ("std::max(3, 4)", 4), ("std::ceil(2.1)", 3.0),
    ],
)  # fmt: skip
def test_expressions_follow_cpps_arithmetic(expression: str, value: Any) -> None:
    assert run(f"return {expression};", signature="auto f()") == pytest.approx(value)


def test_lists_are_copied_by_value_and_shared_by_reference() -> None:
    body = "std::vector<int64_t> b = a; b[0] = 9; auto &c = a; c.push_back(b[0]); a.back() /= 2; return a;"
    given = [1, 2]
    assert run(body, given, signature="auto f(std::vector<int64_t> a)") == [1, 2, 4]
    assert given == [1, 2]
    assert run(body, given, signature="auto f(std::vector<int64_t> &a)") == [1, 2, 4]
    assert given == [1, 2, 4]


def test_loops_switches_and_lambdas() -> None:
    body = """
        std::vector<int64_t> out;
        for (int i = 0; i < 6; i++) {
            if (i == 4) { break; }
            switch (i) {
                case 0:
                case 1:
                    out.push_back(10 + i);
                    break;
                default:
                    out.push_back(i);
            }
        }
        std::for_each(out.begin(), out.end(), [&out](int64_t x) { if (x == 10) { out.push_back(99); } });
        for (const auto &x : out) if (x == 3) return {x, static_cast<int64_t>(out.size())};
        return out;
    """
    assert run(body, signature="std::vector<int64_t> f()") == [3, 5]


def test_defaults_macros_comments_and_skipped_directives() -> None:
    before = "#include <x>\n#define TWICE {2, 2}\n#define WIDE \\\n  3\n/* int64_t f() { } */ // more"
    body = "std::vector<int64_t> v = TWICE; return v.size() * n + WIDE;"
    assert run(body, signature="int64_t f(int64_t n = 5)", before=before) == 13


def test_a_float_parameter_is_rounded_to_single_precision() -> None:
    assert run("return x;", 0.1, signature="auto f(float x)") == 0.10000000149011612
    assert run("return x;", 0.1, signature="auto f(double x)") == 0.1


def test_a_launch_gets_its_values_in_order() -> None:
    body = "const char *mode = s.c_str(); EXEC_NPU_CMD(aclnnThing, n, mode, 1.5); return n;"
    launches = run(body, 3, "mean", signature="int64_t f(int64_t n, std::string s)")
    assert launches == [("aclnnThing", [3, "mean", 1.5])]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return 1 / 0;", "file.cpp:4: division by zero"),
        ("std::vector<int64_t> v = {1}; return v[1];", "index 1 is outside a list of 1"),
        ("return mystery(1);", "file.cpp:4: mystery is not known"),
        ("TORCH_CHECK(false, \"no \", 7); return 1;", "refuses the call: no 7"),
        ('throw std::runtime_error("never");', "refuses the call: never"),
        ("int64_t n = \"text\"; return n;", "str does not convert to int64_t"),
        ("return 1 +;", "file.cpp:4: unexpected ';'"),
        ("while (true) { }", "file.cpp:4"),
        ("return 1 @ 2;", "unexpected character '@'"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_refused_with_its_line(body: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        run(body)
    assert message in str(raised.value)


def test_a_function_that_cannot_be_read_matters_only_when_it_is_called() -> None:
    before = "int64_t odd(int64_t a) { return a <=> 1; }"
    assert run("return 4;", before=before) == 4
    with pytest.raises(InputError, match=r"file\.cpp:1"):
        run("return odd(4);", before=before)


@pytest.mark.parametrize("string", ['"a\0b"', r'"\x"', r'"\N{}"'])
def test_a_string_that_cannot_be_read_is_refused(string: str) -> None:
    with pytest.raises(InputError):
        run(f"return {string};", signature="auto f()")
