"""A reference that a chat model wrote is compared with the words: each pair differs in what the model left out."""

import json
from pathlib import Path

import pytest

from akgen.agents.calls.conversation import Conversation
from akgen.agents.models.resolve import ScriptedChatModel
from akgen.agents.requests.compared import not_in_reference
from akgen.agents.requests.language import Language
from akgen.agents.requests.request import Request
from akgen.agents.requests.understanding import ModelUnderstanding
from akgen.tools.core.call import Call, OutputMeta, TensorMeta
from akgen.tools.core.dtypes import DType

SOURCE = """class Model(torch.nn.Module):
    def forward(self, x):
        return {}


def get_inputs():
    return [torch.randn(64, 128, dtype=torch.float16)]
"""
SHAPE = (64, 128)
CASES = [  # what is said, what forward returns, what is missing in it
    ("leaky relu with slope 0.2, 64x128 fp16", "F.leaky_relu(x, 0.2)", []),
    ("leaky relu with slope 0.2, 64x128 fp16", "F.leaky_relu(x)", ["0.2"]),
    ("斜率 0.2 的 leaky relu，64x128，半精度", "F.leaky_relu(x)", ["0.2"]),
    ("gelu 64x128 bf16", "F.gelu(x)", ["bf16"]),
    ("gelu 64x256 fp16", "F.gelu(x)", ["64x256"]),
    ("gelu 128x64 fp16", "F.gelu(x)", ["128x64"]),
    ("对 64x128 半精度做 gelu，再做 softmax", "F.gelu(x)", ["softmax"]),
    ("对 64x128 半精度做 gelu，再做 softmax", "torch.softmax(F.gelu(x), -1)", []),
    ("gelu, no softmax, 64x128 fp16", "torch.softmax(F.gelu(x), -1)", ["no softmax"]),
    ("gelu 64x128 fp16，不要 softmax", "torch.softmax(F.gelu(x), -1)", ["不要 softmax"]),
    ("relu instead of gelu, 64x128 fp16", "F.relu(x)", []),
    ("squared relu in a smooth form, 64x128 fp16", "F.softplus(x) ** 2", ["squared relu"]),
    ("squared relu in plain calls, 64x128 fp16", "torch.square(torch.relu(x))", []),
    ("swish in plain calls, 64x128 fp16", "F.silu(x)", []),
]


@pytest.mark.parametrize(("text", "returned", "missing"), CASES)
def test_what_the_reference_has_nothing_of_is_named(text: str, returned: str, missing: list[str]) -> None:
    meta = TensorMeta(dtype=DType.FLOAT16, shape=SHAPE)
    call = Call(inputs=(meta,), outputs=(OutputMeta(meta=meta),))
    assert not_in_reference(text, SOURCE.format(returned), [call]) == missing


def test_an_answer_to_the_models_question_reaches_it_with_the_question(tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    code = f"```python\n{SOURCE.format('x * torch.sigmoid(1.702 * x)')}```"
    turns = ["Which of the two?", code]
    script.write_text(
        "".join(
            json.dumps({"role": "chat", "text": text, "turn": n + 1}) + "\n" for n, text in enumerate(turns)
        )
    )
    model = ModelUnderstanding(Conversation(ScriptedChatModel.read(script), "scripted", "file", seed=1))
    asked = model("a wobbly gelu, 64x128 fp16", Request())
    assert asked.exchange == (("a wobbly gelu, 64x128 fp16", "Which of the two?"),)
    heard = model("the one with 1.702", Request(), Language.ENGLISH, asked.exchange)
    assert heard.request.source is not None
    assert heard.request.source.said == "a wobbly gelu, 64x128 fp16\nthe one with 1.702"
