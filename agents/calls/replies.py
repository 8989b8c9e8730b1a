"""Read what a chat model replies: its thought, and code as edits of what there is, or in one of three forms.

Edits are search/replace blocks or a unified diff. Full answers head each file with
`================== op_host/name.cpp ==================`; kernel-only answers wrap one block in `<kernel_impl>`;
anything else counts by its fenced C++ blocks. Paths are taken only below op_host and op_kernel. A block without its
end is a cut answer, never code. What a model says about its own code is not believed; it is only kept.
"""

import re
from typing import Any, Literal

from akgen.agents.calls.edits import PATH, Edit, read_edits
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.untrusted import last_object

_HEADER = re.compile(
    r"^[ \t]*=={3,}[ \t]*`?(?P<path>[\w./-]+\.(?:cpp|h|hpp|cc|inc|txt|asc))`?[ \t]*=={3,}[ \t]*$", re.M
)
_FENCE = re.compile(r"^[ \t]*```[ \t]*(?P<tag>[\w+#-]*)[^\n]*\n(?P<body>.*?)^[ \t]*```[ \t]*$", re.M | re.S)
_KERNEL = re.compile(r"<kernel_impl>(?P<body>.*?)(?:</kernel_impl>|\Z)", re.S)
_KERNEL_TAG = re.compile(r"[ \t]*(```(?=[ \t]*</))?[ \t]*(</?kernel_impl>)[ \t]*")
_SAFE = re.compile(r"op_(?:host|kernel)/[A-Za-z0-9_][\w.-]*")
_CODE_TAGS = {"", "cpp", "c++", "c", "cc", "cxx", "ascendc", "asc"}


class ParsedReply(Frozen):
    """A reply taken apart. Without usable code, `files` and `edits` are empty and `problem` says why."""

    thought: str | None
    files: dict[str, str]
    edits: tuple[Edit, ...] = ()
    kernel_only: bool = False
    problem: str | None = None
    code: Literal["NO_CODE", "REPLY_CUT", "REPLY_EMPTY"] = "NO_CODE"  # of the problem


def split_thought(text: str) -> tuple[str | None, str, bool]:
    """Return (thought, rest, cut): a reply may begin inside its thought, and may end inside it."""
    if "</think>" in text:
        before, _, rest = text.rpartition("</think>")
        return before.replace("<think>", "").replace("</think>", "").strip() or None, rest, False
    if "<think>" in text:
        before, _, inside = text.partition("<think>")
        return inside.strip() or None, before, True
    return None, text, False


def spoken(text: str) -> str:
    """Return what the model said aloud: a thought is not handed back to it."""
    return split_thought(text)[1].strip() or text


def read_code(text: str, kernel_file: str, *, at_limit: bool = False) -> ParsedReply:
    """Read a coder's reply; `kernel_file` is where code without a path goes.

    `at_limit` says that the server stopped the reply at its length limit: what came whole before that still counts.
    """
    thought, rest, cut = split_thought(text)
    if not rest.strip():
        if cut or (at_limit and text.strip()):
            return _problem(thought, "The reply ends inside its thought.", "REPLY_CUT")
        return _problem(thought, "The reply is empty.", "REPLY_EMPTY")
    rest = _KERNEL_TAG.sub(r"\n\1\n\2\n", rest)  # a fence counts at the begin of its line
    if _open_fence(rest):
        return _problem(thought, "The reply is cut inside a code block.", "REPLY_CUT")
    edits = read_edits(rest, kernel_file)
    headed = {} if edits else _headed_files(rest)
    unsafe = [path for path in (*headed, *(edit.path for edit in edits)) if not _SAFE.fullmatch(path)]
    if unsafe:
        problem = f"The reply names the file {unsafe[0]}, which is not below op_host or op_kernel."
        return _problem(thought, problem)
    if edits:
        return ParsedReply(thought=thought, files={}, edits=edits)
    if headed:
        if at_limit and kernel_file not in headed:
            return _problem(thought, f"The reply is cut before {kernel_file}.", "REPLY_CUT")
        return ParsedReply(thought=thought, files=headed)
    wrapped = _KERNEL.search(rest)
    if wrapped:
        body = wrapped["body"]
        fenced = _FENCE.search(body)
        if fenced is None and at_limit and "</kernel_impl>" not in rest:
            return _problem(thought, "The reply is cut inside <kernel_impl>.", "REPLY_CUT")
        code = fenced["body"] if fenced else body.replace("```cpp", "").replace("```", "")
        if code.strip():
            return ParsedReply(thought=thought, files={kernel_file: _end(code)}, kernel_only=True)
        return _problem(thought, "The reply's <kernel_impl> block is empty.")
    files = _fenced_files(rest, kernel_file)
    if files:
        return ParsedReply(thought=thought, files=files, kernel_only=set(files) == {kernel_file})
    if at_limit:
        return _problem(thought, "The reply reached its length limit before any code.", "REPLY_CUT")
    return _problem(thought, "The reply holds no code block.")


def _problem(
    thought: str | None, text: str, code: Literal["NO_CODE", "REPLY_CUT", "REPLY_EMPTY"] = "NO_CODE"
) -> ParsedReply:
    return ParsedReply(thought=thought, files={}, problem=text, code=code)


def _open_fence(text: str) -> bool:
    """Say whether the last code block has no end."""
    return len(re.findall(r"^[ \t]*```", text, re.M)) % 2 == 1


def read_json(text: str) -> dict[str, Any] | None:
    """Return the last JSON object of a reply that is not inside another, or None."""
    return last_object(split_thought(text)[1])


def _headed_files(text: str) -> dict[str, str]:
    headers = list(_HEADER.finditer(text))
    files = {}
    ends = [*(header.start() for header in headers[1:]), len(text)]
    for here, end in zip(headers, ends, strict=False):  # no header: no end is used
        part = text[here.end() : end]
        fenced = _FENCE.search(part)
        code = fenced["body"] if fenced else re.sub(r"^[ \t]*```.*$", "", part, flags=re.M)
        if code.strip():
            files[here["path"]] = _end(code)
    return files


def _fenced_files(text: str, kernel_file: str) -> dict[str, str]:
    """Place each block by the path on the line before it or on its first line, else in the kernel's file."""
    files: dict[str, str] = {}
    for block in _FENCE.finditer(text):
        if block["tag"].lower() not in _CODE_TAGS:
            continue
        line_before = text[: block.start()].rstrip().rpartition("\n")[2]
        first_line = block["body"].partition("\n")[0]
        named = PATH.search(line_before) or PATH.search(first_line)
        files[named["path"] if named else kernel_file] = _end(block["body"])
    return files


def _end(code: str) -> str:
    return code.strip("\n") + "\n"
