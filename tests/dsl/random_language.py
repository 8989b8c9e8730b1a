"""Random programs of the whole language, each with what it means in PyTorch.

A program works on rows of a matrix in one to three phases. Every phase loads (as it lies, strided, guarded, by an
index, from what the phase before it stored or multiplied), computes, loops (also to ends that it reads), branches and
stores (as it lies, by a permutation, adding).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import torch

from tests.dsl.random_tiles import Env, Range, State, Tiles, Unsound, joined, scaled_sum

Step = Callable[[Env], None]
SPACES = ("ws0", "wp0", "ws1", "wp1")  # what a phase stores, and its product with the weights
DIGITS = {"float32": 24, "float16": 11, "bfloat16": 8}
ALLOCATIONS = {
    "abcdy": "(row_tile, cols), float32", "uv": "row_tile, float32", "gh": "cols, float32",
    "io": "(row_tile, cols), int32",
    "ef": "(row_tile, cols), float16", "p": "cols, int32", "mk": "(row_tile, cols), mask",
    "s": "(row_tile, wide), float32", "r": "wide, float32", "z": "kept, float32", "t": "(row_tile, keep), float32",
    "w": "(row_tile, keep), int32", "x": "keep, float32", "l": "(cols, row_tile), float32", "q": "8, float32",
    "j": "row_tile, int32", "n": "row_tile, int32",
}  # fmt: skip


@dataclass
class RandomProgram:
    """Text, data and meaning. `error` bounds what y0, y1 and y2 may be off, before they are rounded to `dtype`."""

    text: str
    dtype: str
    inputs: list[torch.Tensor]
    outputs: list[torch.Tensor]  # y0, y1, y2, yi
    error: list[float]
    exact: list[bool]
    attrs: dict[str, int]
    steps: int


@dataclass
class _Body:
    """Statements under construction: lines of text, and steps that do the same in PyTorch."""

    lines: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    moves: list[Callable[[State], None]] = field(default_factory=list)

    def run(self, env: Env) -> None:
        for step in self.steps:
            step(env)


class Generator:
    """Draws one program from a seed. Steps in `left_out`, counted in their order, are left out of it."""

    def __init__(self, seed: str, left_out: frozenset[int]) -> None:
        self.source = source = Random(seed)
        self.seed, self.left_out, self.count = seed, left_out, 0
        self.dtype = source.choice(tuple(DIGITS))
        self.rows, self.cols = source.choice((1, 3, 7, 16, 33)), source.choice((1, 5, 8, 31, 64, 70, 130))
        self.row_tile = source.choice((1, 2, 5, 8))
        self.cores = source.choice((1, 2, 3, 7))
        self.keep = source.randint(1, self.cols)
        numbers = torch.Generator().manual_seed(source.randrange(2**31))

        def whole(low: int, high: int, shape: tuple[int, ...]) -> torch.Tensor:
            return torch.randint(low, high, shape, generator=numbers, dtype=torch.int32)

        shape = (self.rows, self.cols)
        self.x = [(whole(-16, 17, shape) / 4).to(getattr(torch, self.dtype)) for _ in range(2)]
        self.picks = whole(0, self.rows, (self.rows,))
        self.order = torch.randperm(self.rows, generator=numbers).to(torch.int32)
        self.counts = whole(0, 4, (self.rows,))
        self.weight = (whole(-4, 5, (self.cols, self.cols)) / 2).to(torch.float32)
        self.loaded = Range(4.0, 0.25)
        self.between: Range | None = None  # what the phase before left in the workspace
        self.product = False  # it was multiplied since
        self.y0: Range | None = None

    def program(self) -> RandomProgram:
        """Return a program; raise Unsound where the draws lead nowhere."""
        phases = self.source.choice((1, 1, 2, 3))
        multiplies = [self.source.random() < 0.3 for _ in range(phases)]
        kernel: list[str] = []
        runs: list[_Body | int] = []  # a phase, or after which one to multiply
        for phase in range(phases):
            head, body, last = self.phase(phase, last=phase == phases - 1)
            kernel += ["sync_all()"] * bool(phase) + head
            kernel += ["for r in range(program_id() * row_tile, rows, num_programs() * row_tile):"]
            kernel += ["    n = min(row_tile, rows - r)", *("    " + line for line in body.lines)]
            runs.append(body)
            if not last and multiplies[phase]:
                kernel += self.multiplied()
                runs.append(phase)
        env = self.memory()
        for run in runs:
            if isinstance(run, int):
                env[f"wp{run}"] = env[f"ws{run}"] @ self.weight
                continue
            for r in range(0, self.rows, self.row_tile):
                env |= {"r": r, "n": min(self.row_tile, self.rows - r)}
                run.run(env)
        error, exact = [], []
        for held in (self.y0, self.permuted, self.added):
            error.append(held.error if held else 0.0)
            exact.append(held is None or held.step > 0)
        dtype = getattr(torch, self.dtype)
        outputs = [env[y].to(dtype) for y in ("y0", "y1", "y2")] + [env["yi"]]
        inputs = [*self.x, self.picks, self.order, self.counts, self.weight]
        cube = any("multiply(" in line for line in kernel)  # a cube core has two vector cores
        attrs = {"cores": self.cores + self.cores % 2 * cube, "row_tile": self.row_tile, "keep": self.keep}
        return RandomProgram(
            self.written(kernel), self.dtype, inputs, outputs, error, exact, attrs, self.count
        )

    def memory(self) -> Env:
        empty = torch.zeros(self.rows, self.cols)
        env: Env = {y: empty.clone() for y in ("y0", "y1", "y2", *SPACES)}
        return env | {"yi": torch.zeros(self.rows, self.cols, dtype=torch.int32)}

    # phases

    def phase(self, phase: int, *, last: bool) -> tuple[list[str], _Body, bool]:
        """Return allocations, the body of the loop over tiles of rows, and whether the program ends with it."""
        self.tiles = Tiles(self.source, phase, self.row_tile, self.cols, self.keep)
        self.number = phase
        body = _Body()
        if phase == 0:  # y2 is added to later: it must hold zeros before, and all cores must have met
            body.lines.append("with compute():")
            self.tile_op(
                body,
                1,
                "fill({y}, 0.0, (n, cols))",
                "y",
                lambda e: torch.zeros(e["n"], self.cols),
                Range(1.0, 1.0),
            )
            body.lines += ["with copyout():", "    store(y2, r * cols, y_0)"]
        self.steps(body, self.source.randint(1, 4), 2)
        if last:
            self.ends(body, adds=phase > 0)
        else:
            self.to_workspace(body)
        used = "\n".join(body.lines)
        head = []
        for names, said in ALLOCATIONS.items():
            head += [f"{t}_{phase} = alloc_ub({said})" for t in names if f"{t}_{phase}" in used]
        if phase and not head:
            raise Unsound
        return head, body, last

    def next_step(self) -> bool:
        """Draw from here on what belongs to the next step, whatever was drawn before; say whether it is left out."""
        self.count += 1
        self.source.seed(f"{self.seed}/{self.count}")
        return self.count in self.left_out

    def steps(self, body: _Body, count: int, depth: int) -> None:
        for _ in range(count):
            if self.next_step():
                continue
            kind = self.source.random()
            if kind < 0.35 or not any(t in self.tiles.state for t in "abcd"):
                self.load_and_use(body)
            elif kind < 0.7 or depth == 0:
                self.compute(body)
            elif kind < 0.8:
                self.store(body)
            elif kind < 0.92:
                self.loop(body, depth)
            else:
                self.branch(body, depth)

    def compute(self, body: _Body) -> None:
        body.lines.append("with compute():")
        count = 0
        for _ in range(self.source.randint(1, 4)):
            if self.next_step():
                continue
            before = self.tiles.state
            try:
                made = self.tiles.operation()
            except Unsound:
                continue
            count += 1
            if self.source.random() < 0.15 and self.tiles.state.keys() == before.keys():
                body.lines += ["    if r % 2 == 0:", *("        " + line for line in made.lines)]
                body.steps.append(self.even(made.run))
                body.moves.append(self.maybe(made.moves))
                self.tiles.state = {t: joined(r, before[t]) for t, r in self.tiles.state.items()}
                continue
            body.lines += [f"    {line}" for line in made.lines]
            body.steps.append(made.run)
            body.moves.append(made.moves)
        if not count:
            body.lines.pop()

    @staticmethod
    def even(run: Step) -> Step:
        return lambda e: run(e) if e["r"] % 2 == 0 else None

    @staticmethod
    def maybe(moves: Callable[[State], None]) -> Callable[[State], None]:
        """Return what a state is after something that may be left out."""

        def move(state: State) -> None:
            before = dict(state)
            moves(state)
            for t in before:
                state[t] = joined(state[t], before[t])

        return move

    def tile_op(
        self, body: _Body, depth: int, text: str, dst: str, run: Callable[[Env], Any], held: Range
    ) -> None:
        made = self.tiles.plain(text, dst, run, lambda _: held)
        body.lines += ["    " * depth + line for line in made.lines]
        body.steps.append(made.run)
        body.moves.append(made.moves)
        made.moves(self.tiles.state)

    # loads and stores

    def load_and_use(self, body: _Body) -> None:
        d, x = self.source.choice("abcd"), self.source.randrange(2)
        how = self.source.randrange(6)
        k, tile = self.number, f"{d}_{self.number}"
        source, held, given = (f"x{x}", self.loaded, lambda e: self.x[x].float())
        if self.between is not None and (self.source.random() < 0.6 or "a" not in self.tiles.state):
            name = f"{'wp' if self.product else 'ws'}{k - 1}"
            source, held, given = name, self.between, lambda e: e[name]
        if how == 0:
            run = self.picked(body, source, tile, given)
        elif how == 1:
            run = self.bordered(body, source, tile, given)
            held = joined(held, Range(1.0, 0.5))
        elif how == 2:
            step = self.source.choice((0, 2))
            bound = "" if step == 0 else ", rows=(0, (rows - r + 1) // 2), fill=0.5"
            body.lines += ["with copyin():"]
            body.lines += [f"    load({tile}, {source}, r * cols, (n, cols), stride={step} * cols{bound})"]
            held = joined(held, Range(1.0, 0.5))

            def run(e: Env) -> torch.Tensor:
                rows = e["r"] + step * torch.arange(e["n"])
                found = given(e)[rows.clamp(max=self.rows - 1)].clone()
                found[rows >= self.rows] = 0.5
                return found

        elif how == 3:
            self.vector(body, source, held, given)
            return
        else:
            body.lines += ["with copyin():", f"    load({tile}, {source}, r * cols, (n, cols))"]

            def run(e: Env) -> torch.Tensor:
                return given(e)[e["r"] : e["r"] + e["n"]].clone()

        body.steps.append(lambda e: e.__setitem__(d, run(e)))
        body.moves.append(lambda s: s.__setitem__(d, held))
        self.tiles.state[d] = held
        other = self.source.choice("abcd".replace(d, ""))
        body.lines.append("with compute():")
        self.tile_op(body, 1, f"copy({{{other}}}, {{{d}}})", other, lambda e: e[d].clone(), held)
        del k

    def picked(self, body: _Body, source: str, tile: str, given: Callable[[Env], torch.Tensor]) -> Step:
        j, n = f"j_{self.number}", f"n_{self.number}"
        body.lines += [
            "with copyin():",
            f"    load({j}, picks, r, n)",
            "with compute():",
            f"    copy({n}, {j})",
        ]
        body.lines += ["with copyin():", f"    load({tile}, {source}, 0, (n, cols), stride=cols, index={n})"]
        return lambda e: given(e)[self.picks[e["r"] : e["r"] + e["n"]].long()].clone()

    def bordered(self, body: _Body, source: str, tile: str, given: Callable[[Env], torch.Tensor]) -> Step:
        down, right = self.source.randint(-3, 3), self.source.randint(-4, 4)
        body.lines += [
            "with copyin():",
            f"    load({tile}, {source}, (r + {down}) * cols + {right}, (n, cols), stride=cols,",
        ]
        body.lines[-1] += (
            f" rows=({-down} - r, rows - {down} - r), columns=({-right}, cols - {right}), fill=0.5)"
        )

        def run(e: Env) -> torch.Tensor:
            wide = torch.full((self.rows + 50, self.cols + 8), 0.5)
            wide[4 : 4 + self.rows, 4 : 4 + self.cols] = given(e)
            top = e["r"] + down + 4
            return wide[top : top + e["n"], 4 + right : 4 + right + self.cols].clone()

        return run

    def vector(self, body: _Body, source: str, held: Range, given: Callable[[Env], torch.Tensor]) -> None:
        """Load a row as it lies, with a border, or element by element as a tile of places says."""
        d, how = self.source.choice("gh"), self.source.randrange(3)
        tile, at = f"{d}_{self.number}", f"p_{self.number}"
        if how == 2 and "p" in self.tiles.state:
            said = f"r * cols, cols, index={at}"
        elif how == 1:
            shift = self.source.randint(-5, 5)
            said = f"r * cols + {shift}, cols, columns=({-shift}, cols - {shift}), fill=0.5"
            held = joined(held, Range(1.0, 0.5))
        else:
            how, said = 0, "r * cols, cols"

        def run(e: Env) -> torch.Tensor:
            row = given(e)[e["r"]]
            if how == 2:
                return row[e["p"].long()].clone()
            wide = torch.full((self.cols + 10,), 0.5)
            wide[5 : 5 + self.cols] = row
            return (wide[5 + shift : 5 + shift + self.cols] if how == 1 else row).clone()

        body.lines += ["with copyin():", f"    load({tile}, {source}, {said})", "with compute():"]
        body.steps.append(lambda e: e.__setitem__(d, run(e)))
        body.moves.append(lambda s: s.__setitem__(d, held))
        self.tiles.state[d] = held
        if any(t in self.tiles.state for t in "abcd"):
            x = self.tiles.pick("abcd")
            both = joined(self.tiles.state[x], held)
            text = f"maximum({{{x}}}, {{{x}}}, {{{d}}}[None, :])"
            made = self.tiles.plain(
                text, x, lambda e: torch.maximum(e[x], e[d][None, :]), lambda s: joined(s[x], s[d])
            )
            del both
            body.lines += [f"    {line}" for line in made.lines]
            body.steps.append(made.run)
            body.moves.append(made.moves)
            made.moves(self.tiles.state)
        else:
            other = "h" if d == "g" else "g"
            self.tile_op(body, 1, f"copy({{{other}}}, {{{d}}})", other, lambda e: e[d].clone(), held)

    def store(self, body: _Body) -> None:
        smooth = [t for t in "abcd" if t in self.tiles.state and not self.tiles.state[t].step]
        t = self.source.choice(smooth) if smooth and self.source.random() < 0.6 else self.tiles.pick("abcd")
        body.lines += ["with copyout():", f"    store(y0, r * cols, {t}_{self.number})"]
        self.stored(body, "y0", t)

    def stored(self, body: _Body, tensor: str, tile: str) -> None:
        def run(e: Env) -> None:
            e[tensor][e["r"] : e["r"] + e["n"]] = e[tile]

        body.steps.append(run)

    def ends(self, body: _Body, *, adds: bool) -> None:
        """Store y0 and yi as they lie, y1 by a permutation; add to y2 where all cores have met."""
        k, state = self.number, self.tiles.state
        self.store(body)
        last = body.lines[-1].split(", ")[-1][0]
        self.y0 = state[last]
        t = self.tiles.pick("abcd")
        j, n = f"j_{k}", f"n_{k}"
        body.lines += [
            "with copyin():",
            f"    load({j}, order, r, n)",
            "with compute():",
            f"    copy({n}, {j})",
        ]
        body.lines += ["with copyout():", f"    store(y1, 0, {t}_{k}, stride=cols, index={n})"]
        self.permuted = state[t]

        def permute(e: Env) -> None:
            e["y1"][self.order[e["r"] : e["r"] + e["n"]].long()] = e[t]

        body.steps.append(permute)
        self.added: Range | None = None
        exact = [x for x in "abcd" if x in state and state[x].step]
        a = self.source.choice(exact) if exact else None
        if a is not None and adds:
            sums = scaled_sum(state[a], self.rows)
            if sums.step and sums.bound / sums.step < 2.0 ** DIGITS[self.dtype]:
                body.lines += [
                    "with copyin():",
                    f"    load({j}, picks, r, n)",
                    "with compute():",
                    f"    copy({n}, {j})",
                ]
                body.lines += [
                    "with copyout():",
                    f"    store(y2, 0, {a}_{k}, stride=cols, index={n}, add=True)",
                ]
                self.added = sums
                body.steps.append(
                    lambda e: e["y2"].index_add_(0, self.picks[e["r"] : e["r"] + e["n"]].long(), e[a])
                )
        body.lines.append("with compute():")
        if exact and self.source.random() < 0.7:
            x = self.source.choice(exact)
            self.tile_op(
                body,
                1,
                f'cast({{i}}, {{{x}}}, rounding="floor")',
                "i",
                lambda e: e[x].floor().to(torch.int32),
                state[x],
            )
        else:
            self.tile_op(
                body, 1, "fill({i}, 3, (n, cols))", "i",
                lambda e: torch.full((e["n"], self.cols), 3, dtype=torch.int32), Range(3.0, 1.0),
            )  # fmt: skip
        body.lines += ["with copyout():", f"    store(yi, r * cols, i_{k})"]
        self.stored(body, "yi", "i")

    def to_workspace(self, body: _Body) -> None:
        t = self.tiles.pick("abcd")
        body.lines += ["with copyout():", f"    store(ws{self.number}, r * cols, {t}_{self.number})"]
        self.stored(body, f"ws{self.number}", t)
        self.between, self.product = self.tiles.state[t], False

    def multiplied(self) -> list[str]:
        """Multiply the workspace by the weights on the cube core, a few rows per core."""
        held = self.between
        assert held is not None
        if (
            not held.step
            or held.bound * 2 * self.cols / (held.step * 0.5) >= 2.0**24
            or held.bound * 2 * self.cols > 1e4
        ):
            raise Unsound
        self.between, self.product = Range(held.bound * 2 * self.cols, held.step * 0.5), True
        rows = "for r in range(program_id() * 16, rows, num_programs() * 16):"
        return [
            "sync_all()", rows, "    with cube():",
            f"        multiply(mm{self.number}, (min(16, rows - r), cols, cols), a=r * cols, c=r * cols)",
        ]  # fmt: skip

    # loops and branches

    def loop(self, body: _Body, depth: int) -> None:
        """Repeat some steps twice, or as often as the program reads."""
        read = self.source.random() < 0.5
        before, y0 = dict(self.tiles.state), self.y0
        inner = _Body()
        self.steps(inner, self.source.randint(1, 2), depth - 1)
        try:
            for _ in range(2):
                state = dict(self.tiles.state)
                for move in inner.moves:
                    move(self.tiles.state)
                for t in state:
                    self.tiles.state[t] = joined(state[t], self.tiles.state[t])
        except Unsound:
            self.tiles.state, self.y0 = before, y0
            self.compute(body)
            return
        var = f"t{depth}_{self.number}"
        end = "int(read(counts, r))" if read else "2"
        body.lines += [f"for {var} in range({end}):", *("    " + line for line in inner.lines)]
        body.moves.append(self.repeated(inner, before))

        def run(e: Env) -> None:
            for _ in range(int(self.counts[e["r"]]) if read else 2):
                inner.run(e)

        body.steps.append(run)
        self.tiles.state = {t: joined(r, before[t]) for t, r in self.tiles.state.items() if t in before}
        self.forget(inner)

    def forget(self, *bodies: _Body) -> None:
        """Tiles that are loaded within a loop or branch hold nothing after it."""
        text = "\n".join(line for body in bodies for line in body.lines)
        for t in list(self.tiles.state):
            if f"load({t}_{self.number}," in text:
                del self.tiles.state[t]

    @staticmethod
    def repeated(inner: _Body, known: State) -> Callable[[State], None]:
        def moves(state: State) -> None:
            for _ in range(3):
                before = dict(state)
                for move in inner.moves:
                    move(state)
                for t in list(state):
                    if t in before:
                        state[t] = joined(state[t], before[t])
                    elif t not in known:
                        del state[t]

        return moves

    def branch(self, body: _Body, depth: int) -> None:
        before = dict(self.tiles.state)
        then, other = _Body(), _Body()
        self.steps(then, 1, depth - 1)
        after, self.tiles.state = self.tiles.state, dict(before)
        self.steps(other, 1, depth - 1)
        mine = self.tiles.state
        self.tiles.state = {t: joined(r, after[t]) for t, r in mine.items() if t in after and t in before}
        self.forget(then, other)
        body.lines += ["if r % 4 < 2:", *("    " + line for line in then.lines)]
        body.lines += ["else:", *("    " + line for line in other.lines)]
        body.steps.append(lambda e: (then if e["r"] % 4 < 2 else other).run(e))

        def moves(state: State) -> None:
            first, second = dict(state), dict(state)
            for part, s in ((then, first), (other, second)):
                for move in part.moves:
                    move(s)
            for t in list(state):
                state[t] = joined(first[t], second[t])

        body.moves.append(moves)

    def written(self, kernel: list[str]) -> str:
        """Return the program's text. The host function is the same for many programs, so that it is compiled once."""
        objects = [k for k in range(2) if any(f"multiply(mm{k}," in line for line in kernel)]
        names, outs, spaces = ("x0", "x1", "picks", "order", "counts", "weight"), ("y0", "y1", "y2"), SPACES
        tensors = ", ".join((*names, *outs, "yi", *spaces))
        head = f"def k({tensors}, rows: int, cols: int, row_tile: int, wide: int, kept: int, keep: int):"
        products = [f"    mm{k} = matmul_object(ws{k}, weight, wp{k}, (16, cols, cols))" for k in objects]
        given = ", ".join((*(f"{n}: Tensor" for n in names), *(f"{y}: Output" for y in (*outs, "yi"))))
        return "\n".join([
            "@ascend_kernel", head, *products, *("    " + line for line in kernel), "",
            "@ascend_host", f"def h({given}, cores: int, row_tile: int, keep: int):",
            *(f"    declare({y}, x0.shape, x0.dtype)" for y in outs), "    declare(yi, x0.shape, int32)",
            "    cols = x0.shape[-1]", "    rows = x0.numel // cols",
            *(f"    {name} = workspace(rows * cols, float32)" for name in spaces),
            f"    k[cores]({tensors}, rows, cols, row_tile, 2 * align_up(cols, 32), 2 * align_up(keep, 32), keep)", "",
        ])  # fmt: skip


def random_language(seed: str, left_out: frozenset[int] = frozenset()) -> RandomProgram:
    """Return a program that suits its numbers; raise Unsound where the draws lead nowhere."""
    generator = Generator(seed, left_out)
    return generator.program()
