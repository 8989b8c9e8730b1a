"""Layers and what moves tensors, in a clause of a chain: linear, convolution, norms, rows of a table, joining."""

import ast
import re

from akgen.agents.requests.by_clauses.context import Context, NotAStep, pattern, said_words, whole
from akgen.agents.requests.request import Held
from akgen.agents.requests.trees import call
from akgen.tools.core.dtypes import DType

_ORDERS = {"NCHW": (0, 3, 1, 2), "NHWC": (0, 2, 3, 1), "CHW": (2, 0, 1), "HWC": (1, 2, 0)}
_CONV = {"pad": "padding", "填充": "padding", "补零": "padding", "步长": "stride", "步幅": "stride", "group": "groups",
         "膨胀": "dilation", "空洞": "dilation", "分组": "groups", "组数": "groups"}  # fmt: skip
_STATISTICS = (("running_mean", "mean"), ("running_var", "var"), ("weight", "gamma"), ("bias", "beta"))
_PAIR = 2


class Layers(Context):
    """Ways to read a clause as a layer; each says whether it was one. They raise NotAStep."""

    def ordered(self, clause: str) -> bool:
        match = pattern("to nchw").fullmatch(clause)
        if match is None:
            return False
        order, now = _ORDERS[match["layout"].upper()], self.now()
        value = self.chain.value(now)
        if value is None or len(value.shape) != len(order):
            raise NotAStep(clause)
        self.chain.put(call("torch.permute", now, ast.parse(repr(order), mode="eval").body))
        return True

    def looked_up(self, clause: str) -> bool:
        """Take rows of a table by indices: "look up ids in table"."""
        match, named = pattern("look up").search(clause), self.mentioned(clause)
        indices = [
            n
            for n in named
            if not self.chain.given[n].dtype.is_float and self.chain.given[n].dtype is not DType.BOOL
        ]
        if match is not None and named and not indices:  # "look up the table", of the only indices
            indices = [
                n for n, t in self.chain.given.items() if not t.dtype.is_float and t.dtype is not DType.BOOL
            ]
        if match is None or len(indices) != 1 or len(named) > _PAIR:
            return False
        rest = f"{clause[: match.start()]} {clause[match.end() :]}"
        for name in named:
            rest = re.sub(whole(name), " ", rest)
        if re.fullmatch(said_words()["looking"], rest, re.I) is None:
            return False
        tables = [n for n in named if n not in indices]
        if tables and self.chain.current is not None and self.chain.current in self.chain.trees:
            return False
        if tables:
            self.chain.begin_with(tables[0])
        table = self.now()
        self.chain.put(ast.Subscript(table, self.chain.named(indices[0])))
        return True

    def joined(self, clause: str) -> bool:
        """Put tensors side by side: "concatenate a and b on dim 1"."""
        kind, axis = pattern("join").search(clause), pattern("at axis").search(clause)
        named = self.mentioned(clause)
        if kind is None or axis is None or not named:
            return False
        rest = pattern("at axis").sub(" ", pattern("join").sub(" ", clause), count=1)
        for name in named:
            rest = re.sub(whole(name), " ", rest)
        if re.fullmatch(said_words()["joining"], rest, re.I) is None:
            return False
        if len(named) == 1:
            parts = [self.now(), self.chain.named(named[0])]
        elif self.chain.current is not None and self.chain.current in self.chain.trees:
            return False
        else:
            self.chain.begin_with(named[0])
            parts = [self.chain.named(n) for n in named]
        dim = int(axis["dim"] or axis["dim_zh"] or ("-1" if axis["last"] else "0"))
        path = "torch.stack" if re.match("stack|堆", kind["kind"], re.I) else "torch.cat"
        tree = call(path, ast.List(parts))
        assert isinstance(tree, ast.Call)
        tree.keywords.append(ast.keyword("dim", ast.Constant(dim)))
        self.chain.put(tree)
        return True

    def linear(self, clause: str) -> bool:
        match = pattern("linear").match(clause)
        if match is None:
            return False
        rest = clause[match.end() :]
        sized = re.match(said_words()["to size"], rest, re.I)
        rest = rest[sized.end() :] if sized is not None else rest
        named = self.mentioned(rest)
        words = rest
        for name in named:
            words = re.sub(whole(name), " ", words)
        if re.fullmatch(said_words()["using"], words, re.I) is None:
            return False
        if self.chain.current is None and sum(len(self.chain.given[n].shape) > 1 for n in named) > 1:
            self.chain.begin_with(named.pop(0))
        if not any(len(self.chain.given[n].shape) > 1 for n in named):
            usual = ("weight", "w", *(() if named else ("bias", "b")))
            named += [n for n in usual if n in self.chain.given and n not in self.chain.used]
        now = self.now()
        value = self.chain.value(now)
        if value is None or not value.shape or not named or len(named) > _PAIR:
            raise NotAStep(clause)
        by_rank = sorted(named, key=lambda n: -len(self.chain.given[n].shape))
        weight, *bias = by_rank
        shape = self.chain.given[weight].shape
        if len(shape) != _PAIR or any(len(self.chain.given[b].shape) != 1 for b in bias):
            raise NotAStep(clause)
        if shape[1] != value.shape[-1] and shape[0] == value.shape[-1]:
            tree: ast.expr = ast.BinOp(now, ast.MatMult(), self.chain.named(weight))
            tree = ast.BinOp(tree, ast.Add(), self.chain.named(bias[0])) if bias else tree
            out = shape[1]
        else:
            tree = call("torch.nn.functional.linear", now, *(self.chain.named(n) for n in by_rank))
            out = shape[0]
        if sized is not None and int(sized["size"]) != out:
            raise NotAStep(clause)
        self.chain.put(tree)
        return True

    def norm(self, clause: str) -> bool:
        """Read a norm without weights, or with those that it names."""
        match = pattern("norm").search(clause)
        if match is None:
            return False
        rest = f"{clause[: match.start()]} {clause[match.end() :]}"
        eps = pattern("eps").search(rest)
        rest = pattern("eps").sub(" ", rest, count=1)
        plain = pattern("no affine").search(rest)
        rest = pattern("axis").sub(" ", pattern("no affine").sub(" ", rest), count=1)
        named = self.mentioned(rest)
        for name in named:
            rest = re.sub(whole(name), " ", rest)
        if self.chain.current is None and named and len(self.chain.given[named[0]].shape) > 1:
            self.chain.begin_with(named.pop(0))
        rest = re.sub(r"gamma|beta|affine", " ", rest, flags=re.I) if named else rest
        if re.fullmatch(said_words()["using"], rest, re.I) is None or bool(named) == (plain is not None):
            return False
        now = self.now()
        value = self.chain.value(now)
        if (
            value is None
            or not value.shape
            or any(self.chain.given[n].shape != value.shape[-1:] for n in named)
        ):
            raise NotAStep(clause)
        rms = re.match(r"rms|均方根", match["kind"], re.I) is not None
        if len(named) > (1 if rms else _PAIR):
            raise NotAStep(clause)
        if rms and eps is None:
            raise NotAStep(clause)  # PyTorch's own default is another one than the usual 1e-6
        width = ast.parse(repr(list(value.shape[-1:])), mode="eval").body
        tree = call(f"torch.nn.functional.{'rms' if rms else 'layer'}_norm", now, width)
        assert isinstance(tree, ast.Call)
        tree.args += [self.chain.named(n) for n in named]
        tree.keywords += [ast.keyword("eps", ast.Constant(float(eps["eps"])))] if eps is not None else []
        self.chain.put(tree)
        return True

    def conv(self, clause: str) -> bool:
        """Read a convolution with the kernel that it names, or with the only one that is told."""
        match = pattern("conv").search(clause)
        if match is None:
            return False
        rest = f"{clause[: match.start()]} {clause[match.end() :]}"
        values = {
            _CONV.get(m["name"].lower(), m["name"].lower()): m["value"]
            for m in pattern("conv value").finditer(rest)
        }
        kernel = pattern("conv kernel").search(pattern("conv value").sub(" ", rest))
        rest = pattern("conv kernel").sub(" ", pattern("conv value").sub(" ", rest), count=1)
        bare = pattern("no bias").search(rest)
        rest = pattern("no bias").sub(" ", rest, count=1)
        named = self.mentioned(rest)
        for name in named:
            rest = re.sub(whole(name), " ", rest)
        if re.fullmatch(said_words()["using"], rest, re.I) is None:
            return False
        if (
            self.chain.current is None
            and named
            and sum(len(self.chain.given[n].shape) > 1 for n in named) > 1
        ):
            self.chain.begin_with(named.pop(0))
        if not any(len(self.chain.given[n].shape) > 1 for n in named):
            usual = ("weight", "w", "kernel", *(() if named else ("bias", "b")))
            named += [n for n in usual if n in self.chain.given and n not in self.chain.used]
        now = self.now()
        value = self.chain.value(now)
        named = sorted(
            (n for n in named if n != self.chain.first), key=lambda n: -len(self.chain.given[n].shape)
        )
        if value is None or not named or len(named) > (1 if bare else _PAIR):
            raise NotAStep(clause)
        shapes = [self.chain.given[n].shape for n in named]
        spatial = len(value.shape) - 2
        rank = match["rank"] or match["rank_zh"]
        if (
            spatial not in (1, 2)
            or len(shapes[0]) != len(value.shape)
            or any(s != shapes[0][:1] for s in shapes[1:])
        ):
            raise NotAStep(clause)
        if rank is not None and {"一": 1, "二": 2}.get(rank, rank) not in (spatial, str(spatial)):
            raise NotAStep(clause)
        if kernel is not None and {*shapes[0][2:]} != {int(kernel["size"] or kernel["one"])}:
            raise NotAStep(clause)
        tree = call(f"torch.nn.functional.conv{spatial}d", now, *(self.chain.named(n) for n in named))
        assert isinstance(tree, ast.Call)
        tree.keywords = [
            ast.keyword(n, ast.parse(v.replace("[", "(").replace("]", ")"), mode="eval").body)
            for n, v in values.items()
        ]
        self.chain.put(tree)
        return True

    def batch_norm(self, clause: str) -> bool:
        """Read a batch norm by statistics that are told."""
        match = pattern("batch norm").search(clause)
        if match is None:
            return False
        rest = f"{clause[: match.start()]} {clause[match.end() :]}"
        eps = pattern("eps").search(rest)
        rest = pattern("eps").sub(" ", rest, count=1)
        named = self.mentioned(rest)
        for name in named:
            rest = re.sub(whole(name), " ", rest)
        if re.fullmatch(said_words()["inference"], rest, re.I) is None:
            return False
        slots = [
            next((n for n in names if n in self.chain.given and n not in self.chain.used), None)
            for names in _STATISTICS
        ]
        if slots[0] is None or slots[1] is None or {*named} - {*slots} or (slots[3] and not slots[2]):
            raise NotAStep(clause)
        given = [self.chain.named(n) for n in slots if n is not None]
        variance = self.chain.given[slots[1]]
        self.chain.holds[slots[1]] = Held(draw="between", limit="0.05, 0.95", dtype=variance.dtype)
        tree = call("torch.nn.functional.batch_norm", self.now(), *given)
        assert isinstance(tree, ast.Call)
        tree.keywords = [ast.keyword("eps", ast.Constant(float(eps["eps"])))] if eps is not None else []
        self.chain.put(tree)
        return True

    def flattened(self, clause: str) -> bool:
        """Keep the batch where a linear layer comes behind."""
        if re.fullmatch(said_words()["flatten"], clause, re.I) is None or not re.search(
            said_words()["linear"], self.later, re.I
        ):
            return False
        self.chain.put(call("torch.flatten", self.now(), ast.Constant(1)))
        return True
