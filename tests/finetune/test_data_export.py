"""Files for trainers load unmodified: TRL takes one step on each of its forms."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from akgen.finetune.data.build import ChunkDone
from akgen.finetune.data.export import Format, export
from akgen.finetune.data.record import DataPart, JudgedText, Rewards, TrainingRecord
from akgen.finetune.data.shards import read_records, write_shard
from tests.command import command

Built = tuple[Path, ChunkDone]
TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


@pytest.fixture(scope="module")
def data(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return records with an attempt that cheated and a preference pair among them."""
    folder = tmp_path_factory.mktemp("data")
    records = list(read_records(built[0]))
    solved = [r for r in records if r.part is DataPart.OPERATORS]
    right = min(solved, key=lambda r: len(r.model_dump_json()))  # a byte is a token of the tiny model
    cheat = right.model_copy(
        update={
            "id": "cheat", "part": DataPart.ATTEMPTS, "outcome": "cheat", "rewards": Rewards(form=0.0),
            "claims": (JudgedText(role="answer", form="dsl", text="x", outcome="cheat"),),
        }
    )  # fmt: skip
    pair = right.model_copy(
        update={"id": "pair", "part": DataPart.WRONG, "rejected": "```python\npass\n```", "split": "train"}
    )
    write_shard([*records, cheat, pair], folder / "parts" / "all" / "00000.parquet")
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Save a tiny random model with a tokenizer of bytes."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("model")
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {text: n for n, text in enumerate(["<pad>", "<eos>", *letters])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>", pad_token="<pad>")
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(vocabulary), hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=4096, pad_token_id=0, eos_token_id=1, bos_token_id=1,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def _exported(data: Path, out: Path, form: Format) -> dict[str, int]:
    return export(data, form, out).rows


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _all(folder: Path) -> Iterator[dict[str, Any]]:
    for path in folder.glob("*.jsonl"):
        yield from _rows(path)


def test_trl_takes_a_step_on_every_form(data: Path, small: Path, tmp_path: Path) -> None:
    from datasets import load_dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from trl import DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

    out = tmp_path / "trl"
    assert command("data", "export", data, "--format", "trl", "--out", out).code == 0
    tokenizer = AutoTokenizer.from_pretrained(small)
    step: dict[str, Any] = {
        "output_dir": str(tmp_path / "step"), "max_steps": 1, "use_cpu": True, "report_to": [], "bf16": False,
        "save_strategy": "no", "disable_tqdm": True, "gradient_checkpointing": False,
    }  # fmt: skip

    def table(name: str) -> Any:
        found = load_dataset(
            "json", data_files=str(out / f"{name}-train.jsonl"), split="train", cache_dir=str(tmp_path)
        )
        shortest = sorted(range(len(found)), key=lambda n: len(json.dumps(found[n])))
        return found.select(shortest[:2])

    def model() -> Any:
        return AutoModelForCausalLM.from_pretrained(small)

    for name in ("sft", "messages"):
        sft = SFTConfig(**step, per_device_train_batch_size=1, max_length=4096)
        trained = SFTTrainer(model(), args=sft, train_dataset=table(name), processing_class=tokenizer).train()
        assert trained.training_loss > 0
    dpo = DPOConfig(**step, per_device_train_batch_size=1, max_length=4096)
    assert (
        DPOTrainer(model(), args=dpo, train_dataset=table("dpo"), processing_class=tokenizer)
        .train()
        .training_loss
        > 0
    )
    seen: list[str] = []

    def reward(completions: list[Any], reference: list[str], **_: Any) -> list[float]:
        seen.extend(reference)
        return [float(len(c[0]["content"])) for c in completions]

    grpo = GRPOConfig(**step, per_device_train_batch_size=2, num_generations=2, max_completion_length=4)
    GRPOTrainer(model(), reward, args=grpo, train_dataset=table("grpo"), processing_class=tokenizer).train()
    assert "class Model" in seen[0]


@pytest.mark.parametrize("form", ["trl", "llamafactory", "kernelgen"])
def test_cheats_are_in_no_file(data: Path, tmp_path: Path, form: Format) -> None:
    _exported(data, tmp_path, form)
    assert any(True for _ in _all(tmp_path))
    assert [row for row in _all(tmp_path) if row.get("id") == "cheat"] == []
    assert {row["split"] for row in _all(tmp_path) if "split" in row} >= {"train", "families"}


def test_verl_rows_have_its_fields(data: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    _exported(data, tmp_path, "verl")
    row = pq.read_table(tmp_path / "rl-train.parquet").to_pylist()[0]
    assert set(row) == {"data_source", "prompt", "ability", "reward_model", "extra_info"}
    assert row["prompt"][0]["role"] == "user"
    assert "class Model" in json.loads(row["reward_model"]["ground_truth"])["reference"]


def test_llama_factory_finds_its_files(data: Path, tmp_path: Path) -> None:
    written = _exported(data, tmp_path, "llamafactory")
    info = json.loads((tmp_path / "dataset_info.json").read_text())
    assert {entry["file_name"] for entry in info.values()} == set(written)
    assert info["akgen_dpo_train"]["ranking"] is True
    pair = _rows(tmp_path / "dpo-train.jsonl")[0]
    assert [turn["from"] for turn in pair["conversations"]] == ["human"]
    assert (pair["chosen"]["from"], pair["rejected"]["value"]) == ("gpt", "```python\npass\n```")


def test_kernelgen_completions_begin_inside_the_thought(data: Path, tmp_path: Path) -> None:
    _exported(data, tmp_path, "kernelgen")
    row = _rows(tmp_path / "completion-train.jsonl")[0]
    assert row["prompt"].startswith("<|im_start|>user\n\\(") and row["prompt"].endswith("<think>")
    assert row["completion"].count("</think>") == 1


def test_a_card_is_what_load_dataset_reads(data: Path, tmp_path: Path) -> None:
    import shutil

    from datasets import load_dataset
    from huggingface_hub import DatasetCard

    folder = tmp_path / "data"
    shutil.copytree(data, folder)
    ended = command("data", "card", folder, "--json")
    assert ended.code == 0, ended.err
    records = list(read_records(folder))
    assert ended.document["records"] == len(records)
    outcomes = Counter(str(r.outcome) for r in records)
    assert ended.document["by_outcome"] == outcomes and outcomes["cheat"] == 1
    faulty = {DataPart.WORLD, DataPart.ERRORS, DataPart.WRONG}  # their outcome is that of the faulty text
    assert {r.part for r in records if r.outcome not in ("correct", "cheat")} <= faulty
    assert sum(n for _, n in ended.document["histogram"]) == len(records)
    text = (folder / "README.md").read_text()
    assert DatasetCard(text).data.license == "apache-2.0"
    assert ended.document["digest"] in text
    assert (folder / "tokens.svg").read_text().startswith("<svg")
    table = load_dataset(str(folder), split="train", cache_dir=str(tmp_path / "cache"))
    assert len(table) == len(records)
    assert TrainingRecord.model_validate({k: v for k, v in table[0].items() if k != "digest"}) == records[0]
