"""Code among words: statements by index, shapes and types in comments, modules that are only constructed."""

import ast

import pytest
import torch

from akgen.agents.requests.latex import from_latex, with_sums
from akgen.agents.requests.pasted.bare_calls import with_constructed
from akgen.agents.requests.pasted.loops import by_index
from akgen.agents.requests.pasted.written_into import written_into
from akgen.agents.requests.request import Held
from akgen.agents.requests.sentence import parse_request
from akgen.tools.core.dtypes import DType

X, S, V = torch.randn(8, 100), torch.randn(8), torch.randn(11)
IDX, IDS, TABLE = torch.randint(0, 100, (8, 10)), torch.randint(0, 50, (6,)), torch.randn(50, 7)
A, B, TOK = torch.randn(3, 4), torch.randn(4, 5), torch.randint(0, 50, (2, 6))
IDS6, A2, C = torch.randint(0, 8, (6,)), torch.randn(6, 100), torch.randn(8, 2)
GIVEN = {"x": X, "s": S, "v": V, "idx": IDX, "ids": IDS, "table": TABLE, "a": A, "b": B, "tok": TOK}


@pytest.mark.parametrize(
    ("statement", "want"),
    [
        ("out[i, j] = x[i, idx[i, j]]", torch.gather(X, 1, IDX)),
        ("out[i] = table[ids[i]]", TABLE[IDS]),
        ("out[i, :] = table[ids[i], :] * 2", TABLE[IDS] * 2),
        ("out[b, t] = table[tok[b, t]]", TABLE[TOK]),
        ("y[i] = v[n - 1 - i]", V.flip(0)),
        ("y[i] = v[i + 1] - v[i]", V.diff()),
        ("y[i] = v[2*i + 1]", V[1::2]),
        ("c[j, i] = relu(a[i, j])", torch.relu(A.T)),
        ("c[i, j] += a[i, k] * b[k, j]", A @ B),
        ("y[i] = x[i, idx[i, 3]]", X[torch.arange(8), IDX[:, 3]]),
        ("y[i, j] = x[i, j] * s[i]", X * S[:, None]),
        ("c[i, j] = sum_k a[i, k] * b[k, j]", A @ B),
        (
            "y[i, j] = a[i, j] / sqrt(sum over k of a[i, k]^2 + 10^-6)",
            A / (A.square().sum(1, keepdim=True) + 1e-6).sqrt(),
        ),
        (r"$y_{ij} = \frac{a_{ij}}{\sum_k \exp(a_{ik})}$", A / A.exp().sum(1, keepdim=True)),
    ],
)
def test_a_statement_by_index_is_what_its_loop_computes(statement: str, want: torch.Tensor) -> None:
    body = ast.parse(with_sums(from_latex(statement).strip())).body[0]
    text = by_index(body, {name: tuple(t.shape) for name, t in GIVEN.items()}, {"n": 11})
    assert text is not None
    space: dict[str, object] = {"torch": torch}
    exec(text, space)
    taken = text[len("def indexed(") :].partition(")")[0].split(", ")
    got = space["indexed"](*(GIVEN[name] for name in taken))  # type: ignore[operator]
    assert torch.allclose(got, want, atol=1e-5)


@pytest.mark.parametrize(
    "statement",
    [
        "y[i] = x[i, 0] + v[i]",  # 8 and 11
        "y[i] += x[i, 0]",  # y is a tensor, too
        "y[i] = x[i, k]",  # k is nothing
        "y[i, i] = x[i, i]",
        "v[i] = v[i - 1] + s[i]",  # a recurrence
        "y[i] = v[i - 1]",  # outside at 0
        "y[i] = v[12 - i]",
        "y[idx[i, 0]] = x[i, 0]",
        "y = x[0]",
    ],
)
def test_what_is_no_loop_of_its_letters_is_left_to_others(statement: str) -> None:
    body = ast.parse(statement).body[0]
    assert by_index(body, {name: tuple(t.shape) for name, t in GIVEN.items()}, {}) is None


