"""A conversation that turns sentences into tasks, asks for what is missing, and runs the machine.

    START → listen → understand → prepare → work ─┐
              ↑__________|________________________|        until the person leaves

The person's words come in through an interrupt; what the program says goes out through the context's face. The
conversation is checkpointed like a task: after a crash it goes on where it was, and work that was begun is finished,
not repeated. Commands and going back: `talk`.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from akgen.agents.calls.conversation import streaming
from akgen.agents.requests.code import source_of
from akgen.agents.requests.compared import not_in_reference
from akgen.agents.requests.follow_up_words import acknowledges
from akgen.agents.requests.language import Language, language_of
from akgen.agents.requests.needs import missing, missing_attribute, tensors_of
from akgen.agents.requests.request import Missing, ParsedRequest, Request, RequestSource
from akgen.agents.requests.sentence import read_words, says_yes
from akgen.agents.requests.task import adapted, reference_for, task_for
from akgen.graph.cancel import Cancelled
from akgen.graph.chat.answers import about_kernel, answer, asked_of_kernel, nearest_entries
from akgen.graph.chat.deps import ChatDeps
from akgen.graph.chat.state import ChatState
from akgen.graph.chat.texts import assumed, essence, said, said_attributes, understood
from akgen.graph.run import work_on
from akgen.graph.state import Done
from akgen.graph.store.effects import EffectCache
from akgen.graph.store.files import make_folder, write_whole
from akgen.graph.store.records import Solution
from akgen.graph.store.run_store import TaskStore
from akgen.knowledge.chip import DEFAULT_CHIP, chip
from akgen.knowledge.operators import operators
from akgen.tools.core.call import Call
from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.task import Task
from akgen.tools.core.untrusted import path_of

MOST_CHARACTERS = 200_000  # of a file that is read as a reference
_TASK = re.compile(r"(?:^|\s)(?:task|任务)\s+([\w./~-]+)", re.I)
LEAVE = {"bye", "exit", "quit", "q", "stop", "再见", "退出"}
HELP = {"help", "?", "帮助", "what can you do", "what can you do?", "你能做什么", "你会什么"}
NO = {"no", "n", "nope", "cancel", "不", "不是", "不要", "取消", "不对"}
THANKS = {
    "thanks",
    "thank you",
    "thx",
    "cheers",
    "many thanks",
    "thanks a lot",
    "谢谢",
    "多谢",
    "谢谢你",
    "感谢",
}
SHOWN_CASES = 6  # of a request with many types and shapes
GO_ON = {"go on", "continue", "resume", "继续"}
COMMANDS = ("profile", "diff", "save", "model", "budget", "undo", "history", "export", "help", "quit")

ChatMachine = CompiledStateGraph[ChatState, ChatDeps, ChatState, ChatState]
Update = dict[str, Any]


def build(checkpointer: "BaseCheckpointSaver[str]") -> ChatMachine:
    """Compile the conversation's graph."""
    graph: StateGraph[ChatState, ChatDeps, ChatState, ChatState]
    graph = StateGraph(ChatState, context_schema=ChatDeps)
    graph.add_node("listen", listen)
    graph.add_node("understand", understand)
    graph.add_node("prepare", prepare)
    graph.add_node("work", work)
    graph.add_edge(START, "listen")
    graph.add_conditional_edges("listen", _leave_or_stay, ["understand", END])
    graph.add_conditional_edges("understand", _ask_or_work, ["listen", "prepare"])
    graph.add_conditional_edges("prepare", _prepared, ["listen", "work"])
    graph.add_edge("work", "listen")
    return graph.compile(checkpointer=checkpointer, name="akgen-chat")


def listen(state: ChatState) -> Update:
    """Wait for the person."""
    text = str(interrupt("listening"))
    return {"text": text, "language": language_of(text, state["language"])}


