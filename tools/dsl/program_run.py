"""One core's run of a kernel in NumPy."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.errors import DslError, finding
from akgen.tools.dsl.evaluate import Scalar, evaluate, single
from akgen.tools.dsl.expr import ZERO, Element, Expr, Func, ListLength, ListNumel, Read
from akgen.tools.dsl.host_run import Launched
from akgen.tools.dsl.ir import (
    Alloc,
    Assign,
    Block,
    ElementType,
    For,
    If,
    Kernel,
    Load,
    MatmulObject,
    Multiply,
    Op,
    Rows,
    Store,
    TileRef,
    WaitFor,
)
from akgen.tools.dsl.numeric import (
    BINARY,
    COMPARE,
    MASK,
    REDUCE,
    ROUND,
    UNARY,
    Array,
    convert,
    kept_records,
    scanned,
    sorted_records,
)
from akgen.tools.dsl.ops import OPS

SCATTER = {
    "scatter_add": np.add,
    "scatter_max": np.maximum,
    "scatter_min": np.minimum,
    "scatter_mul": np.multiply,
}


class GlobalMemory:
    """A tensor's, list's or workspace's flat values."""

    def __init__(self, dtype: DType, arrays: list[Array], *, listed: bool) -> None:
        self.dtype = dtype
        self.arrays = arrays
        self.listed = listed


@dataclass(frozen=True)
class _Product:
    """A product that was asked for: tensors with the flat positions of the matrices in them."""

    a: tuple[GlobalMemory, Array]
    b: tuple[GlobalMemory, Array]
    bias: tuple[GlobalMemory, Array] | None
    c: GlobalMemory
    to: Array
    accumulate: bool

    def make(self) -> None:
        sums = np.dtype(np.float32 if self.a[0].dtype.is_float else np.int32)
        left, right = (memory.arrays[0][at].astype(sums) for memory, at in (self.a, self.b))
        value = left @ right
        if self.bias is not None:
            value = value + self.bias[0].arrays[0][self.bias[1]]
        into = self.c.arrays[0]
        into[self.to] = convert(value + into[self.to] if self.accumulate else value, self.c.dtype)


class _Tile:
    def __init__(self, dtype: DType | None, capacity: tuple[int, ...]) -> None:
        self.dtype = dtype  # None: mask
        self.capacity = capacity
        self.value: Array | None = None  # exactly its extent


