"""Write down PyTorch's operators: `python -m akgen.tools.reference.signatures > knowledge/data/signatures.txt`.

One line for every way to call a function of `torch.nn.functional`, `torch`, `torch.special` and `torch.linalg`, a
method of `torch.Tensor` and a module of `torch.nn`, as Python writes signatures; names, types and defaults are
PyTorch's own, from `inspect`, its operator schemas and `torch.overrides`. Left out: what draws random numbers, works
in place, makes a tensor out of none, or returns no tensor; arguments that do not change what is computed (`out`,
`inplace`).
"""

import inspect
import sys
from collections.abc import Iterator
from typing import Any

import torch
from torch.overrides import get_testing_overrides

_RECURRENT = (
    "(input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False, "
    "bidirectional: bool = False)"
)
_SPACES = {
    "torch.nn.functional": torch.nn.functional, "torch": torch, "torch.special": torch.special,
    "torch.linalg": torch.linalg, "torch.Tensor": torch.Tensor,
}  # fmt: skip
_DROPPED = {
    "out", "inplace", "device", "layout", "pin_memory", "memory_format", "names", "size_average", "reduce",
    "generator", "cudnn_enable", "_stacklevel", "sparse_grad", "training", "dtype", "requires_grad",
    "driver", "cudnn_enabled", "return_indices", "momentum", "track_running_stats",
    "recompute_scale_factor", "sparse", "scale_grad_by_freq", "stable", "dropout_p", "enable_gqa",
    "full_matrices", "_random_samples", "dropout", "max_norm", "_weight", "_freeze",
}  # fmt: skip
_RANDOM = (
    "dropout", "rand", "bernoulli", "multinomial", "normal_", "poisson", "gumbel", "rrelu", "exponential_",
    "geometric", "cauchy", "fractional", "binomial", "log_normal", "uniform",
)  # fmt: skip
_NO_OPERATOR = (
    "is_", "has_", "quantize", "fake_", "fbgemm", "cudnn", "miopen", "mkldnn", "sparse", "to_", "as_",
    "align_", "get_", "set_", "register", "storage", "refine_", "retain", "unsafe_", "nuclear", "sym_",
    "q_", "dequantize", "map", "apply", "split_with", "tensor_split", "vsplit", "hsplit", "dsplit",
    "conv_tbc", "choose_", "slice_", "dist_", "ccol_", "crow_", "col_indices", "row_indices", "values",
    "indices", "coalesce", "hspmm", "sspaddmm", "smm", "resize", "backward", "new_", "empty", "detach",
    "dense_dim", "handle_", "assert_", "boolean_", "multi_head_attention_forward", "record_stream", "numpy",
    "pin_memory", "share_memory", "module_load", "rename", "reinforce", "type", "requires_grad", "tolist",
    "item", "element_size", "stride", "untyped", "ndimension", "nelement", "numel", "dim", "size", "cpu",
    "cuda", "contiguous", "clone", "lstm", "gru", "rnn", "bartlett", "unflatten", "unique", "nonzero",
    "histogram", "expand_as", "reshape_as", "view_as", "swapaxes", "swapdims", "moveaxis", "native_",
    "embedding_renorm", "rowwise", "instance_norm_", "positive_", "einsum", "scaled_mm", "scaled_grouped",
    "grouped_mm", "linear_cross", "xpu", "ipu", "mtia", "argwhere", "int_repr", "data_ptr", "feature_",
    "alpha_", "can_cast", "result_type", "promote", "batch_norm_", "layout", "copysign_", "put", "istft",
    "stft", "flatten_", "combinations", "lobpcg", "svd_low", "pca_low", "select_", "diagonal_",
    "as_strided", "data", "solve_", "compiled", "vmap", "cond", "while_loop", "save", "load", "compile",
    "manual_seed", "from_", "frombuffer", "arange",
)  # fmt: skip
_CONVERSIONS = {
    "bool", "byte", "char", "double", "float", "half", "int", "long", "short", "bfloat16", "cfloat",
    "cdouble", "chalf", "to", "t_", "new", "norm", "linspace", "logspace", "normal", "classproperty",
    "hash_tensor", "upsample", "solve", "eig", "upsample_bilinear", "upsample_nearest",
    "fused_moving_avg_obs_fake_quant", "lstsq", "symeig", "gradient", "bilinear", "type", "where_", "all_",
    "hash", "resolve_conj", "resolve_neg", "conj", "real", "imag", "names",
}  # fmt: skip
_TYPES = {
    "Tensor": "Tensor", "List[Tensor]": "Tensors", "number": "float", "int": "int", "float": "float",
    "bool": "bool", "str": "str", "List[int]": "ints", "List[float]": "floats", "Scalar": "float", "SymInt":
    "int",
}  # fmt: skip
_MODULES_LEFT_OUT = (
    "Lazy", "Transformer", "Dropout", "RReLU", "Container", "Module", "Sequential", "Parameter",
    "AdaptiveLogSoftmax", "Fractional", "Unfold_", "Identity_", "Buffer", "Uninitialized",
    "DataParallel", "SyncBatchNorm", "Cell", "RNNBase", "MaxUnpool", "Quant", "DeQuant",
    "Unflatten", "CrossMap",
)  # fmt: skip


