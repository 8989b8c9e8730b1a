"""The reference process: imports PyTorch once, loads references, writes inputs and expected values to files.

One JSON line per request on stdin, one per answer on stdout (see `client`). Anything that a reference prints goes to
stderr. Started as `python -m akgen.tools.reference.worker`.
"""

import contextlib
import importlib
import json
import os
import select
import sys
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

import torch

from akgen.tools.core.call import Argument, Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Distribution, Reference
from akgen.tools.reference import tensors
from akgen.tools.reference.halved import halved
from akgen.tools.reference.protocol import Binding, LoadedCase, Sample

KEPT_CASES = 16
KEPT_SAMPLES = 2


class Server:
    """Answer requests; keep the last loaded cases and samples."""

    def __init__(self) -> None:
        self._cases: OrderedDict[str, LoadedCase] = OrderedDict()
        self._samples: OrderedDict[tuple[str, int, str], Sample] = OrderedDict()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["op"] == "ping":
            return {"torch": torch.__version__}
        reference = Reference.model_validate(request["reference"])
        case = Case.model_validate(request["case"])
        key = f"{reference.model_dump_json()}\n{case.model_dump_json()}\n{_stamp(reference.path)}"
        loaded = self._loaded(key, reference, case)
        if request["op"] == "read":
            return {"read": importlib.import_module(request["reader"]).read(loaded)}
        seed, distribution = int(request["seed"]), request["distribution"]
        if request["op"] == "describe":
            described = getattr(loaded, "described", None)
            sample = self._sample(key, loaded, seed, distribution) if described is None else described(seed)
            return {"call": _describe(sample, sample.binding or loaded.binding).model_dump(mode="json")}
        sample = self._sample(key, loaded, seed, distribution)
        if request["op"] == "explain":
            return {"found": self._explained(reference, loaded, sample, request)}
        if request["op"] == "check":
            return {"failed": self._check(loaded, sample, request["outputs"])}
        if request["op"] == "choose":
            return {"chosen": self._chosen(loaded, sample, request)}
        if request["op"] == "halved":
            found = halved(loaded.model, sample, sample.binding or loaded.binding, int(request["axis"]))
            folder = Path(request["folder"])
            written = found and [tensors.write_value(o, folder, f"half{i}") for i, o in enumerate(found)]
            return {"halved": written and [_dump(w) for w in written]}
        if request["op"] == "sample":
            binding = sample.binding or loaded.binding
            return _write(sample, binding, Path(request["inputs"]), Path(request["expected"]))
        raise ValueError(f"unknown request {request['op']!r}")

    def _loaded(self, key: str, reference: Reference, case: Case) -> LoadedCase:
        if key not in self._cases:
            try:
                module = importlib.import_module(reference.loader)
            except ImportError as e:
                raise InputError(
                    f"The reference loader {reference.loader} cannot be imported: {e}.", "Check its name."
                ) from e
            self._cases[key] = module.load(reference, case)
            while len(self._cases) > KEPT_CASES:
                self._cases.popitem(last=False)
        self._cases.move_to_end(key)
        return self._cases[key]

    def _sample(self, key: str, loaded: LoadedCase, seed: int, distribution: Distribution) -> Sample:
        name = (key, seed, distribution)
        if name not in self._samples:
            self._samples[name] = loaded.sample(seed, distribution)
            while len(self._samples) > KEPT_SAMPLES:
                self._samples.popitem(last=False)
        self._samples.move_to_end(name)
        return self._samples[name]

    @staticmethod
    def _explained(
        reference: Reference, loaded: LoadedCase, sample: Sample, request: dict[str, Any]
    ) -> dict[str, str] | None:
        """Explain a wrong output, or, without a tolerance, one that is accepted."""
        # What runs a reference operation by operation is imported for these alone.
        from akgen.tools.reference.variants.other_formula import other_formula
        from akgen.tools.reference.variants.search import Permitted, explain

        try:
            got = tensors.read(TensorFile.model_validate(request["got"]))
        except (OSError, ValueError):
            return None
        path = str(reference.path) if reference.path.suffix == ".py" else None
        binding, index = sample.binding or loaded.binding, int(request["index"])
        if "tolerance" not in request:
            return other_formula(loaded.model, sample, binding, path, index, got)
        atol, rtol, literal = request["tolerance"]
        tolerance = Permitted(float(atol), float(rtol), bool(literal))
        return explain(loaded.model, sample, binding, path, index, got, tolerance)

    @staticmethod
    def _chosen(loaded: LoadedCase, sample: Sample, request: dict[str, Any]) -> dict[str, Any] | None:
        try:
            got = [tensors.read(TensorFile.model_validate(o)) for o in request["outputs"]]
        except (OSError, ValueError):
            return None
        found = loaded.chosen(sample, got)
        if found is None:
            return None
        folder = Path(request["folder"])
        folder.mkdir(parents=True, exist_ok=True)
        return _write_expected(found, folder)

    @staticmethod
    def _check(loaded: LoadedCase, sample: Sample, outputs: list[Any]) -> str | None:
        values: list[Any] = []
        try:
            for output in outputs:
                if isinstance(output, list):
                    values.append([tensors.read(TensorFile.model_validate(o)) for o in output])
                else:
                    values.append(tensors.read(TensorFile.model_validate(output)))
        except (OSError, ValueError) as e:
            return f"an output cannot be read: {e}"
        return loaded.check(sample, values)


