"""Rewrite the tree in README.md: every source file with the first sentence of its own docstring or comment.

Run `python docs/make_tree.py`; `--check` only says whether the tree is up to date.
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("src/akgen", "knowledge", "tools", "agents", "graph", "bench", "finetune")
# Folders shown as one line, for they hold many files of one kind.
WHOLE = {
    "bench/tasks": "tasks of our own, three levels: task.json and reference.py each",
    "tools/twin/host_include": "host headers under the vendor's names (register/, tiling/, graph/, exe_graph/)",
    "tools/twin/include/shadow": "standard headers as a kernel may see them",
    "knowledge/patterns": "expert kernels of our own, tested",
}
TOP = (
    ("Makefile", "demo, test, check, bench"),
    ("pyproject.toml", "package, dependencies, ruff, mypy, pytest"),
    ("langgraph.json", "both graphs, for LangGraph's own tools"),
    ("AGENTS.md", "rooms, commands and house rules on one page"),
    (".ci/run", "what CI runs on a clean clone"),
)
WIDTH = 118
SKIPPED_NAMES = {"__init__.py", "__pycache__", "py.typed"}
SUFFIXES = {".py", ".h", ".cpp", ".j2", ".json", ".jsonl", ".csv", ".txt"}


def about(path: Path) -> str:
    """Return the first sentence that a file says of itself, or nothing."""
    text = path.read_text(errors="replace")
    if path.suffix == ".py":
        said = ast.get_docstring(ast.parse(text)) or ""
    elif path.suffix in {".h", ".cpp"}:
        said = re.sub(
            r"^//\s?",
            "",
            "\n".join(line for line in text.splitlines()[:3] if line.startswith("//")),
            flags=re.M,
        )
    elif path.suffix == ".j2":
        match = re.match(r"\{#-?\s*(.*?)\s*-?#\}", text, re.DOTALL)
        said = match[1] if match else ""
    else:
        said = DATA.get(path.name, "")
    first = re.split(r"(?<=\.)\s", " ".join(said.split()), maxsplit=1)[0]
    return first.rstrip(".:")


DATA = {
    "api_cards.jsonl": "how each Ascend C call is written, what it demands",
    "chips.csv": "memory sizes, core counts, clocks",
    "errors.json": "every stable code: sentence, cause, remedy",
    "operators.json": "operator names, aliases and PyTorch expressions",
    "bottlenecks.json": "what helps against each bound",
    "mismatch_hints.json": "what each mismatch pattern points to",
    "outcomes.json": "what each outcome means",
    "timing.csv": "constants of the time model, with sources",
    "vector_throughput.csv": "elements per cycle by API and type",
}


def lines(folder: Path, depth: int) -> list[str]:
    """Return the tree below a folder, folders after files."""
    found = []
    entries = sorted(
        p for p in folder.iterdir() if p.name not in SKIPPED_NAMES and not p.name.startswith(".")
    )
    for path in (p for p in entries if p.is_file() and p.suffix in SUFFIXES):
        found.append(entry(depth, path.name, about(path)))
    for path in (p for p in entries if p.is_dir() and not p.is_symlink()):
        name = path.relative_to(ROOT).as_posix()
        if name in WHOLE:
            found.append(entry(depth, path.name + "/", WHOLE[name]))
        elif below := lines(path, depth + 1):
            init = path / "__init__.py"
            found.append(entry(depth, path.name + "/", about(init) if init.is_file() else ""))
            found += below
    return found


def entry(depth: int, name: str, text: str) -> str:
    line = f"{'  ' * depth}{name:<{max(26 - 2 * depth, len(name) + 1)}} {text}".rstrip()
    return line if len(line) <= WIDTH else line[: WIDTH - 1].rsplit(" ", 1)[0].rstrip(",;") + " …"


def tree() -> str:
    out = [entry(0, name, text) for name, text in TOP]
    for room in ROOMS:
        folder = ROOT / room
        out += ["", entry(0, room + "/", about(folder / "__init__.py")), *lines(folder, 1)]
    out += [
        "",
        entry(
            0, "docs/", "the twin, its checks, the DSL, the judge, the composer, the run store, benchmarks"
        ),
    ]
    out += [entry(1, p.name, title(p)) for p in sorted((ROOT / "docs").glob("*.md"))]
    out += ["", entry(0, "tests/", "one folder per room, and:")]
    out += [
        entry(1, p.name + "/", TESTS.get(p.name, ""))
        for p in sorted((ROOT / "tests").iterdir())
        if p.is_dir() and p.name != "__pycache__"
    ]
    return "\n".join(out)


TESTS = {
    "adversarial": "known cheats and hostile code, each as a test",
    "conformance": "one suite per interface: toolchains, chat models, checkpointers",
    "end_to_end": "the command line, repair, resume after kill -9, bad input",
    "house": "layers, walls, error catalogue, this tree",
    "twin": "device, vector side, host side, fault corpus",
}


def title(path: Path) -> str:
    first = path.read_text().splitlines()[0]
    return first.lstrip("# ").strip()


def main() -> int:
    readme = ROOT / "README.md"
    text = readme.read_text()
    new = re.sub(r"```tree\n.*?```", lambda _: f"```tree\n{tree()}\n```", text, flags=re.DOTALL)
    if "--check" in sys.argv[1:]:
        return int(new != text)
    readme.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
