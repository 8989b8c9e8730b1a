"""One reference file of the benchmark: the sizes that stand in it, and the module that it makes with other ones.

The file is parsed and never changed on disk. A size is an integer, or a product of integers, in a module-level
assignment, in `get_inputs` or in `get_init_inputs`; in the JSON line of an input group, it is an integer of a shape,
or one that equals such an integer. Sizes go by a label: the assigned name and the number (`batch_size 1024`), the
number alone for a literal among the inputs. A number that the inputs hold as a literal is also replaced inside the
classes, where the file repeats it (an embedding's table and the range of its indices).
"""

import ast
import copy
import functools
import inspect
import io
import json
import random
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch

from akgen.bench.mkb.scale import SMALLEST_SIZE
from akgen.tools.core.outcome import InputError
from akgen.tools.core.plain_text import shown
from akgen.tools.core.untrusted import read_text

_MAKES_INPUTS = ("get_inputs", "get_init_inputs")
_OPERATORS = "akgen.bench.mkb.npu_operators"  # stands for torch_npu
_RELU_BACKWARD = "(lambda grad, x: torch.ops.aten.threshold_backward(grad, x, 0))"
_EXTRAS = {"einops": "einops"}
# What a reference's own code may raise.
REFERENCE_ERRORS = (
    ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, MemoryError, NameError,
    NotImplementedError, RuntimeError, SyntaxError, TypeError, ValueError,
)  # fmt: skip


class ReferenceFile:
    """A parsed reference; with `line`, of one input group."""

    def __init__(self, path: Path, line: str | None = None) -> None:
        """Raises InputError for a file that is no Python."""
        self.path, self._line = path, line
        try:
            self._tree = ast.parse(read_text(path), filename=str(path))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
            raise InputError(f"{path} is not valid Python: {shown(str(e))}.", "Correct the file.") from e

    def sizes(self) -> dict[str, int]:
        """Return every size by its label, in the order of the file."""
        if self._line is not None:
            return {str(n): n for n in _shape_sizes(json.loads(self._line))}
        found: dict[str, int] = {}
        for label, number in _labelled(self._tree):
            found[label] = number
        return found

    def module(self, replaced: Mapping[str, int]) -> ModuleType:
        """Run the file with these sizes, by label, in place of its own.

        The module has `Model`, `get_inputs` and `get_init_inputs`, as `reference.module_loader` asks for. Raises
        InputError where the file cannot be run.
        """
        tree = _Replacing(replaced if self._line is None else {}).visited(self._tree)
        module = ModuleType(f"akgen_mkb_{self.path.stem}")
        module.__file__ = str(self.path)
        sys.modules[module.__name__] = module  # dataclasses inside the file look it up
        try:
            exec(compile(tree, str(self.path), "exec"), module.__dict__)
        except REFERENCE_ERRORS as e:
            raise _unusable(self.path, e) from e
        if self._line is not None:
            line = _with_sizes(self._line, {int(label): n for label, n in replaced.items()})
            module.__dict__["open"] = lambda *_, **__: io.StringIO(line)
            module.__dict__["get_inputs"] = _seeded(lambda: module.__dict__["get_input_groups"]()[0])
        elif "get_inputs" in module.__dict__:
            module.__dict__["get_inputs"] = _seeded(module.__dict__["get_inputs"])
        if "Model" in module.__dict__:
            _as_evaluated(module.__dict__["Model"])
            _by_position(module.__dict__["Model"])
        return module


def _seeded(function: Callable[[], Any]) -> Callable[[], Any]:
    """Let Python's and NumPy's generators follow PyTorch's, so that a seed decides over all that is drawn."""

    def get_inputs() -> Any:
        seed = torch.default_generator.initial_seed() % 2**32
        random.seed(seed)
        np.random.seed(seed)
        return function()

    return get_inputs


def _as_evaluated(model: Any) -> None:
    """Let models be what the benchmark runs: never in eval mode, so batches are normalised by their own statistics.

    Dropout, which draws at random, is off all the same.
    """
    build = model.__init__

    @functools.wraps(build)
    def with_batch_statistics(self: Any, *args: Any, **kwargs: Any) -> None:
        build(self, *args, **kwargs)
        for part in self.modules():
            if isinstance(part, torch.nn.modules.batchnorm._NormBase):
                part.track_running_stats = False
                part.running_mean = part.running_var = part.num_batches_tracked = None

    model.__init__ = with_batch_statistics


