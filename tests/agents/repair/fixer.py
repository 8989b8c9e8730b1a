"""A repairer without a mind: it does what the feedback's remedies say, to the line that they name, and nothing else.

What it repairs, any model could have repaired from the same words. It knows C++ no further than brackets and commas.
"""

import re
from collections.abc import Callable, Mapping

from akgen.tools.core.frozen import Frozen

_FINDING = re.compile(
    r"^- (?P<code>\w+)(?: at (?P<file>[\w./]+)(?::(?P<line>\d+))?)?(?: in \w+)?: (?P<text>.*)$"
)


class Told(Frozen):
    """One finding of the feedback."""

    code: str
    file: str
    line: int | None
    text: str
    remedy: str


def read(feedback: str) -> list[Told]:
    """Return the findings that have a place and a remedy."""
    found: list[Told] = []
    for row in feedback.splitlines():
        head = _FINDING.match(row)
        if head is not None and head["file"]:
            line = int(head["line"]) if head["line"] else None
            found.append(Told(code=head["code"], file=head["file"], line=line, text=head["text"], remedy=""))
        elif found and not found[-1].remedy and row.strip().startswith("Remedy: "):
            found[-1] = found[-1].model_copy(update={"remedy": row.strip().removeprefix("Remedy: ")})
    return found


def fix(files: Mapping[str, str], feedback: str) -> dict[str, str]:
    """Follow the first remedy that can be followed; the files as they are if none can."""
    for told in read(feedback):
        for rule in (_insert_text, _rename, _adapt_call, _cast, _replace_value, _queue_step, _give_room):
            changed = rule(dict(files), told)
            if changed is not None and changed != dict(files):
                return changed
    return dict(files)


def _edit(files: dict[str, str], told: Told, change: Callable[[str], str]) -> dict[str, str] | None:
    """Change the named line, which a statement of several lines may end."""
    lines = files[told.file].splitlines(keepends=True)
    if told.line is None or told.line > len(lines):
        return None
    for at in (told.line - 1, told.line, told.line - 2):
        if 0 <= at < len(lines) and (new := change(lines[at])) != lines[at]:
            return {**files, told.file: "".join([*lines[:at], new, *lines[at + 1 :]])}
    return None


def _rename(files: dict[str, str], told: Told) -> dict[str, str] | None:
    """Write Y for X where the finding says: X ...; did you mean Y?"""
    wrong = re.search(r"has no (?:member |field )?(\w+); did you mean (\w+)\?", told.text) or re.match(
        r"(\w+)(?:: no such API| is not declared here); did you mean (\w+)\?", told.text
    )
    return _edit(files, told, lambda line: re.sub(rf"\b{wrong[1]}\b", wrong[2], line)) if wrong else None


def _adapt_call(files: dict[str, str], told: Told) -> dict[str, str] | None:
    """Make a call look like the signature in the remedy: other name, literal arguments put in, extra ones dropped."""
    form = re.search(r"[Ww]rite (?:\w+\.)?(\w+)(?:<T>)?\((.*)\)\.$", told.remedy)
    named = re.search(r"(?:No form of |^)(\w+)\b", told.text)
    added = re.match(r"Add the fourth argument: (\S+\{.*?\})", told.remedy)
    if told.code not in ("WRONG_ARITY", "WRONG_ARGUMENTS") or named is None:
        return None

    def change(line: str) -> str:
        call = re.search(rf"\b{named[1]}\b(<[^()]*>)?\(", line)
        if call is None:
            return line
        end = _closing(line, call.end() - 1)
        given = _split(line[call.end() : end])
        if added is not None:
            given = [*given, added[1]]
        elif form is not None:
            given = _fitted(given, _split(form[2]), files[told.file])
        name = form[1] if form else named[1]
        return f"{line[: call.start()]}{name}{call[1] or ''}({', '.join(given)}{line[end:]}"

    return _edit(files, told, change)


