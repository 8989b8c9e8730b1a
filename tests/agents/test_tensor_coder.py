"""A chat model's tensor program goes through the graph: composed, compiled, judged, repaired from its findings."""

import json
from pathlib import Path

from akgen.agents.tensor_coder import findings_told, forward_lines, read_tensor_program, repair_prompt
from akgen.tools.core.outcome import Diagnostic, Outcome
from tests.command import command

GOOD = "x: [M, N]\nbias: [N]\nt = add(x, bias)\nreturn t\n"
WRONG = GOOD.replace("add(x", "adds(x")
REFERENCE = """import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return x + bias


def get_inputs():
    return [torch.randn(6, 40), torch.randn(40)]


def get_init_inputs():
    return []
"""


def test_a_program_with_a_finding_is_repaired_and_solves_the_task(tmp_path: Path) -> None:
    task, script = tmp_path / "add_bias.py", tmp_path / "script.jsonl"
    task.write_text(REFERENCE)
    replies = [{"role": "coder", "text": f"```\n{text}```\n"} for text in (WRONG, GOOD)]
    script.write_text("\n".join(map(json.dumps, replies)))
    ended = command(
        "solve", task, "--model", f"scripted:{script}", "--route", "tensor", "--attempts", "2", "--out",
        tmp_path / "runs", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err + ended.out
    said = json.dumps(ended.document)
    assert "TENSOR_UNKNOWN_OP" in said or "compile_error" in said
    assert ended.document["outcome"] == "correct"


def test_the_last_block_with_a_program_counts_and_a_bare_reply_is_one() -> None:
    assert read_tensor_program(GOOD) == GOOD
    assert read_tensor_program(f"<think>{GOOD}</think>```\n{WRONG}```\nrather\n```text\n{GOOD}```\n") == GOOD
    assert read_tensor_program("I cannot.") is None


def test_a_trained_model_is_told_the_code_and_the_line() -> None:
    found = (Diagnostic(code="TENSOR_SHAPE", text="", line=3, stage="write"),)
    assert findings_told(found, Outcome.COMPILE_ERROR) == ("TENSOR_SHAPE 3",)
    assert findings_told((), Outcome.WRONG) == ("WRONG",)
    assert repair_prompt("P\n\n", WRONG, ("WRONG",)) == f"P\n\n{WRONG}# WRONG\n\n"
    assert forward_lines(REFERENCE) == "return x + bias"
