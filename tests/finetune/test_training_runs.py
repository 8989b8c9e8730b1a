"""Every trainer takes a step on a tiny random model, keeps its metrics, goes on after a stop, and is measured."""

import json
import resource
import shutil
import threading
from dataclasses import fields
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from akgen.agents.models.local import Checkpoint, LocalChatModel
from akgen.finetune.training import recipe as recipe_module
from akgen.finetune.training.evaluate import compare_evaluations, evaluate, predicted_outcomes
from akgen.finetune.training.grpo import GroupReward, judged_here, train_grpo
from akgen.finetune.training.judges import Judges
from akgen.finetune.training.metrics import read_metrics
from akgen.finetune.training.preferences import Preference, train_dpo
from akgen.finetune.training.recipe import (
    AblateRecipe,
    DataRecipe,
    DpoRecipe,
    FromScratch,
    GrpoRecipe,
    IterateRecipe,
    Lora,
    Served,
    SftRecipe,
    Trainer,
    read_recipe,
)
from akgen.finetune.training.rewards import RewardWeights
from akgen.finetune.training.rollouts import ServedSampler
from akgen.finetune.training.sft import train_sft
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError, InputError
from tests.finetune.conftest import Pairs
from tests.finetune.test_training_data import SQUARE, WRONG
from tests.sampled import sampled

TINY = FromScratch(hidden=16, layers=1, heads=2, intermediate=32, vocabulary=600)
STEPS = Trainer(max_steps=2, save_steps=1, logging_steps=1, per_device_train_batch_size=2, bf16=False)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory, many_pairs: Pairs) -> Path:
    file = tmp_path_factory.mktemp("pairs") / "pairs.jsonl"
    rows = [p.model_dump(mode="json") for p in (*many_pairs, SQUARE)]
    file.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return file


