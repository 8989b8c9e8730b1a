"""Write sentences from a grammar: `python tests/agents/sentences/generate.py > tests/agents/sentences/generated.txt`.

What is asked for (operator, attributes, type, shape) is drawn first, then how it is said: order, politeness, language,
units, follow-ups, corrections, words that mean nothing. What is expected comes from the drawing, not from the reader.
"""

import json
import random
from pathlib import Path
from typing import Any, NamedTuple

COUNT = 720
GRAMMAR: dict[str, Any] = json.loads(Path(__file__).with_name("grammar.json").read_text(encoding="utf-8"))
TYPES: dict[str, list[str]] = GRAMMAR["types"]
EN, ZH = GRAMMAR["english"], GRAMMAR["chinese"]
SHAPED = ("{}", "{}", "[{}]", "({})", " by ", " x ", "*")
ALONG = ("dims", "reduced")  # what may be said of operators that work along the last axis unless told


class Operator(NamedTuple):
    """An operator: its names, what it computes, what may be said of it (English, Chinese, arguments)."""

    en: list[str]
    zh: list[str]
    expression: str
    said: list[list[str]]
    shapes: list[str]
    must: bool  # one of `said` must be said
    along: bool


def _operator(entry: dict[str, Any]) -> Operator:
    said, shapes = entry["said"], entry["shapes"]
    return Operator(
        entry["en"],
        entry["zh"],
        entry["expression"],
        GRAMMAR["said"][said] if isinstance(said, str) else said,
        GRAMMAR["shapes"][shapes] if isinstance(shapes, str) else shapes,
        entry["must"],
        said in ALONG,
    )


OPERATORS = [_operator(entry) for entry in GRAMMAR["operators"]]


def shaped(draw: random.Random, shape: str, *, chinese: bool) -> str:
    """Write a shape in one of the ways in which people write it."""
    sizes = shape.split("x")
    if len(sizes) == 1:
        return draw.choice((f"[{shape}]", f"{shape} elements" if not chinese else f"{shape}个元素"))
    form = draw.choice(SHAPED)
    if form in ("[{}]", "({})"):
        return form.format(", ".join(sizes))
    if form == " by " and chinese:
        return "乘".join(sizes)
    return shape if "{" in form else form.join(sizes)


def asked(draw: random.Random) -> str:
    """Draw one request that can be served, and write it with what is expected."""
    op = draw.choice(OPERATORS)
    chinese = draw.random() < 0.4
    shape, dtype = draw.choice(op.shapes), draw.choice(list(TYPES))
    name = draw.choice(op.zh if chinese else op.en)
    given = draw.choice(op.said) if op.said and (op.must or draw.random() < 0.6) else None
    if given is not None and len(shape.split("x")) < 2:
        shape = op.shapes[0]
    kind = draw.choice(TYPES[dtype][:5] if not chinese else [TYPES[dtype][0], *TYPES[dtype][5:]])
    where = shaped(draw, shape, chinese=chinese)
    if given is not None:
        name = (
            f"{name}，{given[1]}" if chinese else draw.choice((f"{name} {given[0]}", f"{name}, {given[0]}"))
        )
    text = draw.choice(ZH if chinese else EN).format(op=name, t=kind, s=where)
    return f"{text} => {expected(op, given)} | {shape} | {dtype}"


def expected(op: Operator, given: list[str] | None) -> str:
    arguments = given[2] if given is not None else "dim=-1" if op.along else ""
    inside = f", {arguments}" if arguments else ""
    return op.expression.format(inside if "{})" in op.expression or "{}," in op.expression else "")


def plain(draw: random.Random) -> tuple[Operator, str]:
    """Draw an operator of one tensor that keeps its shape, and one of its names."""
    while True:
        op = draw.choice(OPERATORS[:34])
        if not op.must and "x1" not in op.expression:
            return op, op.en[0]


def followed(draw: random.Random) -> str:
    """Draw a follow-up: another type, another shape, another operator, one more."""
    (op, name), (other, second) = plain(draw), plain(draw)
    first, then = draw.sample(list(TYPES), 2)
    shape, later = draw.sample(("8x40", "64x100", "128x256"), 2)
    begin = f"{name} {TYPES[first][0]} {shape}"
    body, inner = expected(op, None), expected(other, None)
    chain = inner.replace("x0", f"({body})")
    changes = (
        (f"make it {TYPES[then][0]}", f"{body} | {shape} | {then}"),
        (f"{later}", f"{body} | {later} | {first}"),
        (f"now {second}", f"{inner} | {shape} | {first}"),
        (f"then {second}", f"{chain} | {shape} | {first}"),
        (f"also {TYPES[then][0]}", f"{body} | {shape} | {first},{then}"),
        (f"改成{TYPES[then][0]}", f"{body} | {shape} | {then}"),
        (f"换成 {second}，形状 {later}", f"{inner} | {later} | {first}"),
        (f"followed by a {second}", f"{chain} | {shape} | {first}"),
        (f"再接一个 {second}", f"{chain} | {shape} | {first}"),
        ("make it sparkle", "?unclear"),
        ("and with more wibble", "?unclear"),
        (f"in {TYPES[then][0]} and {later} please", f"{body} | {later} | {then}"),
    )
    said, result = draw.choice(changes)
    if name == second and ("now" in said or "换成" in said):
        return followed(draw)
    return f"{begin} >> {said} => {result}"