def _fitted(given: list[str], wanted: list[str], text: str) -> list[str]:
    wanted = [w for w in wanted if "=" not in w]
    for at, parameter in enumerate(wanted):
        if len(given) < len(wanted) and ("::" in parameter or (parameter == "count" and at == len(given))):
            last = re.search(r"\w+\((?:[^()]*), (\w+)\);", text) if parameter == "count" else None
            given = [*given[:at], last[1] if last else parameter, *given[at:]]
        elif parameter.startswith("(__gm__ T*)") and at < len(given) and "__gm__" not in given[at]:
            given = [*given[:at], "(__gm__ T*)" + given[at], *given[at + 1 :]]
    return given[: max(len(wanted), 1)]


def _cast(files: dict[str, str], told: Told) -> dict[str, str] | None:
    """Wrap what the remedy says in a cast, or read an element."""
    around = re.match(r"Write static_cast<(\w+)>\(\.\.\.\) around the value", told.remedy)
    through = re.search(r"static_cast<(\w+)>\(static_cast<int32_t>\(n\)\)", told.remedy)
    one_type = re.match(r"Both sides need one type: write <(\w+)> in the call", told.remedy)

    def change(line: str) -> str:
        if around and "{" in line:
            start, end = line.index("{"), line.rindex("}")
            parts = [
                p if re.fullmatch(r"[\d.]+", p) else f"static_cast<{around[1]}>({p})"
                for p in _split(line[start + 1 : end])
            ]
            return f"{line[: start + 1]}{', '.join(parts)}{line[end:]}"
        if around and "= " in line:
            head, value = line.split("= ", 1)
            return f"{head}= static_cast<{around[1]}>({value.rstrip().rstrip(';')});\n"
        if through and (cast := re.search(r"static_cast<\w+>\(", line)):
            end = _closing(line, cast.end() - 1)
            return f"{line[: cast.end()]}static_cast<int32_t>({line[cast.end() : end]}){line[end:]}"
        if one_type:
            return re.sub(r"<\w+>\(\)", f"<{one_type[1]}>()", line)
        if "tensor.GetValue(0)" in told.remedy:
            return re.sub(r"= (\w+);", r"= \1.GetValue(0);", line)
        return line

    return _edit(files, told, change)


def _replace_value(files: dict[str, str], told: Told) -> dict[str, str] | None:
    """Put the literal or expression of the remedy in place of a host's name."""
    if told.code != "HOST_NAME":
        return None
    name = re.escape(told.text.split()[0])
    literal = re.match(r"Use ([-\d.e+xA-Fa-f]+[fUL]*)\.$", told.remedy)
    scalar = re.match(r"Use (\w+) on a scalar", told.remedy)
    pick = re.search(r"Use a ([<>]) b \? a : b", told.remedy)

    def change(line: str) -> str:
        if literal:
            return re.sub(rf"\b{name}\b", literal[1], line)
        if scalar:
            return re.sub(rf"\b{name}\b", scalar[1], line)
        call = re.search(rf"{name}(?:<[^()]*>)?\(", line)
        if call is None:
            return line
        end = _closing(line, call.end() - 1)
        given = _split(line[call.end() : end])
        if pick and len(given) == 2:
            a, b = given
            return f"{line[: call.start()]}(({a}) {pick[1]} ({b}) ? ({a}) : ({b})){line[end + 1 :]}"
        if "x < 0 ? -x : x" in told.remedy and len(given) == 1:
            return f"{line[: call.start()]}({given[0]} < 0 ? -{given[0]} : {given[0]}){line[end + 1 :]}"
        return line

    return _edit(files, told, change)


