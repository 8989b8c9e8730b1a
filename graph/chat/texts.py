"""What the program says in a conversation, in the person's language; the sentences are data beside this file."""

from typing import Any

from akgen.agents.requests.language import Language, sentence


def said(name: str, language: Language = Language.ENGLISH, /, **values: Any) -> str:
    """Fill in one of the sentences; a missing value is an error."""
    return sentence("akgen.graph.chat", "texts.json", name, language, **values)
