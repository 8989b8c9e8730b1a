"""Whatever a user hands over: what is not covered is refused in a sentence, with the line of the user's own code."""

import re
from pathlib import Path

import pytest

from akgen.agents.composer import ModelFree
from akgen.bench.resolve import resolve_task
from akgen.tools.core.outcome import InputError, Outcome

ROWS = "[torch.rand(8, 8)]"
INTEGERS = "[torch.randint(0, 9, (8,))]"

REFUSED = {
    "sparse": ("x.to_dense() + 1", "[torch.eye(8).to_sparse()]", "Sparse tensors are not covered"),
    "quantised": (
        "x.dequantize()",
        "[torch.quantize_per_tensor(torch.rand(8), 0.1, 0, torch.qint8)]",
        "Quantised tensors are not covered",
    ),
    "float64": ("x + 1", "[torch.rand(8, dtype=torch.float64)]", "Float64 is not covered"),
    "beyond_int32": (
        "x * 3000000000",
        INTEGERS,
        r"3000000000 .*32 bits \(beyond_int32.py:6: return x \* 3000000000\)",
    ),
    "branch": (
        "x.repeat(int(x.abs().sum()), 1)",
        ROWS,
        r"depends on the values of a tensor \(branch.py:6: return x.repeat",
    ),
    "memory": (
        "torch.frombuffer(bytearray(x.numpy().tobytes()), dtype=torch.float32)",
        ROWS,
        r"NumPy's tobytes of a tensor is not covered \(memory.py:6:",
    ),
    "empty": ("x + 1", "[torch.rand(0, 8)]", "Tensors without elements"),
    "random": (
        "x + torch.rand_like(x)",
        ROWS,
        r"A random draw \(rand_like\) cannot be compared .*\(random.py:6:",
    ),
    "dropout": ("torch.dropout(x, 0.5, True)", ROWS, r"^A random draw \(bernoulli\) [^;]*$"),
    "factors": (
        "torch.linalg.qr(x)[1]",
        ROWS,
        r"The matrix decomposition linalg_qr is not covered \(factors.py:6:",
    ),
    "number": ("3", ROWS, "The reference returns no tensor"),
    "several": (
        "torch.special.i1(x) + torch.i0(x) + torch.fft.fft(x).abs()",
        ROWS,
        r"i1.* \(several.py:6: return torch.special.i1.*\); .*i0.*; the Fourier [^;]* \(several.py:6:[^;]*\)\.$",
    ),
}

UNUSABLE = {
    "set": ("torch.rand(8)", "[{1.5, 2.5}]", "passes x of type set"),
    "nothing": ("None", ROWS, "returns nothing"),
    "own_error": ("x + undefined", ROWS, "raises NameError in forward: name 'undefined' is not defined"),
}


def reference(folder: Path, name: str, result: str, inputs: str) -> Path:
    path = folder / f"{name}.py"
    head = "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return "
    path.write_text(f"{head}{result}\n\n\ndef get_inputs():\n    return {inputs}\n")
    return path


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_covered_is_refused_with_the_line(tmp_path: Path, name: str) -> None:
    result, inputs, said = REFUSED[name]
    planned = ModelFree().plan(resolve_task(str(reference(tmp_path, name, result, inputs))), None, 0)
    assert planned.plan is None and planned.outcome is Outcome.UNSUPPORTED
    (found,) = planned.diagnostics
    assert found.code == "COMPOSER_SCOPE" and found.remedy is not None and "--model" in found.remedy
    assert re.search(said, found.text), found.text


@pytest.mark.parametrize("name", UNUSABLE)
def test_what_is_no_reference_is_an_error_of_the_input(tmp_path: Path, name: str) -> None:
    result, inputs, said = UNUSABLE[name]
    with pytest.raises(InputError, match=said):
        ModelFree().plan(resolve_task(str(reference(tmp_path, name, result, inputs))), None, 0)


@pytest.mark.parametrize(
    ("name", "result", "inputs"),
    [
        ("written", "x.add_(1) * 2", ROWS),
        ("constant", "torch.arange(10) * 2.0", "[]"),
        ("strided", "x + 1", "[torch.rand(8, 8).t()]"),
        ("nine_axes", "x + 1", "[torch.rand(1, 2, 1, 2, 1, 2, 1, 2, 2)]"),
    ],
)
def test_unusual_modules_that_are_covered(tmp_path: Path, name: str, result: str, inputs: str) -> None:
    path = reference(tmp_path, name, result, inputs)
    if inputs == "[]":
        path.write_text(path.read_text().replace("(self, x)", "(self)"))
    assert ModelFree().plan(resolve_task(str(path)), None, 0).plan is not None