def signatures() -> list[str]:
    """Return all lines, sorted; what `torch.nn.functional` and `torch` both have stands once, as the former's."""
    lines: list[str] = []
    known: set[str] = set()
    schemas = _schemas()
    for space, holder in _SPACES.items():
        for name in sorted(dir(holder)):
            deprecated = holder is torch.nn.functional and name in ("sigmoid", "tanh")
            if name in known or deprecated or not _is_operator(name):
                continue
            found = list(_of_function(f"{space}.{name}", getattr(holder, name), name, schemas))
            known.update([name] if found else [])
            lines += found
    return sorted([*lines, *_of_modules()])


def _is_operator(name: str) -> bool:
    return (
        not name.startswith("_")
        and not name.endswith("_")
        and name not in _CONVERSIONS
        and not name.startswith(_NO_OPERATOR)
        and (name.endswith("_loss") or not any(word in name for word in _RANDOM))
        and not name.endswith(("_with_indices", "_copy", "_backward"))
        and name.islower()
    )


def _schemas() -> dict[str, list[Any]]:
    """Return the schemas of ATen by operator, those of tensors only."""
    found: dict[str, list[Any]] = {}
    for schema in torch._C._jit_get_all_schemas():
        space, _, name = schema.name.partition("::")
        returns = [str(r.type) for r in schema.returns]
        writes = schema.is_mutable or "out" in schema.overload_name
        if space == "aten" and not writes and returns and "Tensor" in returns[0]:
            found.setdefault(name, []).append(schema)
    return found


def _of_function(path: str, function: Any, name: str, schemas: dict[str, list[Any]]) -> Iterator[str]:
    if not callable(function) or inspect.isclass(function):
        return
    dispatched = getattr(
        torch.nn.functional, f"{name}_with_indices", function
    )  # either of two, by an argument
    try:
        signature: inspect.Signature | None = inspect.signature(dispatched)
    except (TypeError, ValueError):
        signature = None
    if signature is not None and not any(
        p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in signature.parameters.values()
    ):
        line = _line(path, [_typed(p) for p in signature.parameters.values()])
        yield from [line] if line else []
        return
    mapped = {"embedding": (), "special": ()}.get(
        name, schemas.get(name, schemas.get(f"special_{name}", schemas.get(f"linalg_{name}", [])))
    )
    for schema in mapped:
        first = _first_name(function)
        named = [_of_schema(a, first if i == 0 else a.name) for i, a in enumerate(schema.arguments)]
        line = _line(path, [(n if n != "self" else "x", *rest) for n, *rest in named])  # type: ignore[misc]
        yield from [line] if line else []
    override = get_testing_overrides().get(function)
    if not mapped and override is not None:
        line = _line(path, [_typed(p) for p in inspect.signature(override).parameters.values()])
        yield from [line] if line else []


def _first_name(function: Any) -> str:
    """Return what the schema's first argument is called in Python."""
    override = get_testing_overrides().get(function)
    first = next(iter(inspect.signature(override).parameters), "input") if override else "input"
    return first if first not in ("args", "self") else "input"


