"""One chunk of records, made once, with the judge that made it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from akgen.finetune.data.build import BuildConfig, ChunkDone, ChunkJob
from akgen.finetune.data.chunk import PARTS
from akgen.finetune.data.worker import make_chunk
from akgen.finetune.operators.tasks import drawn
from akgen.finetune.training.pairs import TensorPair, drawn_pairs
from akgen.finetune.training.tokenizer import train_tokenizer
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.twin.toolchain import TwinToolchain

Pairs = tuple[TensorPair, ...]
SEED = 11
OPERATORS = tuple(drawn(SEED, 4, ("pointwise", "reduction", "loss", "broadcast")))
CONFIG = BuildConfig(
    seed=SEED, families=("pointwise", "reduction", "loss", "broadcast"), parts=PARTS, generator="test"
)


@pytest.fixture(scope="session")
def many_pairs() -> Pairs:
    return tuple(drawn_pairs(3, 27))


@pytest.fixture(scope="session")
def judge(twin: TwinToolchain, reference: ReferenceWorker) -> Iterator[Judge]:
    yield Judge(twin, reference)


@pytest.fixture(scope="session")
def built(
    judge: Judge, twin: TwinToolchain, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, ChunkDone]:
    """Return a folder with one chunk of three operators, and what was said of it."""
    folder = tmp_path_factory.mktemp("built")
    job = ChunkJob(chunk="00000", kind="operators", operators=OPERATORS)
    return folder, make_chunk(job, CONFIG, judge, twin, folder)


@pytest.fixture(scope="session")
def qwen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a random model of the class that the large recipes train."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    folder = tmp_path_factory.mktemp("qwen3")
    tokenizer = train_tokenizer(["x: [M, N]\nt0 = mul(x, x)\nreturn t0\n"] * 4, [], ["x"], size=400)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "head_dim": 8}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "tie_word_embeddings": True}
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    Qwen3ForCausalLM(Qwen3Config(vocab_size=len(tokenizer), **sizes, **heads, **ends)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
