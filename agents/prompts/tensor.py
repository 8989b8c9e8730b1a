"""What a coder of tensor programs is asked: in full for any chat model, in few words for one trained on them."""

import ast
import re
from itertools import chain, count

from akgen.agents.kernel_only import interface
from akgen.agents.prompts.builder import Describe, reference_source
from akgen.agents.roles import Feedback
from akgen.tools.compose.scope import Unsupported
from akgen.tools.compose.tensor_program.written import input_lines
from akgen.tools.core.call import Call
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.task import Task
from akgen.tools.core.untrusted import read_python
from akgen.tools.dsl.errors import DslError, finding

# What inputs are called before a model that was trained here, by position, so that no name is new to it. A program's
# inputs go by position too.
SPOKEN = ("x", "y", "z", "w", "u", "v", "p", "q", "r", "s")
_NAME = re.compile(r"\b[A-Za-z_]\w*\b", re.ASCII)


def spoken(inputs: str, *texts: str) -> tuple[str, ...]:
    """Return the lines that declare the inputs, then the texts about them, with the names of SPOKEN."""
    given = [line.split(":")[0] for line in inputs.splitlines()]
    others = set(_NAME.findall(" ".join(texts))) - set(given)
    free = (name for name in chain(SPOKEN, (f"in{k}" for k in count())) if name not in others)
    names = dict(zip(given, free, strict=False))
    return tuple(_NAME.sub(lambda m: names.get(m[0], m[0]), text) for text in (inputs, *texts))


def task_prompt(inputs: str, computed: str) -> str:
    """Return what a trained model is asked: the lines that declare the inputs, then what is computed."""
    return f"{inputs.rstrip()}\n\n{computed.strip()}\n\n"


def repair_prompt(prompt: str, program: str, found: tuple[str, ...]) -> str:
    """Return what a trained model is asked after an attempt: its program and the codes of what was found."""
    return f"{prompt}{program.rstrip()}\n# {' '.join(found)}\n\n"


def findings_told(diagnostics: tuple[Diagnostic, ...], outcome: Outcome) -> tuple[str, ...]:
    """Return codes with the lines of the program that they stand at; the outcome alone where there are none."""
    mine = [d for d in diagnostics if d.code.startswith("TENSOR_")]
    return tuple(f"{d.code} {d.line}" for d in mine[:1]) or (outcome.value.upper(),)


def trained_prompt(task: Task, describe: Describe, feedback: Feedback | None) -> str:
    """Return the prompt for a model that was trained on tensor programs. Raises DslError as `declared` does."""
    computed = task.description.strip() or forward_lines(reference_source(task) or "") or task.name
    prompt = task_prompt(*spoken("\n".join(declared(task, every_call(task, describe))), computed))
    if feedback is None or feedback.dsl is None:
        return prompt
    return repair_prompt(prompt, feedback.dsl, findings_told(feedback.diagnostics, feedback.outcome))


def every_call(task: Task, describe: Describe) -> list[Call]:
    return [describe(task.only((case.id,))) for case in task.cases]


def declared(task: Task, calls: list[Call]) -> list[str]:
    """Return the lines that declare the operator's inputs. Raises DslError where the language has no such inputs."""
    first = calls[0].inputs
    op = interface(task.op_type, calls[0])
    names = _argument_names(reference_source(task) or "")
    given = names if len(names) == len(first) else tuple(p.name for p in op.inputs)
    try:
        return input_lines(given, [c.inputs for c in calls])[1]
    except Unsupported as refused:
        said = refused.sentence[:1].upper() + refused.sentence[1:]
        raise DslError((finding("TENSOR_INTERFACE", 1, f"{said}."),)) from refused


def forward_lines(source: str) -> str:
    """Return the statements of the reference's forward; nothing if it has none."""
    forward = _forward(source)
    return "" if forward is None else "\n".join(ast.unparse(s) for s in forward.body if not _is_text(s))


def _argument_names(source: str) -> tuple[str, ...]:
    forward = _forward(source)
    return () if forward is None else tuple(a.arg for a in forward.args.args if a.arg != "self")


def _forward(source: str) -> ast.FunctionDef | None:
    try:
        tree = read_python(source)
    except SyntaxError:
        return None
    return next((n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "forward"), None)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