def understand(state: ChatState, runtime: Runtime[ChatDeps]) -> Update:
    """Join what was said to what is known; what is not understood changes nothing and is asked about."""
    deps, text, known, language = runtime.context, state["text"], state["request"], state["language"]
    say, plain = deps.face.say, _plain(text)
    deps.face.speak(language)
    proposed, offer = state.get("proposed"), state.get("offer")
    if proposed is not None and (not plain or says_yes(text)):
        return {"task": proposed, "proposed": None}
    if proposed is not None and plain in NO:
        accepted = state.get("accepted", Request())
        say(said("dropped", language, name=accepted.name))
        return {"task": None, "proposed": None, "request": accepted}
    if plain in HELP:
        names = [op.name for op in operators() if op.category not in ("data_movement", "loss")][:40]
        say(said("help", language, names=names, commands=[f"/{name}" for name in COMMANDS]))
        return {"task": None}
    if plain in THANKS:
        say(said("welcome", language, name=known.name))
        return {"task": None}
    if plain in GO_ON:
        if state["stopped"] is None:
            say(said("nothing_to_go_on_with", language))
        return {"task": state["stopped"]}
    if plain in NO:
        say(said("say_again", language))
        return {"task": None, "offer": None}
    if _answered(state, deps, text):
        return {"task": None}
    if offer is None and acknowledges(text) and not known.empty and not missing(known):
        say(said("nothing_asked", language, name=known.name))
        return {"task": None}
    parsed = _hear(state, deps, offer if offer is not None and says_yes(text) else text)
    if parsed.problem is not None:
        say((parsed.kind == "unclear" and nearest_entries(text, language)) or parsed.problem)
        return {"task": None, "offer": parsed.offer, "exchange": parsed.exchange}
    request = parsed.request
    if lacking := missing(request):
        say(_question(request, lacking[0], language))
        return {"request": request, "task": None, "offer": None, "exchange": (), "proposed": None}
    turn = state["turn"] + 1
    task = f"{turn:02d}_{request.label}"
    taken = {"offer": None, "exchange": (), "proposed": None}
    return {"request": request, "turn": turn, "task": task, **taken}


def _answered(state: ChatState, deps: ChatDeps, text: str) -> bool:
    """Answer a question about the kernel in hand, an interface, an error code or the chip, if the text is one."""
    language, asked, done = state["language"], asked_of_kernel(text), state["done"].tasks
    solution = deps.store.task(done[-1]).solution() if done else None
    if asked is not None and solution is not None:
        found = about_kernel(asked, deps.store.task(done[-1]), solution, language)
        deps.face.say(found.text)
        if found.code:
            deps.face.code(found.code, "cpp")
        return True
    if asked is not None:
        deps.face.say(said("nothing_yet", language))
        return True
    told = answer(text, language, chip(deps.config(state).chip or DEFAULT_CHIP))
    if told is not None:
        deps.face.say(told)
    return told is not None


def _question(request: Request, lacking: Missing, language: Language) -> str:
    each = bool(request.steps) and tensors_of(request.steps[0]) > 1
    attribute = missing_attribute(request)
    return said("ask", language, missing=lacking, known=request, attribute=attribute, each=each)


def prepare(state: ChatState, runtime: Runtime[ChatDeps]) -> Update:
    """Write the task and its reference into the run store, run the reference, and show what was understood.

    A task that was stopped is there already. Where the person is to confirm, the work waits for their yes.
    """
    deps, name, request, language = (
        runtime.context, state["task"], state["request"], state["language"],
    )  # fmt: skip
    assert name is not None
    place = deps.store.task(name)
    if place.known():
        if name == state["stopped"]:
            deps.face.say(said("on", language, task=name))
        return {"accepted": request}
    try:
        task = _task(deps, place, state)
        calls = [deps.describe(task.reference, case) for case in task.cases[:SHOWN_CASES]]
        place.save_task(task)
    except InputError as problem:
        deps.face.refuse(problem)
        return {"task": None}
    attributes = list(dict.fromkeys(said_attributes(request)))
    deps.face.say(said("begin", language, request=request, attributes=attributes))
    if request.source is None or request.source.kind == "code":
        deps.face.code(essence(task.reference.path.read_text(encoding="utf-8")), "python")
    deps.face.say(understood(request, task, calls, language))
    lost = _left_out(state, calls)
    if lost:
        deps.face.say(said("left_out", language, words=lost))
    if deps.confirm or lost:
        deps.face.say(said("confirm", language))
        return {"task": None, "proposed": name}
    return {"accepted": request}


def _left_out(state: ChatState, calls: list[Call]) -> list[str]:
    """Return the words that a chat model's reference has nothing of, where it has just been written from them."""
    source = state["request"].source
    if source is None or source.said is None or not source.said.endswith(state["text"]):
        return []
    return not_in_reference(source.said, source.text, calls)


def work(state: ChatState, runtime: Runtime[ChatDeps]) -> Update:
    """Run the machine on the task and show what came of it."""
    deps, name, language = runtime.context, state["task"], state["language"]
    assert name is not None
    place, config = deps.store.task(name), deps.config(state)
    deps.face.speak(language)
    watch = deps.cancel.watching(deps.face.watch)

    def hear(text: str) -> None:
        deps.cancel.check()
        deps.face.think(text)

    try:
        with streaming(hear):
            solution = work_on(place.task(), replace(deps.deps_for(config), watch=watch))
    except InputError as problem:
        deps.face.refuse(problem)
        return {"task": None}
    except InfraError as problem:
        deps.face.broken(problem)
        deps.face.say(said("broken", language, text=problem.text, remedy=problem.remedy))
        return {"task": None, "stopped": name}
    except Cancelled:
        deps.cancel.clear()
        deps.face.say(said("stopped", language))
        return {"task": None, "stopped": name}
    deps.face.show(solution, place.kernel(solution))
    if (taken := assumed(state["request"], language)) is not None:
        deps.face.say(taken)
    _say_cores(state, deps, solution)
    return {"task": None, "stopped": None, "done": Done(tasks=(*state["done"].tasks, name))}


