"""Leaks of every kind that are planted are found, and what is left is certified with both sides' digests."""

import json
import re
import shutil
from pathlib import Path

import pytest

from akgen.bench import builtin
from akgen.finetune.data.build import ChunkDone
from akgen.finetune.data.certify import LeakCertificate
from akgen.finetune.data.leaks import benchmark, by_code, by_meaning, by_name, by_reference
from akgen.finetune.data.mix import MixConfig, mix
from akgen.finetune.data.record import DataPart, TrainingRecord
from akgen.finetune.data.shards import digest_of_records, read_records, write_shard
from tests.command import command

Built = tuple[Path, ChunkDone]
CHECKOUT = Path(__file__).parents[1] / "bench" / "checkout"
SOFTMAX = (builtin.TASKS / "softmax_rows" / "reference.py").read_text()
KERNEL = next(CHECKOUT.rglob("blend_add.cpp")).read_text()


@pytest.fixture(scope="module")
def clean(built: Built) -> list[TrainingRecord]:
    names = {leak.record for leak in by_name(list(read_records(built[0])), benchmark("builtin", None))}
    return [r for r in read_records(built[0]) if r.id not in names]


def _planted(record: TrainingRecord, name: str, **changes: object) -> TrainingRecord:
    return record.model_copy(update={"id": name, "task": name, "op_type": name, "kernel": name, **changes})


def _renamed(text: str) -> str:
    """Return a kernel whose own words, numbers and comments are others; calls of the library stay."""
    text = re.sub(r"//[^\n]*", "// 每个核处理一段数据", text)
    words = sorted(
        set(re.findall(r"\b[a-z]\w{3,}\b", text)) - {"include", "extern", "class", "const", "public"}
    )
    for number, word in enumerate(
        w for w in words if w not in ("void", "inline", "private", "template", "return")
    ):
        text = re.sub(rf"\b{word}\b", f"word{number}", text)
    return re.sub(r"\b\d+\b", "7", text)


def _reformatted(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"//[^\n]*", " ", re.sub(r"^#.*$", "", text, flags=re.M)))


def _commented(text: str) -> str:
    """Return a reference with Chinese comments and docstrings for its own."""
    text = re.sub(r'"""(?s:.*?)"""', '"""按行计算。"""', re.sub(r"#[^\n]*", "", text))
    return re.sub(r"(?m)^(\s+return .*)$", r"\1  # 返回结果", text)