def _of_schema(argument: Any, name: str) -> tuple[str, str, str | None, bool]:
    """Return name, type, default and whether it goes by keyword only."""
    text = str(argument.type)
    optional = text.startswith("Optional[")
    kind = _TYPES.get(text.removeprefix("Optional[").removesuffix("]") if optional else text, "")
    if not kind and optional:
        kind = _TYPES.get(text[len("Optional[") : -1], "")
    default = repr(argument.default_value) if argument.has_default_value() else None
    if optional and default is None and kind == "ints":
        default = None
    return name, f"{kind} | None" if optional and kind else kind, default, argument.kwarg_only


_HINTS = {
    "Tensor": "Tensor", "int": "int", "float": "float", "bool": "bool", "str": "str", "None": "ints",
    "Tensor | float": "Tensor", "Union[Tensor, float]": "Tensor",
    "NoneType": "ints", "list[int]": "ints", "list[float]": "floats", "tuple[Tensor, ...]": "Tensors",
    "list[Tensor]": "Tensors", "int | float": "float", "int | tuple[int, ...]": "ints", "tuple[int, ...]": "ints",
    "_shape_t": "ints", "int | list[int]": "ints",
}  # fmt: skip


def _typed(parameter: inspect.Parameter) -> tuple[str, str, str | None, bool]:
    hint, default = parameter.annotation, parameter.default
    text = (
        hint
        if isinstance(hint, str)
        else getattr(hint, "__name__", str(hint))
        if inspect.isclass(hint)
        else str(hint)
    )
    text = text.replace("torch.", "").replace("typing.", "")
    optional = text.endswith(" | None") or text.startswith("Optional[")
    text = text.removesuffix(" | None").removeprefix("Optional[")
    if text in ("str | int", "Union[str, int]"):
        text = "int"
    kind = _HINTS.get(text, "")
    if (
        (optional and parameter.name in ("size", "output_size")) or parameter.name == "kernel_size"
    ) and kind == "int":
        kind = "ints"  # one number or several, which the hint hides behind overloads
    if not kind and ("tuple[int" in text or parameter.name == "normalized_shape"):
        kind = "ints"
    if not kind and hint is inspect.Parameter.empty:
        by_default = {bool: "bool", int: "int", float: "float", str: "str", tuple: "ints", list: "ints"}
        kind = by_default.get(type(default), "Tensor" if default is inspect.Parameter.empty else "")
    written = None if default is inspect.Parameter.empty else repr(default)
    return (
        parameter.name,
        f"{kind} | None" if optional and kind else kind,
        written,
        parameter.kind is parameter.KEYWORD_ONLY,
    )


def _line(
    path: str, arguments: list[tuple[str, str, str | None, bool]], needs_tensor: bool = True
) -> str | None:
    """Return the signature, or None if it has a required argument that words cannot give, or takes no tensor."""
    parts: list[str] = []
    tensors = keyword = False
    for name, kind, default, by_keyword in arguments:
        if (name in _DROPPED or not kind) and default is not None:
            continue
        if not kind or (name in _DROPPED and kind != "ints"):
            return None
        if by_keyword and not keyword:
            parts.append("*")
            keyword = True
        tensors = tensors or kind.startswith("Tensor")
        parts.append(f"{name}: {kind}" + (f" = {default}" if default is not None else ""))
    if needs_tensor and not (tensors and arguments[0][1].startswith("Tensor")):
        return None
    return f"{path}({', '.join(parts)})"


def _of_modules() -> Iterator[str]:
    for name in sorted(dir(torch.nn)):
        module = getattr(torch.nn, name)
        if not inspect.isclass(module) or not issubclass(module, torch.nn.Module) or name.startswith("_"):
            continue
        if any(word in name for word in _MODULES_LEFT_OUT):
            continue
        arguments = [p for p in inspect.signature(module.__init__).parameters.values() if p.name != "self"]
        if name in ("LSTM", "GRU", "RNN"):
            yield f"torch.nn.{name}{_RECURRENT}"
            continue
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in arguments) or not arguments:
            yield f"torch.nn.{name}()"
            continue
        typed = [(n, "int" if kind == "Tensor" and default is None else kind, default, by_keyword)
                 for n, kind, default, by_keyword in map(_typed, arguments)]  # fmt: skip
        line = _line(f"torch.nn.{name}", typed, needs_tensor=False)
        if line is not None:
            yield line


if __name__ == "__main__":
    sys.stdout.write("\n".join(signatures()) + "\n")