def _meta(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, torch.Tensor):
        return tensors.meta_of(value)
    return tuple(tensors.meta_of(t) for t in value)


def _describe(sample: Sample, binding: Binding) -> Call:
    call = _call(sample, binding, tuple(_meta(v) for v in sample.inputs))
    named = {"input_names": binding.input_names, "output_names": binding.output_names}
    return call.model_copy(update=named)


def _call(sample: Sample, binding: Binding, arguments: tuple[Argument, ...]) -> Call:
    outputs = []
    for i, returned in enumerate(sample.returned):
        meta, dtype = _meta(returned), binding.output_dtypes[i]
        if dtype is not None:
            meta = _with_dtype(meta, dtype)
        outputs.append(OutputMeta(meta=meta, aliases=binding.aliases[i], zeroed=i in binding.zeroed_outputs))
    return Call(
        inputs=arguments,
        attrs=binding.attrs,
        outputs=tuple(outputs),
        const_values=tuple(
            (i, tuple(sample.inputs[i].reshape(-1).tolist()))  # type: ignore[union-attr]
            for i in binding.const_inputs
            if isinstance(sample.inputs[i], torch.Tensor)
        ),
        products=sample.work.products if sample.work else (),
        model=binding.model,
    )


def _with_dtype(meta: Any, dtype: Any) -> Any:
    if isinstance(meta, tuple):
        return tuple(TensorMeta(dtype=dtype, shape=m.shape) for m in meta)
    return TensorMeta(dtype=dtype, shape=meta.shape)


def _write(sample: Sample, binding: Binding, inputs: Path, expected: Path) -> dict[str, Any]:
    """Write what the candidate may see to one folder, and what it must not to another."""
    inputs.mkdir(parents=True, exist_ok=True)
    expected.mkdir(parents=True, exist_ok=True)
    arguments = tuple(tensors.write_value(v, inputs, f"in{i}") for i, v in enumerate(sample.inputs))
    return {
        "call": _call(sample, binding, arguments).model_dump(mode="json"),
        "computed": sample.work.computed if sample.work else None,
        "least_operations": sample.work.least if sample.work else 0,
        "bytes_read": sample.work.bytes_read if sample.work else None,
        "gives_places": sample.gives_places,
        **_write_expected(sample, expected),
    }


def _write_expected(sample: Sample, expected: Path) -> dict[str, Any]:
    want = [tensors.write_value(_storable(v), expected, f"want{i}") for i, v in enumerate(sample.expected)]
    own = [tensors.write_value(v, expected, f"own{i}") for i, v in enumerate(sample.returned)]
    bounds = [
        _flat_bounds(b, v) for b, v in zip(sample.bounds or [None] * len(want), sample.expected, strict=True)
    ]
    return {
        "expected": [_dump(v) for v in want],
        "returned": [_dump(v) for v in own],
        "bounds": [_dump(tensors.write_value(b, expected, f"bound{i}")) for i, b in enumerate(bounds)],
    }


def _flat_bounds(bounds: Any, expected: Any) -> Any:
    """Return a bound for every tensor of a list, zero where there is none; None for an output without any."""
    if not isinstance(bounds, list):
        return bounds
    if all(b is None for b in bounds):
        return None
    return [torch.zeros(e.shape) if b is None else b for b, e in zip(bounds, expected, strict=True)]


def _storable(value: Any) -> Any:
    """Give golden complex128 values the widest complex dtype that operators know."""
    if isinstance(value, torch.Tensor):
        return value.to(torch.complex64) if value.dtype == torch.complex128 else value
    return None if value is None else [_storable(v) for v in value]


def _dump(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, TensorFile):
        return value.model_dump(mode="json")
    return [v.model_dump(mode="json") for v in value]


def _stamp(path: Path) -> str:
    """Change when the reference's files do."""
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    newest = [(p.name, p.stat().st_mtime_ns, p.stat().st_size) for p in files if p.exists()]
    return str(hash(tuple(newest)))


def _end_with(parent: int) -> None:
    """Wait for the process that started this one to end, then end, even in the middle of a long computation.

    The machine's own signal for this is tied to the thread that started the process, which may end early.
    """
    try:
        watch = os.pidfd_open(parent)
    except OSError:
        return  # an old machine: the end of stdin is seen after the current request
    poll = select.poll()
    poll.register(watch, select.POLLIN)
    poll.poll()
    os._exit(1)


def main() -> None:
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    protocol = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a reference prints must not look like an answer
    torch.set_num_threads(1)
    with contextlib.suppress(RuntimeError):
        torch.set_num_interop_threads(1)
    server = Server()
    for line in sys.stdin:
        try:
            answer = server.answer(json.loads(line))
        except InputError as e:
            answer = {"error": {"text": e.text, "remedy": e.remedy}}
        protocol.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