@pytest.mark.parametrize(
    ("statement", "zeros", "want"),
    [
        ("x[ids[i]] += a2[i]", None, X.index_add(0, IDS6, A2)),
        ("out[ids[i], :] += a2[i, :]", (9, 100), torch.zeros(9, 100).index_add(0, IDS6, A2)),
        ("x[:, 2:4] = c", None, torch.cat((X[:, :2], C, X[:, 4:]), 1)),
        ("x[ids[i]] = a2[j]", None, None),
        ("x[:, 99:101] = c", None, None),
        ("x[9] = c", None, None),
    ],
)
def test_a_statement_that_writes_into_a_tensor_leaves_what_its_loop_does(
    statement: str, zeros: tuple[int, ...] | None, want: torch.Tensor | None
) -> None:
    given = {"x": X, "ids": IDS6, "a2": A2, "c": C}
    text = written_into(
        ast.parse(statement).body[0], {n: tuple(t.shape) for n, t in given.items()}, {}, zeros
    )
    assert (text is None) == (want is None)
    if text is not None and want is not None:
        space: dict[str, object] = {"torch": torch}
        exec(text, space)
        taken = text[len("def indexed(") :].partition(")")[0].split(", ")
        assert torch.equal(space["indexed"](*(given[name] for name in taken)), want)  # type: ignore[operator]


def test_lines_that_make_inputs_below_a_function_are_its_inputs() -> None:
    code = "```\ndef f(x, y):\n    return x @ y\n\na = torch.randn(4, 8)\nb = torch.randn(8, 2)\nprint(f(a, b))\n```"
    source = parse_request(code).request.source
    assert source is not None and source.brings == "inputs"
    assert "torch.randn(4, 8),\n" in source.text and "print" not in source.text


@pytest.mark.parametrize(
    ("said", "shapes", "holds", "dtype"),
    [
        ("y = x[idx], x (50, 64), idx int32 with 40 entries", ((50, 64), (40,)),
         {"idx": Held(draw="entries", limit='params["shape"][0]', dtype=DType.INT32)}, "float32"),
        ("torch.gather(x, 1, idx)  # x: (8, 100) fp16, idx: (8, 10) int64", ((8, 100), (8, 10)),
         {"idx": Held(draw="entries", limit='params["shape"][1]')}, "float16"),
        ("out[i[n]] += s[n], output is 9x4, starts as zeros, s 6x4, i int64 [6]", ((6, 4), (6,)),
         {"i": Held(draw="entries", limit="9")}, "float32"),
        ("kv[:, :, pos] where kv is 2x4x128x32 and pos is a vector of 16 int64 positions", ((2, 4, 128, 32), (16,)),
         {"pos": Held(draw="entries", limit='params["shape"][2]')}, "float32"),
        ("a[:, None] + b[None], a 长度 512, b 长度 300, int32", ((512,), (300,)), {}, "int32"),
        ("x * m.float() + torch.exp(x), x 8x4, m 8x4 bool", ((8, 4), (8, 4)), {"m": Held(draw="mask")}, "float32"),
        ("torch.matmul(x, w.float()), x is 8x64, w is 64x32 int8", ((8, 64), (64, 32)),
         {"w": Held(draw="int8", dtype=DType.INT8)}, "float32"),
    ],
)  # fmt: skip
def test_words_and_comments_say_what_the_tensors_of_code_are(
    said: str, shapes: tuple[tuple[int, ...], ...], holds: dict[str, Held], dtype: str
) -> None:
    parsed = parse_request(said)
    assert parsed.problem is None and parsed.request.source is not None
    assert parsed.request.shapes == (shapes,)
    assert parsed.request.source.holds == holds
    assert [d.value for d in parsed.request.dtypes] == [dtype]


def test_a_tensor_that_is_declared_twice_in_different_ways_is_asked_about() -> None:
    assert parse_request("torch.exp(x)  # x: (8, 100)\nx is 8x64").problem is not None


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("nn.Linear(256, 512) then gelu", "linear in_features=256 out_features=512 then gelu"),
        ("nn.Sequential(nn.Linear(3, 4), nn.ReLU())", "linear in_features=3 out_features=4 then re_lu"),
        ("BatchNorm2d(32) 推理", "batch_norm2d 32 channels 推理"),
        ("nn.Softmax(dim=-1)(x)", "nn.Softmax(dim=-1)(x)"),
        ("conv = nn.Conv2d(3, 8, 3)", "conv = nn.Conv2d(3, 8, 3)"),
        ("nn.Linear(d, 4)", "nn.Linear(d, 4)"),
        ("f(x) of Q(K)", "f(x) of Q(K)"),
    ],
)
def test_modules_that_are_only_constructed_are_words(said: str, words: str) -> None:
    assert " ".join(with_constructed(said).split()) == words