def composed(draw: random.Random) -> str:
    """Draw a chain, a formula, a correction, several types, a product, or a question."""
    (op, name), (other, second) = plain(draw), plain(draw)
    while second == name:
        other, second = plain(draw)
    kind, shape = draw.choice(list(TYPES)), draw.choice(("8x40", "64x100", "16x16"))
    t, body, inner = TYPES[kind][0], expected(op, None), expected(other, None)
    chain, tail = inner.replace("x0", f"({body})"), f"| {shape} | {kind}"
    m, k, n = (draw.choice((16, 32, 64)) for _ in range(3))
    a, b = draw.choice("234"), draw.choice(("0.5", "1.5"))
    product = f"| {m}x{k} {k}x{n} | {kind}"
    return draw.choice(
        (
            f"{name}, then {second}, {t} {shape} => {chain} {tail}",
            f"{name} followed by {second}, {t}, {shape} => {chain} {tail}",
            f"先 {name} 再 {second}，{t}，{shape} => {chain} {tail}",
            f"{name} 后接 {second}，{t}，{shape} => {chain} {tail}",
            f"{second} of the {name} of x, {t} {shape} => {chain} {tail}",
            f"not {second}, {name}, {t} {shape} => {body} {tail}",
            f"{name} instead of {second}, {t} {shape} => {body} {tail}",
            f"{second}, no wait, {name}, {t} {shape} => {body} {tail}",
            f"不要 {second}，要 {name}，{t} {shape} => {body} {tail}",
            f"{name} or {second} {t} {shape} => ?unclear",
            f"x * {a} + y, {t}, {shape} => x0 * {a} + x1 {tail}",
            f"{b} * x - y / {a} {t} {shape} => {b} * x0 - x1 / {a} {tail}",
            f"(x + y) * {a} in {t}, {shape} => (x0 + x1) * {a} {tail}",
            f"exp(x) / (y * y + {a}), {t} {shape} => torch.exp(x0) / (x1 * x1 + {a}) {tail}",
            f"tanh(x) * sigmoid(y) {t} {shape} => torch.tanh(x0) * torch.sigmoid(x1) {tail}",
            f"{name}, then multiply by {b}, {t} {shape} => ({body}) * {b} {tail}",
            f"add {a}, then {name}, {t} {shape} => {body.replace('x0', f'(x0 + {a})')} {tail}",
            f"{name}, then add a bias, {t} {shape} => ({body}) + x1 {tail}",
            f"matmul {m}x{k} times {k}x{n} {t} => torch.matmul(x0, x1) {product}",
            f"{m}x{k} @ {k}x{n} in {t} => torch.matmul(x0, x1) {product}",
            f"矩阵乘 {m}x{k} 乘以 {k}x{n}，{t} => torch.matmul(x0, x1) {product}",
            f"gemm, m={m}, n={n}, k={k}, {t} => torch.matmul(x0, x1) {product}",
            f"matmul of {m}x{k} and {k}x{n}, then relu, {t} => torch.relu(torch.matmul(x0, x1)) {product}",
            f"matmul 后接 gelu，{m}x{k} 和 {k}x{n}，{t} => F.gelu(torch.matmul(x0, x1)) {product}",
            f"linear layer from {k} to {n}, batch {m}, {t} => F.linear(x0, x1, x2) | {m}x{k} {n}x{k} {n} | {kind}",
            f"{name} in fp16 and fp32, {shape} => {body} | {shape} | h,f",
            f"{name} {t} at 512 and 2048 => {body} | 512;2048 | {kind}",
            f"{name} {t} => ?shape",
            f"{name} {shape} => {body} | {shape} | f",
            f"{name} {t} {shape} with flurb 3 => ?unclear",
            f"{name}x {t} {shape} => ?unclear",
            f"{name} {t} 0x4 => !",
            f"{name} slope {b} twist {a} {t} {shape} => ?unclear",
            f"please {name} >> {t} >> {shape} => {body} {tail}",
            f"{name} {t} {shape} dim 9 => ?unclear",
            f"softmax {t} {shape} dim 9 => !",
            f"conv2d {t} 1x4x8x8 => ?attribute",
        )
    )


def main() -> None:
    draw = random.Random(20_26)
    lines: dict[str, None] = {}
    while len(lines) < COUNT:
        kind = draw.random()
        line = asked(draw) if kind < 0.55 else followed(draw) if kind < 0.72 else composed(draw)
        lines.setdefault(line)
    print("# Written by generate.py; how a line is read stands in check.py.")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
