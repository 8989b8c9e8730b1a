"""Where tiles are read and written, in program order: what placement and lifetimes are decided from."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from akgen.tools.dsl.expr import Element, Expr
from akgen.tools.dsl.expr import walk as walk_expr
from akgen.tools.dsl.ir import Assign, Block, For, If, Load, Op, Stmt, Store
from akgen.tools.dsl.scalar_names import expressions

Effect = Literal["read", "write", "none"]


class Frame(NamedTuple):
    """A position: the statement `body[at]`; `loop` if the body is repeated."""

    body: tuple[Stmt, ...]
    at: int
    loop: bool


Path = tuple[Frame, ...]  # outermost first


def reads_element(e: Expr, tile: str) -> bool:
    return any(isinstance(x, Element) and x.tile == tile for x in walk_expr(e))


def effect(body: tuple[Stmt, ...], tile: str) -> Effect:
    """Return what surely or possibly happens first to the tile's value: `read` if in doubt."""
    for s in body:
        first = _effect(s, tile)
        if first != "none":
            return first
    return "none"


def _effect(s: Stmt, tile: str) -> Effect:
    match s:
        case Op():
            if any(a.tile == tile for a in s.tiles):
                return "read"
            if s.dst == tile:
                return "read" if s.updates else "write"
            return "none"
        case Assign():
            return "read" if reads_element(s.value, tile) else "none"
        case Load():
            return "read" if s.index == tile else "write" if s.tile == tile else "none"
        case Store():
            return "read" if tile in (s.tile, s.index) else "none"
        case Block():
            return effect(s.body, tile)
        case For():
            return "read" if effect(s.body, tile) == "read" else "none"
        case If():
            branches = {effect(s.then, tile), effect(s.other, tile)}
            if "read" in branches:
                return "read"
            return "write" if branches == {"write"} else "none"
        case _:
            return "none"


def tiles_of(s: Stmt) -> set[str]:
    """Return the tiles that one statement names, without those of its body."""
    named = {x.tile for e in expressions(s) for x in walk_expr(e) if isinstance(x, Element)}
    match s:
        case Op():
            return named | {s.dst} | {a.tile for a in s.tiles}
        case Load() | Store():
            return named | {s.tile} | ({s.index} if s.index is not None else set())
        case _:
            return named


def touched(s: Stmt) -> set[str]:
    """Return the tiles that the statement reads or writes anywhere."""
    match s:
        case Op():
            return {s.dst, *(a.tile for a in s.tiles)}
        case Assign():
            return {x.tile for x in walk_expr(s.value) if isinstance(x, Element)}
        case Load() | Store():
            return {s.tile} if s.index is None else {s.tile, s.index}
        case Block() | For():
            return {tile for x in s.body for tile in touched(x)}
        case If():
            return {tile for x in s.then + s.other for tile in touched(x)}
        case _:
            return set()


def touches(s: Stmt, tile: str) -> bool:
    return tile in touched(s)


def live_after(path: Path, tile: str) -> bool:
    """Return whether the tile's value after the statement at `path` may still be read."""
    for frame in reversed(path):
        first = effect(frame.body[frame.at + 1 :], tile)
        if first != "none":
            return first == "read"
        if frame.loop and effect(frame.body[: frame.at + 1], tile) == "read":
            return True
    return False


def blocks(body: tuple[Stmt, ...], path: Path = (), *, loop: bool = False) -> Iterator[tuple[Path, Block]]:
    """Yield every stage block with its path, in text order."""
    for i, s in enumerate(body):
        here = (*path, Frame(body, i, loop))
        match s:
            case Block():
                yield here, s
            case For():
                yield from blocks(s.body, here, loop=True)
            case If():
                yield from blocks(s.then, here)
                yield from blocks(s.other, here)
            case _:
                pass