def _by_position(model: Any) -> None:
    """Let `forward` take keyword-only arguments by position: the benchmark hands over all inputs in that order."""
    forward = model.forward
    signature = inspect.signature(forward)
    named = [p.name for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY]
    if not named:
        return
    first = len(signature.parameters) - len(named) - 1  # without self

    @functools.wraps(forward)
    def by_position(self: Any, *args: Any) -> Any:
        return forward(self, *args[:first], **dict(zip(named, args[first:], strict=False)))

    listed = [p.replace(kind=p.POSITIONAL_OR_KEYWORD) for p in signature.parameters.values()]
    by_position.__signature__ = inspect.Signature(_ordered(listed))  # type: ignore[attr-defined]
    model.forward = by_position


def _ordered(parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
    """Take defaults away: what follows one needs one, and every input is handed over."""
    return [p.replace(default=p.empty) for p in parameters]


def _unusable(path: Path, error: BaseException) -> InputError:
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing in _EXTRAS:
        return InputError(
            f"{path.name} needs {missing}, which is not installed.", f"pip install {_EXTRAS[missing]}"
        )
    return InputError(
        f"{path} cannot be run: {type(error).__name__}: {shown(str(error))}.".replace("..", "."),
        "Check that the checkout is complete.",
    )


def _number(node: ast.AST) -> int | None:
    """Return an integer that a literal, or a product of literals, writes."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        left, right = _number(node.left), _number(node.right)
        return left * right if left is not None and right is not None else None
    return None


def _numbers(node: ast.AST) -> list[int]:
    """Return the sizes below a node, outermost products first."""
    number = _number(node)
    if number is not None:
        return [number] if number >= SMALLEST_SIZE else []
    return [n for child in ast.iter_child_nodes(node) for n in _numbers(child)]


def _names(node: ast.Assign) -> str:
    return ",".join(ast.unparse(t) for t in node.targets).strip("()")


def _labelled(tree: ast.Module) -> list[tuple[str, int]]:
    found = []
    for node in tree.body:
        if isinstance(node, ast.Assign):
            found += [(f"{_names(node)} {n}", n) for n in _numbers(node.value)]
        elif isinstance(node, ast.FunctionDef) and node.name in _MAKES_INPUTS:
            found += [(str(n), n) for n in _numbers(node)]
    return found


class _Replacing(ast.NodeTransformer):
    """Writes other sizes into a copy of a file's tree, and our operators for torch_npu."""

    def __init__(self, replaced: Mapping[str, int]) -> None:
        self._replaced = replaced
        self._prefix = ""

    def visited(self, tree: ast.Module) -> ast.Module:
        body: list[ast.stmt] = []
        for node in copy.deepcopy(tree).body:
            self._prefix = f"{_names(node)} " if isinstance(node, ast.Assign) else ""
            body.append(self.visit(node))
        return ast.fix_missing_locations(ast.Module(body=body, type_ignores=[]))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        return self._other(node) or self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return self._other(node) or node

    def visit_Import(self, node: ast.Import) -> ast.AST:
        if [a.name for a in node.names] != ["torch_npu"]:
            return node
        package, name = _OPERATORS.rsplit(".", 1)
        alias = ast.alias(name=name, asname=node.names[0].asname or "torch_npu")
        return ast.copy_location(ast.ImportFrom(module=package, names=[alias], level=0), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if ast.unparse(node) != "torch.ops.aten.relu_backward":  # of torch_npu, not of PyTorch
            return self.generic_visit(node)
        return ast.copy_location(ast.parse(_RELU_BACKWARD, mode="eval").body, node)

    def _other(self, node: ast.expr) -> ast.expr | None:
        number = _number(node)
        label = f"{self._prefix}{number}"
        if number is None or label not in self._replaced:
            return None
        return ast.copy_location(ast.Constant(value=self._replaced[label]), node)


def _shape_sizes(group: Any) -> list[int]:
    found: dict[int, None] = {}
    for item in group.get("inputs", ()):
        for n in _integers(item.get("shape")):
            if n >= SMALLEST_SIZE:
                found[n] = None
    return list(found)


def _integers(value: Any) -> list[int]:
    if isinstance(value, list):
        return [n for v in value for n in _integers(v)]
    return [value] if type(value) is int else []


def _with_sizes(line: str, replaced: Mapping[int, int]) -> str:
    def other(value: Any) -> Any:
        if isinstance(value, list):
            return [other(v) for v in value]
        if isinstance(value, dict):
            return {k: other(v) for k, v in value.items()}
        return replaced.get(value, value) if type(value) is int else value

    return json.dumps(other(json.loads(line)))
