"""Words that change a person's code: beside it, or as a follow-up."""

import pytest

from akgen.agents.requests.request import Request
from akgen.agents.requests.sentence import parse_request
from akgen.agents.requests.task import reference_for

FUNCTION = """def f(x, w1, w2):
    h = x @ w1
    h = F.leaky_relu(h, 0.1)
    return h @ w2
"""
MODULE = """class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.ln = nn.LayerNorm(d)
        self.fc = nn.Linear(d, 128)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.fc(self.ln(x)))
"""
SHAPES = {FUNCTION: "x 64x256, w1 256x512, w2 512x256, fp32", MODULE: "x is 4x8x64, fp32"}


@pytest.mark.parametrize(
    ("code", "said", "line"),
    [
        (
            FUNCTION,
            "use elu with alpha 0.5 instead of leaky relu",
            "h = torch.nn.functional.elu(h, alpha=0.5)",
        ),
        (FUNCTION, "replace the leaky relu with gelu", "h = torch.nn.functional.gelu(h)"),
        (FUNCTION, "leaky relu 换成 relu6", "h = torch.nn.functional.relu6(h)"),
        (FUNCTION, "without the leaky relu", "h = h"),
        (FUNCTION, "then a softmax over the last dim", "return torch.nn.functional.softmax(x0, dim=-1)"),
        (FUNCTION, "also add x back at the end", "return x0 + x"),
        (MODULE, "replace the relu with silu", "self.act = torch.nn.SiLU()"),
        (MODULE, "drop the relu", "self.act = torch.nn.Identity()"),
        (MODULE, "no bias in fc", "self.fc = nn.Linear(d, 128, bias=False)"),
        (MODULE, "fc 的 out_features 改成 256", "self.fc = nn.Linear(d, 256)"),
        (MODULE, "then apply a tanh", "return torch.tanh(x0)"),
    ],
)
@pytest.mark.parametrize("together", [True, False])
def test_code_is_changed_as_words_say(code: str, said: str, line: str, together: bool) -> None:
    if together:
        heard = parse_request(f"```python\n{code}```\nsame as above but {said}. {SHAPES[code]}")
    else:
        heard = parse_request(said, parse_request(f"{code}\n{SHAPES[code]}").request)
    assert heard.problem is None, heard.problem
    assert line in reference_for(heard.request)
    assert heard.request.shapes


@pytest.mark.parametrize("said", ["now softmax", "make it gelu", "replace the tanh with gelu", "then matmul"])
def test_code_is_not_forgotten_for_an_operator(said: str) -> None:
    known = parse_request(f"{FUNCTION}\n{SHAPES[FUNCTION]}").request
    heard = parse_request(said, known)
    assert heard.problem is not None
    assert heard.request == known


def test_a_request_with_tensors_of_its_own_is_a_new_one() -> None:
    known = parse_request(f"{FUNCTION}\n{SHAPES[FUNCTION]}").request
    heard = parse_request("softmax over the last dim, 4x8 fp16", known)
    assert heard.request == parse_request("softmax over the last dim, 4x8 fp16", Request()).request
