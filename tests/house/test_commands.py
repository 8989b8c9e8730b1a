"""The table of commands: what `akgen --help` says without importing a command is what the command says."""

import inspect
import subprocess
import sys
from importlib import import_module

import pytest

from akgen.commands import COMMANDS, Family, Subcommand

HEAVY = ("rich", "pydantic", "torch", "langgraph", "akgen.tools", "akgen.settings")


def _functions() -> dict[str, Subcommand]:
    found = {}
    for name, entry in COMMANDS.items():
        if isinstance(entry, Family):
            found |= {f"{name} {below}": command for below, command in entry.commands.items()}
        else:
            found[name] = entry
    return found


@pytest.mark.parametrize(("name", "command"), _functions().items(), ids=list(_functions()))
def test_the_line_of_help_is_the_first_line_of_the_docstring(name: str, command: Subcommand) -> None:
    module, _, function = command.place.partition(":")
    text = inspect.getdoc(getattr(import_module(f"akgen.commands.{module}"), function)) or ""
    assert command.help == text.splitlines()[0]


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_import_nothing_heavy(option: str) -> None:
    script = f"""
import sys
from akgen.cli import main
sys.argv = ["akgen", {option!r}]
try:
    main()
finally:
    print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "akgen" in done.stdout


def test_a_command_is_found_by_a_name_that_is_nearly_right() -> None:
    script = "from akgen.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script, "slove"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "'solve'" in done.stderr


def test_a_process_ends_without_a_search_for_cycles_among_what_it_imported() -> None:
    """Python collects once more as it ends: a second with PyTorch, unless its objects are frozen before."""
    whole = "seen['generation'] == 2"  # young objects are searched while akgen is imported, in no time
    says = f"lambda _, seen: {whole} and sys.stderr.write(f'{{gc.get_freeze_count()}}\\n')"
    script = f"import gc, sys; gc.callbacks.append({says}); import akgen"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    frozen = [int(line) for line in done.stderr.split()]
    assert frozen
    assert min(frozen) > 1000
