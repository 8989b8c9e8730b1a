"""Understand a text: by the plain reader, and by a chat model, which writes the reference, where that is not sure."""

import ast
import re
from collections.abc import Callable

from akgen.agents.calls.conversation import Conversation
from akgen.agents.calls.replies import split_thought
from akgen.agents.prompts import render
from akgen.agents.requests.code import source_of
from akgen.agents.requests.language import Language, language_of
from akgen.agents.requests.needs import missing, with_type
from akgen.agents.requests.problems import problem, problem_of
from akgen.agents.requests.request import Exchange, ParsedRequest, Request
from akgen.agents.requests.sentence import parse_request
from akgen.agents.requests.task import reference_for
from akgen.tools.core.untrusted import read_python

Understand = Callable[[str, Request, Language, Exchange], ParsedRequest]

_FENCE = re.compile(r"```[a-zA-Z]*\n(.*?)(?:```|\Z)", re.DOTALL)
_IMPORTS = ("torch", "torch.nn", "torch.nn.functional", "math")
_FORBIDDEN = {
    "open", "exec", "eval", "compile", "__import__", "getattr", "setattr", "delattr", "globals", "locals",
    "vars", "input", "breakpoint", "load", "save", "hub", "ops", "utils", "package", "multiprocessing",
    "distributed", "jit", "serialization", "from_file", "cpp_extension", "classes", "library", "storage",
    "fromfile", "tofile", "importlib", "sys", "os",
}  # fmt: skip


class ModelUnderstanding:
    """Ask a chat model about texts that the plain reader does not understand.

    The model writes the reference, or a question. Its code is looked through before anybody runs it, and shown to the
    person before work begins.
    """

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    def __call__(
        self, text: str, known: Request, before: Language = Language.ENGLISH, exchange: Exchange = ()
    ) -> ParsedRequest:
        """Understand a text; with an exchange, it is the answer to the model's last question, or a new request."""
        parsed = parse_request(text, known, before)
        if parsed.kind != "unclear" and not (exchange and missing(parsed.request)):
            return parsed
        written = None if known.empty or missing(known) else reference_for(known)
        answer = self._conversation.ask(
            render("understand_system", known=written),
            text,
            role="chat",
            attempt=1,
            sample=0,
            before=exchange,
        )
        return self._read(answer.text, text, exchange, known, parsed, language_of(text, before))

    def _read(
        self,
        reply: str,
        text: str,
        exchange: Exchange,
        known: Request,
        parsed: ParsedRequest,
        language: Language,
    ) -> ParsedRequest:
        _, said, _ = split_thought(reply)
        found = _FENCE.search(said)
        if found is None:
            question = said.strip()
            if not question:
                return parsed.model_copy(update={"request": known}) if exchange else parsed
            asked = (*exchange, (text, question))
            return ParsedRequest(request=known, problem=question, kind="unclear", exchange=asked)
        if (name := forbidden(found[1])) is not None:
            told = problem("model_forbidden", language, name=name)
            return ParsedRequest(request=known, problem=told, kind="unclear")
        source = source_of(found[1], language)
        if isinstance(source, str):
            return ParsedRequest(request=known, problem=source, kind="unclear")
        source = source.model_copy(update={"said": "\n".join([*(said for said, _ in exchange), text])})
        request = with_type(
            Request(source=source, dynamic=None if source.brings == "inputs" else known.dynamic)
        )
        refused = problem_of(request, language)
        if refused is not None:
            return ParsedRequest(request=known, problem=refused, kind="refused")
        return ParsedRequest(request=request)


def forbidden(code: str) -> str | None:
    """Return the first name in a model's reference that it has no business with; None if it computes only."""
    try:
        tree = read_python(code)
    except SyntaxError:
        return None  # said by who reads it
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name not in _IMPORTS]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "."] if node.module not in _IMPORTS or node.level else []
            names += [alias.name for alias in node.names if alias.name in _FORBIDDEN or alias.name == "*"]
        elif isinstance(node, ast.Name) and (node.id in _FORBIDDEN or _hidden(node.id)):
            names = [node.id]
        elif isinstance(node, ast.Attribute) and (node.attr in _FORBIDDEN or _hidden(node.attr)):
            names = [node.attr]
        if names:
            return names[0]
    return None


def _hidden(name: str) -> bool:
    return name.startswith("__") and name != "__init__"
