"""What the pages for people name exists: paths in backticks, links, and the commands of `akgen`."""

import re
from pathlib import Path

import pytest

from akgen.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "AGENTS.md", *sorted((ROOT / "docs").glob("*.md"))]
TOPS = {path.name for path in ROOT.iterdir()} - {"build", "runs"}  # these are made
ROOMS = ("agents", "bench", "finetune", "graph", "knowledge", "tools", "src", "tests")
MODULES = [path.relative_to(ROOT).as_posix() for room in ROOMS for path in (ROOT / room).rglob("*.py")]
_TICKED = re.compile(r"`([\w.*/-]+?)`")
_LINKED = re.compile(r"\]\(([\w-]+(?:/[\w.-]+)*(?:\.\w+|/))(?:#[\w-]+)?\)")
_CALLED = re.compile(r"\bakgen ([a-z][a-z-]*)")


def _named(page: Path) -> list[str]:
    """Return the paths that a page names: those that begin with a folder or file at the top of the repository."""
    ticked = [name for name in _TICKED.findall(page.read_text()) if "/" in name or name in TOPS]
    return [name for name in ticked if name.split("/")[0] in TOPS]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_paths_in_backticks_exist(page: Path) -> None:
    assert [name for name in _named(page) if not any(ROOT.glob(name.rstrip("/")))] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_modules_in_backticks_exist(page: Path) -> None:
    """Pages about one room name its modules from there on: `middle/phases.py`."""
    named = {name for name in _TICKED.findall(page.read_text()) if re.fullmatch(r"\w[\w/]*\.py", name)}
    assert [name for name in named if not any(f"/{path}".endswith(f"/{name}") for path in MODULES)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    assert [name for name in _LINKED.findall(page.read_text()) if not (page.parent / name).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_are_named_exist(page: Path) -> None:
    code = re.findall(r"`([^`\n]+)`|^ {4}(.+)$", page.read_text(), re.MULTILINE)
    called = {name for pair in code for name in _CALLED.findall("".join(pair))}
    assert called - COMMANDS.keys() == set()


def test_the_pages_name_files() -> None:
    assert sum(len(_named(page)) for page in PAGES) > 60
