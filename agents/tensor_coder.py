"""The coder of the route `tensor`: a chat model writes what is computed, line by line; the composer adds the schedules.

A program that does not fit, or cannot be scheduled, is an attempt that does not compile; its findings carry its lines.
What the model is asked stands here too: in full for any chat model, in few words for one trained on it.
"""

import ast
import re
from itertools import chain, count

from akgen.agents.budget import Budget
from akgen.agents.calls.conversation import Conversation
from akgen.agents.calls.replies import split_thought
from akgen.agents.dsl_coder import write_program
from akgen.agents.kernel_only import interface
from akgen.agents.plan import Plan
from akgen.agents.prompts import raw_text, render
from akgen.agents.prompts.builder import Describe, ModelPrompt, reference_source, task_text
from akgen.agents.roles import Feedback, Planned, Written
from akgen.tools.compose.scope import Unsupported
from akgen.tools.compose.tensor_program.composed import compose_tensor_program
from akgen.tools.compose.tensor_program.parse import parse_tensor_program
from akgen.tools.compose.tensor_program.written import input_lines
from akgen.tools.core.call import Call
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Mode, Task
from akgen.tools.core.untrusted import read_python
from akgen.tools.dsl import lower
from akgen.tools.dsl.errors import DslError, finding

_FENCE = re.compile(r"^[ \t]*```[ \t]*\w*[ \t]*\n(?P<body>.*?)^[ \t]*```[ \t]*$", re.M | re.S)
# What inputs are called before a model that was trained here, by position, so that no name is new to it. A program's
# inputs go by position too.
SPOKEN = ("x", "y", "z", "w", "u", "v", "p", "q", "r", "s")
_NAME = re.compile(r"\b[A-Za-z_]\w*\b", re.ASCII)


class NothingPlanned:
    """Stands for a planner where the composer decides every schedule."""

    name = "composer, from the coder's program"

    def plan(self, task: Task, feedback: Feedback | None, sample: int) -> Planned:
        del task, feedback, sample
        thought = render("tensor_plan").strip()
        return Planned(
            plan=Plan(origin=self.name, category="other", thought=thought, route="dsl", shared=True)
        )


class TensorCoder:
    """Writes by asking a chat model for a tensor program.

    A model that was `trained` on them is asked in the words of its training; any other is told the language.
    """

    def __init__(
        self, conversation: Conversation, budget: Budget, describe: Describe, *, trained: bool
    ) -> None:
        self.name = f"model:{conversation.name}, tensor program"
        self._conversation, self._budget = conversation, budget
        self._describe, self._trained = describe, trained

    def write(
        self, task: Task, plan: Plan, feedback: Feedback | None, previous: KernelProject | None, sample: int
    ) -> Written:
        """Return the project that the composer makes of the reply. The feedback carries the previous program."""
        del previous
        calls = every_call(task, self._describe)
        try:
            prompt = self._prompt(task, calls, feedback)
        except DslError as error:
            return Written(project=None, outcome=Outcome.UNSUPPORTED, diagnostics=error.diagnostics)

        def lowered(program: str) -> KernelProject:
            composition = compose_tensor_program(
                parse_tensor_program(program), task.op_type, task.kernel, calls, task.name,
                fixed=task.mode is Mode.STATIC or not task.draws_shapes,
            )  # fmt: skip
            return lower(composition.program, composition.face.op, task.kernel)

        return write_program(
            self._conversation, prompt, plan, feedback, sample,
            read=read_tensor_program, missing="The reply holds no program.", lowered=lowered,
        )  # fmt: skip

    def _prompt(self, task: Task, calls: list[Call], feedback: Feedback | None) -> ModelPrompt:
        if self._trained:
            return ModelPrompt(system="", user=trained_prompt(task, self._describe, feedback))
        budget = feedback.left if feedback and feedback.left else self._budget
        aside = render("budget", budget=budget).strip()
        user = render(
            "tensor_user", task_text=task_text(task, self._describe), budget_text=aside, feedback=feedback,
            inputs=declared(task, calls),
        )  # fmt: skip
        return ModelPrompt(
            system=render("tensor_system", language=raw_text("tensor_language.md")), user=user, aside=aside
        )


def read_tensor_program(text: str) -> str | None:
    """Return the last block of a reply that holds a program, or the whole reply if it is one; else None."""
    _, rest, _ = split_thought(text)
    blocks = [b["body"] for b in _FENCE.finditer(rest)] or [rest]
    programs = [b for b in blocks if re.search(r"^return\b", b, re.M)]
    return programs[-1].strip("\n") + "\n" if programs else None


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
