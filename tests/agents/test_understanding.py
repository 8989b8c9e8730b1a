"""A chat model writes the reference where the plain reader is not sure; its code is looked through before it runs."""

import json
from pathlib import Path

import pytest

from akgen.agents.calls.conversation import Conversation
from akgen.agents.models.resolve import ScriptedChatModel
from akgen.agents.requests.needs import missing
from akgen.agents.requests.request import Request
from akgen.agents.requests.task import reference_for, task_for
from akgen.agents.requests.understanding import ModelUnderstanding, forbidden
from akgen.tools.reference.module_loader import load

CODE = """Here it is:
```python
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(1.702 * x)


def get_inputs():
    return [torch.randn(8, 40, dtype=torch.float16)]
```
"""


def _understanding(tmp_path: Path, reply: str) -> ModelUnderstanding:
    script = tmp_path / "script.jsonl"
    script.write_text(json.dumps({"role": "chat", "text": reply}) + "\n")
    return ModelUnderstanding(Conversation(ScriptedChatModel.read(script), "scripted", "file", seed=1))


def test_the_model_writes_the_reference_of_what_the_reader_does_not_know(tmp_path: Path) -> None:
    heard = _understanding(tmp_path, CODE)("the gelu that OpenAI wrote for images, fp16, 8 by 40", Request())
    assert heard.problem is None and missing(heard.request) == ()
    module = tmp_path / "reference.py"
    module.write_text(reference_for(heard.request))
    task = task_for(heard.request, module, "asked")
    (x,) = load(task.reference, task.cases[0]).sample(1, "task").inputs
    assert list(x.shape) == [8, 40] and str(x.dtype) == "torch.float16"


def test_what_the_reader_is_sure_of_is_not_asked(tmp_path: Path) -> None:
    heard = _understanding(tmp_path, CODE)("gelu fp16 8 by 40", Request())
    assert heard.request.source is None and heard.request.name == "gelu"


def test_a_question_of_the_model_reaches_the_person_and_changes_nothing(tmp_path: Path) -> None:
    known = Request()
    heard = _understanding(tmp_path, "Which gelu do you mean?")("a wobbly gelu, fp16", known)
    assert heard.problem == "Which gelu do you mean?" and heard.request == known


@pytest.mark.parametrize(
    "line",
    [
        "import os",
        "open('/etc/passwd')",
        "torch.load('x')",
        "().__class__",
        "from torch import hub",
        "__import__('os')",
    ],
)
def test_a_reference_that_does_more_than_compute_is_not_run(tmp_path: Path, line: str) -> None:
    assert forbidden(f"import torch\n{line}\n") is not None
    reply = CODE.replace("import torch\n", f"import torch\n{line}\n", 1)
    heard = _understanding(tmp_path, reply)("a wobbly gelu, fp16", Request())
    assert heard.kind == "unclear" and heard.request == Request()
