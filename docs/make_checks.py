"""Write build/docs/checks.md from knowledge/data/errors.json and the corpus of injected faults: `make docs`."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "build" / "docs" / "checks.md"
CORPUS = ROOT / "tests" / "twin" / "corpus" / "kernels"
STAGES = {
    "plan": "Planning: before any code is written",
    "write": "Writing: replies and programs of the DSL",
    "compile": "Compiling: host code, kernel and their registration",
    "tiling": "Tiling: the host code runs",
    "test": "Running: the kernel on the twin or the NPU, and the judge",
    "profile": "Profiling",
}
HEAD = """# Findings

Every finding has a stable code, the file and line where one is known, the numbers, and a remedy. This page is made
from `knowledge/data/errors.json` by `make docs`; the same entries are what the repair loop and `akgen` show. The pairs
are kernels of `tests/twin/corpus/kernels/`: each is correct but for one marked line that the check names.
"""


def shown_by() -> dict[str, list[str]]:
    """Return the corpus's pairs by code, as paths below its folder without suffix."""
    found: dict[str, list[str]] = {}
    for path in sorted(CORPUS.rglob("*.cpp")):
        match = re.search(r"^// (?:code|warning): (\w+)$", path.read_text(), re.MULTILINE)
        if match:
            found.setdefault(match[1], []).append(path.relative_to(CORPUS).with_suffix("").as_posix())
    return found


def page() -> str:
    """Return the page's text."""
    catalogue = json.loads((ROOT / "knowledge" / "data" / "errors.json").read_text())
    pairs = shown_by()
    lines = [HEAD]
    for stage, title in STAGES.items():
        codes = sorted(code for code, entry in catalogue.items() if entry["stage"] == stage)
        if not codes:
            continue
        lines.append(f"## {title}\n")
        for code in codes:
            entry = catalogue[code]
            lines.append(f"### {code}\n\n{entry['sentence']}\n")
            lines.append(f"- Cause: {entry['cause']}\n- Remedy: {entry['remedy']}")
            if code in pairs:
                lines.append(f"- Pairs: {', '.join(f'`{name}`' for name in pairs[code])}")
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page())
    print(PAGE.relative_to(ROOT))