@pytest.fixture(scope="module")
def sft(pairs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _sft(pairs, tmp_path_factory.mktemp("sft"))


def _recipe(pairs: Path) -> SftRecipe:
    return SftRecipe(base=TINY, data=DataRecipe(pairs=pairs), packed_tokens=128, trainer=STEPS, cpu=True)


def _sft(pairs: Path, folder: Path) -> Path:
    return train_sft(_recipe(pairs), folder).model


def test_training_goes_on_after_its_last_checkpoint(sft: Path, pairs: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(sft.parent, run)
    shutil.rmtree(run / "model")
    shutil.rmtree(run / "state" / "checkpoint-2")
    (run / "state" / "checkpoint-3").mkdir()  # one that was being written
    before = [row["loss"] for row in read_metrics(run / "metrics.jsonl") if "loss" in row]
    trained = train_sft(_recipe(pairs), run)
    after = [row["loss"] for row in read_metrics(run / "metrics.jsonl") if "loss" in row]
    assert trained.steps == 2 and len(after) == len(before) == 2
    assert after == pytest.approx(before, rel=1e-3)
    assert (run / "metrics.svg").read_text().startswith("<svg") and list(
        (run / "state").glob("runs/**/events*")
    )


def test_records_that_are_all_too_long_are_refused(pairs: Path, tmp_path: Path) -> None:
    recipe = _recipe(pairs).model_copy(update={"data": DataRecipe(pairs=pairs, max_tokens=3)})
    with pytest.raises(InputError, match="shorter than 3"):
        train_sft(recipe, tmp_path)


def test_a_checkpoint_is_a_chat_model_and_is_measured(sft: Path, many_pairs: Pairs) -> None:
    from akgen.agents.calls.model_call import Sampling

    model = LocalChatModel.load(sft, Sampling(max_tokens=8), seed=1)
    first, again = (model.invoke(SQUARE.prompt("en")) for _ in range(2))
    assert first.content == again.content and len(first.response_metadata["token_ids"]) <= 8
    checkpoint = Checkpoint.load(sft)
    found = evaluate(
        checkpoint, "tiny", [SQUARE, many_pairs[0]], "train", n=3, repair=True, most_new_tokens=8
    )
    assert [t.samples for t in found.tasks] == [3, 3] and found.correct[0].k == 1 and found.repaired
    (one, three) = compare_evaluations(found, found)
    assert (one.k, three.k, one.p, one.difference) == (1, 3, 1.0, 0.0)
    seen = predicted_outcomes(checkpoint, many_pairs[:6])
    assert seen.programs == 6 and seen.accuracy == 0.0 == seen.low < seen.high and 0 < seen.majority <= 1
    assert seen.p == pytest.approx(
        2 / 2 ** round(6 * seen.majority)
    )  # exact: it loses where the usual one is right
    with pytest.raises(InputError, match="holds no model"):
        Checkpoint.load(sft.parent)


def test_preferences_train_with_and_without_adapters(sft: Path, tmp_path: Path) -> None:
    file = tmp_path / "preferences.jsonl"
    one = Preference(task="t", prompt=SQUARE.prompt("en"), chosen=SQUARE.program, rejected=WRONG, margin=1.0)
    file.write_text("".join(json.dumps(one.model_dump()) + "\n" for _ in range(4)))
    trainer = STEPS.model_copy(update={"max_steps": 1})
    for lora in (None, Lora(rank=2, alpha=4, target=("q_proj", "v_proj"))):
        recipe = DpoRecipe(
            base=str(sft), preferences=file, lora=lora, sft_weight=lora is None, trainer=trainer, cpu=True
        )
        trained = train_dpo(recipe, tmp_path / f"dpo-{lora is None}")
        assert trained.steps == 1 and Checkpoint.load(trained.model).model is not None
    with pytest.raises(InputError, match="No preference"):
        train_dpo(recipe.model_copy(update={"kinds": ("faster",)}), tmp_path / "none")


def test_rewards_train_and_their_parts_are_logged(sft: Path, pairs: Path, tmp_path: Path) -> None:
    trainer = STEPS.model_copy(update={"max_steps": 1})
    recipe = GrpoRecipe(
        base=str(sft), pairs=pairs, tasks=2, group=2, max_new_tokens=4, trainer=trainer, cpu=True
    )
    trained = train_grpo(recipe, tmp_path)
    assert trained.steps == 1
    (row, *_) = read_metrics(tmp_path / "metrics.jsonl")
    assert {"reward", "reward_format", "reward_correct", "groups_without_spread"} <= row.keys()


def test_groups_without_spread_are_counted() -> None:
    told: dict[str, float] = {}
    asked = GroupReward(
        RewardWeights(), 2, lambda answers: judged_here(Judges(1), [(SQUARE, text) for _, text in answers])
    )
    totals = asked(["p"] * 4, [SQUARE.program, WRONG, WRONG, WRONG], ["t"] * 4, log_metric=told.__setitem__)
    assert totals[0] == pytest.approx(1.0) and totals[1] == totals[2] == totals[3] < 0.5
    assert told["groups_without_spread"] == 0.5


def test_a_server_that_is_gone_is_one_sentence(tmp_path: Path) -> None:
    class Args:
        max_completion_length, temperature, top_p, seed = 4, 1.0, 1.0, 0

    class State:
        global_step = 0

    class Bare:
        args, state, model = Args(), State(), object()

    served = ServedSampler(Served(base_url="http://127.0.0.1:9/v1", model="m", timeout_s=1), tmp_path)
    with pytest.raises(InfraError, match="gave no rollouts"):
        served([[1, 2]], Bare(), 0)


def test_a_server_that_dies_between_rollouts_stops_the_run_and_the_same_call_goes_on(
    sft: Path, pairs: Path, tmp_path: Path
) -> None:
    answers_left = [1]

    class Server(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not answers_left[0]:
                self.close_connection = True
                return  # dies before it answers
            answers_left[0] -= 1
            one = {"token_ids": [5, 6], "logprobs": {"token_logprobs": [-1.0, -1.0]}}
            told = json.dumps(
                {"choices": [{"index": k, **one} for k in range(len(asked["prompt"]))]}
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        served = Served(base_url=f"http://127.0.0.1:{server.server_port}/v1", model="m", timeout_s=20)
        recipe = GrpoRecipe(
            base=str(sft), pairs=pairs, tasks=2, group=2, max_new_tokens=4, trainer=STEPS, cpu=True, rollouts=served
        )  # fmt: skip
        with pytest.raises(InfraError, match="gave no rollouts"):
            train_grpo(recipe, tmp_path)
        assert [row["step"] for row in read_metrics(tmp_path / "metrics.jsonl") if "loss" in row] == [1]
        answers_left[0] = 1  # it is started again, and asked for the second step alone
        assert train_grpo(recipe, tmp_path).steps == 2
        server.shutdown()


def test_a_full_disk_is_one_sentence_and_the_same_call_goes_on(pairs: Path, tmp_path: Path) -> None:
    data = tmp_path / "pairs.jsonl"
    shutil.copy(pairs, data)
    (tmp_path / "certificate.json").write_text('{"digest": "0"}\n')
    recipe = _recipe(data).model_copy(update={"trainer": STEPS.model_copy(update={"max_steps": 1})})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, before[1]))
    try:
        with pytest.raises(InfraError, match="cannot be written"):
            train_sft(recipe, tmp_path / "run")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    trained = train_sft(recipe, tmp_path / "run")
    assert trained.steps == 1
    assert (
        trained.model / "certificate.json"
    ).read_text() == '{"digest": "0"}\n'  # of the data, with the model


RECIPES = Path(recipe_module.__file__).parent / "recipes"
KINDS: dict[str, type[Frozen]] = {
    "sft": SftRecipe, "dpo": DpoRecipe, "grpo": GrpoRecipe, "iterate": IterateRecipe, "ablate": AblateRecipe,
}  # fmt: skip


@pytest.mark.parametrize("file", sorted(RECIPES.glob("*_*.yaml")), ids=lambda f: f.stem)
def test_every_recipe_of_the_package_loads(file: Path) -> None:
    if file.stem.endswith("fsdp"):
        _check_launcher(file)
        return
    kind = next(k for k in KINDS if k in file.stem)
    assert read_recipe(file, KINDS[kind]).model_dump()["kind"] == kind


def _check_launcher(file: Path) -> None:
    """Read it as accelerate does, and find each of its words among those that accelerate's FSDP knows."""
    from accelerate.commands.config.config_args import load_config_from_file
    from accelerate.utils.dataclasses import FullyShardedDataParallelPlugin

    found = load_config_from_file(str(file))
    assert (found.num_processes, found.distributed_type.value, found.mixed_precision) == (8, "FSDP", "bf16")
    known = {f.name for f in fields(FullyShardedDataParallelPlugin)}
    assert [k for k in found.fsdp_config if k.removeprefix("fsdp_") not in known | {"version"}] == []


SMALL = {"cpu": True, "trainer.bf16": False, "trainer.max_steps": 1, "trainer.gradient_accumulation_steps": 1}


@pytest.mark.parametrize("name", sampled(["npu8_sft", "gpu_sft_lora"], 2))
def test_the_large_recipes_take_a_step_on_a_random_model_of_their_class(
    name: str, qwen: Path, tmp_path: Path
) -> None:
    records = tmp_path / "records.jsonl"
    chat = {
        "prompt": [{"role": "user", "content": SQUARE.prompt("en")}],
        "completion": [{"role": "assistant", "content": SQUARE.program}],
        "id": "r1", "part": "operators",
    }  # fmt: skip
    records.write_text(f"{json.dumps(chat)}\n" * 4)
    changes = {"base": str(qwen), "data.records": str(records), "packed_tokens": 128, "data.max_tokens": 128}
    trained = train_sft(
        read_recipe(RECIPES / f"{name}.yaml", SftRecipe, {**SMALL, **changes}), tmp_path / "run"
    )
    assert trained.steps == 1 and trained.records == 4


def test_the_large_preference_recipe_takes_a_step_on_a_random_model_of_its_class(
    qwen: Path, tmp_path: Path
) -> None:
    file = tmp_path / "preferences.jsonl"
    one = Preference(task="t", prompt=SQUARE.prompt("en"), chosen=SQUARE.program, rejected=WRONG, margin=1.0)
    file.write_text(json.dumps(one.model_dump()) + "\n")
    changes = {"base": str(qwen), "preferences": str(file), "max_tokens": 128}
    recipe = read_recipe(RECIPES / "npu8_dpo.yaml", DpoRecipe, {**SMALL, **changes})
    assert (recipe.beta, recipe.trainer.learning_rate) == (0.1, 1e-6)
    assert train_dpo(recipe, tmp_path / "run").steps == 1


def test_chats_need_a_tokenizer_with_their_form(qwen: Path, tmp_path: Path) -> None:
    bare, records = tmp_path / "bare", tmp_path / "records.jsonl"
    shutil.copytree(qwen, bare)
    (bare / "chat_template.jinja").unlink()
    records.write_text(
        json.dumps({"prompt": [{"role": "user", "content": "q"}], "completion": [{"content": "a"}]}) + "\n"
    )
    with pytest.raises(InputError, match="no chat template"):
        train_sft(SftRecipe(base=str(bare), data=DataRecipe(records=records), cpu=True), tmp_path / "run")
