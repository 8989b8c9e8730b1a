"""The model-driven coder: asks for files or edits, joins them with the previous ones, refuses replies without code."""

import difflib

from akgen.agents.budget import Budget
from akgen.agents.calls.conversation import Answer, Conversation, unusable
from akgen.agents.calls.edits import apply_edits
from akgen.agents.calls.replies import ParsedReply, read_code, spoken
from akgen.agents.kernel_only import given_host, host_files
from akgen.agents.plan import Plan
from akgen.agents.prompts import render
from akgen.agents.prompts.builder import Describe, EnglishPrompts, PromptBuilder
from akgen.agents.prompts.retrieval import TOKENS, mark_used
from akgen.agents.roles import Feedback, Usage, Written
from akgen.knowledge.chip import Chip
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import DIRECT, KernelProject, without_comments
from akgen.tools.core.task import Task

LEAST_TOKENS = 1_000  # of knowledge; below that a prompt is shown none
HOST_DATA = "GET_TILING_DATA"  # a kernel that reads it needs a host of its own


class ChatCoder:
    """Writes Ascend C by asking a chat model once per call, twice where its edits cannot be applied."""

    def __init__(
        self,
        conversation: Conversation,
        chip: Chip,
        budget: Budget,
        describe: Describe | None = None,
        prompts: PromptBuilder | None = None,
    ) -> None:
        self.name = f"model:{conversation.name}"
        self._conversation = conversation
        self._describe = describe
        self._prompts = prompts or EnglishPrompts(chip, budget, describe)

    def write(
        self,
        task: Task,
        plan: Plan,
        feedback: Feedback | None,
        previous: KernelProject | None,
        sample: int,
    ) -> Written:
        """Return the project of the reply; files that it leaves out are taken from `previous`.

        A kernel that comes without host code, and needs none of its own, gets the task's or a minimal one. Where the
        prompt is too long for the model, it is shown less of what is known, down to nothing.
        """
        known = TOKENS
        prompt = self._prompts.coder(task, plan, feedback, previous, known)
        kernel_file = self._file(task)
        old = dict(previous.files) if previous else {}
        turns: list[tuple[str, str]] = []
        answers: list[Answer] = []
        asked = prompt.user
        while True:
            answer = self._conversation.ask(
                prompt.system,
                asked,
                role="coder",
                attempt=feedback.attempt + 1 if feedback else 1,
                sample=sample,
                shared=feedback is None and plan.shared,
                before=turns,
                aside=prompt.aside,
            )
            answers.append(answer)
            if answer.ended == "too_long" and known > 0 and not turns:
                known = known // 2 if known > LEAST_TOKENS else 0
                prompt = self._prompts.coder(task, plan, feedback, previous, known)
                asked = prompt.user
                continue
            stopped = unusable(answer, "write")
            if stopped is not None:
                return _nothing(answers, *stopped)
            reply = read_code(answer.text, kernel_file, at_limit=answer.ended == "length")
            files, refused = apply_edits(old, reply.edits)
            if refused is None:
                break
            if turns:
                found = Diagnostic(
                    code="EDIT_REFUSED", text=refused.text, file=refused.edit.path, stage="write"
                )
                return _nothing(answers, Outcome.NO_CODE, found)
            turns.append((asked, spoken(answer.text)))
            asked = render("again_edit", refused=refused.text)
        files = self._joined(task, plan, files | reply.files)
        problem = self._problem(reply, files, kernel_file)
        if problem is not None:
            return _nothing(answers, Outcome.NO_CODE, problem)
        project = KernelProject(op_type=task.op_type, kernel=task.kernel, files=files)
        return Written(
            project=project,
            shown=mark_used(prompt.shown, project),
            form=("edits" if reply.edits else "files") if not turns else "second_try",
            changed=difference(previous, project) if previous else None,
            usage=_usage(answers),
            messages=answers[-1].messages,
        )

    def _file(self, task: Task) -> str:
        """Return where code without a path goes."""
        return f"op_kernel/{task.kernel}.cpp"

    def _joined(self, task: Task, plan: Plan, files: dict[str, str]) -> dict[str, str]:
        """Return the project's files, with a host where the reply left it to us."""
        kernel_file = self._file(task)
        if kernel_file not in files or any(path.startswith("op_host/") for path in files):
            return files
        if given := given_host(task):
            return given | files
        if self._describe is None or HOST_DATA in files[kernel_file]:
            return files
        return host_files(task, self._describe(task), files[kernel_file], plan.tiling) | files

    def _problem(self, reply: ParsedReply, files: dict[str, str], kernel_file: str) -> Diagnostic | None:
        """Return why a reply is no project."""
        if reply.problem is not None:
            return Diagnostic(code=reply.code, text=reply.problem, stage="write")
        if kernel_file not in files:
            return Diagnostic(code="NO_CODE", text=f"The reply has no file {kernel_file}.", stage="write")
        return None


class DirectCoder(ChatCoder):
    """Writes the direct form: one file with kernels and the host function that launches them with `<<<>>>`."""

    def _file(self, task: Task) -> str:
        return f"op_kernel/{task.kernel}{DIRECT}"

    def _joined(self, task: Task, plan: Plan, files: dict[str, str]) -> dict[str, str]:
        """Return the file and its headers; a reply that calls the file .cpp, as other kernels are, means this one."""
        del plan
        usual = f"op_kernel/{task.kernel}.cpp"
        named = {self._file(task) if path == usual else path: text for path, text in files.items()}
        return {path: text for path, text in named.items() if path.startswith("op_kernel/")}

    def _problem(self, reply: ParsedReply, files: dict[str, str], kernel_file: str) -> Diagnostic | None:
        """Return why a reply is not of this form; that it calls for a host function, building it says."""
        found = super()._problem(reply, files, kernel_file)
        if found is not None or any("<<<" in without_comments(text) for text in files.values()):
            return found
        text = "The reply launches no kernel: it has no `<<<blocks, nullptr, stream>>>`."
        return Diagnostic(code="NO_LAUNCH", text=text, stage="write")


def difference(before: KernelProject, now: KernelProject) -> str:
    """Return what one project changed of another as a unified diff with one line around each change."""
    text: list[str] = []
    for path in sorted({*before.files, *now.files}):
        old, new = (p.files.get(path, "").splitlines() for p in (before, now))
        text += difflib.unified_diff(old, new, path, path, n=1, lineterm="")
    return "\n".join(text)


def _nothing(answers: list[Answer], outcome: Outcome, found: Diagnostic) -> Written:
    return Written(
        project=None,
        outcome=outcome,
        diagnostics=(found,),
        usage=_usage(answers),
        messages=answers[-1].messages,
    )


def _usage(answers: list[Answer]) -> Usage:
    whole = Usage()
    for answer in answers:
        whole = whole.plus(answer.usage)
    return whole
