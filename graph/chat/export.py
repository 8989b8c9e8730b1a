"""A conversation as Markdown: what was said, and of each finished request its verdict and kernel."""

from akgen.graph.chat.conversation import kernel_of
from akgen.graph.chat.transcript import Said, Transcript
from akgen.graph.lines import profile_line, verdict_line
from akgen.graph.store.run_store import RunStore


def as_markdown(store: RunStore, transcript: Transcript) -> str:
    """Return the conversation's text."""
    config = store.info.config
    head = [f"# {store.info.id}", "", f"{config.model} on {store.info.toolchain}", ""]
    parts = [_part(store, line) for line in transcript.lines()]
    return "\n".join([*head, *(text for part in parts for text in part)])


def _part(store: RunStore, line: Said) -> list[str]:
    if line.who == "person":
        fence = ["```", line.text, "```"] if "\n" in line.text else [f"> {line.text}"]
        return [*fence, ""]
    if line.task is None:
        return [line.text, ""]
    place = store.task(line.task)
    solution = place.solution()
    if solution is None:
        return [line.text, ""]
    facts = [f"## {line.task}", "", f"{solution.outcome}: {verdict_line(solution.verdict)}", ""]
    facts += [profile_line(solution.profile), ""] if solution.profile else []
    kernel = kernel_of(place, solution)
    return [*facts, *(["```cpp", kernel.rstrip(), "```", ""] if kernel else [])]
