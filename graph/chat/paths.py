"""Paths in what a person says: a Python file with a reference, a task's folder, a built-in task by name."""

import re
from pathlib import Path

from akgen.agents.requests.code import source_of
from akgen.agents.requests.language import Language
from akgen.agents.requests.request import Request, RequestSource
from akgen.agents.requests.sentence import ParsedRequest, wished
from akgen.graph.chat.texts import said

_TASK = re.compile(r"(?:^|\s)(?:task|任务)\s+([\w./~-]+)", re.I)
MOST_CHARACTERS = 200_000  # of a file that is read as a reference


def given_path(text: str, language: Language) -> ParsedRequest | None:
    """Return what a text asks for that names a file, a folder or a task; None if it names none."""
    if "\n" in text.strip():
        return None  # code, not a path
    named = _TASK.search(text)
    if named is not None:
        words = text[: named.start()] + " " + text[named.end() :]
        return _heard(words, RequestSource(kind="task", name=_word(named[1]), text=named[1], brings="inputs"))
    for word in text.split():
        token = word.strip("\"'`,;")
        if not _looks_like_path(token):
            continue
        path = Path(token).expanduser()
        words = text.replace(word, " ")
        if path.is_dir():
            folder = str(path.resolve())
            return _heard(
                words, RequestSource(kind="task", name=_word(path.name), text=folder, brings="inputs")
            )
        if path.suffix == ".py" and path.is_file():
            source = source_of(path.read_text(errors="replace")[:MOST_CHARACTERS], language)
            if isinstance(source, str):
                return ParsedRequest(request=Request(), problem=source)
            return _heard(words, source.model_copy(update={"name": _word(path.stem)}))
        return ParsedRequest(request=Request(), problem=said("no_file", language, path=token))
    return None


def _heard(words: str, source: RequestSource) -> ParsedRequest:
    return ParsedRequest(request=wished(words).model_copy(update={"source": source}))


def _looks_like_path(token: str) -> bool:
    return token.endswith(".py") or (token.startswith(("/", "./", "../", "~/")) and len(token) > 2)


def _word(name: str) -> str:
    word = re.sub(r"\W", "_", Path(name).name).strip("_").lower() or "task"
    return word if word[0].isalpha() else f"op_{word}"
