"""Read an answer's text as a project: six strings in a Python file, or sources in JSON; with a reply's words around it.

- six strings, as `akgen bench run mkb` gets them from models: `project_json_src`, `host_tiling_src`,
  `host_operator_src`, `kernel_src`, `python_bind_src`, `model_src`;
- direct launch: `{"entry": {"model": "ModelNew.py::ModelNew"}, "sources": [{"path", "content"}], ...}`.
"""

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from akgen.bench.answers.constants import NotConstant, assigned
from akgen.tools.core.op_spec import camel_case
from akgen.tools.core.outcome import InputError
from akgen.tools.core.plain_text import shown
from akgen.tools.core.project import KernelProject, as_sources_say
from akgen.tools.core.task import Task
from akgen.tools.core.untrusted import JsonRefused, parse_json, read_python

SIX = (
    "project_json_src",
    "host_tiling_src",
    "host_operator_src",
    "kernel_src",
    "python_bind_src",
    "model_src",
)
MODEL = "ModelNew"
_FENCE = re.compile(
    r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n]*\n(.*?)(?:\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_MOST_FILES = 200
FILES = (
    ".py",
    ".cpp",
    ".cc",
    ".cxx",
    ".asc",
    ".h",
    ".hh",
    ".hpp",
    ".inc",
)  # of direct launch; others are left out


class AnswerRefused(Exception):
    """The text is no answer; what it says is for the writer of the answer."""


def read_answer(text: str, task: Task) -> KernelProject:
    """Return the project that a text holds. Raises AnswerRefused with one sentence."""
    refused: AnswerRefused | None = None
    for candidate in _candidates(text):
        try:
            return _direct(candidate, task) if _is_json(candidate) else _six(candidate, task)
        except AnswerRefused as e:
            refused = refused or e
    raise refused or AnswerRefused("The answer holds no code.")


def _candidates(text: str) -> Iterator[str]:
    """Yield what may be the answer: the fenced blocks in order, then the text itself, or what stands in braces."""
    spoken = _THOUGHT.sub("", text)
    blocks = [m[3] for m in _FENCE.finditer(spoken) if m[3].strip()]
    looked = [b for b in blocks if _is_json(b) or any(name in b for name in SIX)]
    yield from looked
    if not looked:
        yield spoken
        start = spoken.find("{")
        if start > 0 and '"sources"' in spoken:
            yield spoken[start : spoken.rfind("}") + 1]


def _is_json(text: str) -> bool:
    return text.lstrip()[:1] == "{"


def _direct(text: str, task: Task) -> KernelProject:
    try:
        told = parse_json(text)
    except JsonRefused as e:
        raise AnswerRefused(f"The answer is no JSON: {shown(str(e))}.") from e
    sources = told.get("sources")
    if not isinstance(sources, list) or not 0 < len(sources) <= _MOST_FILES:
        raise AnswerRefused("The answer's JSON has no list `sources` of files with path and content.")
    files = {}
    for source in sources:
        path, content = (source.get("path"), source.get("content")) if isinstance(source, dict) else (0, 0)
        if not isinstance(path, str) or not isinstance(content, str):
            raise AnswerRefused("A file of `sources` lacks its path or its content as text.")
        files[posixpath.normpath(path)] = content
    entry = told.get("entry")
    named = entry.get("model") if isinstance(entry, dict) else None
    return direct_project(files, task, named if isinstance(named, str) else None)


def direct_project(files: dict[str, str], task: Task, entry: str | None = None) -> KernelProject:
    """Return the project of files that launch their kernels themselves. Raises AnswerRefused without a class."""
    file, _, name = (entry or "").partition("::")
    file, name = posixpath.normpath(file) if file else "", name or MODEL
    if file not in files:
        if file:
            raise AnswerRefused(f"The entry names {file!r}, which is none of the sources.")
        python = [p for p in files if p.endswith(".py") and re.search(rf"\bclass\s+{name}\b", files[p])]
        if not python:
            raise AnswerRefused(f"No Python file among the sources defines a class {name}.")
        file = python[0]
    kept = {f"model/{p}": _aliased(t, task) for p, t in files.items() if p.endswith(FILES)}
    return KernelProject(op_type=task.op_type, kernel=task.kernel, files=kept, model=f"model/{file}::{name}")


def _six(text: str, task: Task) -> KernelProject:
    try:
        tree = read_python(text)
    except (SyntaxError, ValueError) as e:
        raise AnswerRefused(f"The answer is no valid Python: {shown(str(e))}.") from e
    found = assigned(tree, SIX)
    missing = [name for name in SIX if name not in found]
    if missing:
        raise AnswerRefused(f"The answer does not define {', '.join(missing)}.")
    for name, value in found.items():
        if isinstance(value, NotConstant):
            raise AnswerRefused(f"{name} is not constant, and answers are not executed here: {value}.")
    return six_project({n: v for n, v in found.items() if isinstance(v, str)}, task)


def six_project(strings: dict[str, str], task: Task) -> KernelProject:
    """Return the project of the six strings. Raises AnswerRefused if its JSON names no operator."""
    strings = {name: _aliased(text, task) for name, text in strings.items()}
    _operator_name(strings["project_json_src"])
    stem = _aliased(f"{task.name}_custom", task)
    project = KernelProject(
        op_type=task.op_type,
        kernel=task.kernel,
        files={
            f"op_host/{stem}_tiling.h": strings["host_tiling_src"],
            f"op_host/{stem}.cpp": strings["host_operator_src"],
            f"op_kernel/{stem}.cpp": strings["kernel_src"],
            "model/op.cpp": strings["python_bind_src"],
            "model/model_new.py": strings["model_src"],
        },
        model=f"model/model_new.py::{MODEL}",
    )
    try:
        return as_sources_say(project, "The answer")
    except InputError as e:
        raise AnswerRefused(e.text) from e


def _operator_name(text: str) -> str:
    """Return the operator that the JSON for msopgen names."""
    try:
        told: Any = parse_json(text)
    except JsonRefused as e:
        raise AnswerRefused(f"project_json_src is no JSON: {shown(str(e))}.") from e
    first = told[0] if isinstance(told, list) and told else told
    name = first.get("op") if isinstance(first, dict) else None
    if not isinstance(name, str):
        raise AnswerRefused("project_json_src names no operator: it has no `op`.")
    return name


def _aliased(text: str, task: Task) -> str:
    """Write names that begin with a digit, which no language has, as names that it has.

    `10_relu_custom` is `op_10_relu_custom`, `10ReluCustom` is `Op10ReluCustom`, everywhere and alike.
    """
    if not task.name[:1].isdigit():
        return text
    snake = f"{task.name}_custom"
    camel = "".join(w[:1].upper() + w[1:] for w in snake.split("_"))
    text = re.sub(rf"(?<![A-Za-z0-9_]){re.escape(snake)}", f"op_{snake}", text)
    return re.sub(rf"(?<!Op){re.escape(camel)}", camel_case(camel), text)
