"""What random programs do in tiles: each operation as text, as PyTorch, and as what it does to the numbers' bounds.

Numbers are tracked as multiples of a step below a bound, so that a program knows which of its tiles are exact: what
jumps (comparisons, rounding, sorting, indices) takes exact tiles only, and evaluations must then agree bit by bit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

import torch

Env = dict[str, Any]
EPS = 2.0**-23
RELATIVE = 4e-6  # what an elementary function of the device library may lose
MOST = 1e4  # no tile holds larger numbers


class Unsound(Exception):
    """An operation does not suit the numbers that its operands may hold."""


class Range(NamedTuple):
    """Numbers of at most `bound`; multiples of `step` where it is not 0, else off by at most `error`."""

    bound: float
    step: float
    error: float = 0.0


State = dict[str, Range]


@dataclass
class Operation:
    """Lines of a compute block. `moves` raises Unsound, else says what the destination holds."""

    lines: tuple[str, ...]
    run: Callable[[Env], None]
    moves: Callable[[State], None]


def settled(bound: float, step: float, error: float, digits: int = 24) -> Range:
    if step and bound / step >= 2.0**digits:
        error, step = error + EPS * bound, 0.0
    if bound > MOST or (digits < 24 and not step):
        raise Unsound
    return Range(bound, step, error)


def joined(a: Range, b: Range) -> Range:
    step = min(a.step, b.step) if a.step and b.step else 0.0
    return Range(max(a.bound, b.bound), step, max(a.error, b.error) if step == 0.0 else 0.0)


def exact(s: State, *names: str) -> list[Range]:
    found = [s[n] for n in names]
    if any(not r.step for r in found):
        raise Unsound
    return found


def summed(a: Range, b: Range) -> Range:
    both = a.step and b.step
    bound = a.bound + b.bound
    error = 0.0 if both else a.error + b.error + EPS * bound
    return settled(bound, min(a.step, b.step) if both else 0.0, error)


def multiplied(a: Range, b: Range) -> Range:
    both = a.step and b.step
    bound = a.bound * b.bound
    error = 0.0 if both else a.bound * b.error + b.bound * a.error + EPS * bound
    return settled(bound, a.step * b.step if both else 0.0, error)


def scaled_sum(a: Range, count: int) -> Range:
    bound = a.bound * count
    return settled(bound, a.step, 0.0 if a.step else count * (a.error + EPS * bound))


BINARY: dict[str, tuple[Callable[..., torch.Tensor], Callable[[Range, Range], Range]]] = {
    "add": (torch.add, summed), "sub": (torch.sub, summed), "mul": (torch.mul, multiplied),
    "maximum": (torch.maximum, joined), "minimum": (torch.minimum, joined),
}  # fmt: skip
UNARY: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "abs": torch.abs, "neg": torch.neg, "relu": torch.relu, "copy": torch.clone,
}  # fmt: skip
JUMPS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "floor": torch.floor, "ceil": torch.ceil, "round": torch.round, "trunc": torch.trunc, "sign": torch.sign,
}  # fmt: skip
# name -> PyTorch, largest argument, largest slope there, largest result there
SMOOTH: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], float, float, float]] = {
    "exp": (torch.exp, 4.0, 55.0, 55.0),
    "tanh": (torch.tanh, 50.0, 1.0, 1.0),
    "sigmoid": (torch.sigmoid, 50.0, 0.25, 1.0),
    "erf": (torch.erf, 50.0, 1.13, 1.0),
    "gelu": (torch.nn.functional.gelu, 50.0, 1.13, 50.0),
    "gelu_tanh": (lambda x: torch.nn.functional.gelu(x, approximate="tanh"), 50.0, 1.13, 50.0),
    "silu": (torch.nn.functional.silu, 50.0, 1.1, 50.0),
    "softplus": (lambda x: torch.log1p(torch.exp(x.double())).float(), 50.0, 1.0, 51.0),
    "sin": (torch.sin, 50.0, 1.0, 1.0),
    "cos": (torch.cos, 50.0, 1.0, 1.0),
    "expm1": (torch.expm1, 4.0, 55.0, 55.0),
}
# what is taken of |x| + 1: slope at most 1
ABOVE_ONE: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "ln": torch.log, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "reciprocal": torch.reciprocal, "log1p": torch.log1p,
}  # fmt: skip
REDUCE: dict[str, Callable[[torch.Tensor, int], torch.Tensor]] = {
    "reduce_sum": lambda x, d: x.sum(d, dtype=x.dtype),
    "reduce_max": lambda x, d: x.amax(d),
    "reduce_min": lambda x, d: x.amin(d),
    "reduce_prod": lambda x, d: x.prod(d, dtype=x.dtype),
}
SCAN: dict[str, Callable[[torch.Tensor, int], torch.Tensor]] = {
    "scan_sum": lambda x, d: x.cumsum(d, dtype=x.dtype),
    "scan_max": lambda x, d: x.cummax(d)[0],
    "scan_min": lambda x, d: x.cummin(d)[0],
}
COMPARE: dict[str, Callable[..., torch.Tensor]] = {
    "eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge,
}  # fmt: skip
SCATTER = {"scatter_add": "sum", "scatter_max": "amax", "scatter_min": "amin"}
ROUNDED: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "rint": torch.round, "floor": torch.floor, "ceil": torch.ceil, "trunc": torch.trunc,
    "round": lambda x: torch.trunc(x + torch.copysign(torch.full_like(x, 0.5), x)),
}  # fmt: skip


class Tiles:
    """Draws operations on the tiles of one phase: matrices a to d (n, cols), rows' values u v (n), columns' values g h
    (cols), int32 i (n, cols), half h16 (n, cols), places p (cols), a mask, and what sorting and turning take."""

    def __init__(self, source: Random, phase: int, rows: int, cols: int, keep: int) -> None:
        self.source, self.phase, self.rows, self.cols, self.keep = source, phase, rows, cols, keep
        self.state: State = {}

    def name(self, tile: str) -> str:
        return f"{tile}_{self.phase}"

    def pick(self, kind: str) -> str:
        """Return a tile of a kind that holds something."""
        held = [t for t in kind if t in self.state]
        if not held:
            raise Unsound
        return self.source.choice(held)

    def to(self, kind: str) -> str:
        return self.source.choice(kind)

    def operation(self) -> Operation:
        """Return an operation that suits what the tiles hold; raise Unsound if none is found quickly."""
        for _ in range(30):
            try:
                made = self.source.choice(KINDS)(self)
                state = dict(self.state)
                made.moves(state)
            except Unsound:
                continue
            self.state = state
            return made
        raise Unsound

    def plain(
        self, text: str, dst: str, run: Callable[[Env], Any], moves: Callable[[State], Range]
    ) -> Operation:
        """Return an operation of one or more lines: tiles stand in braces in the text."""
        lines = tuple(line.format_map({t: self.name(t) for t in TILES}) for line in text.split("; "))

        def act(env: Env) -> None:
            env[dst] = run(env)

        def move(state: State) -> None:
            try:
                state[dst] = moves(state)
            except KeyError as missing:
                raise Unsound from missing

        return Operation(lines, act, move)

    def binary(self) -> Operation:
        name = self.source.choice(tuple(BINARY))
        f, r = BINARY[name]
        kind = self.source.choice(("abcd", "abcd", "uv", "gh"))
        d, x, y = self.to(kind), self.pick(kind), self.pick(kind)
        return self.plain(
            f"{name}({{{d}}}, {{{x}}}, {{{y}}})", d, lambda e: f(e[x], e[y]), lambda s: r(s[x], s[y])
        )

    def with_number(self) -> Operation:
        name = self.source.choice(("add", "sub", "mul", "div", "maximum", "minimum"))
        d, x, c = self.to("abcd"), self.pick("abcd"), self.source.choice((0.5, -1.0, 2.0, 0.25, -3.0))
        if name == "div":
            c = abs(c) if abs(c) != 3.0 else 2.0
        first = name != "div" and self.source.random() < 0.3
        f, r = BINARY["mul" if name == "div" else name]
        v = torch.tensor(1 / c if name == "div" else c)
        size = Range(abs(float(v)), 0.25)
        said = f"{c}, {{{x}}}" if first else f"{{{x}}}, {c}"
        return self.plain(
            f"{name}({{{d}}}, {said})",
            d,
            lambda e: f(v, e[x]) if first else f(e[x], v),
            lambda s: r(s[x], size),
        )

    def view(self) -> Operation:
        name = self.source.choice(tuple(BINARY))
        f, r = BINARY[name]
        d, x = self.to("abcd"), self.pick("abcd")
        column = self.source.random() < 0.5
        v = self.pick("uv" if column else "gh")
        shown = f"{{{v}}}[:, None]" if column else f"{{{v}}}[None, :]"
        first = self.source.random() < 0.3

        def run(e: Env) -> torch.Tensor:
            spread = e[v][:, None] if column else e[v][None, :]
            return (f(spread, e[x]) if first else f(e[x], spread)).clone()

        said = f"{shown}, {{{x}}}" if first else f"{{{x}}}, {shown}"
        return self.plain(f"{name}({{{d}}}, {said})", d, run, lambda s: r(s[x], s[v]))

    def fused(self) -> Operation:
        d = self.pick("abcd")
        if self.source.random() < 0.5:
            v, c = self.pick("uv"), self.source.choice((0.5, -1.0, 2.0, -3.0))
            size = Range(abs(c), 0.25)
            return self.plain(
                f"mul_add({{{d}}}, {{{d}}}, {{{v}}}[:, None], {c})",
                d,
                lambda e: e[d] * c + e[v][:, None],
                lambda s: summed(multiplied(s[d], size), s[v]),
            )
        v, w = self.pick("gh"), self.pick("gh")
        return self.plain(
            f"mul_add({{{d}}}, {{{d}}}, {{{v}}}[None, :], {{{w}}}[None, :])",
            d,
            lambda e: e[d] * e[w][None, :] + e[v][None, :],
            lambda s: summed(multiplied(s[d], s[w]), s[v]),
        )

    def unary(self) -> Operation:
        name = self.source.choice(tuple(UNARY))
        kind = self.source.choice(("abcd", "uv", "gh"))
        d, x, f = self.to(kind), self.pick(kind), UNARY[name]
        return self.plain(f"{name}({{{d}}}, {{{x}}})", d, lambda e: f(e[x]), lambda s: s[x])

    def square(self) -> Operation:
        d, x = self.to("abcd"), self.pick("abcd")
        if self.source.random() < 0.5:
            slope = self.source.choice((0.25, 0.5))
            return self.plain(
                f"leaky_relu({{{d}}}, {{{x}}}, {slope})", d, lambda e: torch.nn.functional.leaky_relu(e[x], slope),
                lambda s: joined(s[x], multiplied(s[x], Range(slope, 0.25))),
            )  # fmt: skip
        name = self.source.choice(("square({0}, {1})", "power({0}, {1}, 2.0)"))
        text = name.format(f"{{{d}}}", f"{{{x}}}")
        return self.plain(text, d, lambda e: e[x] * e[x], lambda s: multiplied(s[x], s[x]))

    def jump(self) -> Operation:
        name = self.source.choice(tuple(JUMPS))
        d, x, f = self.to("abcd"), self.pick("abcd"), JUMPS[name]
        return self.plain(
            f"{name}({{{d}}}, {{{x}}})",
            d,
            lambda e: f(e[x]),
            lambda s: settled(exact(s, x)[0].bound + 1, 1.0, 0),
        )

    def smooth(self) -> Operation:
        name = self.source.choice(tuple(SMOOTH))
        f, most, slope, top = SMOOTH[name]
        d, x = self.to("abcd"), self.pick("abcd")

        def moves(s: State) -> Range:
            if s[x].bound > most:
                raise Unsound
            return settled(top, 0.0, slope * s[x].error + RELATIVE * top)

        return self.plain(f"{name}({{{d}}}, {{{x}}})", d, lambda e: f(e[x]), moves)

    def above_one(self) -> Operation:
        name = self.source.choice(tuple(ABOVE_ONE))
        d, x, f = self.to("abcd"), self.pick("abcd"), ABOVE_ONE[name]
        text = f"abs({{{d}}}, {{{x}}}); add({{{d}}}, {{{d}}}, 1.0); {name}({{{d}}}, {{{d}}})"
        return self.plain(
            text, d, lambda e: f(e[x].abs() + 1.0),
            lambda s: settled(s[x].bound + 2, 0.0, s[x].error + RELATIVE * (s[x].bound + 2)),
        )  # fmt: skip

    def quotient(self) -> Operation:
        d, x, y = self.to("ab"), self.pick("abcd"), self.pick("cd")
        if d == x:
            raise Unsound
        text = f"abs({{{d}}}, {{{y}}}); add({{{d}}}, {{{d}}}, 1.0); div({{{d}}}, {{{x}}}, {{{d}}})"

        def moves(s: State) -> Range:
            error = s[x].error + s[x].bound * s[y].error + RELATIVE * s[x].bound
            return settled(s[x].bound, 0.0, error)

        return self.plain(text, d, lambda e: e[x] / (e[y].abs() + 1.0), moves)

    def reduced(self) -> Operation:
        name = self.source.choice(tuple(REDUCE))
        x, axis = self.pick("abcd"), self.source.choice((-1, 0, None))
        count = {-1: self.cols, 0: self.rows, None: self.cols * self.rows}[axis]
        f = REDUCE[name]

        def moves(s: State) -> Range:
            if name == "reduce_sum":
                return scaled_sum(s[x], count)
            if name == "reduce_prod":
                if s[x].bound > 1:
                    raise Unsound
                return settled(1.0, 0.0, count * (s[x].error + 2 * EPS))
            return s[x]

        if axis is None:
            d, z = self.to("abcd"), self.pick("abcd")
            text = f"{name}({{q}}, {{{x}}}, axis=None); seen = {{q}}[0]; add({{{d}}}, {{{z}}}, seen)"
            return self.plain(
                text, d, lambda e: e[z] + f(e[x].reshape(-1), 0), lambda s: summed(s[z], moves(s))
            )
        d = self.to("uv" if axis == -1 else "gh")
        said = "" if axis == -1 else ", axis=0"
        return self.plain(f"{name}({{{d}}}, {{{x}}}{said})", d, lambda e: f(e[x], axis), moves)

    def end_row(self) -> Operation:
        last = self.source.random() < 0.5
        d, x = self.to("gh"), self.pick("abcd")
        name = "reduce_last" if last else "reduce_first"
        return self.plain(
            f"{name}({{{d}}}, {{{x}}}, axis=0)", d, lambda e: e[x][-1 if last else 0].clone(), lambda s: s[x]
        )

    def scanned(self) -> Operation:
        name, kind = self.source.choice(tuple(SCAN)), self.source.choice(("abcd", "abcd", "gh"))
        d, x, f = self.to(kind), self.pick(kind), SCAN[name]
        axis = 0 if kind == "gh" or self.source.random() < 0.4 else 1
        back = self.source.random() < 0.4
        said = (", axis=0" if axis == 0 and kind != "gh" else "") + (", reverse=True" if back else "")
        count = self.rows if axis == 0 and kind != "gh" else self.cols

        def run(e: Env) -> torch.Tensor:
            return f(e[x].flip(axis), axis).flip(axis) if back else f(e[x], axis)

        return self.plain(
            f"{name}({{{d}}}, {{{x}}}{said})", d, run,
            lambda s: scaled_sum(s[x], count) if name == "scan_sum" else s[x],
        )  # fmt: skip

    def masked(self) -> Operation:
        """Compare, join masks, and choose by them."""
        first, second = (self.source.choice(tuple(COMPARE)) for _ in range(2))
        x, y, t = (self.pick("abcd") for _ in range(3))
        d = self.to("abcd")
        logic = self.source.choice(("mask_and", "mask_or", "mask_not"))
        other, number = self.pick("abcd"), self.source.choice((0.0, 0.5, -1.0))
        text = f"{first}({{m}}, {{{x}}}, {{{y}}}); {second}({{k}}, {{{y}}}, {number}); "
        text += "mask_not({m}, {m}); " if logic == "mask_not" else f"{logic}({{m}}, {{m}}, {{k}}); "
        how = self.source.randrange(4)
        chosen = (
            f"where({{{d}}}, {{m}}, {{{t}}}, {{{other}}})",
            f"where({{{d}}}, {{m}}, {{{t}}}, {number})",
            f"where({{{d}}}, {{m}}, {number}, {{{other}}})",
            f"cast({{{d}}}, {{m}})",
        )[how]

        def run(e: Env) -> torch.Tensor:
            m, k = COMPARE[first](e[x], e[y]), COMPARE[second](e[y], number)
            m = ~m if logic == "mask_not" else m & k if logic == "mask_and" else m | k
            a = torch.tensor(number) if how == 2 else e[t]
            b = torch.tensor(number) if how == 1 else e[other]
            return m.float() if how == 3 else torch.where(m, a, b)

        def moves(s: State) -> Range:
            exact(s, x, y)
            few = Range(max(abs(number), 1.0), 0.5)
            return (joined(s[t], s[other]), joined(s[t], few), joined(few, s[other]), few)[how]

        return self.plain(text + chosen, d, run, moves)

    def integers(self) -> Operation:
        """Go to int32, compute there, and come back."""
        x, d = self.pick("abcd"), self.to("abcd")
        way = self.source.choice(tuple(ROUNDED))
        name = self.source.choice(
            (
                "add",
                "sub",
                "mul",
                "maximum",
                "shift_left",
                "shift_right",
                "bit_and",
                "bit_or",
                "bit_not",
                "scan_sum",
            )
        )
        c = self.source.choice((1, 3, -2)) if name in ("add", "sub", "mul", "maximum") else 2
        call = {
            "bit_not": "bit_not({i}, {i})",
            "bit_and": "bit_not({o}, {i}); shift_right({o}, {o}, 1); bit_and({i}, {i}, {o})",
            "bit_or": "shift_left({o}, {i}, 1); bit_or({i}, {i}, {o})",
            "scan_sum": "scan_sum({i}, {i})",
        }.get(name, f"{name}({{i}}, {{i}}, {c})")

        def run(e: Env) -> torch.Tensor:
            i = ROUNDED[way](e[x]).to(torch.int32)
            match name:
                case "add" | "sub" | "mul":
                    i = getattr(torch, name)(i, c)
                case "maximum":
                    i = i.clamp(min=c)
                case "shift_left":
                    i = i << c
                case "shift_right":
                    i = i >> c
                case "bit_and":
                    i = i & (~i >> 1)
                case "bit_or":
                    i = i | (i << 1)
                case "bit_not":
                    i = ~i
                case _:
                    i = i.cumsum(1, dtype=torch.int32)
            e["i"] = i
            return i.float()

        def moves(s: State) -> Range:
            bound = (exact(s, x)[0].bound + 4) * (self.cols if name == "scan_sum" else 4)
            s["i"] = settled(bound, 1.0, 0.0)
            return s["i"]

        return self.plain(
            f'cast({{i}}, {{{x}}}, rounding="{way}"); {call}; cast({{{d}}}, {{i}})', d, run, moves
        )

    def halves(self) -> Operation:
        """Go to float16, compute there, and come back."""
        x, y, d = self.pick("abcd"), self.pick("abcd"), self.to("abcd")
        name = self.source.choice(("add", "sub", "maximum", "minimum"))
        f, r = BINARY[name]
        text = f"cast({{e}}, {{{x}}}); cast({{f}}, {{{y}}}); {name}({{e}}, {{e}}, {{f}}); abs({{e}}, {{e}}); "
        text += f"cast({{{d}}}, {{e}})"

        def moves(s: State) -> Range:
            a, b = exact(s, x, y)
            for one in (a, b):
                settled(one.bound, one.step, 0.0, 11)
            return settled(*r(a, b)[:2], 0.0, 11)

        return self.plain(text, d, lambda e: f(e[x].half(), e[y].half()).abs().float(), moves)

    def sorted(self) -> Operation:
        """Sort rows and pick from the sorted values or places."""
        x, places = self.pick("abcd"), self.source.random() < 0.5
        d, k = self.to("abcd"), self.keep
        text = f"sort({{s}}, {{{x}}}, 2); iota({{p}}, 0, cols); minimum({{p}}, {{p}}, keep - 1); "
        if places:
            text += (
                f"sorted_places({{w}}, {{s}}, (n, keep)); gather({{i}}, {{w}}, {{p}}); cast({{{d}}}, {{i}})"
            )
        else:
            text += f"sorted_values({{t}}, {{s}}, (n, keep)); gather({{{d}}}, {{t}}, {{p}})"

        def run(e: Env) -> torch.Tensor:
            values, order = torch.sort(e[x], dim=1, descending=True, stable=True)
            e["p"] = torch.arange(self.cols).clamp(max=k - 1).to(torch.int32)
            at = e["p"].long()
            if places:
                e["i"] = (order[:, at] + 2).to(torch.int32)
                return e["i"].float()
            return values[:, at]

        def moves(s: State) -> Range:
            held = exact(s, x)[0]
            s["p"] = Range(self.cols, 1.0)
            if places:
                s["i"] = Range(self.cols + 2.0, 1.0)
            return Range(self.cols + 2.0, 1.0) if places else held

        return self.plain(text, d, run, moves)

    def largest_place(self) -> Operation:
        """Find in each row the place of the first largest (or smallest) element, without sorting."""
        name = self.source.choice(("reduce_max", "reduce_min"))
        x, d, z = self.pick("abcd"), self.to("uv"), self.source.choice("gh")
        first = self.source.random() < 0.5
        end, far = ("reduce_min", "1000.0") if first else ("reduce_max", "-1.0")
        text = f"{name}({{{d}}}, {{{x}}}); iota({{{z}}}, 0, cols); broadcast({{y}}, {{{d}}}[:, None], (n, cols)); "
        text += f"eq({{m}}, {{{x}}}, {{y}}); broadcast({{y}}, {{{z}}}[None, :], (n, cols)); "
        text += f"where({{y}}, {{m}}, {{y}}, {far}); {end}({{{d}}}, {{y}})"

        def run(e: Env) -> torch.Tensor:
            best = REDUCE[name](e[x], 1)
            e[z] = torch.arange(self.cols).float()
            places = torch.where(e[x] == best[:, None], e[z][None, :], float(far))
            return REDUCE[end](places, 1)

        def moves(s: State) -> Range:
            exact(s, x)
            s[z] = Range(float(self.cols), 1.0)
            return Range(float(self.cols), 1.0)

        return self.plain(text, d, run, moves)

    def best_of_columns(self) -> Operation:
        """Keep the best of two vectors, as records."""
        x, y, d = self.pick("gh"), self.pick("gh"), self.to("gh")
        text = f"fill({{z}}, 0.0); sort({{r}}, {{{x}}}, 0); keep_top({{z}}, {{r}}, True); sort({{r}}, {{{y}}}, cols); "
        text += "keep_top({z}, {r}, False); iota({p}, 0, cols); minimum({p}, {p}, keep - 1); "
        text += f"sorted_values({{x}}, {{z}}, keep); gather({{{d}}}, {{x}}, {{p}})"

        def run(e: Env) -> torch.Tensor:
            best = torch.cat([e[x], e[y]]).sort(descending=True, stable=True)[0][: self.keep]
            e["p"] = torch.arange(self.cols).clamp(max=self.keep - 1).to(torch.int32)
            return best[e["p"].long()]

        def moves(s: State) -> Range:
            exact(s, x, y)
            s["p"] = Range(self.cols, 1.0)
            return joined(s[x], s[y])

        return self.plain(text, d, run, moves)

    def places(self) -> Operation:
        """Make places of columns: turned round, or all from one on."""
        back, shift = self.source.random() < 0.5, self.source.randrange(self.cols)
        text = (
            "iota({p}, 0, cols); mul({p}, {p}, -1); add({p}, {p}, cols - 1)"
            if back
            else f"iota({{p}}, {shift}, cols); minimum({{p}}, {{p}}, cols - 1)"
        )

        def run(e: Env) -> torch.Tensor:
            at = torch.arange(self.cols)
            return (self.cols - 1 - at if back else (at + shift).clamp(max=self.cols - 1)).to(torch.int32)

        return self.plain(text, "p", run, lambda _: Range(self.cols, 1.0))

    def gathered(self) -> Operation:
        kind = self.source.choice(("abcd", "gh"))
        d, x = self.to(kind), self.pick(kind)
        if d == x or "p" not in self.state:
            raise Unsound
        return self.plain(
            f"gather({{{d}}}, {{{x}}}, {{p}})", d, lambda e: e[x][..., e["p"].long()], lambda s: s[x]
        )

    def scattered(self) -> Operation:
        name = self.source.choice(("scatter", *SCATTER))
        d, x = self.pick("gh"), self.pick("gh")
        if d == x or "p" not in self.state:
            raise Unsound

        def run(e: Env) -> torch.Tensor:
            into, at = e[d].clone(), e["p"].long()
            if name == "scatter":
                for place, value in zip(at.tolist(), e[x].tolist(), strict=True):
                    into[place] = value
                return into
            return into.scatter_reduce(0, at, e[x], SCATTER[name])

        def moves(s: State) -> Range:
            return summed(s[d], scaled_sum(s[x], self.cols)) if name == "scatter_add" else joined(s[d], s[x])

        return self.plain(f"{name}({{{d}}}, {{p}}, {{{x}}})", d, run, moves)

    def turned(self) -> Operation:
        """Turn a matrix, reduce or add up there, and turn it back."""
        x, d = self.pick("abcd"), self.to("abcd")
        inner = self.source.choice(("neg({l}, {l})", "scan_max({l}, {l})", "scan_sum({l}, {l}, axis=0)"))

        def run(e: Env) -> torch.Tensor:
            t = e[x].T
            t = -t if inner[0] == "n" else t.cummax(1)[0] if "max" in inner else t.cumsum(0)
            return t.T.contiguous()

        return self.plain(
            f"transpose({{l}}, {{{x}}}); {inner}; transpose({{{d}}}, {{l}})", d, run,
            lambda s: scaled_sum(s[x], self.cols) if "sum" in inner else s[x],
        )  # fmt: skip

    def filled(self) -> Operation:
        if self.source.random() < 0.5:
            d, c = self.to("abcd"), self.source.choice((0.0, 1.5, -2.0))
            return self.plain(
                f"fill({{{d}}}, {c}, (n, cols))", d, lambda e: torch.full((e["n"], self.cols), c),
                lambda _: Range(max(abs(c), 1.0), 0.5),
            )  # fmt: skip
        d, column = self.to("abcd"), self.source.random() < 0.5
        v = self.pick("uv" if column else "gh")
        shown = f"{{{v}}}[:, None]" if column else f"{{{v}}}[None, :]"

        def run(e: Env) -> torch.Tensor:
            spread = e[v][:, None] if column else e[v][None, :]
            return spread.expand(e["n"], self.cols).clone()

        return self.plain(f"broadcast({{{d}}}, {shown}, (n, cols))", d, run, lambda s: s[v])


TILES = "abcdefghijklmnopqrstuvwxyz"
KINDS: tuple[Callable[[Tiles], Operation], ...] = (
    *[Tiles.binary, Tiles.view, Tiles.smooth, Tiles.above_one, Tiles.quotient, Tiles.reduced] * 2,
    Tiles.with_number, Tiles.unary, Tiles.square, Tiles.fused, Tiles.jump, Tiles.end_row, Tiles.scanned, Tiles.masked,
    Tiles.integers, Tiles.halves, Tiles.sorted, Tiles.largest_place, Tiles.best_of_columns, Tiles.places,
    Tiles.gathered, Tiles.scattered, Tiles.turned, Tiles.filled,
)  # fmt: skip
