"""Mixing leaves out what is there already, keeps to quotas and lengths, and gives the same bytes again."""

import json
import shutil
from pathlib import Path

import pytest

from akgen.finetune.data.build import ChunkDone
from akgen.finetune.data.mix import MixConfig, mix, packed
from akgen.finetune.data.normal_form import normal_form
from akgen.finetune.data.record import DataPart, TrainingRecord
from akgen.finetune.data.shards import files_of, read_records, write_shard
from akgen.tools.core.outcome import InputError
from tests.command import command

Built = tuple[Path, ChunkDone]


@pytest.fixture(scope="module")
def records(built: Built) -> list[TrainingRecord]:
    return list(read_records(built[0]))


def _source(records: list[TrainingRecord], folder: Path) -> Path:
    write_shard(records, folder / "parts" / "all" / "00000.parquet")
    return folder


def test_a_copy_a_renamed_copy_and_a_reworded_copy_are_left_out(
    records: list[TrainingRecord], tmp_path: Path
) -> None:
    first = next(r for r in records if r.part is DataPart.OPERATORS and r.kind == "dsl")
    renamed = (
        first.reference.replace("t0", "first").replace("(self, x", "(self, given").replace("(x", "(given")
    )
    words = first.description_en.split()
    copies = [
        first.model_copy(update={"id": "copy"}),
        first.model_copy(
            update={"id": "renamed", "reference": renamed, "answer": first.answer + "\n# other\n"}
        ),
        first.model_copy(
            update={"id": "reworded", "reference": "", "answer": "x", "description_en": " ".join(words) + " "}
        ),
    ]
    mixed, _ = mix([_source([*records, *copies], tmp_path / "s")], tmp_path / "m", MixConfig())
    kept = {r.id for r in read_records(tmp_path / "m")}
    assert len(kept & {first.id, "copy", "renamed", "reworded"}) == 1
    assert {"the same text", "the same computation", "nearly the same text"} & set(mixed.left_out)
    assert mixed.records == len(kept)


def test_quotas_and_lengths_hold(records: list[TrainingRecord], tmp_path: Path) -> None:
    source = _source(records, tmp_path / "s")
    ended = command(
        "data",
        "mix",
        source,
        "--out",
        tmp_path / "m",
        "--quota",
        "world=3,errors=2",
        "--max-tokens",
        "9000",
        "--json",
    )
    assert ended.code == 0, ended.err
    parts = ended.document["card"]["by_part"]
    assert (parts["world"], parts["errors"]) == (3, 2)
    assert ended.document["card"]["quantiles"]["most"] <= 9000
    assert ended.document["left_out"]["beyond the quota of world"] > 0
    wrong = command("data", "mix", source, "--out", tmp_path / "x", "--quota", "poems=3")
    assert (wrong.code, "--quota cannot be 'poems=3'" in wrong.err) == (2, True)
    again = command("data", "mix", source, "--out", tmp_path / "m")
    assert (again.code, "holds a data set already" in again.err) == (2, True)


def test_the_same_mix_has_the_same_bytes_and_held_out_records_stay_apart(
    records: list[TrainingRecord], tmp_path: Path
) -> None:
    source = _source(records, tmp_path / "s")
    for name in ("one", "two"):
        mix([source], tmp_path / name, MixConfig())
    for a, b in zip(files_of(tmp_path / "one"), files_of(tmp_path / "two"), strict=True):
        assert a.read_bytes() == b.read_bytes()
    for path in files_of(tmp_path / "one"):
        split = path.name.split("-")[0]
        assert {r["split"] for r in _rows(path)} == {split}
    assert any(p.name.startswith("families-") for p in files_of(tmp_path / "one"))


def _rows(path: Path) -> list[dict[str, object]]:
    import pyarrow.parquet as pq

    found: list[dict[str, object]] = pq.read_table(path).to_pylist()
    return found


def test_packing_cuts_no_record_and_leaves_none_out(records: list[TrainingRecord], tmp_path: Path) -> None:
    packs = packed([("a", 60), ("b", 50), ("c", 40), ("d", 30), ("e", 500)], 100)
    assert sorted(name for _, names in packs for name in names) == ["a", "b", "c", "d", "e"]
    assert [(t, set(n)) for t, n in packs] == [(500, {"e"}), (100, {"a", "c"}), (80, {"b", "d"})]
    mix([_source(records, tmp_path / "s")], tmp_path / "m", MixConfig())
    lines = [json.loads(line) for line in (tmp_path / "m" / "packing.jsonl").read_text().splitlines()]
    assert sorted(n for line in lines for n in line["records"]) == sorted(
        r.id for r in read_records(tmp_path / "m")
    )


def test_a_damaged_source_is_one_sentence(records: list[TrainingRecord], tmp_path: Path) -> None:
    source = _source(records, tmp_path / "s")
    (path,) = files_of(source)
    path.write_bytes(path.read_bytes()[:5000])
    ended = command("data", "mix", source, "--out", tmp_path / "m")
    assert ended.code == 2
    assert "is damaged" in ended.err
    assert "Traceback" not in ended.err
    with pytest.raises(InputError, match="holds no records"):
        mix([tmp_path / "nowhere"], tmp_path / "m", MixConfig())
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("t = torch.relu(x)\n  return t + 1.0", "  # 注释\n  return torch.relu(a).add(2.5)", True),
        ("return torch.softmax(x, dim=-1)", "return x.softmax(dim=-1)", True),
        ("return torch.nn.functional.gelu(x)", "y = F.gelu(q)\n  return y", True),
        ("return x - y", "return y - x", True),  # names alone tell inputs apart
        ("d = x - y\n  return d / x", "d = x - y\n  return d / y", False),
        ("return torch.relu(x)", "return torch.abs(x)", False),
        ("return x * y + z", "return z + y * x", False),  # inputs are numbered as they come
    ],
)
def test_what_is_computed_is_compared_and_not_how_it_is_written(one: str, other: str, same: bool) -> None:
    def form(body: str) -> str | None:
        return normal_form(f"class Model:\n def forward(self, *given):\n  {body}\n")

    assert form(one) is not None
    assert (form(one) == form(other)) is same


def test_constants_count_where_asked() -> None:
    one, other = (f"def f(x):\n    return x * {c}\n" for c in ("0.5", "0.25"))
    assert normal_form(one) == normal_form(other)
    assert normal_form(one, constants=True) != normal_form(other, constants=True)


def test_a_disk_that_is_full_is_one_sentence_and_nothing_is_lost(built: Built, tmp_path: Path) -> None:
    folder = tmp_path / "built"
    shutil.copytree(built[0], folder)
    before = [p.read_bytes() for p in files_of(folder)]
    (folder / "README.md").mkdir()  # a folder stands where the card goes
    ended = command("data", "card", folder)
    assert ended.code == 3
    assert "cannot be written" in ended.err
    assert [p.read_bytes() for p in files_of(folder)] == before
