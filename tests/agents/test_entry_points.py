"""A package may bring a kind of model of its own: any langchain-core chat model, under an entry point."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from akgen.agents.calls.conversation import Conversation
from akgen.agents.models.resolve import ModelOptions, resolve_model
from akgen.tools.core.outcome import InputError

MODULE = """
from langchain_core.language_models import FakeListChatModel


def make(rest, options):
    return FakeListChatModel(responses=[f"{rest} at {options.sampling.temperature[0]}"])


def broken(rest, options):
    return rest
"""


@pytest.fixture(autouse=True)
def package(tmp_path: Path) -> Iterator[None]:
    """Install a package, as pip would, on a path of its own."""
    (tmp_path / "akgen_test_models.py").write_text(MODULE)
    info = tmp_path / "akgen_test_models-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: akgen_test_models\nVersion: 1.0\n")
    points = "listed = akgen_test_models:make\nbroken = akgen_test_models:broken\n"
    (info / "entry_points.txt").write_text(f"[akgen.models]\n{points}")
    sys.path.insert(0, str(tmp_path))
    yield
    sys.path.remove(str(tmp_path))
    sys.modules.pop("akgen_test_models", None)


def test_a_packages_model_talks_like_any_other() -> None:
    talk = Conversation(resolve_model("listed:mine", ModelOptions()), "listed:mine", "listed:mine", seed=0)
    answer = talk.ask("s", "a question of some length", role="coder", attempt=1, sample=0)
    assert answer.text == "mine at 0.7"
    assert answer.usage.input_tokens > 0  # estimated: it reports none, and a budget must hold


def test_what_is_no_chat_model_is_refused() -> None:
    with pytest.raises(InputError, match="gave no chat model"):
        resolve_model("broken:mine", ModelOptions())