def _insert_text(files: dict[str, str], told: Told) -> dict[str, str] | None:
    """Add the line that the remedy spells out, where it says."""
    text = files[told.file]
    if '#include "kernel_operator.h" at the top' in told.remedy:
        return {**files, told.file: '#include "kernel_operator.h"\n' + text}
    opened = re.match(r"Write `(using namespace \w+;)` after (#include \"[\w.]+\")", told.remedy)
    if opened:
        return {**files, told.file: text.replace(opened[2], f"{opened[2]}\n{opened[1]}", 1)}
    registered = re.match(
        r"Add (REGISTER_TILING_DATA_CLASS)\(<Op>, (\w+)\) after (END_TILING_DATA_DEF;)", told.remedy
    )
    op = re.search(r"OP_ADD\((\w+)\)", "\n".join(files.values()))
    if registered and op:
        line = f"{registered[3]}\n{registered[1]}({op[1]}, {registered[2]})"
        return {name: t.replace(registered[3], line, 1) for name, t in files.items()}
    brace = re.match(r"Put } before this line", told.remedy)
    if brace:
        lines = text.splitlines(keepends=True)
        at = (told.line or 1) - 1
        indent = re.match(r"\s*", lines[at])
        return {**files, told.file: "".join([*lines[:at], f"{indent[0] if indent else ''}}}\n", *lines[at:]])}
    if told.code == "FLAG_UNPAIRED" and "Put SetFlag" in told.remedy:
        return _edit(
            files, told, lambda row: row.replace("WaitFlag", "SetFlag") + row if "WaitFlag" in row else row
        )
    if (
        told.code == "COPY_LENGTH"
        and "DataCopyPad(global, local, DataCopyExtParams{1, bytes, 0, 0, 0})" in told.remedy
    ):
        ragged = r"DataCopy\((\w+Gm\[.*\]), (\w+), (\w+)\)"
        pad = r"DataCopyPad(\1, \2, DataCopyExtParams{1, static_cast<uint32_t>(\3 * sizeof(T)), 0, 0, 0})"
        return _edit(files, told, lambda row: re.sub(ragged, pad, row))
    return None


def _queue_step(files: dict[str, str], told: Told) -> dict[str, str] | None:
    """Add the queue call that is missing, at the end of the function that took the tensor."""
    missing = re.search(r"\b(EnQue|FreeTensor)\b", told.text if "is missing" in told.text else told.remedy)
    position = re.search(r"(VECIN|VECOUT)", told.text)
    if (
        told.code not in ("QUEUE_STATE", "TENSOR_LEAK", "QUEUE_DEADLOCK", "NO_FREE_BUFFER")
        or not missing
        or not position
    ):
        return None
    text = files[told.file]
    taken = "AllocTensor" if missing[1] == "EnQue" else "DeQue"
    for queue in re.findall(rf"TQue<TPosition::{position[1]}[^>]*> (\w+);", text):
        for use in re.finditer(rf"(\w+) = {queue}\.{taken}<\w+>\(\);", text):
            end = text.find("\n    }\n", use.end())
            if f"{queue}.{missing[1]}(" not in text[use.end() : end]:
                return {
                    **files,
                    told.file: f"{text[:end]}\n        {queue}.{missing[1]}({use[1]});{text[end:]}",
                }
    return None


def _give_room(files: dict[str, str], told: Told) -> dict[str, str] | None:
    """Let every buffer have bytes, where the remedy says that InitBuffer takes bytes."""
    if told.code != "TENSOR_RANGE" or "InitBuffer takes bytes, elements * sizeof(T)" not in told.remedy:
        return None
    short = re.compile(r"(InitBuffer\((?:\w+, )+)(\w+)\);")
    number = re.compile(r"\d+$")
    text = short.sub(
        lambda m: m[0] if number.match(m[2]) else f"{m[1]}{m[2]} * sizeof(float));", files[told.file]
    )
    return {**files, told.file: text}


def _closing(line: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(line)):
        depth += (line[at] in "([{") - (line[at] in ")]}")
        if depth == 0:
            return at
    return len(line)


def _split(text: str) -> list[str]:
    """Split at the commas outside of brackets."""
    parts, depth, current = [], 0, ""
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += letter
    return [*parts, current.strip()] if current.strip() else parts
