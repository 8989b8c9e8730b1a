"""Keep what a model replied in a batch run: `python tests/end_to_end/recordings/keep.py RUN NAME`.

RUN is the folder of `akgen bench run SUITE --source model --samples 1`.

Writes NAME/TASK.jsonl, a script of the replies that were accepted, and NAME/tasks.json: each task's outcome, how many
attempts it took, the digest of the kernel that was judged last, and the digests of the prompts. Prompts themselves,
references and inputs are not kept.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

from akgen.tools.core.project import KernelProject

HERE = Path(__file__).parent


def keep(run: Path, name: str) -> None:
    """Write a folder of recordings from a run that `akgen bench run ... --source model` made with one sample a task."""
    replies: dict[str, list[dict[str, object]]] = defaultdict(list)
    prompts: dict[str, list[str]] = defaultdict(list)
    for line in (run / "calls.jsonl").read_text().splitlines():
        call = json.loads(line)
        said = json.loads((run / "calls" / call["file"]).read_text())
        replies[call["task"]].append(
            {
                "role": call["role"],
                "attempt": call["attempt"],
                "turn": call["turn"],
                "text": said["replies"][0]["text"],
            }
        )
        prompts[call["task"]].append(call["prompt_sha256"])
    folder, tasks = HERE / name, {}
    folder.mkdir(exist_ok=True)
    made = json.loads((run / "bench.json").read_text())
    for task, lines in sorted(replies.items()):
        sample = run / "tasks" / task / "sample-0"
        attempts = json.loads((sample / "attempts.json").read_text())
        result = json.loads((run / "tasks" / task / "result.json").read_text())
        wanted = json.loads((run / "tasks" / task / "task.json").read_text())
        project = KernelProject.read_from(
            sample / f"attempt-{len(attempts)}" / "project",
            op_type=wanted["op_type"],
            kernel=wanted["kernel"],
        )
        tasks[task] = {
            "outcome": result["verdict"]["outcome"],
            "attempts": len(attempts),
            "digest": project.digest,
            "prompts": prompts[task],
        }
        script = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{task}.jsonl").write_text(script)
    known = folder / "tasks.json"
    kept = json.loads(known.read_text())["tasks"] if known.is_file() else {}
    record = {name: made[name] for name in ("suite", "route", "mode", "max_mb")}
    record["tasks"] = {**kept, **tasks}
    known.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    keep(Path(sys.argv[1]), sys.argv[2])
