"""Write a data set in the forms that trainers load unmodified: TRL, verl, LLaMA-Factory, KernelGen-LM's own.

What an answer may be imitated for is in SFT files; attempts that cheated never are. Files are named by split.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from akgen.agents.prompts import raw_text
from akgen.finetune.data.certify import FILE as CERTIFICATE
from akgen.finetune.data.record import DataPart, TrainingRecord
from akgen.finetune.data.shards import read_records
from akgen.graph.store.files import make_folder, write_whole, writing
from akgen.tools.core.frozen import Frozen

Format = Literal["trl", "verl", "llamafactory", "kernelgen"]
FORMATS: tuple[Format, ...] = get_args(Format)
Row = dict[str, Any]
Rows = Callable[[TrainingRecord], Iterator[Row]]
_ABOUT = ("id", "part", "kind", "family", "split")


class ExportedFiles(Frozen):
    """Rows by file, relative to the folder."""

    format: Format
    folder: Path
    rows: dict[str, int]


def export(data: Path, form: Format, out: Path) -> ExportedFiles:
    """Write the files of a format, and the data's certificate beside them.

    Raises InputError for damaged data, InfraError if the disk refuses.
    """
    make_folder(out)
    files: dict[str, list[Row]] = {}
    for record in read_records(data):
        for name, rows in _FORMS[form].items():
            for row in rows(record):
                files.setdefault(f"{name}-{record.split}", []).append(row)
    suffix = ".parquet" if form == "verl" else ".jsonl"
    counts: Counter[str] = Counter()
    for name, found in files.items():
        _write(out / f"{name}{suffix}", found)
        counts[f"{name}{suffix}"] = len(found)
    if (certificate := data / CERTIFICATE).is_file():
        write_whole(out / CERTIFICATE, certificate.read_text(encoding="utf-8"))
    if form == "llamafactory":
        write_whole(out / "dataset_info.json", json.dumps(_dataset_info(counts), indent=1) + "\n")
    return ExportedFiles(format=form, folder=out, rows=dict(counts))


def _about(record: TrainingRecord) -> Row:
    return {name: str(getattr(record, name)) for name in _ABOUT}


def _turns(record: TrainingRecord) -> list[Row]:
    return [message.model_dump() for message in record.prompt]


def _answer(text: str) -> list[Row]:
    return [{"role": "assistant", "content": text}]


def _prompt_completion(r: TrainingRecord) -> Iterator[Row]:
    if r.imitable:
        yield {"prompt": _turns(r), "completion": _answer(r.text), **_about(r)}


def _messages(r: TrainingRecord) -> Iterator[Row]:
    """Yield whole chats, without a column `prompt`: TRL takes that for the other form."""
    if r.imitable:
        yield {"messages": [*_turns(r), *_answer(r.text)], **_about(r)}


def _preference(r: TrainingRecord) -> Iterator[Row]:
    if r.rejected is not None and r.imitable:
        yield {
            "prompt": _turns(r), "chosen": _answer(r.answer), "rejected": _answer(r.rejected),
            "margin": r.margin, **_about(r),
        }  # fmt: skip


def _task(r: TrainingRecord) -> Row:
    return {
        "task": r.task, "op_type": r.op_type, "kernel": r.kernel, "reference": r.reference, "cases": r.cases,
        "form": r.kind,
    }  # fmt: skip


def _rollout(r: TrainingRecord) -> Iterator[Row]:
    if r.part is DataPart.OPERATORS:
        yield {"prompt": _turns(r), **_task(r), **_about(r)}


def _verl_rollout(r: TrainingRecord) -> Iterator[Row]:
    if r.part is DataPart.OPERATORS:
        truth = json.dumps(_task(r), ensure_ascii=False)
        yield {
            "data_source": "akgen", "prompt": _turns(r), "ability": "kernel",
            "reward_model": {"style": "rule", "ground_truth": truth},
            "extra_info": {"split": r.split, "index": r.id, "family": r.family},
        }  # fmt: skip


def _conversations(r: TrainingRecord) -> Iterator[Row]:
    if r.imitable:
        yield {"conversations": [*_sharegpt(r), {"from": "gpt", "value": r.text}], **_system(r), **_about(r)}


def _ranking(r: TrainingRecord) -> Iterator[Row]:
    if r.rejected is not None and r.imitable:
        yield {
            "conversations": _sharegpt(r), "chosen": {"from": "gpt", "value": r.answer},
            "rejected": {"from": "gpt", "value": r.rejected}, **_system(r), **_about(r),
        }  # fmt: skip


def _sharegpt(r: TrainingRecord) -> list[Row]:
    names = {"user": "human", "assistant": "gpt"}
    return [{"from": names[m.role], "value": m.content} for m in r.prompt if m.role in names]


def _system(r: TrainingRecord) -> Row:
    return {"system": "".join(m.content for m in r.prompt if m.role == "system")}


def _raw(r: TrainingRecord) -> Iterator[Row]:
    """Yield KernelGen-LM's own completion form: its frame ends inside the thought."""
    if r.imitable:
        question = "\n\n".join(m.content for m in r.prompt)
        framed = raw_text("kernelgen_frame.txt") % question
        yield {"prompt": framed, "completion": f"\n{r.thought.strip()}\n</think>\n\n{r.answer}", **_about(r)}


def _paper(r: TrainingRecord) -> Iterator[Row]:
    """Yield the paper's own keys: qus, cot and ans of one kernel; input and output of host and kernel."""
    if not r.imitable:
        return
    question = "\n\n".join(m.content for m in r.prompt)
    if r.part is DataPart.CODE and r.kind == "pair":
        yield {"input": question, "output": r.text}
    elif r.part is DataPart.CODE:
        yield {"qus": question, "cot": r.thought, "ans": r.answer}


def _keys(*names: str) -> Rows:
    def rows(r: TrainingRecord) -> Iterator[Row]:
        yield from (row for row in _paper(r) if tuple(row) == names)

    return rows


_FORMS: Mapping[Format, Mapping[str, Rows]] = {
    "trl": {"sft": _prompt_completion, "messages": _messages, "dpo": _preference, "grpo": _rollout},
    "verl": {"sft": _messages, "rl": _verl_rollout},
    "llamafactory": {"sft": _conversations, "dpo": _ranking},
    "kernelgen": {
        "completion": _raw, "kernel": _keys("qus", "cot", "ans"), "project": _keys("input", "output"),
    },
}  # fmt: skip


def _write(path: Path, rows: Iterable[Row]) -> None:
    if path.suffix == ".jsonl":
        write_whole(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        return
    from datasets import Dataset, disable_progress_bars

    disable_progress_bars()
    with writing(path):
        Dataset.from_list(list(rows)).to_parquet(path)


def _dataset_info(counts: Mapping[str, int]) -> dict[str, Row]:
    """Return what LLaMA-Factory reads to find the files."""
    info: dict[str, Row] = {}
    for file in counts:
        name = f"akgen_{file.removesuffix('.jsonl').replace('-', '_')}"
        columns = {"messages": "conversations", "system": "system"}
        entry: Row = {"file_name": file, "formatting": "sharegpt", "columns": columns}
        if file.startswith("dpo"):
            entry |= {"ranking": True}
            columns |= {"chosen": "chosen", "rejected": "rejected"}
        info[name] = entry
    return info