class ProgramRun:
    """The state of one program id: its scalars and tiles."""

    def __init__(self, kernel: Kernel, launched: Launched, memory: dict[str, GlobalMemory], pid: int) -> None:
        self.pid, self.cores = pid, launched.cores
        self.tensors: dict[str, GlobalMemory] = {}
        self.names: dict[str, Scalar] = {}
        self.tiles: dict[str, _Tile] = {}
        self.objects: dict[str, MatmulObject] = {}
        self.asked: list[tuple[MatmulObject, _Product]] = []  # what is not waited for yet, in order
        for p, a in zip(kernel.params, launched.args, strict=True):
            if isinstance(a, str):
                self.tensors[p.name] = memory[a]
            else:
                self.names[p.name] = a

    def fail(self, line: int, text: str) -> DslError:
        return DslError((finding("DSL_RUN", line, f"Program {self.pid}: {text}"),))

    def scalar(self, e: Expr) -> Scalar:
        return single(evaluate(e, self.names, self.special))

    def integer(self, e: Expr) -> int:
        return int(self.scalar(e))

    def special(self, e: Expr) -> Scalar:
        match e:
            case Func(name="program_id"):
                return self.pid
            case Func(name="num_programs"):
                return self.cores
            case Element():
                value = self.tiles[e.tile].value
                if value is None:
                    raise KeyError(e.tile)
                element: Scalar = value.reshape(-1)[self.integer(e.index)].item()
                return element
            case Read():
                item = 0 if e.item is None else self.integer(e.item)
                value = self.tensors[e.tensor].arrays[item]
                element = value[self.integer(e.index)].item()
                return float(element)
            case ListLength():
                return len(self.tensors[e.tensor].arrays)
            case ListNumel():
                return int(self.tensors[e.tensor].arrays[self.integer(e.index)].size)
        raise KeyError(type(e).__name__)

    def body(self, body: Sequence[object]) -> None:
        for s in body:
            line = getattr(s, "line", 0)
            try:
                self.statement(s)
            except (KeyError, IndexError, ValueError, ZeroDivisionError, OverflowError) as e:
                raise self.fail(line, f"{type(e).__name__}: {e}.") from e

    def turns(self, s: For) -> range:
        """Return the values that the loop's variable takes."""
        return range(self.integer(s.start), self.integer(s.stop), self.integer(s.step))

    def statement(self, s: object) -> None:
        match s:
            case Alloc():
                dtype = self.dtype(s.dtype)
                self.tiles[s.tile] = _Tile(dtype, tuple(self.integer(d) for d in s.dims))
            case Assign():
                self.names[s.name] = self.scalar(s.value)
            case Block():
                self.body(s.body)
            case For():
                for i in self.turns(s):
                    self.names[s.var] = i
                    self.body(s.body)
            case If():
                self.body(s.then if self.scalar(s.cond) else s.other)
            case Load():
                self.load(s)
            case Store():
                self.store(s)
            case MatmulObject():
                self.objects[s.name] = s
            case Multiply():
                self.ask(s)
            case WaitFor():
                self.answer(s.object)
            case Op():
                self.op(s)

    def dtype(self, t: ElementType) -> DType | None:
        if t.fixed == "mask":
            return None
        return DType(t.fixed) if t.fixed is not None else t.where(self.tensors[t.of or ""].dtype)

    def put(self, line: int, tile: str, value: Array) -> None:
        """Set a tile's value; its shape becomes the extent."""
        t = self.tiles[tile]
        if len(value.shape) != len(t.capacity) or any(
            n > c for n, c in zip(value.shape, t.capacity, strict=True)
        ):
            raise self.fail(line, f"extent {value.shape} does not fit `{tile}`, which holds {t.capacity}.")
        t.value = value.astype(np.bool_) if t.dtype is None else convert(value, t.dtype)

    def get(self, line: int, tile: str) -> Array:
        value = self.tiles[tile].value
        if value is None:
            raise self.fail(line, f"`{tile}` is read before anything was put into it.")
        return value

    def positions(self, s: Load | Store, shape: tuple[int, ...], memory: Array) -> Array:
        """Return the flat positions that a load or store touches; raise if one is out of bounds."""
        offset = self.integer(s.offset)
        index = offset + np.arange(shape[-1], dtype=np.int64)
        if len(shape) == 2:
            stride = shape[1] if s.stride is None else self.integer(s.stride)
            rows = np.arange(shape[0], dtype=np.int64) if s.index is None else self.places(s)
            index = index[None, :] + stride * rows[:, None]
        elif s.index is not None:
            index = offset + self.places(s) * (1 if s.stride is None else self.integer(s.stride))
        if isinstance(s, Load) and s.guarded:
            first, last = self.inside(s, shape)
            index = index[tuple(slice(a, b) for a, b in zip(first, last, strict=True))]
        if index.size and (int(index.min()) < 0 or int(index.max()) >= memory.size):
            text = f"`{s.tensor}` has {memory.size} elements; {int(index.min())}..{int(index.max())} are accessed."
            raise self.fail(s.line, text)
        return index

    def places(self, s: Load | Store) -> Array:
        """Return the values of the tile that says where each row or element lies."""
        return self.get(s.line, s.index or "").astype(np.int64)

    def inside(self, s: Load, shape: tuple[int, ...]) -> tuple[list[int], list[int]]:
        """Return where the part of an extent that a guarded load reads begins and ends, within the extent."""
        given = (s.rows, s.columns) if len(shape) == 2 else (s.columns,)
        first, last = [], []
        for bounds, count in zip(given, shape, strict=True):
            low, high = (0, count) if bounds is None else (self.integer(b) for b in bounds)
            first.append(min(max(low, 0), count))
            last.append(max(min(high, count), first[-1]))
        return first, last

    def memory(self, s: Load | Store) -> Array:
        return self.tensors[s.tensor].arrays[0 if s.item is None else self.integer(s.item)]

    def load(self, s: Load) -> None:
        shape = tuple(self.integer(e) for e in s.extent)
        if min(shape) <= 0:
            raise self.fail(s.line, f"the extent {shape} is empty.")
        memory = self.memory(s)
        found = memory[self.positions(s, shape, memory)]
        if s.guarded:
            first, last = self.inside(s, shape)
            inner, fill = (
                found,
                convert(np.asarray(self.scalar(s.fill or ZERO)), self.tensors[s.tensor].dtype),
            )
            found = np.full(shape, fill, dtype=memory.dtype)
            found[tuple(slice(a, b) for a, b in zip(first, last, strict=True))] = inner
        self.put(s.line, s.tile, found)

    def store(self, s: Store) -> None:
        value, memory = self.get(s.line, s.tile), self.memory(s)
        at, stored = self.positions(s, value.shape, memory), convert(value, self.tensors[s.tensor].dtype)
        if s.add:
            np.add.at(memory, at, stored)
        else:
            memory[at] = stored

    def ask(self, s: Multiply) -> None:
        """Have a product made. What reads C before it is waited for finds NaN; A and B must stay until then."""
        o = self.objects[s.object]
        product = self.product(s, o)
        self.asked.append((o, product))
        if s.wait:
            self.answer(o.name)
        elif not s.accumulate and product.c.arrays[0].dtype.kind == "f":
            product.c.arrays[0][product.to] = np.nan

    def answer(self, name: str) -> None:
        """Make what an object was asked for, and what was asked before: the cube core works in order."""
        last = max((i for i, (o, _) in enumerate(self.asked) if o.name == name), default=-1)
        for _, product in self.asked[: last + 1]:
            product.make()
        del self.asked[: last + 1]

    def product(self, s: Multiply, o: MatmulObject) -> "_Product":
        """Return what is multiplied: sums are float32, of integers int32."""
        m, n, k = (self.integer(e) for e in s.extent)
        most = tuple(self.integer(e) for e in o.dims)
        if min(m, n, k) <= 0 or any(x > y for x, y in zip((m, n, k), most, strict=True)):
            raise self.fail(s.line, f"a product of {(m, n, k)} does not fit `{o.name}`, which takes {most}.")
        left = self.matrix(s.line, o.a, s.a, s.lda, (k, m) if o.transpose_a else (m, k))
        right = self.matrix(s.line, o.b, s.b, s.ldb, (n, k) if o.transpose_b else (k, n))
        bias = None if o.bias is None else self.matrix(s.line, o.bias, s.bias, None, (1, n))
        return _Product(
            a=(self.tensors[o.a], left.T if o.transpose_a else left),
            b=(self.tensors[o.b], right.T if o.transpose_b else right),
            bias=None if bias is None or o.bias is None else (self.tensors[o.bias], bias),
            c=self.tensors[o.c], to=self.matrix(s.line, o.c, s.c, s.ldc, (m, n)), accumulate=s.accumulate,
        )  # fmt: skip

    def matrix(
        self, line: int, tensor: str, offset: Expr, stride: Expr | None, shape: tuple[int, int]
    ) -> Array:
        """Return the flat positions of a matrix in a tensor."""
        pitch = shape[1] if stride is None else self.integer(stride)
        rows, columns = (np.arange(n, dtype=np.int64) for n in shape)
        index = self.integer(offset) + rows[:, None] * pitch + columns[None, :]
        size = self.tensors[tensor].arrays[0].size
        if int(index.min()) < 0 or int(index.max()) >= size or pitch < shape[1]:
            touched = f"{int(index.min())}..{int(index.max())} are accessed, rows {pitch} apart"
            text = f"`{tensor}` has {size} elements; {touched}."
            raise self.fail(line, text)
        return index

    def operand(self, line: int, a: object, dtype: DType | None) -> Array:
        if not isinstance(a, TileRef):
            value = np.asarray(self.scalar(a))  # type: ignore[arg-type]
            if dtype is None:
                return value
            return convert(convert(value, dtype), DType.FLOAT32) if dtype.is_float else convert(value, dtype)
        value = self.get(line, a.tile)
        if a.rows is not None:
            value = value[self.part(line, a.tile, a.rows)]
        if a.view == "column":
            value = value[:, None]
        elif a.view == "row":
            value = value[None, :]
        return value.astype(np.float32) if value.dtype == np.float16 else value

    def part(self, line: int, tile: str, rows: Rows) -> slice:
        """Return which rows of a tile are meant. Parts of 1-D tiles begin at whole blocks of 32 bytes."""
        value, (first, count) = self.get(line, tile), (self.integer(e) for e in rows)
        dtype = self.tiles[tile].dtype
        block = 32 // dtype.size_bytes if dtype is not None and value.ndim == 1 else 1
        if first < 0 or count < 0 or first + count > len(value) or first % block:
            text = f"`{tile}` holds {len(value)}; {first} to {first + count} are taken"
            also = f", and parts begin at multiples of {block}" if block > 1 else ""
            raise self.fail(line, f"{text}{also}.")
        return slice(first, first + count)

    def op(self, s: Op) -> None:
        dst = self.tiles[s.dst]
        family = OPS[s.name].family
        if s.rows is not None:
            self.put_part(s, dst)
            return
        if family == "fill":
            self.fill(s, dst)
            return
        if family == "gather":
            self.gather(s)
            return
        if family == "scatter":
            self.scatter(s)
            return
        if family in ("sort", "sorted"):
            self.records(s)
            return
        source = next((self.tiles[a.tile].dtype for a in s.tiles), dst.dtype)
        covered = tuple(self.integer(e) for e in s.extent or ())
        region = tuple(slice(0, n) for n in covered)
        args: list[Array] = []
        for a in s.args:
            value = self.operand(s.line, a, source)
            whole = isinstance(a, TileRef) and a.view == "whole"
            args.append(value[region] if whole and value.shape != covered else value)
        result = self.rounded(s, args, dst)
        if family not in ("reduce", "transpose") and any(
            a.tile == s.dst and a.view == "whole" for a in s.tiles
        ):
            updated = self.get(s.line, s.dst).copy()
            updated[region] = result
            dst.value = updated
        else:
            self.put(s.line, s.dst, result)

    def put_part(self, s: Op, dst: _Tile) -> None:
        """Compute rows of a tile, the others stay."""
        assert s.rows is not None
        at = self.part(s.line, s.dst, s.rows)
        source = next((self.tiles[a.tile].dtype for a in s.tiles), dst.dtype)
        value = self.get(s.line, s.dst).copy()
        args = [self.operand(s.line, a, source) for a in s.args]
        value[at] = args[0] if OPS[s.name].family == "fill" else self.rounded(s, args, dst)
        dst.value = value

    def rounded(self, s: Op, args: list[Array], dst: _Tile) -> Array:
        """Return the operation's result in the destination's dtype."""
        value = self.result(s, args)
        return value.astype(np.bool_) if dst.dtype is None else convert(value, dst.dtype)

    def result(self, s: Op, args: list[Array]) -> Array:
        name = s.name
        if name in UNARY:
            return UNARY[name](args[0])
        if name in BINARY:
            return BINARY[name](args[0], args[1])
        if name in COMPARE:
            return COMPARE[name](args[0], args[1])
        if name in MASK:
            return MASK[name](*args)
        if name == "mul_add":
            return args[0] * args[2] + args[1]
        if name == "where":
            return np.where(args[0], args[1], args[2])
        if name == "cast" and s.rounding == "bits":
            return args[0].view(np.float32 if self.tiles[s.dst].dtype == DType.FLOAT32 else np.int32)
        if name == "cast":
            to_integer = not np.issubdtype(args[0].dtype, np.bool_) and self.tiles[s.dst].dtype not in (
                DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16,
            )  # fmt: skip
            return ROUND[s.rounding](args[0]) if to_integer or s.rounding != "rint" else args[0]
        if OPS[name].family == "scan":
            return scanned(name, args[0], 0 if s.axis == "first" else -1, reverse=s.reverse)
        if name == "transpose":
            return args[0].T
        return self.reduced(s, args[0])

    @staticmethod
    def reduced(s: Op, x: Array) -> Array:
        f = REDUCE[s.name]
        if x.ndim == 1 or s.axis == "all":
            return np.asarray(f(x)).reshape(1)
        return np.asarray(f(x, axis=-1 if s.axis == "last" else 0))

    def gather(self, s: Op) -> None:
        table, index = (self.operand(s.line, a, None) for a in s.args)
        if index.size and (int(index.min()) < 0 or int(index.max()) >= table.shape[-1]):
            text = f"gather picks {int(index.min())}..{int(index.max())} of {table.shape[-1]} elements."
            raise self.fail(s.line, text)
        self.put(s.line, s.dst, table[..., index])

    def scatter(self, s: Op) -> None:
        index, values = (self.operand(s.line, a, None) for a in s.args)
        into = self.get(s.line, s.dst).copy()
        inside = (index >= 0) & (index < into.size)
        at, found = index[inside], values[inside]
        if s.name == "scatter":
            for place, value in zip(at.tolist(), found, strict=True):
                into[place] = value
        else:
            SCATTER[s.name].at(into, at, found.astype(into.dtype))
        self.tiles[s.dst].value = into

    def records(self, s: Op) -> None:
        """Sort rows, keep the best records, or take their keys or places."""
        source, width = self.get(s.line, s.tiles[0].tile), self.tiles[s.dst].capacity[-1]
        if s.name == "sort":
            if source.shape[-1] > width // 2 or width % 64:
                text = (
                    f"records of {source.shape[-1]} elements need a multiple of 64 words, at least two each."
                )
                raise self.fail(s.line, f"`{s.dst}` has rows of {width}; {text}")
            value = sorted_records(source, self.integer(s.args[1]), width)  # type: ignore[arg-type]
        elif s.name == "keep_top":
            fresh = bool(self.scalar(s.args[1]))  # type: ignore[arg-type]
            value = kept_records(self.get(s.line, s.dst), source, fresh=fresh)
        else:
            count = self.integer((s.extent or ())[-1])
            words = np.ascontiguousarray(source[..., s.name == "sorted_places" : 2 * count : 2])
            value = words.view(np.int32) if s.name == "sorted_places" else words
        self.put(s.line, s.dst, value)

    def fill(self, s: Op, dst: _Tile) -> None:
        shape = dst.capacity if s.given is None else tuple(self.integer(e) for e in s.given)
        value = self.operand(s.line, s.args[0], dst.dtype)
        if s.name == "iota":
            value = value + np.arange(shape[0])
        self.put(s.line, s.dst, np.broadcast_to(value, shape))
