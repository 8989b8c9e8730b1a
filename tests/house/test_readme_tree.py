"""Every file that the README's tree names exists."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def tree_paths(readme: str) -> list[str]:
    """Read the paths of the README's tree block: indentation gives the folder, the first word the name."""
    block = re.search(r"```tree\n(.*?)```", readme, re.DOTALL)
    assert block, "README has no ```tree block"
    folders: list[str] = []
    found = []
    for line in block[1].splitlines():
        if not line.strip():
            continue
        depth = (len(line) - len(line.lstrip())) // 2
        name = line.split()[0]
        folders = [*folders[:depth], name]
        found.append("".join(folders))
    return found


def test_files_named_in_the_readme_exist() -> None:
    paths = tree_paths((ROOT / "README.md").read_text())
    assert len(paths) > 10
    missing = [p for p in paths if not (ROOT / p).exists()]
    assert not missing


def test_the_readme_is_read_in_minutes() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 180