def _hear(state: ChatState, deps: ChatDeps, text: str) -> ParsedRequest:
    known, config = state["request"], deps.config(state)
    by_path = given_path(text, known, state["language"])
    if by_path is not None:
        return by_path
    inputs = {"text": text, "turn": state["turn"], "by": config.model, "known": known.model_dump_json()}
    exchange = tuple(
        (said, asked) for said, asked in state.get("exchange", ())
    )  # a checkpoint brings lists back
    inputs |= {"exchange": exchange} if exchange else {}
    effects = EffectCache(deps.store.folder / "effects")
    understand = deps.deps_for(config).understand
    return effects.once(
        "understand", inputs, ParsedRequest, lambda: understand(text, known, state["language"], exchange)
    ).value


def _task(deps: ChatDeps, place: TaskStore, state: ChatState) -> Task:
    request, name = state["request"], state["task"]
    assert name is not None
    if request.source is not None and request.source.kind == "task":
        return adapted(deps.find_task(request.source.text), request, name)
    reference = make_folder(place.folder) / "reference.py"
    write_whole(reference, reference_for(request))
    return task_for(request, reference, name)


def _say_cores(state: ChatState, deps: ChatDeps, solution: Solution) -> None:
    """Say so if the person asked for a number of cores and the kernel runs on fewer."""
    knobs, profile = state["request"].knobs, solution.profile
    if knobs is None or knobs.cores is None or profile is None or profile.cores >= knobs.cores:
        return
    deps.face.say(said("fewer_cores", state["language"], cores=profile.cores, wanted=knobs.cores))


def _plain(text: str) -> str:
    return text.strip().lower().rstrip(".!。！")


def _leave_or_stay(state: ChatState) -> str:
    return END if _plain(state["text"]) in LEAVE else "understand"


def _ask_or_work(state: ChatState) -> Literal["listen", "prepare"]:
    return "listen" if state["task"] is None else "prepare"


def _prepared(state: ChatState) -> Literal["listen", "work"]:
    return "listen" if state["task"] is None else "work"


def given_path(text: str, known: Request, language: Language) -> ParsedRequest | None:
    """Return what a text asks for that names a file, a folder or a task; None if it names none."""
    if "\n" in text.strip():
        return None  # code, not a path
    named = _TASK.search(text)
    if named is not None:
        words = text[: named.start()] + " " + text[named.end() :]
        source = RequestSource(kind="task", name=_word(named[1]), text=named[1], brings="inputs")
        return _heard(words, source, known, language)
    for word in text.split():
        token = word.strip("\"'`,;")
        if not _looks_like_path(token):
            continue
        try:
            path = path_of(token)
        except InputError as problem:
            return ParsedRequest(request=known, problem=problem.text, kind="refused")
        words = text.replace(word, " ")
        if path.is_dir():
            folder = str(path.resolve())
            source = RequestSource(kind="task", name=_word(path.name), text=folder, brings="inputs")
            return _heard(words, source, known, language)
        if path.suffix == ".py" and path.is_file():
            found = source_of(path.read_text(errors="replace")[:MOST_CHARACTERS], language)
            if isinstance(found, str):
                return ParsedRequest(request=known, problem=found, kind="refused")
            return _heard(words, found.model_copy(update={"name": _word(path.stem)}), known, language)
        return ParsedRequest(request=known, problem=said("no_file", language, path=token), kind="refused")
    return None


def _heard(words: str, source: RequestSource, known: Request, language: Language) -> ParsedRequest:
    """Read the words around something that was given; nothing of what was known before holds, but a type and shape."""
    kept = {} if source.brings == "inputs" else {"dtypes": known.dtypes, "shapes": known.shapes[:1]}
    heard = read_words(words, Request(source=source, dynamic=known.dynamic, **kept), language, given=True)
    return heard if heard.problem is None else heard.model_copy(update={"request": known})


def _looks_like_path(token: str) -> bool:
    return token.endswith(".py") or (token.startswith(("/", "./", "../", "~/")) and len(token) > 2)


def _word(name: str) -> str:
    word = re.sub(r"\W", "_", Path(name).name).strip("_").lower() or "task"
    return word if word[0].isalpha() else f"op_{word}"
