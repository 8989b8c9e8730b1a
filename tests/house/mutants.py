"""Count what `mutmut run` left below mutants/: per module mutants, killed, survived, not reached by a fast test.

`make mutate` calls it; `--names` lists the survivors, each to be looked at with `mutmut show NAME`.
"""

import json
import sys
from collections import Counter
from pathlib import Path

SURVIVED, NOT_REACHED = 0, 33  # mutmut's exit codes; any other is a kill (a failed test, a signal, too long)


def counted(meta: Path) -> tuple[Counter[str], list[str]]:
    """Return how the mutants of one module ended, and the names of those that survived."""
    ended: Counter[str] = Counter()
    survivors = []
    for name, code in json.loads(meta.read_text())["exit_code_by_key"].items():
        kind = {None: "not run", SURVIVED: "survived", NOT_REACHED: "not reached"}.get(code, "killed")
        ended[kind] += 1
        survivors += [name] if kind == "survived" else []
    return ended, survivors


def main(root: Path, names: bool) -> None:
    total: Counter[str] = Counter()
    for meta in sorted((root / "mutants").rglob("*.py.meta")):
        ended, survivors = counted(meta)
        if not ended:
            continue
        total += ended
        print(_line(meta.name.removesuffix(".meta"), ended))
        for name in survivors if names else ():
            print(f"    {name}")
    print(_line("all", total))


def _line(name: str, ended: Counter[str]) -> str:
    judged = ended["killed"] + ended["survived"]
    share = f"{ended['killed'] / judged:.1%}" if judged else "-"
    rest = ", ".join(f"{ended[kind]} {kind}" for kind in ("not reached", "not run") if ended[kind])
    return f"{name:18} {judged:5} mutants {ended['killed']:5} killed {ended['survived']:4} survived {share:>6}  {rest}"


if __name__ == "__main__":
    main(Path(__file__).resolve().parents[2], "--names" in sys.argv)
