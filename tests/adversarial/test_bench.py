"""Whatever candidates and replies say, bench counts every sample."""

import json
import shutil
from pathlib import Path

from tests.command import command

CHECKOUT = Path(__file__).resolve().parents[1] / "bench" / "checkout"
ANSWER = CHECKOUT / "tasks/level1/Math/BlendAdd/answer/0"
TOP = '#include <cstdlib>\nextern "C" long write(int, const void *, unsigned long);\n'
BEGIN = "static ge::graphStatus TilingFunc(gert::TilingContext *context)\n{\n"


def say(text: str) -> str:
    return f'static const char said[] = "\\n{text}\\n"; write(3, said, sizeof said - 1); _Exit(0);'


HOSTILE = (
    "_Exit(70);",
    "_Exit(86);",
    "abort();",
    say('{\\"status\\":1e999}'),
    say('{\\"status\\":0,\\"tiling_bytes\\":' + "9" * 400 + "}"),
    say("[" * 20_000),
    say('{\\"signal\\":99999999999,\\"so_offset\\":0}'),
)


def test_every_project_of_a_folder_is_counted(tmp_path: Path) -> None:
    projects = tmp_path / "projects" / "BlendAdd"
    for number, attack in enumerate(("", *HOSTILE)):
        shutil.copytree(ANSWER, projects / str(number), ignore=shutil.ignore_patterns("aclnn_*"))
        host = projects / str(number) / "op_host" / "blend_add.cpp"
        text = host.read_text()
        assert text.count(BEGIN) == 1
        host.write_text(TOP + text.replace(BEGIN, BEGIN + attack + "\n"))
    count = 1 + len(HOSTILE)
    ended = command(
        "bench", "run", "npukb", "--root", CHECKOUT, "--source", projects.parent, "--tasks", "BlendAdd",
        "--trials", "1", "--mode", "static", "--samples", str(count), "--out", tmp_path / "run", "--json",
    )  # fmt: skip
    records = [json.loads(line) for line in (tmp_path / "run/results.jsonl").read_text().splitlines()]
    assert (ended.code, ended.document["errors"], len(records)) == (0, [], count)
    assert records[0]["outcome"] == "correct"
    assert {r["outcome"] for r in records[1:]} <= {"tiling_error", "cheat", "trap"}
    (er,) = (r for r in ended.document["levels"]["1"]["er"] if r["k"] == 1)
    assert er["value"] == 1 / count


REPLIES = (
    "[" * 50_000,
    '{"a":' * 5_000,
    "```cpp\n\0\x1b[2J\ud7ff\n```",
    "<think>" * 1_000,
    "\x00\x01\x02",
    '{"thought": "x", "category": "elementwise", "tiling": {"block_dim": ' + "9" * 5_000 + "}}",
    "================== op_kernel/../../x.cpp ==================\n```\nint a;\n```",
)


def test_every_reply_of_a_model_is_counted(tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    lines = [
        {"role": role, "sample": n, "attempt": 1, "turn": turn, "text": text}
        for n, text in enumerate(REPLIES)
        for role in ("planner", "coder")
        for turn in (1, 2)
    ]
    script.write_text("".join(json.dumps(line) + "\n" for line in lines))
    ended = command(
        "bench", "run", "builtin", "--tasks", "relu", "--source", "model", "--model", f"scripted:{script}",
        "--samples", str(len(REPLIES)), "--out", tmp_path / "run", "--json",
    )  # fmt: skip
    records = [json.loads(line) for line in (tmp_path / "run/results.jsonl").read_text().splitlines()]
    assert (ended.document["errors"], len(records)) == ([], len(REPLIES)), ended.err
    assert all(r["outcome"] in ("no_code", "compile_error", "plan_rejected") for r in records)