PLANTED = {
    "renamed_reference": lambda r: _planted(
        r,
        "zq1",
        reference=SOFTMAX.replace("x", "w")
        .replace("Model", "Whole")
        .replace("torch.softmaw", "torch.softmax"),
    ),
    "constants": lambda r: _planted(
        r,
        "zq2",
        reference="class Model:\n    def forward(self, x):\n        # 翻译\n        return x.softmax(dim=1)\n",
    ),
    "translated_comments": lambda r: _planted(r, "zq6", reference=_commented(SOFTMAX)),
    "name": lambda r: _planted(r, "softmax_rows"),
    "alias": lambda r: _planted(r, "MatrixMultiplication"),
    "renamed_code": lambda r: _planted(r, "zq3", reference="", answer=_renamed(KERNEL)),
    "reformatted_code": lambda r: _planted(r, "zq4", reference="", answer=_reformatted(KERNEL)),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_leak_is_found(clean: list[TrainingRecord], kind: str) -> None:
    sides = [*benchmark("builtin", None), *benchmark("npukb", CHECKOUT)]
    leak = PLANTED[kind](clean[0])
    found = [*by_name([leak], sides), *by_reference([leak], sides), *by_code([leak], sides, 0.5)]
    assert [f.record for f in found], kind


def test_what_is_no_leak_is_none(clean: list[TrainingRecord]) -> None:
    sides = benchmark("npukb", CHECKOUT)
    assert by_name(clean, sides) == []
    assert by_reference(clean, sides) == []
    assert by_code(clean, sides, 0.5) == []


def test_leaks_fail_or_are_dropped_and_the_certificate_names_both_sides(
    clean: list[TrainingRecord], tmp_path: Path
) -> None:
    operators = [r for r in clean if r.part is DataPart.OPERATORS]
    write_shard(
        [*operators, *(make(clean[0]) for make in PLANTED.values())], tmp_path / "parts" / "all" / "0.parquet"
    )
    asked = ("data", "certify", tmp_path, "--against", f"builtin,npukb={CHECKOUT}")
    failed = command(*asked)
    assert failed.code == 1
    assert "leak: softmax_rows and builtin/softmax_rows: name 1" in failed.out
    before = digest_of_records(tmp_path)
    assert command(*asked, "--drop").code == 0
    certificate = LeakCertificate.model_validate_json((tmp_path / "certificate.json").read_bytes())
    assert set(certificate.dropped) >= {"zq1", "zq2", "zq3", "zq4", "softmax_rows", "MatrixMultiplication"}
    assert (certificate.digest_before, certificate.digest) == (before, digest_of_records(tmp_path))
    assert [side.suite for side in certificate.against] == ["builtin", "npukb"]
    assert all(len(side.digest) == 64 for side in certificate.against)
    assert {r.id for r in read_records(tmp_path)}.isdisjoint(certificate.dropped)
    assert command("data", "export", tmp_path, "--format", "kernelgen", "--out", tmp_path / "files").code == 0
    shipped = (tmp_path / "files" / "certificate.json").read_bytes()
    assert shipped == (tmp_path / "certificate.json").read_bytes()
    assert command(*asked).code == 0


def test_card_and_packing_follow_what_was_dropped(clean: list[TrainingRecord], tmp_path: Path) -> None:
    write_shard([*clean, PLANTED["name"](clean[0])], tmp_path / "s" / "parts" / "all" / "0.parquet")
    mix([tmp_path / "s"], tmp_path / "m", MixConfig(near=1))
    assert command("data", "certify", tmp_path / "m", "--drop").code == 0
    left = {r.id for r in read_records(tmp_path / "m")}
    assert "softmax_rows" not in left
    lines = [json.loads(line) for line in (tmp_path / "m" / "packing.jsonl").read_text().splitlines()]
    assert {name for line in lines for name in line["records"]} == left
    text = (tmp_path / "m" / "README.md").read_text()
    assert digest_of_records(tmp_path / "m") in text
    assert "| certificate | certificate.json |" in text


def test_meaning_is_compared_by_what_embeds(clean: list[TrainingRecord]) -> None:
    sides = benchmark("builtin", None)[:5]

    def embed(texts: "list[str] | tuple[str, ...]") -> list[list[float]]:
        return [[float(len(t)), float(t.count("softmax")), 1.0] for t in texts]

    same = _planted(clean[0], "zq5", reference=sides[0].reference)
    found = by_meaning([same], sides, 0.999, embed)  # type: ignore[arg-type]
    assert [leak.record for leak in found] == ["zq5"]


def test_a_suite_without_a_checkout_is_one_sentence(built: Built) -> None:
    ended = command("data", "certify", built[0], "--against", "npukb", env={"AKGEN_NPUKB_ROOT": ""})
    assert ended.code == 2
    assert "Traceback" not in ended.err


def test_a_sample_is_judged_again_and_a_record_that_no_longer_holds_is_named(
    clean: list[TrainingRecord], tmp_path: Path
) -> None:
    right = next(r for r in clean if r.part is DataPart.OPERATORS and r.kind == "dsl")
    write_shard([right], tmp_path / "a" / "parts" / "all" / "0.parquet")
    ended = command("data", "verify", tmp_path / "a", "--sample", "5", "--json")
    assert (ended.code, ended.document["sampled"], ended.document["failed"]) == (0, 1, {})
    false = right.claims[0].model_copy(update={"outcome": "wrong"})
    write_shard(
        [right.model_copy(update={"claims": (false,)})], tmp_path / "b" / "parts" / "all" / "0.parquet"
    )
    ended = command("data", "verify", tmp_path / "b")
    assert ended.code == 1
    assert f"does not hold: {right.id}: answer: wrong when it was written, correct now" in ended.out


def test_texts_are_imported_with_their_licence_and_filtered(tmp_path: Path) -> None:
    source = tmp_path / "given"
    source.mkdir()
    rows = [
        {
            "question": "What is a tile of the Unified Buffer good for?",
            "answer": "It holds what a core works on.",
        },
        {
            "question": "什么是统一缓冲区？它有多大，怎样使用？请详细说明。",
            "answer": "统一缓冲区是向量核的片上存储，容量有限。",
        },
        {"question": "Short?", "answer": "Yes."},
        {"question": "What has no answer, however long one waits for it to come?", "answer": ""},
    ]
    (source / "rows.jsonl").write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows))
    (source / "guide.md").write_text(
        "# Guide\n\n## Queues\n\nA queue hands buffers from one stage to the next one.\n"
    )
    asked = ("data", "import", source, tmp_path / "out", "--as", "documents", "--languages", "en", "--json")
    assert command(*asked).code == 2  # no licence
    ended = command(*asked, "--licence", "MIT")
    assert ended.code == 0, ended.err
    assert ended.document["records"] == 2
    assert ended.document["left_out"] == {
        "without an answer": 2, "in another language: zh": 1, "too short": 1,
    }  # fmt: skip
    records = list(read_records(tmp_path / "out"))
    assert {r.provenance.licence for r in records} == {"MIT"}
    assert "Guide / Queues" in {r.prompt[0].content for r in records}
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"question": ')
    assert command("data", "import", broken, tmp_path / "x", "--as", "general", "--licence", "MIT").code == 2


def test_a_folder_is_left_as_it_was_when_the_machine_fails(built: Built, tmp_path: Path) -> None:
    folder = tmp_path / "built"
    shutil.copytree(built[0], folder)
    (folder / "certificate.json").mkdir()
    ended = command("data", "certify", folder, "--against", "builtin")
    assert ended.code == 3
    assert "cannot be written" in ended.err
