"""A formula beside an operator's name: the same, something that has it as a part, or something else."""

import pytest

from akgen.agents.requests.definitions import _values, relation
from akgen.knowledge.operators import operators


@pytest.mark.parametrize(
    ("name", "formula", "variables", "kind", "attributes"),
    [
        ("lerp", "a + t * (b - a)", "a t b", "same", {}),
        ("ema_update", "0.999 * ema + 0.001 * p", "ema p", "same", {"decay": 0.999}),
        ("hardsigmoid", "torch.nn.functional.relu6(x + 3) / 6", "x", "same", {}),
        ("softcap", "50 * torch.tanh(x / 50)", "x", "same", {"cap": 50}),
        ("elu", "torch.where(x > 0, x, 0.7 * (torch.exp(x) - 1))", "x", "same", {"alpha": 0.7}),
        (
            "quantize",
            "torch.clamp(torch.round(x / 0.05) + 128, 0, 255)",
            "x",
            "same",
            {"scale": 0.05, "zero_point": 128, "low": 0, "high": 255},
        ),
        ("rms_norm", "(x + r) * torch.rsqrt(torch.mean((x + r) ** 2) + 1e-06) * w", "x r w", "part", {}),
        ("softmax", "torch.exp(x) / torch.sum(torch.exp(x)) * 2", "x", "part", {}),
        ("relu", "torch.clamp(-x, min=0)", "x", "other", {}),
        ("gelu", "x * torch.sigmoid(2 * x)", "x", "other", {}),
    ],
)
def test_a_formula_is_compared_by_numbers(
    name: str, formula: str, variables: str, kind: str, attributes: dict[str, float]
) -> None:
    found = relation(name, formula, tuple(variables.split()))
    assert found is not None
    assert found.kind == kind
    assert dict(found.attributes) == attributes


def test_what_is_tried_of_an_attribute_can_be_told_apart() -> None:
    """A list among the values once ended the chat."""
    for entry in operators():
        for signature in entry.signatures():
            for parameter in (p for p in signature.parameters if not p.is_tensor):
                assert len(set(_values(parameter, entry))) == len(_values(parameter, entry))
