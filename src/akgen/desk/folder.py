"""The folder of a desk: one file for each request, one for its reply.

`0007.request.md` is for whoever writes the reply, `0007.request.json` holds the same as it was asked, and the reply is
`0007.reply.md`, whose text is sent as it is. A request that is asked again, after a time-out or a restart, is the same
file: what was written once is never asked twice.
"""

import hashlib
import json
import re
import threading
import time
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from akgen.graph.store.files import make_folder, write_whole
from akgen.tools.core.frozen import Frozen, json_text
from akgen.tools.core.outcome import InputError
from akgen.tools.core.untrusted import FileRefused, first_fault, parse_json, read_text

SETTLED_S = 1.0  # a reply that an editor is still writing is not sent
_REQUEST = re.compile(r"(\d{4,})\.request\.json")
_WIRE = ("stream", "stream_options", "n")  # how an answer travels; no part of the question


class DeskMessage(Frozen):
    role: str
    content: str


class DeskRequest(Frozen):
    """One reply that is waited for. `body` is what the client sent; `choice` counts where it asked for several."""

    number: int
    digest: str
    choice: int
    choices: int
    messages: tuple[DeskMessage, ...]
    body: dict[str, Any]


class DeskFolder:
    """Requests by number, in the order in which they came."""

    def __init__(self, path: Path) -> None:
        self.path = make_folder(path)
        self._turn = threading.Lock()
        self._numbers = {request.digest: request.number for request in self.requests()}

    def ask(self, body: dict[str, Any]) -> list[DeskRequest]:
        """Return one request for each choice that `body` asks for, in files of their own.

        Raises InputError for a body that is no chat request.
        """
        messages = _messages(body)
        choices = 1 if body.get("n") is None else body["n"]
        if type(choices) is not int or not 1 <= choices <= 128:
            raise InputError("`n` is no number between 1 and 128.", "Ask for fewer choices.")
        asked = {name: value for name, value in body.items() if name not in _WIRE}
        return [self._place(asked, messages, choice, choices) for choice in range(1, choices + 1)]

    def _place(
        self, asked: dict[str, Any], messages: tuple[DeskMessage, ...], choice: int, choices: int
    ) -> DeskRequest:
        text = json.dumps([asked, choice], sort_keys=True)
        digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
        with self._turn:
            number = self._numbers.get(digest) or max(self._numbers.values(), default=0) + 1
            request = DeskRequest(
                number=number, digest=digest, choice=choice, choices=choices, messages=messages, body=asked
            )
            if digest not in self._numbers:
                write_whole(
                    self.path / f"{number:04}.request.md", _page(request, self.reply_path(number).name)
                )
                write_whole(self.path / f"{number:04}.request.json", json_text(request, indent=1) + "\n")
                self._numbers[digest] = number
        return request

    def requests(self) -> list[DeskRequest]:
        """Return all requests, oldest first. Raises InputError for a damaged file."""
        found = []
        if not self.path.is_dir():
            raise InputError(f"The folder {self.path} is gone.", "Open the desk again.")
        for path in sorted(self.path.iterdir()):
            if _REQUEST.fullmatch(path.name):
                try:
                    found.append(DeskRequest.model_validate(parse_json(path.read_bytes())))
                except (ValueError, ValidationError) as problem:
                    why = first_fault(problem) if isinstance(problem, ValidationError) else str(problem)
                    raise InputError(f"{path} is damaged: {why}.", "Remove it.") from None
        return sorted(found, key=lambda request: request.number)

    def waiting(self) -> list[DeskRequest]:
        """Return the requests without a reply, oldest first."""
        return [request for request in self.requests() if not self.reply_path(request.number).exists()]

    def reply_path(self, number: int) -> Path:
        return self.path / f"{number:04}.reply.md"

    def reply(self, number: int) -> str | None:
        """Return the reply's text once it is there and nobody writes it any more."""
        path = self.reply_path(number)
        try:
            seen = path.stat()
            if not seen.st_size or 0 <= time.time() - seen.st_mtime < SETTLED_S:
                return None
            return read_text(path)
        except (OSError, FileRefused):
            return None

    def answer(self, number: int | None, text: str) -> DeskRequest:
        """Write the reply to a request, to the oldest one that waits unless `number` says which. Raises InputError."""
        waiting = self.waiting()
        if not waiting:
            raise InputError(
                f"Nothing waits for a reply in {self.path}.", "Ask something of the endpoint first."
            )
        chosen = [request for request in waiting if number in (None, request.number)]
        if not chosen:
            names = ", ".join(str(request.number) for request in waiting)
            raise InputError(f"Request {number} does not wait for a reply.", f"These do: {names}.")
        if not text.strip():
            raise InputError("The reply is empty.", "Give its text with --file, or on standard input.")
        write_whole(self.reply_path(chosen[0].number), text)
        return chosen[0]


def _messages(body: dict[str, Any]) -> tuple[DeskMessage, ...]:
    try:
        raw = body["messages"]
        found = tuple(DeskMessage(role=m["role"], content=_words(m["content"])) for m in raw)
    except (KeyError, TypeError, ValueError, ValidationError):
        found = ()
    if not found:
        raise InputError("The request has no readable `messages`.", "Ask /v1/chat/completions for a chat.")
    return found


def _words(content: Any) -> str:
    """Return a message's text; of a list of parts, the texts of all."""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _page(request: DeskRequest, reply_name: str) -> str:
    """Return what the writer of the reply reads: what is asked for, then every message unchanged."""
    body = request.body
    lines = [
        f"Request {request.number} to {body.get('model') or 'a model'}.",
        f"Write the reply to {reply_name}, the text alone.",
    ]
    if request.choices > 1:
        lines.append(
            f"It is choice {request.choice} of {request.choices} of one request; each is to be another attempt."
        )
    most = body.get("max_tokens") or body.get("max_completion_tokens")
    if most:
        lines.append(f"The reply may have {most} tokens.")
    form = body.get("response_format")
    schema = form.get("json_schema") if isinstance(form, dict) else None
    if isinstance(schema, dict):
        lines.append("The reply is one JSON document of this schema and nothing else:")
        lines.append(json.dumps(schema.get("schema"), ensure_ascii=False))
    for message in request.messages:
        lines += ["", f"================ {message.role} ================", "", message.content]
    return "\n".join(lines) + "\n"
