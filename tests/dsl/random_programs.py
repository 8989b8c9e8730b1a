"""Random programs: loads, operations and stores of five tiles in any order, in nested loops and branches."""

import random

TILES = "abcde"
HEAD = """\
@ascend_kernel
def k(x0, x1, y0, y1, total: int, tile: int):
    a = alloc_ub(tile, float32)
    b = alloc_ub(tile, float32)
    c = alloc_ub(tile, float32)
    d = alloc_ub(tile, float32)
    e = alloc_ub(tile, float32)
    u = alloc_ub(tile, int32)
    for i in range(program_id(), ceil_div(total, tile), num_programs()):
        n = min(tile, total - i * tile)
        with copyin():
            load(a, x0, i * tile, n)
            load(b, x1, i * tile, n)
        with compute():
            iota(u, 0, n)
            mul(u, u, -1)
            add(u, u, n - 1)
            add(c, a, b)
            sub(d, a, b)
            mul(e, a, b)
"""
TAIL = """
@ascend_host
def h(x0: Tensor, x1: Tensor, y0: Output, y1: Output):
    declare(y0, x0.shape, x0.dtype)
    declare(y1, x0.shape, x0.dtype)
    k[3](x0, x1, y0, y1, x0.numel, min(fit_tile(k, "tile"), 128))
"""


class _Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def tile(self) -> str:
        return self.random.choice(TILES)

    def operation(self, depth: int) -> None:
        d, x, y = self.tile(), self.tile(), self.tile()
        binary = self.random.choice(("add", "sub", "mul", "maximum"))
        unary = self.random.choice(("abs", "neg", "relu", "copy"))
        scalar = self.random.choice(("0.5", "1.25", "-0.75"))
        match self.random.randrange(10):
            case 0 | 1 | 2:
                self.line(depth, f"{binary}({d}, {x}, {y})")
            case 3 | 4:
                self.line(depth, f"{unary}({d}, {x})")
            case 8:
                update = self.random.choice(("gather", "scatter", "scatter_add", "scatter_max"))
                self.line(depth, f"{update}({d}, {x}, u)" if update == "gather" else f"{update}({d}, u, {x})")
            case 5:
                self.line(depth, f"mul({d}, {x}, {scalar})")
            case 6:
                self.line(depth, "for q in range(2):")
                self.line(depth + 1, f"add({d}, {x}, {y})")
            case 7:
                self.line(depth, "if i % 2 == 0:")
                self.line(depth + 1, f"mul({d}, {x}, {scalar})")
                self.line(depth, "else:")
                self.line(depth + 1, f"fill({d}, 1.0, n)")
            case 9:
                scan = self.random.choice(("scan_max", "scan_min"))
                self.line(depth, f"{scan}({d}, {x}{self.random.choice(('', ', reverse=True'))})")

    def body(self, depth: int, loops: int) -> None:
        for _ in range(self.random.randint(1, 4)):
            kind = self.random.random()
            if kind < 0.35:
                self.line(depth, "with copyin():")
                for t in self.random.sample(TILES, self.random.randint(1, 2)):
                    self.line(depth + 1, self.load(t, self.random.choice(("x0", "x1"))))
            elif kind < 0.75:
                self.line(depth, "with compute():")
                for _ in range(self.random.randint(1, 4)):
                    self.operation(depth + 1)
            elif kind < 0.9 or loops == 0:
                self.store(depth, self.random.choice(("y0", "y1")))
            else:
                self.line(depth, f"for z{loops} in range(2):")
                self.body(depth + 1, loops - 1)

    def load(self, tile: str, tensor: str) -> str:
        """Return a load: of a tile's share as it lies, turned round by an index, or shifted and with a border."""
        shift = self.random.randint(-9, 9)
        match self.random.randrange(4):
            case 0:
                return f"load({tile}, {tensor}, i * tile, n, index=u)"
            case 1:
                bounds = f"columns=({-shift} - i * tile, total - {shift} - i * tile), fill=0.5"
                return f"load({tile}, {tensor}, i * tile + {shift}, n, {bounds})"
        return f"load({tile}, {tensor}, i * tile, n)"

    def store(self, depth: int, output: str) -> None:
        self.line(depth, "with copyout():")
        self.line(depth + 1, f"store({output}, i * tile, {self.tile()})")


def random_program(seed: int) -> str:
    """Return a program's text; it may break a rule of the language (a tile loaded and not used, say)."""
    generator = _Generator(seed)
    generator.body(2, 2)
    generator.store(2, "y0")
    generator.store(2, "y1")
    return HEAD + "\n".join(generator.lines) + "\n" + TAIL
